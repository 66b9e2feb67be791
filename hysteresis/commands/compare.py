"""Verify a pair of runs, compare them at each checkpoint, and write one row a checkpoint."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis import checkpoints, data, devices, pairs
from hysteresis.artifacts import write_table
from hysteresis.commands.arguments import add_compute_arguments, compute_from
from hysteresis.comparison import Comparison
from hysteresis.errors import UserError
from hysteresis.pairs import ComparisonImages, Side
from hysteresis.provenance import code_digest
from hysteresis.specification import Run, from_json


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of MNIST's IDX files")
    parser.add_argument("--comparison", required=True, help="what to compare, as JSON")
    parser.add_argument(
        "--first", required=True, nargs="+", type=Path, help="initial weights, then checkpoints"
    )
    parser.add_argument(
        "--second", required=True, nargs="+", type=Path, help="the same of the other run"
    )
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")
    add_compute_arguments(parser)


def run(arguments: Namespace) -> None:
    import pandas

    comparison = from_json(arguments.comparison, Comparison)
    device = devices.prepare(compute_from(arguments))
    first = _side(comparison, comparison.first, arguments.first)
    second = _side(comparison, comparison.second, arguments.second)
    rows = pairs.compare(comparison, first, second, _images(comparison, arguments.data), device)
    write_table(arguments.output, pandas.DataFrame(rows), {"code": code_digest(__name__)})


def _side(comparison: Comparison, run: Run, files: list[Path]) -> Side:
    if len(files) != 1 + len(comparison.steps):
        raise UserError(
            f"compare: {run.history} has {len(files)} files; give the initial weights and one "
            f"checkpoint for each of the steps {', '.join(map(str, comparison.steps))}"
        )
    initial, *rest = (checkpoints.load(file) for file in files)
    return Side(run, initial, tuple(rest))


def _images(comparison: Comparison, folder: Path) -> ComparisonImages:
    full = data.load(folder, "t10k", comparison.test)
    return ComparisonImages(
        full, pairs.masked_parts(comparison, full), data.load(folder, "t10k", comparison.probe)
    )
