"""Draw one figure from tables, as PDF and PNG."""

import importlib.util
from argparse import ArgumentParser, Namespace
from pathlib import Path
from types import ModuleType

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.pair import Comparison
from hysteresis.provenance.tables import read_table


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("figure", help="its module in hysteresis/figures, such as figure2")
    parser.add_argument("--comparison", required=True, help="of the first seed, as JSON")
    parser.add_argument("--pairs", nargs="*", default=[], type=Path, help="pair tables")
    parser.add_argument("--statistics", type=Path, help="table of statistics")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".pdf, .png")


def run(arguments: Namespace) -> None:
    module = _module_of(arguments.figure)
    tables = [read_table(file) for file in arguments.pairs]
    inputs = FigureInputs(
        pairs=pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(),
        statistics=read_table(arguments.statistics) if arguments.statistics else pd.DataFrame(),
        comparison=from_json(arguments.comparison, Comparison),
    )
    style.save(module.draw(inputs), arguments.output)


def _module_of(figure: str) -> ModuleType:
    """By name, so that the digest of one figure's rule does not follow the other figures."""
    name = f"hysteresis.figures.{figure}"
    exists = figure.isidentifier() and importlib.util.find_spec(name) is not None
    module = importlib.import_module(name) if exists else None
    if not hasattr(module, "draw"):
        raise UserError(
            f"draw: {figure!r} is unknown: no module of that name in hysteresis/figures draws one"
        )
    return module
