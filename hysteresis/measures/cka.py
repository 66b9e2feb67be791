"""Centred kernel alignment: debiased, within classes, and without dominant components."""

import numpy as np

from hysteresis.measures.activations import NAN, Activations, paired_activations
from hysteresis.pairs.similarity import centre, linear_cka, paired_arrays


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
    x, y = (representation.centred for representation in paired_activations(x, y))
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
    x, y = paired_activations(x, y)
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
    for representation in paired_activations(x, y):
        vectors, values = representation.components
        remainders.append(vectors * np.where(np.arange(len(values)) < count, 0.0, values))
    return linear_cka(*remainders)


def first_component_share(x, squared: bool = False) -> float:
    """Share of the variance that lies in the first principal component of one layer.

    Not a similarity, but the context in which to read one.

    Args:
        x: activations, shape (samples, units), or a ``Activations``.
        squared: take the squared variances of the components, whose sum is the ||X'X||_F^2 by
            which CKA is normalised.

    Returns:
        A number from 1 / min(samples - 1, units) to 1; NaN for a constant layer.
    """
    representation = x if isinstance(x, Activations) else Activations(x)
    variances = representation.components[1] ** (4 if squared else 2)
    return float(variances[0] / variances.sum()) if variances[0] > 0 else NAN
