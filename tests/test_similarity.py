"""Linear CKA against independent formulas, its invariances and its edges."""

import ckatorch
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ortho_group

from hysteresis.pairs.similarity import (
    centre,
    linear_cka,
    paired_arrays,
    representational_hysteresis,
)


def related_pair(seed, samples=60, units_x=7, units_y=11):
    """Two representations with part of their variance in common, uneven scales and offsets."""
    random = np.random.default_rng(seed)
    common = random.standard_normal((samples, 4))
    pair = []
    for units in (units_x, units_y):
        signal = common @ random.standard_normal((4, units))
        noise = random.standard_normal((samples, units)) * random.uniform(0.1, 3, units)
        pair.append(signal + noise + random.standard_normal(units))
    return pair


def hsic_cka(x, y):
    """CKA as the normalised HSIC of two Gram matrices, with the centring matrix written out."""
    samples = len(x)
    centring = np.eye(samples) - np.full((samples, samples), 1 / samples)

    def hsic(gram, other):
        return np.trace(gram @ centring @ other @ centring) / (samples - 1) ** 2

    gram_x, gram_y = x @ x.T, y @ y.T
    return hsic(gram_x, gram_y) / np.sqrt(hsic(gram_x, gram_x) * hsic(gram_y, gram_y))


shapes = pytest.mark.parametrize(
    ("samples", "units_x", "units_y"), [(60, 7, 11), (20, 50, 30), (20, 50, 5), (2, 1, 1)]
)
seeds = pytest.mark.parametrize("seed", range(3))


@seeds
@shapes
def test_equals_the_gram_form(seed, samples, units_x, units_y):
    x, y = related_pair(seed, samples, units_x, units_y)
    assert linear_cka(x, y) == pytest.approx(hsic_cka(x, y), abs=1e-12)


@seeds
@shapes
def test_equals_an_independent_library(seed, samples, units_x, units_y):
    x, y = related_pair(seed, samples, units_x, units_y)
    expected = ckatorch.cka_base(torch.from_numpy(x), torch.from_numpy(y)).item()
    assert linear_cka(x, y) == pytest.approx(expected, abs=1e-12)


def test_one_unit_gives_the_squared_correlation():
    x, y = related_pair(0, units_x=1, units_y=1)
    correlation = np.corrcoef(x[:, 0], y[:, 0])[0, 1]
    assert linear_cka(x, y) == pytest.approx(correlation**2, abs=1e-12)


@seeds
def test_unchanged_by_rotation_scale_shift_and_joint_order(seed):
    x, y = related_pair(seed)
    value = linear_cka(x, y)
    rotation = ortho_group.rvs(7, random_state=seed)
    order = np.random.default_rng(seed).permutation(len(x))
    assert 0.05 < value < 0.95
    assert linear_cka(x @ rotation, y) == pytest.approx(value, abs=1e-12)
    assert linear_cka(-30 * x, y) == pytest.approx(value, abs=1e-12)
    assert linear_cka(x + np.arange(7), y) == pytest.approx(value, abs=1e-12)
    assert linear_cka(x[order], y[order]) == pytest.approx(value, abs=1e-12)
    assert linear_cka(y, x) == pytest.approx(value, abs=1e-12)


def test_changed_by_an_order_of_one_alone_and_by_a_general_linear_map():
    x, y = related_pair(0)
    order = np.random.default_rng(0).permutation(len(x))
    stretch = np.diag([100.0, 1, 1, 1, 1, 1, 1])
    assert abs(linear_cka(x[order], y) - linear_cka(x, y)) > 0.05
    assert linear_cka(x, x @ stretch) < 0.9


