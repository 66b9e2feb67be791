"""Verify a pair of runs, and compare it on few and on many test and training images."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.sides import add_side_arguments, provenance_of, side_from
from hysteresis.data.images import load_images
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.measures import PairSensitivity
from hysteresis.measures.sensitivity import SETS, selection, sensitivity_of_pair
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import write_table
from hysteresis.training import devices


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of MNIST's IDX files")
    parser.add_argument("--sensitivity", required=True, help="what to compare, as JSON")
    add_side_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    import pandas

    told = from_json(arguments.sensitivity, PairSensitivity)
    devices.prepare(Compute("cpu"))
    first = side_from("sensitivity", told.pair, told.pair.first, arguments.first)
    second = side_from("sensitivity", told.pair, told.pair.second, arguments.second)
    images = {
        name: load_images(arguments.data, name, selection(name, max(told.images), told.rotations))
        for name in SETS
    }
    rows = sensitivity_of_pair(told, first, second, images)
    code = code_digest(__name__, *told.pair.first.modules)
    provenance = provenance_of(Kind.SENSITIVITY, told.pair.experiment, code, told, first, second)
    write_table(arguments.output, pandas.DataFrame(rows), provenance)
