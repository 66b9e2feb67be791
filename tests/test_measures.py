"""Measures of similarity against independent formulas, their invariances, biases and edges."""

import ckatorch
import numpy as np
import pytest
import torch
from scipy.spatial import procrustes as scipy_procrustes
from scipy.stats import ortho_group, spearmanr

from hysteresis.measures.activations import Activations
from hysteresis.measures.cca import mean_cca, svcca
from hysteresis.measures.cka import (
    cka_without_top_components,
    class_residuals,
    debiased_linear_cka,
    first_component_share,
    within_class_cka,
)
from hysteresis.measures.neighbours import knn_jaccard, mutual_knn, shared_neighbours
from hysteresis.measures.procrustes import procrustes
from hysteresis.measures.registry import MEASURES, Measure, measure_layer
from hysteresis.measures.rsa import rsa_cosine, rsa_spearman
from hysteresis.pairs.similarity import linear_cka

SAMPLES, UNITS_X, UNITS_Y = 60, 7, 11
LABELS = np.arange(SAMPLES) % 4


def related_pair(seed=0, samples=SAMPLES, units_x=UNITS_X, units_y=UNITS_Y):
    """Two representations with part of their variance in common, uneven scales and offsets."""
    random = np.random.default_rng(seed)
    common = random.standard_normal((samples, 4))
    pair = []
    for units in (units_x, units_y):
        signal = common @ random.standard_normal((4, units))
        noise = random.standard_normal((samples, units)) * random.uniform(0.1, 3, units)
        pair.append(signal + noise + random.standard_normal(units))
    return pair


def squared_distances(x):
    """Matrix of squared Euclidean distances from the Gram matrix."""
    gram = x @ x.T
    return np.diag(gram)[:, None] + np.diag(gram) - 2 * gram


def centred_orthonormal(random, count):
    """Uncorrelated columns of mean 0 and length 1, shape (SAMPLES, count)."""
    columns = random.standard_normal((SAMPLES, count))
    return np.linalg.qr(columns - columns.mean(axis=0))[0]


def evaluate(measure, x, y, labels=LABELS):
    return measure.function(x, y, *([labels] if measure.needs_labels else []))


seeds = pytest.mark.parametrize("seed", range(3))
shapes = pytest.mark.parametrize(("units_x", "units_y"), [(7, 11), (80, 11), (80, 100), (1, 1)])
every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda m: m.name)


# Properties of every measure in the registry


@seeds
@shapes
@every_measure
def test_unchanged_by_rotation_scale_shift_and_joint_order(measure, seed, units_x, units_y):
    x, y = related_pair(seed, units_x=units_x, units_y=units_y)
    value = evaluate(measure, x, y)
    order = np.random.default_rng(seed).permutation(SAMPLES)
    rotated = x if units_x == 1 else x @ ortho_group.rvs(units_x, random_state=seed)
    assert isinstance(value, float)
    # Without its only component a layer of one unit has nothing left.
    same = pytest.approx(value, abs=1e-9, nan_ok=measure.name == "cka_without_top_components")
    assert evaluate(measure, rotated, y) == same
    assert evaluate(measure, -30 * x, y) == same
    assert evaluate(measure, x + np.arange(units_x), y) == same
    assert evaluate(measure, x[order], y[order], LABELS[order]) == same


@seeds
@every_measure
def test_symmetric(measure, seed):
    x, y = related_pair(seed)
    assert evaluate(measure, y, x) == pytest.approx(evaluate(measure, x, y), abs=1e-12)


@shapes
@every_measure
def test_identical_and_rotated_representations_reach_the_declared_value(measure, units_x, units_y):
    x, _ = related_pair(units_x=max(2, units_x), units_y=units_y)
    rotated = x @ ortho_group.rvs(x.shape[1], random_state=1)
    assert evaluate(measure, x, x.copy()) == pytest.approx(measure.identical, abs=1e-6)
    assert evaluate(measure, x, rotated) == pytest.approx(measure.identical, abs=1e-6)


@every_measure
def test_direction_is_as_declared(measure):
    """A copy with little noise is more similar than one with much."""
    x, noise = related_pair(0)[0], np.random.default_rng(1).standard_normal((SAMPLES, UNITS_X))
    near, far = (evaluate(measure, x, x + size * noise) for size in (0.1, 10))
    assert (near > far) == measure.larger_is_more_similar


