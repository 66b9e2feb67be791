"""The tables that are printed: from statistics to rows, and to csv, Markdown and LaTeX."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from hysteresis.provenance.files import write_text

POINTS = 100.0
KINDS, ENDS = ("bootstrap", "t", "bca"), ("low", "high")


def write_printed(
    files: Iterable[Path], table: pd.DataFrame, printed: pd.DataFrame, notes: Sequence[str] = ()
) -> None:
    """Write ``table`` in full to the .csv among ``files``, and ``printed`` to .md and .tex.

    ``notes`` follow the printed table, a paragraph each (in LaTeX as comments, for the caption).
    """
    contents = {
        ".csv": lambda: table.to_csv(index=False, lineterminator="\n"),
        ".md": lambda: (
            "\n\n".join([printed.to_markdown(index=False, disable_numparse=True), *notes]) + "\n"
        ),
        ".tex": lambda: (
            printed.to_latex(index=False, escape=True) + "".join(f"% {note}\n" for note in notes)
        ),
    }
    for file in files:
        write_text(file, contents[file.suffix]())


def interval_texts(table: pd.DataFrame, kind: str, undefined: str = "none") -> list[str]:
    """The intervals in the columns ``{kind}_low`` and ``{kind}_high``, to three decimals."""
    ends = zip(table[f"{kind}_low"], table[f"{kind}_high"], strict=True)
    return [f"[{low:.3f}, {high:.3f}]" if pd.notna(low) else undefined for low, high in ends]


def p_text(value: float) -> str:
    """A p value to three decimals; nothing where it is undefined."""
    if pd.isna(value):
        return ""
    return f"{value:.3f}" if value >= 0.001 else "<0.001"
