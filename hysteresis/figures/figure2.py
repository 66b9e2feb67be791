"""Figure 2: the main experiment. Accuracy gap and H_repr over the common phase."""

from matplotlib.figure import Figure

from hysteresis.figures.inputs import FigureInputs
from hysteresis.figures.trajectories import draw_trajectories


def draw(inputs: FigureInputs) -> Figure:
    """Both quantities over updates: a line a seed, mean, bootstrap band, first matches."""
    return draw_trajectories(inputs)
