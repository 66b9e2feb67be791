"""Figure 6: the rotated protocol. Accuracy gap and H_repr over the common phase."""

from matplotlib.figure import Figure

from hysteresis.figures.inputs import FigureInputs
from hysteresis.figures.trajectories import draw_trajectories


def draw(inputs: FigureInputs) -> Figure:
    """As figure 2, so that the two can be laid side by side."""
    return draw_trajectories(inputs)
