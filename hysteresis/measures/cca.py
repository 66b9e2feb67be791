"""Canonical correlation."""

import numpy as np

from hysteresis.measures.activations import NAN, paired_activations


def _mean_canonical_correlation(basis_x, basis_y) -> float:
    """Mean cosine of the principal angles between the spans of two orthonormal bases."""
    if basis_x.shape[1] == 0 or basis_y.shape[1] == 0:
        return NAN
    correlations = np.linalg.svd(basis_x.T @ basis_y, compute_uv=False)
    return float(np.minimum(correlations, 1.0).mean())


def mean_cca(x, y) -> float:
    """Mean canonical correlation, over as many pairs as the layer of smaller rank has.

    Unchanged by any invertible linear map of the units, so directions of hardly any variance count
    as much as the first. Unrelated Gaussian representations of p units and n samples score somewhat
    below sqrt(p / n), and as soon as a layer's rank reaches n - 1 the value is 1 whatever the
    other is: use it only with many more samples than units.

    Returns:
        A number from 0 to 1, 1 for identical representations.

    Source: Raghu, Gilmer, Yosinski and Sohl-Dickstein, "SVCCA: Singular Vector Canonical
    Correlation Analysis for Deep Learning Dynamics and Interpretability", NIPS 2017,
    arXiv:1706.05806.
    """
    bases = []
    for representation in paired_activations(x, y):
        vectors, values = representation.components
        bases.append(vectors[:, values > 0])
    return _mean_canonical_correlation(*bases)


def svcca(x, y, variance: float = 0.99) -> float:
    """Mean canonical correlation of the first principal components of the two layers.

    Each layer keeps the fewest components that hold at least the share ``variance`` of its
    variance (squared singular values). The mean is over as many pairs as the layer with fewer
    components has.

    Returns:
        A number from 0 to 1, 1 for identical representations.

    Raises:
        ValueError: unless 0 < ``variance`` <= 1.

    Source: Raghu et al. 2017, see ``mean_cca``.
    """
    if not 0 < variance <= 1:
        raise ValueError(f"share of variance to keep must be above 0 and at most 1, got {variance}")
    bases = []
    for representation in paired_activations(x, y):
        vectors, values = representation.components
        cumulative = np.cumsum(values**2)
        # Compared with the computed total, so that a share of 1 keeps all and never fails.
        kept = np.searchsorted(cumulative, variance * cumulative[-1]) + 1
        bases.append(vectors[:, :kept][:, values[:kept] > 0])
    return _mean_canonical_correlation(*bases)
