"""Order, stream or neither: ratio, sums of squares and permutation test of four networks a seed."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.six import add_six_arguments
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, write_table
from hysteresis.statistics.permanova import partition_table


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--pairs", required=True, nargs="+", type=Path, help="all pair tables")
    add_six_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = dict(tuple(read_pooled(arguments.pairs).groupby("experiment", sort=False)))
    table = partition_table([tables[name] for name in arguments.experiments])
    write_table(arguments.output, table, {"code": code_digest(__name__)})
