"""Further measures of representational similarity, each on one layer of two networks.

Every measure takes the activations of the two networks on the same samples in the same order, as
arrays of shape (samples, units) of any real dtype, and returns one float. It computes in float64
and centres the units first. A layer that is constant over the samples (a dead layer) gives NaN.
Arrays that cannot be compared raise ValueError, see ``hysteresis.similarity.paired_arrays``.

``compare`` evaluates the measures of the registry ``MEASURES`` on one pair. To add a measure of
your own, put one entry there, and its name into the configuration if that lists measures::

    MEASURES["mine"] = Measure("mine", my_function, "My measure", True, 1.0)

scipy is imported by the functions that need it: the workflow reads the names in the registry each
time it starts, and should not wait for more than numpy.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hysteresis.similarity import centre, linear_cka, paired_arrays

NAN = float("nan")


class Representation:
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


def _representations(x, y) -> tuple[Representation, Representation]:
    """Return the pair as ``Representation`` objects, checked against each other."""
    if isinstance(x, Representation) and isinstance(y, Representation):
        if len(x.activations) == len(y.activations):
            return x, y
        x, y = x.activations, y.activations
    x, y = paired_arrays(x, y)
    return Representation(x), Representation(y)


# Centred kernel alignment


def _alignment(x, y) -> float:
    """||X'Y||_F^2, through whichever of the unit and the sample products is the smaller."""
    samples = len(x)
    if max(x.shape[1], y.shape[1]) <= samples:
        return float(np.linalg.norm(x.T @ y) ** 2)
    return float(np.vdot(x @ x.T, y @ y.T))


def _debiased_alignment(x, y) -> float:
    """Unbiased HSIC of two centred arrays, up to a factor that depends on the samples alone."""
    samples = len(x)
    norms_x, norms_y = (x**2).sum(axis=1), (y**2).sum(axis=1)
    diagonal = samples / (samples - 2) * (norms_x @ norms_y)
    total = norms_x.sum() * norms_y.sum() / ((samples - 1) * (samples - 2))
    return _alignment(x, y) - diagonal + total


def debiased_linear_cka(x, y) -> float:
    """Linear CKA with the unbiased estimate of HSIC: no contribution from the Gram diagonals.

    The ordinary estimate rises with the number of units per sample and with single large samples,
    even for unrelated representations; this one stays about 0 there. With centred rows x_i, y_i of
    squared length s_i, t_i, and n samples, the unbiased HSIC is proportional to

        D(X, Y) = ||X'Y||_F^2 - n/(n-2) sum_i s_i t_i + sum(s) sum(t) / ((n-1)(n-2))

    and the value is D(X, Y) / sqrt(D(X, X) D(Y, Y)). Time grows with samples * units_x * units_y,
    and no matrix of samples by samples is made, unless a layer has more units than samples.

    Returns:
        A number from -1 to 1, 1 for identical representations. Small negative values are part of
        an unbiased estimate and are not clipped. NaN also if a layer's samples differ only in one
        of them, for then nothing is left beside the diagonal.

    Raises:
        ValueError: with fewer than four samples.

    Source: Song et al., "Feature Selection via Dependence Maximization", JMLR 13, 2012 (unbiased
    HSIC); Murphy, Zylberberg and Fyshe 2024, arXiv:2405.01012 (its use in CKA).
    """
    x, y = (representation.centred for representation in _representations(x, y))
    if len(x) < 4:
        shapes = f"got shapes {x.shape} and {y.shape}"
        raise ValueError(f"debiased CKA needs at least four samples: {shapes}")
    self_x, self_y = _debiased_alignment(x, x), _debiased_alignment(y, y)
    # Both are sums of squares and so not negative, but computed as differences of larger terms.
    for activations, self_term in ((x, self_x), (y, self_y)):
        if self_term <= 1e-12 * (activations**2).sum() ** 2:
            return NAN
    return float(_debiased_alignment(x, y) / np.sqrt(self_x * self_y))


def class_residuals(x, labels):
    """Remove from each sample the mean activation of its class.

    Args:
        x: activations, shape (samples, units).
        labels: the class of each sample, shape (samples,), any dtype that can be compared.

    Returns:
        float64 of the shape of ``x``. The only sample of a class becomes zero.

    Raises:
        ValueError: if ``labels`` does not give one class for each sample.
    """
    x, _ = paired_arrays(x, x)
    labels = np.asarray(labels)
    if labels.shape != x.shape[:1]:
        raise ValueError(f"need one label a sample: got shapes {x.shape} and {labels.shape}")
    residuals = np.empty_like(x)
    for label in np.unique(labels):
        residuals[labels == label] = centre(x[labels == label])
    return residuals


