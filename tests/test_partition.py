"""Order, stream or neither: PERMANOVA's sums of squares; only the exchangeable is permuted."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.statistics.orders import CROSSED_EXCESS, PAIRS
from hysteresis.statistics.paired import sign_flip_test
from hysteresis.statistics.permanova import LARGEST_EXACT, partition, partition_table
from tests.six_pairs import H_REPR, dead, simulated_distances, six_tables

BY_ORDER, BY_STREAM, BY_NEITHER = [(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]


def squared_distances(points):
    """Squared Euclidean distances of four points (4, d) in the order of PAIRS."""
    return [float(((points[int(i)] - points[int(j)]) ** 2).sum()) for i, j in PAIRS]


def within_sum_of_squares(points, groups):
    """From centroids instead of from pairs."""
    return sum(((points[list(g)] - points[list(g)].mean(axis=0)) ** 2).sum() for g in groups)


@pytest.fixture
def points():
    generator = np.random.default_rng(0)
    order_effect = np.array([0.7, 0.7, -0.7, -0.7])[:, None]
    return [generator.normal(size=(4, 3)) + order_effect for _ in range(4)]


def test_the_sums_of_squares_are_those_of_centroids(points):
    found = partition([squared_distances(each) for each in points])
    total, order, stream, neither = (
        sum(within_sum_of_squares(each, groups) for each in points)
        for groups in ([(0, 1, 2, 3)], BY_ORDER, BY_STREAM, BY_NEITHER)
    )
    assert found.pseudo_f == pytest.approx((total - order) / (total - neither), rel=1e-12)
    assert found.r_squared == pytest.approx(1 - order / total, rel=1e-12)
    assert found.r_squared_stream == pytest.approx(1 - stream / total, rel=1e-12)
    residual = (total - neither) / total
    assert found.r_squared + found.r_squared_stream + residual == pytest.approx(1)


def test_the_p_value_counts_all_relabellings_into_pairs_of_other_streams(points):
    sums = [
        sum(
            within_sum_of_squares(each, parting)
            for each, parting in zip(points, chosen, strict=True)
        )
        for chosen in product([BY_ORDER, BY_NEITHER], repeat=len(points))
    ]
    found = partition([squared_distances(each) for each in points])
    assert found.exact and found.permutations == 16 == len(sums)
    assert found.p_value == pytest.approx(np.mean([value <= sums[0] + 1e-12 for value in sums]))


def test_the_test_is_the_one_sided_sign_flip_test_of_the_crossed_excess(points):
    """Relabelling a seed changes the sign of its excess, and nothing else."""
    squares = np.array([squared_distances(each) for each in points])
    excess = sum(
        weight * squares[:, PAIRS.index(pair)] for pair, weight in CROSSED_EXCESS.weights.items()
    )
    assert excess.sum() > 0
    assert partition(squares).p_value == pytest.approx(sign_flip_test(excess).p_value / 2)


def test_a_stream_effect_moves_neither_ratio_nor_p(points):
    squares = np.array([squared_distances(each) for each in points])
    shared = squares.copy()
    shared[:, [PAIRS.index("02"), PAIRS.index("13")]] *= 0.5
    before, after = partition(squares), partition(shared)
    assert after.p_value == before.p_value and (after.ratios == before.ratios).all()
    assert after.r_squared_stream > before.r_squared_stream


def test_the_ratio_is_mean_between_over_mean_within_of_other_streams():
    found = partition([[1.0, 2.0, 3.0, 4.0, 5.0, 3.0]])
    assert found.ratios.tolist() == [(3.0 + 4.0) / (1.0 + 3.0)]


@pytest.mark.parametrize("stream", [0.0, 0.7])
def test_without_an_effect_of_order_p_is_valid_whatever_the_streams_do(stream):
    generator = np.random.default_rng(1)
    p_values = [
        partition(simulated_distances(generator, 8, stream=stream)).p_value for _ in range(1500)
    ]
    assert 0.03 < np.mean(np.array(p_values) <= 0.05) < 0.07


def test_above_sixteen_seeds_relabellings_are_drawn():
    generator = np.random.default_rng(4)
    squares = simulated_distances(generator, LARGEST_EXACT + 1, order=0.2)
    strong = [[0.1, 1.0, 1.0, 1.0, 1.0, 0.1]] * (LARGEST_EXACT + 1)
    assert partition(squares[:-1]).exact and partition(squares[:-1]).permutations == 2**16
    drawn = partition(squares, seed=3)
    assert not drawn.exact and drawn.p_value == partition(squares, seed=3).p_value
    assert 0 < partition(strong).p_value <= 1e-4  # never 0


@pytest.mark.parametrize("bad", [[[1.0] * 5], [], [[1.0] * 5 + [np.nan]], [[1.0] * 5 + [-1.0]]])
def test_bad_dissimilarities_are_refused(bad):
    with pytest.raises(ValueError):
        partition(bad)


def test_the_table_takes_the_pairs_in_their_order_and_the_same_seeds():
    found = partition_table(six_tables())
    at_start = found[found["step"] == 0].set_index("quantity")
    h = {pair: np.array(values) for pair, values in H_REPR.items()}
    expected = ((h["03"] + h["12"]) / (h["01"] + h["23"])).mean()
    assert at_start.loc["h_repr", "mean"] == pytest.approx(expected)
    assert at_start.loc["h_repr", "permutation_p"] == pytest.approx(1 / 8)
    assert at_start.loc["dissimilarity_fc1", "mean"] == pytest.approx(1.0)
    tables = six_tables()
    tables[5] = tables[5].iloc[::-1]
    with pytest.raises(UserError, match="same rows by seed, step"):
        partition_table(tables)


def test_seeds_with_a_dead_layer_are_left_out_and_named():
    tables = six_tables()
    tables[4] = dead(tables[4], 101, "fc1")
    found = partition_table(tables).set_index(["step", "quantity"])
    row = found.loc[(0, "h_repr")]
    assert (row["n"], row["undefined_seeds"]) == (2, "101 (fc1)")
    assert row["permutation_p"] == pytest.approx(1 / 4)
    assert found.loc[(0, "dissimilarity_conv2"), "n"] == 3
    for seed in (303, 202):
        tables[4] = dead(tables[4], seed, "fc1")
    none_left = partition_table(tables)
    assert none_left.dtypes.to_dict() == partition_table(six_tables()).dtypes.to_dict()
    row = none_left.set_index(["step", "quantity"]).loc[(0, "h_repr")]
    assert row["n"] == 0 and pd.isna(row["permutation_p"])
