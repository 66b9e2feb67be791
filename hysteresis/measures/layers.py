"""Features of chosen layers: those of the main comparison, and further views of them."""

from collections.abc import Iterable

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hysteresis.pairs.behavior import BATCH
from hysteresis.pairs.representations import spatial_mean
from hysteresis.training.layers import Architecture, Layer, PooledMaps


def features_of(
    network: nn.Module, architecture: Architecture, images: Tensor, layers: Iterable[str]
) -> dict[str, np.ndarray]:
    """Features float64 (n, units) of ``images`` (n, channels, height, width) in each of ``layers``.

    Convolutions are averaged over space before pooling, the same numbers as in the main comparison.
    Pooled maps are those of a convolution unit by unit and place by place, what the next layer
    sees: of conv2 (n, 3136) with 64 channels. ``layers`` are names of the architecture's views;
    raises KeyError on any other.
    """
    device = next(network.parameters()).device
    views = [architecture.views[layer] for layer in layers]
    found: dict[str, list[Tensor]] = {view.name: [] for view in views}
    with torch.inference_mode():
        for batch in images.split(BATCH):
            activations = network.activations(batch.to(device))
            for view in views:
                found[view.name].append(_feature(activations[view.of], view).cpu())
    return {layer: torch.cat(parts).numpy() for layer, parts in found.items()}


def _feature(values: Tensor, view: Layer | PooledMaps) -> Tensor:
    if isinstance(view, PooledMaps):
        return F.max_pool2d(values, view.window).flatten(1).double()
    return spatial_mean(values)
