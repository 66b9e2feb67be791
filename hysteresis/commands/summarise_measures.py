"""Levels of every measure for opposite and equal orders and for chance, and their contrasts."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.six import add_six_arguments
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, write_table
from hysteresis.statistics.measures import summarise_measures


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--measures", required=True, nargs="+", type=Path, help="tables, a pair")
    add_six_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = dict(tuple(read_pooled(arguments.measures).groupby("experiment", sort=False)))
    table = summarise_measures([tables[name] for name in arguments.experiments])
    write_table(arguments.output, table, {"code": code_digest(__name__)})
