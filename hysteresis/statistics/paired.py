"""Paired statistics over seeds.

The unit of every statistic is the model seed: one number a seed, most often the difference
between the two histories of one pair. Nothing here rounds, prints or reads files.

Accuracies are counts of correct predictions. Pass differences of counts (integers) wherever the
data allow it, so that ties are ties, and bring the result to another unit afterwards with
``PairedStatistics.scaled``; a difference of rounded fractions splits ties at random.

Source: arXiv 2609.37836, section "Multi-seed aggregation and uncertainty", with the details
of its public record.
"""

import math
import warnings
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import scipy  # loads its modules at first use: reading a constant waits for none of them
from numpy.typing import ArrayLike, NDArray

DEFAULT_RESAMPLES = 10_000
LARGEST_EXACT_SIGN_FLIP = 20
_FLIPS_AT_ONCE = 10_000


class Interval(NamedTuple):
    """Lower and upper end of an interval, in the unit of the values it was made from."""

    low: float
    high: float

    def scaled(self, factor: float) -> "Interval":
        """Both ends times ``factor``; a negative factor swaps them."""
        ends = (self.low * factor, self.high * factor)
        return Interval(*(ends if factor >= 0 else ends[::-1]))


UNDEFINED_INTERVAL = Interval(np.nan, np.nan)


@dataclass(frozen=True)
class SignTest:
    """Exact two-sided sign test; zero differences are counted but take no part in the test."""

    positive: int
    negative: int
    zero: int
    p_value: float


@dataclass(frozen=True)
class SignFlipTest:
    """Two-sided sign-flip test of the mean; ``flips`` is how many sign patterns were compared."""

    n: int
    mean: float
    p_value: float
    exact: bool
    flips: int


@dataclass(frozen=True)
class EquivalenceTest:
    """Two one-sided t tests against -margin and +margin, in the unit of the values.

    ``interval`` is the t interval of level 1 - 2 alpha. ``equivalent`` says that both p values
    lie below alpha; it is False where they are undefined (NaN).
    """

    n: int
    mean: float
    margin: float
    alpha: float
    t_lower: float
    p_lower: float
    t_upper: float
    p_upper: float
    interval: Interval
    equivalent: bool


@dataclass(frozen=True)
class PairedStatistics:
    """Everything reported about one array of paired differences.

    ``mean``, ``median``, ``sd`` (ddof 1), ``minimum``, ``maximum``, ``trimmed_mean`` (10% cut
    from each end) and the intervals carry the unit of the differences; the rest has none.
    Undefined values are NaN: with one difference ``sd``, both intervals, ``t_statistic``,
    ``t_p`` and ``d_z``; with equal differences ``t_statistic``, ``t_p`` and ``d_z``, while both
    intervals shrink to the mean.
    """

    n: int
    mean: float
    median: float
    sd: float
    t_interval: Interval
    bootstrap_interval: Interval
    t_statistic: float
    t_p: float
    wilcoxon_statistic: float
    wilcoxon_p: float
    sign: SignTest
    d_z: float
    minimum: float
    maximum: float
    trimmed_mean: float

    def scaled(self, factor: float) -> "PairedStatistics":
        """The same statistics in another unit: ``factor`` > 0 new units to one old unit.

        Differences of correct counts among 2,000 images become percentage points with
        ``scaled(100 / 2000)``. Tests and effect size do not change with the unit.
        """
        if not factor > 0:
            raise ValueError(f"the factor between two units must be positive, not {factor}")
        with_unit = ("mean", "median", "sd", "minimum", "maximum", "trimmed_mean")
        changed = {name: getattr(self, name) * factor for name in with_unit}
        return replace(
            self,
            **changed,
            t_interval=self.t_interval.scaled(factor),
            bootstrap_interval=self.bootstrap_interval.scaled(factor),
        )


# ---- intervals of a mean ---------------------------------------------------------------------


def bootstrap_interval(
    values: ArrayLike, seed: int, resamples: int = DEFAULT_RESAMPLES, level: float = 0.95
) -> Interval:
    """Percentile bootstrap interval of the mean; it covers too little below some 20 values.

    ``values``: shape (n,), finite, in seed order (the order decides which digits come out).
    Exactly as in the record of arXiv 2609.37836: ``default_rng(seed)`` draws all indices in one
    call of shape (resamples, n). NaN for n = 1: one seed says nothing about spread.
    Raises ValueError on empty, non-finite or non-numeric input, resamples < 1, or a level
    outside (0, 1).
    """
    values = _as_values(values)
    tails = _tails(level)
    _check_resamples(resamples)
    n = values.size
    if n == 1:
        return UNDEFINED_INTERVAL
    generator = np.random.default_rng(seed)
    means = values[generator.integers(0, n, size=(resamples, n))].mean(axis=1)
    low, high = np.quantile(means, tails)
    return Interval(float(low), float(high))


