"""Write Table 2 as csv, Markdown and LaTeX."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.pair import MatchSettings
from hysteresis.provenance.tables import read_table
from hysteresis.tables import printing, table2


def add_arguments(parser: ArgumentParser) -> None:
    for role in ("main", "long-horizon", "rotated", "contrast"):
        parser.add_argument(f"--{role}", required=True, type=Path, help="table of statistics")
    parser.add_argument("--match", required=True, help="criterion of the match, as JSON")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".csv, .md, .tex")


def run(arguments: Namespace) -> None:
    table = table2.table2(
        read_table(arguments.main),
        read_table(arguments.long_horizon),
        read_table(arguments.rotated),
        read_table(arguments.contrast),
        from_json(arguments.match, MatchSettings),
    )
    printed, notes = table2.table2_printed(table), table2.table2_notes(table)
    printing.write_printed(arguments.output, table, printed, notes)
