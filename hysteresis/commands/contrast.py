"""Statistics over seeds of the difference of two experiments."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, write_table
from hysteresis.statistics.experiments import summarise_contrast


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--name", required=True, help="name of the contrast")
    parser.add_argument("--minuend", required=True, nargs="+", type=Path, help="pair tables")
    parser.add_argument("--subtrahend", required=True, nargs="+", type=Path, help="pair tables")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    minuend, subtrahend = read_pooled(arguments.minuend), read_pooled(arguments.subtrahend)
    table = summarise_contrast(arguments.name, minuend, subtrahend)
    write_table(arguments.output, table, {"code": code_digest(__name__)})
