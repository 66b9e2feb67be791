"""Within or between orders: the sums of squares and the permutation test are PERMANOVA's."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.statistics.permanova import PAIRS, partition, partition_table


def squared_distances(points):
    """Squared Euclidean distances of four points (4, d) in the order of PAIRS."""
    return [float(((points[i] - points[j]) ** 2).sum()) for i, j in PAIRS]


def within_sum_of_squares(points, groups):
    """From centroids instead of from pairs."""
    return sum(((points[list(g)] - points[list(g)].mean(axis=0)) ** 2).sum() for g in groups)


@pytest.fixture
def points():
    generator = np.random.default_rng(0)
    order_effect = np.array([0.7, 0.7, -0.7, -0.7])[:, None]
    return [generator.normal(size=(4, 3)) + order_effect for _ in range(4)]


def test_the_pseudo_f_and_r_squared_are_those_of_centroids(points):
    found = partition([squared_distances(each) for each in points])
    within = sum(within_sum_of_squares(each, [(0, 1), (2, 3)]) for each in points)
    total = sum(within_sum_of_squares(each, [(0, 1, 2, 3)]) for each in points)
    assert found.pseudo_f == pytest.approx(((total - within) / 4) / (within / 8), rel=1e-12)
    assert found.r_squared == pytest.approx(1 - within / total, rel=1e-12)


def test_the_p_value_counts_all_relabellings_within_seeds(points):
    partings = [[(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]]
    sums = [
        sum(
            within_sum_of_squares(each, parting)
            for each, parting in zip(points, chosen, strict=True)
        )
        for chosen in product(partings, repeat=len(points))
    ]
    found = partition([squared_distances(each) for each in points])
    assert found.exact and found.permutations == 81 == len(sums)
    assert found.p_value == pytest.approx(np.mean([value <= sums[0] + 1e-12 for value in sums]))


def test_the_ratio_is_mean_between_over_mean_within():
    found = partition([[1.0, 2.0, 3.0, 4.0, 5.0, 3.0]])
    assert found.ratios.tolist() == [3.5 / 2.0]


def test_without_an_effect_of_order_p_is_uniform_and_above_ten_seeds_it_is_drawn():
    generator = np.random.default_rng(1)

    def p_value(seeds):
        return partition(
            [squared_distances(generator.normal(size=(4, 2))) for _ in range(seeds)]
        ).p_value

    assert 0.02 < np.mean([p_value(4) <= 0.1 for _ in range(300)]) < 0.2
    strong = [[0.1, 1.0, 1.0, 1.0, 1.0, 0.1]] * 11
    drawn = partition(strong, seed=3)
    assert not drawn.exact and drawn.p_value <= 1e-4
    assert drawn.p_value == partition(strong, seed=3).p_value


@pytest.mark.parametrize("bad", [[[1.0] * 5], [], [[1.0] * 5 + [np.nan]], [[1.0] * 5 + [-1.0]]])
def test_bad_dissimilarities_are_refused(bad):
    with pytest.raises(ValueError):
        partition(bad)


def test_the_table_takes_the_pairs_in_their_order_and_the_same_seeds():
    def pairs(name, value, seeds=(1, 2)):
        rows = [
            {"experiment": name, "seed": seed, "step": 10, "h_repr": value * seed}
            | {f"cka_{layer}": 1 - value for layer in ("conv1", "conv2", "fc1", "logits")}
            for seed in seeds
        ]
        return pd.DataFrame(rows)

    tables = [pairs(f"{i}{j}", 0.1 if (i, j) in ((0, 1), (2, 3)) else 0.3) for i, j in PAIRS]
    found = partition_table(tables).set_index("quantity")
    assert found.loc["h_repr", "mean"] == pytest.approx(3.0)
    assert found.loc["cka_fc1", "permutation_p"] == pytest.approx(1 / 9)
    with pytest.raises(UserError, match="same seeds"):
        partition_table([*tables[:5], pairs("23", 0.1, seeds=(2, 1))])
    assert len(list(combinations(range(4), 2))) == len(PAIRS)
