"""Both runs of a pair as files: what the commands that work on pairs share."""

from argparse import ArgumentParser
from pathlib import Path

from hysteresis.errors import UserError
from hysteresis.jobs.pair import Pair
from hysteresis.jobs.run import Run
from hysteresis.pairs.compare import Side
from hysteresis.training import checkpoints


def add_side_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--first", required=True, nargs="+", type=Path, help="initial weights, then checkpoints"
    )
    parser.add_argument(
        "--second", required=True, nargs="+", type=Path, help="the same of the other run"
    )


def side_from(verb: str, pair: Pair, run: Run, files: list[Path]) -> Side:
    """One run of the pair, from its initial weights and its checkpoints at the pair's steps."""
    if len(files) != 1 + len(pair.steps):
        raise UserError(
            f"{verb}: {run.history} has {len(files)} files; give the initial weights and one "
            f"checkpoint for each of the steps {', '.join(map(str, pair.steps))}"
        )
    initial, *rest = (checkpoints.load(file) for file in files)
    return Side(run, initial, tuple(rest))
