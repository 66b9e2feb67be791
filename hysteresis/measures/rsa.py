"""Representational similarity analysis: distances between samples, compared."""

import numpy as np

from hysteresis.measures.activations import NAN, paired_activations


def _cosine(u, v) -> float:
    scale = np.linalg.norm(u) * np.linalg.norm(v)
    return float(u @ v / scale) if scale > 0 else NAN


def rsa_spearman(x, y) -> float:
    """Rank correlation of the two matrices of squared distances between samples.

    The distances are Euclidean; squaring does not change the ranks. Tied distances share their
    mean rank.

    Returns:
        A number from -1 to 1, 1 for identical representations, about 0 for unrelated ones. NaN
        also if all samples of a layer are equally far apart.

    Source: Kriegeskorte, Mur and Bandettini, "Representational similarity analysis - connecting
    the branches of systems neuroscience", Front. Syst. Neurosci. 2:4, 2008.
    """
    from scipy.stats import rankdata

    x, y = paired_activations(x, y)
    ranks_x, ranks_y = rankdata(x.squared_distances), rankdata(y.squared_distances)
    return _cosine(ranks_x - ranks_x.mean(), ranks_y - ranks_y.mean())


def rsa_cosine(x, y) -> float:
    """Cosine of the two matrices of squared Euclidean distances between samples.

    Distances are not negative and the cosine is not centred, so unrelated representations score
    far above 0 as well: read it against a null control. (With both matrices centred by row and
    column the cosine is linear CKA.)

    Returns:
        A number from 0 to 1, 1 for identical representations.

    Source: Diedrichsen et al., "Comparing representational geometries using whitened
    unbiased-distance-matrix similarity", 2021, arXiv:2007.02789.
    """
    x, y = paired_activations(x, y)
    return _cosine(x.squared_distances, y.squared_distances)
