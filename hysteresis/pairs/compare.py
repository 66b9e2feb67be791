"""Two runs side by side: first verified to be comparable, then measured at each checkpoint."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace

import torch
from torch import Tensor

from hysteresis.data.images import LabelledImages, membership
from hysteresis.errors import UserError
from hysteresis.jobs.pair import Comparison, Pair
from hysteresis.jobs.run import ImageSelection, Run
from hysteresis.pairs import behavior
from hysteresis.pairs.behavior import Score
from hysteresis.pairs.matching import behavioral_match
from hysteresis.pairs.representations import Representation, represent
from hysteresis.pairs.similarity import linear_cka, representational_hysteresis
from hysteresis.training.checkpoints import Checkpoint, Header, weights_sha256
from hysteresis.training.layers import HIDDEN_LAYERS, LAYERS
from hysteresis.training.network import network_with

Row = dict[str, object]


@dataclass(frozen=True)
class Side:
    """One run of a pair: its initial weights, and its checkpoints at the comparison's steps."""

    run: Run
    initial: Checkpoint
    checkpoints: tuple[Checkpoint, ...]


@dataclass(frozen=True)
class ComparisonImages:
    """What the comparison is made on; ``parts`` are boolean masks (n,) over ``full``."""

    full: LabelledImages
    parts: dict[str, Tensor]
    probe: LabelledImages


def masked_parts(parts: dict[str, ImageSelection], images: LabelledImages) -> dict[str, Tensor]:
    """For each part the mask of those of ``images`` that belong to it."""
    return {name: membership(images, part) for name, part in parts.items()}


# ---- verification ----------------------------------------------------------------------------


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


# ---- measurement -----------------------------------------------------------------------------


def compare_pair(
    comparison: Comparison,
    first: Side,
    second: Side,
    images: ComparisonImages,
    device: torch.device,
) -> Iterable[Row]:
    """One row a checkpoint. Signed differences are the first run minus the second.

    Columns of one run end in its history's name in lower case: ``correct_abc``.
    """
    verify(comparison, first, second)
    for step, one, other in zip(
        comparison.steps, first.checkpoints, second.checkpoints, strict=True
    ):
        row: Row = {"experiment": comparison.experiment, "seed": first.run.seed, "step": step}
        seen = [_look_at(checkpoint, images, device) for checkpoint in (one, other)]
        row |= _behavior_columns(comparison, first.run, second.run, *(scores for scores, _ in seen))
        row |= _similarity_columns(*(representation for _, representation in seen))
        row["normalized_weight_distance"] = behavior.normalized_weight_distance(
            one.weights, other.weights, first.initial.weights, second.initial.weights
        )
        row |= _health_columns(first.run, second.run, *(shown for _, shown in seen))
        yield row


def _look_at(
    checkpoint: Checkpoint, images: ComparisonImages, device: torch.device
) -> tuple[dict[str, Score], Representation]:
    network = network_with(checkpoint.header.run.network, checkpoint.weights).to(device).eval()
    logits = behavior.logits_of(network, images.full.images)
    scores = {"": behavior.score(logits, images.full.labels)}
    for part, mask in images.parts.items():
        scores[f"_{part.lower()}_part"] = behavior.score(logits[mask], images.full.labels[mask])
    return scores, represent(network, images.probe.images)


def _behavior_columns(
    comparison: Comparison, one: Run, other: Run, ones: dict[str, Score], others: dict[str, Score]
) -> Row:
    row: Row = {}
    names = [run.history.lower() for run in (one, other)]
    for suffix in ones:
        pair = (ones[suffix], others[suffix])
        row[f"total{suffix}"] = pair[0].total
        for name, score in zip(names, pair, strict=True):
            row[f"correct{suffix}_{name}"] = score.correct
            row[f"accuracy{suffix}_{name}"] = score.correct / score.total
            row[f"loss{suffix}_{name}"] = score.loss
        row[f"correct{suffix}_difference"] = pair[0].correct - pair[1].correct
        row[f"loss{suffix}_difference"] = pair[0].loss - pair[1].loss
    row["behavioral_match"] = behavioral_match(
        ones[""].correct,
        others[""].correct,
        ones[""].total,
        # Decimals as they are written in the configuration, not their binary neighbours.
        str(comparison.match.max_accuracy_gap),
        str(comparison.match.min_accuracy),
    )
    return row


def _similarity_columns(one: Representation, other: Representation) -> Row:
    cka = {layer: linear_cka(one.features[layer], other.features[layer]) for layer in LAYERS}
    row: Row = {f"cka_{layer}": value for layer, value in cka.items()}
    row["h_repr"] = representational_hysteresis(cka["conv2"], cka["fc1"])
    row["probe_images"] = len(one.logits)
    row["disagreements"] = behavior.disagreements(one.logits, other.logits)
    row["prediction_disagreement"] = row["disagreements"] / row["probe_images"]
    row["js_divergence"] = behavior.jensen_shannon_divergence(one.logits, other.logits)
    return row


def _health_columns(first: Run, second: Run, one: Representation, other: Representation) -> Row:
    row: Row = {}
    for layer in HIDDEN_LAYERS:
        pair = (asdict(one.health[layer]), asdict(other.health[layer]))
        for quantity in pair[0]:
            for run, health in zip((first, second), pair, strict=True):
                row[f"{quantity}_{layer}_{run.history.lower()}"] = health[quantity]
            row[f"{quantity}_{layer}_difference"] = abs(pair[0][quantity] - pair[1][quantity])
    return row
