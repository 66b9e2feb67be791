"""Published and reproduced H_repr, seed by seed, with their means and their correlation."""

import textwrap
from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hysteresis.figures import style
from hysteresis.figures.trajectories import H_LABEL
from hysteresis.published.verdicts import AGREES, DIFFERS, NOT_RUN

ENDPOINTS = (("main", "10000"), ("long", "50000"))
_VERBS = {AGREES: "agree", DIFFERS: "differ"}
_OFFSET = 0.15  # of published and reproduced from a seed's place
_PUBLISHED = {"marker": "o", "mfc": "white", "mec": style.DARK, "color": style.DARK, "ms": 4.0}
_REPRODUCED = {"marker": "D", "color": style.BLUE, "ms": 3.6}
_SCATTERED = (
    {"marker": "o", "color": style.BLUE, "ms": 4.0},
    {"marker": "^", "color": style.VERMILION, "ms": 4.8},
)


@dataclass(frozen=True)
class Endpoint:
    """H_repr of one experiment at one step: ``seeds`` has published and reproduced by seed."""

    step: int
    seeds: pd.DataFrame
    numbers: pd.DataFrame

    @property
    def mean(self) -> pd.Series:
        """The row of the mean, with verdict, tests and correlation."""
        return self.numbers.loc["mean"]

    @property
    def reason(self) -> str:
        """Why nothing was reproduced, or an empty text."""
        return "" if self.seeds["reproduced"].notna().any() else str(self.mean["decided_by"])


@style.styled()
def draw(numbers: pd.DataFrame, seeds: pd.DataFrame) -> Figure:
    """From published.csv (``numbers``) and published_seeds.csv (``seeds``)."""
    endpoints = [endpoint_of(numbers, seeds, *place) for place in ENDPOINTS]
    figure = style.new_figure(style.TWO_COLUMNS, 5.2)
    panels = figure.subplot_mosaic([["a", "a"], ["b", "c"]])
    widths = (style.TWO_COLUMNS, style.TWO_COLUMNS / 2)
    for letter, endpoint, width in zip("ab", endpoints, widths, strict=True):
        _draw_seeds(panels[letter], letter, endpoint, width)
    _draw_scatter(panels["c"], endpoints)
    style.legend_above(figure, [panels["a"], panels["b"]], columns=3)
    return figure


def endpoint_of(
    numbers: pd.DataFrame, seeds: pd.DataFrame, experiment: str, endpoint: str
) -> Endpoint:
    """The rows of H_repr at one endpoint, from both tables."""

    def chosen(table: pd.DataFrame) -> pd.DataFrame:
        place = (table["experiment"] == experiment) & (table["endpoint"].astype(str) == endpoint)
        return table[place & (table["quantity"] == "h_repr")]

    # A mean may be printed twice, with more and with fewer digits; it is the same number here.
    by_statistic = chosen(numbers).drop_duplicates("statistic").set_index("statistic")
    by_seed = chosen(seeds).set_index("seed")[["published", "reproduced"]]
    return Endpoint(int(endpoint), by_seed.astype(float), by_statistic)


# ---- seed by seed ----------------------------------------------------------------------------


def _draw_seeds(axes: Axes, letter: str, endpoint: Endpoint, width: float) -> None:
    places = np.arange(len(endpoint.seeds))
    published, reproduced = endpoint.seeds["published"], endpoint.seeds["reproduced"]
    links = {"color": style.GREY, "lw": 0.7, "zorder": 1}
    axes.plot([places - _OFFSET, places + _OFFSET], [published, reproduced], **links)
    axes.plot(places - _OFFSET, published, ls="", **_PUBLISHED, label="published seed")
    if not endpoint.reason:
        axes.plot(places + _OFFSET, reproduced, ls="", **_REPRODUCED, label="reproduced seed")
    mean_place = len(places) + 0.4
    _draw_means(axes, endpoint, mean_place)
    labels = [*map(str, endpoint.seeds.index), "mean"]
    axes.set_xticks([*places, mean_place], labels)
    axes.set_xlim(-0.6, mean_place + 0.8)
    axes.set_xlabel("Seed")
    axes.set_ylabel(H_LABEL)
    style.from_zero(axes)
    title = f"{style.H_REPR} at {style.step_label(endpoint.step)} updates"
    _title(axes, letter, title, _verdict_note(endpoint), width)


