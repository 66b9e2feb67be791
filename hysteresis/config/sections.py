"""The sections of the configuration as frozen dataclasses: what a user writes, with defaults."""

from dataclasses import dataclass

from hysteresis.jobs.pair import MatchSettings
from hysteresis.jobs.run import NetworkSettings, OptimizerSettings


@dataclass(frozen=True)
class DataSettings:
    """Where MNIST comes from: a folder with its four IDX files, or None to download them."""

    idx_folder: str | None = None


@dataclass(frozen=True)
class PhaseSettings:
    """A phase of a history: a task of the protocol, for so many epochs or for so many updates.

    The seed of its stream is that of the run plus ``stream_seed_offset``.
    """

    task: str
    epochs: int | None = None
    updates: int | None = None
    stream_seed_offset: int = 0


@dataclass(frozen=True)
class RelaxationSettings:
    """The common phase of a history: its task, and the offset of its stream's seed."""

    task: str = "C"
    stream_seed_offset: int = 0


@dataclass(frozen=True)
class History:
    """A sequence of phases, then the common phase.

    The seed of the initial weights is that of the run plus ``weights_seed_offset``;
    ``weights_perturbation`` is the relative standard deviation of the noise on the first layer.
    ``replays`` names the history that this one repeats, with equal phases and equal seeds: what
    its runs differ in is not by design. None: its networks are its own.
    """

    phases: tuple[PhaseSettings, ...]
    weights_seed_offset: int = 0
    weights_perturbation: float = 0.0
    relaxation: RelaxationSettings = RelaxationSettings()
    replays: str | None = None


@dataclass(frozen=True)
class Condition:
    """Everything about training but the history and the seed.

    ``optimizer_state_at_relaxation`` says what becomes of the momentum when the common phase
    begins: ``reset`` or ``preserve``. The layers named in ``reinitialised_at_relaxation``, such as
    fc2, are then drawn anew, alike in both histories.
    """

    protocol: str
    network: NetworkSettings
    optimizer: OptimizerSettings
    optimizer_state_at_relaxation: str = "reset"
    reinitialised_at_relaxation: tuple[str, ...] = ()


@dataclass(frozen=True)
class Experiment:
    """A pair of histories under a condition, compared for each of ``seeds``.

    ``checkpoints`` are updates of the common phase, ascending from 0. Between each two of
    ``changes``, which are some of them, the change of the pair is tested.
    """

    condition: str
    pair: tuple[str, str]
    seeds: tuple[int, ...]
    checkpoints: tuple[int, ...]
    changes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Contrast:
    """The difference of two experiments, ``minuend`` minus ``subtrahend``, seed by seed."""

    minuend: str
    subtrahend: str


@dataclass(frozen=True)
class AnalysisSettings:
    """On what test images every pair is compared, and when it counts as a behavioural match.

    ``parts`` are tasks whose test images are also scored apart. Representations are compared on
    the first ``probe_images_per_class`` test images of each class.
    """

    parts: tuple[str, ...]
    probe_images_per_class: int
    match: MatchSettings


@dataclass(frozen=True)
class PaperRoles:
    """Names of the experiments, contrast and probes that the paper's tables and figures show.

    Rows and figures of a role that is None are left out.
    """

    main: str
    probe: str
    long_horizon: str | None = None
    rotated: str | None = None
    activation_contrast: str | None = None
    secondary_probes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Controls:
    """Names of experiments: the six pairs of two networks of either order, and further null pairs.

    With 0 and 2 the histories of ``observed``, 1 and 3 their reshufflings, ``floors`` are the pairs
    01 and 23, ``crossed`` 03, 12 and 13. ``experiments`` are those that only the controls need.
    """

    observed: str
    floors: tuple[str, str]
    crossed: tuple[str, str, str]
    experiments: tuple[str, ...]
    nulls: tuple[str, ...] = ()

    @property
    def six(self) -> tuple[str, ...]:
        """The six pairs in the order 01, 02, 03, 12, 13, 23."""
        first_floor, second_floor = self.floors
        return (first_floor, self.observed, *self.crossed, second_floor)