def within_class_cka(x, y, labels) -> float:
    """Linear CKA of what is left when each sample's class mean is removed.

    Two networks that separate the same classes are alike for that reason alone. This asks whether
    they also agree on the differences within a class. It has the bias of plain CKA.

    Args:
        labels: the class of each sample, shape (samples,).

    Returns:
        A number from 0 to 1, 1 for identical representations; NaN if a layer is constant within
        every class.

    Raises:
        ValueError: if ``labels`` does not give one class for each sample.
    """
    x, y = _representations(x, y)
    return linear_cka(class_residuals(x.centred, labels), class_residuals(y.centred, labels))


def cka_without_top_components(x, y, count: int = 1) -> float:
    """Linear CKA after removing from each layer its ``count`` first principal components.

    CKA weights a component by its squared variance, so one or two directions of large variance
    can decide it. Compare with plain CKA, and see ``first_component_share``.

    Returns:
        A number from 0 to 1, 1 for identical representations; NaN if nothing is left of a layer.

    Raises:
        ValueError: if ``count`` is negative.

    Source: the dominance of few components in CKA is discussed by Nguyen, Raghu and Kornblith
    2022, arXiv:2202.07184.
    """
    if count < 0:
        raise ValueError(f"count of components to remove must not be negative, got {count}")
    remainders = []
    for representation in _representations(x, y):
        vectors, values = representation.components
        remainders.append(vectors * np.where(np.arange(len(values)) < count, 0.0, values))
    return linear_cka(*remainders)


def first_component_share(x, squared: bool = False) -> float:
    """Share of the variance that lies in the first principal component of one layer.

    Not a similarity, but the context in which to read one.

    Args:
        x: activations, shape (samples, units), or a ``Representation``.
        squared: take the squared variances of the components, whose sum is the ||X'X||_F^2 by
            which CKA is normalised.

    Returns:
        A number from 1 / min(samples - 1, units) to 1; NaN for a constant layer.
    """
    representation = x if isinstance(x, Representation) else Representation(x)
    variances = representation.components[1] ** (4 if squared else 2)
    return float(variances[0] / variances.sum()) if variances[0] > 0 else NAN


# Orthogonal Procrustes


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
        representation.components for representation in _representations(x, y)
    )
    if values_x[0] == 0 or values_y[0] == 0:
        return NAN
    weights_x = values_x / np.linalg.norm(values_x)
    weights_y = values_y / np.linalg.norm(values_y)
    # X'Y in the coordinates of the principal components, which has the same singular values.
    cross_product = weights_x[:, None] * (vectors_x.T @ vectors_y) * weights_y
    nu = float(np.linalg.svd(cross_product, compute_uv=False).sum())
    return PROCRUSTES_SCALES[scale](min(nu, 1.0))


# Canonical correlation


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
    for representation in _representations(x, y):
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
    for representation in _representations(x, y):
        vectors, values = representation.components
        cumulative = np.cumsum(values**2)
        # Compared with the computed total, so that a share of 1 keeps all and never fails.
        kept = np.searchsorted(cumulative, variance * cumulative[-1]) + 1
        bases.append(vectors[:, :kept][:, values[:kept] > 0])
    return _mean_canonical_correlation(*bases)


# Distances between samples


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

    x, y = _representations(x, y)
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
    x, y = _representations(x, y)
    return _cosine(x.squared_distances, y.squared_distances)


def _nearest_marked(squared_distances, k: int):
    from scipy.spatial.distance import squareform

    distances = squareform(squared_distances, checks=False)
    # Not by dropping the first column after sorting: with equal samples that is not the own one.
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :k]
    marked = np.zeros(distances.shape, dtype=bool)
    np.put_along_axis(marked, nearest, True, axis=1)
    return marked


def shared_neighbours(x, y, k: int = 10):
    """Count for each sample those of its k nearest others that are the same in both layers.

    Nearest by Euclidean distance; the sample itself does not count; of equally near ones the
    first in the order of the samples are taken.

    Returns:
        int64 of shape (samples,), from 0 to k. Meaningless for a constant layer.

    Raises:
        ValueError: unless 1 <= ``k`` < samples.
    """
    x, y = _representations(x, y)
    samples = len(x.activations)
    if not 1 <= k < samples:
        raise ValueError(f"number of neighbours must be from 1 to {samples - 1}, got {k}")
    return np.count_nonzero(x.neighbours(k) & y.neighbours(k), axis=1)


def _mean_over_samples(x, y, k: int, share) -> float:
    """Mean of ``share(counts)`` for the shared neighbours of each sample; NaN for a dead layer."""
    x, y = _representations(x, y)
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


# Registry


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
        shares: the function also takes two ``Representation`` objects, and is then given these.
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


def compare(x, y, labels=None, measures: Mapping[str, Measure] = MEASURES) -> dict[str, float]:
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
    x, y = _representations(*paired_arrays(x, y))
    values = {}
    for name, measure in measures.items():
        if measure.needs_labels and labels is None:
            continue
        pair = (x, y) if measure.shares else (x.activations, y.activations)
        values[name] = measure.function(*pair, *((labels,) if measure.needs_labels else ()))
    return values
