"""Figure 8: the crossed excess under every measure, layer by layer."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from hysteresis.errors import UserError
from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.measures.registry import MEASURES
from hysteresis.tables.measures import measure_table, verdict
from hysteresis.training.layers import view_named

_LETTERS = "abcde"  # more panels side by side cannot be read
# By verdict: told apart by colour, by marker and by filling.
_STYLES = {
    1: (style.BLUE, "o", style.BLUE, "orders further apart than reshuffling"),
    0: (style.GREY, "o", "white", "interval contains 0"),
    -1: (style.VERMILION, "s", style.VERMILION, "orders closer together than reshuffling"),
}
_INCHES_A_MEASURE = 0.19
_INCHES_AROUND = 1.35
# Of the axis to either side, in standard deviations. With three seeds a single one can be far
# beyond; it is then drawn at the edge and its value written beside it.
_LEAST_EXTENT, _MOST_EXTENT = 1.0, 12.0


@style.styled()
def draw(inputs: FigureInputs) -> Figure:
    """``statistics`` are those of the measures; the last of several checkpoints is drawn."""
    rows = _standardised(inputs.statistics)
    layers, measures = (list(dict.fromkeys(rows[name])) for name in ("layer", "measure"))
    if len(layers) > len(_LETTERS):
        raise UserError(
            f"figure8: {len(layers)} layers do not fit side by side; let measures: layers name at "
            f"most {len(_LETTERS)}"
        )
    height = _INCHES_AROUND + _INCHES_A_MEASURE * len(measures)
    figure = style.new_figure(style.TWO_COLUMNS, height)
    panels = figure.subplots(1, len(layers), sharey=True, sharex=True, squeeze=False)[0]
    extent = _extent(rows)
    for letter, axes, layer in zip(_LETTERS[: len(layers)], panels, layers, strict=True):
        _draw_layer(axes, rows[rows["layer"] == layer].set_index("measure"), measures, extent)
        view = view_named(layer)
        style.title(axes, letter, view.of, view.compared)
    _finish(figure, panels, rows, measures)
    panels[0].set_xlim(-extent, extent)
    return figure


def _standardised(statistics: pd.DataFrame) -> pd.DataFrame:
    """Rows of the excess at the last step, with mean and t interval divided by the sd (``d_*``)."""
    rows = measure_table(statistics[statistics["step"] == statistics["step"].max()])
    spread = rows["sd"].where(rows["sd"] > 0)
    ends = {"mean": "excess", "t_low": "t_low", "t_high": "t_high"}
    return rows.assign(**{f"d_{name}": rows[column] / spread for name, column in ends.items()})


def _extent(rows: pd.DataFrame) -> float:
    widest = rows.loc[rows["tells"], ["d_t_low", "d_t_high"]].abs().max().max()
    return float(np.clip(1.06 * np.nan_to_num(widest), _LEAST_EXTENT, _MOST_EXTENT))


def _draw_layer(axes: Axes, rows: pd.DataFrame, measures: Sequence[str], extent: float) -> None:
    axes.axvline(0, color=style.DARK, lw=0.8, zorder=1)
    for place, measure in enumerate(measures):
        row = rows.loc[measure]
        if not (np.isfinite(row["d_mean"]) and row["tells"]):
            why = " near chance" if np.isfinite(row["d_mean"]) else " undefined"
            axes.text(0, place, why, va="center", fontsize=style.SMALL_SIZE, zorder=3)
            continue
        colour, marker, filling, _ = _STYLES[verdict(row["t_low"], row["t_high"])]
        ends = np.clip(row[["d_t_low", "d_t_high"]].astype(float), -extent, extent)
        axes.hlines(place, *ends, color=colour, lw=1.1, zorder=2)
        point = {"ms": 4.2, "mec": colour, "mfc": filling, "mew": 1.0, "zorder": 3}
        if abs(row["d_mean"]) < extent:
            axes.plot([row["d_mean"]], [place], ls="", marker=marker, **point)
        else:
            _draw_at_the_edge(axes, row["d_mean"], place, extent, point)
    axes.grid(axis="x", color="#DDDDDD", lw=0.5, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)


def _draw_at_the_edge(
    axes: Axes, value: float, place: int, extent: float, point: dict[str, object]
) -> None:
    right = value > 0
    x = 0.96 * extent * np.sign(value)
    text = f"{value:.0f}".replace("-", style.MINUS)
    axes.plot([x], [place], ls="", marker=">" if right else "<", **point)
    axes.annotate(
        text, (x, place), (-5 if right else 5, 0), textcoords="offset points",
        ha="right" if right else "left", va="center", fontsize=style.SMALL_SIZE,
    )  # fmt: skip


def _finish(
    figure: Figure, panels: Sequence[Axes], rows: pd.DataFrame, measures: Sequence[str]
) -> None:
    first = panels[0]
    first.set_yticks(range(len(measures)), [MEASURES[name].label for name in measures])
    first.set_ylim(len(measures) - 0.4, -0.6)
    first.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, steps=[1, 2, 5, 10]))
    for axes in panels:
        axes.set_xlabel("\N{LEFTWARDS ARROW} closer   apart \N{RIGHTWARDS ARROW}")
    step, n = int(rows["step"].iloc[0]), int(rows["n"].max())
    figure.supxlabel(
        f"Crossed excess / its standard deviation between seeds ($d_z$), with 95% t "
        f"interval; n = {n} seeds, {step:,} updates",
        fontsize=style.TEXT_SIZE,
    )
    for colour, marker, filling, label in _STYLES.values():
        point = {"ms": 4.2, "mec": colour, "mfc": filling, "mew": 1.0}
        first.plot([], [], color=colour, lw=1.1, marker=marker, **point, label=label)
    style.legend_above(figure, [first], columns=len(_STYLES))
