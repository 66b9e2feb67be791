"""Figure 3: the long horizon. H_repr late in the common phase, and its change seed by seed."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hysteresis.errors import UserError
from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.figures.trajectories import (
    AXIS_WIDTH,
    H_LABEL,
    H_UNIT,
    by_seed,
    change_of,
    common_phase_label,
    draw_seed_differences,
    summary_of,
    tests_note,
)


@style.styled()
def draw(inputs: FigureInputs) -> Figure:
    """H_repr at the steps of the declared changes, and the change from the first to the last."""
    figure = style.new_figure(style.ONE_COLUMN, 4.3)
    late, change = figure.subplots(2, 1)
    values = by_seed(inputs.pairs, inputs.pairs["h_repr"])
    steps = change_steps(inputs)
    _draw_late(late, inputs, values.loc[steps])
    _draw_change(change, inputs, values.loc[steps])
    figure.align_ylabels()
    style.legend_above(figure, [late, change])
    return figure


def change_steps(inputs: FigureInputs) -> list[int]:
    """The steps between which the statistics have changes, ascending."""
    changes = inputs.statistics[inputs.statistics["endpoint"] == "change"]
    steps = pd.concat([changes["step_from"], changes["step"]])
    if steps.empty:
        raise UserError(
            f"figure3: the statistics of {inputs.comparison.experiment} hold no change; "
            f"give experiments: {inputs.comparison.experiment}: changes two steps or more"
        )
    return sorted(set(steps.astype(int)))


def _draw_late(axes: Axes, inputs: FigureInputs, values: pd.DataFrame) -> None:
    summary = summary_of(inputs.statistics, "h_repr").loc[values.index]
    style.draw_seeds_and_mean(axes, values, summary)
    style.update_axis(axes, values.index, AXIS_WIDTH, common_phase_label(inputs.comparison))
    style.from_zero(axes)
    axes.set_ylabel(H_LABEL)
    style.title(axes, "a", "Late in the common phase")


def _draw_change(axes: Axes, inputs: FigureInputs, values: pd.DataFrame) -> None:
    first, last = values.index[0], values.index[-1]
    summary = change_of(inputs.statistics, "h_repr", first, last)
    draw_seed_differences(axes, values.loc[last] - values.loc[first], summary)
    axes.set_ylabel(f"Change in {style.H_REPR}\n({H_UNIT})")
    span = f"{style.step_label(first)} to {style.step_label(last)} updates"
    style.title(axes, "b", f"Change from {span}", tests_note(summary))
