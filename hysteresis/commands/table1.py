"""Write Table 1 as csv, Markdown and LaTeX."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.tables import read_table
from hysteresis.tables import printing, table1


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--main", required=True, type=Path, help="statistics of the main probe")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    table = table1.table1(read_table(arguments.main))
    printing.write_printed(arguments.output, table, table1.table1_printed(table))
