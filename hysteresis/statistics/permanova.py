"""Order, stream, or neither: how the dissimilarity of four networks a seed is divided.

With d^2 = 1 - CKA, which is half the squared Euclidean distance of the normalised Gram matrices,
the sums of squares of PERMANOVA (Anderson 2001, Austral Ecology 26:32-46) follow from the six
pairs of :mod:`hysteresis.statistics.orders`. Order and stream are crossed factors of two levels,
so of a seed's three degrees of freedom one lies between orders, one between streams, and one,
their interaction, is the residual.

Without an effect of order networks that share a stream may still be closer, but a seed's partings
{01|23} and {03|12}, both into pairs of other streams, are exchangeable. Only these two are
permuted, within seeds; the third, {02|13}, is by stream. Seeds, not pairs, are the units: pairs
share networks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from hysteresis.statistics.experiments import BOOTSTRAP_SEED
from hysteresis.statistics.orders import PAIRS, by_pair
from hysteresis.statistics.quantities import at_step, dissimilarity_names, distances
from hysteresis.statistics.seeds import Row, SeedValues, statistics_of, tidy, weighted_sum

LARGEST_EXACT = 16
_DRAWS = 100_000
_BY_ORDER, _BY_STREAM, _BY_NEITHER = ("01", "23"), ("02", "13"), ("03", "12")


@dataclass(frozen=True)
class Partition:
    """Between-order over within-order dissimilarity, sums of squares, and the permutation test.

    ``ratios`` (n,) are per seed: the mean of the pairs of opposite orders over the mean of the
    pairs of equal order, all with other streams; NaN or infinite where the latter is 0.
    ``r_squared`` and ``r_squared_stream`` are the shares of the total sum of squares between
    orders and between streams; ``pseudo_f`` is that between orders over the residual.
    """

    ratios: NDArray
    pseudo_f: float
    r_squared: float
    r_squared_stream: float
    p_value: float
    exact: bool
    permutations: int


def partition(dissimilarities: ArrayLike, seed: int = 0) -> Partition:
    """Divide ``dissimilarities`` (n seeds, 6 pairs as in ``orders.PAIRS``) and test for order.

    All 2^n relabellings up to 16 seeds; beyond that 100,000 drawn from ``default_rng(seed)``,
    with p = (1 + hits) / (1 + draws), which never understates it. p counts the relabellings with
    at least the observed pseudo-F. Raises ValueError unless the values are finite, not negative
    and of that shape.
    """
    squares = np.asarray(dissimilarities, dtype=np.float64)
    if squares.ndim != 2 or squares.shape[1] != len(PAIRS) or len(squares) == 0:
        raise ValueError(f"expected (seeds, {len(PAIRS)}) dissimilarities, got {squares.shape}")
    if not (np.isfinite(squares).all() and (squares >= 0).all()):
        raise ValueError("dissimilarities must be finite and not negative")
    total = squares.sum() / 4
    # Within groups of two: the sum of d^2 / 2. Less within is more between.
    by_order, by_stream, by_neither = (
        squares[:, [PAIRS.index(pair) for pair in pairs]].sum(axis=1) / 2
        for pairs in (_BY_ORDER, _BY_STREAM, _BY_NEITHER)
    )
    between, residual = total - by_order.sum(), total - by_neither.sum()
    sums, exact = _relabelled(by_order, by_neither, seed)
    hits = int((sums <= by_order.sum() + 1e-12 * total).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        return Partition(
            ratios=by_neither / by_order,
            pseudo_f=float(np.divide(between, residual)),
            r_squared=float(np.divide(between, total)),
            r_squared_stream=float(np.divide(total - by_stream.sum(), total)),
            p_value=hits / len(sums) if exact else (1 + hits) / (1 + len(sums)),
            exact=exact,
            permutations=len(sums),
        )


def partition_table(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Ratio and test of H_repr and of each layer's 1 - CKA at every checkpoint.

    ``tables`` are the pair tables of the six experiments in the order of ``orders.PAIRS``. The
    columns of statistics are those of the ratio over the seeds in which it is defined. Raises
    UserError when the six differ in seeds or checkpoints.
    """
    pairs = by_pair(tables, ["seed", "step"])
    rows = []
    for step in sorted(tables[0]["step"].unique()):
        found = [distances(at_step(table, step)) for table in pairs.values()]
        for quantity in dissimilarity_names(tables[0]):
            columns = [values[quantity] for values in found]
            rows.append({"step": step, "quantity": quantity, **_row(columns, step)})
    return tidy(rows).astype({"exact": "boolean", "permutations": "Int64"})


def _row(columns: Sequence[SeedValues], step: int) -> Row:
    # The sum is undefined where any of the six is, and knows of which layers.
    defined = np.isfinite(weighted_sum(columns, [1] * len(columns)).values)
    seeds, dead = columns[0].seeds, weighted_sum(columns, [1] * len(columns)).dead_layers
    if not defined.any():
        ratio = SeedValues(seeds, np.full(len(seeds), np.nan), 1.0, dead)
        return {**statistics_of(ratio, BOOTSTRAP_SEED + step), **_NO_TEST}
    # Rounding can leave a CKA of equal networks a bit above 1.
    squares = np.maximum(np.stack([column.values for column in columns], axis=1)[defined], 0)
    found = partition(squares, BOOTSTRAP_SEED + step)
    ratios = np.full(len(seeds), np.nan)
    ratios[defined] = found.ratios
    return {
        **statistics_of(SeedValues(seeds, ratios, 1.0, dead), BOOTSTRAP_SEED + step),
        "pseudo_f": found.pseudo_f,
        "r_squared": found.r_squared,
        "r_squared_stream": found.r_squared_stream,
        "permutation_p": found.p_value,
        "permutations": found.permutations,
        "exact": found.exact,
    }


_NO_TEST: Row = {
    **dict.fromkeys(("pseudo_f", "r_squared", "r_squared_stream", "permutation_p"), float("nan")),
    "permutations": pd.NA,
    "exact": pd.NA,
}


def _relabelled(by_order: NDArray, by_neither: NDArray, seed: int) -> tuple[NDArray, bool]:
    """Sums within groups over seeds, under all relabellings or so many drawn ones."""
    n = len(by_order)
    if n <= LARGEST_EXACT:
        sums = np.zeros(1)
        for one, other in zip(by_order, by_neither, strict=True):
            sums = np.concatenate([sums + one, sums + other])
        return sums, True
    swapped = np.random.default_rng(seed).integers(0, 2, size=(_DRAWS, n), dtype=bool)
    return by_order.sum() + swapped @ (by_neither - by_order), False
