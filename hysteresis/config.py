"""The whole configuration: validated once, then frozen, and asked for what each job must know."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from hysteresis import mnist
from hysteresis.comparison import Comparison, MatchSettings, Pair
from hysteresis.errors import UserError
from hysteresis.measure_specification import (
    MeasureSettings,
    PairMeasures,
    PairSensitivity,
    SensitivitySettings,
)
from hysteresis.measures import MEASURES
from hysteresis.probe_specification import PairProbe, ProbeSettings
from hysteresis.specification import (
    ImageSelection,
    InitialWeights,
    NetworkSettings,
    OptimizerSettings,
    Phase,
    Relaxation,
    Run,
    structure,
    updates_per_pass,
)


@dataclass(frozen=True)
class ComputeSettings:
    device: str = "auto"
    allow_tf32: bool = False


@dataclass(frozen=True)
class DataSettings:
    idx_folder: str | None = None


@dataclass(frozen=True)
class PhaseSettings:
    task: str
    epochs: int | None = None
    updates: int | None = None
    stream_seed_offset: int = 0


@dataclass(frozen=True)
class RelaxationSettings:
    task: str = "C"
    stream_seed_offset: int = 0


@dataclass(frozen=True)
class History:
    phases: tuple[PhaseSettings, ...]
    weights_seed_offset: int = 0
    weights_perturbation: float = 0.0
    relaxation: RelaxationSettings = RelaxationSettings()


@dataclass(frozen=True)
class Condition:
    protocol: str
    network: NetworkSettings
    optimizer: OptimizerSettings
    optimizer_state_at_relaxation: str = "reset"


@dataclass(frozen=True)
class Experiment:
    condition: str
    pair: tuple[str, str]
    seeds: tuple[int, ...]
    checkpoints: tuple[int, ...]
    changes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Contrast:
    minuend: str
    subtrahend: str


@dataclass(frozen=True)
class AnalysisSettings:
    parts: tuple[str, ...]
    probe_images_per_digit: int
    match: MatchSettings


@dataclass(frozen=True)
class PaperRoles:
    """Names of the experiments, contrast and probes that the paper's tables and figures show."""

    main: str
    long_horizon: str
    rotated: str
    activation_contrast: str
    probe: str
    secondary_probes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Controls:
    """Names of experiments: opposite orders, their noise floors, and further null pairs.

    ``experiments`` are those that only the controls need.
    """

    observed: str
    floors: tuple[str, str]
    experiments: tuple[str, ...]
    crossed: tuple[str, ...] = ()
    nulls: tuple[str, ...] = ()


