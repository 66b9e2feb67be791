"""Linear probes: new heads trained on the frozen features of both networks of a pair.

Source: arXiv 2609.37836, section "Frozen linear probes".
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hysteresis.data.images import LabelledImages
from hysteresis.errors import UserError
from hysteresis.jobs.pair import Pair
from hysteresis.jobs.probe import Budget, HeadSettings, PairProbe
from hysteresis.pairs.behavior import BATCH
from hysteresis.pairs.columns import KEYS, MATCH, Row, column_name
from hysteresis.pairs.representations import spatial_mean
from hysteresis.probes.columns import SIDES
from hysteresis.training.checkpoints import Checkpoint
from hysteresis.training.network import network_with

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class ProbeImages:
    """``train`` lists the images of the largest budget; ``parts`` are masks over ``test``."""

    train: LabelledImages
    test: LabelledImages
    parts: dict[str, Tensor]


@dataclass(frozen=True)
class FrozenFeatures:
    """One network's features, float32: of the training images (n, units) and the test probe."""

    history: str
    train: Tensor
    test: Tensor


@dataclass(frozen=True)
class Epoch:
    """What a head did in one epoch (counted from 1): its mean loss, and the minibatches it saw.

    ``train_loss`` is the mean cross-entropy in nats over the training images, each taken in its
    minibatch, before the update made from it. ``minibatches`` are indices of training images.
    """

    number: int
    train_loss: float
    minibatches: list[Tensor]


# ---- which checkpoint ------------------------------------------------------------------------


def matched_step(pair: Pair, table: "pd.DataFrame") -> int | None:
    """The step at which the pair first matches in behaviour by its table, or None."""
    expected = [(pair.experiment, pair.first.seed, step) for step in pair.steps]
    rows = table[list(KEYS)]
    if list(rows.itertuples(index=False, name=None)) != expected:
        raise UserError(
            f"{pair.experiment} seed {pair.first.seed}: the pair's table is of another pair or has "
            "other steps; rebuild it"
        )
    matches = table.loc[table[MATCH], "step"]
    return None if matches.empty else int(matches.min())


# ---- both networks of a pair -----------------------------------------------------------------


def probe_pair(
    probe: PairProbe, first: Checkpoint, second: Checkpoint, images: ProbeImages
) -> list[Row]:
    """A row a budget, head seed, epoch and side: the training loss and counts on the test probe.

    ``first`` and ``second`` are verified checkpoints at one step. Raises UserError when a
    network changes, when two heads begin unequal or see other minibatches, or diverge.
    """
    place = f"{probe.pair.experiment} seed {first.header.run.seed}"
    networks = [frozen_network(checkpoint) for checkpoint in (first, second)]
    frozen = tuple(
        FrozenFeatures(
            checkpoint.header.run.history,
            features(network, images.train.images, probe.layer),
            features(network, images.test.images, probe.layer),
        )
        for network, checkpoint in zip(networks, (first, second), strict=True)
    )
    rows = [
        {
            "experiment": probe.pair.experiment,
            "seed": first.header.run.seed,
            "step": first.header.updates,
            "layer": probe.layer,
            **row,
        }
        for budget in probe.budgets
        for head_seed in budget.head_seeds
        for row in _head_rows(probe, budget, head_seed, frozen, images, place)
    ]
    for network, checkpoint in zip(networks, (first, second), strict=True):
        require_frozen(network, checkpoint, place)
    return rows


def _head_rows(
    probe: PairProbe,
    budget: Budget,
    head_seed: int,
    frozen: tuple[FrozenFeatures, ...],
    images: ProbeImages,
    place: str,
) -> Iterator[Row]:
    """The rows of one head seed, trained on both histories' features side by side."""
    place = f"{place}, {budget.images_per_class} images a class, head seed {head_seed}"
    chosen = first_of_each_class(
        len(images.train), probe.train.examples_per_class, budget.images_per_class
    )
    labels = images.train.labels[chosen]
    classes = probe.pair.first.network.classes
    heads = [new_head(head_seed, each.train.shape[1], classes) for each in frozen]
    require_equal_heads(*heads, place)
    learning = [
        train_head(head, each.train[chosen], labels, head_seed, probe.head)
        for head, each in zip(heads, frozen, strict=True)
    ]
    for epochs in zip(*learning, strict=True):
        require_equal_minibatches(*epochs, place)
        for side, each, head, epoch in zip(SIDES, frozen, heads, epochs, strict=True):
            _require_finite(epoch, f"{place}, history {each.history}")
            yield {
                "images_per_class": budget.images_per_class,
                "head_seed": head_seed,
                "epoch": epoch.number,
                "side": side,
                "history": each.history,
                "train_loss": epoch.train_loss,
                **correct_counts(head, each.test, images),
            }


