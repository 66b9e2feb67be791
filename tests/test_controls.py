"""Levels, crossed excess and stream effect, the conclusion they allow, and Table 3."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.figures import figure7
from hysteresis.figures.inputs import FigureInputs
from hysteresis.statistics import excess as controls
from hysteresis.statistics.orders import CONTRASTS, CROSSED_EXCESS, PAIRS, STREAM_EFFECT, by_pair
from hysteresis.statistics.paired import bootstrap_interval, sign_flip_test, t_interval
from hysteresis.statistics.permanova import partition_table
from hysteresis.statistics.power import power_table
from hysteresis.statistics.quantities import distance_names, distances
from hysteresis.statistics.seeds import SeedValues
from hysteresis.tables import table3 as control_tables
from tests.conftest import small_run
from tests.six_pairs import (
    DISAGREEMENTS,
    EXPERIMENTS,
    H_REPR,
    SEEDS,
    STEPS,
    dead,
    pair_table,
    simulated_distances,
    six_tables,
)
from tests.test_pairs import comparison_of

VALUES = {pair: np.array(values) for pair, values in H_REPR.items()}
EXPECTED = {
    "crossed_excess": (VALUES["03"] + VALUES["12"] - VALUES["01"] - VALUES["23"]) / 2,
    "stream_effect": (VALUES["02"] + VALUES["13"] - VALUES["03"] - VALUES["12"]) / 2,
    "paper_pair_excess": VALUES["02"] - (VALUES["01"] + VALUES["23"]) / 2,
}
EXCESS = EXPECTED["crossed_excess"]


def nulls():
    return {
        "identical": pair_table("identical", [0.0, 0.0], [0, 0], seeds=(101, 202)),
        "untrained": pair_table(
            "untrained", [0.4, 0.4], [900, 900], seeds=(101, 202), steps=(0,)
        ),
    }  # fmt: skip


def summarised(tables=None):
    return controls.summarise_controls(six_tables() if tables is None else tables, nulls())


@pytest.fixture(scope="module")
def table():
    return summarised()


def row_of(table, experiment, quantity="h_repr", step=100, endpoint="checkpoint"):
    chosen = table[(table["experiment"] == experiment) & (table["quantity"] == quantity)]
    chosen = chosen[chosen["endpoint"] == endpoint]
    if endpoint == "checkpoint":
        chosen = chosen[chosen["step"] == step]
    (row,) = chosen.to_dict("records")
    return row


# ---- contrasts -------------------------------------------------------------------------------


def test_the_three_contrasts_are_those_of_their_definitions_seed_by_seed(table):
    for name, expected in EXPECTED.items():
        for step in STEPS:
            row = row_of(table, name, step=step)
            assert row["mean"] == pytest.approx(expected.mean(), rel=1e-9), name
            assert (row["t_low"], row["t_high"]) == pytest.approx(tuple(t_interval(expected)))
            assert row["sign_flip_p"] == sign_flip_test(expected).p_value
            assert row["role"] == "contrast" and row["n"] == 3 and row["sign_flip_exact"]
    bootstrap = bootstrap_interval(EXCESS, 12345 + 100)
    row = row_of(table, "crossed_excess")
    assert (row["bootstrap_low"], row["bootstrap_high"]) == pytest.approx(tuple(bootstrap))


def test_only_pairs_of_other_streams_enter_the_crossed_excess():
    """And a stream effect cancels from it: 02 and 13 can be anything."""
    shared = {"02", "13"}
    assert shared.isdisjoint(CROSSED_EXCESS.weights) and shared < STREAM_EFFECT.weights.keys()
    other_streams = H_REPR | {pair: [0.9, 0.8, 0.7] for pair in shared}
    changed = summarised(six_tables(other_streams))
    assert row_of(changed, "crossed_excess") == row_of(summarised(), "crossed_excess")
    assert row_of(changed, "stream_effect")["mean"] > 0.4


def test_contrasts_of_counts_are_exact(table):
    """Half counts would split ties at random in binary fractions; twice the excess is whole."""
    pairs = {
        pair: distances(each[each["step"] == 0])["prediction_disagreement"]
        for pair, each in zip(PAIRS, six_tables(), strict=True)
    }
    excess = CROSSED_EXCESS.of(pairs)
    assert excess.values.tolist() == [41, 40, 42] and excess.values.dtype.kind == "i"
    assert excess.factor == 1 / 2000 / 2
    mean = row_of(table, "crossed_excess", "prediction_disagreement")["mean"]
    assert mean == pytest.approx(float(Fraction(123, 3 * 4000)), rel=1e-12)


def test_every_distance_is_contrasted_and_positive_where_orders_are_further_apart(table):
    tables = six_tables()
    for each, pair in zip(tables, PAIRS, strict=True):
        each["cka_fc1"] = 1 - np.repeat(VALUES[pair], len(STEPS))
    row = row_of(summarised(tables), "crossed_excess", "dissimilarity_fc1")
    assert row["mean"] == pytest.approx(EXCESS.mean()) and row["mean"] > 0
    found = table[table["experiment"] == "crossed_excess"]
    names = set(distance_names(tables[0]))
    assert set(found["quantity"]) == names
    assert {"js_divergence", "normalized_weight_distance", "dissimilarity_conv2"} < names


def test_tables_of_other_seeds_or_checkpoints_are_refused():
    for change in (lambda each: each.iloc[::-1], lambda each: each[each["step"] == 0]):
        tables = six_tables()
        tables[5] = change(tables[5])
        with pytest.raises(UserError, match="one and two do not have the same rows by seed, step"):
            controls.summarise_controls(tables, {})


def test_identical_pairs_have_no_hysteresis_in_the_table(table):
    assert row_of(table, "identical", step=0)["mean"] == 0.0


# ---- at the match ----------------------------------------------------------------------------


NEVER = 10**6


def with_matches(tables, steps_of):
    """``steps_of``: by pair, of each seed the step from which on it matches (NEVER)."""
    for each, pair in zip(tables, PAIRS, strict=True):
        first = each["seed"].map(dict(zip(SEEDS, steps_of.get(pair, (0, 0, 0)), strict=True)))
        each["behavioral_match"] = each["step"] >= first
    return tables


def test_the_excess_at_the_match_takes_each_pair_at_its_own_first_match():
    # Pair 03 matches late in seed 303, 01 never in 202; H_repr falls by 0.01 in between.
    tables = with_matches(six_tables(), {"03": (100, 0, 0), "01": (0, 0, NEVER)})
    row = row_of(summarised(tables), "crossed_excess", endpoint="matched")
    assert row["unmatched_seeds"] == "202" and row["n"] == 2
    assert row["mean"] == pytest.approx((EXCESS[:2] - [0.005, 0]).mean())
    # Pair 01 takes no part in the stream effect.
    stream = row_of(summarised(tables), "stream_effect", endpoint="matched")
    assert stream["unmatched_seeds"] == "" and stream["n"] == 3


def test_at_the_observed_pairs_match_every_pair_is_taken_at_one_checkpoint():
    tables = with_matches(six_tables(), {"02": (100, 0, NEVER), "03": (0, 0, NEVER)})
    row = row_of(summarised(tables), "crossed_excess", endpoint="matched_with_observed")
    assert row["unmatched_seeds"] == "202" and row["n"] == 2
    assert row["mean"] == pytest.approx(EXCESS[:2].mean())


def test_without_any_match_the_row_says_so():
    tables = with_matches(six_tables(), dict.fromkeys(PAIRS, (NEVER, NEVER, NEVER)))
    found = summarised(tables)
    for endpoint in ("matched", "matched_with_observed"):
        row = row_of(found, "crossed_excess", endpoint=endpoint)
        assert row["n"] == 0 and np.isnan(row["mean"])
        assert row["unmatched_seeds"] == "303, 101, 202"
    text = " ".join(control_tables.notes(table3_of(found, tables)))
    assert "Seeds without a match: 303, 101, 202." in text


# ---- undefined -------------------------------------------------------------------------------


def test_a_dead_layer_leaves_out_its_seed_which_is_named_and_no_other():
    tables = six_tables()
    tables[2] = dead(tables[2], 101, "conv2", step=100)
    found = summarised(tables)
    row = row_of(found, "crossed_excess")
    assert row["undefined_seeds"] == "101 (conv2)" and row["n"] == 2
    assert row["mean"] == pytest.approx(EXCESS[[0, 2]].mean())
    assert row_of(found, "crossed_excess", step=0)["n"] == 3
    assert row_of(found, "crossed_excess", "dissimilarity_fc1")["undefined_seeds"] == ""
    assert row_of(found, "paper_pair_excess")["n"] == 3  # pair 03 takes no part in it
    (about_dead, few) = control_tables.notes(table3_of(found, tables))[-2:]
    assert (
        "dead layers in brackets: 101 (conv2), in " in about_dead and "Crossed excess" in about_dead
    )
    assert "conv2" not in few and "fewer than 10 seeds" in few


def test_dtypes_do_not_depend_on_what_is_undefined(table):
    tables = six_tables()
    for place, each in enumerate(tables):
        for seed in SEEDS:
            each = dead(each, seed, "fc1")
        tables[place] = each
    undefined = summarised(tables)
    assert undefined.dtypes.to_dict() == table.dtypes.to_dict()
    assert row_of(undefined, "crossed_excess")["n"] == 0
    assert str(table["positive"].dtype) == "Int64"


# ---- conclusion and Table 3 ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("interval", "n", "words"),
    [
        ((0.01, 0.03), 3, "further apart than reshuffling"),
        ((-0.01, 0.03), 3, "interval of the excess contains 0"),
        ((0.0, 0.03), 3, "interval of the excess contains 0"),
        ((-0.03, -0.01), 3, "closer together than reshuffling"),
        ((np.nan, np.nan), 1, "One seed has no interval"),
        ((np.nan, np.nan), 0, "No seed has an excess"),
    ],
)
def test_the_conclusion_follows_from_the_interval_alone(interval, n, words):
    assert words in controls.conclusion(*interval, n)


def table3_of(found, tables):
    return control_tables.table3(found, partition_table(tables), power_table(found, [5]))


def test_table_3_holds_every_quantity_and_endpoint_in_full(table):
    shown = table3_of(table, six_tables())
    excess = shown[shown["experiment"] == "crossed_excess"]
    for step in STEPS:
        at = excess[(excess["step"] == step) & (excess["quantity"] == "js_divergence")]
        assert at[["mean", "sign_flip_p"]].notna().all(axis=None) and len(at) == 1
    assert set(excess["endpoint"]) == {"checkpoint", "matched", "matched_with_observed"}
    (row,) = excess[
        (excess["step"] == 100) & (excess["quantity"] == "h_repr")
    ].to_dict("records")  # fmt: skip
    assert row["mean"] == row_of(table, "crossed_excess")["mean"]
    assert row["equivalence_margin"] > 0 and np.isnan(row["detectable_sign_flip"])  # three seeds
    levels = shown[shown["role"] != "contrast"]
    assert levels[["t_p", "sign_flip_p"]].isna().all(axis=None)


def test_table_3_is_headed_by_the_crossed_excess_and_warns_of_few_seeds(table):
    shown = table3_of(table, six_tables())
    printed = control_tables.table3_printed(shown)
    of_h = printed[(printed["Quantity"] == "H_repr") & ~printed["Updates"].str.contains("match")]
    assert of_h["Pair"].str.split(r"[:(]").str[0].str.strip().tolist() == [
        "One", "Main", "Crossed bac", "Crossed abc", "Crossed both", "Two", "Identical",
        "Untrained", "Crossed excess", "Stream effect", "Paper's pair minus noise floor",
        "Opposite over equal orders, ratio, all with other streams",
    ]  # fmt: skip
    assert of_h["Mean"].tolist()[:9] == [
        "0.097", "0.240", "0.233", "0.253", "0.210", "0.123", "-0.010", "0.400",
        f"{EXCESS.mean():.3f}",
    ]  # fmt: skip
    assert of_h["Updates"].tolist()[7] == "0"
    excess = printed[printed["Pair"].str.startswith("Crossed excess")]
    assert excess["Quantity"].nunique() == 8 and (excess["p (permutation)"] != "").all()
    sentence, match, *rest = control_tables.notes(shown)
    assert sentence.startswith("Opposite orders leave the representations further apart")
    assert f"{EXCESS.mean():.3f}, 95% t interval [" in sentence and "n = 3" in sentence
    assert "own first behavioural match" in match and "sign-flip test, which cannot" in rest[1]
    assert "fewer than 10 seeds" in rest[-1]


# ---- what the conclusion is worth ------------------------------------------------------------


def share_of_rejections(contrast, generator, seeds, data_sets, **effects):
    """How often the 95% t interval of a contrast leaves 0 out, as the conclusion asks."""
    rejected = 0
    for _ in range(data_sets):
        values = simulated_distances(generator, seeds, **effects)
        found = contrast.of(
            {
                pair: SeedValues(tuple(range(seeds)), values[:, place])
                for place, pair in enumerate(PAIRS)
            }
        )
        low, high = (end * found.factor for end in t_interval(found.values))
        rejected += "contains 0" not in controls.conclusion(low, high, seeds)
    return rejected / data_sets


@pytest.mark.parametrize("stream", [0.0, 0.5])
def test_without_an_order_effect_the_conclusion_errs_in_five_per_cent(stream):
    generator = np.random.default_rng(1)
    share = share_of_rejections(CROSSED_EXCESS, generator, 20, 2000, stream=stream)
    assert 0.03 < share < 0.07


def test_the_papers_pair_against_the_floor_takes_a_stream_for_an_order_effect():
    _, _, paper = CONTRASTS
    generator = np.random.default_rng(1)
    assert share_of_rejections(paper, generator, 20, 300, stream=0.5) > 0.5


def test_an_order_effect_is_found_whatever_the_streams_do():
    for stream in (0.0, 0.5):
        generator = np.random.default_rng(2)
        share = share_of_rejections(CROSSED_EXCESS, generator, 20, 200, order=0.6, stream=stream)
        assert share > 0.8


# ---- figure ----------------------------------------------------------------------------------


def test_figure_7_plots_the_levels_and_the_crossed_excess_and_warns_of_few_seeds(table):
    first, second = small_run("ABC"), small_run("BAC")
    comparison = replace(comparison_of(first, second), steps=STEPS)
    pairs = pd.concat(six_tables(), ignore_index=True)
    levels, excess = figure7.draw(FigureInputs(pairs, table, comparison)).axes
    plotted = {line.get_label(): list(line.get_ydata()) for line in levels.lines}
    assert plotted["opposite: main (n = 3)"] == pytest.approx([0.25, 0.24])
    assert plotted["opposite: crossed bac (n = 3)"] == pytest.approx(
        [VALUES["03"].mean(), VALUES["03"].mean() - 0.01]
    )
    assert plotted["identical (n = 2)"] == pytest.approx([0.0, -0.01])
    means = next(line for line in excess.lines if line.get_label() == "mean (n = 3)")
    assert list(means.get_ydata()) == pytest.approx([EXCESS.mean()] * 2)
    seeds = [line.get_ydata()[0] for line in excess.lines if len(line.get_ydata()) == 2][1:4]
    assert seeds == pytest.approx(EXCESS.tolist())
    assert any("fewer than 10 seeds" in text.get_text() for text in excess.texts)


def test_the_six_tables_go_by_the_names_of_their_pairs():
    found = by_pair(six_tables(), ["seed", "step"])
    assert [each["experiment"].iloc[0] for each in found.values()] == list(EXPERIMENTS)
    assert list(found) == list(PAIRS) == list(DISAGREEMENTS)
