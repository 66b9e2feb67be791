"""Pool the benchmark files of a result folder into a table of what it cost."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd

from hysteresis import tables
from hysteresis.artifacts import write_text


def add_arguments(parser: ArgumentParser) -> None:
    # A folder and not a list of files: thousands of names do not fit on a command line.
    parser.add_argument("--benchmarks", required=True, type=Path, help="folder of rule folders")
    parser.add_argument("--output", required=True, type=Path, help="csv to write")


def run(arguments: Namespace) -> None:
    pooled = {
        folder.name: pd.concat(pd.read_csv(file, sep="\t") for file in files)
        for folder in sorted(arguments.benchmarks.iterdir())
        if folder.is_dir() and (files := sorted(folder.glob("*.tsv")))
    }
    table = tables.cost(pooled)
    write_text(arguments.output, table.to_csv(index=False, float_format="%.4g"))
