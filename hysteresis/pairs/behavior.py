"""What a network does on test images: counts of correct answers, losses, and a pair's differences.

Accuracies are kept as integer counts. In binary floating point 0.9875 - 0.9855 > 0.002, which
would undo a match that the declared criterion grants.
"""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hysteresis.data.images import LabelledImages, membership
from hysteresis.jobs.run import ImageSelection

# Images at once: few enough that a layer's maps stay in the cache, which is 2 to 4 times faster.
BATCH = 50


@dataclass(frozen=True)
class Score:
    """Correct predictions of ``total``, and the mean cross-entropy in nats."""

    correct: int
    total: int
    loss: float


def logits_of(network: nn.Module, images: Tensor) -> Tensor:
    """Logits (n, classes) float32 on the CPU, computed in batches of fixed size."""
    device = next(network.parameters()).device
    with torch.inference_mode():
        return torch.cat([network(batch.to(device)).cpu() for batch in images.split(BATCH)])


def masked_parts(parts: dict[str, ImageSelection], images: LabelledImages) -> dict[str, Tensor]:
    """For each part the boolean mask (n,) of those of ``images`` that belong to it."""
    return {name: membership(images, part) for name, part in parts.items()}


def score(logits: Tensor, labels: Tensor) -> Score:
    """Score of logits (n, classes) against labels (n,)."""
    losses = F.cross_entropy(logits.to(torch.float64), labels, reduction="none")
    return Score(
        correct=int((logits.argmax(dim=1) == labels).sum()),
        total=len(labels),
        loss=float(losses.mean()),
    )


def disagreements(first: Tensor, second: Tensor) -> int:
    """Number of images for which two networks' logits (n, classes) predict different classes."""
    return int((first.argmax(dim=1) != second.argmax(dim=1)).sum())


def jensen_shannon_divergence(first: Tensor, second: Tensor) -> float:
    """Mean over images of the Jensen-Shannon divergence of the softmax outputs, in nats.

    Computed in float64 from logits (n, classes); between 0 and ln 2 (Lin 1991).
    """
    log_p = F.log_softmax(first.to(torch.float64), dim=1)
    log_q = F.log_softmax(second.to(torch.float64), dim=1)
    log_middle = torch.logaddexp(log_p, log_q) - torch.log(torch.tensor(2.0, dtype=torch.float64))
    divergence = log_p.exp() * (log_p - log_middle) + log_q.exp() * (log_q - log_middle)
    return float(divergence.sum(dim=1).mean() / 2)


def normalized_weight_distance(
    first: dict[str, Tensor],
    second: dict[str, Tensor],
    first_initial: dict[str, Tensor],
    second_initial: dict[str, Tensor],
) -> float:
    """Distance of two networks relative to how far they moved, over all parameters.

    ||a - b|| / ((||a - a0|| + ||b - b0||) / 2) in float64; NaN when neither has moved.
    """
    travelled = (_distance(first, first_initial) + _distance(second, second_initial)) / 2
    return _distance(first, second) / travelled if travelled > 0 else float("nan")


def _distance(first: dict[str, Tensor], second: dict[str, Tensor]) -> float:
    squares = [
        (first[name].to(torch.float64) - second[name].to(torch.float64)).square().sum()
        for name in sorted(first)  # the order of a file decides no rounding
    ]
    return float(torch.stack(squares).sum().sqrt())
