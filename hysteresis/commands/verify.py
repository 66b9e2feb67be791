"""Verify every file of a result folder: whole, and what its place says. Names what to delete."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.errors import UserError
from hysteresis.plan.verification import count_verified, faults_in


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("results", type=Path, help="folder of results, such as results")


def run(arguments: Namespace) -> None:
    if not arguments.results.is_dir():
        raise UserError(f"{arguments.results}: no such folder; name a folder of results")
    faults = list(faults_in(arguments.results))
    for path, reason in faults:
        print(f"{path}: {reason}")
    verified = count_verified(arguments.results)
    if faults:
        raise UserError(
            f"{arguments.results}: {len(faults)} of {verified} files are not as they should be; "
            "delete those named and run the workflow again"
        )
    print(f"{arguments.results}: {verified} files, all whole and in their places")
