"""Published numbers recomputed, and a rebuild's numbers beside them with verdicts."""

import re
import shutil
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pandas as pd
import pytest
import yaml

from hysteresis import cli
from hysteresis.config.loading import configuration_from
from hysteresis.figures import published as figure_published
from hysteresis.figures import style
from hysteresis.jobs.as_json import to_json
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.seals import read_sealed
from hysteresis.provenance.tables import read_table
from hysteresis.published import record_check, verdicts
from hysteresis.published import seeds as published
from hysteresis.published.correlation import pearson
from hysteresis.published.design import counterparts, design_differences
from hysteresis.published.samples import Sample, SeedTables
from hysteresis.published.verdicts import AGREES, DIFFERS, NOT_RUN, judge, verdicts_on
from tests import rebuilds
from tests.conftest import ROOT
from tests.rebuilds import PUBLISHED

AGGREGATES = published.read(PUBLISHED, "aggregates")
H_AT_10000 = "text_main_h_repr_10000_mean"


# ---- recomputation ---------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(PUBLISHED, tmp_path / "published")


def edit(file, old, new):
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


def test_everything_is_as_documented_and_the_faults_are_told(capsys):
    assert cli.main(["published", "--published", str(PUBLISHED)]) == 0
    printed = capsys.readouterr().out
    for words in (
        "by the declared criterion 17 of 20 seeds match,\nnot 16",
        "seed 1919 at 10,000 updates: 9,875 and 9,855 of 10,000 correct, a gap of exactly 20",
        "500 per class, 1 head : record 0.0833 (52), exact 0.0944 (53.5)",
        "Everything is as documented: 113 of 113",
    ):
        assert words in printed
    assert re.search(r"table2_main_h_repr_matched_mean +0\.139 +0\.140 ", printed)
    assert " NO\n" not in printed


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("aggregates.csv", "mean,0.1531,4", "mean,0.1532,4", "10000_mean: printed 0.1532, but "),
        ("aggregates.csv", "wilcoxon_p,0.083,3", "wilcoxon_p,0.094,3", "printed 0.094, but "),
        ("departures.csv", "mean,0.1403,", "mean,0.1404,", "exactly 0.1403, not 0.1404 as docu"),
        ("departures.csv", "matched_n,17,matching\n", "matched_m,17,matching\n", "matched_m: no "),
        ("main_relaxation.csv", "1919,10000,0.9875,", "1919,10000,0.9876,", "matched"),
    ],
)
def test_a_changed_digit_is_caught_in_one_line(folder, capsys, file, old, new, message):
    edit(folder / file, old, new)
    assert cli.main(["published", "--published", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "not as documented" in line and message in line


def test_an_undocumented_departure_is_caught():
    table = record_check.recompute(AGGREGATES, record_check.read_both(PUBLISHED))
    departures = published.read(PUBLISHED, "departures")
    assert record_check.undocumented(table, departures) == []
    (line,) = record_check.undocumented(table, departures.iloc[1:])
    assert line == "table2_main_h_repr_matched_mean: exactly 0.140, undocumented beside 0.139"


def test_a_missing_folder_is_one_line(tmp_path, capsys):
    assert cli.main(["published", "--published", str(tmp_path / "nowhere")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "nowhere" in line and "--published" in line


def test_the_page_on_the_record_has_the_exact_numbers():
    page = (ROOT / "docs/record.md").read_text()
    for key, exact in published.read(PUBLISHED, "departures")[["key", "exact"]].to_numpy():
        if not key.startswith(("table2", "text_probe")):  # the same number with fewer digits
            assert exact in page, key


# ---- the verdict -----------------------------------------------------------------------------

SEEDS = tuple(range(101, 113))
BASE = np.linspace(0.12, 0.18, len(SEEDS))


def sample(values, seeds=SEEDS) -> Sample:
    return Sample(pd.Series(values, index=list(seeds)), 1.0, 12345, tuple(seeds))


def test_inside_the_interval_agrees_by_the_interval():
    noise = np.resize([0.004, -0.004], len(SEEDS))
    found = judge(sample(BASE), sample(BASE + noise), use_t_interval=False)
    assert (found.verdict, found.decided_by) == (AGREES, "interval")
    assert found.interval.low < BASE.mean() < found.interval.high


def test_outside_the_interval_without_a_difference_agrees_by_the_tests():
    # Reproduced values hardly vary, published ones do: the interval is narrow, the pairs noisy.
    reproduced = 0.152 + np.resize([0.0001, -0.0001], len(SEEDS))
    for use_t_interval in (False, True):
        found = judge(sample(BASE), sample(reproduced), use_t_interval)
        assert (found.verdict, found.decided_by) == (AGREES, "paired tests")
        assert not found.interval.low <= BASE.mean() <= found.interval.high
        assert min(found.t_p, found.wilcoxon_p) > verdicts.ALPHA


def test_outside_the_interval_and_different_differs():
    shifted = BASE + 0.05 + np.resize([0.002, -0.002], len(SEEDS))
    found = judge(sample(BASE), sample(shifted), use_t_interval=False)
    assert (found.verdict, found.decided_by) == (DIFFERS, "interval and paired tests")
    assert found.t_p < 0.001 and found.wilcoxon_p < 0.001


def test_equal_differences_are_left_to_the_signed_ranks():
    found = judge(sample(np.zeros(12)), sample(np.full(12, 3)), use_t_interval=True)
    assert np.isnan(found.t_p) and found.verdict == DIFFERS


@pytest.mark.parametrize(
    ("seeds", "values", "reason"),
    [
        (SEEDS[:1], [0.5], "one seed has neither interval nor test"),
        (SEEDS[:2], [0.5, np.nan], "undefined for seed 102"),
        ((), [], "no shared seed matches among the rebuilt"),
    ],
)
def test_what_cannot_be_judged_is_not_run(seeds, values, reason):
    found = judge(sample(BASE), sample(values, seeds), use_t_interval=False)
    assert (found.verdict, found.decided_by) == (NOT_RUN, reason)


# ---- all numbers -----------------------------------------------------------------------------


def test_the_published_seeds_themselves_agree_everywhere():
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(published.seed_tables(PUBLISHED)))
    assert (table["verdict"] == AGREES).all() and (table["decided_by"] == "interval").all()
    assert np.allclose(table["difference"], 0)
    kept = set(published.read(PUBLISHED, "departures")["key"])
    for row in table[~table["key"].isin(kept)].itertuples():
        assert abs(row.reproduced - float(row.printed)) <= 0.5 * 10.0**-row.decimals + 1e-12


def test_a_shift_of_h_differs_in_h_alone():
    own = rebuilds.noisy_tables(h_noise=0.005, h_shift=0.1)
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(own)).set_index("key")
    assert table.loc[H_AT_10000, "verdict"] == DIFFERS
    assert table.loc[H_AT_10000, "difference"] == pytest.approx(0.1, abs=0.01)
    assert table.loc["table2_main_h_repr_10000_n", "verdict"] == AGREES
    assert table.loc["text_main_accuracy_abc_10000_mean", "verdict"] == AGREES
    # The shift is in both activations, and at both steps.
    for key in table.index[table["quantity"].isin(["h_repr_change", "h_repr_leaky_minus_relu"])]:
        assert abs(table.loc[key, "difference"]) < 0.05 or table.loc[key, "unit"] != "score"


def test_how_many_seeds_match_is_judged_seed_by_seed():
    own = published.seed_tables(PUBLISHED)
    never = own.pairs["main"].assign(behavioral_match=own.pairs["main"]["seed"] == 101)
    tables = SeedTables({**own.pairs, "main": never}, own.probes)
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(tables)).set_index("key")
    row = table.loc["table2_main_h_repr_matched_n"]
    assert (row["published"], row["reproduced"], row["verdict"]) == (17, 1, DIFFERS)
    matched = table.loc["text_main_h_repr_matched_mean"]
    assert (matched["verdict"], matched["reproduced_n"]) == (NOT_RUN, 0)


def test_only_shared_seeds_are_compared():
    own = rebuilds.noisy_tables()
    some = own.pairs["main"][own.pairs["main"]["seed"].isin([303, 101, 2020])]
    stranger = some[some["seed"] == 101].assign(seed=7, h_repr=9.0)
    tables = SeedTables({**own.pairs, "main": pd.concat([some, stranger])}, None)
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(tables)).set_index("key")
    row = table.loc[H_AT_10000]
    exact = published.seed_tables(PUBLISHED).pairs["main"]
    expected = exact[exact["seed"].isin([101, 303, 2020]) & (exact["step"] == 10_000)]["h_repr"]
    assert (row["published_n"], row["reproduced_n"], row["pairs"]) == (3, 3, 3)
    assert row["published"] == pytest.approx(expected.mean()) and row["reproduced"] < 1
    probes = table[table["experiment"].isin(["probe", "probe_five_heads"])]
    assert set(probes["verdict"]) == {NOT_RUN} and set(probes["decided_by"]) == {"no results of it"}
    assert probes["published"].notna().all() and probes["reproduced"].isna().all()


