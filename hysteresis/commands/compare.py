"""Verify a pair of runs, compare them at each checkpoint, and write one row a checkpoint."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis import data, devices, pairs
from hysteresis.artifacts import write_table
from hysteresis.commands.arguments import add_compute_arguments, compute_from
from hysteresis.commands.sides import add_side_arguments, side_from
from hysteresis.comparison import Comparison
from hysteresis.pairs import ComparisonImages
from hysteresis.provenance import code_digest
from hysteresis.specification import from_json


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of MNIST's IDX files")
    parser.add_argument("--comparison", required=True, help="what to compare, as JSON")
    add_side_arguments(parser)
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")
    add_compute_arguments(parser)


def run(arguments: Namespace) -> None:
    import pandas

    comparison = from_json(arguments.comparison, Comparison)
    device = devices.prepare(compute_from(arguments))
    first = side_from("compare", comparison, comparison.first, arguments.first)
    second = side_from("compare", comparison, comparison.second, arguments.second)
    rows = pairs.compare(comparison, first, second, _images(comparison, arguments.data), device)
    write_table(arguments.output, pandas.DataFrame(rows), {"code": code_digest(__name__)})


def _images(comparison: Comparison, folder: Path) -> ComparisonImages:
    full = data.load(folder, "t10k", comparison.test)
    return ComparisonImages(
        full,
        pairs.masked_parts(comparison.parts, full),
        data.load(folder, "t10k", comparison.probe),
    )
