"""Write the supplement of Table 1 as csv, Markdown and LaTeX."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.tables import read_table
from hysteresis.tables import printing, table1_supplement


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--main", required=True, type=Path, help="statistics of the main probe")
    parser.add_argument(
        "--secondary", nargs="*", default=[], type=Path, help="statistics of secondary probes"
    )
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    secondary = [read_table(file) for file in arguments.secondary]
    table = table1_supplement.supplement(read_table(arguments.main), secondary)
    printing.write_printed(arguments.output, table, table1_supplement.supplement_printed(table))
