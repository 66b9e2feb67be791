"""Statistics of the controls: levels of every pair, and contrasts of the six pairs a seed."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.six import add_six_arguments
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, write_table
from hysteresis.statistics.excess import summarise_controls


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--pairs", required=True, nargs="+", type=Path, help="all pair tables")
    add_six_arguments(parser)
    parser.add_argument("--nulls", nargs="*", default=[], help="further experiments")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = dict(tuple(read_pooled(arguments.pairs).groupby("experiment", sort=False)))
    table = summarise_controls(
        [tables[name] for name in arguments.experiments],
        {name: tables[name] for name in arguments.nulls},
    )
    write_table(arguments.output, table, {"code": code_digest(__name__)})
