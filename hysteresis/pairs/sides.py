"""Both runs of a pair: verified to be comparable before anything is made of them."""

from dataclasses import dataclass, replace

import torch

from hysteresis.errors import UserError
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

    Each file must hold its own history under the pair's condition and at its step; equal
    seeds of initial weights must have given equal bytes; both runs must come from equal code.
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
        if _codes(one.header) != _codes(other.header):
            raise UserError(
                f"{name} at step {one.header.updates}: the two runs were trained by different "
                "code; rebuild the older one"
            )


def _common_ground(run: Run) -> tuple[object, ...]:
    """What two runs must have in common to be compared: all but history and seeds."""
    return run.condition, run.network, run.optimizer, run.relaxation.optimizer_state


def _verify_side(pair: Pair, side: Side, name: str) -> None:
    initial_sha256 = weights_sha256(side.initial.weights)
    if side.initial.header.initial_sha256 != initial_sha256:
        raise UserError(f"{name} {side.run.history}: initial weights do not match their header")
    for step, checkpoint in zip(pair.steps, side.checkpoints, strict=True):
        header, place = checkpoint.header, f"{name} {side.run.history} at step {step}"
        expected = side.run if step > 0 else _after_history(side.run)
        if header.run != expected or header.updates != step:
            raise UserError(f"{place}: the checkpoint is of another run or step; rebuild it")
        if header.initial_sha256 != initial_sha256:
            raise UserError(f"{place}: the run began from other initial weights; rebuild it")
        if not all(torch.isfinite(tensor).all() for tensor in checkpoint.weights.values()):
            raise UserError(f"{place}: weights are not finite; the run cannot be compared")


def _after_history(run: Run) -> Run:
    return replace(run, relaxation=None, optimizer=run.optimizer if run.phases else None)


def _codes(header: Header) -> tuple[str, ...]:
    return tuple(maker.code for maker in header.makers)
