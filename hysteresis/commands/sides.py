"""Both runs of a pair as files: what the commands that work on pairs share."""

from argparse import ArgumentParser
from pathlib import Path

from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.design import design_digest
from hysteresis.jobs.pair import Pair
from hysteresis.jobs.run import Run
from hysteresis.pairs.sides import Side, after_history, before_history
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance
from hysteresis.training import checkpoints
from hysteresis.training.checkpoints import Checkpoint


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
    _require_place(files[0], initial, before_history(run), 0)
    for file, checkpoint, step in zip(files[1:], rest, pair.steps, strict=True):
        _require_place(file, checkpoint, run if step > 0 else after_history(run), step)
    return Side(run, initial, tuple(rest))


def _require_place(file: Path, checkpoint: Checkpoint, run: Run, step: int) -> None:
    """Raise UserError, with the file's name, unless it holds this run at this step."""
    header = checkpoint.header
    if header.run != run or header.updates != step:
        raise UserError(
            f"{file}: is {header.run.condition} seed {header.run.seed} {header.run.history} after "
            f"{len(header.run.phases)} phases and {header.updates} updates, or of another design, "
            f"not {run.condition} seed {run.seed} {run.history} at step {step}; build it again"
        )


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
