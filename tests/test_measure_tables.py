"""The excess under every measure: its sign, its table, its figure; and the table of sensitivity."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.figures import figure8, style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.measures.registry import MEASURES
from hysteresis.statistics.measures import summarise_measures, tells
from hysteresis.statistics.orders import CROSSED_EXCESS
from hysteresis.statistics.paired import sign_flip_test, t_interval
from hysteresis.tables import measures as measure_tables
from hysteresis.tables import sensitivity
from hysteresis.training import layers
from hysteresis.training.layers import Architecture, Layer, architecture_named
from tests.six_pairs import EXPERIMENTS
from tests.test_config import paper_with
from tests.test_figures import texts

SEEDS = (303, 101, 202)
VIEWS = tuple(architecture_named("convolutional").views)
SIMILARITY, DISTANCE = "linear_cka", "procrustes"
EXCESS = CROSSED_EXCESS.name
FAR, NEAR = np.array([0.30, 0.20, 0.25]), np.array([0.10, 0.12, 0.10])


def tables_of(experiment, dissimilarity, layers=("conv2", "fc1"), seeds=SEEDS):
    """A similarity that is 1 minus, and a distance that is twice, one dissimilarity a seed."""
    rows = [
        {
            "experiment": experiment, "seed": seed, "step": step, "layer": layer,
            "measure": measure, "value": value, "chance": chance,
        }
        for seed, apart in zip(seeds, dissimilarity, strict=True)
        for step in (0, 10)
        for layer in layers
        for measure, value, chance in ((SIMILARITY, 1 - apart, 0.1), (DISTANCE, 2 * apart, 1.5))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def six(far=FAR, near=NEAR, observed=None, **changes):
    """Opposite orders ``far``, equal ones ``near`` apart; the observed pair like the former."""
    observed = far - 0.05 if observed is None else observed
    apart = (near, observed, far + 0.01, far - 0.01, observed, near + 0.02)
    return [tables_of(name, each, **changes) for name, each in zip(EXPERIMENTS, apart, strict=True)]


@pytest.fixture(scope="module")
def statistics():
    return summarise_measures(six())


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
    closer = summarise_measures(six(far=NEAR - 0.05))
    for measure in (SIMILARITY, DISTANCE):
        assert row_of(closer, EXCESS, measure)["mean"] < 0


def test_levels_are_in_the_unit_of_the_measure(statistics):
    for level, apart in (("observed", 0.2), ("crossed", 0.25)):
        assert row_of(statistics, level, SIMILARITY)["mean"] == pytest.approx(1 - apart)
        assert row_of(statistics, level, DISTANCE)["mean"] == pytest.approx(2 * apart)
    assert row_of(statistics, "chance", DISTANCE)["mean"] == 1.5
    floor = (NEAR + 0.01).mean()
    assert row_of(statistics, "floor", SIMILARITY)["mean"] == pytest.approx(1 - floor)
    assert row_of(statistics, "floor", DISTANCE)["mean"] == pytest.approx(2 * floor)


def test_the_stream_effect_is_negative_where_shared_streams_bring_networks_together(statistics):
    for measure, factor in ((SIMILARITY, 1), (DISTANCE, 2)):
        row = row_of(statistics, "stream_effect", measure)
        assert row["mean"] == pytest.approx(-0.05 * factor)


def test_tables_of_other_seeds_or_layers_are_refused():
    for change in (lambda each: each.iloc[::-1], lambda each: each[each["layer"] == "fc1"]):
        tables = six()
        tables[5] = change(tables[5])
        with pytest.raises(UserError, match="one and two do not have the same rows by seed, step"):
            summarise_measures(tables)


def with_dead_layer(tables, seeds=(101,)):
    """In the third pair, 03, conv2 is dead."""
    dead = tables[2]["seed"].isin(seeds) & (tables[2]["layer"] == "conv2")
    tables[2] = tables[2].assign(value=tables[2]["value"].mask(dead))
    return tables


def test_a_dead_layer_leaves_out_its_seed_which_is_named_and_all_else_as_it_is(statistics):
    table = summarise_measures(with_dead_layer(six()))
    row = row_of(table, EXCESS, SIMILARITY, "conv2")
    assert row["n"] == 2 and row["undefined_seeds"] == "101 (conv2)"
    assert row["mean"] == pytest.approx((FAR - NEAR - 0.01)[[0, 2]].mean())
    assert row_of(table, EXCESS, SIMILARITY) == row_of(statistics, EXCESS, SIMILARITY)
    notes = measure_tables.notes(measure_tables.measure_table(table))
    (note,) = (note for note in notes if "101 (conv2)" in note)
    assert "conv2, mean over space, Linear CKA" in note and "fc1" not in note
    none_left = summarise_measures(with_dead_layer(six(), SEEDS))
    assert none_left.dtypes.to_dict() == statistics.dtypes.to_dict()
    (first, *_) = measure_tables.notes(measure_tables.measure_table(none_left))
    assert "of 0 measures, 0 put" in first and "; 2 have fewer than two defined seeds." in first


# ---- chance ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("observed", "chance", "measure", "expected"),
    [
        (0.42, 0.40, SIMILARITY, False),
        (0.44, 0.40, SIMILARITY, True),
        (0.30, 0.40, SIMILARITY, True),  # well below chance is also something
        (1.0, 1.0, SIMILARITY, False),
        (1.45, 1.5, DISTANCE, False),
        (0.2, 1.5, DISTANCE, True),
        (np.nan, 0.4, SIMILARITY, False),
    ],
)
def test_a_measure_tells_where_it_is_a_twentieth_of_the_way_from_chance(
    observed, chance, measure, expected
):
    assert tells(observed, chance, MEASURES[measure]) == expected


def test_what_cannot_tell_has_no_vote_and_is_named():
    tables = [each.assign(chance=each["value"]) for each in six()]
    table = measure_tables.measure_table(summarise_measures(tables))
    assert not table["tells"].any()
    assert set(measure_tables.measure_table_printed(table)["Vote"]) == {"no"}
    (note, *rest) = measure_tables.notes(table)
    assert "of 0 measures, 0 put" in note
    assert note.endswith("too near chance to tell: Linear CKA, Procrustes angle (rad).")
    assert any("5% of the way from chance" in each for each in rest)


def test_the_printed_table_says_what_each_layer_shows(statistics):
    table = measure_tables.measure_table(statistics)
    assert len(table) == 8 and table.columns[:9].tolist() == [
        "step", "layer", "measure", "observed", "floor", "crossed", "chance", "tells", "n",
    ]  # fmt: skip
    printed = measure_tables.measure_table_printed(table)
    assert printed["Crossed excess"].tolist()[-2:] == ["+0.1333", "+0.2667"]
    assert printed["Stream effect"].tolist()[-2:] == ["-0.0500", "-0.1000"]
    assert set(printed["Vote"]) == {"yes"} and printed["Chance"].tolist()[-1] == "1.5000"
    assert printed["Measure"].tolist()[-2:] == ["Linear CKA", "Procrustes angle (rad)"]
    found = measure_tables.notes(table)
    further = sum(low > 0 for low in table["t_low"].tail(2))
    assert f"fc1: of 2 measures, {further} put opposite orders further apart" in found[3]
    assert "positive where opposite orders lie further apart" in found[5]
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
    lone = six(far=np.array([0.2]), near=np.array([0.1]), seeds=(101,))
    figure = drawn(summarise_measures(lone), tmp_path)
    assert all(axes.texts[0].get_text() == " undefined" for axes in figure.axes)
    drawn(summarise_measures(with_dead_layer(six())), tmp_path)
    near_chance = [each.assign(chance=each["value"]) for each in six()]
    figure = drawn(summarise_measures(near_chance), tmp_path)
    assert all(axes.texts[0].get_text() == " near chance" for axes in figure.axes)
    far = NEAR + 5 + np.array([0, 1e-3, 0])
    figure = drawn(summarise_measures(six(far=far)), tmp_path)
    low, high = figure.axes[0].get_xlim()
    assert high == -low == 12
    assert [line.get_marker() for line in figure.axes[1].lines[1:]] == [">", ">"]


def with_layers(count):
    layers = [f"layer{place}" for place in range(count)]
    return FigureInputs(pd.DataFrame(), summarise_measures(six(layers=layers)), None)


def test_figure_8_has_a_panel_for_each_layer_and_refuses_a_sixth(monkeypatch):
    deep = Architecture(tuple(Layer(f"layer{place}", "", "seen whole") for place in range(6)))
    monkeypatch.setitem(layers.ARCHITECTURES, "deep", deep)
    titles = [axes.get_title(loc="left") for axes in figure8.draw(with_layers(5)).axes]
    assert titles == [f"({letter}) layer{place}" for place, letter in enumerate("abcde")]
    with pytest.raises(UserError, match="figure8: 6 layers do not fit side by side; let measures"):
        figure8.draw(with_layers(6))


@pytest.mark.parametrize("seeds", [20, 3])
def test_figure_8_is_legible_with_every_layer_and_measure(seeds):
    generator = np.random.default_rng(seeds)
    places = pd.MultiIndex.from_product(
        [range(seeds), [10_000], VIEWS, MEASURES], names=["seed", "step", "layer", "measure"]
    )
    tables = [
        pd.DataFrame(
            {"experiment": name, "value": generator.random(len(places)), "chance": 0.1},
            index=places,
        ).reset_index()
        for name in EXPERIMENTS
    ]
    statistics = summarise_measures(tables)
    figure = figure8.draw(FigureInputs(pd.DataFrame(), statistics, None))
    with style.styled():
        figure.draw_without_rendering()
    placed = list(texts(figure))
    assert len(placed) > len(MEASURES) + 4 * len(VIEWS)
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
    assert (
        "H_repr on 200 and on 2,000 test images: 0.350 and 0.250; of debiased CKA 0.350 and 0.250."
    ) in notes
    assert not any("rises" in note for note in notes)
    assert "n is 3" in notes[-1]


def test_a_dead_layer_leaves_its_seed_out_of_the_table_of_sensitivity():
    table = sensitivity.sensitivity_table(sensitivity_rows([0.3, np.nan, 0.2]))
    assert (table["n"] == 2).all() and set(table["undefined_seeds"]) == {"101"}
    assert table.loc[table["images"] == 2000, "mean"].to_numpy() == pytest.approx(0.25)
    (note,) = (
        note for note in sensitivity.notes(table) if "dead layers in brackets: 101, in " in note
    )
    assert "H_repr; CKA conv1; CKA conv2; CKA fc1; CKA logits" in note
    none_left = sensitivity.sensitivity_table(sensitivity_rows([np.nan] * 3))
    assert sensitivity.sensitivity_printed(none_left)["Plain"].eq("undefined").all()


# ---- configuration ---------------------------------------------------------------------------


def test_a_job_is_told_the_names_of_all_measures_or_of_the_chosen_ones():
    assert paper_with({}).pair_measures("main", 101).measures == tuple(MEASURES)
    chosen = paper_with({"measures": {"measures": ["svcca"]}}).pair_measures("main", 101)
    assert chosen.measures == ("svcca",) and chosen.pair.steps == (10_000,)
    assert chosen.images.examples_per_class == 200
    assert chosen.chance and not paper_with({}).pair_measures("crossed_abc", 101).chance
    assert paper_with({}).pair_sensitivity("main", 101).counts[-1] == 10_000


def test_a_measure_of_ones_own_is_known_once_it_is_in_the_registry(monkeypatch):
    with pytest.raises(UserError, match="measures: measures: 'mine' is not defined; there are: li"):
        paper_with({"measures": {"measures": ["mine"]}})
    monkeypatch.setitem(MEASURES, "mine", MEASURES[SIMILARITY])
    assert paper_with({"measures": {"measures": ["mine"]}}).measures.measures == ("mine",)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"measures": {"steps": [3]}}, "measures: steps: 3 is not defined"),
        ({"measures": {"layers": ["fc2"]}}, "measures: layers: 'fc2' is not defined; there are: c"),
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
    assert paper_with({"measures": None, "sensitivity": None}).measures is None
