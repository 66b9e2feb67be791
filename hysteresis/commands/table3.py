"""Write Table 3 as csv, Markdown and LaTeX, with its conclusion."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.tables import read_table
from hysteresis.tables import printing
from hysteresis.tables import table3 as control_tables


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--controls", required=True, type=Path, help="statistics of the controls")
    parser.add_argument("--partition", required=True, type=Path, help="order, stream or neither")
    parser.add_argument("--power", required=True, type=Path, help="what so many seeds find")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    inputs = (arguments.controls, arguments.partition, arguments.power)
    table = control_tables.table3(*(read_table(file) for file in inputs))
    printed = control_tables.table3_printed(table)
    printing.write_printed(arguments.output, table, printed, control_tables.notes(table))
