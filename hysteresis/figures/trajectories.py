"""What several figures share: quantities over the updates of the common phase, and seed by seed."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.jobs.pair import Comparison
from hysteresis.statistics.quantities import matched_endpoints

# Of a figure's width, what is left to an axis beside its labels.
AXIS_WIDTH = style.ONE_COLUMN - 0.75
H_UNIT = f"1 {style.MINUS} mean CKA"
H_LABEL = f"{style.H_REPR} = {H_UNIT}"
_SUMMARY = ["mean", "bootstrap_low", "bootstrap_high", "t_low", "t_high", "t_p", "wilcoxon_p", "n"]
_MOST_UPRIGHT_LABELS = 8
_MOST_SEED_LABELS = 20


# ---- tables ----------------------------------------------------------------------------------


def summary_of(statistics: pd.DataFrame, quantity: str) -> pd.DataFrame:
    """The statistics of one quantity at the checkpoints: a row a step, ascending."""
    chosen = (statistics["endpoint"] == "checkpoint") & (statistics["quantity"] == quantity)
    return _numbers(statistics[chosen])


def change_of(statistics: pd.DataFrame, quantity: str, step_from: int, step: int) -> pd.Series:
    """The statistics of the change of one quantity between two steps."""
    chosen = (statistics["endpoint"] == "change") & (statistics["quantity"] == quantity)
    between = (statistics["step_from"] == step_from) & (statistics["step"] == step)
    return _numbers(statistics[chosen & between]).loc[step]


def _numbers(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows.assign(step=rows["step"].astype(int)).set_index("step").sort_index()
    # All seeds undefined leaves out columns; NaN says the same and draws nothing.
    return rows.reindex(columns=_SUMMARY).astype(float)


def by_seed(pairs: pd.DataFrame, values: pd.Series) -> pd.DataFrame:
    """Values of pair tables as a row a step and a column a seed, seeds in their order."""
    seeds = pairs["seed"].drop_duplicates()
    table = pairs[["step", "seed"]].assign(value=values)
    return table.pivot(index="step", columns="seed", values="value")[list(seeds)]


def common_phase_label(comparison: Comparison) -> str:
    """What the x axis counts."""
    tasks = {run.relaxation.task for run in (comparison.first, comparison.second)}
    name = f" {tasks.pop()}" if len(tasks) == 1 else ""
    return f"Updates of the common phase{name}"


# ---- accuracy gap and representations over updates -------------------------------------------


@style.styled()
def draw_trajectories(inputs: FigureInputs) -> Figure:
    """Accuracy gap and H_repr over the updates of the common phase, one above the other."""
    figure = style.new_figure(style.ONE_COLUMN, 4.5)
    behavior, representations = figure.subplots(2, 1, sharex=True)
    _draw_accuracy_gap(behavior, inputs)
    _draw_representations(representations, inputs)
    steps = summary_of(inputs.statistics, "h_repr").index
    label = common_phase_label(inputs.comparison)
    style.update_axis(representations, steps, AXIS_WIDTH, label)
    figure.align_ylabels()
    style.legend_above(figure, [behavior, representations])
    return figure


def _draw_accuracy_gap(axes: Axes, inputs: FigureInputs) -> None:
    pairs, comparison = inputs.pairs, inputs.comparison
    names = f"{comparison.first.history} {style.MINUS} {comparison.second.history}"
    shares = pairs["correct_difference"] / pairs["total"]
    summary = summary_of(inputs.statistics, "accuracy_difference")
    ends = [name for name in summary.columns if name not in ("n", "t_p", "wilcoxon_p")]
    summary[ends] = style.in_points(summary[ends])
    style.draw_seeds_and_mean(axes, style.in_points(by_seed(pairs, shares)), summary)
    _draw_match_bounds(axes, comparison.match.max_accuracy_gap)
    axes.set_ylabel("Accuracy gap\n(percentage points)")
    style.title(axes, "a", f"Behaviour, {names}")


def _draw_match_bounds(axes: Axes, bound: float) -> None:
    label = f"match bounds: ±{style.points_label(bound)} points"
    for sign in (-1, 1):
        dashes = {"color": style.VERMILION, "lw": 0.8, "ls": (0, (4, 2)), "zorder": 1}
        axes.axhline(sign * style.in_points(bound), **dashes, label=label if sign > 0 else None)


def _draw_representations(axes: Axes, inputs: FigureInputs) -> None:
    values = by_seed(inputs.pairs, inputs.pairs["h_repr"])
    style.draw_seeds_and_mean(axes, values, summary_of(inputs.statistics, "h_repr"))
    _draw_matches(axes, inputs.pairs, values)
    style.from_zero(axes)
    axes.set_ylabel(H_LABEL)
    style.title(axes, "b", "Representations")


def _draw_matches(axes: Axes, pairs: pd.DataFrame, values: pd.DataFrame) -> None:
    """A ring where each seed first matches in behaviour."""
    matched = matched_endpoints(pairs)
    if matched.empty:
        return
    places = matched[["step", "seed"]].itertuples(index=False)
    heights = [values.loc[step, seed] for step, seed in places]
    ring = {"marker": "o", "ms": 4.2, "mfc": "none", "mec": style.VERMILION, "mew": 1.0}
    share = f"{len(matched)} of {values.shape[1]} seed{'s' if values.shape[1] > 1 else ''}"
    axes.plot(matched["step"], heights, ls="", zorder=5, **ring, label=f"first match: {share}")


# ---- differences seed by seed ----------------------------------------------------------------


def draw_seed_differences(axes: Axes, differences: pd.Series, summary: pd.Series) -> None:
    """A stem a seed (``differences`` by seed), and beside them the mean with its t interval."""
    places = np.arange(len(differences))
    axes.axhline(0, color=style.DARK, lw=0.7, zorder=1)
    axes.vlines(places, 0, differences, color=style.GREY, lw=1.0, zorder=2)
    axes.plot(places, differences, ls="", marker="o", ms=4.2, color=style.GREY, zorder=3)
    labels = _seed_labels(differences.index)
    if len(differences) > 1:
        mean_place = len(differences) + 0.2
        _draw_mean(axes, mean_place, summary)
        places, labels = [*places, mean_place], [*labels, "mean"]
    axes.set_xticks(places, labels, rotation=90 if len(labels) > _MOST_UPRIGHT_LABELS else 0)
    axes.set_xlim(-0.6, places[-1] + 0.6)
    axes.margins(y=0.12)
    axes.set_xlabel("Seed")


def _draw_mean(axes: Axes, place: float, summary: pd.Series) -> None:
    diamond = {"marker": "D", "ms": 4.5, "color": style.BLUE, "zorder": 4}
    ends = np.array([[summary["mean"] - summary["t_low"]], [summary["t_high"] - summary["mean"]]])
    if np.isfinite(ends).all():
        bars = {"yerr": ends, "capsize": 3, "elinewidth": 1.4, "label": "mean, 95% t interval"}
        axes.errorbar([place], [summary["mean"]], ls="", **diamond, **bars)
    elif np.isfinite(summary["mean"]):
        axes.plot([place], [summary["mean"]], ls="", **diamond, label="mean")


def _seed_labels(seeds: Sequence[int]) -> list[str]:
    """Every seed's name, or with many seeds every so many-th."""
    every = -(-len(seeds) // _MOST_SEED_LABELS)
    return [str(seed) if place % every == 0 else "" for place, seed in enumerate(seeds)]


def tests_note(summary: pd.Series) -> str:
    """How many seeds, and the p values of the tests on them (none for a lone seed)."""
    note = f"n = {int(summary['n'])}"
    for name, column in (("t test", "t_p"), ("Wilcoxon", "wilcoxon_p")):
        if summary["n"] > 1 and np.isfinite(summary[column]):
            note += f", {name} {style.p_label(summary[column])}"
    return note
