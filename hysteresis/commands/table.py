"""Write one printed table from tables, as csv, Markdown and LaTeX."""

import importlib.util
from argparse import ArgumentParser, Namespace
from pathlib import Path
from types import ModuleType

from hysteresis.commands.sources import read_sources
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.printed import TableJob
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
    inputs = TableInputs(read_sources("table", job.sources, arguments.inputs), job.match)
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
