"""The excess under every measure: its sign, its table, its figure; and the table of sensitivity."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.figures import figure8, style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.measures.layers import FEATURES
from hysteresis.measures.registry import MEASURES
from hysteresis.statistics.excess import EXCESS
from hysteresis.statistics.measures import summarise_measures
from hysteresis.statistics.paired import sign_flip_test, t_interval
from hysteresis.tables import measures as measure_tables
from hysteresis.tables import sensitivity
from tests.test_config import paper_with
from tests.test_figures import texts

SEEDS = (303, 101, 202)
SIMILARITY, DISTANCE = "linear_cka", "procrustes"
FAR, NEAR = np.array([0.30, 0.20, 0.25]), np.array([0.10, 0.12, 0.10])


def tables_of(experiment, dissimilarity, layers=("conv2", "fc1"), seeds=SEEDS):
    """A similarity that is 1 minus, and a distance that is twice, one dissimilarity a seed."""
    rows = [
        {
            "experiment": experiment, "seed": seed, "step": step, "layer": layer,
            "measure": measure, "value": value,
        }
        for seed, apart in zip(seeds, dissimilarity, strict=True)
        for step in (0, 10)
        for layer in layers
        for measure, value in ((SIMILARITY, 1 - apart), (DISTANCE, 2 * apart))
    ]  # fmt: skip
    return pd.DataFrame(rows)


FLOORS = [tables_of("one", NEAR), tables_of("two", NEAR + 0.02)]


@pytest.fixture(scope="module")
def statistics():
    return summarise_measures(tables_of("main", FAR), FLOORS)


def row_of(table, role, measure, layer="fc1", step=10):
    chosen = (table["role"] == role) & (table["measure"] == measure)
    (row,) = table[chosen & (table["layer"] == layer) & (table["step"] == step)].to_dict("records")
    return row


def test_the_excess_is_positive_for_orders_further_apart_whatever_the_measures_direction(
    statistics,
):
    expected = FAR - (NEAR + 0.01)
    for measure, factor in ((SIMILARITY, 1), (DISTANCE, 2)):
        row = row_of(statistics, EXCESS, measure)
        assert row["mean"] == pytest.approx(factor * expected.mean(), rel=1e-12)
        assert (row["t_low"], row["t_high"]) == pytest.approx(t_interval(factor * expected))
        assert row["d_z"] == pytest.approx(expected.mean() / expected.std(ddof=1))
        assert row["sign_flip_p"] == sign_flip_test(expected).p_value and row["n"] == 3
    closer = summarise_measures(tables_of("main", NEAR - 0.05), FLOORS)
    for measure in (SIMILARITY, DISTANCE):
        assert row_of(closer, EXCESS, measure)["mean"] < 0


def test_levels_are_in_the_unit_of_the_measure(statistics):
    assert row_of(statistics, "observed", SIMILARITY)["mean"] == pytest.approx(0.75)
    assert row_of(statistics, "observed", DISTANCE)["mean"] == pytest.approx(0.5)
    floor = (NEAR + 0.01).mean()
    assert row_of(statistics, "floor", SIMILARITY)["mean"] == pytest.approx(1 - floor)
    assert row_of(statistics, "floor", DISTANCE)["mean"] == pytest.approx(2 * floor)


def test_floors_of_other_seeds_or_layers_are_refused():
    for floor in (FLOORS[1].iloc[::-1], FLOORS[1][FLOORS[1]["layer"] == "fc1"]):
        with pytest.raises(UserError, match="two lacks seeds of main at"):
            summarise_measures(tables_of("main", FAR), [FLOORS[0], floor])


def with_dead_layer(observed):
    dead = (observed["seed"] == 101) & (observed["layer"] == "conv2")
    return observed.assign(value=observed["value"].mask(dead))


def test_a_dead_layer_leaves_its_rows_undefined_and_all_others_as_they_are(statistics):
    table = summarise_measures(with_dead_layer(tables_of("main", FAR)), FLOORS)
    row = row_of(table, EXCESS, SIMILARITY, "conv2")
    assert row["n"] == 3 and np.isnan(row["mean"]) and np.isnan(row["sign_flip_p"])
    assert row_of(table, EXCESS, SIMILARITY) == row_of(statistics, EXCESS, SIMILARITY)
    (note, *_) = measure_tables.notes(measure_tables.measure_table(table))
    assert "of 2 measures, 0 put" in note and "; 2 are undefined: " in note


def test_the_printed_table_says_what_each_layer_shows(statistics):
    table = measure_tables.measure_table(statistics)
    assert len(table) == 8 and table.columns[:6].tolist() == [
        "step", "layer", "measure", "observed", "floor", "n",
    ]  # fmt: skip
    printed = measure_tables.measure_table_printed(table)
    assert printed["Excess"].tolist()[-2:] == ["+0.1333", "+0.2667"]
    assert printed["Measure"].tolist()[-2:] == ["Linear CKA", "Procrustes angle (rad)"]
    found = measure_tables.notes(table)
    further = sum(low > 0 for low in table["t_low"].tail(2))
    assert f"fc1: of 2 measures, {further} put opposite orders further apart" in found[3]
    assert "positive where opposite orders lie further apart" in found[4]
    assert "fewer than 10 seeds" in found[-1]


@pytest.mark.parametrize(
    ("interval", "expected"),
    [((0.1, 0.2), 1), ((-0.1, 0.2), 0), ((0.0, 0.2), 0), ((-0.2, -0.1), -1), ((np.nan,) * 2, 0)],
)
def test_the_verdict_follows_from_the_interval_alone(interval, expected):
    assert measure_tables.verdict(*interval) == expected


# ---- figure ----------------------------------------------------------------------------------


def drawn(statistics, tmp_path):
    files = [tmp_path / name for name in ("once.pdf", "again.pdf")]
    for file in files:
        figure = figure8.draw(FigureInputs(pd.DataFrame(), statistics, None))
        style.save(figure, [file])
    assert files[0].read_bytes() == files[1].read_bytes()
    return figure


def test_figure_8_shows_the_standardised_excess_with_its_t_interval(statistics, tmp_path):
    figure = drawn(statistics, tmp_path)
    first, second = figure.axes
    row = row_of(statistics, EXCESS, SIMILARITY, "fc1")
    points = [line for line in second.lines if line.get_marker() == "o"]
    assert points[0].get_xdata()[0] == pytest.approx(row["d_z"])
    ends = [segment[:, 0] for part in second.collections for segment in part.get_segments()]
    assert ends[0] == pytest.approx([row["t_low"] / row["sd"], row["t_high"] / row["sd"]])
    assert [label.get_text() for label in first.get_yticklabels()] == [
        "Linear CKA", "Procrustes angle (rad)",
    ]  # fmt: skip
    words = figure.get_supxlabel()
    assert "n = 3 seeds, 10 updates" in words and "apart" in second.get_xlabel()


@pytest.mark.filterwarnings("error")
def test_figure_8_draws_lone_seeds_dead_layers_and_what_lies_beyond_the_axis(tmp_path):
    lone = [tables_of(name, [0.2], seeds=(101,)) for name in ("main", "one", "two")]
    figure = drawn(summarise_measures(lone[0], lone[1:]), tmp_path)
    assert all(axes.texts[0].get_text() == " undefined" for axes in figure.axes)
    drawn(summarise_measures(with_dead_layer(tables_of("main", FAR)), FLOORS), tmp_path)
    far = tables_of("main", NEAR + 5 + np.array([0, 1e-3, 0]))
    figure = drawn(summarise_measures(far, FLOORS), tmp_path)
    low, high = figure.axes[0].get_xlim()
    assert high == -low == 12
    assert [line.get_marker() for line in figure.axes[1].lines[1:]] == [">", ">"]


def with_layers(count):
    layers = [f"layer{place}" for place in range(count)]
    given = [tables_of(name, FAR, layers) for name in ("main", "one", "two")]
    return FigureInputs(pd.DataFrame(), summarise_measures(given[0], given[1:]), None)


def test_figure_8_has_a_panel_for_each_layer_and_refuses_a_sixth():
    titles = [axes.get_title(loc="left") for axes in figure8.draw(with_layers(5)).axes]
    assert titles == [f"({letter}) layer{place}" for place, letter in enumerate("abcde")]
    with pytest.raises(UserError, match="figure8: 6 layers do not fit side by side; let measures"):
        figure8.draw(with_layers(6))


@pytest.mark.parametrize("seeds", [20, 3])
def test_figure_8_is_legible_with_every_layer_and_measure(seeds):
    generator = np.random.default_rng(seeds)
    places = pd.MultiIndex.from_product(
        [range(seeds), [10_000], FEATURES, MEASURES], names=["seed", "step", "layer", "measure"]
    )
    observed, *floors = (
        pd.DataFrame({"experiment": name, "value": generator.random(len(places))}, index=places)
        for name in ("main", "one", "two")
    )
    statistics = summarise_measures(observed.reset_index(), [each.reset_index() for each in floors])
    figure = figure8.draw(FigureInputs(pd.DataFrame(), statistics, None))
    with style.styled():
        figure.draw_without_rendering()
    placed = list(texts(figure))
    assert len(placed) > len(MEASURES) + 4 * len(FEATURES)
    for text, box, artist in placed:
        assert artist.get_fontsize() >= style.SMALL_SIZE, text
        assert figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1, text
        assert figure.bbox.y0 <= box.y0 and box.y1 <= figure.bbox.y1, text
    for (one, box, _), (other, other_box, _) in combinations(placed, 2):
        assert not box.overlaps(other_box), (one, other)


# ---- sensitivity to the images ---------------------------------------------------------------


def sensitivity_rows(h_repr):
    quantities = [
        f"{prefix}{name}"
        for prefix in ("", "debiased_")
        for name in ("h_repr", "cka_conv1", "cka_conv2", "cka_fc1", "cka_logits")
    ]
    return pd.DataFrame(
        {
            "experiment": "main", "seed": seed, "step": 10, "set": name, "images": images,
            "quantity": quantity, "value": value + 0.1 * (images == 200),
        }
        for seed, value in zip(SEEDS, h_repr, strict=True)
        for name in ("test", "train")
        for images in (200, 2000)
        for quantity in quantities
    )  # fmt: skip


def test_the_table_of_sensitivity_has_the_mean_and_t_interval_of_every_size():
    table = sensitivity.sensitivity_table(sensitivity_rows(FAR))
    row = table[(table["images"] == 200) & (table["quantity"] == "debiased_h_repr")].iloc[0]
    assert row["mean"] == pytest.approx(0.35)
    assert (row["t_low"], row["t_high"]) == pytest.approx(t_interval(FAR + 0.1))
    printed = sensitivity.sensitivity_printed(table)
    assert printed["Quantity"].tolist()[::4] == [
        "H_repr", "CKA conv1", "CKA conv2", "CKA fc1", "CKA logits",
    ]  # fmt: skip
    first = printed.head(4)
    assert first["Set"].tolist() == ["test", "test", "train", "train"]
    assert first["Images"].tolist() == ["200", "2,000"] * 2
    assert first["Plain"].tolist() == first["Debiased"].tolist() == ["0.350", "0.250"] * 2
    notes = sensitivity.notes(table)
    assert "H_repr on 200 and on 2,000 test images: 0.350 and 0.250." in notes
    assert "n is 3" in notes[-1]


def test_a_dead_layer_has_no_mean_in_the_table_of_sensitivity():
    table = sensitivity.sensitivity_table(sensitivity_rows([0.3, np.nan, 0.2]))
    assert table["mean"].isna().all() and (table["n"] == 3).all()
    assert sensitivity.sensitivity_printed(table)["Plain"].eq("undefined").all()
    assert "is dead" in " ".join(sensitivity.notes(table))


# ---- configuration ---------------------------------------------------------------------------


def test_a_job_is_told_the_names_of_all_measures_or_of_the_chosen_ones():
    assert paper_with({}).pair_measures("main", 101).measures == tuple(MEASURES)
    chosen = paper_with({"measures": {"measures": ["svcca"]}}).pair_measures("main", 101)
    assert chosen.measures == ("svcca",) and chosen.pair.steps == (10_000,)
    assert chosen.images.examples_per_class == 200
    assert paper_with({}).pair_sensitivity("main", 101).images[-1] == 10_000


def test_a_measure_of_ones_own_is_known_once_it_is_in_the_registry(monkeypatch):
    with pytest.raises(UserError, match="measures: measures: 'mine' is not defined; there are: li"):
        paper_with({"measures": {"measures": ["mine"]}})
    monkeypatch.setitem(MEASURES, "mine", MEASURES[SIMILARITY])
    assert paper_with({"measures": {"measures": ["mine"]}}).measures.measures == ("mine",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"measures": {"steps": [3]}}, "measures: steps: 3 is not defined"),
        ({"measures": {"layers": ["fc2"]}}, "measures: layers: 0: 'fc2' is not one of"),
        ({"measures": {"images": 5}}, "measures: Additional properties are not allowed"),
        ({"sensitivity": {"step": 3}}, "sensitivity: step: 3 is not defined"),
        ({"sensitivity": {"images": [205]}}, "sensitivity: images: 0: 205 is not a multiple"),
        ({"sensitivity": {"images": [9000]}}, "sensitivity: images: 0: "),
    ],
)
def test_mistakes_in_the_sections_are_one_line(changes, message):
    with pytest.raises(UserError, match=f"^configuration: {message}") as caught:
        paper_with(changes)
    assert "\n" not in str(caught.value)


def test_without_controls_or_by_null_there_is_nothing_to_measure():
    paper = paper_with({"controls": None, "measures": {"steps": [3]}})
    assert paper.controls is None
    assert paper_with({"measures": None, "sensitivity": None}).measures is None


def test_the_configuration_knows_the_measures_without_importing_heavy_libraries():
    """Snakemake reads it anew for every job."""
    code = (
        "import sys, hysteresis.config; "
        "print(*sorted({'scipy', 'torch', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
