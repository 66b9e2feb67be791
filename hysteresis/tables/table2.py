"""Table 2: H_repr at the paper's endpoints."""

import pandas as pd

from hysteresis.jobs.pair import MatchSettings
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.notes import few_seeds_notes, left_out_notes
from hysteresis.tables.printing import (
    ENDS,
    KINDS,
    POINTS,
    interval_texts,
    n_of_texts,
    numbers,
    shortest,
)


def make(inputs: TableInputs) -> PrintedTable:
    """From the statistics of three experiments and of the contrast of activations."""
    roles = ("main", "long_horizon", "rotated", "contrast")
    table = table2(*(inputs.one(role) for role in roles), inputs.criterion())
    return PrintedTable(table, table2_printed(table), table2_notes(table))


def table2(
    main: pd.DataFrame,
    long_horizon: pd.DataFrame,
    rotated: pd.DataFrame,
    contrast: pd.DataFrame,
    match: MatchSettings,
) -> pd.DataFrame:
    """H_repr at the endpoints of the paper's Table 2, from tables of statistics.

    Shares are of 1, gaps in percentage points. Of the 95% intervals the paper prints the percentile
    bootstrap; t and BCa stand beside it.
    """
    criterion = (
        f"gap at most {shortest(match.max_accuracy_gap * POINTS)} points, "
        f"both at least {shortest(match.min_accuracy * POINTS)}%"
    )
    return pd.DataFrame(
        [
            _endpoint_row("Main, matched", criterion, main, "matched"),
            _endpoint_row("Main, last checkpoint", None, main, "checkpoint"),
            _endpoint_row("Long horizon, last checkpoint", None, long_horizon, "checkpoint"),
            _endpoint_row("Rotated, matched", criterion, rotated, "matched"),
            _endpoint_row("LeakyReLU minus ReLU, last checkpoint", None, contrast, "checkpoint"),
        ]
    )


def table2_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Table 2 as text, rounded as in the paper."""
    return pd.DataFrame(
        {
            "Endpoint": table["endpoint"],
            "Criterion": table["criterion"],
            "n": n_of_texts(table["n"], table["pairs"]),
            "Mean gap (points)": numbers(table["accuracy_gap_points"]),
            "H_repr": numbers(table["h_repr"]),
            "95% interval": interval_texts(table, "bootstrap"),
            "95% t interval": interval_texts(table, "t"),
            "95% BCa interval": interval_texts(table, "bca"),
        }
    )


def table2_notes(table: pd.DataFrame) -> list[str]:
    """Seeds that are left out, and a warning where seeds are few."""
    return [
        *left_out_notes(table["endpoint"], table["undefined_seeds"]),
        *few_seeds_notes(table["n"]),
    ]


def _endpoint_row(
    label: str, criterion: str | None, statistics: pd.DataFrame, endpoint: str
) -> dict[str, object]:
    rows = statistics[statistics["endpoint"] == endpoint]
    if endpoint == "checkpoint":
        last = rows["step"].max()
        rows = rows[rows["step"] == last]
        criterion = f"after {last:,} updates"
    row: dict[str, object] = {
        "endpoint": label,
        "criterion": criterion,
        "n": 0,
        "pairs": int(statistics["pairs"].iloc[0]),
        "accuracy_gap_points": None,
        "h_repr": None,
        **dict.fromkeys(f"{kind}_{end}" for kind in KINDS for end in ENDS),
        "undefined_seeds": "",
    }
    named = rows.set_index("quantity")
    if "h_repr" in named.index:
        found = named.loc["h_repr"]
        row["n"] = int(found["n"])
        row["accuracy_gap_points"] = named.loc["accuracy_gap", "mean"] * POINTS
        row["h_repr"] = found["mean"]
        row["undefined_seeds"] = found["undefined_seeds"]
        row |= {f"{kind}_{end}": found.get(f"{kind}_{end}") for kind in KINDS for end in ENDS}
    return row