def bca_interval(
    values: ArrayLike, seed: int, resamples: int = DEFAULT_RESAMPLES, level: float = 0.95
) -> Interval:
    """Bias-corrected and accelerated bootstrap interval of the mean (Efron 1987), by scipy.

    ``values``: shape (n,), finite. Not used by the paper; it corrects the percentile interval
    for skewness, which takes many values: at few seeds it covers as little as the percentile
    interval (70% at 3 normal values, 85% at 5; see docs/statistics.md), and the t interval is the
    one to read. NaN for n = 1 and for equal values, where the correction is undefined. Raises
    ValueError as :func:`bootstrap_interval` does.
    """
    values = _as_values(values)
    _tails(level)
    _check_resamples(resamples)
    if np.ptp(values) == 0:
        return UNDEFINED_INTERVAL
    with warnings.catch_warnings():
        # Very few resamples can leave the correction undefined; the NaN says so.
        warnings.simplefilter("ignore")
        interval = scipy.stats.bootstrap(
            (values,),
            np.mean,
            n_resamples=resamples,
            confidence_level=level,
            method="BCa",
            rng=np.random.default_rng(seed),
        ).confidence_interval
    return Interval(float(interval.low), float(interval.high))


def t_interval(values: ArrayLike, level: float = 0.95) -> Interval:
    """Student t interval of the mean: of normal values it covers what it says at any n > 1.

    ``values``: shape (n,), finite. NaN for n = 1; shrinks to the mean for equal values.
    Raises ValueError on bad values or a level outside (0, 1).
    """
    values = _as_values(values)
    _, upper_tail = _tails(level)
    if values.size == 1:
        return UNDEFINED_INTERVAL
    mean, error = _mean_and_standard_error(values)
    half = float(scipy.stats.t.ppf(upper_tail, values.size - 1)) * error
    return Interval(mean - half, mean + half)


# ---- tests of paired differences -------------------------------------------------------------


def paired_statistics(
    differences: ArrayLike, seed: int, resamples: int = DEFAULT_RESAMPLES, level: float = 0.95
) -> PairedStatistics:
    """All statistics of one array of paired differences, one difference a model seed.

    ``differences``: shape (n,), finite, integer or floating, in seed order; ``seed`` is that of
    the bootstrap. Integers are used as they are, so ties and zeros are exact.
    Raises ValueError as :func:`bootstrap_interval` does.
    Source: arXiv 2609.37836, section "Multi-seed aggregation and uncertainty".
    """
    values = _as_values(differences)
    mean, sd = _mean_and_sd(values)
    t_statistic, t_p = _t_test(values)
    wilcoxon_statistic, wilcoxon_p = wilcoxon_test(values)
    return PairedStatistics(
        n=values.size,
        mean=mean,
        median=float(np.median(values)),
        sd=sd,
        t_interval=t_interval(values, level),
        bootstrap_interval=bootstrap_interval(values, seed, resamples, level),
        t_statistic=t_statistic,
        t_p=t_p,
        wilcoxon_statistic=wilcoxon_statistic,
        wilcoxon_p=wilcoxon_p,
        sign=sign_test(values),
        d_z=mean / sd if sd > 0 else np.nan,
        minimum=float(values.min()),
        maximum=float(values.max()),
        trimmed_mean=float(scipy.stats.trim_mean(values, 0.1)),
    )


def wilcoxon_test(differences: ArrayLike) -> tuple[float, float]:
    """Wilcoxon signed-rank statistic (the smaller rank sum) and two-sided p, scipy's defaults.

    Zeros are dropped before ranking. Only zeros: statistic 0 and p 1, since nothing speaks for
    a difference (the record does the same). Ties are ties of value: pass integer counts. With ties
    or zeros p is a normal approximation from 14 values on, else it is exact.
    """
    values = _as_values(differences)
    if not values.any():
        return 0.0, 1.0
    result = scipy.stats.wilcoxon(values)
    return float(result.statistic), float(result.pvalue)


def sign_test(differences: ArrayLike) -> SignTest:
    """Exact two-sided sign test without zeros: p is 1 where every difference is zero."""
    values = _as_values(differences)
    positive, negative = int((values > 0).sum()), int((values < 0).sum())
    informative = positive + negative
    # Under the null the count is symmetric, so both tails together are twice the smaller one.
    tail = scipy.stats.binom.cdf(min(positive, negative), informative, 0.5) if informative else 1.0
    return SignTest(positive, negative, values.size - informative, min(1.0, 2.0 * float(tail)))


def sign_flip_test(differences: ArrayLike, seed: int = 0, resamples: int = 100_000) -> SignFlipTest:
    """Two-sided sign-flip (permutation) test that the differences are symmetric about zero.

    The p value is the share of sign patterns whose mean is at least as far from zero as the
    observed one. Up to 20 non-zero differences all 2^n patterns are compared, so p is exact and
    at least 2^(1-n); beyond, ``resamples`` patterns are drawn from ``default_rng(seed)`` and
    p = (1 + hits) / (1 + resamples), which never understates it (Phipson and Smyth 2010). Zero
    differences cannot change a sum and are left out of the patterns; only zeros give p = 1.
    Integers are compared exactly; floating sums within rounding error count as equal.
    """
    values = _as_values(differences)
    _check_resamples(resamples)
    moving = values[values != 0]
    mean = float(values.mean())
    if moving.size <= LARGEST_EXACT_SIGN_FLIP:
        sums = _all_signed_sums(moving)
        p_value = float(_at_least_as_far(sums, moving).mean())
        return SignFlipTest(values.size, mean, p_value, True, 2**moving.size)
    hits = _sampled_hits(moving, np.random.default_rng(seed), resamples)
    return SignFlipTest(values.size, mean, (1 + hits) / (1 + resamples), False, resamples)


