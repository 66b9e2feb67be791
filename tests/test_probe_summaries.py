"""Published probes give the published Table 1; unmatched seeds are listed, not replaced."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.jobs.probe import Budget, HeadSettings
from hysteresis.statistics.paired import bootstrap_interval, paired_statistics
from hysteresis.statistics.probes import reported_epochs, summarise_probe
from hysteresis.tables import formats, table1, table1_supplement
from tests.probe_rows import (
    PAPER,
    invented_rows,
    published,
    published_repeated_rows,
    published_rows,
    short,
)

SEEDS = list(range(101, 2021, 101))


@pytest.fixture(scope="module")
def first_heads():
    """Our statistics of the record's single heads."""
    budgets = tuple(Budget(budget.images_per_class, (777,)) for budget in PAPER.budgets)
    settings = replace(PAPER, budgets=budgets)
    # The record keeps the last epoch alone.
    rows = published_rows()
    epochs = pd.concat([rows.assign(epoch=epoch) for epoch in reported_epochs(20)])
    return summarise_probe("main", settings, epochs, SEEDS)


@pytest.fixture(scope="module")
def repeated_heads():
    settings = replace(PAPER, budgets=PAPER.budgets[1:2])
    rows = published_repeated_rows()
    epochs = pd.concat([rows.assign(epoch=epoch) for epoch in reported_epochs(20)])
    return summarise_probe("main", settings, epochs, SEEDS)


def row_of(table, **place):
    for column, value in place.items():
        table = table[table[column] == value]
    (row,) = table.to_dict("records")
    return row


def agrees(value: float, printed: str) -> bool:
    """Within half a unit of the last printed digit: exact halves may be printed either way."""
    mantissa, _, exponent = printed.partition("e")
    decimals = len(mantissa.partition(".")[2])
    unit = 10.0 ** (int(exponent or 0) - decimals)
    return abs(value - float(printed)) <= unit * (0.5 + 1e-9)


# ---- the published numbers -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("images", "mean", "t_low", "t_high", "t_p", "d_z"),
    [
        (25, "1.005", "-0.031", "2.041", "0.056", "0.454"),
        (50, "0.580", "0.072", "1.088", "0.027", "0.535"),
        (100, "0.288", "-0.094", "0.669", "0.131", "0.353"),  # exactly 0.2875
        (500, "0.090", "-0.064", "0.244", "0.237", "0.273"),
    ],
)
def test_published_heads_give_table_1(first_heads, images, mean, t_low, t_high, t_p, d_z):
    row = row_of(table1.table1(first_heads), images_per_class=images)
    assert agrees(row["mean_points"], mean)
    assert agrees(row["t_low_points"], t_low) and agrees(row["t_high_points"], t_high)
    assert agrees(row["t_p"], t_p) and agrees(row["d_z"], d_z)
    assert (row["n"], row["seeds"], row["unmatched_seeds"]) == (20, 20, "")


def test_table_1_is_printed_as_in_the_paper(first_heads):
    printed = table1.table1_printed(table1.table1(first_heads))
    columns = ["Images per class", "n", "Difference (points)", "95% t interval", "Paired p", "d_z"]
    assert printed[columns].to_numpy().tolist() == [
        [25, "20/20", "+1.005", "[-0.031, 2.041]", "0.056", "0.454"],
        [50, "20/20", "+0.580", "[0.072, 1.088]", "0.027", "0.535"],
        [100, "20/20", "+0.288", "[-0.094, 0.669]", "0.131", "0.353"],
        [500, "20/20", "+0.090", "[-0.064, 0.244]", "0.237", "0.273"],
    ]


def test_the_supplement_prints_repeated_heads_and_equivalence(first_heads, repeated_heads):
    final = pd.concat([first_heads, repeated_heads[repeated_heads["head_seeds"] == 5]])
    printed = table1_supplement.supplement_printed(table1_supplement.supplement(final, []))
    both = "8.26e-8, 1.14e-5"
    columns = ["Analysis", "Difference (points)", "t interval", "p", "Positive", "d_z"]
    assert printed[columns].to_numpy().tolist()[:2] == [
        ["mean of 5 heads", "+0.496", "[0.127, 0.866]", "0.011", "15", "0.629"],
        ["equivalence within 0.5 points", "+0.090", "90% [-0.037, 0.217]", both, "", ""],
    ]


