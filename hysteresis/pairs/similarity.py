"""Linear centred kernel alignment (CKA) and the representational hysteresis built on it.

These are the two numbers that the main results rest on. Further measures of similarity are in
``hysteresis.measures.registry``.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def paired_arrays(x: ArrayLike, y: ArrayLike) -> tuple[NDArray, NDArray]:
    """Return ``x`` and ``y`` as float64 arrays after checking that they can be compared.

    Args:
        x: activations of one network, shape (samples, units), any real dtype.
        y: activations of the other network on the same samples in the same order; the number of
            units may differ.

    Raises:
        ValueError: unless both are finite, have two axes, the same number of rows (at least two)
            and at least one column. The message is one line and gives both shapes.
    """
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 2 or y.ndim != 2:
        fault = "activations must have two axes, samples and units"
    elif len(x) != len(y):
        fault = "activations must be of the same samples"
    elif len(x) < 2 or 0 in x.shape + y.shape:
        fault = "activations must have at least two samples and one unit"
    elif not (np.isfinite(x).all() and np.isfinite(y).all()):
        fault = "activations must be finite"
    else:
        return x, y
    raise ValueError(f"{fault}: got shapes {x.shape} and {y.shape}")


def centre(x: NDArray) -> NDArray:
    """Subtract its mean from each column of a float64 array of shape (samples, units)."""
    centred = x - x.mean(axis=0)
    # The computed mean of equal numbers can be off in its last bit. Without this line a dead unit
    # would carry that rounding error, and a dead layer would be compared by it.
    centred[:, (x == x[0]).all(axis=0)] = 0.0
    return centred


def linear_cka(x: ArrayLike, y: ArrayLike) -> float:
    """Linear CKA, ||X'Y||_F^2 / (||X'X||_F ||Y'Y||_F) with centred columns, in float64.

    Unchanged by a rotation of the units, by one scale factor for all units and by a shift of each
    unit; not by a general linear map. This is the plain (biased) estimate: unrelated
    representations of few samples score above 0, about p / (n + p) for n samples of p independent
    Gaussian units. ``hysteresis.measures.registry.debiased_linear_cka`` corrects for that.

    Args:
        x: activations of one network, shape (samples, units), any real dtype.
        y: activations of the other network on the same samples in the same order.

    Returns:
        A number from 0 to 1 (up to rounding), exactly 1 for identical representations. NaN if
        either layer is constant over the samples (a dead layer): its similarity is undefined.

    Raises:
        ValueError: if the arrays cannot be compared, see ``paired_arrays``.

    Source: Kornblith, Norouzi, Lee and Hinton, "Similarity of Neural Network Representations
    Revisited", ICML 2019, arXiv:1905.00414.
    """
    x, y = (_of_unit_size(centre(activations)) for activations in paired_arrays(x, y))
    # numpy multiplies an array with its own transpose by another algorithm, with another rounding.
    # With copies, and one square root of the product, identical inputs give exactly 1.
    within = _squared_norm(x.T @ x.copy()) * _squared_norm(y.T @ y.copy())
    return _squared_norm(x.T @ y) / math.sqrt(within) if within > 0 else float("nan")


def _of_unit_size(x: NDArray) -> NDArray:
    """``x`` times a power of two, so that fourth powers neither overflow nor vanish.

    That is exact: every later product and sum has the same digits, and CKA the same bits.
    """
    return np.ldexp(x, -np.frexp(np.abs(x).max())[1])


def _squared_norm(matrix: NDArray) -> float:
    return float(np.square(matrix).sum())


def representational_hysteresis(ckas: Sequence[float]) -> float:
    """Representational hysteresis, H_repr: 1 minus the mean of the CKA of the layers that enter it.

    Which these are, the network's architecture declares (``hysteresis.training.layers``). 0 if each
    layer is identical in the two networks, 1 if each is unrelated; NaN if one CKA is NaN. Raises
    ZeroDivisionError without any layer.
    """
    return 1 - math.fsum(ckas) / len(ckas)
