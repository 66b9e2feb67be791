"""Table 3: how much of the observed hysteresis is chance."""

import numpy as np
import pandas as pd

from hysteresis.statistics.excess import EXCESS, conclusion
from hysteresis.statistics.experiments import FEW_SEEDS, FEW_SEEDS_NOTE
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.printing import (
    POINTS,
    UNDEFINED,
    interval_text,
    interval_texts,
    n_text,
    number,
    numbers,
    p_text,
)


def make(inputs: TableInputs) -> PrintedTable:
    """From the statistics of the ``controls`` and, where there is one, of the ``partition``."""
    table = table3(inputs.one("controls"), next(iter(inputs.any("partition")), None))
    return PrintedTable(table, table3_printed(table), notes(table))


def table3(controls: pd.DataFrame, partition: pd.DataFrame | None) -> pd.DataFrame:
    """One row a pair at its last checkpoint, then the excess, then between over within.

    H_repr and disagreement with 95% intervals (t, BCa, percentile bootstrap); for the excess also
    the paired t and the sign-flip test; for the ratio of between- to within-order dissimilarity
    the permutation test.
    """
    rows = []
    for _, rows_of_one in controls.groupby("experiment", sort=False):
        last = rows_of_one[rows_of_one["step"] == rows_of_one["step"].max()]
        rows.append(_row(last.set_index("quantity")))
    table = pd.DataFrame(rows)
    if partition is not None:
        last = partition[partition["step"] == partition["step"].max()].set_index("quantity")
        table = pd.concat([table, pd.DataFrame([_ratio_row(last.loc["h_repr"])])])
    return table.reset_index(drop=True)


def table3_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Table 3 as text."""
    return pd.DataFrame(
        {
            "Pair": [_label(row) for row in table.itertuples()],
            "Updates": [f"{step:,}" for step in table["step"]],
            "n": [n_text(n) for n in table["n"]],
            "H_repr": numbers(table["h_repr"]),
            "95% t interval": interval_texts(table, "t"),
            "BCa": interval_texts(table, "bca"),
            "Bootstrap": interval_texts(table, "bootstrap"),
            "p (t)": [p_text(value) for value in table["t_p"]],
            "p (permutation)": [p_text(value) for value in table["permutation_p"]],
            "Disagreement (%)": numbers(POINTS * table["prediction_disagreement"], 2, undefined=""),
        }
    )


def notes(table: pd.DataFrame) -> list[str]:
    """The conclusion, chosen by the t interval of the excess, and a warning where seeds are few."""
    excess = table[table["experiment"] == EXCESS].iloc[0]
    interval = interval_text(excess["t_low"], excess["t_high"]) or UNDEFINED
    found = [
        f"{conclusion(excess['t_low'], excess['t_high'])} Excess of H_repr after "
        f"{excess['step']:,} updates: {number(excess['h_repr'])}, 95% t interval {interval}, "
        f"n = {excess['n']}."
    ]
    return found + ([FEW_SEEDS_NOTE] if (table["n"] < FEW_SEEDS).any() else [])


def _row(named: pd.DataFrame) -> dict[str, object]:
    h_repr, disagreement = named.loc["h_repr"], named.loc["prediction_disagreement"]
    role = h_repr["role"]
    intervals = {
        f"{kind}_{end}": h_repr[f"{kind}_{end}"]
        for kind in ("t", "bca", "bootstrap")
        for end in ("low", "high")
    }
    tested = role == "excess"
    return {
        "experiment": h_repr["experiment"],
        "role": role,
        "step": int(h_repr["step"]),
        "n": int(h_repr["n"]),
        "h_repr": h_repr["mean"],
        **intervals,
        # A level is never negative: testing it against 0 would say nothing.
        "t_p": h_repr["t_p"] if tested else np.nan,
        "permutation_p": h_repr["sign_flip_p"] if tested else np.nan,
        "prediction_disagreement": disagreement["mean"],
    }


def _ratio_row(found: pd.Series) -> dict[str, object]:
    return {
        "experiment": "between_over_within",
        "role": "ratio",
        "step": int(found["step"]),
        "n": int(found["n"]),
        "h_repr": found["mean"],
        "t_low": found["t_low"],
        "t_high": found["t_high"],
        "bootstrap_low": found["bootstrap_low"],
        "bootstrap_high": found["bootstrap_high"],
        "permutation_p": found["permutation_p"],
    }


def _label(row: object) -> str:
    kinds = {
        "observed": "opposite orders",
        "floor": "noise floor",
        "null pair": "null pair",
        "excess": "opposite orders minus noise floors",
        "ratio": "dissimilarity, ratio",
    }
    name = row.experiment.replace("_", " ")
    return f"{name[0].upper()}{name[1:]} ({kinds[row.role]})"
