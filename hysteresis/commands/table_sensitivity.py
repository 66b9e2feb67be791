"""Write how H_repr and CKA depend on set and number of images, as csv, Markdown and LaTeX."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis import tables
from hysteresis.artifacts import read_pooled
from hysteresis.measures import sensitivity_tables


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--sensitivity", required=True, nargs="+", type=Path, help="tables, a pair")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    table = sensitivity_tables.sensitivity_table(read_pooled(arguments.sensitivity))
    printed = sensitivity_tables.sensitivity_printed(table)
    tables.write_printed(arguments.output, table, printed, sensitivity_tables.notes(table))
