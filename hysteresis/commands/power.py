"""Power: which excess so many seeds find, and to which margin the seeds at hand are equivalent."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, read_provenance, read_table, write_table
from hysteresis.statistics.power import SEED_COUNTS, power_table


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--controls", required=True, type=Path, help="statistics of the controls")
    parser.add_argument("--seeds", nargs="+", type=int, default=SEED_COUNTS, help="how many")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    controls = arguments.controls
    name = read_provenance(controls, Kind.CONTROLS).name
    table = power_table(read_table(controls, Kind.CONTROLS), arguments.seeds)
    write_table(arguments.output, table, Provenance(Kind.POWER, name, code_digest(__name__)))
