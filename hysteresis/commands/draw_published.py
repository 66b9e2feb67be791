"""Draw the published and the reproduced seeds side by side, as PDF and PNG."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.figures import published, style
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import read_table


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--numbers", required=True, type=Path, help="of compare-published")
    parser.add_argument("--seeds", required=True, type=Path, help="its values by seed")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".pdf, .png")


def run(arguments: Namespace) -> None:
    numbers = read_table(arguments.numbers, Kind.PUBLISHED_NUMBERS)
    seeds = read_table(arguments.seeds, Kind.PUBLISHED_SEEDS)
    style.save(published.draw(numbers, seeds), arguments.output)
