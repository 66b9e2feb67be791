"""The main comparison on few and on many images, of the test and of the training set.

Plain CKA of few samples is too high, and any number on 2,000 images is one on those 2,000. What
does not move with the number of images, and is the same with and without the correction for
finite samples, belongs to the networks.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from hysteresis.data.images import LabelledImages, selected_indices
from hysteresis.jobs.measures import PairSensitivity
from hysteresis.jobs.run import ALL_CLASSES, ImageSelection
from hysteresis.measures.activations import Activations
from hysteresis.measures.cka import debiased_linear_cka
from hysteresis.measures.layers import features_of
from hysteresis.pairs.compare import Row, Side, verify
from hysteresis.pairs.similarity import linear_cka, representational_hysteresis
from hysteresis.training.layers import LAYERS
from hysteresis.training.network import network_with

TEST_IMAGES = 10_000
# By the names of this package and of MNIST's files.
SETS = ("test", "train")

Features = dict[str, np.ndarray]


def selection(name: str, count: int, rotations: tuple[int, ...] = (0,)) -> ImageSelection:
    """The ``count`` images of the set ``name`` (test or train): a tenth of each digit, the first.

    So 2,000 test images are the test probe of the paper, and fewer are among more. 10,000 test
    images are the whole test set, which has from 892 to 1,135 of a digit.
    """
    if name == "test" and count == TEST_IMAGES:
        return ImageSelection(rotations=rotations)
    return ImageSelection(rotations=rotations, examples_per_class=count // len(ALL_CLASSES))


def sensitivity_of_pair(
    told: PairSensitivity, first: Side, second: Side, images: Mapping[str, LabelledImages]
) -> Iterator[Row]:
    """One row a data set (``set``), number of ``images`` and ``quantity``.

    ``images`` are by set those of the largest selection. Quantities are H_repr and each layer's
    CKA, plain and debiased. Raises UserError unless the two runs may be compared.
    """
    verify(told.pair, first, second)
    (step,) = told.pair.steps
    place = {"experiment": told.pair.experiment, "seed": told.pair.first.seed, "step": step}
    pair = (*first.checkpoints, *second.checkpoints)
    networks = [network_with(each.header.run.network, each.weights).eval() for each in pair]
    for name, largest in images.items():
        shown = [features_of(network, largest.images) for network in networks]
        for count in told.images:
            rows = rows_among(largest, selection(name, count, told.rotations))
            one, other = ({layer: all_[layer][rows] for layer in LAYERS} for all_ in shown)
            for quantity, value in _quantities(one, other).items():
                yield {**place, "set": name, "images": count, "quantity": quantity, "value": value}


def rows_among(largest: LabelledImages, chosen: ImageSelection) -> np.ndarray:
    """Where (int64) a selection's images lie among those of the largest, for each rotation."""
    labels = largest.labels.numpy()
    per_rotation = len(labels) // len(chosen.rotations)
    # The first of a digit are the first also of a selection of the first, in the same order.
    indices = selected_indices(labels[:per_rotation], chosen)
    return np.concatenate([indices + k * per_rotation for k in range(len(chosen.rotations))])


def _quantities(one: Features, other: Features) -> dict[str, float]:
    found: dict[str, float] = {}
    for prefix, cka in (("", linear_cka), ("debiased_", _debiased)):
        values = {layer: cka(one[layer], other[layer]) for layer in LAYERS}
        h_repr = representational_hysteresis(values["conv2"], values["fc1"])
        found |= {f"{prefix}h_repr": h_repr}
        found |= {f"{prefix}cka_{layer}": value for layer, value in values.items()}
    return found


def _debiased(x: np.ndarray, y: np.ndarray) -> float:
    return debiased_linear_cka(Activations(x), Activations(y))
