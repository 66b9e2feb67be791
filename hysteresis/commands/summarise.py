"""Statistics over seeds of one experiment: pair tables in, one tidy table out."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, write_table
from hysteresis.statistics.experiments import summarise_experiment


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--pairs", required=True, nargs="+", type=Path, help="tables, seed order")
    parser.add_argument("--changes", nargs="*", type=int, default=[], help="steps to compare")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    table = summarise_experiment(read_pooled(arguments.pairs), arguments.changes)
    write_table(arguments.output, table, {"code": code_digest(__name__)})