def test_a_quick_configuration_is_never_compared():
    both = rebuilds.sides_of(rebuilds.noisy_tables(), rebuilds.quick_design())
    table = verdicts_on(AGGREGATES, both)
    assert set(table["verdict"]) == {NOT_RUN} and table["reproduced"].isna().all()
    assert "phase length: 60 updates, not 10 epochs" in table["decided_by"].iloc[-1]
    assert verdicts.seed_values(AGGREGATES, both)["reproduced"].isna().all()
    lines = verdicts.deviations(both)
    assert lines[0] == (
        "main: phase length: 60 updates, not 10 epochs; 2 of the 20 published seeds; "
        "1 of the 7 published checkpoints, and 2 of its own"
    )


def changed_main(**changes):
    design = rebuilds.published_design()
    main = design.experiments["main"]
    changed = replace(main, comparison=replace(main.comparison, **changes))
    return replace(design, experiments={**design.experiments, "main": changed})


def test_a_missing_checkpoint_leaves_the_others_comparable():
    design = changed_main(steps=(0, 100, 10_000))
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(rebuilds.noisy_tables(), design))
    main = table[table["experiment"] == "main"].set_index("key")
    assert main.loc[H_AT_10000, "verdict"] != NOT_RUN
    # The earliest of fewer checkpoints is another match.
    assert set(main[main["endpoint"] == "matched"]["verdict"]) == {NOT_RUN}
    short = changed_main(steps=(0, 100, 500, 1000, 2500, 5000))
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(rebuilds.noisy_tables(), short)).set_index(
        "key"
    )
    assert table.loc[H_AT_10000, "decided_by"] == "no checkpoint at 10,000 updates"


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda run: replace(run, optimizer=replace(run.optimizer, learning_rate=0.04)),
         "learning rate: 0.04, not 0.05"),
        (lambda run: replace(run, network=replace(run.network, activation="leaky_relu")),
         "activation: leaky_relu, slope 0.01, not relu"),
        (lambda run: replace(run, phases=run.phases[::-1]), "phase images: mnist, digits 5 6 7 8"),
        (lambda run: replace(run, phases=run.phases[:1]), "phase images: none, not mnist, digits"),
        (lambda run: replace(run, weights=replace(run.weights, seed=102)),
         "initial weights' seed offset: 1, not 0"),
        (lambda run: replace(run, relaxation=replace(run.relaxation, optimizer_state="preserve")),
         "optimizer state at the common phase: preserve, not reset"),
    ],
)  # fmt: skip
def test_other_training_is_another_protocol(change, difference):
    comparison = rebuilds.published_design().experiments["main"].comparison
    design = changed_main(first=change(comparison.first))
    (found,) = design_differences(
        design.experiments["main"].comparison, comparison
    )[:1]  # fmt: skip
    assert found.startswith(difference) and "first history" in found
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(rebuilds.noisy_tables(), design)).set_index(
        "key"
    )
    assert table.loc[H_AT_10000, "verdict"] == NOT_RUN
    assert table.loc["text_rotated_h_repr_10000_mean", "verdict"] != NOT_RUN