@pytest.mark.parametrize("images", [25, 50, 100, 500])
@pytest.mark.parametrize("part", ["full", "A", "B"])
def test_the_records_own_statistics_follow_but_for_its_float32_noise(first_heads, images, part):
    row = row_of(first_heads, images_per_class=images, part=part, epoch=20)
    record = row_of(published("probe_statistics"), examples_per_class=images, domain=part)
    ours = {
        "mean": "mean", "median": "median", "standard_deviation": "sd",
        "t_ci_95_low": "t_low", "t_ci_95_high": "t_high",
        "bootstrap_ci_95_low": "bootstrap_low", "bootstrap_ci_95_high": "bootstrap_high",
        "paired_t_pvalue": "t_p", "sign_test_pvalue": "sign_p", "paired_cohens_dz": "d_z",
        "minimum": "minimum", "maximum": "maximum", "trimmed_mean_10_percent": "trimmed_mean",
    }  # fmt: skip
    for theirs, column in ours.items():
        assert row[column] == pytest.approx(record[theirs], abs=1e-5), column
    counts = [record[f"{sign}_count"] for sign in ("positive", "negative", "zero")]
    assert [row[sign] for sign in ("positive", "negative", "zero")] == counts


def test_the_signed_rank_test_at_500_differs_because_ties_are_ties_here(first_heads):
    """The record subtracted float32 accuracies: equal differences came out unequal in the eighth
    digit and were given distinct ranks (W 52, p 0.083). On counts W is 53.5 and p 0.094."""
    row = row_of(first_heads, images_per_class=500, part="full", epoch=20)
    assert row["wilcoxon_statistic"] == 53.5 and agrees(row["wilcoxon_p"], "0.094")
    record = row_of(published("probe_statistics"), examples_per_class=500, domain="full")
    assert record["wilcoxon_statistic"] == 52 and agrees(record["wilcoxon_pvalue"], "0.083")


def test_equivalence_at_500_is_as_printed(first_heads):
    row = row_of(first_heads, images_per_class=500, part="full", epoch=20)
    assert agrees(row["t90_low"] * 100, "-0.037") and agrees(row["t90_high"] * 100, "0.217")
    assert agrees(row["tost_p_lower"], "8.26e-8") and agrees(row["tost_p_upper"], "1.14e-5")
    assert row["equivalent"] and row["margin"] == 0.005
    assert first_heads["margin"].notna().sum() == 1  # the largest budget's primary row alone


def test_repeated_heads_are_as_printed_but_for_the_records_departures(repeated_heads):
    row = row_of(repeated_heads, head_seeds=5, epoch=20)
    assert agrees(row["mean"] * 100, "0.496")  # exactly 0.4965
    assert (row["positive"], row["n"]) == (15, 20)
    for column, printed in (("t_p", "0.0111"), ("sign_p", "0.0414"), ("d_z", "0.629")):
        assert agrees(row[column], printed)
    assert agrees(row["t_low"] * 100, "0.127") and agrees(row["t_high"] * 100, "0.866")
    # On counts; float32 noise split ties into the printed 0.0083.
    assert row["wilcoxon_statistic"] == 36 and agrees(row["wilcoxon_p"], "0.0100")
    # The printed [0.160, 0.833] took 50,000 resamples and seed 12345; declared are 10,000.
    differences = published("probe_seed_robustness")["mean_signed_difference"]
    quirk = bootstrap_interval(differences.to_numpy(), 12345, 50_000).scaled(100)
    assert agrees(quirk.low, "0.160") and agrees(quirk.high, "0.833")
    declared = bootstrap_interval(np.rint(differences * 10_000).astype(int), 12365)
    assert (row["bootstrap_low"], row["bootstrap_high"]) == pytest.approx(
        declared.scaled(1 / 10_000)
    )


# ---- rows ------------------------------------------------------------------------------------


def test_heads_are_summed_within_a_model_seed_before_any_test():
    settings = short()
    rows = invented_rows(settings, [7, 3, 5])
    table = summarise_probe("x", settings, rows, [7, 3, 5])
    row = row_of(table, images_per_class=5, head_seeds=2, part="B", epoch=3)
    last = rows[(rows["images_per_class"] == 5) & (rows["epoch"] == 3)]
    sums = {
        (seed, side): last[(last["seed"] == seed) & (last["side"] == side)]["correct_b_part"].sum()
        for seed in (7, 3, 5)
        for side in ("first", "second")
    }
    differences = [int(sums[seed, "first"] - sums[seed, "second"]) for seed in (7, 3, 5)]
    expected = paired_statistics(differences, 12345 + 3).scaled(1 / 2_000)
    assert (row["n"], row["mean"], row["t_p"]) == (3, expected.mean, expected.t_p)
    assert row["bootstrap_low"] == expected.bootstrap_interval.low
    assert row["accuracy_first"] == sum(sums[seed, "first"] for seed in (7, 3, 5)) / 6_000


def test_the_first_head_seed_is_the_single_head():
    settings = short()
    rows = invented_rows(settings, [7, 3])
    lone = replace(
        settings, budgets=tuple(Budget(b.images_per_class, (777,)) for b in settings.budgets)
    )
    single = summarise_probe("x", lone, rows[rows["head_seed"] == 777], [7, 3])
    both = summarise_probe("x", settings, rows, [7, 3])
    columns = ["images_per_class", "part", "epoch", "mean"]
    pd.testing.assert_frame_equal(
        both[both["head_seeds"] == 1][columns].reset_index(drop=True),
        single[single["head_seeds"] == 1][columns].reset_index(drop=True),
    )