@every_measure
def test_changed_by_a_general_linear_map_except_cca(measure):
    """The map shrinks the unit of largest variance to nothing beside the others."""
    x = np.random.default_rng(0).standard_normal((SAMPLES, 3)) * [10, 1, 1]
    changed = evaluate(measure, x, x * [0.01, 1, 1])
    change = abs(changed - measure.identical)
    assert change < 1e-9 if measure.name == "mean_cca" else change > 0.05


@pytest.mark.parametrize("level", [0.0, 0.1])
@every_measure
def test_constant_layer_gives_nan(measure, level):
    x, _ = related_pair()
    dead = np.full((SAMPLES, 5), level)
    for pair in ((x, dead), (dead, x), (dead, dead)):
        assert np.isnan(evaluate(measure, *pair))


@every_measure
def test_dead_units_in_a_live_layer_do_not_count(measure):
    x, y = related_pair()
    with_dead_units = np.hstack([np.full((SAMPLES, 3), 0.1), x])
    expected = evaluate(measure, x, y)
    assert evaluate(measure, with_dead_units, y) == pytest.approx(expected, abs=1e-12)


@every_measure
def test_large_offset_in_float32_is_removed_in_float64(measure):
    x, _ = related_pair()
    rotated = x @ ortho_group.rvs(UNITS_X, random_state=0)
    stored = [(activations + 100).astype(np.float32) for activations in (x, rotated)]
    assert evaluate(measure, *stored) == pytest.approx(measure.identical, abs=1e-3)


@every_measure
def test_arrays_that_cannot_be_compared_are_refused(measure):
    x, y = related_pair()
    with pytest.raises(ValueError, match=r"same samples.*\(60, 7\) and \(59, 11\)"):
        evaluate(measure, x, y[:-1])
    with pytest.raises(ValueError, match="finite"):
        evaluate(measure, x, np.full_like(y, np.nan))


# Debiased CKA


@seeds
@shapes
def test_debiased_cka_equals_the_unbiased_hsic_of_gram_matrices(seed, units_x, units_y):
    def hsic(gram, other):
        samples = len(gram)
        gram, other = (matrix - np.diag(np.diag(matrix)) for matrix in (gram, other))
        means = gram.sum() * other.sum() / ((samples - 1) * (samples - 2))
        rows = 2 / (samples - 2) * (gram @ other).sum()
        return (np.trace(gram @ other) + means - rows) / (samples * (samples - 3))

    x, y = related_pair(seed, units_x=units_x, units_y=units_y)
    gram_x, gram_y = x @ x.T, y @ y.T
    expected = hsic(gram_x, gram_y) / np.sqrt(hsic(gram_x, gram_x) * hsic(gram_y, gram_y))
    assert debiased_linear_cka(x, y) == pytest.approx(expected, abs=1e-12)


@seeds
@shapes
def test_debiased_cka_equals_an_independent_library(seed, units_x, units_y):
    x, y = related_pair(seed, units_x=units_x, units_y=units_y)
    # With method="hsic" this library ignores `unbiased`; "fro_norm", its default, heeds it.
    expected = ckatorch.cka_base(
        torch.from_numpy(x), torch.from_numpy(y), unbiased=True, method="fro_norm"
    ).item()
    assert debiased_linear_cka(x, y) == pytest.approx(expected, abs=1e-12)


def test_debiased_cka_of_unrelated_gaussians_is_about_zero_where_plain_cka_is_not():
    random = np.random.default_rng(0)
    samples, units = 200, 128
    pairs = [random.standard_normal((2, samples, units)) for _ in range(10)]
    debiased = [debiased_linear_cka(*pair) for pair in pairs]
    plain = [linear_cka(*pair) for pair in pairs]
    assert np.mean(plain) == pytest.approx(units / (samples + units), abs=0.01)
    assert np.mean(debiased) == pytest.approx(0, abs=0.01)
    assert min(debiased) < 0, "an unbiased estimate must not be clipped at zero"


def test_one_shared_outlier_raises_plain_cka_but_not_the_debiased_one():
    x, y = np.random.default_rng(0).standard_normal((2, 500, 32))
    y[0] = x[0]
    x[0] *= 30
    y[0] *= 30
    assert linear_cka(x, y) > 0.9
    assert abs(debiased_linear_cka(x, y)) < 0.05
    assert abs(rsa_spearman(x, y)) < 0.05


def test_debiased_cka_is_undefined_if_one_sample_alone_differs():
    x, y = related_pair()
    outlier = np.zeros_like(x)
    outlier[3] = x[3]
    assert np.isnan(debiased_linear_cka(outlier, y))


