"""A printed table as files: csv in full, Markdown and LaTeX as printed, and these two sealed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.provenance.files import write_text, written_whole
from hysteresis.provenance.trailers import append_seal


@dataclass(frozen=True)
class PrintedTable:
    """A table in full, the same as text, and what is said below it, a paragraph a note."""

    full: pd.DataFrame
    printed: pd.DataFrame
    notes: Sequence[str] = ()


def write(table: PrintedTable, files: Sequence[Path]) -> None:
    """Write each file whole, in the format of its ending: ``.csv``, ``.md`` or ``.tex``."""
    for file in files:
        if file.suffix not in _FORMATS:
            raise UserError(f"{file}: tables are written as .csv, .md or .tex")
    for file in files:
        text = _FORMATS[file.suffix](table)
        if file.suffix in _COMMENTS:
            write_sealed(file, text)
        else:
            write_text(file, text)


def write_sealed(file: Path, text: str) -> None:
    """Write Markdown or LaTeX whole, with its seal in a comment at the end."""
    if file.suffix not in _COMMENTS:
        raise UserError(f"{file}: pages are written as .md or .tex")
    with written_whole(file) as aside:
        aside.write_text(text, encoding="utf-8")
        append_seal(aside, *_COMMENTS[file.suffix])


def markdown(printed: pd.DataFrame) -> str:
    """A table of texts, which stay as they stand."""
    return printed.to_markdown(index=False, disable_numparse=True)


def _csv(table: PrintedTable) -> str:
    return table.full.to_csv(index=False, lineterminator="\n")


def _markdown(table: PrintedTable) -> str:
    return "\n\n".join([markdown(table.printed), *table.notes]) + "\n"


def _latex(table: PrintedTable) -> str:
    """Notes as comments, for the caption."""
    notes = "".join(f"% {note}\n" for note in table.notes)
    return table.printed.to_latex(index=False, escape=True) + notes


# What begins and ends a comment after the last line of a file. csv has none.
_COMMENTS = {".md": (b"\n<!-- ", b" -->\n"), ".tex": (b"% ", b"\n")}
_FORMATS: Mapping[str, Callable[[PrintedTable], str]] = {
    ".csv": _csv,
    ".md": _markdown,
    ".tex": _latex,
}
