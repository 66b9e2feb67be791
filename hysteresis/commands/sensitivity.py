"""Verify a pair of runs, and compare it on few and on many test and training images."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.sides import add_side_arguments, provenance_of, side_from
from hysteresis.data.images import load_images
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.measures import PairSensitivity
from hysteresis.measures.sensitivity import (
    COLUMN_TYPES,
    DATA_PARTS,
    selection,
    sensitivity_of_pair,
)
from hysteresis.pairs.columns import typed_table
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
    job = from_json(arguments.sensitivity, PairSensitivity)
    devices.prepare(Compute("cpu"))
    first = side_from("sensitivity", job.pair, job.pair.first, arguments.first)
    second = side_from("sensitivity", job.pair, job.pair.second, arguments.second)
    images = {
        part: load_images(arguments.data, part, selection(part, max(job.counts), job.images))
        for part in DATA_PARTS
    }
    rows = sensitivity_of_pair(job, first, second, images)
    code = code_digest(__name__, *job.pair.first.modules)
    provenance = provenance_of(Kind.SENSITIVITY, job.pair.experiment, code, job, first, second)
    write_table(arguments.output, typed_table(rows, COLUMN_TYPES), provenance)
