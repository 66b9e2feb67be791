"""Power: against tables and simulation; equivalence: against the test itself."""

import numpy as np
import pytest

from hysteresis.statistics.excess import summarise_controls
from hysteresis.statistics.paired import equivalence_test, paired_statistics, sign_flip_test
from hysteresis.statistics.power import (
    detectable_by_sign_flips,
    detectable_by_t,
    equivalence_margin,
    power_table,
)
from tests.six_pairs import H_REPR, six_tables


@pytest.mark.parametrize(("n", "effect"), [(3, 3.2640), (10, 0.9960), (20, 0.6604), (34, 0.4948)])
def test_what_the_t_test_detects_is_in_the_tables_of_the_noncentral_t(n, effect):
    assert detectable_by_t(n) == pytest.approx(effect, abs=1e-3)


@pytest.mark.parametrize("n", [6, 10, 20])
def test_at_the_stated_effect_the_t_test_finds_80_per_cent(n):
    generator = np.random.default_rng(n)
    data = generator.normal(detectable_by_t(n), 1, size=(2000, n))
    found = np.mean([abs(each.mean()) / each.std(ddof=1) * n**0.5 for each in data] > critical(n))
    assert found == pytest.approx(0.8, abs=0.03)


def critical(n):
    from scipy import stats

    return stats.t.ppf(0.975, n - 1)


@pytest.mark.parametrize("n", [6, 10, 25])
def test_at_the_stated_effect_the_sign_flip_test_finds_80_per_cent(n):
    generator = np.random.default_rng(100 + n)
    data = generator.normal(detectable_by_sign_flips(n), 1, size=(800, n))
    found = np.mean([sign_flip_test(each, resamples=999).p_value <= 0.05 for each in data])
    assert found == pytest.approx(0.8, abs=0.05)


def test_five_seeds_are_too_few_for_the_sign_flip_test():
    assert np.isnan(detectable_by_sign_flips(5)) and detectable_by_sign_flips(6) > 1


def test_the_margin_is_the_smallest_to_which_the_data_are_equivalent():
    values = np.random.default_rng(0).normal(0.3, 1.0, size=12)
    found = paired_statistics(values, 0)
    margin = equivalence_margin(found.mean, found.sd, found.n)
    assert equivalence_test(values, margin * 1.001).equivalent
    assert not equivalence_test(values, margin * 0.999).equivalent


def test_the_table_has_the_spread_of_the_crossed_excess_and_a_row_a_number_of_seeds():
    controls = summarise_controls(six_tables(), {})
    table = power_table(controls, [5, 20])
    rows = table[table["quantity"] == "h_repr"].set_index("n")
    assert list(rows.index) == [3, 5, 20] and (rows["step"] == 100).all()
    h = {pair: np.array(values) for pair, values in H_REPR.items()}
    excess = (h["03"] + h["12"] - h["01"] - h["23"]) / 2
    assert rows["sd"].tolist() == pytest.approx([excess.std(ddof=1)] * 3)
    assert rows.loc[20, "detectable_t"] == pytest.approx(0.6604 * excess.std(ddof=1), rel=1e-3)
    margin = equivalence_margin(excess.mean(), excess.std(ddof=1), 3)
    assert rows["equivalence_margin"].tolist() == pytest.approx([margin] * 3)


def test_a_lone_seed_has_no_spread_and_so_no_power():
    controls = summarise_controls(
        [each[each["seed"] == 101] for each in six_tables()], {}
    )  # fmt: skip
    table = power_table(controls, [5, 20])
    assert sorted(set(table["n"])) == [5, 20] and table["detectable_t"].isna().all()
