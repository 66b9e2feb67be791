"""Write one printed table from tables, as csv, Markdown and LaTeX."""

import importlib.util
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.table import Source, TableJob
from hysteresis.provenance.tables import read_pooled, read_table
from hysteresis.tables import formats
from hysteresis.tables.inputs import TableInputs


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("table", help="which one: a module of hysteresis/tables")
    parser.add_argument("--job", required=True, help="what each input is, as JSON")
    parser.add_argument(
        "--inputs", required=True, nargs="+", type=Path, help="tables, in the order of the sources"
    )
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    module = _module_of(arguments.table)
    job = from_json(arguments.job, TableJob)
    inputs = TableInputs(_read(job.sources, arguments.inputs), job.match)
    formats.write(module.make(inputs), arguments.output)


def _module_of(table: str) -> ModuleType:
    """By name, so that the digest of one table's rule does not follow the other tables."""
    name = f"hysteresis.tables.{table}"
    exists = table.isidentifier() and importlib.util.find_spec(name) is not None
    module = importlib.import_module(name) if exists else None
    if not hasattr(module, "make"):
        raise UserError(
            f"table: {table!r} is unknown: no module of that name in hysteresis/tables makes one"
        )
    return module


def _read(sources: Sequence[Source], files: Sequence[Path]) -> dict[str, list[pd.DataFrame]]:
    """The tables of each role, each verified to be what its source says."""
    wanted = sum(source.files for source in sources)
    if wanted != len(files):
        raise UserError(
            f"table: {len(files)} inputs were given, but --job names {wanted}; give these, in order"
        )
    found: dict[str, list[pd.DataFrame]] = {}
    rest = iter(files)
    for source in sources:
        table = _table_of(source, list(islice(rest, source.files)))
        found.setdefault(source.role, []).append(table)
    return found


def _table_of(source: Source, files: Sequence[Path]) -> pd.DataFrame:
    if not source.seeds:
        return read_table(files[0], source.kind, source.name)
    return read_pooled(files, source.kind, [(source.name, seed) for seed in source.seeds])
