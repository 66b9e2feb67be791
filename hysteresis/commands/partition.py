"""Within or between orders: ratio and permutation test over four networks a seed."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, write_table
from hysteresis.statistics.permanova import partition_table


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--pairs", required=True, nargs="+", type=Path, help="all pair tables")
    parser.add_argument(
        "--experiments",
        required=True,
        nargs=6,
        help="pairs of networks 01, 02, 03, 12, 13, 23; 0 and 1 have one order, 2 and 3 another",
    )
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = dict(tuple(read_pooled(arguments.pairs).groupby("experiment", sort=False)))
    table = partition_table([tables[name] for name in arguments.experiments])
    write_table(arguments.output, table, {"code": code_digest(__name__)})
