"""Every measure of representational similarity, by name.

A measure takes the activations of one layer of two networks on the same samples in the same order,
as arrays of shape (samples, units) of any real dtype, and returns one float. It computes in float64
and centres the units first. A layer that is constant over the samples (a dead layer) gives NaN.
Arrays that cannot be compared raise ValueError, see ``hysteresis.pairs.similarity.paired_arrays``.

To add a measure of your own, write it in a module of this folder and put one entry into
``MEASURES``. The modules import scipy in the functions that need it: the workflow reads the names
in the registry each time it starts, and should not wait for more than numpy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hysteresis.measures.activations import paired_activations
from hysteresis.measures.cca import mean_cca, svcca
from hysteresis.measures.cka import (
    cka_without_top_components,
    debiased_linear_cka,
    within_class_cka,
)
from hysteresis.measures.neighbours import knn_jaccard, mutual_knn
from hysteresis.measures.procrustes import procrustes
from hysteresis.measures.rsa import rsa_cosine, rsa_spearman
from hysteresis.pairs.similarity import linear_cka, paired_arrays


@dataclass(frozen=True)
class Measure:
    """How to compute and to read one measure.

    Attributes:
        name: key in tables.
        function: takes two float64 arrays of shape (samples, units) and returns a float.
        label: name in figures.
        larger_is_more_similar: False for a distance.
        identical: its value for identical representations.
        needs_labels: the function takes the class of each sample as its third argument.
        shares: the function also takes two ``Activations`` objects, and is then given these.
    """

    name: str
    function: Callable[..., float]
    label: str
    larger_is_more_similar: bool
    identical: float
    needs_labels: bool = False
    shares: bool = False


MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        Measure("linear_cka", linear_cka, "Linear CKA", True, 1.0),
        Measure("debiased_linear_cka", debiased_linear_cka, "Debiased CKA", True, 1.0, shares=True),
        Measure(
            "within_class_cka",
            within_class_cka,
            "CKA within classes",
            True,
            1.0,
            needs_labels=True,
            shares=True,
        ),
        Measure(
            "cka_without_top_components",
            cka_without_top_components,
            "CKA without first PC",
            True,
            1.0,
            shares=True,
        ),
        Measure("procrustes", procrustes, "Procrustes angle (rad)", False, 0.0, shares=True),
        Measure("mean_cca", mean_cca, "Mean CCA", True, 1.0, shares=True),
        Measure("svcca", svcca, "SVCCA (99% variance)", True, 1.0, shares=True),
        Measure("rsa_spearman", rsa_spearman, "RSA (Spearman)", True, 1.0, shares=True),
        Measure("rsa_cosine", rsa_cosine, "RSA (cosine)", True, 1.0, shares=True),
        Measure("mutual_knn", mutual_knn, "Mutual 10-NN", True, 1.0, shares=True),
        Measure("knn_jaccard", knn_jaccard, "10-NN Jaccard", True, 1.0, shares=True),
    )
}


def measure_layer(
    x, y, labels=None, measures: Mapping[str, Measure] = MEASURES
) -> dict[str, float]:
    """Evaluate all ``measures`` on one layer of two networks.

    Args:
        x: activations of one network, shape (samples, units), any real dtype.
        y: activations of the other network on the same samples in the same order.
        labels: the class of each sample, shape (samples,). Without it the measures that need it
            are left out.
        measures: by name, a registry such as ``MEASURES``.

    Returns:
        The value of each measure by its name, in the order of ``measures``.

    Raises:
        ValueError: if the arrays cannot be compared, or as any of the measures raises it.
    """
    x, y = paired_activations(*paired_arrays(x, y))
    values = {}
    for name, measure in measures.items():
        if measure.needs_labels and labels is None:
            continue
        pair = (x, y) if measure.shares else (x.activations, y.activations)
        values[name] = measure.function(*pair, *((labels,) if measure.needs_labels else ()))
    return values