def equivalence_test(values: ArrayLike, margin: float, alpha: float = 0.05) -> EquivalenceTest:
    """Two one-sided t tests (TOST) that the mean lies within -margin and +margin.

    ``values``: shape (n,), finite; ``margin`` > 0 in their unit (0.5 points are 10 of 2,000
    images). ``p_lower`` is for a mean at or below -margin, ``p_upper`` for one at or above
    +margin; the interval has level 1 - 2 alpha. For n = 1 or equal values t and p are NaN.
    Raises ValueError on bad values, a margin that is not positive, or alpha outside (0, 0.5).
    Source: arXiv 2609.37836, section "Frozen linear probes".
    """
    values = _as_values(values)
    if not (np.isfinite(margin) and margin > 0):
        raise ValueError(f"the equivalence margin must be positive and finite, not {margin}")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must lie between 0 and 0.5, not {alpha}")
    mean, _ = _mean_and_sd(values)
    t_lower, t_upper = _t_statistic(values, -margin), _t_statistic(values, margin)
    p_lower = float(scipy.stats.t.sf(t_lower, values.size - 1))
    p_upper = float(scipy.stats.t.cdf(t_upper, values.size - 1))
    return EquivalenceTest(
        n=values.size,
        mean=mean,
        margin=float(margin),
        alpha=alpha,
        t_lower=t_lower,
        p_lower=p_lower,
        t_upper=t_upper,
        p_upper=p_upper,
        interval=t_interval(values, 1 - 2 * alpha),
        equivalent=p_lower < alpha and p_upper < alpha,
    )


# ---- helpers ---------------------------------------------------------------------------------


def _as_values(values: ArrayLike) -> NDArray:
    """One-dimensional finite int64 or float64 array; integers stay integers."""
    values = np.asarray(values)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"expected one value a seed, got an array of shape {values.shape}")
    if values.dtype.kind in "iu":
        # Unsigned differences would wrap around when a sign is flipped.
        return values.astype(np.int64)
    if values.dtype.kind != "f":
        raise ValueError(f"expected numbers, got dtype {values.dtype}")
    if not np.isfinite(values).all():
        raise ValueError(f"{int((~np.isfinite(values)).sum())} of {values.size} values not finite")
    return values.astype(np.float64)


def _tails(level: float) -> tuple[float, float]:
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval must lie between 0 and 1, not {level}")
    # In binary (1 - 0.95) / 2 is not the 0.025 that was meant.
    tail = round((1 - level) / 2, 12)
    return tail, 1 - tail


def _check_resamples(resamples: int) -> None:
    if resamples < 1:
        raise ValueError(f"at least one resample is needed, not {resamples}")


def _mean_and_sd(values: NDArray) -> tuple[float, float]:
    if values.size == 1:
        return float(values[0]), np.nan
    if np.ptp(values) == 0:
        # Rounding in the mean would leave a spurious spread and an enormous t.
        return float(values[0]), 0.0
    return float(values.mean()), float(values.std(ddof=1))


def _mean_and_standard_error(values: NDArray) -> tuple[float, float]:
    mean, sd = _mean_and_sd(values)
    return mean, sd / math.sqrt(values.size)


def _t_statistic(values: NDArray, null_mean: float) -> float:
    mean, error = _mean_and_standard_error(values)
    return float((mean - null_mean) / error) if error > 0 else np.nan


def _t_test(values: NDArray) -> tuple[float, float]:
    t_statistic = _t_statistic(values, 0.0)
    return t_statistic, 2.0 * float(scipy.stats.t.sf(abs(t_statistic), values.size - 1))


def _all_signed_sums(values: NDArray) -> NDArray:
    """Sums under all sign patterns that keep the first sign; the others mirror them."""
    sums = values[:1] if values.size else np.zeros(1, dtype=np.int64)
    for value in values[1:]:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _at_least_as_far(sums: NDArray, values: NDArray) -> NDArray[np.bool_]:
    exact = values.dtype.kind == "i"
    slack = 0 if exact else 1e-12 * np.abs(values).sum()
    return np.abs(sums) >= np.abs(values.sum()) - slack


def _sampled_hits(values: NDArray, generator: np.random.Generator, resamples: int) -> int:
    hits = 0
    for start in range(0, resamples, _FLIPS_AT_ONCE):
        rows = min(_FLIPS_AT_ONCE, resamples - start)
        signs = 2 * generator.integers(0, 2, size=(rows, values.size)) - 1
        hits += int(_at_least_as_far(signs @ values, values).sum())
    return hits
