"""Statistics of the controls: levels of every pair, and contrasts of the six pairs a seed."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, by_name, pooled_from
from hysteresis.commands.six import add_six_arguments
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.statistics.excess import summarise_controls


def add_arguments(parser: ArgumentParser) -> None:
    add_pooled_arguments(parser, "pairs")
    add_six_arguments(parser)
    parser.add_argument("--nulls", nargs="*", default=[], help="further experiments")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = by_name(pooled_from(arguments, "pairs", Kind.PAIR))
    table = summarise_controls(
        [tables[name] for name in arguments.experiments],
        {name: tables[name] for name in arguments.nulls},
    )
    write_table(
        arguments.output,
        table,
        Provenance(Kind.CONTROLS, arguments.experiments[1], code_digest(__name__)),
    )
