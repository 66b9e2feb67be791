"""Pool the benchmark files of a result folder into a table of what it cost."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np
import pandas as pd

from hysteresis.errors import UserError
from hysteresis.plan.paths import job_of
from hysteresis.provenance.files import write_text
from hysteresis.tables import cost


def add_arguments(parser: ArgumentParser) -> None:
    # A folder and the jobs without their phases and steps: thousands of file names would not fit
    # on a command line, and the folder alone may hold jobs of other targets, finished or not.
    parser.add_argument("--benchmarks", required=True, type=Path, help="folder of rule folders")
    parser.add_argument(
        "--jobs", required=True, nargs="+", help="as rule/job, without phase and step"
    )
    parser.add_argument("--output", required=True, type=Path, help="csv to write")


def run(arguments: Namespace) -> None:
    if not arguments.benchmarks.is_dir():
        raise UserError(f"{arguments.benchmarks}: no such folder; run the workflow first")
    wanted = set(arguments.jobs)
    pooled = {}
    for folder in sorted(path for path in arguments.benchmarks.iterdir() if path.is_dir()):
        files = [file for file in sorted(folder.glob("*.tsv")) if job_of(file) in wanted]
        if files:
            pooled[folder.name] = pd.concat(map(_timing, files))
    table = cost.cost(pooled)
    write_text(arguments.output, table.to_csv(index=False, float_format="%.4g"))


def _timing(file: Path) -> pd.DataFrame:
    """Snakemake's measurement of one job; it writes ``-`` for memory that it did not sample."""
    try:
        table = pd.read_csv(file, sep="\t", na_values=["-", "NA"])[["s", "max_rss"]].astype(float)
    except (OSError, ValueError, LookupError):
        table = pd.DataFrame({"s": []})
    if len(table) == 0 or not np.isfinite(table["s"]).all():
        raise UserError(f"{file}: not a timing of Snakemake; delete it, and its job is not counted")
    return table
