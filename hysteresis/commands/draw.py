"""Draw one figure from tables, as PDF and PNG."""

import importlib
import importlib.util
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd

from hysteresis.commands.sources import read_sources
from hysteresis.errors import UserError
from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.printed import FigureJob


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("figure", help="which one: a module of hysteresis/figures")
    parser.add_argument("--job", required=True, help="what it shows and reads, as JSON")
    parser.add_argument(
        "--inputs", nargs="*", default=[], type=Path, help="tables, in the order of the sources"
    )
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".pdf, .png")


def run(arguments: Namespace) -> None:
    # By name, so that the digest of one figure's rule does not follow the other figures.
    name = f"hysteresis.figures.{arguments.figure}"
    exists = arguments.figure.isidentifier() and importlib.util.find_spec(name) is not None
    module = importlib.import_module(name) if exists else None
    if not hasattr(module, "draw"):
        raise UserError(
            f"draw: {arguments.figure!r} is unknown: no module of that name in hysteresis/figures"
        )
    job = from_json(arguments.job, FigureJob)
    tables = read_sources("draw", job.sources, arguments.inputs)
    pairs = tables.get("pairs", [])
    inputs = FigureInputs(
        pairs=pd.concat(pairs, ignore_index=True) if pairs else pd.DataFrame(),
        statistics=tables["statistics"][0] if "statistics" in tables else pd.DataFrame(),
        comparison=job.comparison,
    )
    style.save(module.draw(inputs), arguments.output)
