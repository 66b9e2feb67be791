"""Orthogonal Procrustes distance."""

import numpy as np

from hysteresis.measures.activations import NAN, paired_activations


def procrustes(x, y) -> float:
    """Angle left after the best rotation (or reflection) of one representation onto the other.

    Both layers are centred and divided by their Frobenius norm. The value is arccos(nu), from 0 to
    pi/2 and a metric, with nu = ||X'Y||_*, the sum of the singular values of the cross-product. The
    literature also reports sqrt(2 - 2 nu), whose square is the distance of Ding et al. 2021, and
    1 - nu^2, the disparity of ``scipy.spatial.procrustes``.

    nu is accurate to about 1e-15, so near 0 the angle is accurate to about 1e-7 only: identical
    representations may give that instead of 0. NaN if a layer is constant over the samples.

    Sources: Ding, Denain and Steinhardt, "Grounding Representation Similarity Through Statistical
    Testing", NeurIPS 2021, arXiv:2108.01661; Williams, Kunz, Kornblith and Linderman, "Generalized
    Shape Metrics on Neural Representations", NeurIPS 2021, arXiv:2110.14739.
    """
    (vectors_x, values_x), (vectors_y, values_y) = (
        activations.components for activations in paired_activations(x, y)
    )
    if values_x[0] == 0 or values_y[0] == 0:
        return NAN
    weights_x = values_x / np.linalg.norm(values_x)
    weights_y = values_y / np.linalg.norm(values_y)
    # X'Y in the coordinates of the principal components, which has the same singular values.
    cross_product = weights_x[:, None] * (vectors_x.T @ vectors_y) * weights_y
    nu = float(np.linalg.svd(cross_product, compute_uv=False).sum())
    return float(np.arccos(min(nu, 1.0)))
