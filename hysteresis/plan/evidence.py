"""The evidence that the repository keeps: tables of finished seeds, and what is made from them."""

from collections.abc import Sequence
from pathlib import Path

from hysteresis.config.configuration import Configuration
from hysteresis.plan import paths
from hysteresis.plan.targets import control_files, paper_figure_files, paper_table_files

_RESULTS = "<results>/"


def tables_of_seed(configuration: Configuration, seed: int) -> list[Path]:
    """The tables of one seed that everything else is made from, relative to a result folder."""
    controls, paper = configuration.controls, configuration.paper
    files = [
        template.format(experiment=name, seed=seed)
        for template in (paths.PAIR, paths.MEASURES)
        for name in controls.six
    ]
    files.append(paths.SENSITIVITY.format(experiment=controls.observed, seed=seed))
    probes = (paper.probe, *paper.secondary_probes)
    files += [paths.PROBE.format(probe=probe, seed=seed) for probe in probes]
    return [Path(file.removeprefix(_RESULTS)) for file in files]


def whole_seeds(configuration: Configuration, results: Path) -> list[int]:
    """The seeds of the observed pairs of which every table is there."""
    seeds = configuration.experiments[configuration.controls.observed].seeds
    return [
        seed
        for seed in seeds
        if all((results / file).is_file() for file in tables_of_seed(configuration, seed))
    ]


def laid_over(
    configuration: Configuration, seeds: Sequence[int], results: str
) -> dict[str, object]:
    """A configuration file's content: these seeds of the main experiment and its floors alone."""
    return {
        "pathvars": {"results": results},
        "experiments": {configuration.controls.observed: {"seeds": list(seeds)}},
        "controls": {"nulls": []},
        "paper": {"long_horizon": None, "rotated": None, "activation_contrast": None},
    }


def evidence_files(configuration: Configuration) -> list[str]:
    """Every table and figure that is made from tables of seeds; not what it cost to make these."""
    made = [*paper_table_files(), *paper_figure_files(configuration)]
    controls = control_files(configuration) if configuration.controls is not None else []
    return [file for file in (*made, *controls) if file != paths.COST]
