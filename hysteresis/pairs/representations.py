"""What a network represents on the test probe: features per layer, and the health of its units."""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from hysteresis.pairs.behavior import BATCH
from hysteresis.training.layers import Architecture

POSITIVE_ABOVE = 1e-6
DEAD_BELOW = 1e-4


@dataclass(frozen=True)
class LayerHealth:
    """Of one layer, over its units: share of dead units, and means of positive rate, sparsity and
    (population) variance of the activations over images and positions."""

    dead_ratio: float
    positive_rate: float
    sparsity: float
    variance: float


@dataclass(frozen=True)
class Representations:
    """One network on the test probe: ``features`` of each layer, float64 (n, units), convolutions
    averaged over space before pooling; ``logits`` float32 (n, classes); ``health`` of the hidden
    layers."""

    features: dict[str, np.ndarray]
    logits: Tensor
    health: dict[str, LayerHealth]


def represent(network: nn.Module, architecture: Architecture, images: Tensor) -> Representations:
    """What ``network`` makes of the probe ``images`` (n, channels, height, width)."""
    device = next(network.parameters()).device
    features: dict[str, list[Tensor]] = {layer: [] for layer in architecture.names}
    health = {layer: _HealthCounter() for layer in architecture.hidden}
    logits = []
    with torch.inference_mode():
        for batch in images.split(BATCH):
            activations = network.activations(batch.to(device))
            logits.append(activations[architecture.outputs].cpu())
            for layer, values in activations.items():
                features[layer].append(spatial_mean(values).cpu())
                if layer in health:
                    health[layer].add(values)
    return Representations(
        features={layer: torch.cat(parts).numpy() for layer, parts in features.items()},
        logits=torch.cat(logits),
        health={layer: counter.result() for layer, counter in health.items()},
    )


def spatial_mean(values: Tensor) -> Tensor:
    """Maps (n, units, height, width) averaged over space in float64; (n, units) as it is."""
    return values.mean(dim=(2, 3), dtype=torch.float64) if values.dim() == 4 else values.double()


class _HealthCounter:
    """Sums over images and positions, unit by unit."""

    def __init__(self) -> None:
        self.count = 0
        self.positive: Tensor | int = 0
        self.total: Tensor | float = 0.0
        self.squares: Tensor | float = 0.0

    def add(self, values: Tensor) -> None:
        others = (0, 2, 3) if values.dim() == 4 else (0,)
        self.count += values.numel() // values.shape[1]
        self.positive = self.positive + (values > POSITIVE_ABOVE).sum(dim=others)
        self.total = self.total + values.sum(dim=others, dtype=torch.float64)
        self.squares = self.squares + values.square().sum(dim=others, dtype=torch.float64)

    def result(self) -> LayerHealth:
        rate = self.positive.to(torch.float64) / self.count
        variance = self.squares / self.count - (self.total / self.count).square()
        return LayerHealth(
            dead_ratio=float((rate < DEAD_BELOW).to(torch.float64).mean()),
            positive_rate=float(rate.mean()),
            sparsity=float((1 - rate).mean()),
            variance=float(variance.clamp(min=0).mean()),
        )
