"""Pearson's correlation of two measurements of the same seeds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from hysteresis.statistics.paired import UNDEFINED_INTERVAL, Interval

_FEWEST_FOR_INTERVAL = 4  # Fisher's interval has n - 3 in a denominator


@dataclass(frozen=True)
class Correlation:
    """Pearson's r of ``n`` pairs, its 95% interval by Fisher's transform, and two-sided p."""

    n: int
    r: float = np.nan
    interval: Interval = UNDEFINED_INTERVAL
    p_value: float = np.nan


def pearson(first: ArrayLike, second: ArrayLike) -> Correlation:
    """Correlation of two arrays of shape (n,), finite.

    Undefined (NaN) below three pairs and for constant values; below four there is no interval.
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    n = len(first)
    if n < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return Correlation(n)
    result = stats.pearsonr(first, second)
    interval = UNDEFINED_INTERVAL
    if n >= _FEWEST_FOR_INTERVAL:
        ends = result.confidence_interval(0.95)
        interval = Interval(float(ends.low), float(ends.high))
    return Correlation(n, float(result.statistic), interval, float(result.pvalue))
