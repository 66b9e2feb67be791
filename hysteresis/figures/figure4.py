"""Figure 4: linear probes. The difference between the two histories over training budgets."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from hysteresis.errors import UserError
from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs

_NUMBERS = ["mean", "t_low", "t_high", "margin", "n"]
_ASIDE = 1.09  # repeated heads stand that factor to the right of their budget


@style.styled()
def draw(inputs: FigureInputs) -> Figure:
    """First history minus second after the last epoch, on the whole test probe."""
    primary = inputs.statistics[inputs.statistics["role"] == "primary"]
    if not primary["n"].any():
        raise UserError(
            "figure4: no seed of the probe matches in behaviour; let paper: probe name one at a "
            "checkpoint"
        )
    figure = style.new_figure(style.ONE_COLUMN, 2.9)
    axes = figure.subplots()
    _draw_margin(axes, _numbers(primary)["margin"].max())
    repeated = primary["head_seeds"] > 1
    _draw_first_heads(axes, _numbers(primary[~repeated]))
    if repeated.any():
        _draw_repeated_heads(axes, _numbers(primary[repeated]), primary[repeated]["head_seeds"])
    _label(axes, inputs, _numbers(primary).index.unique())
    style.legend_above(figure, [axes])
    return figure


def _numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """By images a digit, ascending; differences in percentage points."""
    rows = rows.set_index("images_per_class").sort_index()
    # Of a lone seed there are no intervals.
    numbers = rows.reindex(columns=_NUMBERS).astype(float)
    differences = [name for name in _NUMBERS if name not in ("margin", "n")]
    numbers[differences] = style.in_points(numbers[differences])
    return numbers


def _draw_margin(axes: Axes, margin: float) -> None:
    axes.axhline(0, color=style.DARK, lw=0.7, zorder=1)
    label = f"equivalence margin: ±{style.points_label(margin)} points"
    for sign in (-1, 1):
        dashes = {"color": style.VERMILION, "lw": 0.8, "ls": (0, (4, 2)), "zorder": 1}
        axes.axhline(sign * style.in_points(margin), **dashes, label=label if sign > 0 else None)


def _draw_first_heads(axes: Axes, numbers: pd.DataFrame) -> None:
    n = int(numbers["n"].max())
    label = f"mean (n = {n}), 95% t interval" if n > 1 else "one seed (n = 1)"
    look = {"color": style.BLUE, "marker": "o", "ms": 4.2, "lw": 1.2, "zorder": 4, "label": label}
    _draw_differences(axes, numbers.index, numbers, 1.4, look)


def _draw_repeated_heads(axes: Axes, numbers: pd.DataFrame, head_seeds: pd.Series) -> None:
    counts = " or ".join(str(count) for count in sorted(head_seeds.unique()))
    look = {"color": style.DARK, "mfc": "white", "marker": "D", "ms": 3.8, "zorder": 5, "ls": ""}
    look["label"] = f"average of {counts} heads"
    _draw_differences(axes, numbers.index * _ASIDE, numbers, 0.9, look)


def _draw_differences(
    axes: Axes, places: pd.Index, numbers: pd.DataFrame, width: float, look: dict[str, object]
) -> None:
    """With t intervals as bars, which a lone seed does not have."""
    if numbers["t_low"].isna().all():
        axes.plot(places, numbers["mean"], **look)
        return
    ends = [numbers["mean"] - numbers["t_low"], numbers["t_high"] - numbers["mean"]]
    axes.errorbar(places, numbers["mean"], yerr=ends, capsize=3, elinewidth=width, **look)


def _label(axes: Axes, inputs: FigureInputs, budgets: pd.Index) -> None:
    axes.set_xscale("log")
    axes.set_xticks(budgets, [f"{budget:,}" for budget in budgets])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlim(budgets.min() / 1.3, budgets.max() * 1.3)
    axes.margins(y=0.08)
    names = f"{inputs.comparison.first.history} {style.MINUS} {inputs.comparison.second.history}"
    axes.set_xlabel("Training images per digit")
    axes.set_ylabel(f"Probe accuracy, {names}\n(percentage points)")
