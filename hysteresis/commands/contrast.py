"""Statistics over seeds of the difference of two experiments."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, pooled_from
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.statistics.experiments import summarise_contrast


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--name", required=True, help="name of the contrast")
    add_pooled_arguments(parser, "minuend")
    add_pooled_arguments(parser, "subtrahend")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    minuend, subtrahend = (
        pooled_from(arguments, side, Kind.PAIR) for side in ("minuend", "subtrahend")
    )
    table = summarise_contrast(arguments.name, minuend, subtrahend)
    write_table(
        arguments.output,
        table,
        Provenance(Kind.CONTRAST_STATISTICS, arguments.name, code_digest(__name__)),
    )
