"""The main comparison on few and on many images, of the test and of the training set.

Plain CKA of few samples is too high, and any number on 2,000 images is one on those 2,000. What
does not move with the number of images, and is the same with and without the correction for
finite samples, belongs to the networks.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from hysteresis.data import facts
from hysteresis.data.images import LabelledImages, selected_indices
from hysteresis.jobs.measures import PairSensitivity
from hysteresis.jobs.run import ImageSelection
from hysteresis.measures.activations import Activations
from hysteresis.measures.cka import debiased_linear_cka
from hysteresis.measures.layers import features_of
from hysteresis.pairs.columns import Row, column_name
from hysteresis.pairs.sides import Side, verify
from hysteresis.pairs.similarity import linear_cka, representational_hysteresis
from hysteresis.training.layers import Architecture, architecture_named
from hysteresis.training.network import network_with

DATA_PARTS = ("test", "train")
COLUMN_TYPES = {
    "experiment": "str",
    "seed": "int64",
    "step": "int64",
    "set": "str",
    "images": "int64",
    "quantity": "str",
    "value": "float64",
}

Features = dict[str, np.ndarray]


def selection(part: str, count: int, images: ImageSelection) -> ImageSelection:
    """The ``count`` of ``images`` of a part (test or train): as many of each class, the first.

    So 2,000 test images of MNIST are the test probe of the paper, and fewer are among more. As many
    as the part has are all of it, which need not have as many of each class.
    """
    if count == sum(facts.data_set(images.data_set).label_counts[part]):
        return images
    return replace(images, examples_per_class=count // len(images.classes))


def sensitivity_of_pair(
    job: PairSensitivity, first: Side, second: Side, images: Mapping[str, LabelledImages]
) -> Iterator[Row]:
    """One row a part of the data (``set``), number of ``images`` and ``quantity``.

    ``images`` are by part those of the largest selection. Quantities are H_repr and each layer's
    CKA, plain and debiased. Raises UserError unless the two runs may be compared.
    """
    verify(job.pair, first, second)
    architecture = architecture_named(job.pair.first.network.architecture)
    (step,) = job.pair.steps
    place = {"experiment": job.pair.experiment, "seed": job.pair.first.seed, "step": step}
    pair = (*first.checkpoints, *second.checkpoints)
    networks = [network_with(each.header.run.network, each.weights).eval() for each in pair]
    for part, largest in images.items():
        shown = [
            features_of(network, architecture, largest.images, architecture.names)
            for network in networks
        ]
        for count in job.counts:
            rows = rows_among(largest, selection(part, count, job.images))
            one, other = ({layer: seen[layer][rows] for layer in seen} for seen in shown)
            for quantity, value in _quantities(architecture, one, other).items():
                yield {**place, "set": part, "images": count, "quantity": quantity, "value": value}


def rows_among(largest: LabelledImages, chosen: ImageSelection) -> np.ndarray:
    """Where (int64) a selection's images lie among those of the largest, for each rotation."""
    labels = largest.labels.numpy()
    per_rotation = len(labels) // len(chosen.rotations)
    # The first of a class are the first also of a selection of the first, in the same order.
    indices = selected_indices(labels[:per_rotation], chosen)
    return np.concatenate([indices + k * per_rotation for k in range(len(chosen.rotations))])


def _quantities(architecture: Architecture, one: Features, other: Features) -> dict[str, float]:
    found: dict[str, float] = {}
    for prefix, cka in (("", linear_cka), ("debiased_", _debiased)):
        values = {layer: cka(one[layer], other[layer]) for layer in architecture.names}
        h_repr = representational_hysteresis([values[layer] for layer in architecture.in_h_repr])
        found |= {f"{prefix}h_repr": h_repr}
        found |= {
            f"{prefix}{column_name('cka', layer=layer)}": value for layer, value in values.items()
        }
    return found


def _debiased(x: np.ndarray, y: np.ndarray) -> float:
    return debiased_linear_cka(Activations(x), Activations(y))