# ---- frozen features -------------------------------------------------------------------------


def frozen_network(checkpoint: Checkpoint) -> nn.Module:
    """The checkpoint's network in evaluation mode, none of its parameters open to learning."""
    network = network_with(checkpoint.header.run.network, checkpoint.weights)
    return network.eval().requires_grad_(False)


def features(network: nn.Module, images: Tensor, layer: str) -> Tensor:
    """Post-activation features (n, units) float32 of images (n, channels, height, width).

    Those of a convolution are averaged over space, before pooling, in float64.
    """
    with torch.no_grad():
        batches = [network.activations(batch)[layer] for batch in images.split(BATCH)]
        return torch.cat([spatial_mean(batch).to(torch.float32) for batch in batches])


def first_of_each_class(listed: int, listed_per_class: int, count: int) -> Tensor:
    """Indices of the first ``count`` images of each class.

    Among ``listed`` images, so many of each class, class by class (and rotation by rotation).
    """
    return torch.arange(listed).reshape(-1, listed_per_class)[:, :count].flatten()


# ---- one head --------------------------------------------------------------------------------


def new_head(head_seed: int, units: int, classes: int) -> nn.Linear:
    """PyTorch's default Linear(units, classes) after ``manual_seed(head_seed)``."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(head_seed)
        return nn.Linear(units, classes)


def train_head(
    head: nn.Linear, inputs: Tensor, labels: Tensor, head_seed: int, settings: HeadSettings
) -> Iterator[Epoch]:
    """Train ``head`` in place by plain SGD on features (n, units); yields after each epoch."""
    optimizer = torch.optim.SGD(head.parameters(), lr=settings.learning_rate)
    for number in range(1, settings.epochs + 1):
        batches = minibatches(len(labels), head_seed, number, settings.batch_size)
        summed = 0.0
        for batch in batches:
            loss = F.cross_entropy(head(inputs[batch]), labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            summed += loss.item() * len(batch)
        yield Epoch(number, summed / len(labels), batches)


def minibatches(count: int, head_seed: int, epoch: int, batch_size: int) -> list[Tensor]:
    """The order of ``count`` images in one epoch (from 1), cut into minibatches."""
    generator = torch.Generator().manual_seed(head_seed + epoch)
    return list(torch.randperm(count, generator=generator).split(batch_size))


def correct_counts(head: nn.Linear, inputs: Tensor, images: ProbeImages) -> Row:
    """Correct predictions and totals on the whole test probe and on its parts."""
    with torch.no_grad():
        correct = head(inputs).argmax(dim=1) == images.test.labels
    counts: Row = {"total": len(correct), "correct": int(correct.sum())}
    for part, mask in images.parts.items():
        counts[column_name("total", part=part)] = int(mask.sum())
        counts[column_name("correct", part=part)] = int(correct[mask].sum())
    return counts


# ---- what must hold for every pair of heads --------------------------------------------------


def require_frozen(network: nn.Module, checkpoint: Checkpoint, place: str) -> None:
    """Raise UserError unless the network's parameters are the checkpoint's, byte for byte."""
    for name, parameter in network.named_parameters():
        if not _same_bytes(parameter, checkpoint.weights[name]):
            raise UserError(
                f"{place}, history {checkpoint.header.run.history}: {name} of the frozen network "
                "changed while heads were trained; features must not learn"
            )


def require_equal_heads(first: nn.Linear, second: nn.Linear, place: str) -> None:
    """Raise UserError unless both heads hold the same tensors, byte for byte."""
    for (name, one), (_, other) in zip(
        first.named_parameters(), second.named_parameters(), strict=True
    ):
        if not _same_bytes(one, other):
            raise UserError(
                f"{place}: the two histories' heads begin from different tensors ({name}); "
                "draw both from the head seed alone"
            )


def require_equal_minibatches(first: Epoch, second: Epoch, place: str) -> None:
    """Raise UserError unless both heads saw the same images in the same minibatches."""
    same = len(first.minibatches) == len(second.minibatches) and all(
        torch.equal(one, other)
        for one, other in zip(first.minibatches, second.minibatches, strict=True)
    )
    if not same:
        raise UserError(
            f"{place}, epoch {first.number}: the two histories' heads saw different minibatches; "
            "draw both orders from the head seed and the epoch alone"
        )


def _require_finite(epoch: Epoch, place: str) -> None:
    if not math.isfinite(epoch.train_loss):
        raise UserError(
            f"{place}, epoch {epoch.number}: the head's loss is not finite; "
            "lower probes: head: learning_rate in the configuration"
        )


def _same_bytes(first: Tensor, second: Tensor) -> bool:
    return first.detach().numpy().tobytes() == second.detach().numpy().tobytes()
