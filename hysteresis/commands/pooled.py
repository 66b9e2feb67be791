"""Tables of many seeds as arguments: the files, and whose they must be."""

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from hysteresis.errors import UserError
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import read_pooled

if TYPE_CHECKING:
    import pandas as pd


def add_pooled_arguments(parser: ArgumentParser, option: str) -> None:
    """``--{option}`` takes the files, ``--{option}-of`` whose they are, in the same order."""
    parser.add_argument(
        f"--{option}", nargs="*", default=[], type=Path, help="a table a name and seed"
    )
    parser.add_argument(
        f"--{option}-of",
        default="[]",
        help='whose these are, as JSON: [["main", [101, 202]]] for two seeds of main',
    )


def pooled_from(arguments: Namespace, option: str, kind: Kind) -> "pd.DataFrame":
    """The tables one below the other; UserError unless each is of its kind, name and seed."""
    files = getattr(arguments, option)
    return read_pooled(files, kind, expected_from(arguments, option))


def expected_from(arguments: Namespace, option: str) -> list[tuple[str, int]]:
    """Name and seed of each file."""
    text = getattr(arguments, f"{option}_of")
    try:
        return [(str(name), int(seed)) for name, seeds in json.loads(text) for seed in seeds]
    except (ValueError, TypeError):
        raise UserError(
            f"--{option}-of: {text!r} is not a list of names with their seeds such as "
            '[["main", [101, 202]]]'
        ) from None


def by_name(pooled: "pd.DataFrame") -> "dict[str, pd.DataFrame]":
    """The rows of each experiment, in the order of their appearance."""
    return dict(tuple(pooled.groupby("experiment", sort=False)))
