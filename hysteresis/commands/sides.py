"""Both runs of a pair as files: what the commands that work on pairs share."""

from argparse import ArgumentParser
from pathlib import Path

from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.design import design_digest
from hysteresis.jobs.pair import Pair
from hysteresis.jobs.run import Run
from hysteresis.pairs.sides import Side
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance
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


def provenance_of(kind: Kind, name: str, code: str, job: object, *sides: Side) -> Provenance:
    """What the table of one pair is: its place, its design, and what its runs were made by."""
    makers = [
        maker
        for side in sides
        for checkpoint in side.checkpoints
        for maker in checkpoint.header.makers
        if maker.data  # initial weights are drawn alike everywhere
    ]
    found = {
        "device": {maker.device for maker in makers},
        "code of training": {maker.code for maker in makers},
        "versions": {to_json(maker.versions) for maker in makers},
        "data": {to_json(maker.data) for maker in makers},
    }
    conditions = {what: ", ".join(sorted(values)) for what, values in found.items() if values}
    return Provenance(kind, name, code, sides[0].run.seed, design_digest(job), conditions)
