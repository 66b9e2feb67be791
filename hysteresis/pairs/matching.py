"""Exact behavioural matching on integer counts of correct predictions.

Source: arXiv 2609.37836, section "Behavioral matching".
"""

import operator
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Correct counts divided by a total and stored as float32 are off by less than this.
_FLOAT32_NOISE = 2.0**-23


def counts_from_fractions(fractions: ArrayLike, total: int) -> NDArray[np.int64]:
    """Integer counts behind accuracies (or their signed differences) stored as fractions.

    ``fractions``: any shape, stored with float32 precision or better; ``total``: the number of
    images behind each. Raises ValueError where a value is further from a multiple of 1/total
    than float32 storage explains, so that a wrong total does not pass.
    """
    fractions = np.asarray(fractions, dtype=np.float64)
    total = _as_count(total, "total")
    counts = np.rint(fractions * total)
    off = np.abs(counts / total - fractions)
    if not np.all(off <= _FLOAT32_NOISE):
        raise ValueError(f"not multiples of 1/{total}: off by up to {off.max():.3g}")
    return counts.astype(np.int64)


def behavioral_match(
    correct_first: int,
    correct_second: int,
    total: int,
    max_gap: str | Fraction,
    min_accuracy: str | Fraction,
) -> bool:
    """Whether two networks behave alike: small accuracy gap, and both accurate enough.

    The counts are correct predictions among ``total`` test images. ``max_gap`` and
    ``min_accuracy`` are fractions of 1, given as decimal strings ("0.002", "0.97") or Fraction;
    both bounds are inclusive and compared in integers: 0.9875 - 0.9855 exceeds 0.002 in binary
    floating point. Raises ValueError on counts outside 0..total, non-integers, or thresholds
    that are floats or outside 0..1.
    Source: arXiv 2609.37836, section "Behavioral matching".
    """
    total = _as_count(total, "total")
    first = _as_count(correct_first, "correct_first")
    second = _as_count(correct_second, "correct_second")
    if total == 0 or max(first, second) > total:
        raise ValueError(f"{max(first, second)} correct predictions among {total} images")
    gap, floor = _as_threshold(max_gap, "max_gap"), _as_threshold(min_accuracy, "min_accuracy")
    close = abs(first - second) * gap.denominator <= gap.numerator * total
    accurate = min(first, second) * floor.denominator >= floor.numerator * total
    return close and accurate


def _as_count(value: int, name: str) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be an integer, not {value!r}") from None
    if count < 0:
        raise ValueError(f"{name} must not be negative: {count}")
    return count


def _as_threshold(value: str | Fraction, name: str) -> Fraction:
    # A float is refused rather than converted: 0.002 is not 2/1000 in binary.
    try:
        threshold = Fraction(value) if isinstance(value, str | Fraction) else None
    except (ValueError, ZeroDivisionError):
        threshold = None
    if threshold is None or not 0 <= threshold <= 1:
        raise ValueError(
            f'{name} must be a decimal string such as "0.002" between 0 and 1, not {value!r}'
        )
    return threshold
