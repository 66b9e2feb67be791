"""Table 3: how much of the observed hysteresis is chance."""

import numpy as np
import pandas as pd

from hysteresis.statistics.excess import (
    CHECKPOINT,
    CONTRAST,
    EXCESS,
    MATCHED,
    MATCHED_WITH_OBSERVED,
    NULL_PAIR,
    conclusion,
)
from hysteresis.statistics.orders import CROSSED_EXCESS, PAPER_PAIR_EXCESS, STREAM_EFFECT
from hysteresis.statistics.quantities import dissimilarity_of
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.notes import few_seeds_notes, left_out_notes
from hysteresis.tables.printing import POINTS, interval_text, n_text, number, p_text
from hysteresis.training.layers import every_layer

RATIO = "between_over_within"
_PLACE = ["experiment", "role", "pair", "endpoint", "step", "quantity"]
_STATISTICS = [
    "n", "mean", "sd", "t_low", "t_high", "bootstrap_low", "bootstrap_high", "bca_low", "bca_high",
    "t_p", "sign_flip_p", "permutation_p", "undefined_seeds", "unmatched_seeds",
]  # fmt: skip
_POWER = ["detectable_t", "detectable_sign_flip", "equivalence_margin"]
# Printed name, factor to the printed unit, and decimals.
_QUANTITIES = {
    "h_repr": ("H_repr", 1.0, 3),
    **{dissimilarity_of(layer): (f"1 - CKA {layer}", 1.0, 3) for layer in every_layer()},
    "prediction_disagreement": ("Disagreement (%)", POINTS, 2),
    "js_divergence": ("JS divergence (nats)", 1.0, 4),
    "normalized_weight_distance": ("Weight distance", 1.0, 3),
}
_BRIEFLY = ("h_repr", "prediction_disagreement")
_KINDS = {
    "observed": "opposite orders, same streams",
    "floor": "noise floor",
    "crossed": "opposite orders",
    NULL_PAIR: "null pair",
}
_CONTRASTS = {
    CROSSED_EXCESS.name: "Crossed excess: opposite minus equal orders, all with other streams",
    STREAM_EFFECT.name: "Stream effect: same minus other streams, opposite orders",
    PAPER_PAIR_EXCESS.name: "Paper's pair minus noise floor (confounds order with stream)",
    RATIO: "Opposite over equal orders, ratio, all with other streams",
}
_AT_MATCH = {MATCHED: "own match", MATCHED_WITH_OBSERVED: "observed pair's match"}


def make(inputs: TableInputs) -> PrintedTable:
    """From the statistics of ``controls``, the ``partition`` and the ``power`` study."""
    table = table3(*(inputs.one(role) for role in ("controls", "partition", "power")))
    return PrintedTable(table, table3_printed(table), notes(table))


def table3(controls: pd.DataFrame, partition: pd.DataFrame, power: pd.DataFrame) -> pd.DataFrame:
    """Every quantity of every pair and contrast at every endpoint, then the ratio at checkpoints.

    Statistics in full, as of :func:`excess.summarise_controls` and
    :func:`permanova.partition_table`. A row of the crossed excess at the last checkpoint also has
    what so many seeds detect, and its equivalence margin (:func:`power.power_table`).
    """
    levels = controls["role"] != CONTRAST
    # A level is never negative: testing it against 0 would say nothing.
    # A ratio is never negative either, and of no effect it is 1, not 0.
    untested = {"t_p": np.nan, "sign_flip_p": np.nan, "bca_low": np.nan, "bca_high": np.nan}
    ratios = partition.assign(
        experiment=RATIO, role=CONTRAST, pair="", endpoint=CHECKPOINT, unmatched_seeds="",
        **untested,
    )  # fmt: skip
    parts = [controls.assign(t_p=controls["t_p"].mask(levels), permutation_p=np.nan), ratios]
    table = pd.concat([part[[*_PLACE, *_STATISTICS]] for part in parts], ignore_index=True)
    own = power[power["n"] == power["measured_n"]]
    own = own.assign(experiment=EXCESS, endpoint=CHECKPOINT)
    keys = ["experiment", "endpoint", "step", "quantity"]
    return table.merge(own[[*keys, *_POWER]], on=keys, how="left", validate="many_to_one")


