"""Every measure of similarity on every chosen layer of one pair of runs."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from hysteresis.data.images import LabelledImages
from hysteresis.jobs.measures import PairMeasures
from hysteresis.measures.layers import features_of
from hysteresis.measures.registry import MEASURES, Measure, measure_layer
from hysteresis.pairs.compare import Row, Side, verify
from hysteresis.training.network import network_with

_SHUFFLING_SEED = 12345


def measure_pair(
    told: PairMeasures, first: Side, second: Side, images: LabelledImages
) -> Iterator[Row]:
    """One row a step, layer and measure; ``value`` is NaN where a layer is dead.

    Where ``told`` asks for it, ``chance`` is the value when the images of the second network are
    shuffled, all layers in one order: what the measure gives for representations that have nothing
    to do with each other.
    Raises UserError unless the two runs are what ``told.pair`` says, and may be compared.
    """
    verify(told.pair, first, second)
    chosen = {name: MEASURES[name] for name in told.measures}
    labels = images.labels.numpy()
    for step, *pair in zip(told.pair.steps, first.checkpoints, second.checkpoints, strict=True):
        one, other = (
            features_of(
                network_with(checkpoint.header.run.network, checkpoint.weights).eval(),
                images.images,
                told.layers,
            )
            for checkpoint in pair
        )
        place = {"experiment": told.pair.experiment, "seed": told.pair.first.seed, "step": step}
        for layer in told.layers:
            found = _values(one.pop(layer), other.pop(layer), labels, chosen, told.chance)
            for measure, values in found.items():
                yield {**place, "layer": layer, "measure": measure, **values}


def _values(
    x: NDArray, y: NDArray, labels: NDArray, measures: Mapping[str, Measure], chance: bool
) -> dict[str, dict[str, float]]:
    """Of one layer, by measure: ``value`` and, if asked for, ``chance``."""
    columns = {"value": measure_layer(x, y, labels, measures)}
    if chance:
        order = np.random.default_rng(_SHUFFLING_SEED).permutation(len(y))
        columns["chance"] = measure_layer(x, y[order], labels, measures)
    return {name: {column: values[name] for column, values in columns.items()} for name in measures}