@pytest.mark.parametrize(
    ("last", "epochs"), [(20, [1, 2, 5, 10, 20]), (5, [1, 2, 5]), (7, [1, 2, 5, 7]), (1, [1])]
)
def test_the_last_epoch_is_primary_and_those_before_it_are_exploratory(last, epochs):
    settings = replace(short(last), budgets=short().budgets[1:])
    table = summarise_probe("x", settings, invented_rows(settings, [1, 2, 3]), [1, 2, 3])
    whole = table[table["part"] == "full"]
    assert whole["epoch"].tolist() == epochs
    assert whole["role"].tolist() == ["exploratory"] * (len(epochs) - 1) + ["primary"]
    parts = table[(table["part"] != "full") & (table["epoch"] == last)]
    assert parts["role"].tolist() == ["secondary", "secondary"]


def test_unmatched_seeds_are_listed_and_not_replaced():
    settings = short(checkpoint=None)
    table = summarise_probe("x", settings, invented_rows(settings, [7, 5]), [7, 808, 5, 1717])
    assert set(table["unmatched_seeds"]) == {"808, 1717"}
    assert set(zip(table["n"], table["seeds"], strict=True)) == {(2, 4)}
    supplement = table1_supplement.supplement(table, [table])
    printed = table1_supplement.supplement_printed(supplement)
    assert set(printed["Seeds without a match"]) == {"808, 1717"}
    assert set(printed["n"]) == {"2/4"} and set(printed["Features"]) == {"fc1 at the match"}


def test_without_any_match_all_seeds_are_listed_and_nothing_is_claimed():
    settings = short(checkpoint=None)
    nothing = invented_rows(settings, [7]).head(0)
    table = summarise_probe("x", settings, nothing, [7, 5])
    printed = table1_supplement.supplement_printed(table1_supplement.supplement(table, [table]))
    assert set(printed["n"]) == {"0/2"} and set(printed["Seeds without a match"]) == {"7, 5"}
    assert set(printed["Difference (points)"]) == {"undefined"}
    beside = ["t interval", "p", "Wilcoxon p", "Positive", "Sign test p", "d_z"]
    assert set(printed[beside].to_numpy().flat) == {""}
    first = table1.table1_printed(table1.table1(table))
    assert set(first["Difference (points)"]) == {"undefined"} and set(first["d_z"]) == {""}


def test_a_seed_missing_at_a_fixed_checkpoint_is_an_error():
    settings = short()
    with pytest.raises(UserError, match="no rows of seed 9"):
        summarise_probe("x", settings, invented_rows(settings, [7, 5]), [7, 9, 5])


def test_a_missing_head_is_an_error():
    settings = short()
    rows = invented_rows(settings, [7, 5])
    with pytest.raises(UserError, match="not every seed has 2 heads"):
        summarise_probe("x", settings, rows.drop(rows[rows["head_seed"] == 1777].index[0]), [7, 5])


# ---- the supplement --------------------------------------------------------------------------


def test_the_supplement_has_what_table_1_leaves_out(tmp_path):
    settings = replace(short(20), head=HeadSettings())
    seeds = [1, 2, 3, 4]
    main = summarise_probe("main", settings, invented_rows(settings, seeds), seeds)
    conv2 = replace(settings, layer="conv2", checkpoint=10_000)
    other = summarise_probe("conv2", conv2, invented_rows(conv2, seeds), seeds)
    table = table1_supplement.supplement(main, [other])
    printed = table1_supplement.supplement_printed(table)
    assert printed[["Features", "Images per class", "Analysis"]].to_numpy().tolist() == [
        ["fc1 at 150 updates", 5, "mean of 2 heads"],
        ["fc1 at 150 updates", 10, "equivalence within 0.5 points"],
        ["fc1 at 150 updates", 5, "first head seed, part A"],
        ["fc1 at 150 updates", 5, "first head seed, part B"],
        ["fc1 at 150 updates", 10, "first head seed, part A"],
        ["fc1 at 150 updates", 10, "first head seed, part B"],
        ["conv2 at 10,000 updates", 5, "first head seed"],
        ["conv2 at 10,000 updates", 10, "first head seed"],
        ["conv2 at 10,000 updates", 5, "mean of 2 heads"],
        ["conv2 at 10,000 updates", 10, "equivalence within 0.5 points"],
    ]
    files = [tmp_path / f"table.{ending}" for ending in ("csv", "md", "tex")]
    formats.write(formats.PrintedTable(table, printed), files)
    assert pd.read_csv(files[0])["mean_points"].tolist() == pytest.approx(
        table["mean_points"].tolist()
    )
    assert all("equivalence within 0.5 points" in file.read_text() for file in files[1:])
