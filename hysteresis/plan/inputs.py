"""Which files a stage reads, as paths with ``<results>`` and ``<data>`` in them.

Functions take the configuration and the names in the path of what is made.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from hysteresis.config.configuration import Configuration
from hysteresis.plan import paths

# ---- checkpoints -----------------------------------------------------------------------------


def checkpoint_before_phase(
    configuration: Configuration, condition: str, history: str, seed: int, phase: int
) -> str:
    """What the ``phase``-th phase (from 1) begins from; phase 0 is the initial weights."""
    return paths.PHASE.format(condition=condition, history=history, seed=seed, phase=phase - 1)


def checkpoint_before_step(
    configuration: Configuration, condition: str, history: str, seed: int, step: int
) -> str:
    """What the common phase is carried on from to ``step``."""
    before = configuration.step_before(condition, step)
    return checkpoint(configuration, condition, history, seed, before)


def checkpoint(
    configuration: Configuration, condition: str, history: str, seed: int, step: int
) -> str:
    """The checkpoint of a run at ``step`` of the common phase."""
    phases = len(configuration.histories[history].phases)
    return paths.checkpoint(condition, history, seed, step, phases)


def checkpoints_of_side(
    configuration: Configuration, experiment: str, seed: int, side: int, steps: Iterable[int]
) -> list[str]:
    """Initial weights, then the checkpoints at ``steps``, of one side (0 or 1) of a pair."""
    settings = configuration.experiments[experiment]
    condition, history = settings.condition, settings.pair[side]
    initial = paths.INITIAL.format(condition=condition, history=history, seed=seed)
    return [
        initial, *(checkpoint(configuration, condition, history, seed, step) for step in steps)
    ]  # fmt: skip


def compared_checkpoints(
    configuration: Configuration, experiment: str, seed: int, side: int
) -> list[str]:
    """Of one side of a pair, those at which it is compared."""
    steps = configuration.experiments[experiment].checkpoints
    return checkpoints_of_side(configuration, experiment, seed, side, steps)


def measured_checkpoints(
    configuration: Configuration, experiment: str, seed: int, side: int
) -> list[str]:
    """Of one side of a pair, those compared by every measure."""
    steps = configuration.measures.steps
    return checkpoints_of_side(configuration, experiment, seed, side, steps)


def sensitivity_checkpoints(
    configuration: Configuration, experiment: str, seed: int, side: int
) -> list[str]:
    """Of one side of a pair, the one compared on other numbers of images."""
    steps = [configuration.sensitivity.step]
    return checkpoints_of_side(configuration, experiment, seed, side, steps)


def probe_inputs(configuration: Configuration, probe: str, seed: int) -> dict[str, list[str] | str]:
    """Initial weights and checkpoints of both sides; at the match, all, and the pair's table."""
    pair_probe = configuration.pair_probe(probe, seed)
    experiment, steps = pair_probe.pair.experiment, pair_probe.pair.steps
    inputs: dict[str, list[str] | str] = {
        name: checkpoints_of_side(configuration, experiment, seed, side, steps)
        for side, name in enumerate(("first", "second"))
    }
    if pair_probe.at_match:
        inputs["pairs"] = paths.PAIR.format(experiment=experiment, seed=seed)
    return inputs


# ---- tables of seeds -------------------------------------------------------------------------


def files_of_seeds(
    configuration: Configuration, template: str, experiments: Iterable[str]
) -> list[str]:
    """The files of every seed of ``experiments`` at a path with experiment and seed."""
    return [
        template.format(experiment=experiment, seed=seed)
        for experiment in experiments
        for seed in configuration.experiments[experiment].seeds
    ]


def pair_tables(configuration: Configuration, experiments: Iterable[str]) -> list[str]:
    """The pairs of every seed of ``experiments``."""
    return files_of_seeds(configuration, paths.PAIR, experiments)


def pair_tables_of_experiment(configuration: Configuration, experiment: str) -> list[str]:
    """What the statistics of an experiment are made from."""
    return pair_tables(configuration, [experiment])


def pair_tables_of_minuend(configuration: Configuration, contrast: str) -> list[str]:
    """What a contrast subtracts from."""
    return pair_tables(configuration, [configuration.contrasts[contrast].minuend])


def pair_tables_of_subtrahend(configuration: Configuration, contrast: str) -> list[str]:
    """What a contrast subtracts."""
    return pair_tables(configuration, [configuration.contrasts[contrast].subtrahend])


def probe_tables(configuration: Configuration, probe: str) -> list[str]:
    """The probes of every seed."""
    seeds = configuration.experiments[configuration.probes[probe].experiment].seeds
    return [paths.PROBE.format(probe=probe, seed=seed) for seed in seeds]


# ---- controls, and what stands beside the published numbers ----------------------------------


def pair_tables_of_six(configuration: Configuration) -> list[str]:
    """The six pairs of two networks of either order."""
    return pair_tables(configuration, configuration.controls.six)


def pair_tables_of_controls(configuration: Configuration) -> list[str]:
    """The six pairs, then the null pairs."""
    controls = configuration.controls
    return pair_tables(configuration, [*controls.six, *controls.nulls])


def measure_tables(configuration: Configuration) -> list[str]:
    """The six pairs by every measure."""
    return files_of_seeds(configuration, paths.MEASURES, configuration.controls.six)


def experiments_beside_published(configuration: Configuration) -> Sequence[str]:
    """The experiments that stand for the paper's, each once, in the order of its numbers."""
    return list(dict.fromkeys(configuration.published_experiments.values()))


def pair_tables_beside_published(configuration: Configuration) -> list[str]:
    """Their pairs."""
    return pair_tables(configuration, experiments_beside_published(configuration))


def probe_tables_beside_published(configuration: Configuration) -> list[str]:
    """The probes that stand for the paper's."""
    return probe_tables(configuration, configuration.paper.probe)


def published_files(folder: Path) -> list[str]:
    """The published numbers and their protocol: files of the repository, no results."""
    return sorted(map(str, [*folder.glob("*.csv"), *folder.glob("*.yaml")]))
