"""One look for all figures, axes of update counts, and writing the same bytes for the same data."""

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TypeVar

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.scale import SymmetricalLogTransform
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedLocator, NullLocator

from hysteresis.errors import UserError
from hysteresis.provenance.files import written_whole
from hysteresis.provenance.trailers import append_seal
from hysteresis.statistics.experiments import FEW_SEEDS

# Widths in inches, as printed; no text is smaller than SMALL_SIZE points.
ONE_COLUMN = 3.4
TWO_COLUMNS = 7.0
PNG_DPI = 300
TEXT_SIZE = 8.0
SMALL_SIZE = 7.0

# From Okabe and Ito's colours: told apart under every common colour-vision deficiency.
BLUE = "#0072B2"
VERMILION = "#D55E00"
GREY = "#8A8A8A"
DARK = "#222222"

H_REPR = r"$H_{\mathrm{repr}}$"
MINUS = "\N{MINUS SIGN}"

Shares = TypeVar("Shares", float, pd.Series, pd.DataFrame)

_TITLE_CHARACTERS = 38  # that many fit above a panel of one column

_STYLE = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same on every machine
    "font.size": TEXT_SIZE,
    "axes.labelsize": TEXT_SIZE,
    "axes.titlesize": TEXT_SIZE,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.edgecolor": DARK,
    "axes.labelcolor": DARK,
    "text.color": DARK,
    "xtick.color": DARK,
    "ytick.color": DARK,
    "xtick.labelsize": SMALL_SIZE,
    "ytick.labelsize": SMALL_SIZE,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "xtick.major.size": 3.0,
    "ytick.major.size": 3.0,
    "legend.fontsize": SMALL_SIZE,
    "legend.frameon": False,
    "legend.handlelength": 1.6,
    "legend.columnspacing": 1.2,
    "figure.constrained_layout.h_pad": 0.05,
    "figure.constrained_layout.w_pad": 0.05,
    "figure.dpi": 100,
    "pdf.fonttype": 42,  # TrueType: text stays text, as publishers require
    "ps.fonttype": 42,
}


# ---- figures ---------------------------------------------------------------------------------


@contextmanager
def styled() -> Iterator[None]:
    """The figures' look, whatever the user's matplotlibrc says; usable as a decorator."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of so many inches that does not belong to pyplot."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure, paths: Iterable[Path]) -> None:
    """Write the figure to each path in the format of its ending: ``.pdf`` or ``.png``.

    No date and no version of any software goes into a file: equal figures give equal bytes. The
    seal stands behind the image's end, where readers of either format look no further.
    """
    silent = {
        ".pdf": {"CreationDate": None, "Producer": None, "Creator": None},
        ".png": {"Software": None},
    }
    for path in map(Path, paths):
        if path.suffix not in silent:
            raise UserError(f"{path}: figures are written as .pdf or .png")
        with styled(), written_whole(path) as aside:
            figure.savefig(aside, format=path.suffix[1:], dpi=PNG_DPI, metadata=silent[path.suffix])
            append_seal(aside, b"\n% ")


def title(axes: Axes, letter: str, text: str, note: str = "") -> None:
    """A panel's letter and title at its upper left, and below it a note in ordinary type."""
    text = textwrap.fill(f"({letter}) {text}", _TITLE_CHARACTERS)
    axes.set_title(text, pad=SMALL_SIZE + 8 if note else 5)
    if note:
        axes.annotate(note, (0, 1), (0, 5), "axes fraction", "offset points", fontsize=SMALL_SIZE)


def from_zero(axes: Axes) -> None:
    """Begin y at 0, the value of equal networks, and leave room above the data."""
    highest = axes.dataLim.y1
    axes.set_ylim(0, 1.08 * highest if np.isfinite(highest) and highest > 0 else 1)


def legend_above(figure: Figure, axes: Sequence[Axes], columns: int = 2) -> None:
    """One legend for all panels, outside of them: each label once, in the order of drawing."""
    found: dict[str, object] = {}
    for panel in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(list(found.values()), list(found), loc="outside upper center", ncols=columns)


# ---- numbers as text -------------------------------------------------------------------------


