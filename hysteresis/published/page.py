"""The comparison with the published numbers as a page of Markdown and as a few lines."""

import pandas as pd

from hysteresis.published.verdicts import AGREES, DIFFERS, NOT_RUN, RULE, SAMPLE
from hysteresis.tables.formats import markdown
from hysteresis.tables.printing import interval_text, number, p_text, scientific

# Printed numbers of more decimals are the smallest p values, which would be a row of zeros.
_MOST_DECIMALS = 4


def summary_lines(table: pd.DataFrame, deviations: list[str]) -> list[str]:
    """What was compared and how it came out, and first what is not as published."""
    values = table[table["statistic"] != "n"].drop_duplicates(list(SAMPLE))
    lines = ["Every experiment has the published protocol, seeds and checkpoints."]
    if deviations:
        lines = ["Not the published protocol throughout:", *(f"- {line}" for line in deviations)]
    return [
        *lines,
        f"{len(table)} published numbers: {_counts(table)}.",
        f"The {len(values)} sets of per-seed values behind them: {_counts(values)}.",
    ]


def _counts(table: pd.DataFrame) -> str:
    counts = table["verdict"].value_counts()
    return ", ".join(f"{name} {counts.get(name, 0)}" for name in (AGREES, DIFFERS, NOT_RUN))


def page(table: pd.DataFrame, deviations: list[str]) -> str:
    """The whole comparison as Markdown."""
    header, *rest = summary_lines(table, deviations)
    bullets = [line for line in rest if line.startswith("- ")]
    counts = " ".join(line for line in rest if not line.startswith("- "))
    parts = [
        "# Published and reproduced numbers",
        f"**{header}**",
        *(["\n".join(bullets)] if bullets else []),
        counts,
        RULE,
        "*Published* is recomputed on integer counts, by the declared criterion, from the seeds "
        "that both sides have; it departs from *printed* where the record's arithmetic does "
        "(docs/record.md) or where seeds are missing. The interval is that of the reproduced "
        "mean; p values are of the paired differences between the two sides.",
        markdown(_printed(table)),
    ]
    return "\n\n".join(parts) + "\n"


def _printed(table: pd.DataFrame) -> pd.DataFrame:
    rows = table.to_dict("records")
    return pd.DataFrame(
        {
            "Number": [row["key"] for row in rows],
            "Unit": [row["unit"] for row in rows],
            "Printed": [row["printed"] for row in rows],
            "Published": [_number(row, "published") for row in rows],
            "Reproduced": [_number(row, "reproduced") for row in rows],
            "95% interval": [_interval(row) for row in rows],
            "Difference": [_number(row, "difference", signed=True) for row in rows],
            "n": [f"{row['published_n']}, {row['reproduced_n']}" for row in rows],
            "t p": [p_text(row["t_p"]) for row in rows],
            "Wilcoxon p": [p_text(row["wilcoxon_p"]) for row in rows],
            "Verdict": [row["verdict"] for row in rows],
            "By": [row["decided_by"] for row in rows],
        }
    )


def _number(row: dict[str, object], column: str, signed: bool = False) -> str:
    """With the decimals of the printed number; empty where nothing was run."""
    if row["decimals"] > _MOST_DECIMALS:
        return scientific(row[column], signed=signed, undefined="")
    return number(row[column], row["decimals"], signed=signed, undefined="")


def _interval(row: dict[str, object]) -> str:
    return interval_text(row["interval_low"], row["interval_high"], row["decimals"])
