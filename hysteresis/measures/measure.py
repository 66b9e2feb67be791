"""Every measure of similarity on every chosen layer of one pair of runs."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from hysteresis.data.images import LabelledImages
from hysteresis.jobs.measures import PairMeasures
from hysteresis.measures.layers import features_of
from hysteresis.measures.registry import MEASURES, Measure, measure_layer
from hysteresis.pairs.columns import Row
from hysteresis.pairs.sides import Side, verify
from hysteresis.training.layers import architecture_named
from hysteresis.training.network import network_with

_SHUFFLING_SEED = 12345


def column_types(job: PairMeasures) -> dict[str, str]:
    """The columns of its rows, with their types."""
    columns = {
        "experiment": "str",
        "seed": "int64",
        "step": "int64",
        "layer": "str",
        "measure": "str",
        "value": "float64",
    }
    return columns | ({"chance": "float64"} if job.chance else {})


def measure_pair(
    job: PairMeasures, first: Side, second: Side, images: LabelledImages
) -> Iterator[Row]:
    """One row a step, layer and measure; ``value`` is NaN where a layer is dead.

    Where the ``job`` asks for it, ``chance`` is the value when the images of the second network are
    shuffled, all layers in one order: what the measure gives for representations that have nothing
    to do with each other.
    Raises UserError unless the two runs are what ``job.pair`` says, and may be compared.
    """
    verify(job.pair, first, second)
    architecture = architecture_named(job.pair.first.network.architecture)
    chosen = {name: MEASURES[name] for name in job.measures}
    labels = images.labels.numpy()
    for step, *pair in zip(job.pair.steps, first.checkpoints, second.checkpoints, strict=True):
        one, other = (
            features_of(
                network_with(checkpoint.header.run.network, checkpoint.weights).eval(),
                architecture,
                images.images,
                job.layers,
            )
            for checkpoint in pair
        )
        place = {"experiment": job.pair.experiment, "seed": job.pair.first.seed, "step": step}
        for layer in job.layers:
            found = _values(one.pop(layer), other.pop(layer), labels, chosen, job.chance)
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
