"""Write the excess under every measure as csv, Markdown and LaTeX, with what it shows."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.tables import read_table
from hysteresis.tables import measures as measure_tables
from hysteresis.tables import printing


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--statistics", required=True, type=Path, help="statistics of the measures")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    table = measure_tables.measure_table(read_table(arguments.statistics))
    printed = measure_tables.measure_table_printed(table)
    printing.write_printed(arguments.output, table, printed, measure_tables.notes(table))
