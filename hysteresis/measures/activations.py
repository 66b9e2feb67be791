"""Activations of one layer, with what several measures derive from them, each computed once."""

from functools import cached_property

import numpy as np

from hysteresis.pairs.similarity import centre, paired_arrays

NAN = float("nan")


class Activations:
    """One layer's activations with what several measures derive from them, each computed once.

    The measures of this module accept two of these in place of two arrays. What has been derived
    is kept, so the array must not be changed afterwards.

    Attributes:
        activations: float64, shape (samples, units).
    """

    def __init__(self, activations):
        self.activations, _ = paired_arrays(activations, activations)
        self._neighbours = {}

    @cached_property
    def centred(self):
        """Activations with the mean of each unit removed, float64 of shape (samples, units)."""
        return centre(self.activations)

    @cached_property
    def components(self):
        """Principal components: left singular vectors and singular values of the centred array.

        Returns:
            Vectors of shape (samples, r) in its columns and values of shape (r,), largest first,
            r = min(samples, units). Values within rounding of zero are set to zero; their vectors
            have no meaning.
        """
        features = self.centred
        samples, units = features.shape
        if units > samples:
            # The triangle of this factorisation is the same point cloud, rotated into the span
            # of the samples, so the vectors and values are the same and come cheaper.
            features = np.linalg.qr(features.T, mode="r").T
        vectors, values, _ = np.linalg.svd(features, full_matrices=False)
        values[values <= values[0] * max(samples, units) * np.finfo(np.float64).eps] = 0.0
        return vectors, values

    @cached_property
    def squared_distances(self):
        """Squared Euclidean distances between samples, the upper triangle row by row.

        Shape (samples * (samples - 1) / 2,). Taken from the differences, not from the Gram
        matrix, so that equal samples are at distance 0 and equal distances stay equal.
        """
        from scipy.spatial.distance import pdist

        return pdist(self.centred, "sqeuclidean")

    def neighbours(self, k: int):
        """Boolean matrix of shape (samples, samples) with the k nearest others of each row."""
        if k not in self._neighbours:
            self._neighbours[k] = _nearest_marked(self.squared_distances, k)
        return self._neighbours[k]


def paired_activations(x, y) -> tuple[Activations, Activations]:
    """Return the pair as ``Activations`` objects, checked against each other."""
    if isinstance(x, Activations) and isinstance(y, Activations):
        if len(x.activations) == len(y.activations):
            return x, y
        x, y = x.activations, y.activations
    x, y = paired_arrays(x, y)
    return Activations(x), Activations(y)


def _nearest_marked(squared_distances, k: int):
    from scipy.spatial.distance import squareform

    distances = squareform(squared_distances, checks=False)
    # Not by dropping the first column after sorting: with equal samples that is not the own one.
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    marked = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(marked, nearest, True, axis=1)
    return marked
