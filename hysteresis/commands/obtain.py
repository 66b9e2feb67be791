"""Obtain MNIST's four IDX files and verify them."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis import mnist


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--idx-folder", default="", help="take the files from here, raw or .gz (empty: download)"
    )
    parser.add_argument("--output", required=True, type=Path, help="folder to write them to")


def run(arguments: Namespace) -> None:
    folder = Path(arguments.idx_folder) if arguments.idx_folder else None
    mnist.obtain(arguments.output, folder)
