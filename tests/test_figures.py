"""Figures from small tables: the right numbers, the same bytes, legible text."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from hysteresis.errors import UserError
from hysteresis.figures import figure1, figure2, figure3, figure4, figure5, figure6, style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.jobs.pair import Comparison, MatchSettings
from hysteresis.jobs.probe import HeadSettings
from hysteresis.jobs.run import (
    ImageSelection,
    InitialWeights,
    NetworkSettings,
    OptimizerSettings,
    Phase,
    Relaxation,
    Run,
)
from hysteresis.statistics.experiments import summarise_contrast, summarise_experiment
from hysteresis.statistics.probes import summarise_probe
from tests.probe_rows import PAPER, invented_rows, short

pytestmark = pytest.mark.filterwarnings("error")

TEST_IMAGES = 10_000
PAPER_STEPS = (0, 100, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000)
QUICK_STEPS = (0, 50, 150, 250)
MINUEND, SUBTRAHEND = "activation_leaky_relu", "activation_relu"
FIGURES = {1: figure1, 2: figure2, 3: figure3, 4: figure4, 5: figure5, 6: figure6}
X_LABELS = ("Updates of the common phase C", "Seed", "Training images per digit", "")
# Many seeds and checkpoints, few of both, and a lone seed.
SIZES = [(20, PAPER_STEPS), (5, PAPER_STEPS), (2, QUICK_STEPS), (1, QUICK_STEPS)]


def run(history: str, **changes: object) -> Run:
    images = {"A": ImageSelection((0, 1, 2, 3, 4)), "B": ImageSelection((5, 6, 7, 8, 9))}
    whole = Run(
        "small",
        history,
        101,
        NetworkSettings(),
        InitialWeights(101),
        OptimizerSettings(0.05),
        tuple(Phase(task, images[task], 101, epochs=10) for task in history[:2] if task in images),
        Relaxation("C", ImageSelection(examples_per_class=5000), 101),
    )
    return replace(whole, **changes)


def comparison(steps: tuple[int, ...], experiment: str = "main") -> Comparison:
    return Comparison(
        experiment,
        run("ABC"),
        run("BAC"),
        steps,
        ImageSelection(),
        {},
        ImageSelection(examples_per_class=200),
        MatchSettings(0.002, 0.97),
    )


def pair_tables(seeds: int, steps: tuple[int, ...], experiment: str = "main") -> pd.DataFrame:
    """Invented pair tables in which H_repr falls and accuracies meet."""
    generator = np.random.default_rng(len(experiment))
    rows = []
    for seed in range(101, 101 * (seeds + 1), 101):
        for step in steps:
            accurate = 9_800 if step else 5_000
            first, second = (int(accurate + generator.integers(-30, 30)) for _ in range(2))
            rows.append(
                {
                    "experiment": experiment,
                    "seed": seed,
                    "step": step,
                    "total": TEST_IMAGES,
                    "correct_abc": first,
                    "correct_bac": second,
                    "correct_difference": first - second,
                    "behavioral_match": step > 0 and abs(first - second) <= 20,
                    "h_repr": 0.15 + 0.25 / (1 + step / 100) + generator.normal(0, 0.02),
                }
            )
    return pd.DataFrame(rows)


def inputs_of(figure: int, seeds: int = 5, steps: tuple[int, ...] = PAPER_STEPS) -> FigureInputs:
    if figure == 5:
        sides = [pair_tables(seeds, steps, name) for name in (MINUEND, SUBTRAHEND)]
        contrast = summarise_contrast("leaky_minus_relu", *sides)
        return FigureInputs(pd.concat(sides), contrast, comparison(steps, MINUEND))
    if figure == 4:
        settings = replace(PAPER, head=HeadSettings(epochs=2)) if seeds > 2 else short()
        names = list(range(101, 101 * (seeds + 1), 101))
        statistics = summarise_probe("main", settings, invented_rows(settings, names), names)
        return FigureInputs(pd.DataFrame(), statistics, comparison(steps))
    pairs = pair_tables(seeds, steps)
    return FigureInputs(pairs, summarise_experiment(pairs, steps[-3:]), comparison(steps))


def rows_of(inputs: FigureInputs, endpoint: str, quantity: str) -> pd.DataFrame:
    table = inputs.statistics
    chosen = (table["endpoint"] == endpoint) & (table["quantity"] == quantity)
    return table[chosen].sort_values("step")


def heavy_line(axes: Axes) -> tuple[np.ndarray, np.ndarray]:
    """The mean: the one line of a panel that has dots and is joined."""
    (line,) = (
        line
        for line in axes.lines
        if line.get_marker() == "o" and line.get_linestyle() == "-" and line.get_linewidth() > 1
    )
    return line.get_xdata(), line.get_ydata()


def thin_lines(axes: Axes) -> list[np.ndarray]:
    return [line.get_ydata() for line in axes.lines if line.get_linewidth() == 0.6]


def drawn(figure: Figure) -> Figure:
    with style.styled():
        figure.draw_without_rendering()
    return figure


def texts(figure: Figure) -> Iterator[tuple[str, Bbox, Text]]:
    """Every text that will be seen, with its place in pixels."""
    unseen = set(labels_beyond_the_limits(figure))
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in unseen:
            with style.styled():
                yield text.get_text(), text.get_window_extent(), text


def labels_beyond_the_limits(figure: Figure) -> Iterator[Text]:
    """Labels that a locator made for ticks outside of the axis: they are never drawn."""
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low <= tick.get_loc() <= high:
                    yield from (tick.label1, tick.label2)


def tick_boxes(axes: Axes) -> Iterator[list[Bbox]]:
    """For each axis the places of its tick labels that lie within the limits."""
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        labels = [tick.label1 for tick in ticks if tick.label1.get_text()]
        yield [label.get_window_extent() for label in labels if label.get_visible()]


# ---- numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("figure", [2, 6])
@pytest.mark.parametrize(("seeds", "steps"), SIZES)
def test_trajectories_show_the_means_of_the_statistics(figure, seeds, steps):
    inputs = inputs_of(figure, seeds, steps)
    behavior, representations = FIGURES[figure].draw(inputs).axes
    for axes, quantity, factor in (
        (behavior, "accuracy_difference", 100),
        (representations, "h_repr", 1),
    ):
        x, y = heavy_line(axes)
        assert tuple(x) == steps
        np.testing.assert_allclose(
            y, factor * rows_of(inputs, "checkpoint", quantity)["mean"].astype(float)
        )


def test_trajectories_show_every_seed_and_the_interval():
    inputs = inputs_of(2)
    behavior, representations = figure2.draw(inputs).axes
    gaps = inputs.pairs.pivot(index="seed", columns="step", values="correct_difference") / 100
    np.testing.assert_allclose(thin_lines(behavior), gaps.to_numpy())
    (band,) = representations.collections
    (outline,) = band.get_paths()
    summary = rows_of(inputs, "checkpoint", "h_repr")
    ends = {*summary["bootstrap_low"], *summary["bootstrap_high"]}
    assert ends <= set(outline.vertices[:, 1])


def test_trajectories_show_first_matches_and_the_bound():
    inputs = inputs_of(2)
    figure = figure2.draw(inputs)
    behavior, representations = figure.axes
    matches = inputs.pairs[inputs.pairs["behavioral_match"]].groupby("seed").head(1)
    assert len(matches) > 0
    (rings,) = (line for line in representations.lines if line.get_markerfacecolor() == "none")
    assert sorted(rings.get_ydata()) == sorted(matches["h_repr"])
    assert sorted(
        line.get_ydata()[0] for line in behavior.lines if line.get_linestyle() == "--"
    ) == [-0.2, 0.2]
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert f"first match: {len(matches)} of 5 seeds" in labels
    assert "match bounds: ±0.2 points" in labels
    assert "mean (n = 5)" in labels


def test_figure3_shows_the_longest_declared_change():
    inputs = inputs_of(3)
    late, change = figure3.draw(inputs).axes
    x, y = heavy_line(late)
    means = rows_of(inputs, "checkpoint", "h_repr").set_index("step")["mean"]
    assert list(x) == [10_000, 25_000, 50_000]
    np.testing.assert_allclose(y, means.loc[x].astype(float))
    summary = rows_of(inputs, "change", "h_repr")
    summary = summary[(summary["step_from"] == 10_000) & (summary["step"] == 50_000)].iloc[0]
    check_seed_panel(change, inputs.pairs, summary, (50_000, 10_000))


def test_figure5_shows_minuend_minus_subtrahend():
    inputs = inputs_of(5)
    # The order of the tables must not decide the sign.
    inputs = replace(inputs, pairs=inputs.pairs.iloc[::-1])
    over_updates, at_the_end = figure5.draw(inputs).axes
    summary = rows_of(inputs, "checkpoint", "h_repr")
    np.testing.assert_allclose(heavy_line(over_updates)[1], summary["mean"].astype(float))
    np.testing.assert_allclose(np.mean(thin_lines(over_updates), axis=0), summary["mean"])
    diamond = at_the_end.containers[0].lines[0]
    np.testing.assert_allclose(np.array(diamond.get_ydata(), float), summary["mean"].iloc[-1])
    assert "LeakyReLU \N{MINUS SIGN} ReLU" in over_updates.get_title(loc="left")


def test_figure4_shows_primary_probe_differences_and_the_margin():
    inputs = inputs_of(4)
    (axes,) = drawn(figure4.draw(inputs)).axes
    primary = inputs.statistics[inputs.statistics["role"] == "primary"]
    first, repeated = (primary[(primary["head_seeds"] > 1) == several] for several in (False, True))
    for bars, rows in zip(axes.containers, (first, repeated), strict=True):
        np.testing.assert_allclose(np.array(bars.lines[0].get_ydata(), float), 100 * rows["mean"])
        ends = [segment[:, 1] for segment in bars.lines[2][0].get_segments()]
        np.testing.assert_allclose(ends, 100 * rows[["t_low", "t_high"]])
    assert list(axes.containers[0].lines[0].get_xdata()) == [25, 50, 100, 500]
    dashed = [line.get_ydata()[0] for line in axes.lines if line.get_linestyle() == "--"]
    assert sorted(dashed) == [-0.5, 0.5]
    assert "average of 5 heads" in axes.get_legend_handles_labels()[1]


def test_figure4_without_any_matched_seed_is_explained():
    settings = short(checkpoint=None)
    nothing = summarise_probe("main", settings, invented_rows(settings, [7]).head(0), [7])
    with pytest.raises(UserError, match="no seed of the probe matches"):
        figure4.draw(FigureInputs(pd.DataFrame(), nothing, comparison(QUICK_STEPS)))


def check_seed_panel(
    axes: Axes, pairs: pd.DataFrame, summary: pd.Series, steps: tuple[int, int]
) -> None:
    late, early = (pairs[pairs["step"] == step]["h_repr"].to_numpy() for step in steps)
    (dots,) = (line for line in axes.lines if line.get_marker() == "o")
    np.testing.assert_allclose(dots.get_ydata(), late - early)
    bar = axes.containers[0]
    np.testing.assert_allclose(np.array(bar.lines[0].get_ydata(), float), summary["mean"])
    ((begin, end),) = bar.lines[2][0].get_segments()
    np.testing.assert_allclose([begin[1], end[1]], [summary["t_low"], summary["t_high"]])
    (note,) = axes.texts
    assert f"n = {summary['n']}, t test {style.p_label(summary['t_p'])}" in note.get_text()


@pytest.mark.parametrize("figure", [2, 3, 4, 5, 6])
def test_a_lone_seed_has_neither_interval_nor_test(figure):
    result = drawn(FIGURES[figure].draw(inputs_of(figure, 1, QUICK_STEPS)))
    labels = [text.get_text() for text in result.legends[0].get_texts()]
    assert "one seed (n = 1)" in labels
    assert not any("interval" in label or "mean" in label for label in labels)
    assert not any("p = " in text for text, _, _ in texts(result))


def test_an_undefined_quantity_leaves_a_gap():
    pairs = pair_tables(3, QUICK_STEPS)
    pairs.loc[pairs["step"] == 50, "h_repr"] = np.nan
    inputs = FigureInputs(pairs, summarise_experiment(pairs, ()), comparison(QUICK_STEPS))
    _, representations = drawn(figure2.draw(inputs)).axes
    assert list(np.isnan(heavy_line(representations)[1])) == [False, True, False, False]


def test_missing_tables_are_explained():
    pairs = pair_tables(2, QUICK_STEPS)
    inputs = FigureInputs(pairs, summarise_experiment(pairs, ()), comparison(QUICK_STEPS))
    with pytest.raises(UserError, match="main: changes"):
        figure3.draw(inputs)
    with pytest.raises(UserError, match="one other experiment"):
        figure5.draw(inputs)


# ---- the design ------------------------------------------------------------------------------


def words(design: Comparison) -> list[str]:
    result = figure1.draw(FigureInputs(pd.DataFrame(), pd.DataFrame(), design))
    return [text for text, _, _ in texts(drawn(result))]


def test_figure1_tells_what_was_run():
    found = words(comparison(PAPER_STEPS))
    assert found.count("10 epochs") == 4
    for text in (
        "same\ninitial\nweights",
        "opposite order, same minibatches",
        "50,000 updates, same minibatches",
        "digits 0\N{EN DASH}4",
        "first 5,000 images of each digit",
        "momentum\nreset",
        "2.5k",
    ):
        assert text in found
    assert any("gap ≤ 0.2 points, both ≥ 97%" in text for text in found)


def test_figure1_follows_the_comparison():
    turned = ImageSelection(rotations=(90,))
    both = Relaxation("mixed", ImageSelection(rotations=(0, 90)), 101, "preserve")
    phases = (Phase("turned", turned, 101, updates=1), Phase("A", ImageSelection(), 101, epochs=2))
    first = run("ABC", phases=phases, relaxation=both)
    second = run(
        "other",
        phases=phases[:1],
        relaxation=replace(both, stream_seed=7),
        weights=InitialWeights(5),
    )
    found = words(replace(comparison(QUICK_STEPS), first=first, second=second))
    for text in (
        "history other",
        "1 update",
        "2 epochs",
        "all digits, rotated 90°",
        "all digits, upright and rotated 90°",
        "different phases",
        "250 updates, different minibatches",
        "momentum\nkept",
    ):
        assert text in found
    assert found.count("own\ninitial\nweights") == 2


# ---- print -----------------------------------------------------------------------------------


@pytest.mark.parametrize("figure", FIGURES)
def test_equal_inputs_give_equal_bytes(figure, tmp_path: Path):
    for folder in ("one", "other"):
        result = FIGURES[figure].draw(inputs_of(figure))
        style.save(result, [tmp_path / folder / name for name in ("figure.pdf", "figure.png")])
    for name in ("figure.pdf", "figure.png"):
        content = (tmp_path / "one" / name).read_bytes()
        assert content == (tmp_path / "other" / name).read_bytes()
        assert b"Matplotlib" not in content and b"CreationDate" not in content
    pdf = (tmp_path / "one" / "figure.pdf").read_bytes()
    assert b"/FontFile2" in pdf and b"/Type3" not in pdf  # TrueType, embedded


def test_other_numbers_give_other_bytes(tmp_path: Path):
    inputs = inputs_of(2)
    statistics = inputs.statistics.copy()
    statistics.loc[statistics["quantity"] == "h_repr", "mean"] += 0.01
    changed = replace(inputs, statistics=statistics)
    for name, each in (("one.png", inputs), ("other.png", changed)):
        style.save(figure2.draw(each), [tmp_path / name])
    assert (tmp_path / "one.png").read_bytes() != (tmp_path / "other.png").read_bytes()


@pytest.mark.parametrize("figure", [2, 3, 4, 5, 6])
def test_labels_carry_units(figure):
    for axes in FIGURES[figure].draw(inputs_of(figure)).axes:
        label = axes.get_ylabel()
        assert "(percentage points)" in label or "1 \N{MINUS SIGN} mean CKA" in label
        assert axes.get_xlabel() in X_LABELS


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize(("seeds", "steps"), SIZES)
def test_text_is_legible(figure, seeds, steps):
    """No two tick labels (in the drawn design: no two texts) touch; all text is inside, 7 pt up."""
    result = drawn(FIGURES[figure].draw(inputs_of(figure, seeds, steps)))
    groups = [boxes for axes in result.axes for boxes in tick_boxes(axes)]
    if figure == 1:
        groups = [[box for _, box, _ in texts(result)]]
    assert any(len(boxes) > 2 for boxes in groups)
    for boxes in groups:
        assert not any(one.overlaps(other) for one, other in combinations(boxes, 2))
    for text, box, artist in texts(result):
        assert artist.get_fontsize() >= style.SMALL_SIZE, text
        if artist.axes is None or figure == 1:
            assert result.bbox.contains(box.x0, box.y0), text
            assert result.bbox.contains(box.x1, box.y1), text


def test_crowded_checkpoints_keep_ticks_but_not_all_labels():
    steps = (0, *range(100, 3100, 100))
    inputs = inputs_of(2, 2, steps)
    axes = drawn(figure2.draw(inputs)).axes[-1]
    labels, _ = tick_boxes(axes)
    assert all(one.x1 < other.x0 for one, other in pairwise(labels))
    assert 4 < len(labels) < len(steps)
    assert sorted([*axes.get_xticks(), *axes.get_xticks(minor=True)]) == list(steps)


@pytest.mark.parametrize(
    ("step", "label"),
    [(0, "0"), (500, "500"), (1000, "1k"), (2500, "2.5k"), (1234, "1234"), (1_000_000, "1M")],
)
def test_step_labels(step, label):
    assert style.step_label(step) == label
