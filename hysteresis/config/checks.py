"""What a schema cannot say: that every name is defined, and that what belongs together fits."""

from collections.abc import Iterable, Sequence
from typing import Any

from hysteresis.config.configuration import Configuration
from hysteresis.config.sections import Contrast, Controls, Experiment
from hysteresis.errors import UserError
from hysteresis.jobs.probe import ProbeSettings
from hysteresis.measures.registry import MEASURES
from hysteresis.pairs.columns import PairColumns
from hysteresis.training.layers import ARCHITECTURES, Architecture

_PATH_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-")


def require_consistent(configuration: Configuration) -> None:
    """Raise UserError, with its place, for the first thing that does not fit."""
    for variable, path in configuration.pathvars.items():
        _check_path(path, f"pathvars: {variable}")
    _check_idx_folder(configuration.data.idx_folder)
    _check_names(configuration)
    for name, condition in configuration.conditions.items():
        place = f"conditions: {name}"
        _require(condition.protocol, configuration.protocols, f"{place}: protocol")
        architecture = condition.network.architecture
        _require(architecture, ARCHITECTURES, f"{place}: network: architecture")
    for name, experiment in configuration.experiments.items():
        _check_experiment(configuration, name, experiment)
    for name, contrast in configuration.contrasts.items():
        _check_contrast(configuration, name, contrast)
    for name, probe in configuration.probes.items():
        _check_probe(configuration, name, probe)
    _check_roles(configuration)
    if configuration.controls is not None:
        _check_controls(configuration, configuration.controls)
    _check_measures(configuration)


# ---- paths and names -------------------------------------------------------------------------


def _check_path(path: str, place: str) -> None:
    """Paths go into shell commands, and Snakemake compares them letter by letter."""
    if not path or not _PATH_CHARACTERS.issuperset(path):
        raise _error(place, f"{path!r} may hold only letters, digits and . _ / + -")
    parts = path.removeprefix("/").split("/")
    if path.startswith("-") or not {"", ".", ".."}.isdisjoint(parts):
        raise _error(
            place, f"{path!r} may not begin with -, end with / or hold //, . or .. as a folder"
        )


def _check_idx_folder(folder: str | None) -> None:
    if folder is not None and (not folder.isprintable() or folder.startswith("-") or not folder):
        raise _error("data: idx_folder", f"{folder!r} is no folder's name; begin it with ./ or /")


def _check_names(configuration: Configuration) -> None:
    """Names become files and, in lower case, columns: case alone tells none apart."""
    named = {
        "protocols": configuration.protocols,
        "histories": configuration.histories,
        "conditions": configuration.conditions,
        "experiments": configuration.experiments,
        "contrasts": configuration.contrasts,
        "probes": configuration.probes,
    }
    named |= {f"protocols: {name}": tasks for name, tasks in configuration.protocols.items()}
    for place, names in named.items():
        alike: dict[str, str] = {}
        for name in names:
            other = alike.setdefault(name.lower(), name)
            if other != name:
                raise _error(place, f"{other} and {name} differ in case only; rename one of them")


# ---- what experiments, contrasts and probes name ---------------------------------------------


def _check_experiment(configuration: Configuration, name: str, experiment: Experiment) -> None:
    place = f"experiments: {name}"
    _require(experiment.condition, configuration.conditions, f"{place}: condition")
    protocol = configuration.conditions[experiment.condition].protocol
    tasks = configuration.protocols[protocol]
    for part in configuration.analysis.parts:
        _require(part, tasks, f"analysis: parts (protocol {protocol})")
    for history in experiment.pair:
        _require(history, configuration.histories, f"{place}: pair")
        settings = configuration.histories[history]
        for task in (*(phase.task for phase in settings.phases), settings.relaxation.task):
            _require(task, tasks, f"histories: {history}: task (protocol {protocol})")
    _check_common_task(configuration, experiment, place)
    architecture = _architecture(configuration, experiment)
    columns = PairColumns(experiment.pair, configuration.analysis.parts, architecture)
    columns.require_distinct(f"{place}: pair")
    if experiment.checkpoints[0] != 0:
        raise _error(f"{place}: checkpoints", f"must begin with 0, not {experiment.checkpoints[0]}")
    _require_ascending(experiment.checkpoints, f"{place}: checkpoints")
    _require_ascending(experiment.changes, f"{place}: changes")
    for step in experiment.changes:
        _require(step, experiment.checkpoints, f"{place}: changes")


def _check_common_task(configuration: Configuration, experiment: Experiment, place: str) -> None:
    """One common task for both histories, whose images at all rotations of the parts are tested."""
    first, second = (configuration.histories[name].relaxation.task for name in experiment.pair)
    if first != second:
        raise _error(
            f"{place}: pair",
            f"{', '.join(experiment.pair)} have different common tasks, {first} and {second}; "
            "give both histories the same relaxation: task",
        )
    protocol = configuration.conditions[experiment.condition].protocol
    tasks = configuration.protocols[protocol]
    for part in configuration.analysis.parts:
        missing = [turn for turn in tasks[part].rotations if turn not in tasks[first].rotations]
        if missing:
            raise _error(
                f"analysis: parts (protocol {protocol})",
                f"{part} has a rotation of {missing[0]} degrees, which the common task {first} "
                "lacks: it would have no test images; leave the part out",
            )


