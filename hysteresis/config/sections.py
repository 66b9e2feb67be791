"""The sections of the configuration as frozen dataclasses: what a user writes, with defaults."""

from dataclasses import dataclass

from hysteresis.jobs.pair import MatchSettings
from hysteresis.jobs.run import NetworkSettings, OptimizerSettings


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
    probe_images_per_class: int
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
    """Names of experiments: the six pairs of two networks of either order, and further null pairs.

    With 0 and 2 the histories of ``observed``, 1 and 3 their reshufflings, ``floors`` are the pairs
    01 and 23, ``crossed`` 03, 12 and 13. ``experiments`` are those that only the controls need.
    """

    observed: str
    floors: tuple[str, str]
    crossed: tuple[str, str, str]
    experiments: tuple[str, ...]
    nulls: tuple[str, ...] = ()
