"""Pool the benchmark files of a result folder into a table of what it cost."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd

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
    wanted = set(arguments.jobs)
    pooled = {}
    for folder in sorted(arguments.benchmarks.iterdir()):
        files = [file for file in sorted(folder.glob("*.tsv")) if job_of(file) in wanted]
        if files:
            pooled[folder.name] = pd.concat(pd.read_csv(file, sep="\t") for file in files)
    table = cost.cost(pooled)
    write_text(arguments.output, table.to_csv(index=False, float_format="%.4g"))
