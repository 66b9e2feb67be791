"""What every figure is drawn from: tables, and the specification of what they compare."""

from dataclasses import dataclass

import pandas as pd

from hysteresis.jobs.pair import Comparison


@dataclass(frozen=True)
class FigureInputs:
    """All that a figure may know.

    ``pairs``: pair tables one below the other, told apart by their ``experiment`` and ``seed``;
    a contrast has those of its two experiments. ``statistics``: the tidy table of the experiment
    or contrast. ``comparison``: that of the experiment's first seed (of a contrast's minuend),
    for names, steps, phases, thresholds and selections of images.
    """

    pairs: pd.DataFrame
    statistics: pd.DataFrame
    comparison: Comparison
