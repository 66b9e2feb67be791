"""One value a seed, and its statistics as columns of a tidy table.

A value can be undefined, as the CKA of a dead layer is. Statistics are those of the seeds whose
value is defined: ``n`` counts them, and ``undefined_seeds`` names the others with their dead
layers, so that nothing is averaged over in silence.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hysteresis.pairs.columns import Row
from hysteresis.statistics.paired import (
    PairedStatistics,
    bca_interval,
    paired_statistics,
    sign_flip_test,
)

_FLOATS = (
    "mean", "median", "sd", "t_low", "t_high", "bootstrap_low", "bootstrap_high", "t_statistic",
    "t_p", "wilcoxon_statistic", "wilcoxon_p", "sign_p", "d_z", "minimum", "maximum",
    "trimmed_mean",
)  # fmt: skip
_COUNTS = ("positive", "negative", "zero")
_TYPES = {
    **dict.fromkeys(("n", *_COUNTS, "step", "step_from"), "Int64"),
    **dict.fromkeys((*_FLOATS, "bca_low", "bca_high", "sign_flip_p"), "float64"),
    "sign_flip_exact": "boolean",
}


@dataclass(frozen=True)
class SeedValues:
    """One value of each seed, in seed order: integer counts wherever the data are counts.

    ``values`` have shape (seeds,), ``factor`` brings them to the reported unit. ``dead_layers``
    names of a seed the layers that leave its value undefined (NaN).
    """

    seeds: tuple[int, ...]
    values: NDArray
    factor: float = 1.0
    dead_layers: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def defined(self) -> NDArray:
        """The values that are defined, shape (n,), of the same dtype."""
        return self.values[np.isfinite(self.values)]

    @property
    def undefined_seeds(self) -> str:
        """The other seeds, each with its dead layers: ``101 (conv2), 404 (conv2, fc1)``."""
        finite = np.isfinite(self.values)
        return ", ".join(
            self._named(seed) for seed, known in zip(self.seeds, finite, strict=True) if not known
        )

    def _named(self, seed: int) -> str:
        layers = ", ".join(self.dead_layers.get(seed, ()))
        return f"{seed} ({layers})" if layers else str(seed)


def weighted_sum(
    parts: Sequence[SeedValues], weights: Sequence[int], divisor: int = 1
) -> SeedValues:
    """Seed by seed sum(weight * part) / ``divisor``; of counts the sum stays whole, hence exact.

    Parts of weight 0 take no part, also where they are undefined. All have the same seeds and unit.
    """
    used = [(part, weight) for part, weight in zip(parts, weights, strict=True) if weight]
    (seeds,) = {part.seeds for part, _ in used}
    (factor,) = {part.factor for part, _ in used}
    dead = {
        seed: tuple(
            dict.fromkeys(layer for part, _ in used for layer in part.dead_layers.get(seed, ()))
        )
        for seed in seeds
    }
    values = sum(weight * part.values for part, weight in used)
    return SeedValues(seeds, values, factor / divisor, dead)


def statistics_of(values: SeedValues, bootstrap_seed: int) -> Row:
    """Paired statistics of the defined values in the reported unit, and who is left out."""
    defined = values.defined
    found = paired_statistics(defined, bootstrap_seed) if defined.size else None
    scaled = found.scaled(values.factor) if found else None
    return {**statistics_columns(scaled), "undefined_seeds": values.undefined_seeds}


def tested_statistics_of(values: SeedValues, bootstrap_seed: int) -> Row:
    """The same with the BCa interval and the sign-flip test of the mean."""
    row = statistics_of(values, bootstrap_seed)
    defined = values.defined
    if not defined.size:
        undefined = {"sign_flip_p": np.nan, "sign_flip_exact": pd.NA}
        return {**row, **bca_columns(values, bootstrap_seed), **undefined}
    flips = sign_flip_test(defined, bootstrap_seed)
    return {
        **row,
        **bca_columns(values, bootstrap_seed),
        "sign_flip_p": flips.p_value,
        "sign_flip_exact": flips.exact,
    }


def bca_columns(values: SeedValues, bootstrap_seed: int) -> Row:
    """The BCa interval of the defined values in the reported unit; NaN where there are none."""
    if not values.defined.size:
        return {"bca_low": np.nan, "bca_high": np.nan}
    interval = bca_interval(values.defined, bootstrap_seed).scaled(values.factor)
    return {"bca_low": interval.low, "bca_high": interval.high}


def statistics_columns(found: PairedStatistics | None) -> Row:
    """One row's statistics, named for people; without any value ``n`` is 0 and the rest NaN."""
    if found is None:
        return {"n": 0, **dict.fromkeys(_FLOATS, np.nan), **dict.fromkeys(_COUNTS, pd.NA)}
    return {
        "n": found.n,
        "mean": found.mean,
        "median": found.median,
        "sd": found.sd,
        "t_low": found.t_interval.low,
        "t_high": found.t_interval.high,
        "bootstrap_low": found.bootstrap_interval.low,
        "bootstrap_high": found.bootstrap_interval.high,
        "t_statistic": found.t_statistic,
        "t_p": found.t_p,
        "wilcoxon_statistic": found.wilcoxon_statistic,
        "wilcoxon_p": found.wilcoxon_p,
        "positive": found.sign.positive,
        "negative": found.sign.negative,
        "zero": found.sign.zero,
        "sign_p": found.sign.p_value,
        "d_z": found.d_z,
        "minimum": found.minimum,
        "maximum": found.maximum,
        "trimmed_mean": found.trimmed_mean,
    }


def tidy(rows: Iterable[Row]) -> pd.DataFrame:
    """Rows as a table whose columns of statistics have one dtype, whatever is undefined."""
    table = pd.DataFrame(rows)
    return table.astype({name: kind for name, kind in _TYPES.items() if name in table})


def listed(seeds: Iterable[int]) -> str:
    """Seeds as text: ``101, 202``."""
    return ", ".join(str(seed) for seed in seeds)