def test_debiased_cka_needs_four_samples():
    x, y = related_pair()
    with pytest.raises(ValueError, match=r"four samples: got shapes \(3, 7\) and \(3, 11\)"):
        debiased_linear_cka(x[:3], y[:3])
    assert np.isfinite(debiased_linear_cka(x[:4], y[:4]))


# CKA of parts of the representation


def test_within_class_cka_ignores_class_means():
    random = np.random.default_rng(0)
    labels = np.arange(400) % 4
    offsets = 20 * random.standard_normal((4, 5))
    x, y = random.standard_normal((2, 400, 5)) + offsets[labels]
    assert linear_cka(x, y) > 0.95
    assert within_class_cka(x, y, labels) < 0.05
    names = np.array(["cat", "dog", "hen", "owl"])[labels]
    assert within_class_cka(x, y, names) == within_class_cka(x, y, labels)


def test_class_residuals_are_those_of_a_regression_on_the_classes():
    x, _ = related_pair()
    membership = (LABELS[:, None] == np.arange(4)).astype(float)
    expected = x - membership @ np.linalg.lstsq(membership, x, rcond=None)[0]
    assert class_residuals(x, LABELS) == pytest.approx(expected, abs=1e-12)


def test_within_class_cka_of_single_samples_and_of_one_class():
    x, y = related_pair()
    assert np.isnan(within_class_cka(x, y, np.arange(SAMPLES)))
    one_class = np.zeros(SAMPLES)
    assert within_class_cka(x, y, one_class) == pytest.approx(linear_cka(x, y), abs=1e-12)


@pytest.mark.parametrize("labels", [LABELS[:-1], LABELS[:, None], 3])
def test_class_residuals_need_one_label_a_sample(labels):
    with pytest.raises(ValueError, match="one label a sample"):
        class_residuals(related_pair()[0], labels)


def test_removing_the_first_component_undoes_one_dominant_direction():
    random = np.random.default_rng(0)
    x, y = random.standard_normal((2, 1000, 16))
    shared = 10 * random.standard_normal(1000)
    x[:, 0], y[:, 0] = shared, shared
    assert linear_cka(x, y) > 0.9 and debiased_linear_cka(x, y) > 0.9
    assert cka_without_top_components(x, y) < 0.05
    assert first_component_share(x) == pytest.approx(100 / 115, abs=0.02)
    assert first_component_share(x, squared=True) > 0.99


@shapes
def test_removing_components_equals_projecting_them_out(units_x, units_y):
    x, y = related_pair(units_x=units_x + 3, units_y=units_y + 3)
    remainders = []
    for activations in (x, y):
        centred = activations - activations.mean(axis=0)
        directions = np.linalg.svd(centred)[2][:2]
        remainders.append(centred - centred @ directions.T @ directions)
    expected = linear_cka(*remainders)
    assert cka_without_top_components(x, y, count=2) == pytest.approx(expected, abs=1e-10)
    assert cka_without_top_components(x, y, 0) == pytest.approx(linear_cka(x, y), abs=1e-12)


def test_removing_all_components_leaves_nothing():
    x, y = related_pair()
    low_rank = x[:, :2] @ np.ones((2, 5))
    assert np.isnan(cka_without_top_components(x, y, UNITS_X))
    assert np.isnan(cka_without_top_components(low_rank, y, 1))
    with pytest.raises(ValueError, match="must not be negative"):
        cka_without_top_components(x, y, -1)


def test_first_component_share_equals_the_spectrum_of_the_covariance():
    x, _ = related_pair()
    variances = np.linalg.eigvalsh(np.cov(x.T))
    for squared, power in ((False, 1), (True, 2)):
        expected = variances[-1] ** power / (variances**power).sum()
        assert first_component_share(x, squared) == pytest.approx(expected, abs=1e-12)
    assert first_component_share(x[:, :1]) == pytest.approx(1)
    assert np.isnan(first_component_share(np.ones((5, 3))))


# Procrustes


@shapes
def test_procrustes_equals_the_nuclear_norm_of_the_normalised_cross_product(units_x, units_y):
    normalised = []
    pair = related_pair(units_x=units_x, units_y=units_y)
    for activations in pair:
        centred = activations - activations.mean(axis=0)
        normalised.append(centred / np.linalg.norm(centred))
    expected = np.linalg.norm(normalised[0].T @ normalised[1], "nuc")
    assert np.cos(procrustes(*pair)) == pytest.approx(expected, abs=1e-12)


