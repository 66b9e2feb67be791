"""Which printed table is made from which files: a row a table."""

from collections.abc import Callable, Sequence

from hysteresis.config.configuration import Configuration
from hysteresis.jobs.printed import TableJob
from hysteresis.jobs.source import Source
from hysteresis.plan import paths
from hysteresis.plan.sources import Given, contrast, experiment, of_controls, probe
from hysteresis.provenance.kinds import Kind

PAPER_TABLES = ("table1", "table1_supplement", "table2")
WITH_MATCH = ("table2",)  # they state the criterion of the behavioural match


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


# ---- tables ----------------------------------------------------------------------------------


def _table1(configuration: Configuration) -> list[Given]:
    return [probe("main", configuration.paper.probe)]


def _table1_supplement(configuration: Configuration) -> list[Given]:
    secondary = configuration.paper.secondary_probes
    return [*_table1(configuration), *(probe("secondary", name) for name in secondary)]


def _table2(configuration: Configuration) -> list[Given]:
    """Of the roles that are filled."""
    paper = configuration.paper
    roles = {"main": paper.main, "long_horizon": paper.long_horizon, "rotated": paper.rotated}
    given = [experiment(role, name) for role, name in roles.items() if name is not None]
    if paper.activation_contrast is not None:
        given.append(contrast("contrast", paper.activation_contrast))
    return given


def _table3(configuration: Configuration) -> list[Given]:
    observed = configuration.controls.observed
    return [
        of_controls("controls", Kind.CONTROLS, observed, paths.CONTROLS),
        of_controls("partition", Kind.PARTITION, observed, paths.PARTITION),
        of_controls("power", Kind.POWER, observed, paths.POWER),
    ]


def _measures(configuration: Configuration) -> list[Given]:
    observed = configuration.controls.observed
    kind = Kind.MEASURE_STATISTICS
    return [of_controls("statistics", kind, observed, paths.MEASURE_STATISTICS)]


def _sensitivity(configuration: Configuration) -> list[Given]:
    """A file a seed."""
    name = configuration.controls.observed
    seeds = configuration.experiments[name].seeds
    files = (paths.SENSITIVITY.format(experiment=name, seed=seed) for seed in seeds)
    return [Given(Source("sensitivity", Kind.SENSITIVITY, name, seeds), tuple(files))]


_ROWS: dict[str, Callable[[Configuration], Sequence[Given]]] = {
    "table1": _table1,
    "table1_supplement": _table1_supplement,
    "table2": _table2,
    "table3": _table3,
    "measures": _measures,
    "sensitivity": _sensitivity,
}
