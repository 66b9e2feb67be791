"""Statistics over seeds of one experiment: pair tables in, one tidy table out."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, pooled_from
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.statistics.experiments import summarise_experiment


def add_arguments(parser: ArgumentParser) -> None:
    add_pooled_arguments(parser, "pairs")
    parser.add_argument("--changes", nargs="*", type=int, default=[], help="steps to compare")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    pairs = pooled_from(arguments, "pairs", Kind.PAIR)
    table = summarise_experiment(pairs, arguments.changes)
    write_table(
        arguments.output,
        table,
        Provenance(
            Kind.EXPERIMENT_STATISTICS, str(pairs["experiment"].iloc[0]), code_digest(__name__)
        ),
    )