@dataclass(frozen=True)
class Configuration:
    """See config/config.yaml and workflow/schemas/config.schema.yaml for every key."""

    protocols: dict[str, dict[str, ImageSelection]]
    histories: dict[str, History]
    conditions: dict[str, Condition]
    experiments: dict[str, Experiment]
    analysis: AnalysisSettings
    paper: PaperRoles
    contrasts: dict[str, Contrast] = field(default_factory=dict)
    probes: dict[str, ProbeSettings] = field(default_factory=dict)
    controls: Controls | None = None
    measures: MeasureSettings | None = None
    sensitivity: SensitivitySettings | None = None
    compute: ComputeSettings = ComputeSettings()
    data: DataSettings = DataSettings()
    pathvars: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _steps(self) -> dict[str, tuple[int, ...]]:
        steps: dict[str, set[int]] = {name: set() for name in self.conditions}
        for experiment in self.experiments.values():
            steps[experiment.condition].update(experiment.checkpoints)
        return {name: tuple(sorted(values)) for name, values in steps.items()}

    def steps(self, condition: str) -> tuple[int, ...]:
        """The chain of a condition: the checkpoints of all experiments on it, ascending."""
        return self._steps[condition]

    def step_before(self, condition: str, step: int) -> int:
        """The checkpoint of the chain that ``step`` is made from."""
        chain = self._steps[condition]
        if step not in chain or step == 0:
            raise UserError(
                f"step {step} is no checkpoint of condition {condition}; "
                "add it to the checkpoints of an experiment in the configuration"
            )
        return chain[chain.index(step) - 1]

    def run(
        self,
        condition: str,
        history: str,
        seed: int,
        phases: int | None = None,
        relaxation: bool = False,
    ) -> Run:
        """A run after its first ``phases`` phases (None: all), or within the common phase."""
        settings, story = self.conditions[condition], self.histories[history]
        tasks = self.protocols[settings.protocol]
        done = tuple(
            Phase(
                phase.task,
                tasks[phase.task],
                seed + phase.stream_seed_offset,
                phase.epochs,
                phase.updates,
            )
            for phase in story.phases[:phases]
        )
        common = Relaxation(
            story.relaxation.task,
            tasks[story.relaxation.task],
            seed + story.relaxation.stream_seed_offset,
            settings.optimizer_state_at_relaxation,
        )
        return Run(
            condition,
            history,
            seed,
            settings.network,
            InitialWeights(seed + story.weights_seed_offset, story.weights_perturbation),
            settings.optimizer if done or relaxation else None,
            done,
            common if relaxation else None,
        )

    def comparison(self, experiment: str, seed: int) -> Comparison:
        """What the pair of one seed is compared on."""
        settings = self.experiments[experiment]
        tasks = self.protocols[self.conditions[settings.condition].protocol]
        first, second = (
            self.run(settings.condition, history, seed, relaxation=True)
            for history in settings.pair
        )
        rotations = first.relaxation.images.rotations
        return Comparison(
            experiment,
            first,
            second,
            settings.checkpoints,
            ImageSelection(rotations=rotations),
            {part: tasks[part] for part in self.analysis.parts},
            ImageSelection(
                rotations=rotations, examples_per_digit=self.analysis.probe_images_per_digit
            ),
            self.analysis.match,
        )

    def pair_probe(self, probe: str, seed: int) -> PairProbe:
        """What the probes of one seed's pair are made from."""
        settings = self.probes[probe]
        compared = self.comparison(settings.experiment, seed)
        at_match = settings.step is None
        steps = compared.steps if at_match else (settings.step,)
        return PairProbe(
            Pair(settings.experiment, compared.first, compared.second, steps),
            at_match,
            settings.layer,
            replace(compared.probe, examples_per_digit=settings.largest_budget),
            compared.probe,
            compared.parts,
            settings.budgets,
            settings.head,
        )

    def pair_measures(self, experiment: str, seed: int) -> PairMeasures:
        """By what else, and on which layers, the pair of one seed is compared."""
        compared = self.comparison(experiment, seed)
        return PairMeasures(
            Pair(experiment, compared.first, compared.second, self.measures.steps),
            self.measures.layers,
            self.measures.measures or tuple(MEASURES),
            compared.probe,
        )

    def pair_sensitivity(self, experiment: str, seed: int) -> PairSensitivity:
        """On which numbers of images the pair of one seed is compared."""
        compared = self.comparison(experiment, seed)
        return PairSensitivity(
            Pair(experiment, compared.first, compared.second, (self.sensitivity.step,)),
            self.sensitivity.images,
            compared.probe.rotations,
        )

    def phase_updates(self, condition: str, history: str, phase: int) -> int:
        """Updates in the ``phase``-th phase (from 1) of a history."""
        settings = self.histories[history].phases[phase - 1]
        if settings.epochs is None:
            return settings.updates
        protocol, batch_size = self._protocol_and_batch_size(condition)
        return settings.epochs * updates_per_pass(
            number_of_images(protocol[settings.task]), batch_size
        )

    def history_updates(self, condition: str, history: str) -> int:
        """Updates in all phases of a history."""
        phases = range(1, len(self.histories[history].phases) + 1)
        return sum(self.phase_updates(condition, history, phase) for phase in phases)

    @property
    def paper_experiments(self) -> tuple[str, ...]:
        """All experiments but those that only the controls need."""
        others = () if self.controls is None else self.controls.experiments
        return tuple(name for name in self.experiments if name not in others)

    def last_steps(self, experiments: Iterable[str]) -> dict[tuple[str, str, int], int]:
        """The runs (condition, history, seed) that experiments need, and where each ends."""
        last_steps: dict[tuple[str, str, int], int] = {}
        for experiment in map(self.experiments.__getitem__, experiments):
            for history in experiment.pair:
                for seed in experiment.seeds:
                    run = (experiment.condition, history, seed)
                    last_steps[run] = max(last_steps.get(run, 0), experiment.checkpoints[-1])
        return last_steps

    def total_updates(self, experiments: Iterable[str]) -> int:
        """Updates that experiments train, shared runs once."""
        return sum(
            self.history_updates(condition, history) + last
            for (condition, history, _), last in self.last_steps(experiments).items()
        )

    def _protocol_and_batch_size(self, condition: str) -> tuple[dict[str, ImageSelection], int]:
        settings = self.conditions[condition]
        return self.protocols[settings.protocol], settings.optimizer.batch_size


def number_of_images(selection: ImageSelection) -> int:
    """How many training images of MNIST a selection has."""
    index, of = selection.share
    per_digit = (
        mnist.TRAIN_LABEL_COUNTS[digit]
        if selection.examples_per_digit is None
        else selection.examples_per_digit
        for digit in selection.digits
    )
    return len(range(index, sum(per_digit), of)) * len(selection.rotations)


def configuration_from(mapping: dict[str, Any], schema_file: Path) -> Configuration:
    """Validate a mapping (as YAML gives it) and build the configuration, or raise UserError.

    A file laid over another takes a section, or an entry of one, out by setting it to null.
    """
    mapping = _without_nulls(mapping)
    schema = yaml.safe_load(schema_file.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(mapping))
    if error is not None:
        raise UserError(f"configuration: {_place(error.absolute_path)}: {_reason(error)}")
    configuration = structure(_with_control_experiments(mapping), Configuration)
    _require_known_names(configuration)
    return configuration