def changes_of(value):
    """A dataclass with one field changed, for each of its fields and of those within them."""
    for field in fields(value):
        inner = getattr(value, field.name)
        if is_dataclass(inner):
            others = [(f"{field.name}.{place}", other) for place, other in changes_of(inner)]
        elif isinstance(inner, tuple) and inner and is_dataclass(inner[0]):
            others = [
                (f"{field.name}.{place}", (other, *inner[1:]))
                for place, other in changes_of(inner[0])
            ]
        else:
            others = [(field.name, OTHER_VALUES[field.name])]
        for place, other in others:
            yield place, replace(value, **{field.name: other})


OTHER_VALUES = {
    "condition": "other", "history": "other", "task": "other",
    "activation": "leaky_relu", "negative_slope": 0.2, "channels": (4, 8), "hidden": 16,
    "learning_rate": 0.01, "momentum": 0.5, "weight_decay": 0.1, "batch_size": 64,
    "seed": 7, "perturbation": 0.1, "stream_seed": 7, "epochs": 9, "updates": 9,
    "classes": (3,), "rotations": (90,), "examples_per_class": 9, "share": (0, 2),
    "optimizer_state": "preserve", "reinitialised": ("fc2",), "reinitialisation_seed": 7,
    "architecture": "other", "image_shape": (3, 28, 28),
    "data_set": "other",
}  # fmt: skip
FREE = {"condition", "history", "phases.task", "relaxation.task"}
UNUSED = {"network.negative_slope", "relaxation.reinitialisation_seed"}  # by ReLU, by no layer


