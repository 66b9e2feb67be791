"""Which printed table is made from which files: a row a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hysteresis.config.configuration import Configuration
from hysteresis.jobs.table import Source, TableJob
from hysteresis.plan import paths
from hysteresis.provenance.kinds import Kind

PAPER_TABLES = ("table1", "table1_supplement", "table2")
WITH_MATCH = ("table2",)  # they state the criterion of the behavioural match


@dataclass(frozen=True)
class _Input:
    """What a table takes in one role, and the files of it: one, or one a seed."""

    source: Source
    files: tuple[str, ...]


def control_tables(configuration: Configuration) -> tuple[str, ...]:
    """The tables beyond the paper, as far as their sections are configured."""
    sections = {
        "table3": configuration.controls,
        "measures": configuration.measures,
        "sensitivity": configuration.sensitivity,
    }
    if configuration.controls is None:
        return ()
    return tuple(table for table, section in sections.items() if section is not None)


def known_tables(configuration: Configuration) -> tuple[str, ...]:
    """Every table that can be printed."""
    return (*PAPER_TABLES, *control_tables(configuration))


def table_inputs(table: str, configuration: Configuration) -> list[str]:
    """The files that a table is made from, in the order of its job's sources."""
    return [file for each in _ROWS[table](configuration) for file in each.files]


def table_job(table: str, configuration: Configuration) -> TableJob:
    """What its job is told of them."""
    sources = tuple(each.source for each in _ROWS[table](configuration))
    return TableJob(sources, configuration.analysis.match if table in WITH_MATCH else None)


# ---- inputs by kind --------------------------------------------------------------------------


def _experiment(role: str, name: str) -> _Input:
    file = paths.STATISTICS.format(experiment=name)
    return _Input(Source(role, Kind.EXPERIMENT_STATISTICS, name), (file,))


def _contrast(role: str, name: str) -> _Input:
    return _Input(
        Source(role, Kind.CONTRAST_STATISTICS, name), (paths.CONTRAST.format(contrast=name),)
    )


def _probe(role: str, name: str) -> _Input:
    file = paths.PROBE_STATISTICS.format(probe=name)
    return _Input(Source(role, Kind.PROBE_STATISTICS, name), (file,))


def _of_controls(role: str, kind: Kind, observed: str, file: str) -> _Input:
    """The one file of its kind, named for the pairs of opposite orders that it is about."""
    return _Input(Source(role, kind, observed), (file,))


# ---- tables ----------------------------------------------------------------------------------


def _table1(configuration: Configuration) -> list[_Input]:
    return [_probe("main", configuration.paper.probe)]


def _table1_supplement(configuration: Configuration) -> list[_Input]:
    secondary = configuration.paper.secondary_probes
    return [*_table1(configuration), *(_probe("secondary", name) for name in secondary)]


def _table2(configuration: Configuration) -> list[_Input]:
    paper = configuration.paper
    return [
        _experiment("main", paper.main),
        _experiment("long_horizon", paper.long_horizon),
        _experiment("rotated", paper.rotated),
        _contrast("contrast", paper.activation_contrast),
    ]


def _table3(configuration: Configuration) -> list[_Input]:
    observed = configuration.controls.observed
    return [
        _of_controls("controls", Kind.CONTROLS, observed, paths.CONTROLS),
        _of_controls("partition", Kind.PARTITION, observed, paths.PARTITION),
        _of_controls("power", Kind.POWER, observed, paths.POWER),
    ]


def _measures(configuration: Configuration) -> list[_Input]:
    observed = configuration.controls.observed
    kind = Kind.MEASURE_STATISTICS
    return [_of_controls("statistics", kind, observed, paths.MEASURE_STATISTICS)]


def _sensitivity(configuration: Configuration) -> list[_Input]:
    """A file a seed."""
    name = configuration.controls.observed
    seeds = configuration.experiments[name].seeds
    files = (paths.SENSITIVITY.format(experiment=name, seed=seed) for seed in seeds)
    return [_Input(Source("sensitivity", Kind.SENSITIVITY, name, seeds), tuple(files))]


_ROWS: dict[str, Callable[[Configuration], Sequence[_Input]]] = {
    "table1": _table1,
    "table1_supplement": _table1_supplement,
    "table2": _table2,
    "table3": _table3,
    "measures": _measures,
    "sensitivity": _sensitivity,
}
