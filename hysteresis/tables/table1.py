"""Table 1: the differences of linear probes, in percentage points."""

import pandas as pd

from hysteresis.statistics.probes import WHOLE
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.printing import POINTS, interval_texts, n_of_texts, numbers, p_text

_SHARES = (
    "accuracy_first", "accuracy_second", "mean", "median", "sd", "minimum", "maximum",
    "trimmed_mean", "t_low", "t_high", "bootstrap_low", "bootstrap_high", "margin", "t90_low",
    "t90_high",
)  # fmt: skip
_TESTS = ("t_p", "wilcoxon_p", "sign_p", "tost_p_lower", "tost_p_upper", "positive", "d_z")


def make(inputs: TableInputs) -> PrintedTable:
    """From the statistics of the ``main`` probe."""
    table = table1(inputs.one("main"))
    return PrintedTable(table, table1_printed(table))


def table1(statistics: pd.DataFrame) -> pd.DataFrame:
    """A row a budget: the first head seed on the whole test probe after the last epoch.

    ``statistics`` as of :mod:`hysteresis.statistics.probes`. Columns that were shares of 1 are in
    percentage points and end in ``_points``.
    """
    return in_points(on_whole_probe(after_last_epoch(statistics), repeated=False))


def table1_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Table 1 as text, rounded as in the paper."""
    return pd.DataFrame(
        {
            "Images per class": table["images_per_class"].tolist(),
            "n": n_of_texts(table["n"], table["seeds"]),
            "Difference (points)": numbers(table["mean_points"], signed=True),
            "95% t interval": interval_texts(table, "t", unit="_points"),
            "Paired p": [p_text(value) for value in table["t_p"]],
            "d_z": numbers(table["d_z"], undefined=""),
            "95% bootstrap interval": interval_texts(table, "bootstrap", unit="_points"),
        }
    )


# ---- rows, also of the supplement ------------------------------------------------------------


def after_last_epoch(statistics: pd.DataFrame) -> pd.DataFrame:
    """The rows that are not exploratory, marked as statistics of the mean."""
    return statistics[statistics["role"] != "exploratory"].assign(analysis="mean")


def on_whole_probe(final: pd.DataFrame, repeated: bool) -> pd.DataFrame:
    """The rows on the whole test probe, of several heads or of one."""
    return final[(final["part"] == WHOLE) & ((final["head_seeds"] > 1) == repeated)]


def in_points(rows: pd.DataFrame) -> pd.DataFrame:
    """Shares of 1 as percentage points, in columns that end in ``_points``.

    Columns that the statistics lack, as when no seed matches, are added and undefined.
    """
    rows = rows.reindex(columns=list(dict.fromkeys([*rows.columns, *_SHARES, *_TESTS])))
    rows = rows.assign(**{column: rows[column] * POINTS for column in _SHARES})
    return rows.rename(columns={column: f"{column}_points" for column in _SHARES})
