"""Both runs of a pair: verified to be comparable before anything is made of them."""

from dataclasses import dataclass, replace

import torch

from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.pair import Pair
from hysteresis.jobs.run import Run
from hysteresis.training.checkpoints import Checkpoint, Header, weights_sha256


@dataclass(frozen=True)
class Side:
    """One run of a pair: its initial weights, and its checkpoints at the pair's steps."""

    run: Run
    initial: Checkpoint
    checkpoints: tuple[Checkpoint, ...]


def verify(pair: Pair, first: Side, second: Side) -> None:
    """Raise UserError unless the two runs are what the pair says, and may be compared.

    Each file must hold its own history under the pair's condition and at its step; equal seeds of
    initial weights must have given equal bytes; both must have been trained by the same code and
    libraries, on the same kind of device, from the same data.
    """
    name = f"{pair.experiment} seed {pair.first.seed}"
    if _common_ground(pair.first) != _common_ground(pair.second):
        raise UserError(f"{name}: the two runs have different conditions; pair runs of one")
    for side in (first, second):
        _verify_side(pair, side, name)
    same_bytes = first.initial.header.initial_sha256 == second.initial.header.initial_sha256
    if pair.first.weights == pair.second.weights and not same_bytes:
        raise UserError(f"{name}: the two runs began from different weights; rebuild both")
    for one, other in zip(first.checkpoints, second.checkpoints, strict=True):
        _require_made_alike(f"{name} at step {one.header.updates}", one.header, other.header)


def _common_ground(run: Run) -> tuple[object, ...]:
    """What two runs must have in common to be compared: all but history and seeds."""
    common = run.relaxation
    at_relaxation = (common.optimizer_state, common.reinitialised)
    return run.condition, run.network, run.optimizer, at_relaxation


def _require_made_alike(place: str, one: Header, other: Header) -> None:
    makers = [[maker for maker in header.makers if maker.data] for header in (one, other)]
    if not all(makers):
        return  # a history without phases is not trained before the common phase
    for what in ("code", "device", "versions", "data"):
        found = [{to_json(getattr(maker, what)) for maker in of_one} for of_one in makers]
        if found[0] != found[1]:
            raise UserError(
                f"{place}: the two runs were trained by different {what}; build the older one again"
            )


def _verify_side(pair: Pair, side: Side, name: str) -> None:
    initial_sha256 = weights_sha256(side.initial.weights)
    if side.initial.header.initial_sha256 != initial_sha256:
        raise UserError(f"{name} {side.run.history}: initial weights do not match their header")
    for step, checkpoint in zip(pair.steps, side.checkpoints, strict=True):
        header, place = checkpoint.header, f"{name} {side.run.history} at step {step}"
        expected = side.run if step > 0 else after_history(side.run)
        if header.run != expected or header.updates != step:
            raise UserError(f"{place}: the checkpoint is of another run or step; rebuild it")
        if header.initial_sha256 != initial_sha256:
            raise UserError(f"{place}: the run began from other initial weights; rebuild it")
        if not all(torch.isfinite(tensor).all() for tensor in checkpoint.weights.values()):
            raise UserError(f"{place}: weights are not finite; the run cannot be compared")


def before_history(run: Run) -> Run:
    """The run before its first phase: its initial weights."""
    return replace(run, phases=(), relaxation=None, optimizer=None)


def after_history(run: Run) -> Run:
    """The run at the end of its history, before the common phase."""
    return replace(run, relaxation=None, optimizer=run.optimizer if run.phases else None)
