"""Which figure shows which experiments, and is drawn from which tables: a row a figure."""

from collections.abc import Callable
from typing import NamedTuple

from hysteresis.config.configuration import Configuration
from hysteresis.plan import inputs, paths

Inputs = dict[str, list[str] | str]


class Figure(NamedTuple):
    """``belongs`` is paper, controls or measures: what must be configured for it to be drawn.

    ``shows`` names experiments, of which the first is specified to the figure. ``reads`` are the
    files by the option of ``hysteresis draw`` that they are given with.
    """

    belongs: str
    shows: Callable[[Configuration], list[str]]
    reads: Callable[[Configuration], Inputs]


def figures_of(belongs: str) -> tuple[str, ...]:
    """Names of the figures of the paper, of the controls, or of the measures."""
    return tuple(name for name, figure in FIGURES.items() if figure.belongs == belongs)


def figure_inputs(configuration: Configuration, figure: str) -> Inputs:
    """What a figure is drawn from."""
    return FIGURES[figure].reads(configuration)


# ---- what figures show -----------------------------------------------------------------------


def _main(configuration: Configuration) -> list[str]:
    return [configuration.paper.main]


def _long_horizon(configuration: Configuration) -> list[str]:
    return [configuration.paper.long_horizon]


def _rotated(configuration: Configuration) -> list[str]:
    return [configuration.paper.rotated]


def _probed(configuration: Configuration) -> list[str]:
    return [configuration.probes[configuration.paper.probe].experiment]


def _contrasted(configuration: Configuration) -> list[str]:
    contrast = configuration.contrasts[configuration.paper.activation_contrast]
    return [contrast.minuend, contrast.subtrahend]


def _observed(configuration: Configuration) -> list[str]:
    return [configuration.controls.observed]


# ---- what figures read -----------------------------------------------------------------------


def _nothing(configuration: Configuration) -> Inputs:
    return {}


def _experiment(shown: Callable[[Configuration], list[str]]) -> Callable[[Configuration], Inputs]:
    """The pairs and the statistics of the one experiment that is shown."""

    def read(configuration: Configuration) -> Inputs:
        (name,) = shown(configuration)
        return {
            "pairs": inputs.pair_tables(configuration, [name]),
            "statistics": paths.STATISTICS.format(experiment=name),
        }

    return read


def _contrast(configuration: Configuration) -> Inputs:
    contrast = configuration.paper.activation_contrast
    return {
        "pairs": inputs.pair_tables(configuration, _contrasted(configuration)),
        "statistics": paths.CONTRAST.format(contrast=contrast),
    }


def _probe(configuration: Configuration) -> Inputs:
    return {"statistics": paths.PROBE_STATISTICS.format(probe=configuration.paper.probe)}


def _controls(configuration: Configuration) -> Inputs:
    return {"pairs": inputs.pair_tables_of_six(configuration), "statistics": paths.CONTROLS}


def _measures(configuration: Configuration) -> Inputs:
    return {"statistics": paths.MEASURE_STATISTICS}


FIGURES = {
    "figure1": Figure("paper", _main, _nothing),  # the design alone
    "figure2": Figure("paper", _main, _experiment(_main)),
    "figure3": Figure("paper", _long_horizon, _experiment(_long_horizon)),
    "figure4": Figure("paper", _probed, _probe),
    "figure5": Figure("paper", _contrasted, _contrast),
    "figure6": Figure("paper", _rotated, _experiment(_rotated)),
    "figure7": Figure("controls", _observed, _controls),
    "figure8": Figure("measures", _observed, _measures),
}