def test_every_setting_of_a_run_is_part_of_the_protocol():
    """A new setting of a run must be told to the protocol's check, or be free by intent."""
    comparison = rebuilds.published_design().experiments["main"].comparison
    for place, run in changes_of(comparison.first):
        found = design_differences(replace(comparison, first=run), comparison)
        # A run of another seed has its streams' and weights' seeds at other offsets.
        expected = place not in FREE | UNUSED
        assert bool(found) == expected, place


def test_names_of_histories_and_tasks_are_free():
    comparison = rebuilds.published_design().experiments["main"].comparison
    first = comparison.first
    phases = tuple(replace(phase, task=f"task {phase.task}") for phase in first.phases)
    renamed = replace(comparison, first=replace(first, history="other", phases=phases))
    assert design_differences(renamed, comparison) == []


def test_other_heads_are_not_compared():
    design = rebuilds.published_design()
    budgets = (design.probe.budgets[0], replace(design.probe.budgets[1], head_seeds=(777, 1)))
    design = replace(design, probe=replace(design.probe, budgets=budgets))
    table = verdicts_on(AGGREGATES, rebuilds.sides_of(rebuilds.noisy_tables(), design))
    reasons = table.groupby("endpoint")["decided_by"].first()
    assert reasons["25_per_class"] == "interval" and reasons["50_per_class"] == "interval"
    assert reasons["50_per_class_five_heads"].startswith("head seeds 777 1, not 777 1777")
    assert reasons["100_per_class"] == "no budget of 100 images a digit"


def test_the_papers_configuration_is_the_published_protocol():
    mapping = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    schema = ROOT / "workflow/schemas/config.schema.yaml"
    own = counterparts(configuration_from(mapping, schema))
    both = rebuilds.sides_of(published.seed_tables(PUBLISHED), own)
    assert verdicts.deviations(both) == []
    assert NOT_RUN not in set(verdicts_on(AGGREGATES, both)["verdict"])


# ---- files and figure ------------------------------------------------------------------------


def compared(tmp_path, design, own):
    tables = rebuilds.write_files(own, tmp_path)
    files = {
        name: tmp_path / file
        for name, file in (
            ("numbers", "n.parquet"),
            ("seeds", "s.parquet"),
            ("table", "t.csv"),
            ("page", "p.md"),
        )
    }
    given = [text for name, file in files.items() for text in (f"--{name}", str(file))]
    design = ["--design", to_json(design), "--published", str(PUBLISHED)]
    assert cli.main(["compare-published", *design, *tables, *given]) == 0
    return files


def test_files_hold_the_same_numbers_as_the_tables(tmp_path, capsys):
    own = rebuilds.noisy_tables()
    files = compared(tmp_path, rebuilds.published_design(), own)
    written, expected = (
        pd.read_csv(files["table"]),
        verdicts_on(AGGREGATES, rebuilds.sides_of(own)),
    )
    for column in ("published", "reproduced", "t_p", "wilcoxon_p", "r"):
        np.testing.assert_allclose(written[column], expected[column], rtol=1e-12)
    assert written["verdict"].tolist() == expected["verdict"].tolist()
    page = read_sealed(files["page"], "printed table").decode()
    assert "Every experiment has the published protocol" in page and "p < 0.05" in page
    assert "Every experiment has the published protocol" in capsys.readouterr().out
    # Main, long and probes agree where noise is small beside the spread of seeds.
    assert f"| {H_AT_10000}" in page


