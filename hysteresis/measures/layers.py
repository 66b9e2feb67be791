"""Features of chosen layers: those of the main comparison, and what fc1 sees of conv2."""

from collections.abc import Sequence

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hysteresis.pairs.behavior import BATCH
from hysteresis.pairs.representations import spatial_mean
from hysteresis.training.layers import LAYERS

CONV2_MAPS = "conv2_maps"
FEATURES = ("conv1", "conv2", CONV2_MAPS, "fc1", "logits")


def features_of(
    network: nn.Module, images: Tensor, layers: Sequence[str] = LAYERS
) -> dict[str, np.ndarray]:
    """Features float64 (n, units) of ``images`` (n, 1, 28, 28) in each of ``layers``.

    ``conv1`` and ``conv2`` are averaged over space before pooling, the same numbers as in the main
    comparison. ``conv2_maps`` are the pooled maps of conv2 unit by unit and place by place: the
    inputs of fc1, (n, 3136) with 64 channels. Both are claims about conv2, and different ones: the
    mean over space forgets where a unit responds. Raises KeyError on any other layer.
    """
    device = next(network.parameters()).device
    found: dict[str, list[Tensor]] = {layer: [] for layer in layers}
    with torch.inference_mode():
        for batch in images.split(BATCH):
            activations = network.activations(batch.to(device))
            for layer, parts in found.items():
                parts.append(_feature(activations, layer).cpu())
    return {layer: torch.cat(parts).numpy() for layer, parts in found.items()}


def _feature(activations: dict[str, Tensor], layer: str) -> Tensor:
    if layer == CONV2_MAPS:
        return F.max_pool2d(activations["conv2"], 2).flatten(1).double()
    return spatial_mean(activations[layer])
