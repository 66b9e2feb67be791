"""The whole configuration: validated once, then frozen, and asked for what each job must know."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property

from hysteresis.config.sections import (
    AnalysisSettings,
    Condition,
    Contrast,
    Controls,
    DataSettings,
    Experiment,
    History,
    PaperRoles,
)
from hysteresis.data import facts
from hysteresis.errors import UserError
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.measures import (
    MeasureSettings,
    PairMeasures,
    PairSensitivity,
    SensitivitySettings,
)
from hysteresis.jobs.pair import Comparison, Pair
from hysteresis.jobs.probe import PairProbe, ProbeSettings
from hysteresis.jobs.run import (
    ImageSelection,
    InitialWeights,
    Phase,
    Relaxation,
    Run,
    updates_per_pass,
)
from hysteresis.measures.registry import MEASURES

# Layers drawn anew must not be drawn as at first: the same for both histories of a pair.
REINITIALISATION_OFFSET = 2_000_000


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
    compute: Compute = field(default_factory=Compute)
    data: DataSettings = field(default_factory=DataSettings)
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
        settings, sequence = self.conditions[condition], self.histories[history]
        tasks = self.protocols[settings.protocol]
        done = tuple(
            Phase(
                phase.task,
                tasks[phase.task],
                seed + phase.stream_seed_offset,
                phase.epochs,
                phase.updates,
            )
            for phase in sequence.phases[:phases]
        )
        common = Relaxation(
            sequence.relaxation.task,
            tasks[sequence.relaxation.task],
            seed + sequence.relaxation.stream_seed_offset,
            settings.optimizer_state_at_relaxation,
            settings.reinitialised_at_relaxation,
            seed + REINITIALISATION_OFFSET if settings.reinitialised_at_relaxation else 0,
        )
        data_set = facts.data_set(common.images.data_set)
        network = replace(
            settings.network, image_shape=data_set.image_shape, classes=data_set.classes
        )
        return Run(
            condition,
            history,
            seed,
            network,
            InitialWeights(seed + sequence.weights_seed_offset, sequence.weights_perturbation),
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
        shown = first.relaxation.images
        test = ImageSelection(
            classes=tuple(range(facts.data_set(shown.data_set).classes)),
            rotations=shown.rotations,
            data_set=shown.data_set,
        )
        return Comparison(
            experiment,
            first,
            second,
            settings.checkpoints,
            test,
            {part: tasks[part] for part in self.analysis.parts},
            replace(test, examples_per_class=self.analysis.probe_images_per_class),
            self.analysis.match,
        )

    def pair_probe(self, probe: str, seed: int) -> PairProbe:
        """What the probes of one seed's pair are made from."""
        settings = self.probes[probe]
        compared = self.comparison(settings.experiment, seed)
        steps = compared.steps if settings.at_match else (settings.checkpoint,)
        return PairProbe(
            Pair(settings.experiment, compared.first, compared.second, steps),
            settings.at_match,
            settings.layer,
            replace(compared.probe, examples_per_class=settings.largest_budget),
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
            chance=experiment == self.controls.observed,
        )

    def pair_sensitivity(self, experiment: str, seed: int) -> PairSensitivity:
        """On which numbers of images the pair of one seed is compared."""
        compared = self.comparison(experiment, seed)
        return PairSensitivity(
            Pair(experiment, compared.first, compared.second, (self.sensitivity.step,)),
            self.sensitivity.images,
            compared.test,
        )

    def phase_updates(self, condition: str, history: str, phase: int) -> int:
        """Updates in the ``phase``-th phase (from 1) of a hisequence."""
        settings = self.histories[history].phases[phase - 1]
        if settings.epochs is None:
            return settings.updates
        protocol, batch_size = self._protocol_and_batch_size(condition)
        return settings.epochs * updates_per_pass(
            number_of_images(protocol[settings.task]), batch_size
        )

    def history_updates(self, condition: str, history: str) -> int:
        """Updates in all phases of a hisequence."""
        phases = range(1, len(self.histories[history].phases) + 1)
        return sum(self.phase_updates(condition, history, phase) for phase in phases)

    @property
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets that the tasks of all protocols are of, sorted."""
        tasks = (task for protocol in self.protocols.values() for task in protocol.values())
        return tuple(sorted({task.data_set for task in tasks}))

    @property
    def paper_experiments(self) -> tuple[str, ...]:
        """All experiments but those that only the controls need."""
        others = () if self.controls is None else self.controls.experiments
        return tuple(name for name in self.experiments if name not in others)

    @property
    def published_experiments(self) -> dict[str, str]:
        """The experiment that stands for each of the paper's, by the record's name of it."""
        paper = self.paper
        roles = {"main": paper.main, "long": paper.long_horizon, "rotated": paper.rotated}
        if paper.activation_contrast is not None:
            contrast = self.contrasts[paper.activation_contrast]
            roles |= {"activation_relu": contrast.subtrahend}
            roles |= {"activation_leaky_relu": contrast.minuend}
        return {role: name for role, name in roles.items() if name is not None}

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
    """How many training images a selection has."""
    index, of = selection.share
    counts = facts.data_set(selection.data_set).label_counts["train"]
    per_class = (
        counts[label] if selection.examples_per_class is None else selection.examples_per_class
        for label in selection.classes
    )
    return len(range(index, sum(per_class), of)) * len(selection.rotations)
