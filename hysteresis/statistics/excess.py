"""The noise floor under H_repr: what is left of an order effect when chance is taken away.

Pairs of histories that differ in order are set against pairs that differ in nothing but the
shuffling of the same tasks. Per seed and checkpoint the excess of a quantity is its value for the
pair of opposite orders minus its mean over the pairs of equal order (the floors).
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from hysteresis.errors import UserError
from hysteresis.statistics.experiments import (
    BOOTSTRAP_SEED,
    at_step,
    quantities,
    statistics_columns,
)
from hysteresis.statistics.paired import bca_interval, paired_statistics, sign_flip_test

EXCESS = "excess"
QUANTITIES = (
    "h_repr",
    "cka_conv1",
    "cka_conv2",
    "cka_fc1",
    "cka_logits",
    "prediction_disagreement",
    "js_divergence",
    "normalized_weight_distance",
    "accuracy_gap",
)

Row = dict[str, object]


def summarise_controls(
    observed: pd.DataFrame,
    floors: Sequence[pd.DataFrame],
    nulls: Mapping[str, pd.DataFrame],
) -> pd.DataFrame:
    """Levels of every pair and the excess, as one tidy table.

    Arguments are pair tables (a row a seed and checkpoint). A row of the result is one quantity
    of one ``experiment`` (or of the ``excess``) at one ``step``; ``role`` is observed, floor, null
    pair or excess. Raises UserError when the floors have other seeds than the observed pairs.
    """
    rows: list[Row] = []
    for role, tables in (
        ("observed", [observed]),
        ("floor", floors),
        ("null pair", nulls.values()),
    ):
        for table in tables:
            rows += _levels(role, table)
    rows += _excess(observed, floors)
    return pd.DataFrame(rows).astype({"step": "Int64"})


def excess_values(
    observed: pd.DataFrame, floors: Sequence[pd.DataFrame]
) -> dict[str, tuple[np.ndarray, float]]:
    """Per quantity the excess of each seed at one checkpoint, and the factor to its unit.

    Counts stay integers: the sum of the floors is taken from a multiple of the observed count.
    """
    for floor in floors:
        if list(floor["seed"]) != list(observed["seed"]):
            raise UserError(
                f"controls: {floor['experiment'].iloc[0]} has other seeds than "
                f"{observed['experiment'].iloc[0]}; give both the same in the configuration"
            )
    above = quantities(observed)
    below = [quantities(floor) for floor in floors]
    return {
        name: (
            len(floors) * above[name][0] - sum(floor[name][0] for floor in below),
            above[name][1] / len(floors),
        )
        for name in QUANTITIES
    }


def _levels(role: str, pairs: pd.DataFrame) -> Iterator[Row]:
    for step in sorted(pairs["step"].unique()):
        found = quantities(at_step(pairs, step))
        chosen = {name: found[name] for name in QUANTITIES}
        yield from _rows(str(pairs["experiment"].iloc[0]), role, step, chosen)


def _excess(observed: pd.DataFrame, floors: Sequence[pd.DataFrame]) -> Iterator[Row]:
    shared = set(observed["step"]).intersection(*(floor["step"] for floor in floors))
    for step in sorted(shared):
        values = excess_values(at_step(observed, step), [at_step(floor, step) for floor in floors])
        yield from _rows(EXCESS, "excess", step, values)


def _rows(
    experiment: str, role: str, step: int, named: Mapping[str, tuple[np.ndarray, float]]
) -> Iterator[Row]:
    for quantity, (values, factor) in named.items():
        place = {"experiment": experiment, "role": role, "step": step, "quantity": quantity}
        yield {**place, **tested_statistics(values, factor, BOOTSTRAP_SEED + step)}


def tested_statistics(values: np.ndarray, factor: float, bootstrap_seed: int) -> Row:
    """Statistics of one value a seed (n,), with the BCa interval and the sign-flip test."""
    if not np.isfinite(values).all():
        return statistics_columns(None, len(values))
    bca = bca_interval(values, bootstrap_seed).scaled(factor)
    flips = sign_flip_test(values, bootstrap_seed)
    return {
        **statistics_columns(paired_statistics(values, bootstrap_seed).scaled(factor), len(values)),
        "bca_low": bca.low,
        "bca_high": bca.high,
        "sign_flip_p": flips.p_value,
        "sign_flip_exact": flips.exact,
    }


def conclusion(low: float, high: float) -> str:
    """What a 95% interval of the excess allows to say; undefined intervals say nothing."""
    if not (np.isfinite(low) and np.isfinite(high)):
        return "With so few seeds nothing can be said about an effect of the order of the tasks."
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