def table3_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Table 3 as text: levels, then contrasts, at the last checkpoint and at the match."""
    rows = _printed_rows(table)
    return pd.DataFrame(
        {
            "Pair": [_label(row) for row in rows.itertuples()],
            "Updates": [_updates(row) for row in rows.itertuples()],
            "Quantity": [_quantity(row)[0] for row in rows.itertuples()],
            "n": [n_text(n) for n in rows["n"]],
            "Mean": [_number(row, row.mean) for row in rows.itertuples()],
            "95% t interval": [_interval(row, "t") for row in rows.itertuples()],
            "Bootstrap": [_interval(row, "bootstrap") for row in rows.itertuples()],
            "p (t)": [p_text(value) for value in rows["t_p"]],
            "p (permutation)": [
                p_text(value) for value in rows["sign_flip_p"].fillna(rows["permutation_p"])
            ],
        }
    )


def notes(table: pd.DataFrame) -> list[str]:
    """The conclusion, chosen by the t interval of the crossed excess; then how to read the rest."""
    of_h_repr = table[(table["experiment"] == EXCESS) & (table["quantity"] == "h_repr")]
    by_endpoint = dict(tuple(of_h_repr.groupby("endpoint", sort=False)))
    last = by_endpoint[CHECKPOINT].sort_values("step").iloc[-1]
    printed = _printed_rows(table)
    labels = [f"{_label(row)}, {_quantity(row)[0]}" for row in printed.itertuples()]
    return [
        f"{conclusion(last['t_low'], last['t_high'], last['n'])} Crossed excess of H_repr after "
        f"{last['step']:,} updates: {_estimate(last)}.",
        *(
            f"At {_matches(endpoint)} it is {_estimate(row)}.{_unmatched(row)}"
            for endpoint in (MATCHED, MATCHED_WITH_OBSERVED)
            for _, row in by_endpoint[endpoint].iterrows()
        ),
        *_power_notes(last),
        "The stream effect says what shared minibatches do to the distance of opposite orders; the "
        "paper's own pair shares them, the noise floors do not. Values of p are not corrected for "
        "their number.",
        *left_out_notes(labels, printed["undefined_seeds"]),
        *few_seeds_notes(printed["n"]),
    ]


# ---- which rows are printed ------------------------------------------------------------------


def _printed_rows(table: pd.DataFrame) -> pd.DataFrame:
    last = table.groupby("experiment", sort=False)["step"].transform("max")
    chosen = [_is_printed(row, end) for row, end in zip(table.itertuples(), last, strict=True)]
    return table[chosen]


def _is_printed(row: object, last: int) -> bool:
    if row.quantity not in _QUANTITIES:
        return False
    if row.endpoint == CHECKPOINT:
        shown = _QUANTITIES if row.experiment in _CONTRASTS else _BRIEFLY
        shown = ("h_repr",) if row.experiment == RATIO else shown
        return row.step == last and row.quantity in shown
    if row.role == NULL_PAIR:
        return False
    if row.experiment == EXCESS and row.endpoint == MATCHED:
        return True
    return row.quantity in _BRIEFLY


# ---- text ------------------------------------------------------------------------------------


def _label(row: object) -> str:
    if row.role == CONTRAST:
        return _CONTRASTS[row.experiment]
    name = row.experiment.replace("_", " ")
    return f"{name[0].upper()}{name[1:]} ({_KINDS[row.role]})"


def _updates(row: object) -> str:
    return _AT_MATCH.get(row.endpoint) or f"{row.step:,}"


def _quantity(row: object) -> tuple[str, float, int]:
    return _QUANTITIES[row.quantity]


def _number(row: object, value: float) -> str:
    _, factor, decimals = _quantity(row)
    return number(factor * value, decimals)


def _interval(row: object, kind: str) -> str:
    _, factor, decimals = _quantity(row)
    ends = (factor * getattr(row, f"{kind}_{end}") for end in ("low", "high"))
    return interval_text(*ends, decimals)


def _estimate(row: pd.Series) -> str:
    if row["n"] == 0:
        return "undefined, n = 0"
    text = number(row["mean"])
    if row["n"] > 1:
        text += f", 95% t interval {interval_text(row['t_low'], row['t_high'])}"
    return f"{text}, n = {row['n']}"


def _matches(endpoint: str) -> str:
    return {
        MATCHED: "each pair's own first behavioural match",
        MATCHED_WITH_OBSERVED: "the first match of the observed pair",
    }[endpoint]


def _unmatched(row: pd.Series) -> str:
    return f" Seeds without a match: {row['unmatched_seeds']}." if row["unmatched_seeds"] else ""


def _power_notes(excess: pd.Series) -> list[str]:
    """Nothing where the excess has no spread that could be measured."""
    if not np.isfinite(excess["detectable_t"]):
        return []
    flips = excess["detectable_sign_flip"]
    by_flips = f"{number(flips)} by the sign-flip test" if np.isfinite(flips) else (
        "none by the sign-flip test, which cannot reach p = 0.05 with so few"
    )  # fmt: skip
    return [
        f"With {excess['n']} seeds of the measured spread (sd {number(excess['sd'])}) an excess of "
        f"{number(excess['detectable_t'])} is found with 80% power by the t test, {by_flips}. Two "
        "one-sided tests at 0.05 show it to lie within \N{PLUS-MINUS SIGN}"
        f"{number(excess['equivalence_margin'])} of 0, and no closer."
    ]
