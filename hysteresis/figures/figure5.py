"""Figure 5: the activation contrast. The difference in H_repr of two experiments."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hysteresis.errors import UserError
from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.figures.trajectories import (
    AXIS_WIDTH,
    H_UNIT,
    by_seed,
    common_phase_label,
    draw_seed_differences,
    summary_of,
    tests_note,
)

_ACTIVATIONS = {"relu": "ReLU", "leaky_relu": "LeakyReLU"}


@style.styled()
def draw(inputs: FigureInputs) -> Figure:
    """Minuend minus subtrahend over updates, and seed by seed at the last checkpoint."""
    minuend, subtrahend = contrasted(inputs)
    values = _h_repr(inputs.pairs, minuend) - _h_repr(inputs.pairs, subtrahend)
    figure = style.new_figure(style.ONE_COLUMN, 4.3)
    over_updates, at_the_end = figure.subplots(2, 1)
    _draw_over_updates(over_updates, inputs, values)
    _draw_at_the_end(at_the_end, inputs, values)
    for axes in (over_updates, at_the_end):
        axes.set_ylabel(f"Difference in {style.H_REPR}\n({H_UNIT})")
    figure.align_ylabels()
    style.legend_above(figure, [over_updates, at_the_end])
    return figure


def contrasted(inputs: FigureInputs) -> tuple[str, str]:
    """The names of the two experiments: minuend and subtrahend."""
    minuend = inputs.comparison.experiment
    others = [name for name in inputs.pairs["experiment"].unique() if name != minuend]
    if len(others) != 1 or minuend not in set(inputs.pairs["experiment"]):
        raise UserError(
            f"figure5: needs the pair tables of {minuend} and of one other experiment, "
            f"not of {', '.join(inputs.pairs['experiment'].unique())}"
        )
    return minuend, others[0]


def readable_names(one: str, other: str) -> tuple[str, str]:
    """Two experiments' names for print, without the words with which both begin."""
    words = [name.split("_") for name in (one, other)]
    shared = 0
    while shared < min(map(len, words)) - 1 and words[0][shared] == words[1][shared]:
        shared += 1
    short = ["_".join(parts[shared:]) for parts in words]
    first, second = (_ACTIVATIONS.get(name, name.replace("_", " ")) for name in short)
    return first, second


def _h_repr(pairs: pd.DataFrame, experiment: str) -> pd.DataFrame:
    rows = pairs[pairs["experiment"] == experiment]
    return by_seed(rows, rows["h_repr"])


def _draw_over_updates(axes: Axes, inputs: FigureInputs, values: pd.DataFrame) -> None:
    axes.axhline(0, color=style.DARK, lw=0.7, zorder=1)
    axes.margins(y=0.08)
    style.draw_seeds_and_mean(axes, values, summary_of(inputs.statistics, "h_repr"))
    style.update_axis(axes, values.index, AXIS_WIDTH, common_phase_label(inputs.comparison))
    style.title(axes, "a", f" {style.MINUS} ".join(readable_names(*contrasted(inputs))))


def _draw_at_the_end(axes: Axes, inputs: FigureInputs, values: pd.DataFrame) -> None:
    last = values.index[-1]
    summary = summary_of(inputs.statistics, "h_repr").loc[last]
    draw_seed_differences(axes, values.loc[last], summary)
    style.title(axes, "b", f"At {style.step_label(last)} updates", tests_note(summary))
