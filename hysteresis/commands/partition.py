"""Order, stream or neither: ratio, sums of squares and permutation test of four networks a seed."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, by_name, pooled_from
from hysteresis.commands.six import add_six_arguments
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.statistics.permanova import partition_table


def add_arguments(parser: ArgumentParser) -> None:
    add_pooled_arguments(parser, "pairs")
    add_six_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    tables = by_name(pooled_from(arguments, "pairs", Kind.PAIR))
    table = partition_table([tables[name] for name in arguments.experiments])
    write_table(
        arguments.output,
        table,
        Provenance(Kind.PARTITION, arguments.experiments[1], code_digest(__name__)),
    )
