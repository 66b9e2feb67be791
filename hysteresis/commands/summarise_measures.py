"""Levels of every measure for opposite and equal orders and for chance, and their contrasts."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, by_name, pooled_from
from hysteresis.commands.six import add_six_arguments
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.statistics.measures import summarise_measures


def add_arguments(parser: ArgumentParser) -> None:
    add_pooled_arguments(parser, "measures")
    add_six_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = by_name(pooled_from(arguments, "measures", Kind.MEASURES))
    table = summarise_measures([tables[name] for name in arguments.experiments])
    write_table(
        arguments.output,
        table,
        Provenance(Kind.MEASURE_STATISTICS, arguments.experiments[1], code_digest(__name__)),
    )
