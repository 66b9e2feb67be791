"""Table 1 and its supplement: the differences of linear probes, in percentage points."""

from collections.abc import Sequence

import pandas as pd

from hysteresis.statistics.probes import WHOLE
from hysteresis.tables.table1 import (
    _NONE,
    Row,
    _final,
    _in_points,
    _interval,
    _number,
    _p,
    _seeds,
    _whole,
)

_EQUIVALENCE = "equivalence"


def supplement(main: pd.DataFrame, secondary: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """What Table 1 leaves out, all after the last epoch.

    Of the ``main`` statistics: repeated heads, the equivalence test, and the parts of the test
    probe. Of each ``secondary`` one: the whole test probe, and the equivalence test.
    """
    final = _final(main)
    parts = final[(final["part"] != WHOLE) & (final["head_seeds"] == 1)]
    rows = [_whole(final, repeated=True), _equivalence(final), parts]
    for table in map(_final, secondary):
        rows += [_whole(table, repeated=False), _whole(table, repeated=True), _equivalence(table)]
    return _in_points(pd.concat(rows, ignore_index=True))


def supplement_printed(table: pd.DataFrame) -> pd.DataFrame:
    """The supplement as text; an equivalence test has a 90% t interval and two p values."""
    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "Features": [_features(row) for row in rows],
            "Images per class": [row["images_per_class"] for row in rows],
            "Analysis": [_analysis(row) for row in rows],
            "n": [_seeds(row) for row in rows],
            "Difference (points)": [_number(row, "mean_points", "+.3f") for row in rows],
            "t interval": [
                f"90% {_interval(row, 't90')}" if _is_equivalence(row) else _interval(row, "t")
                for row in rows
            ],
            "p": [
                f"{_p(row, 'tost_p_lower')}, {_p(row, 'tost_p_upper')}"
                if _is_equivalence(row)
                else _p(row, "t_p")
                for row in rows
            ],
            "Wilcoxon p": ["" if _is_equivalence(row) else _p(row, "wilcoxon_p") for row in rows],
            "Positive": ["" if _is_equivalence(row) else _number(row, "positive") for row in rows],
            "Sign test p": ["" if _is_equivalence(row) else _p(row, "sign_p") for row in rows],
            "d_z": ["" if _is_equivalence(row) else _number(row, "d_z", ".3f") for row in rows],
            "Seeds without a match": [row["unmatched_seeds"] or _NONE for row in rows],
        }
    )


def _equivalence(final: pd.DataFrame) -> pd.DataFrame:
    tested = _whole(final, repeated=False)
    return tested[tested["margin"].notna()].assign(analysis=_EQUIVALENCE)


# ---- text ------------------------------------------------------------------------------------


def _is_equivalence(row: Row) -> bool:
    return row["analysis"] == _EQUIVALENCE


def _features(row: Row) -> str:
    if row["at_match"]:
        return f"{row['layer']} at the match"
    return f"{row['layer']} at {int(row['checkpoint']):,} updates"


def _analysis(row: Row) -> str:
    if _is_equivalence(row):
        return f"equivalence within {row['margin_points']:g} points"
    heads = "first head seed" if row["head_seeds"] == 1 else f"mean of {row['head_seeds']} heads"
    return heads if row["part"] == WHOLE else f"{heads}, part {row['part']}"
