"""Figure 7: the noise floor. H_repr of opposite orders and null pairs, and the crossed excess."""

from collections import Counter

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.figures.trajectories import H_LABEL, common_phase_label
from hysteresis.statistics.excess import CHECKPOINT, CONTRAST, EXCESS, contrast_at_step
from hysteresis.statistics.experiments import FEW_SEEDS
from hysteresis.statistics.orders import CROSSED_EXCESS

_PANEL_WIDTH = style.TWO_COLUMNS / 2 - 0.75
_FLOORS = (style.VERMILION, "#E69F00")
_CROSSED_DASHES = ((0, (5, 2)), (0, (3, 1, 1, 1)), (0, (1, 1)))
# Nulls are told apart by marker as well as by colour (Okabe and Ito's).
_NULL_COLOURS = ("#009E73", "#CC79A7", "#56B4E9", style.DARK, "#8A8A8A", "#7A5C00")
_NULL_MARKERS = ("s", "^", "v", "D", "P", "X", "<", ">")


@style.styled()
def draw(inputs: FigureInputs) -> Figure:
    """``pairs`` are those of the six experiments of the controls, ``statistics`` the controls'."""
    figure = style.new_figure(style.TWO_COLUMNS, 3.8)
    levels, excess = figure.subplots(1, 2)
    statistics = inputs.statistics[
        (inputs.statistics["endpoint"] == CHECKPOINT) & (inputs.statistics["quantity"] == "h_repr")
    ].astype({"step": int, "n": int})
    _draw_levels(levels, statistics[statistics["role"] != CONTRAST])
    _draw_excess(excess, inputs.pairs, statistics)
    steps = inputs.comparison.steps
    for axes in (levels, excess):
        style.update_axis(axes, steps, _PANEL_WIDTH, common_phase_label(inputs.comparison))
    style.legend_above(figure, [levels, excess], columns=4)
    return figure


def _draw_levels(axes: Axes, levels: pd.DataFrame) -> None:
    drawn: Counter[str] = Counter()
    for experiment, rows in levels.groupby("experiment", sort=False):
        role, rows = rows["role"].iloc[0], rows.set_index("step")
        label = f"{experiment.replace('_', ' ')} (n = {rows['n'].max()})"
        place = drawn[role]
        drawn[role] += 1
        if role == "observed":
            _draw_band(axes, rows, style.BLUE, f"opposite: {label}")
        elif role == "crossed":
            _draw_crossed(axes, rows, place, f"opposite: {label}")
        elif role == "floor":
            _draw_band(axes, rows, _FLOORS[place % len(_FLOORS)], f"floor: {label}")
        else:
            _draw_null(axes, rows, place, label)
    style.from_zero(axes)
    axes.set_ylabel(H_LABEL)
    style.title(axes, "a", "Opposite orders and null pairs")


def _draw_band(axes: Axes, rows: pd.DataFrame, colour: str, label: str) -> None:
    axes.plot(rows.index, rows["mean"], color=colour, lw=1.7, marker="o", ms=2.8, label=label)
    _fill_interval(axes, rows, colour, alpha=0.2)


def _draw_crossed(axes: Axes, rows: pd.DataFrame, place: int, label: str) -> None:
    dashes = {"color": style.BLUE, "lw": 1.0, "ls": _CROSSED_DASHES[place]}
    axes.plot(rows.index, rows["mean"], **dashes, label=label)


def _fill_interval(axes: Axes, rows: pd.DataFrame, colour: str, alpha: float) -> None:
    if rows["bootstrap_low"].notna().any():
        axes.fill_between(
            rows.index, rows["bootstrap_low"], rows["bootstrap_high"],
            color=colour, alpha=alpha, lw=0,
        )  # fmt: skip


def _draw_null(axes: Axes, rows: pd.DataFrame, place: int, label: str) -> None:
    colour = _NULL_COLOURS[place % len(_NULL_COLOURS)]
    if len(rows) == 1:  # measured at one checkpoint only, as untrained networks are
        axes.axhline(rows["mean"].iloc[0], color=colour, lw=0.9, ls=(0, (1, 2)), label=label)
        return
    marker = _NULL_MARKERS[place % len(_NULL_MARKERS)]
    axes.plot(rows.index, rows["mean"], color=colour, lw=0.8, marker=marker, ms=3, label=label)
    _fill_interval(axes, rows, colour, alpha=0.06)  # many bands: each barely visible


def _draw_excess(axes: Axes, pairs: pd.DataFrame, statistics: pd.DataFrame) -> None:
    rows = statistics[statistics["experiment"] == EXCESS].set_index("step")
    axes.axhline(0, color=style.DARK, lw=0.7, zorder=1)
    style.draw_seeds_and_mean(axes, _excess_by_seed(pairs, statistics), rows)
    axes.set_ylabel(f"Crossed excess of {style.H_REPR}")
    few = rows["n"].max() < FEW_SEEDS
    note = f"fewer than {FEW_SEEDS} seeds: the band is too narrow, see Table 3" if few else ""
    style.title(axes, "b", "Opposite minus equal orders", note)


def _excess_by_seed(pairs: pd.DataFrame, statistics: pd.DataFrame) -> pd.DataFrame:
    """A row a step, a column a seed."""
    experiments = statistics.drop_duplicates("pair").set_index("pair")["experiment"]
    tables = dict(tuple(pairs.groupby("experiment", sort=False)))
    used = {pair: tables[experiments[pair]] for pair in CROSSED_EXCESS.weights}
    found = {}
    for step in statistics.loc[statistics["experiment"] == EXCESS, "step"]:
        excess = contrast_at_step(CROSSED_EXCESS, used, step)["h_repr"]
        found[step] = dict(zip(excess.seeds, excess.values * excess.factor, strict=True))
    return pd.DataFrame(found).T