def _draw_means(axes: Axes, endpoint: Endpoint, place: float) -> None:
    numbers = endpoint.numbers
    for side, offset, look in (
        ("published", -_OFFSET, _PUBLISHED), ("reproduced", _OFFSET, _REPRODUCED)
    ):  # fmt: skip
        mean = numbers.loc["mean", side]
        low, high = (numbers.loc[f"bootstrap_{end}", side] for end in ("low", "high"))
        if np.isfinite([mean, low, high]).all():
            bars = {"yerr": [[mean - low], [high - mean]], "capsize": 2.5, "elinewidth": 1.2}
            label = "mean, 95% bootstrap interval"
            bigger = look | {"ms": look["ms"] + 1.2}
            axes.errorbar([place + 1.4 * offset], [mean], ls="", **bars, **bigger, label=label)


def _verdict_note(endpoint: Endpoint) -> str:
    mean = endpoint.mean
    if endpoint.reason:
        return f"Published alone: not run here ({endpoint.reason})"
    tests = [
        f"{name} {style.p_label(mean[column])}"
        for name, column in (("t test", "t_p"), ("Wilcoxon", "wilcoxon_p"))
        if np.isfinite(mean[column])
    ]
    seeds = f"n = {int(mean['pairs'])} of the {len(endpoint.seeds)} published seeds"
    return f"Means over {seeds} {_VERBS[mean['verdict']]}; paired {', '.join(tests)}"


# ---- published against reproduced ------------------------------------------------------------


def _draw_scatter(axes: Axes, endpoints: list[Endpoint]) -> None:
    values = pd.concat([endpoint.seeds for endpoint in endpoints]).stack()
    margin = 0.08 * (values.max() - values.min())
    limits = (values.min() - margin, values.max() + margin)
    for endpoint, look in zip(endpoints, _SCATTERED, strict=True):
        label = f"{style.step_label(endpoint.step)} updates: {_correlation_note(endpoint.mean)}"
        pairs = endpoint.seeds.dropna()
        if len(pairs):
            axes.plot(pairs["published"], pairs["reproduced"], ls="", **look, label=label)
        else:
            # Where the published seeds lie, along the lower edge.
            height = np.full(len(endpoint.seeds), limits[0] + 0.4 * margin)
            look = look | {"mfc": "white"}
            axes.plot(endpoint.seeds["published"], height, ls="", **look, label=label)
    dashes = {"color": style.GREY, "lw": 0.8, "ls": (0, (4, 2)), "zorder": 1}
    axes.plot(limits, limits, **dashes, label="equal values")
    axes.set(xlim=limits, ylim=limits)
    axes.set_xlabel(f"Published {style.H_REPR}")
    axes.set_ylabel(f"Reproduced {style.H_REPR}")
    _legend_below_title(axes, "c", "Reproduced against published")


def _legend_below_title(axes: Axes, letter: str, text: str) -> None:
    """A legend a line for each entry between title and panel, where no value can lie."""
    place = {"loc": "lower left", "bbox_to_anchor": (-0.02, 1), "borderaxespad": 0.0}
    legend = axes.legend(**place, handletextpad=0.3, labelspacing=0.25, borderpad=0.2)
    lines = len(legend.get_texts())
    axes.set_title(f"({letter}) {text}", pad=6 + 1.35 * style.SMALL_SIZE * lines)


def _correlation_note(mean: pd.Series) -> str:
    if not np.isfinite(mean["r"]):
        return (
            "not run, published below"
            if mean["verdict"] == NOT_RUN
            else f"n = {int(mean['pairs'])}, no r"
        )
    r, low, high = (
        f"{mean[name]:.2f}".replace("-", style.MINUS) for name in ("r", "r_low", "r_high")
    )
    interval = f" [{low}, {high}]" if np.isfinite(mean["r_low"]) else ""
    return f"n = {int(mean['pairs'])}, r = {r}{interval}, {style.p_label(mean['r_p'])}"


# ---- text ------------------------------------------------------------------------------------


def _title(axes: Axes, letter: str, text: str, note: str, width: float) -> None:
    """As :func:`style.title`, with a note of as many lines as ``width`` inches need."""
    characters = int(width / style.text_width("n" * 10, style.SMALL_SIZE) * 10)
    lines = textwrap.wrap(note, characters)
    axes.set_title(f"({letter}) {text}", pad=5 + (style.SMALL_SIZE + 2) * len(lines))
    axes.annotate(
        "\n".join(lines),
        (0, 1),
        (0, 4),
        "axes fraction",
        "offset points",
        fontsize=style.SMALL_SIZE,
    )