def step_label(step: int) -> str:
    """An update count, short: 500, 1k, 2.5k, 50k, 1M."""
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        # Short only where nothing is lost: 1234 stays 1234.
        if step >= unit and step % (unit // 10) == 0:
            return f"{step / unit:g}{letter}"
    return str(step)


def in_points(shares: Shares) -> Shares:
    """Shares of 1 as percentage points."""
    return 100 * shares


def points_label(share: float) -> str:
    """A share of 1 in percentage points or per cent, as it would be written: 0.002 is 0.2."""
    return f"{Decimal(str(share)) * 100:f}".rstrip("0").rstrip(".") or "0"


def p_label(value: float) -> str:
    """A p value to three digits; the smallest possible ones (0.0625) stay what they are."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3g}"


def text_width(text: str, size: float, weight: str = "normal") -> float:
    """The printed width of a text in inches, from the font's own measures."""
    font = FontProperties(family="DejaVu Sans", size=size, weight=weight)
    width, _, _ = text_to_path.get_text_width_height_descent(text, font, ismath="$" in text)
    return width / 72


# ---- axes of update counts -------------------------------------------------------------------


class UpdateScale:
    """Logarithmic in updates from the first positive step on, linear from 0 to there."""

    LINEAR_SHARE = 0.5  # length of the linear part, in decades

    def __init__(self, steps: Sequence[int]) -> None:
        positive = [step for step in steps if step > 0]
        self.threshold = min(positive, default=1)
        self.linear_scale = self.LINEAR_SHARE * (1 - 1 / 10)
        self._transform = SymmetricalLogTransform(10, self.threshold, self.linear_scale)
        self.steps = tuple(sorted(steps))

    def positions(self) -> np.ndarray:
        """Where the steps lie, from 0 (the first) to 1 (the last)."""
        places = self._transform.transform_non_affine(np.array(self.steps, dtype=float))
        extent = places[-1] - places[0]
        return (places - places[0]) / extent if extent else np.full(len(places), 0.5)

    def limits(self, margin: float = 0.03) -> tuple[float, float]:
        """Ends of an axis that leaves a share ``margin`` free on both sides."""
        ends = np.array([self.steps[0], self.steps[-1]], dtype=float)
        low, high = self._transform.transform_non_affine(ends)
        free = margin * (high - low) if high > low else 1.0
        low, high = self._transform.inverted().transform_non_affine(
            np.array([low - free, high + free])
        )
        return float(low), float(high)

    def labelled(self, width: float, size: float = SMALL_SIZE) -> list[int]:
        """The steps whose labels fit side by side in ``width`` inches: last, first, the rest."""
        places = dict(zip(self.steps, self.positions() * width, strict=True))
        kept: list[int] = []
        for step in (self.steps[-1], *self.steps[:-1]):
            if all(_apart(step, other, places, size) for other in kept):
                kept.append(step)
        return sorted(kept)


def _apart(step: int, other: int, places: dict[int, float], size: float) -> bool:
    widths = [text_width(step_label(each), size) for each in (step, other)]
    gap = abs(places[step] - places[other]) - sum(widths) / 2
    return gap >= 0.35 * size / 72


def update_axis(axes: Axes, steps: Sequence[int], width: float, label: str) -> None:
    """Make x an axis of update counts: a tick at each step, a label wherever there is room.

    ``width`` is about how many inches the axis will have.
    """
    scale = UpdateScale(steps)
    axes.set_xscale("symlog", linthresh=scale.threshold, linscale=scale.linear_scale)
    axes.set_xlim(*scale.limits())
    labelled = scale.labelled(width)
    axes.set_xticks(labelled, [step_label(step) for step in labelled])
    others = [step for step in scale.steps if step not in labelled]
    axes.xaxis.set_minor_locator(FixedLocator(others) if others else NullLocator())
    axes.set_xlabel(label)


# ---- seeds, mean and interval ----------------------------------------------------------------


def draw_seeds_and_mean(axes: Axes, seeds: pd.DataFrame, summary: pd.DataFrame) -> None:
    """A thin line a seed, the heavy mean, and the band of its 95% bootstrap interval.

    ``seeds``: a row a step, a column a seed. ``summary``: a row a step, with ``mean``,
    ``bootstrap_low``, ``bootstrap_high`` and ``n``. A lone seed has neither mean nor band.
    """
    n = int(summary["n"].max())
    if n > 1:
        for place, seed in enumerate(seeds.columns):
            label = "one seed" if place == 0 else None
            axes.plot(
                seeds.index, seeds[seed], color=GREY, lw=0.6, alpha=0.75, zorder=3, label=label
            )
    label = f"mean (n = {n})" if n > 1 else "one seed (n = 1)"
    mean = {"color": BLUE, "lw": 1.7, "marker": "o", "ms": 2.8, "zorder": 4}
    axes.plot(summary.index, summary["mean"], **mean, label=label)
    low, high = summary["bootstrap_low"], summary["bootstrap_high"]
    if (low.notna() & high.notna()).any():
        band = {"color": BLUE, "alpha": 0.25, "lw": 0, "zorder": 2}
        # With few seeds the band is too narrow; the tables have the t and BCa intervals.
        what = "(few seeds)" if n < FEW_SEEDS else "interval"
        axes.fill_between(summary.index, low, high, **band, label=f"95% bootstrap {what}")
