"""What a job is told: one string of JSON, which Snakemake compares to decide about a rerun.

Functions take the configuration and the names in the path of what is made.
"""

import json
from collections.abc import Iterable

from hysteresis.config.configuration import Configuration
from hysteresis.jobs.as_json import to_json
from hysteresis.plan import inputs
from hysteresis.plan.figures import figure_job
from hysteresis.plan.tables import table_job

# ---- training --------------------------------------------------------------------------------


def run_before_training(
    configuration: Configuration, condition: str, history: str, seed: int
) -> str:
    """A run as far as its initial weights depend on it."""
    return to_json(configuration.run(condition, history, seed, phases=0))


def run_at_phase(
    configuration: Configuration, condition: str, history: str, seed: int, phase: int
) -> str:
    """A run at the end of its ``phase``-th phase (from 1)."""
    return to_json(configuration.run(condition, history, seed, phases=phase))


def run_in_common_phase(
    configuration: Configuration, condition: str, history: str, seed: int
) -> str:
    """A run at whatever step of the common phase."""
    return to_json(configuration.run(condition, history, seed, relaxation=True))


# ---- one pair --------------------------------------------------------------------------------


def comparison(configuration: Configuration, experiment: str, seed: int) -> str:
    """What the pair of one seed is compared on."""
    return to_json(configuration.comparison(experiment, seed))


def pair_probe(configuration: Configuration, probe: str, seed: int) -> str:
    """What the probes of one seed's pair are."""
    return to_json(configuration.pair_probe(probe, seed))


def pair_measures(configuration: Configuration, experiment: str, seed: int) -> str:
    """By what else the pair of one seed is compared."""
    return to_json(configuration.pair_measures(experiment, seed))


def pair_sensitivity(configuration: Configuration, experiment: str, seed: int) -> str:
    """On which numbers of images the pair of one seed is compared."""
    return to_json(configuration.pair_sensitivity(experiment, seed))


# ---- several seeds ---------------------------------------------------------------------------


def changes(configuration: Configuration, experiment: str) -> tuple[int, ...]:
    """The checkpoints between which changes are tested, as options."""
    return configuration.experiments[experiment].changes


def probe_settings(configuration: Configuration, probe: str) -> str:
    """A probe as configured."""
    return to_json(configuration.probes[probe])


def table(configuration: Configuration, table: str) -> str:
    """What a printed table is made from."""
    return to_json(table_job(table, configuration))


def figure(configuration: Configuration, figure: str) -> str:
    """What a figure shows and is drawn from."""
    return to_json(figure_job(configuration, figure))


# ---- whose tables a verb pools: names, each with its seeds, in the order of the files ----------


def seeds_of_experiments(configuration: Configuration, experiments: Iterable[str]) -> str:
    """Of ``experiments``."""
    return _listed((name, configuration.experiments[name].seeds) for name in experiments)


def seeds_of_experiment(configuration: Configuration, experiment: str) -> str:
    """Of one experiment."""
    return seeds_of_experiments(configuration, [experiment])


def seeds_of_minuend(configuration: Configuration, contrast: str) -> str:
    """Of what a contrast subtracts from."""
    return seeds_of_experiment(configuration, configuration.contrasts[contrast].minuend)


def seeds_of_subtrahend(configuration: Configuration, contrast: str) -> str:
    """Of what a contrast subtracts."""
    return seeds_of_experiment(configuration, configuration.contrasts[contrast].subtrahend)


def seeds_of_probe(configuration: Configuration, probe: str) -> str:
    """Of a probe: those of its experiment."""
    return _listed(
        [(probe, configuration.experiments[configuration.probes[probe].experiment].seeds)]
    )


def seeds_of_six(configuration: Configuration) -> str:
    """Of the six pairs of two networks of either order."""
    return seeds_of_experiments(configuration, configuration.controls.six)


def seeds_of_controls(configuration: Configuration) -> str:
    """Of the six pairs, then of the null pairs."""
    controls = configuration.controls
    return seeds_of_experiments(configuration, [*controls.six, *controls.nulls])


def seeds_beside_published(configuration: Configuration) -> str:
    """Of the experiments that stand for the paper's."""
    names = inputs.experiments_beside_published(configuration)
    return seeds_of_experiments(configuration, names)


def _listed(seeds: Iterable[tuple[str, tuple[int, ...]]]) -> str:
    return json.dumps(list(seeds), separators=(",", ":"))
