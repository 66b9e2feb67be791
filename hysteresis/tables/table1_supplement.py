"""The supplement of Table 1: repeated heads, equivalence, parts of the probe, secondary probes."""

from collections.abc import Sequence

import pandas as pd

from hysteresis.pairs.columns import Row
from hysteresis.statistics.probes import WHOLE
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.printing import interval_text, n_of_texts, number, p_text, shortest
from hysteresis.tables.table1 import after_last_epoch, in_points, on_whole_probe

_EQUIVALENCE = "equivalence"


def make(inputs: TableInputs) -> PrintedTable:
    """From the statistics of the ``main`` probe and of any number of ``secondary`` ones."""
    table = supplement(inputs.one("main"), inputs.any("secondary"))
    return PrintedTable(table, supplement_printed(table))


def supplement(main: pd.DataFrame, secondary: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """What Table 1 leaves out, all after the last epoch.

    Of the ``main`` statistics: repeated heads, the equivalence test, and the parts of the test
    probe. Of each ``secondary`` one: the whole test probe, and the equivalence test.
    """
    final = after_last_epoch(main)
    parts = final[(final["part"] != WHOLE) & (final["head_seeds"] == 1)]
    rows = [on_whole_probe(final, repeated=True), _equivalence(final), parts]
    for table in map(after_last_epoch, secondary):
        rows += [
            on_whole_probe(table, repeated=False),
            on_whole_probe(table, repeated=True),
            _equivalence(table),
        ]
    return in_points(pd.concat(rows, ignore_index=True))


def supplement_printed(table: pd.DataFrame) -> pd.DataFrame:
    """The supplement as text; an equivalence test has a 90% t interval and two p values."""
    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "Features": [_features(row) for row in rows],
            "Images per class": [row["images_per_class"] for row in rows],
            "Analysis": [_analysis(row) for row in rows],
            "n": n_of_texts(table["n"], table["seeds"]),
            "Difference (points)": [number(row["mean_points"], signed=True) for row in rows],
            "t interval": [_t_interval(row) for row in rows],
            "p": [_p_values(row) for row in rows],
            "Wilcoxon p": [_unless_equivalence(row, p_text(row["wilcoxon_p"])) for row in rows],
            "Positive": [
                _unless_equivalence(row, number(row["positive"], 0, undefined="")) for row in rows
            ],
            "Sign test p": [_unless_equivalence(row, p_text(row["sign_p"])) for row in rows],
            "d_z": [_unless_equivalence(row, number(row["d_z"], undefined="")) for row in rows],
            "Seeds without a match": [row["unmatched_seeds"] or "none" for row in rows],
        }
    )


def _equivalence(final: pd.DataFrame) -> pd.DataFrame:
    tested = on_whole_probe(final, repeated=False)
    return tested[tested["margin"].notna()].assign(analysis=_EQUIVALENCE)


# ---- text ------------------------------------------------------------------------------------


def _is_equivalence(row: Row) -> bool:
    return row["analysis"] == _EQUIVALENCE


def _unless_equivalence(row: Row, text: str) -> str:
    return "" if _is_equivalence(row) else text


def _t_interval(row: Row) -> str:
    if not _is_equivalence(row):
        return interval_text(row["t_low_points"], row["t_high_points"])
    interval = interval_text(row["t90_low_points"], row["t90_high_points"])
    return f"90% {interval}" if interval else ""


def _p_values(row: Row) -> str:
    if not _is_equivalence(row):
        return p_text(row["t_p"])
    both = (p_text(row["tost_p_lower"]), p_text(row["tost_p_upper"]))
    return ", ".join(both) if all(both) else ""


def _features(row: Row) -> str:
    if row["at_match"]:
        return f"{row['layer']} at the match"
    return f"{row['layer']} at {int(row['checkpoint']):,} updates"


def _analysis(row: Row) -> str:
    if _is_equivalence(row):
        return f"equivalence within {shortest(row['margin_points'])} points"
    heads = "first head seed" if row["head_seeds"] == 1 else f"mean of {row['head_seeds']} heads"
    return heads if row["part"] == WHOLE else f"{heads}, part {row['part']}"
