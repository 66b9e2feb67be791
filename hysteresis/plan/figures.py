"""Which figure shows which experiments, and is drawn from which tables: a row a figure."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from hysteresis.config.configuration import Configuration
from hysteresis.jobs.printed import FigureJob
from hysteresis.plan import paths
from hysteresis.plan.sources import Given, contrast, experiment, of_controls, pairs, probe
from hysteresis.provenance.kinds import Kind

Shown = Callable[[Configuration], list[str]]


class Figure(NamedTuple):
    """``belongs`` is paper, controls or measures: what must be configured for it to be drawn.

    ``shows`` names experiments, of which the first is specified to the figure; none where the
    configuration gives nobody this role. ``reads`` are the tables that it is drawn from.
    """

    belongs: str
    shows: Shown
    reads: Callable[[Configuration], Sequence[Given]]


def figures_of(configuration: Configuration, belongs: str) -> tuple[str, ...]:
    """Names of the figures of the paper, of the controls, or of the measures that can be drawn."""
    sections = {"controls": configuration.controls, "measures": configuration.measures}
    if belongs in sections and sections[belongs] is None:
        return ()
    return tuple(
        name
        for name, figure in FIGURES.items()
        if figure.belongs == belongs and figure.shows(configuration)
    )


def figure_inputs(configuration: Configuration, figure: str) -> list[str]:
    """The files that a figure is drawn from, in the order of its job's sources."""
    return [file for each in FIGURES[figure].reads(configuration) for file in each.files]


def figure_job(configuration: Configuration, figure: str) -> FigureJob:
    """What its job is told: its sources, and the first seed's comparison of what it shows."""
    row = FIGURES[figure]
    shown = row.shows(configuration)[0]
    comparison = configuration.comparison(shown, configuration.experiments[shown].seeds[0])
    return FigureJob(tuple(each.source for each in row.reads(configuration)), comparison)


# ---- what figures show -----------------------------------------------------------------------


def _main(configuration: Configuration) -> list[str]:
    return [configuration.paper.main]


def _long_horizon(configuration: Configuration) -> list[str]:
    name = configuration.paper.long_horizon
    return [] if name is None else [name]


def _rotated(configuration: Configuration) -> list[str]:
    name = configuration.paper.rotated
    return [] if name is None else [name]


def _probed(configuration: Configuration) -> list[str]:
    return [configuration.probes[configuration.paper.probe].experiment]


def _contrasted(configuration: Configuration) -> list[str]:
    name = configuration.paper.activation_contrast
    if name is None:
        return []
    return [configuration.contrasts[name].minuend, configuration.contrasts[name].subtrahend]


def _observed(configuration: Configuration) -> list[str]:
    return [configuration.controls.observed]


# ---- what figures read -----------------------------------------------------------------------


def _nothing(configuration: Configuration) -> list[Given]:
    return []


def _one_experiment(shown: Shown) -> Callable[[Configuration], list[Given]]:
    """The pairs and the statistics of the one experiment that is shown."""

    def read(configuration: Configuration) -> list[Given]:
        (name,) = shown(configuration)
        return [pairs(configuration, name), experiment("statistics", name)]

    return read


def _contrast(configuration: Configuration) -> list[Given]:
    return [
        *(pairs(configuration, name) for name in _contrasted(configuration)),
        contrast("statistics", configuration.paper.activation_contrast),
    ]


def _probe(configuration: Configuration) -> list[Given]:
    return [probe("statistics", configuration.paper.probe)]


def _controls(configuration: Configuration) -> list[Given]:
    controls = configuration.controls
    return [
        *(pairs(configuration, name) for name in controls.six),
        of_controls("statistics", Kind.CONTROLS, controls.observed, paths.CONTROLS),
    ]


def _measures(configuration: Configuration) -> list[Given]:
    observed, file = configuration.controls.observed, paths.MEASURE_STATISTICS
    return [of_controls("statistics", Kind.MEASURE_STATISTICS, observed, file)]


FIGURES = {
    "figure1": Figure("paper", _main, _nothing),  # the design alone
    "figure2": Figure("paper", _main, _one_experiment(_main)),
    "figure3": Figure("paper", _long_horizon, _one_experiment(_long_horizon)),
    "figure4": Figure("paper", _probed, _probe),
    "figure5": Figure("paper", _contrasted, _contrast),
    "figure6": Figure("paper", _rotated, _one_experiment(_rotated)),
    "figure7": Figure("controls", _observed, _controls),
    "figure8": Figure("measures", _observed, _measures),
}