def _without_nulls(entries: Any) -> Any:
    if not isinstance(entries, dict):
        return entries
    return {name: _without_nulls(entry) for name, entry in entries.items() if entry is not None}


def _with_control_experiments(mapping: dict[str, Any]) -> dict[str, Any]:
    """The experiments of the controls among all experiments, the controls with their names."""
    if "controls" not in mapping:
        return mapping
    own = mapping["controls"].get("experiments", {})
    twice = own.keys() & mapping["experiments"].keys()
    if twice:
        place = f"controls: experiments: {min(twice)}"
        raise UserError(f"configuration: {place}: an experiment has this name; choose another")
    return {
        **mapping,
        "experiments": {**mapping["experiments"], **own},
        "controls": {**mapping["controls"], "experiments": list(own)},
    }


def _place(path: Any) -> str:
    return ": ".join(str(part) for part in path) or "top level"


def _reason(error: jsonschema.ValidationError) -> str:
    description = error.schema.get("description") if isinstance(error.schema, dict) else None
    return error.message + (f" ({description})" if description else "")


def _require_known_names(configuration: Configuration) -> None:
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


def _check_experiment(configuration: Configuration, name: str, experiment: Experiment) -> None:
    place = f"experiments: {name}"
    _require(experiment.condition, configuration.conditions, f"{place}: condition")
    condition = configuration.conditions[experiment.condition]
    tasks = configuration.protocols[condition.protocol]
    for part in configuration.analysis.parts:
        _require(part, tasks, f"analysis: parts (protocol {condition.protocol})")
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


def _check_contrast(configuration: Configuration, name: str, contrast: Contrast) -> None:
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


def _check_controls(configuration: Configuration, controls: Controls) -> None:
    if len(controls.crossed) not in (0, 3):
        raise UserError("configuration: controls: crossed names all three crossed pairs, or none")
    names = (controls.observed, *controls.floors, *controls.crossed, *controls.nulls)
    for name in names:
        _require(name, configuration.experiments, "controls")
    observed, *others = (
        configuration.experiments[name]
        for name in (controls.observed, *controls.floors, *controls.crossed)
    )
    if any(other.seeds != observed.seeds for other in others):
        raise UserError(
            "configuration: controls: the floors and crossed pairs must have the seeds of "
            f"{controls.observed}, in its order"
        )
    first, second = observed.pair
    (_, first_again), (_, second_again) = (other.pair for other in others[:2])
    wanted = [(first, first_again), (second, second_again)]
    wanted += [(first, second_again), (first_again, second), (first_again, second_again)]
    if [other.pair for other in others] != wanted[: len(others)]:
        pairs = "; ".join(", ".join(pair) for pair in wanted[: len(others)])
        raise UserError(f"configuration: controls: floors and crossed must be the pairs {pairs}")


def _check_measures(configuration: Configuration, controls: Controls) -> None:
    """Of measures and sensitivity, which are made of the pairs that the controls name."""
    observed, *floors = (
        configuration.experiments[name] for name in (controls.observed, *controls.floors)
    )
    settings = configuration.measures
    if settings is not None:
        for step in settings.steps:
            for experiment in (observed, *floors):
                _require(step, experiment.checkpoints, "measures: steps")
        for name in settings.measures:
            _require(name, MEASURES, "measures: measures")
        if "measures" in configuration.experiments | configuration.contrasts:
            raise UserError(
                "configuration: an experiment or contrast is called measures, the name of the "
                "statistics of measures; rename it"
            )
    if configuration.sensitivity is not None:
        _require(configuration.sensitivity.step, observed.checkpoints, "sensitivity: step")


def _check_probe(configuration: Configuration, name: str, probe: ProbeSettings) -> None:
    place = f"probes: {name}"
    if f"probes_{name}" in configuration.experiments | configuration.contrasts:
        raise UserError(
            f"configuration: {place}: an experiment or contrast is called probes_{name}, the name "
            "of this probe's statistics; rename one of them"
        )
    _require(probe.experiment, configuration.experiments, f"{place}: experiment")
    experiment = configuration.experiments[probe.experiment]
    if probe.step is not None:
        _require(probe.step, experiment.checkpoints, f"{place}: checkpoint")
    sizes = [budget.images_per_digit for budget in probe.budgets]
    if sizes != sorted(set(sizes)):
        raise UserError(
            f"configuration: {place}: budgets must ascend in images_per_digit, not {sizes}"
        )


def _require(name: object, known: Any, place: str) -> None:
    if name not in known:
        choices = ", ".join(str(choice) for choice in known)
        raise UserError(f"configuration: {place}: {name!r} is not defined; there are: {choices}")