@seeds
def test_squared_procrustes_equals_scipy(seed):
    x, y = related_pair(seed, units_x=6, units_y=6)
    disparity = np.sin(procrustes(x, y)) ** 2
    assert disparity == pytest.approx(scipy_procrustes(x, y)[2], abs=1e-12)


def test_procrustes_obeys_the_triangle_inequality():
    x, y = related_pair(0)
    z, _ = related_pair(1)
    sides = [procrustes(*pair) for pair in ((x, y), (y, z), (x, z))]
    assert max(sides) <= sum(sides) - max(sides)


# Canonical correlation


def test_mean_cca_recovers_planted_correlations():
    random = np.random.default_rng(0)
    basis = centred_orthonormal(random, 6)
    correlations = np.array([0.9, 0.5, 0.2])
    x = basis[:, :3]
    y = x * correlations + basis[:, 3:] * np.sqrt(1 - correlations**2)
    mixed = y @ random.standard_normal((3, 3))
    assert mean_cca(x, mixed) == pytest.approx(correlations.mean(), abs=1e-10)


@pytest.mark.parametrize("units", [SAMPLES - 1, 100])
def test_mean_cca_says_nothing_with_as_many_units_as_samples(units):
    x, y = np.random.default_rng(0).standard_normal((2, SAMPLES, units))
    assert mean_cca(x, y[:, :5]) == pytest.approx(1, abs=1e-9)


def test_mean_cca_counts_only_the_rank():
    x, y = related_pair()
    repeated = np.hstack([x, x, x @ np.ones((UNITS_X, 2))])
    assert mean_cca(repeated, y) == pytest.approx(mean_cca(x, y), abs=1e-9)


def test_svcca_drops_directions_of_hardly_any_variance():
    random = np.random.default_rng(0)
    signal = random.standard_normal((500, 3))
    x, y = (
        np.hstack([signal, 0.01 * random.standard_normal((500, 20))]) @ ortho_group.rvs(23, 1, seed)
        for seed in (1, 2)
    )
    assert svcca(x, y) > 0.99
    assert mean_cca(x, y) < 0.5
    assert svcca(x, y, variance=1) == pytest.approx(mean_cca(x, y), abs=1e-9)


def test_svcca_keeps_the_fewest_components_that_suffice():
    """Uncorrelated units of variance 90, 9 and 1 in 100: the share 0.99 is reached by two."""
    random = np.random.default_rng(0)
    basis = centred_orthonormal(random, 4)
    x = basis[:, :3] * np.sqrt([90, 9, 1])
    y = basis[:, [0, 3, 2]] * np.sqrt([90, 9, 1])
    assert svcca(x, y, 0.9 - 1e-9) == pytest.approx(1)
    assert svcca(x, y, 0.99 - 1e-9) == pytest.approx(1 / 2)
    assert svcca(x, y, 0.99 + 1e-9) == pytest.approx(2 / 3)


@pytest.mark.parametrize("variance", [0, 1.01])
def test_svcca_refuses_an_impossible_share(variance):
    with pytest.raises(ValueError, match="share of variance"):
        svcca(*related_pair(), variance)


# Distances between samples


@seeds
def test_rsa_equals_its_definition_on_distance_matrices(seed):
    x, y = related_pair(seed)
    upper = np.triu_indices(SAMPLES, 1)
    distances_x, distances_y = squared_distances(x)[upper], squared_distances(y)[upper]
    expected = spearmanr(distances_x, distances_y).statistic
    assert rsa_spearman(x, y) == pytest.approx(expected, abs=1e-12)
    expected = np.vdot(distances_x, distances_y) / np.sqrt(
        np.vdot(distances_x, distances_x) * np.vdot(distances_y, distances_y)
    )
    assert rsa_cosine(x, y) == pytest.approx(expected, abs=1e-12)


def test_cosine_of_centred_distance_matrices_is_linear_cka():
    centred = []
    for activations in related_pair():
        matrix = squared_distances(activations)
        matrix = matrix - matrix.mean(axis=0)
        centred.append(matrix - matrix.mean(axis=1, keepdims=True))
    x, y = related_pair()
    cosine = np.vdot(*centred) / np.linalg.norm(centred[0]) / np.linalg.norm(centred[1])
    assert linear_cka(x, y) == pytest.approx(cosine, abs=1e-12)


