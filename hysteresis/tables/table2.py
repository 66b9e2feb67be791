"""Table 2: H_repr at the paper's endpoints."""

from collections.abc import Mapping

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
    """From the statistics of three experiments and of the contrast of activations, if given."""
    given = {role: inputs.any(role) for role in ("main", "long_horizon", "rotated", "contrast")}
    statistics = {role: tables[0] for role, tables in given.items() if tables}
    table = table2(statistics, inputs.criterion())
    return PrintedTable(table, table2_printed(table), table2_notes(table))


# Label, role of the statistics, and endpoint of each row.
_ROWS = (
    ("Main, matched", "main", "matched"),
    ("Main, last checkpoint", "main", "checkpoint"),
    ("Long horizon, last checkpoint", "long_horizon", "checkpoint"),
    ("Rotated, matched", "rotated", "matched"),
    ("LeakyReLU minus ReLU, last checkpoint", "contrast", "checkpoint"),
)


def table2(statistics: Mapping[str, pd.DataFrame], match: MatchSettings) -> pd.DataFrame:
    """H_repr at the endpoints of the paper's Table 2, from tables of statistics by role.

    A row whose role is not among ``statistics`` is left out. Shares are of 1, gaps in percentage
    points. Of the 95% intervals the paper prints the percentile bootstrap; t and BCa stand beside.
    """
    criterion = (
        f"gap at most {shortest(match.max_accuracy_gap * POINTS)} points, "
        f"both at least {shortest(match.min_accuracy * POINTS)}%"
    )
    return pd.DataFrame(
        _endpoint_row(label, criterion, statistics[role], endpoint)
        for label, role, endpoint in _ROWS
        if role in statistics
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
            "95% bootstrap interval": interval_texts(table, "bootstrap"),
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
    label: str, criterion: str, statistics: pd.DataFrame, endpoint: str
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
