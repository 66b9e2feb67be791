"""The excess over the noise floor, the conclusion it allows, and Table 3."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.figures import figure7
from hysteresis.figures.inputs import FigureInputs
from hysteresis.statistics import excess as controls
from hysteresis.statistics.paired import bootstrap_interval, sign_flip_test
from hysteresis.tables import table3 as control_tables
from tests.conftest import small_run
from tests.test_pairs import comparison_of

SEEDS = (303, 101, 202)
STEPS = (0, 100)


def pair_table(experiment, h_repr, disagreements, seeds=SEEDS, steps=STEPS):
    """Pair tables whose other quantities are constants."""
    rows = []
    for place, seed in enumerate(seeds):
        for step in steps:
            rows.append(
                {
                    "experiment": experiment, "seed": seed, "step": step, "total": 10_000,
                    "correct_difference": place, "behavioral_match": True,
                    "h_repr": h_repr[place] - 0.01 * (step > 0), "probe_images": 2000,
                    "disagreements": disagreements[place], "js_divergence": 0.1,
                    "normalized_weight_distance": 1.0,
                    "cka_conv1": 0.9, "cka_conv2": 0.9, "cka_fc1": 0.9, "cka_logits": 0.9,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


OBSERVED = pair_table("main", [0.30, 0.20, 0.25], [51, 40, 31])
FLOORS = [
    pair_table("one", [0.10, 0.12, 0.10], [30, 20, 10]),
    pair_table("two", [0.20, 0.10, 0.10], [31, 21, 11]),
]
EXPECTED = np.array([0.15, 0.09, 0.15])


@pytest.fixture(scope="module")
def table():
    null = pair_table("identical", [0.0, 0.0], [0, 0], seeds=(101, 202))
    untrained = pair_table("untrained", [0.4, 0.4], [900, 900], seeds=(101, 202), steps=(0,))
    return controls.summarise_controls(
        OBSERVED, FLOORS, {"identical": null, "untrained": untrained}
    )


def row_of(table, experiment, quantity="h_repr", step=100):
    chosen = table[(table["experiment"] == experiment) & (table["quantity"] == quantity)]
    (row,) = chosen[chosen["step"] == step].to_dict("records")
    return row


def test_the_excess_is_the_observed_minus_the_mean_of_the_floors_seed_by_seed(table):
    row = row_of(table, controls.EXCESS)
    assert row["mean"] == pytest.approx(EXPECTED.mean(), rel=1e-12)
    interval = bootstrap_interval(2 * EXPECTED, 12345 + 100).scaled(0.5)
    assert (row["bootstrap_low"], row["bootstrap_high"]) == pytest.approx(tuple(interval))
    assert row["sign_flip_p"] == sign_flip_test(EXPECTED).p_value == 0.25
    assert row["n"] == 3 and row["sign_flip_exact"]


def test_the_excess_of_counts_is_exact(table):
    """Half counts would split ties at random in binary fractions; twice the excess is whole."""
    (values, factor) = controls.excess_values(
        OBSERVED[OBSERVED["step"] == 0], [floor[floor["step"] == 0] for floor in FLOORS]
    )["prediction_disagreement"]
    assert values.tolist() == [41, 39, 41] and values.dtype.kind == "i"
    assert factor == 1 / 2000 / 2
    mean = row_of(table, controls.EXCESS, "prediction_disagreement")["mean"]
    assert mean == pytest.approx(np.mean([20.5, 19.5, 20.5]) / 2000, rel=1e-12)


def test_floors_of_other_seeds_are_refused():
    with pytest.raises(UserError, match="two has other seeds than main"):
        controls.summarise_controls(OBSERVED, [FLOORS[0], FLOORS[1].iloc[::-1]], {})


def test_identical_pairs_have_no_hysteresis_in_the_table(table):
    assert row_of(table, "identical", step=0)["mean"] == 0.0


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((0.01, 0.03), "further apart than reshuffling"),
        ((-0.01, 0.03), "interval of the excess contains 0"),
        ((0.0, 0.03), "interval of the excess contains 0"),
        ((-0.03, -0.01), "closer together than reshuffling"),
        ((np.nan, np.nan), "nothing can be said"),
    ],
)
def test_the_conclusion_follows_from_the_interval_alone(interval, words):
    assert words in controls.conclusion(*interval)


def test_table_3_shows_each_pair_at_its_last_checkpoint_and_warns_of_few_seeds(table):
    shown = control_tables.table3(table, None)
    assert shown["experiment"].tolist() == [
        "main", "one", "two", "identical", "untrained", controls.EXCESS,
    ]  # fmt: skip
    assert shown["step"].tolist() == [100, 100, 100, 100, 0, 100]
    assert shown["t_p"].notna().tolist() == [False] * 5 + [True]
    printed = control_tables.table3_printed(shown)
    assert printed["H_repr"].tolist() == ["0.240", "0.097", "0.123", "-0.010", "0.400", "0.130"]
    sentence, warning = control_tables.notes(shown)
    assert "further apart" in sentence and "0.130" in sentence and "n = 3" in sentence
    assert "fewer than 10 seeds" in warning


def test_figure_7_plots_the_levels_and_the_excess_and_warns_of_few_seeds(table):
    first, second = small_run("ABC"), small_run("BAC")
    comparison = replace(comparison_of(first, second), steps=STEPS)
    pairs = pd.concat([OBSERVED, *FLOORS], ignore_index=True)
    levels, excess = figure7.draw(FigureInputs(pairs, table, comparison)).axes
    plotted = {line.get_label(): list(line.get_ydata()) for line in levels.lines}
    assert plotted["opposite orders: main (n = 3)"] == pytest.approx([0.25, 0.24])
    assert plotted["identical (n = 2)"] == pytest.approx([0.0, -0.01])
    means = next(line for line in excess.lines if line.get_label() == "mean (n = 3)")
    assert list(means.get_ydata()) == pytest.approx([EXPECTED.mean()] * 2)
    seeds = [line.get_ydata()[0] for line in excess.lines if len(line.get_ydata()) == 2][1:4]
    assert seeds == pytest.approx(EXPECTED.tolist())
    assert any("fewer than 10 seeds" in text.get_text() for text in excess.texts)
