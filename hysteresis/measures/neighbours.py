"""Nearest neighbours of each sample, shared between the two layers."""

import numpy as np

from hysteresis.measures.activations import NAN, paired_activations


def shared_neighbours(x, y, k: int = 10):
    """Count for each sample those of its k nearest others that are the same in both layers.

    Nearest by Euclidean distance; the sample itself does not count; of equally near ones the
    first in the order of the samples are taken.

    Returns:
        int64 of shape (samples,), from 0 to k. Meaningless for a constant layer.

    Raises:
        ValueError: unless 1 <= ``k`` < samples.
    """
    x, y = paired_activations(x, y)
    samples = len(x.activations)
    if not 1 <= k < samples:
        raise ValueError(f"number of neighbours must be from 1 to {samples - 1}, got {k}")
    return np.count_nonzero(x.neighbours(k) & y.neighbours(k), axis=1)


def _mean_over_samples(x, y, k: int, share) -> float:
    """Mean of ``share(counts)`` for the shared neighbours of each sample; NaN for a dead layer."""
    x, y = paired_activations(x, y)
    counts = shared_neighbours(x, y, k)
    if not (x.squared_distances.any() and y.squared_distances.any()):
        return NAN
    return float(share(counts).mean())


def mutual_knn(x, y, k: int = 10) -> float:
    """Mean share of a sample's k nearest neighbours that are the same in both layers.

    Local where CKA is global, and hardly moved by outliers or dominant directions.

    Returns:
        A number from 0 to 1, 1 for identical representations; k / (samples - 1) is expected of
        independent ones.

    Raises:
        ValueError: unless 1 <= ``k`` < samples.

    Source: Huh, Cheung, Wang and Isola, "The Platonic Representation Hypothesis", ICML 2024,
    arXiv:2405.07987.
    """
    return _mean_over_samples(x, y, k, lambda counts: counts / k)


def knn_jaccard(x, y, k: int = 10) -> float:
    """Mean Jaccard index of the two sets of k nearest neighbours of a sample.

    For one sample with the share m of its neighbours in common the index is m / (2 - m).

    Returns:
        A number from 0 to 1, 1 for identical representations.

    Raises:
        ValueError: unless 1 <= ``k`` < samples.

    Source: Klabunde et al., "Similarity of Neural Network Models: A Survey of Functional and
    Representational Measures", ACM Computing Surveys 2025, doi:10.1145/3728458.
    """
    return _mean_over_samples(x, y, k, lambda counts: counts / (2 * k - counts))
