"""Orthogonal Procrustes distance."""

from collections.abc import Callable

import numpy as np

from hysteresis.measures.activations import NAN, paired_activations

PROCRUSTES_SCALES: dict[str, Callable[[float], float]] = {
    "nuclear": lambda nu: nu,
    "one_minus": lambda nu: 1 - nu,
    "euclidean": lambda nu: float(np.sqrt(2 - 2 * nu)),
    "angular": lambda nu: float(np.arccos(nu)),
    "squared": lambda nu: 1 - nu**2,
}


def procrustes(x, y, scale: str = "angular") -> float:
    """Distance after the best rotation (or reflection) of one representation onto the other.

    Both layers are centred and divided by their Frobenius norm. Everything then depends on
    nu = ||X'Y||_*, the sum of the singular values of the cross-product, from 0 to 1. The literature
    reports it on several scales, and ``scale`` says which:

    - ``"angular"`` (default): arccos(nu), from 0 to pi/2, a metric (Williams et al. 2021);
    - ``"euclidean"``: sqrt(2 - 2 nu), from 0 to sqrt(2), also a metric, the length of the
      difference after the rotation (its square is the distance of Ding et al. 2021);
    - ``"one_minus"``: 1 - nu, from 0 to 1, half the square of the former;
    - ``"squared"``: 1 - nu^2, from 0 to 1, the disparity of ``scipy.spatial.procrustes``, which
      also fits the size of one to the other;
    - ``"nuclear"``: nu itself, the only one that is larger for more similar representations.

    nu is accurate to about 1e-15, so near 0 the angular and the euclidean distance are accurate to
    about 1e-7 only: identical representations may give that instead of 0.

    Raises:
        ValueError: if ``scale`` is none of these.

    Sources: Ding, Denain and Steinhardt, "Grounding Representation Similarity Through Statistical
    Testing", NeurIPS 2021, arXiv:2108.01661; Williams, Kunz, Kornblith and Linderman, "Generalized
    Shape Metrics on Neural Representations", NeurIPS 2021, arXiv:2110.14739.
    """
    if scale not in PROCRUSTES_SCALES:
        raise ValueError(f"Procrustes scale {scale!r} is none of {', '.join(PROCRUSTES_SCALES)}")
    (vectors_x, values_x), (vectors_y, values_y) = (
        representation.components for representation in paired_activations(x, y)
    )
    if values_x[0] == 0 or values_y[0] == 0:
        return NAN
    weights_x = values_x / np.linalg.norm(values_x)
    weights_y = values_y / np.linalg.norm(values_y)
    # X'Y in the coordinates of the principal components, which has the same singular values.
    cross_product = weights_x[:, None] * (vectors_x.T @ vectors_y) * weights_y
    nu = float(np.linalg.svd(cross_product, compute_uv=False).sum())
    return PROCRUSTES_SCALES[scale](min(nu, 1.0))
