"""Obtain MNIST's four IDX files and verify them."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.data import obtain


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--idx-folder", type=Path, help="take the files from here, raw or .gz")
    parser.add_argument("--output", required=True, type=Path, help="folder to write them to")


def run(arguments: Namespace) -> None:
    obtain.obtain(arguments.output, arguments.idx_folder)