def _check_contrast(configuration: Configuration, name: str, contrast: Contrast) -> None:
    place = f"contrasts: {name}"
    for side in (contrast.minuend, contrast.subtrahend):
        _require(side, configuration.experiments, place)
    minuend = configuration.experiments[contrast.minuend]
    subtrahend = configuration.experiments[contrast.subtrahend]
    if minuend.seeds != subtrahend.seeds or minuend.checkpoints != subtrahend.checkpoints:
        raise _error(place, "its two experiments must have the same seeds and checkpoints")


def _check_probe(configuration: Configuration, name: str, probe: ProbeSettings) -> None:
    place = f"probes: {name}"
    _require(probe.experiment, configuration.experiments, f"{place}: experiment")
    experiment = configuration.experiments[probe.experiment]
    _require(probe.layer, _architecture(configuration, experiment).hidden, f"{place}: layer")
    if probe.checkpoint is not None:
        _require(probe.checkpoint, experiment.checkpoints, f"{place}: checkpoint")
    sizes = [budget.images_per_class for budget in probe.budgets]
    _require_ascending(sizes, f"{place}: budgets: images_per_class")


def _check_roles(configuration: Configuration) -> None:
    roles = configuration.paper
    for role in ("main", "long_horizon", "rotated"):
        if getattr(roles, role) is not None:
            _require(getattr(roles, role), configuration.experiments, f"paper: {role}")
    if roles.activation_contrast is not None:
        _require(roles.activation_contrast, configuration.contrasts, "paper: activation_contrast")
    _require(roles.probe, configuration.probes, "paper: probe")
    for probe in roles.secondary_probes:
        _require(probe, configuration.probes, "paper: secondary_probes")


# ---- controls --------------------------------------------------------------------------------


def _check_controls(configuration: Configuration, controls: Controls) -> None:
    for name in (*controls.six, *controls.nulls):
        _require(name, configuration.experiments, "controls")
    observed, *others = (
        configuration.experiments[name]
        for name in (controls.observed, *controls.floors, *controls.crossed)
    )
    rows = (observed.seeds, observed.checkpoints)
    if any((other.seeds, other.checkpoints) != rows for other in others):
        raise _error(
            "controls",
            "the floors and crossed pairs must have the seeds and checkpoints of "
            f"{controls.observed}, in its order",
        )
    first, second = observed.pair
    (_, first_again), (_, second_again) = (other.pair for other in others[:2])
    wanted = [(first, first_again), (second, second_again)]
    wanted += [(first, second_again), (first_again, second), (first_again, second_again)]
    if [other.pair for other in others] != wanted:
        pairs = "; ".join(", ".join(pair) for pair in wanted)
        raise _error("controls", f"floors and crossed must be the pairs {pairs}")


def _check_measures(configuration: Configuration) -> None:
    """Of measures and sensitivity, which are made of the pairs that the controls name."""
    measures, sensitivity = configuration.measures, configuration.sensitivity
    if configuration.controls is None:
        for section, settings in (("measures", measures), ("sensitivity", sensitivity)):
            if settings is not None:
                raise _error(
                    section,
                    f"is made of the pairs of controls, which is null; set {section}: null as well",
                )
        return
    observed = configuration.experiments[configuration.controls.observed]
    checkpoints = observed.checkpoints
    if measures is not None:
        _require_ascending(measures.steps, "measures: steps")
        for step in measures.steps:
            _require(step, checkpoints, "measures: steps")
        for name in measures.measures:
            _require(name, MEASURES, "measures: measures")
        for layer in measures.layers:
            _require(layer, _architecture(configuration, observed).views, "measures: layers")
    if sensitivity is not None:
        _require_ascending(sensitivity.images, "sensitivity: images")
        _require(sensitivity.step, checkpoints, "sensitivity: step")


# ---- shared ----------------------------------------------------------------------------------


def _architecture(configuration: Configuration, experiment: Experiment) -> Architecture:
    return ARCHITECTURES[configuration.conditions[experiment.condition].network.architecture]


def _require(name: object, known: Iterable[Any], place: str) -> None:
    if name not in known:
        choices = ", ".join(map(str, known))
        raise _error(place, f"{name!r} is not defined; there are: {choices}")


def _require_ascending(values: Sequence[int], place: str) -> None:
    if list(values) != sorted(set(values)):
        raise _error(place, f"must ascend, not {', '.join(map(str, values))}")


def _error(place: str, reason: str) -> UserError:
    return UserError(f"configuration: {place}: {reason}")
