"""Levels of every measure for opposite orders and for the noise floors, and the excess."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, write_table
from hysteresis.statistics.measures import summarise_measures


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--measures", required=True, nargs="+", type=Path, help="tables, a pair")
    parser.add_argument("--observed", required=True, help="experiment of opposite orders")
    parser.add_argument("--floors", required=True, nargs="+", help="experiments of equal order")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = dict(tuple(read_pooled(arguments.measures).groupby("experiment", sort=False)))
    floors = [tables[name] for name in arguments.floors]
    table = summarise_measures(tables[arguments.observed], floors)
    write_table(arguments.output, table, {"code": code_digest(__name__)})