def test_a_quick_rebuild_says_so_in_file_print_and_figure(tmp_path, capsys):
    files = compared(tmp_path, rebuilds.quick_design(), rebuilds.noisy_tables())
    for text in (files["page"].read_text(), capsys.readouterr().out):
        assert "Not the published protocol throughout" in text
        assert "phase length: 60 updates, not 10 epochs" in text
        assert "agrees 0, differs 0, not run 113" in text
    figure = figure_published.draw(
        read_table(files["numbers"], Kind.PUBLISHED_NUMBERS),
        read_table(files["seeds"], Kind.PUBLISHED_SEEDS),
    )
    notes = " ".join(text.get_text() for axes in figure.axes for text in axes.texts)
    assert notes.count("not run here") == 2 and "60 updates" in notes
    assert all(len(axes.lines) > 0 for axes in figure.axes)
    (legend,) = [axes.get_legend() for axes in figure.axes if axes.get_legend()]
    assert "10k updates: not run, published below" in [
        text.get_text() for text in legend.get_texts()
    ]


@pytest.fixture
def tables():
    both = rebuilds.sides_of(rebuilds.noisy_tables())
    return verdicts_on(AGGREGATES, both), verdicts.seed_values(AGGREGATES, both)


def test_the_figure_shows_the_means_and_the_correlation_of_the_tables(tables):
    numbers, seeds = tables
    *panels, scatter = figure_published.draw(numbers, seeds).axes
    *texts, line = (text.get_text() for text in scatter.get_legend().get_texts())
    assert line == "equal values"
    for axes, (experiment, endpoint), text in zip(
        panels, figure_published.ENDPOINTS, texts, strict=True
    ):
        key = f"text_{experiment}_h_repr_{endpoint}"
        by_key = numbers.set_index("key")
        for bar, side in zip(axes.containers, ("published", "reproduced"), strict=True):
            mean, low, high = (
                by_key.loc[f"{key}_{name}", side]
                for name in ("mean", "bootstrap_low", "bootstrap_high")
            )
            np.testing.assert_allclose(np.array(bar.lines[0].get_ydata(), float), mean)
            ((begin, end),) = bar.lines[2][0].get_segments()
            np.testing.assert_allclose([begin[1], end[1]], [low, high])
        place = (seeds["experiment"] == experiment) & (seeds["quantity"] == "h_repr")
        values = seeds[place & (seeds["endpoint"] == endpoint)]
        shown = [line.get_ydata() for line in axes.lines if line.get_linestyle() == "None"][:2]
        np.testing.assert_allclose(shown, values[["published", "reproduced"]].T)
        r = np.corrcoef(values["published"], values["reproduced"])[0, 1]
        assert f"n = {len(values)}, r = {r:.2f} [" in text


def test_the_figures_text_is_inside_and_its_bytes_repeat(tables, tmp_path):
    for name in ("one.png", "other.png"):
        style.save(figure_published.draw(*tables), [tmp_path / name])
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "other.png").read_bytes()
    figure = figure_published.draw(*tables)
    with style.styled():
        figure.draw_without_rendering()
        boxes = [axes.get_tightbbox() for axes in figure.axes]
        boxes += [legend.get_window_extent() for legend in figure.legends]
    for box in boxes:
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1


def test_drawing_without_tables_is_a_mistake_in_one_line(tmp_path, capsys):
    files = ["--numbers", str(tmp_path / "n.csv"), "--seeds", str(tmp_path / "s.csv")]
    assert cli.main(["draw-published", *files, "--output", str(tmp_path / "f.png")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "n.csv" in line and not (tmp_path / "f.png").exists()


# ---- correlation -----------------------------------------------------------------------------


def test_correlation_against_its_definition():
    first, second = np.array([1.0, 2, 4, 7, 11]), np.array([2.0, 1, 5, 6, 9])
    found = pearson(first, second)
    r = np.corrcoef(first, second)[0, 1]
    half = 1.959963985 / np.sqrt(5 - 3)
    ends = np.tanh([np.arctanh(r) - half, np.arctanh(r) + half])
    assert (found.n, found.r) == (5, pytest.approx(r))
    np.testing.assert_allclose(found.interval, ends, rtol=1e-6)


@pytest.mark.parametrize("pairs", [0, 1, 2, 3])
def test_few_pairs_have_no_interval(pairs):
    found = pearson(np.arange(pairs), np.arange(pairs) ** 2)
    assert found.n == pairs and np.isnan(found.interval).all()
    assert np.isnan(found.r) == (pairs < 3)
    assert np.isnan(pearson([1, 1, 1, 1], [1, 2, 3, 4]).r)
