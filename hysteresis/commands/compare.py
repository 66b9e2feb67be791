"""Verify a pair of runs, compare them at each checkpoint, and write one row a checkpoint."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.arguments import add_compute_arguments, compute_from
from hysteresis.commands.sides import add_side_arguments, provenance_of, side_from
from hysteresis.data.images import load_images
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.pair import Comparison
from hysteresis.pairs.behavior import masked_parts
from hysteresis.pairs.columns import typed_table
from hysteresis.pairs.compare import ComparisonImages, columns_of_comparison, compare_pair
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import write_table
from hysteresis.training import devices


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of MNIST's IDX files")
    parser.add_argument("--comparison", required=True, help="what to compare, as JSON")
    add_side_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")
    add_compute_arguments(parser)


def run(arguments: Namespace) -> None:
    comparison = from_json(arguments.comparison, Comparison)
    device = devices.prepare(compute_from(arguments))
    first = side_from("compare", comparison, comparison.first, arguments.first)
    second = side_from("compare", comparison, comparison.second, arguments.second)
    rows = compare_pair(comparison, first, second, _images(comparison, arguments.data), device)
    code = code_digest(__name__, *comparison.first.modules)
    provenance = provenance_of(Kind.PAIR, comparison.experiment, code, comparison, first, second)
    table = typed_table(rows, columns_of_comparison(comparison).dtypes)
    write_table(arguments.output, table, provenance)


def _images(comparison: Comparison, folder: Path) -> ComparisonImages:
    full = load_images(folder, "test", comparison.test)
    return ComparisonImages(
        full,
        masked_parts(comparison.parts, full),
        load_images(folder, "test", comparison.probe),
    )
