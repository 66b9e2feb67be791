"""What a schema cannot say: that every name is defined, and that what belongs together fits."""

from typing import TYPE_CHECKING, Any

from hysteresis.config.sections import Contrast, Controls, Experiment
from hysteresis.errors import UserError
from hysteresis.jobs.probe import ProbeSettings
from hysteresis.measures.registry import MEASURES
from hysteresis.pairs.columns import PairColumns
from hysteresis.training.layers import Architecture, architecture_named

if TYPE_CHECKING:
    from hysteresis.config.configuration import Configuration


def require_known_names(configuration: "Configuration") -> None:
    for protocol, tasks in configuration.protocols.items():
        for task, selection in tasks.items():
            index, of = selection.share
            if index >= of:
                place = f"protocols: {protocol}: {task}: share"
                raise UserError(f"configuration: {place}: index {index} must be below {of}")
    for name, condition in configuration.conditions.items():
        _require(condition.protocol, configuration.protocols, f"conditions: {name}: protocol")
    for name, experiment in configuration.experiments.items():
        _check_experiment(configuration, name, experiment)
    for name, contrast in configuration.contrasts.items():
        _check_contrast(configuration, name, contrast)
    for name, probe in configuration.probes.items():
        _check_probe(configuration, name, probe)
    roles = configuration.paper
    for role in ("main", "long_horizon", "rotated"):
        _require(getattr(roles, role), configuration.experiments, f"paper: {role}")
    _require(roles.activation_contrast, configuration.contrasts, "paper: activation_contrast")
    _require(roles.probe, configuration.probes, "paper: probe")
    for probe in roles.secondary_probes:
        _require(probe, configuration.probes, "paper: secondary_probes")
    if configuration.controls is not None:
        _check_controls(configuration, configuration.controls)
        _check_measures(configuration, configuration.controls)


def _check_experiment(configuration: "Configuration", name: str, experiment: Experiment) -> None:
    place = f"experiments: {name}"
    _require(experiment.condition, configuration.conditions, f"{place}: condition")
    condition = configuration.conditions[experiment.condition]
    tasks = configuration.protocols[condition.protocol]
    for part in configuration.analysis.parts:
        _require(part, tasks, f"analysis: parts (protocol {condition.protocol})")
    architecture = architecture_named(condition.network.architecture)
    columns = PairColumns(experiment.pair, configuration.analysis.parts, architecture)
    columns.require_distinct(f"{place}: pair")
    for history in experiment.pair:
        _require(history, configuration.histories, f"{place}: pair")
        story = configuration.histories[history]
        for task in (*(phase.task for phase in story.phases), story.relaxation.task):
            _require(task, tasks, f"histories: {history}: task (protocol {condition.protocol})")
    steps = experiment.checkpoints
    if steps[0] != 0 or list(steps) != sorted(steps):
        raise UserError(f"configuration: {place}: checkpoints must ascend from 0, not {steps}")
    for step in experiment.changes:
        _require(step, steps, f"{place}: changes")


def _check_contrast(configuration: "Configuration", name: str, contrast: Contrast) -> None:
    place = f"contrasts: {name}"
    if name in configuration.experiments:
        raise UserError(f"configuration: {place}: an experiment has this name; choose another")
    for side in (contrast.minuend, contrast.subtrahend):
        _require(side, configuration.experiments, place)
    minuend = configuration.experiments[contrast.minuend]
    subtrahend = configuration.experiments[contrast.subtrahend]
    if minuend.seeds != subtrahend.seeds or minuend.checkpoints != subtrahend.checkpoints:
        raise UserError(
            f"configuration: {place}: its two experiments must have the same seeds and checkpoints"
        )


def _check_controls(configuration: "Configuration", controls: Controls) -> None:
    names = (controls.observed, *controls.floors, *controls.crossed, *controls.nulls)
    for name in names:
        _require(name, configuration.experiments, "controls")
    observed, *others = (
        configuration.experiments[name]
        for name in (controls.observed, *controls.floors, *controls.crossed)
    )
    rows = (observed.seeds, observed.checkpoints)
    if any((other.seeds, other.checkpoints) != rows for other in others):
        raise UserError(
            "configuration: controls: the floors and crossed pairs must have the seeds and "
            f"checkpoints of {controls.observed}, in its order"
        )
    first, second = observed.pair
    (_, first_again), (_, second_again) = (other.pair for other in others[:2])
    wanted = [(first, first_again), (second, second_again)]
    wanted += [(first, second_again), (first_again, second), (first_again, second_again)]
    if [other.pair for other in others] != wanted:
        pairs = "; ".join(", ".join(pair) for pair in wanted)
        raise UserError(f"configuration: controls: floors and crossed must be the pairs {pairs}")


def _check_measures(configuration: "Configuration", controls: Controls) -> None:
    """Of measures and sensitivity, which are made of the pairs that the controls name."""
    observed = configuration.experiments[controls.observed]
    settings = configuration.measures
    if settings is not None:
        for step in settings.steps:
            _require(step, observed.checkpoints, "measures: steps")
        for name in settings.measures:
            _require(name, MEASURES, "measures: measures")
        for layer in settings.layers:
            _require(layer, _architecture(configuration, observed).views, "measures: layers")
        if "measures" in configuration.experiments | configuration.contrasts:
            raise UserError(
                "configuration: an experiment or contrast is called measures, the name of the "
                "statistics of measures; rename it"
            )
    if configuration.sensitivity is not None:
        _require(configuration.sensitivity.step, observed.checkpoints, "sensitivity: step")


def _check_probe(configuration: "Configuration", name: str, probe: ProbeSettings) -> None:
    place = f"probes: {name}"
    if f"probes_{name}" in configuration.experiments | configuration.contrasts:
        raise UserError(
            f"configuration: {place}: an experiment or contrast is called probes_{name}, the name "
            "of this probe's statistics; rename one of them"
        )
    _require(probe.experiment, configuration.experiments, f"{place}: experiment")
    experiment = configuration.experiments[probe.experiment]
    _require(probe.layer, _architecture(configuration, experiment).hidden, f"{place}: layer")
    if probe.step is not None:
        _require(probe.step, experiment.checkpoints, f"{place}: checkpoint")
    sizes = [budget.images_per_class for budget in probe.budgets]
    if sizes != sorted(set(sizes)):
        raise UserError(
            f"configuration: {place}: budgets must ascend in images_per_class, not {sizes}"
        )


def _architecture(configuration: "Configuration", experiment: Experiment) -> Architecture:
    return architecture_named(configuration.conditions[experiment.condition].network.architecture)


def _require(name: object, known: Any, place: str) -> None:
    if name not in known:
        choices = ", ".join(str(choice) for choice in known)
        raise UserError(f"configuration: {place}: {name!r} is not defined; there are: {choices}")
