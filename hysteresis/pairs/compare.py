"""The main comparison: behaviour, representations and weights of two runs at each checkpoint."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from hysteresis.data.images import LabelledImages
from hysteresis.jobs.pair import Comparison, MatchSettings
from hysteresis.pairs import behavior
from hysteresis.pairs.behavior import Score
from hysteresis.pairs.columns import DIFFERENCE, MATCH, PairColumns, Row, column_name
from hysteresis.pairs.matching import behavioral_match
from hysteresis.pairs.representations import Representations, represent
from hysteresis.pairs.sides import Side, verify
from hysteresis.pairs.similarity import linear_cka, representational_hysteresis
from hysteresis.training.checkpoints import Checkpoint
from hysteresis.training.layers import Architecture, architecture_named
from hysteresis.training.network import network_with


@dataclass(frozen=True)
class ComparisonImages:
    """What the comparison is made on; ``parts`` are boolean masks (n,) over ``full``."""

    full: LabelledImages
    parts: dict[str, Tensor]
    probe: LabelledImages


def columns_of_comparison(comparison: Comparison) -> PairColumns:
    """The columns of its rows."""
    return PairColumns(
        (comparison.first.history, comparison.second.history),
        tuple(comparison.parts),
        architecture_named(comparison.first.network.architecture),
    )


def compare_pair(
    comparison: Comparison,
    first: Side,
    second: Side,
    images: ComparisonImages,
    device: torch.device,
) -> Iterator[Row]:
    """One row a checkpoint, with the columns of :func:`columns_of_comparison`.

    Signed differences are the first run minus the second. Raises UserError unless the two runs are
    what the comparison says, and may be compared.
    """
    verify(comparison, first, second)
    columns = columns_of_comparison(comparison)
    architecture = columns.architecture
    for step, one, other in zip(
        comparison.steps, first.checkpoints, second.checkpoints, strict=True
    ):
        scores, shown = zip(
            *(_look_at(checkpoint, architecture, images, device) for checkpoint in (one, other)),
            strict=True,
        )
        distance = behavior.normalized_weight_distance(
            one.weights, other.weights, first.initial.weights, second.initial.weights
        )
        yield {
            "experiment": comparison.experiment,
            "seed": first.run.seed,
            "step": step,
            **_score_columns(columns.histories, *scores),
            MATCH: _is_match(comparison.match, *(score[""] for score in scores)),
            **_similarity_columns(architecture, *shown),
            "normalized_weight_distance": distance,
            **_health_columns(columns.histories, *shown),
        }


def _look_at(
    checkpoint: Checkpoint,
    architecture: Architecture,
    images: ComparisonImages,
    device: torch.device,
) -> tuple[dict[str, Score], Representations]:
    """Scores by part, under an empty name of all images, and the representations of the probe."""
    network = network_with(checkpoint.header.run.network, checkpoint.weights).to(device).eval()
    logits = behavior.logits_of(network, images.full.images)
    scores = {"": behavior.score(logits, images.full.labels)}
    for part, mask in images.parts.items():
        scores[part] = behavior.score(logits[mask], images.full.labels[mask])
    return scores, represent(network, architecture, images.probe.images)


def _score_columns(
    histories: tuple[str, ...], first: dict[str, Score], second: dict[str, Score]
) -> Row:
    row: Row = {}
    for part in first:
        pair = (first[part], second[part])
        row[column_name("total", part=part)] = pair[0].total
        for history, score in zip(histories, pair, strict=True):
            row[column_name("correct", part=part, of=history)] = score.correct
            row[column_name("accuracy", part=part, of=history)] = score.correct / score.total
            row[column_name("loss", part=part, of=history)] = score.loss
        correct, loss = pair[0].correct - pair[1].correct, pair[0].loss - pair[1].loss
        row[column_name("correct", part=part, of=DIFFERENCE)] = correct
        row[column_name("loss", part=part, of=DIFFERENCE)] = loss
    return row


def _is_match(match: MatchSettings, first: Score, second: Score) -> bool:
    # Decimals as they are written in the configuration, not their binary neighbours.
    bounds = str(match.max_accuracy_gap), str(match.min_accuracy)
    return behavioral_match(first.correct, second.correct, first.total, *bounds)


def _similarity_columns(
    architecture: Architecture, first: Representations, second: Representations
) -> Row:
    cka = {
        layer: linear_cka(first.features[layer], second.features[layer])
        for layer in architecture.names
    }
    disagreements = behavior.disagreements(first.logits, second.logits)
    return {
        **{column_name("cka", layer=layer): value for layer, value in cka.items()},
        "h_repr": representational_hysteresis([cka[layer] for layer in architecture.in_h_repr]),
        "probe_images": len(first.logits),
        "disagreements": disagreements,
        "prediction_disagreement": disagreements / len(first.logits),
        "js_divergence": behavior.jensen_shannon_divergence(first.logits, second.logits),
    }


def _health_columns(
    histories: tuple[str, ...], first: Representations, second: Representations
) -> Row:
    row: Row = {}
    for layer in first.health:
        pair = (asdict(first.health[layer]), asdict(second.health[layer]))
        for quantity in pair[0]:
            for history, health in zip(histories, pair, strict=True):
                row[column_name(quantity, layer=layer, of=history)] = health[quantity]
            difference = abs(pair[0][quantity] - pair[1][quantity])
            row[column_name(quantity, layer=layer, of=DIFFERENCE)] = difference
    return row
