"""Figure 7: the noise floor. H_repr of opposite orders beside every null pair, and the excess."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.figures.trajectories import H_LABEL, common_phase_label
from hysteresis.statistics.excess import EXCESS, excess_values
from hysteresis.statistics.experiments import FEW_SEEDS, at_step

_PANEL_WIDTH = style.TWO_COLUMNS / 2 - 0.75
_FLOORS = (style.VERMILION, "#E69F00")
# Nulls are told apart by marker as well as by colour (Okabe and Ito's).
_NULL_COLOURS = ("#009E73", "#CC79A7", "#56B4E9", style.DARK, "#8A8A8A", "#7A5C00")
_NULL_MARKERS = ("s", "^", "v", "D", "P", "X", "<", ">")


@style.styled()
def draw(inputs: FigureInputs) -> Figure:
    """``pairs`` are those of the observed and floor experiments, ``statistics`` the controls'."""
    figure = style.new_figure(style.TWO_COLUMNS, 3.5)
    levels, excess = figure.subplots(1, 2)
    _draw_levels(levels, inputs.statistics)
    _draw_excess(excess, inputs)
    steps = inputs.comparison.steps
    for axes in (levels, excess):
        style.update_axis(axes, steps, _PANEL_WIDTH, common_phase_label(inputs.comparison))
    style.legend_above(figure, [levels, excess], columns=4)
    return figure


def _draw_levels(axes: Axes, statistics: pd.DataFrame) -> None:
    named = statistics[statistics["quantity"] == "h_repr"]
    nulls = 0
    floors = 0
    for experiment, rows in named[named["experiment"] != EXCESS].groupby("experiment", sort=False):
        role, rows = rows["role"].iloc[0], rows.set_index("step").astype({"mean": float})
        label = f"{experiment.replace('_', ' ')} (n = {int(rows['n'].max())})"
        if role == "observed":
            _draw_band(axes, rows, style.BLUE, f"opposite orders: {label}")
        elif role == "floor":
            _draw_band(axes, rows, _FLOORS[floors % len(_FLOORS)], f"floor: {label}")
            floors += 1
        else:
            _draw_null(axes, rows, nulls, label)
            nulls += 1
    style.from_zero(axes)
    axes.set_ylabel(H_LABEL)
    style.title(axes, "a", "Opposite orders and null pairs")


def _draw_band(axes: Axes, rows: pd.DataFrame, colour: str, label: str) -> None:
    axes.plot(rows.index, rows["mean"], color=colour, lw=1.7, marker="o", ms=2.8, label=label)
    _fill_interval(axes, rows, colour, alpha=0.2)


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


def _draw_excess(axes: Axes, inputs: FigureInputs) -> None:
    rows = inputs.statistics[
        (inputs.statistics["experiment"] == EXCESS) & (inputs.statistics["quantity"] == "h_repr")
    ].set_index("step")
    axes.axhline(0, color=style.DARK, lw=0.7, zorder=1)
    style.draw_seeds_and_mean(axes, _excess_by_seed(inputs), rows)
    axes.set_ylabel(f"Excess of {style.H_REPR}")
    few = rows["n"].max() < FEW_SEEDS
    note = f"fewer than {FEW_SEEDS} seeds: the band is too narrow, see Table 3" if few else ""
    style.title(axes, "b", "Opposite orders minus noise floor", note)


def _excess_by_seed(inputs: FigureInputs) -> pd.DataFrame:
    """A row a step, a column a seed."""
    roles = inputs.statistics.drop_duplicates("experiment").set_index("experiment")["role"]
    tables = dict(tuple(inputs.pairs.groupby("experiment", sort=False)))
    (observed,) = (tables[name] for name in roles.index[roles == "observed"])
    floors = [tables[name] for name in roles.index[roles == "floor"]]
    steps = sorted(set(observed["step"]).intersection(*(set(floor["step"]) for floor in floors)))
    found = {}
    for step in steps:
        above, below = at_step(observed, step), [at_step(floor, step) for floor in floors]
        values, factor = excess_values(above, below)["h_repr"]
        found[step] = dict(zip(above["seed"], values * factor, strict=True))
    return pd.DataFrame(found).T
