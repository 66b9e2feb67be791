"""Write Table 2 as csv, Markdown and LaTeX."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis import tables
from hysteresis.artifacts import read_table
from hysteresis.comparison import MatchSettings
from hysteresis.specification import from_json


def add_arguments(parser: ArgumentParser) -> None:
    for role in ("main", "long-horizon", "rotated", "contrast"):
        parser.add_argument(f"--{role}", required=True, type=Path, help="table of statistics")
    parser.add_argument("--match", required=True, help="criterion of the match, as JSON")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    table = tables.table2(
        read_table(arguments.main),
        read_table(arguments.long_horizon),
        read_table(arguments.rotated),
        read_table(arguments.contrast),
        from_json(arguments.match, MatchSettings),
    )
    printed, notes = tables.table2_printed(table), tables.table2_notes(table)
    tables.write_printed(arguments.output, table, printed, notes)
