"""Sources of printed tables and figures: the files of each kind, and what they must be."""

from dataclasses import dataclass

from hysteresis.config.configuration import Configuration
from hysteresis.jobs.source import Source
from hysteresis.plan import paths
from hysteresis.provenance.kinds import Kind


@dataclass(frozen=True)
class Given:
    """What is taken in one role, and the files of it: one, or one a seed."""

    source: Source
    files: tuple[str, ...]


def experiment(role: str, name: str) -> Given:
    file = paths.STATISTICS.format(experiment=name)
    return Given(Source(role, Kind.EXPERIMENT_STATISTICS, name), (file,))


def contrast(role: str, name: str) -> Given:
    return Given(
        Source(role, Kind.CONTRAST_STATISTICS, name), (paths.CONTRAST.format(contrast=name),)
    )


def probe(role: str, name: str) -> Given:
    file = paths.PROBE_STATISTICS.format(probe=name)
    return Given(Source(role, Kind.PROBE_STATISTICS, name), (file,))


def of_controls(role: str, kind: Kind, observed: str, file: str) -> Given:
    """The one file of its kind, named for the pairs of opposite orders that it is about."""
    return Given(Source(role, kind, observed), (file,))


def pairs(configuration: Configuration, name: str) -> Given:
    """The pair tables of an experiment, a file a seed."""
    seeds = configuration.experiments[name].seeds
    files = (paths.PAIR.format(experiment=name, seed=seed) for seed in seeds)
    return Given(Source("pairs", Kind.PAIR, name, seeds), tuple(files))
