"""Within or between: do two shufflings of one order lie closer than two orders?

Per seed there are four networks, two shufflings of each order, and six pairs of them. With
d^2 = 1 - CKA, which is half the squared Euclidean distance of the normalised Gram matrices, the
sums of squares of PERMANOVA (Anderson 2001, Austral Ecology 26:32-46) follow. Labels of order are
permuted within seeds only, and seeds, not pairs, are the units: pairs share networks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from hysteresis.errors import UserError
from hysteresis.statistics.experiments import BOOTSTRAP_SEED, at_step, statistics_columns
from hysteresis.statistics.paired import paired_statistics

LARGEST_EXACT = 10
_DRAWS = 100_000
# The three ways to part networks 0-3 into twos, as the positions of the two pairs within a group
# among the six pairs 01, 02, 03, 12, 13, 23. The first is by order: {0, 1} and {2, 3}.
PAIRS = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))
_WITHIN = ((0, 5), (1, 4), (2, 3))


@dataclass(frozen=True)
class Partition:
    """Ratio of between-order to within-order dissimilarity over seeds, and the permutation test.

    ``ratios`` (n,) are per seed: mean of the four between-order pairs over mean of the two within.
    ``r_squared`` is the share of the total sum of squares that lies between orders.
    """

    ratios: NDArray
    pseudo_f: float
    r_squared: float
    p_value: float
    exact: bool
    permutations: int


def partition(dissimilarities: ArrayLike, seed: int = 0) -> Partition:
    """PERMANOVA of the order label on ``dissimilarities`` (n seeds, 6 pairs as in ``PAIRS``).

    Networks 0 and 1 have one order, 2 and 3 the other. All 3^n relabellings up to ten seeds,
    beyond that 100,000 drawn ones; p counts those with at least the observed pseudo-F.
    Raises ValueError unless the values are finite, non-negative and of that shape.
    """
    squares = np.asarray(dissimilarities, dtype=np.float64)
    if squares.ndim != 2 or squares.shape[1] != len(PAIRS) or len(squares) == 0:
        raise ValueError(f"expected (seeds, {len(PAIRS)}) dissimilarities, got {squares.shape}")
    if not (np.isfinite(squares).all() and (squares >= 0).all()):
        raise ValueError("dissimilarities must be finite and not negative")
    # Sum of squares within groups of two, per seed and way of parting: sum of d^2 / 2.
    within = np.stack([squares[:, list(pairs)].sum(axis=1) / 2 for pairs in _WITHIN], axis=1)
    total = squares.sum() / 4
    sums, exact = _relabelled(within, seed)
    observed = within[:, 0].sum()
    hits = int((sums <= observed + 1e-12 * total).sum())  # less within is more between
    n = len(squares)
    between = total - observed
    return Partition(
        ratios=_ratios(squares),
        # One degree of freedom a seed between its two orders, two within its two pairs.
        pseudo_f=float((between / n) / (observed / (2 * n))) if observed > 0 else float("inf"),
        r_squared=float(between / total) if total > 0 else float("nan"),
        p_value=hits / len(sums) if exact else (1 + hits) / (1 + len(sums)),
        exact=exact,
        permutations=len(sums),
    )


def partition_table(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Ratio and test of H_repr and of each layer's 1 - CKA at every checkpoint.

    ``tables`` are the pair tables of the six experiments in the order of ``PAIRS``. The columns
    of statistics are those of the ratio over seeds.
    """
    seeds = [list(dict.fromkeys(table["seed"])) for table in tables]
    if any(others != seeds[0] for others in seeds):
        raise UserError("partition: the six experiments must have the same seeds in the same order")
    steps = sorted(set.intersection(*(set(table["step"]) for table in tables)))
    rows = []
    for step in steps:
        at = [at_step(table, step) for table in tables]
        for quantity in ("h_repr", "cka_conv1", "cka_conv2", "cka_fc1", "cka_logits"):
            columns = [table[quantity].to_numpy() for table in at]
            dissimilarities = np.stack(columns, axis=1)
            if quantity != "h_repr":
                # Rounding can leave a CKA of equal networks a bit above 1.
                dissimilarities = np.maximum(1 - dissimilarities, 0)
            rows.append({"step": step, "quantity": quantity, **_row(dissimilarities, step)})
    return pd.DataFrame(rows)


def _row(dissimilarities: NDArray, step: int) -> dict[str, object]:
    found = partition(dissimilarities, BOOTSTRAP_SEED + step)
    defined = bool(np.isfinite(found.ratios).all())
    ratio = paired_statistics(found.ratios, BOOTSTRAP_SEED + step) if defined else None
    return {
        **statistics_columns(ratio, len(found.ratios)),
        "pseudo_f": found.pseudo_f,
        "r_squared": found.r_squared,
        "permutation_p": found.p_value,
        "permutations": found.permutations,
        "exact": found.exact,
    }


def _relabelled(within: NDArray, seed: int) -> tuple[NDArray, bool]:
    n = len(within)
    if n <= LARGEST_EXACT:
        choices = np.array(list(product(range(3), repeat=n)))
        return within[np.arange(n), choices].sum(axis=1), True
    choices = np.random.default_rng(seed).integers(0, 3, size=(_DRAWS, n))
    return within[np.arange(n), choices].sum(axis=1), False


def _ratios(squares: NDArray) -> NDArray:
    within = squares[:, list(_WITHIN[0])].mean(axis=1)
    between = squares[:, [1, 2, 3, 4]].mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return between / within
