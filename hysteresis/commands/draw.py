"""Draw one figure from tables, as PDF and PNG."""

import importlib
from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd

from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.pair import Comparison
from hysteresis.plan.paths import CONTROL_FIGURES, FIGURES, MEASURE_FIGURES
from hysteresis.provenance.tables import read_table


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "figure",
        choices=(*FIGURES, *CONTROL_FIGURES, *MEASURE_FIGURES),
        help="which figure of the paper or of its controls",
    )
    parser.add_argument("--comparison", required=True, help="of the first seed, as JSON")
    parser.add_argument("--pairs", nargs="*", default=[], type=Path, help="pair tables")
    parser.add_argument("--statistics", type=Path, help="table of statistics")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".pdf, .png")


def run(arguments: Namespace) -> None:
    # By name, so that the digest of one figure's rule does not follow the other figures.
    module = importlib.import_module(f"hysteresis.figures.{arguments.figure}")
    tables = [read_table(file) for file in arguments.pairs]
    inputs = FigureInputs(
        pairs=pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(),
        statistics=read_table(arguments.statistics) if arguments.statistics else pd.DataFrame(),
        comparison=from_json(arguments.comparison, Comparison),
    )
    style.save(module.draw(inputs), arguments.output)
