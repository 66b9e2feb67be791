"""Scores, disagreement, divergence and weight distance on cases known by hand."""

import math

import pytest
import torch
from scipy.spatial.distance import jensenshannon

from hysteresis.pairs import behavior


def test_a_score_counts_correct_predictions_and_averages_the_cross_entropy():
    logits = torch.tensor([[2.0, 0.0], [0.0, 1.0], [3.0, 0.0], [1.0, 0.0]])
    score = behavior.score(logits, torch.tensor([0, 1, 1, 0]))
    assert (score.correct, score.total) == (3, 4)
    losses = [math.log(1 + math.exp(gap)) for gap in (-2.0, -1.0, 3.0, -1.0)]
    assert score.loss == pytest.approx(sum(losses) / 4, rel=1e-12)


def test_disagreements_are_counted():
    first = torch.eye(10)
    second = torch.eye(10)[[1, 0, *range(2, 10)]]
    assert behavior.disagreements(first, second) == 2


def test_jensen_shannon_divergence_agrees_with_scipy_and_its_bounds():
    generator = torch.Generator().manual_seed(0)
    first, second = (3 * torch.randn(50, 10, generator=generator) for _ in range(2))
    p, q = (logits.double().softmax(dim=1).numpy() for logits in (first, second))
    expected = (jensenshannon(p, q, axis=1) ** 2).mean()  # scipy's distance is its square root
    assert behavior.jensen_shannon_divergence(first, second) == pytest.approx(expected, rel=1e-9)
    assert behavior.jensen_shannon_divergence(first, first) == pytest.approx(0, abs=1e-15)
    apart = torch.tensor([[0.0, 1000.0]]), torch.tensor([[1000.0, 0.0]])
    assert behavior.jensen_shannon_divergence(*apart) == pytest.approx(math.log(2), rel=1e-12)


def test_weight_distance_is_relative_to_the_mean_distance_travelled():
    zero = {"a": torch.zeros(2), "b": torch.zeros(1)}
    first = {"a": torch.tensor([3.0, 0.0]), "b": torch.tensor([4.0])}
    second = {"a": torch.tensor([0.0, 0.0]), "b": torch.tensor([1.0])}
    distance = behavior.normalized_weight_distance(first, second, zero, zero)
    assert distance == pytest.approx(math.sqrt(18) / 3, rel=1e-12)
    assert math.isnan(behavior.normalized_weight_distance(zero, zero, zero, zero))
