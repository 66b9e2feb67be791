"""The noise floor under H_repr: what is left of an order effect when chance is taken away.

Every quantity of every pair, and the contrasts of :mod:`hysteresis.statistics.orders`, at three
kinds of endpoints: each ``checkpoint``; ``matched``, each pair of each seed at its own first
behavioural match; and ``matched_with_observed``, all pairs of a seed at the first match of its
observed pair.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from hysteresis.statistics.experiments import BOOTSTRAP_SEED
from hysteresis.statistics.orders import (
    CONTRASTS,
    CROSSED_EXCESS,
    OBSERVED,
    ROLES,
    OrderContrast,
    by_pair,
)
from hysteresis.statistics.quantities import (
    at_step,
    distance_names,
    distances,
    matched_endpoints,
)
from hysteresis.statistics.seeds import (
    Row,
    SeedValues,
    listed,
    statistics_of,
    tested_statistics_of,
    tidy,
)

CONTRAST, NULL_PAIR = "contrast", "null pair"
CHECKPOINT, MATCHED, MATCHED_WITH_OBSERVED = "checkpoint", "matched", "matched_with_observed"
EXCESS = CROSSED_EXCESS.name


def summarise_controls(
    six: Sequence[pd.DataFrame], nulls: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Levels of every pair and the contrasts of the six pairs, as one tidy table.

    ``six`` are the pair tables (a row a seed and checkpoint) of the six experiments in the order
    of ``orders.PAIRS``. A row of the result is one quantity of one ``experiment`` (or contrast) at
    one ``endpoint``; ``role`` is observed, floor, crossed, null pair or contrast. Raises UserError
    when the six differ in seeds or checkpoints.
    """
    pairs = by_pair(six, ["seed", "step"])
    rows: list[Row] = []
    for pair, table in pairs.items():
        rows += _levels(table, ROLES[pair], pair)
    for table in nulls.values():
        rows += _levels(table, NULL_PAIR, "")
    for contrast in CONTRASTS:
        rows += _contrast(contrast, pairs)
    return tidy(rows)


def contrast_at_step(
    contrast: OrderContrast, pairs: Mapping[str, pd.DataFrame], step: int
) -> dict[str, SeedValues]:
    """The contrast of every quantity at one checkpoint."""
    return _contrasted(contrast, {pair: at_step(pairs[pair], step) for pair in contrast.weights})


# ---- endpoints -------------------------------------------------------------------------------


def at_own_match(pairs: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Each pair at its own first match, of the seeds of which every pair matches."""
    matched = {pair: matched_endpoints(table) for pair, table in pairs.items()}
    everywhere = set.intersection(*(set(table["seed"]) for table in matched.values()))
    return {pair: table[table["seed"].isin(everywhere)] for pair, table in matched.items()}


def at_match_of(
    observed: pd.DataFrame, pairs: Mapping[str, pd.DataFrame]
) -> dict[str, pd.DataFrame]:
    """Every pair of each seed at the first match of the seed's ``observed`` pair."""
    places = matched_endpoints(observed)[["seed", "step"]]
    return {pair: places.merge(table, on=["seed", "step"]) for pair, table in pairs.items()}


# ---- rows ------------------------------------------------------------------------------------


def _levels(table: pd.DataFrame, role: str, pair: str) -> Iterator[Row]:
    place = {"experiment": str(table["experiment"].iloc[0]), "role": role, "pair": pair}
    for step in sorted(table["step"].unique()):
        at = {"endpoint": CHECKPOINT, "step": step}
        yield from _rows(place | at, distances(at_step(table, step)), BOOTSTRAP_SEED + step)
    matched = matched_endpoints(table)
    at = {"endpoint": MATCHED, "unmatched_seeds": _others(table, matched)}
    yield from _rows(place | at, _distances_or_none(matched), BOOTSTRAP_SEED)


def _contrast(contrast: OrderContrast, pairs: Mapping[str, pd.DataFrame]) -> Iterator[Row]:
    observed = pairs[OBSERVED]
    used = {pair: pairs[pair] for pair in contrast.weights}
    place = {"experiment": contrast.name, "role": CONTRAST, "pair": ""}
    for step in sorted(observed["step"].unique()):
        at = {"endpoint": CHECKPOINT, "step": step}
        values = contrast_at_step(contrast, pairs, step)
        yield from _rows(place | at, values, BOOTSTRAP_SEED + step)
    for endpoint, tables in (
        (MATCHED, at_own_match(used)),
        (MATCHED_WITH_OBSERVED, at_match_of(observed, used)),
    ):
        some = next(iter(tables.values()))
        at = {"endpoint": endpoint, "unmatched_seeds": _others(observed, some)}
        yield from _rows(place | at, _contrasted(contrast, tables), BOOTSTRAP_SEED)


def _contrasted(
    contrast: OrderContrast, tables: Mapping[str, pd.DataFrame]
) -> dict[str, SeedValues]:
    found = {pair: _distances_or_none(table) for pair, table in tables.items()}
    return {
        name: contrast.of({pair: values[name] for pair, values in found.items()})
        for name in next(iter(found.values()))
    }


def _distances_or_none(table: pd.DataFrame) -> dict[str, SeedValues]:
    if table.empty:
        return dict.fromkeys(distance_names(table), SeedValues((), np.empty(0)))
    return distances(table)


def _rows(place: Row, named: Mapping[str, SeedValues], bootstrap_seed: int) -> Iterator[Row]:
    defaults = {"step": None, "unmatched_seeds": ""}
    # A level is never negative: testing it against 0 would say nothing.
    statistics_of_role = tested_statistics_of if place["role"] == CONTRAST else statistics_of
    for quantity, values in named.items():
        statistics = statistics_of_role(values, bootstrap_seed)
        yield {**defaults, **place, "quantity": quantity, **statistics}


def _others(table: pd.DataFrame, counted: pd.DataFrame) -> str:
    present = set(counted["seed"])
    return listed(seed for seed in table["seed"].drop_duplicates() if seed not in present)


# ---- conclusion ------------------------------------------------------------------------------


def conclusion(low: float, high: float, n: int) -> str:
    """What a 95% interval of the crossed excess over ``n`` seeds allows to say."""
    if n == 0:
        return "No seed has an excess: nothing can be said about an effect of the order."
    if n == 1:
        return "One seed has no interval: nothing can be said about an effect of the order."
    if low > 0:
        return (
            "Opposite orders leave the representations further apart than reshuffling alone does."
        )
    if high < 0:
        return (
            "Opposite orders leave the representations closer together than reshuffling alone does."
        )
    return (
        "No effect of the order of the tasks beyond reshuffling is shown: "
        "the interval of the excess contains 0."
    )
