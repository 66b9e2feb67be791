"""Write how H_repr and CKA depend on set and number of images, as csv, Markdown and LaTeX."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.tables import read_pooled
from hysteresis.tables import printing, sensitivity


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--sensitivity", required=True, nargs="+", type=Path, help="tables, a pair")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    table = sensitivity.sensitivity_table(read_pooled(arguments.sensitivity))
    printed = sensitivity.sensitivity_printed(table)
    printing.write_printed(arguments.output, table, printed, sensitivity.notes(table))
