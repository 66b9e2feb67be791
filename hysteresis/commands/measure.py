"""Verify a pair of runs, and compare chosen layers by every chosen measure of similarity."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.sides import add_side_arguments, provenance_of, side_from
from hysteresis.data.images import load_images
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.measures import PairMeasures
from hysteresis.measures.measure import column_types, measure_pair
from hysteresis.pairs.columns import typed_table
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import write_table
from hysteresis.training import devices


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of MNIST's IDX files")
    parser.add_argument("--measures", required=True, help="what to measure, as JSON")
    add_side_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    job = from_json(arguments.measures, PairMeasures)
    devices.prepare(Compute("cpu"))
    first = side_from("measure", job.pair, job.pair.first, arguments.first)
    second = side_from("measure", job.pair, job.pair.second, arguments.second)
    rows = measure_pair(job, first, second, load_images(arguments.data, "test", job.images))
    code = code_digest(__name__, *job.pair.first.modules)
    provenance = provenance_of(Kind.MEASURES, job.pair.experiment, code, job, first, second)
    write_table(arguments.output, typed_table(rows, column_types(job)), provenance)
