"""Write Table 1 as csv, Markdown and LaTeX."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis import tables
from hysteresis.artifacts import read_table
from hysteresis.probes import tables as probe_tables


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--main", required=True, type=Path, help="statistics of the main probe")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    table = probe_tables.table1(read_table(arguments.main))
    tables.write_printed(arguments.output, table, probe_tables.table1_printed(table))
