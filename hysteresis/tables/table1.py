"""Table 1 and its supplement: the differences of linear probes, in percentage points."""

from decimal import Decimal

import pandas as pd

from hysteresis.statistics.probes import WHOLE
from hysteresis.tables.printing import POINTS

_SHARES = (
    "accuracy_first", "accuracy_second", "mean", "median", "sd", "minimum", "maximum",
    "trimmed_mean", "t_low", "t_high", "bootstrap_low", "bootstrap_high", "margin", "t90_low",
    "t90_high",
)  # fmt: skip


_NONE = "none"


Row = dict[str, object]


def table1(statistics: pd.DataFrame) -> pd.DataFrame:
    """A row a budget: the first head seed on the whole test probe after the last epoch.

    ``statistics`` as of :mod:`hysteresis.probes.summaries`. Columns that were shares of 1 are in
    percentage points and end in ``_points``.
    """
    return _in_points(_whole(_final(statistics), repeated=False))


def table1_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Table 1 as text, rounded as in the paper."""
    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "Images per class": [row["images_per_class"] for row in rows],
            "n": [_seeds(row) for row in rows],
            "Difference (points)": [_number(row, "mean_points", "+.3f") for row in rows],
            "95% t interval": [_interval(row, "t") for row in rows],
            "Paired p": [_p(row, "t_p") for row in rows],
            "d_z": [_number(row, "d_z", ".3f") for row in rows],
            "95% bootstrap interval": [_interval(row, "bootstrap") for row in rows],
        }
    )


# ---- rows ------------------------------------------------------------------------------------


def _final(statistics: pd.DataFrame) -> pd.DataFrame:
    """The rows after the last epoch, marked as statistics of the mean."""
    return statistics[statistics["role"] != "exploratory"].assign(analysis="mean")


def _whole(final: pd.DataFrame, repeated: bool) -> pd.DataFrame:
    return final[(final["part"] == WHOLE) & ((final["head_seeds"] > 1) == repeated)]


def _in_points(rows: pd.DataFrame) -> pd.DataFrame:
    found = [column for column in _SHARES if column in rows.columns]
    rows = rows.assign(**{column: rows[column] * POINTS for column in found})
    return rows.rename(columns={column: f"{column}_points" for column in found})


def _seeds(row: Row) -> str:
    return f"{row['n']}/{row['seeds']}"


def _number(row: Row, column: str, digits: str = "") -> str:
    """A number as text; "none" where it is undefined, as with a lone seed or no match at all.

    Differences of counts often end in a 5 just behind the last digit: rounded half to even, as
    the decimals they are, and not as the binary number nearest to it happens to lie.
    """
    value = row.get(column)
    if pd.isna(value):
        return _NONE
    return format(Decimal(f"{value:.12g}"), digits)


def _p(row: Row, column: str) -> str:
    value = row.get(column)
    return _number(row, column, ".2e" if not pd.isna(value) and value < 0.001 else ".3f")


def _interval(row: Row, name: str) -> str:
    ends = [_number(row, f"{name}_{end}_points", ".3f") for end in ("low", "high")]
    return _NONE if _NONE in ends else f"[{', '.join(ends)}]"