def test_identical_representations_give_one():
    x, _ = related_pair(0)
    assert linear_cka(x, x) == pytest.approx(1, abs=1e-12)
    assert linear_cka(x, x.copy()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_no_underflow_or_overflow_over_the_range_of_float32(size):
    x, y = related_pair(0)
    assert linear_cka(size * x, y / size) == pytest.approx(linear_cka(x, y), abs=1e-12)


def test_unrelated_gaussians_show_the_known_bias():
    random = np.random.default_rng(0)
    samples, units = 200, 128
    values = [linear_cka(*random.standard_normal((2, samples, units))) for _ in range(10)]
    assert np.mean(values) == pytest.approx(units / (samples + units), abs=0.01)


def test_large_offset_in_float32_is_removed_in_float64():
    x, _ = related_pair(0)
    rotated = x @ ortho_group.rvs(7, random_state=0)
    stored = [(activations + 100).astype(np.float32) for activations in (x, rotated)]
    assert linear_cka(*stored) == pytest.approx(1, abs=1e-9)


def test_float32_and_integers_are_computed_in_float64():
    x, y = (activations.astype(np.float32) for activations in related_pair(0))
    assert linear_cka(x, y) == linear_cka(x.astype(np.float64), y.astype(np.float64))
    counts = np.arange(6).reshape(3, 2) ** 2
    assert linear_cka(counts, counts) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("level", [0.0, 0.1, 1 / 3, 1e6 / 7])
def test_constant_layer_gives_nan(level):
    x, _ = related_pair(0)
    dead = np.full((len(x), 5), level)
    assert np.isnan(linear_cka(x, dead))
    assert np.isnan(linear_cka(dead, x))
    assert np.isnan(linear_cka(dead, dead))


def test_dead_units_in_a_live_layer_do_not_count():
    x, y = related_pair(0)
    with_dead_units = np.hstack([x, np.full((len(x), 3), 0.1)])
    assert linear_cka(with_dead_units, y) == pytest.approx(linear_cka(x, y), abs=1e-12)


def test_inputs_are_not_changed():
    x, y = related_pair(0)
    copies = x.copy(), y.copy()
    linear_cka(x, y)
    assert np.array_equal(x, copies[0]) and np.array_equal(y, copies[1])


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        (np.ones(4), np.ones((4, 2)), r"two axes.*\(4,\) and \(4, 2\)"),
        (np.ones((4, 2)), np.ones((4, 2, 3)), r"two axes.*\(4, 2\) and \(4, 2, 3\)"),
        (np.ones((4, 2)), np.ones((5, 2)), r"same samples.*\(4, 2\) and \(5, 2\)"),
        (np.ones((1, 2)), np.ones((1, 3)), r"two samples.*\(1, 2\) and \(1, 3\)"),
        (np.ones((4, 0)), np.ones((4, 3)), r"one unit.*\(4, 0\) and \(4, 3\)"),
        (np.full((4, 2), np.nan), np.ones((4, 3)), r"finite.*\(4, 2\) and \(4, 3\)"),
        (np.ones((4, 2)), np.full((4, 3), np.inf), r"finite.*\(4, 2\) and \(4, 3\)"),
    ],
)
def test_arrays_that_cannot_be_compared_are_refused(x, y, reason):
    for function in (paired_arrays, linear_cka):
        with pytest.raises(ValueError, match=reason) as refusal:
            function(x, y)
        assert "\n" not in str(refusal.value)


def test_centre_makes_constant_units_exactly_zero():
    x = np.column_stack([np.full(7, 0.1), np.arange(7.0)])
    assert np.array_equal(centre(x), np.column_stack([np.zeros(7), np.arange(7) - 3.0]))


@pytest.mark.parametrize(
    ("ckas", "expected"),
    [
        ((1, 1), 0),
        ((0, 0), 1),
        ((1, 0), 0.5),
        ((0.9, 0.8), 0.15),
        ((0.7,), 0.3),
        ((1, 1, 0), 1 / 3),
    ],
)
def test_representational_hysteresis_is_one_minus_the_mean_of_any_number_of_layers(ckas, expected):
    assert representational_hysteresis(ckas) == pytest.approx(expected, abs=1e-12)


@given(st.floats(0, 1), st.floats(0, 1))
def test_of_two_layers_it_is_the_papers_formula_to_the_last_bit(cka_conv2, cka_fc1):
    assert representational_hysteresis([cka_conv2, cka_fc1]) == 1 - (cka_conv2 + cka_fc1) / 2


def test_representational_hysteresis_with_a_dead_layer_is_nan():
    assert np.isnan(representational_hysteresis([0.9, float("nan")]))


def cka_of_one_square_root(x, y):
    """Linear CKA as it is written: overflows where features reach about 1e37."""
    x, y = centre(x), centre(y)
    within = np.square(x.T @ x.copy()).sum() * np.square(y.T @ y.copy()).sum()
    return np.square(x.T @ y).sum() / np.sqrt(within)


@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(-4, 4))
def test_ordinary_inputs_keep_every_bit_of_the_plain_formula(seed, scale):
    generator = np.random.default_rng(seed)
    samples, units, others = generator.integers((2, 1, 1), (40, 30, 30))
    x = generator.normal(size=(samples, units)) * 10**scale
    y = np.maximum(generator.normal(size=(samples, others)), 0)
    assert np.array_equal(linear_cka(x, y), cka_of_one_square_root(x, y), equal_nan=True)


@pytest.mark.parametrize("scale", [1e-80, 1e-40, 1e37, 1e75, 1e150])
def test_the_scale_of_the_features_neither_overflows_nor_vanishes(scale):
    x, y = related_pair(0)
    assert linear_cka(scale * x, scale * y) == pytest.approx(linear_cka(x, y), rel=1e-12)
    assert linear_cka(scale * x, scale * x) == 1