@pytest.mark.parametrize("k", [1, 5, SAMPLES - 1])
def test_neighbour_measures_equal_a_search_sample_by_sample(k):
    x, y = related_pair()
    overlaps, jaccards = [], []
    for sample in range(SAMPLES):
        sets = []
        for activations in (x, y):
            distances = squared_distances(activations)[sample]
            others = [other for other in range(SAMPLES) if other != sample]
            sets.append(set(sorted(others, key=lambda other: distances[other])[:k]))
        overlaps.append(len(sets[0] & sets[1]) / k)
        jaccards.append(len(sets[0] & sets[1]) / len(sets[0] | sets[1]))
    overlaps = np.array(overlaps)
    assert shared_neighbours(x, y, k) == pytest.approx(overlaps * k)
    assert mutual_knn(x, y, k) == pytest.approx(overlaps.mean(), abs=1e-12)
    assert knn_jaccard(x, y, k) == pytest.approx(np.mean(jaccards), abs=1e-12)
    assert jaccards == pytest.approx(overlaps / (2 - overlaps), abs=1e-12)


def test_mutual_knn_of_unrelated_representations_is_at_chance():
    random = np.random.default_rng(0)
    samples, k = 200, 10
    values = [mutual_knn(*random.standard_normal((2, samples, 20)), k) for _ in range(20)]
    # One value has a standard deviation of about 0.005.
    assert np.mean(values) == pytest.approx(k / (samples - 1), abs=0.005)


def test_equal_samples_are_neighbours_and_ties_go_by_position():
    x = np.array([[0.0], [0.0], [0.0], [1.0], [-1.0]])
    # In x: 0 -> 1, 1 -> 0, 2 -> 0, 3 -> 0, 4 -> 0; in y: 0 -> 2, 1 -> 0, 2 -> 0, 3 -> 4, 4 -> 3.
    y = np.array([[0.0], [-1.5], [1.0], [10.0], [10.5]])
    assert shared_neighbours(x, y, 1).tolist() == [0, 1, 1, 0, 0]


def test_equal_samples_at_odd_values_are_exact_ties():
    x = np.repeat(np.random.default_rng(0).standard_normal((1, 33)) / 3, 500, axis=0)
    x[-1] += 1
    shared = shared_neighbours(x, np.arange(500.0)[:, None] ** 2, 3)
    # In x the first three of the equal samples, 0 to 2 or 1 to 3; in y those at the nearest places.
    assert shared[0] == 3
    assert shared[499] == 0


@pytest.mark.parametrize("k", [0, SAMPLES])
def test_number_of_neighbours_is_checked(k):
    for function in (mutual_knn, knn_jaccard, shared_neighbours):
        with pytest.raises(ValueError, match="from 1 to 59"):
            function(*related_pair(), k)


# Registry and table


def test_table_equals_the_functions_one_by_one():
    x, y = related_pair()
    table = measure_layer(x.astype(np.float32), y.astype(np.float32), LABELS)
    assert list(table) == list(MEASURES)
    for name, measure in MEASURES.items():
        expected = evaluate(measure, x.astype(np.float32), y.astype(np.float32))
        assert table[name] == expected and type(table[name]) is float


def test_table_without_labels_leaves_out_what_needs_them():
    table = measure_layer(*related_pair())
    assert list(table) == [name for name in MEASURES if name != "within_class_cka"]


def test_own_measure_takes_arrays_and_one_entry():
    def correlation_of_norms(x, y):
        return float(np.corrcoef((x**2).sum(axis=1), (y**2).sum(axis=1))[0, 1])

    own = Measure("norms", correlation_of_norms, "Norm correlation", True, 1.0)
    x, y = related_pair()
    table = measure_layer(x, y, measures={**MEASURES, own.name: own})
    assert table["norms"] == correlation_of_norms(x, y)


def test_registry_is_consistent():
    assert all(name == measure.name for name, measure in MEASURES.items())
    labels = [measure.label for measure in MEASURES.values()]
    assert len(set(labels)) == len(labels)
    with pytest.raises(AttributeError):
        MEASURES["svcca"].label = "another"


def test_table_refuses_arrays_of_other_samples():
    x, y = related_pair()
    with pytest.raises(ValueError, match="same samples"):
        measure_layer(x, y[:-1])
    with pytest.raises(ValueError, match="same samples"):
        svcca(Activations(x), Activations(y[:-1]))
