"""Statistics are taken of the right rows, in seed order, on exact counts."""

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.statistics.experiments import summarise_contrast, summarise_experiment
from hysteresis.statistics.paired import bootstrap_interval
from hysteresis.statistics.quantities import matched_endpoints

SEEDS = (303, 101, 202, 404)  # not sorted: seed order is the configuration's
STEPS = (0, 100, 500)


def pair_tables(experiment="main", shift=0.0):
    rows = []
    for place, seed in enumerate(SEEDS):
        for index, step in enumerate(STEPS):
            first, second = 9800 + 10 * index, 9800 + 10 * index - 40 + 15 * index - place
            rows.append(
                {
                    "experiment": experiment,
                    "seed": seed,
                    "step": step,
                    "total": 10_000,
                    "correct_abc": first,
                    "correct_bac": second,
                    "accuracy_abc": first / 10_000,
                    "accuracy_bac": second / 10_000,
                    "correct_difference": first - second,
                    "behavioral_match": abs(first - second) <= 26,
                    "h_repr": 0.5 / (1 + index) + 0.01 * place**2 + shift,
                    "probe_images": 2000,
                    "disagreements": 60 - 10 * index + place,
                    "prediction_disagreement": (60 - 10 * index + place) / 2000,
                }
            )
    return pd.DataFrame(rows)


def row_of(table, quantity, endpoint, step=None, step_from=None):
    rows = table[(table["quantity"] == quantity) & (table["endpoint"] == endpoint)]
    if step is not None:
        rows = rows[rows["step"] == step]
    if step_from is not None:
        rows = rows[rows["step_from"] == step_from]
    (row,) = rows.to_dict("records")
    return row


def test_a_checkpoints_mean_has_the_declared_bootstrap_seed_and_seed_order():
    pairs = pair_tables()
    row = row_of(summarise_experiment(pairs, []), "h_repr", "checkpoint", step=100)
    values = pairs.loc[pairs["step"] == 100, "h_repr"].to_numpy()
    assert (row["n"], row["pairs"]) == (4, 4)
    assert row["mean"] == pytest.approx(values.mean(), rel=1e-12)
    expected = bootstrap_interval(values, 12345 + 100)
    assert (row["bootstrap_low"], row["bootstrap_high"]) == tuple(expected)


def test_each_seed_counts_at_its_earliest_match_and_seeds_without_one_are_left_out():
    pairs = pair_tables()
    matched = matched_endpoints(pairs)
    # Gaps are 40 + place, 25 + place, 10 + place: places 0 and 1 match at 100, the others at 500.
    assert matched[["seed", "step"]].to_numpy().tolist() == [
        [303, 100], [101, 100], [202, 500], [404, 500],
    ]  # fmt: skip
    pairs.loc[pairs["seed"] == 202, "behavioral_match"] = False
    row = row_of(summarise_experiment(pairs, []), "h_repr", "matched")
    assert (row["n"], row["pairs"], row["unmatched_seeds"]) == (3, 4, "202")
    values = np.array([0.25, 0.26, 0.5 / 3 + 0.09])
    assert row["mean"] == pytest.approx(values.mean())
    assert row["bootstrap_low"] == pytest.approx(bootstrap_interval(values, 12345).low)


def test_no_match_at_all_gives_no_matched_rows():
    pairs = pair_tables().assign(behavioral_match=False)
    assert "matched" not in set(summarise_experiment(pairs, [])["endpoint"])


def test_accuracies_and_disagreement_are_tested_on_counts_and_reported_as_shares():
    table = summarise_experiment(pair_tables(), [])
    gap = row_of(table, "accuracy_gap", "checkpoint", step=0)
    assert gap["mean"] == pytest.approx(np.mean([40, 41, 42, 43]) / 10_000, rel=1e-12)
    disagreement = row_of(table, "prediction_disagreement", "checkpoint", step=500)
    assert disagreement["mean"] == pytest.approx(np.mean([40, 41, 42, 43]) / 2000, rel=1e-12)
    assert "disagreements" not in set(table["quantity"])


def test_changes_are_later_minus_earlier_within_each_seed():
    table = summarise_experiment(pair_tables(), [0, 100, 500])
    change = row_of(table, "h_repr", "change", step=500, step_from=0)
    assert change["mean"] == pytest.approx(0.5 / 3 - 0.5, rel=1e-9)
    assert change["negative"] == 4
    steps = table.loc[table["endpoint"] == "change", ["step_from", "step"]].drop_duplicates()
    assert steps.to_numpy().tolist() == [[0, 100], [0, 500], [100, 500]]


def test_a_contrast_is_minuend_minus_subtrahend_seed_by_seed():
    table = summarise_contrast("c", pair_tables("one", shift=0.2), pair_tables("two"))
    row = row_of(table, "h_repr", "checkpoint", step=500)
    assert row["experiment"] == "c" and row["mean"] == pytest.approx(0.2, rel=1e-9)
    with pytest.raises(UserError, match="same seeds"):
        summarise_contrast("c", pair_tables("one"), pair_tables("two").iloc[::-1])


def test_an_undefined_measure_leaves_out_its_seed_which_is_named():
    ckas = dict.fromkeys(("cka_conv1", "cka_conv2", "cka_fc1", "cka_logits"), 0.9)
    pairs = pair_tables().assign(**ckas)
    complete = summarise_experiment(pairs, [])
    place = pairs.index[(pairs["seed"] == 101) & (pairs["step"] == 0)]
    pairs.loc[place, ["h_repr", "cka_fc1"]] = np.nan
    table = summarise_experiment(pairs, [0, 100])
    row = row_of(table, "h_repr", "checkpoint", step=0)
    assert (row["n"], row["pairs"], row["undefined_seeds"]) == (3, 4, "101 (fc1)")
    assert row["mean"] == pytest.approx(np.mean([0.5, 0.54, 0.59]))
    assert row_of(table, "h_repr", "change", step_from=0)["undefined_seeds"] == "101 (fc1)"
    assert row_of(table, "cka_fc1", "checkpoint", step=0)["n"] == 3
    assert row_of(table, "h_repr", "checkpoint", step=100)["undefined_seeds"] == ""
    assert table.dtypes.to_dict() == complete.dtypes.to_dict()


def test_a_measure_undefined_in_every_seed_has_a_row_of_the_same_dtypes():
    pairs = pair_tables().assign(h_repr=np.nan)
    table = summarise_experiment(pairs, [])
    row = row_of(table, "h_repr", "checkpoint", step=0)
    assert row["n"] == 0 and np.isnan(row["mean"]) and pd.isna(row["positive"])
    assert row["undefined_seeds"] == "303, 101, 202, 404"
    assert table.dtypes.to_dict() == summarise_experiment(pair_tables(), []).dtypes.to_dict()


def test_counts_among_other_numbers_of_images_are_not_subtracted():
    with pytest.raises(UserError, match="counted among other numbers of images"):
        summarise_contrast("c", pair_tables("one"), pair_tables("two").assign(total=20_000))
