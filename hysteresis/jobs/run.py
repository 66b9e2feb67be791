"""What exactly one training run is: frozen, explicit, and the same bytes as JSON.

A job of the workflow is told everything that decides its result in one JSON string and nothing
else. That string is what Snakemake compares to decide about a rerun, so a specification never
holds what a stage does not depend on (other seeds, other tasks, analysis settings)."""

from dataclasses import dataclass, field

ALL_CLASSES = tuple(range(10))


@dataclass(frozen=True)
class ImageSelection:
    """Which images of a data set, in which order: rotation by rotation, then

    - in data-set order those whose label is in ``classes``, or
    - with ``examples_per_class`` the first so many of each class, listed class by class.

    ``share`` (index, of) takes every ``of``-th image of those from ``index`` on: two halves of a
    task are the shares (0, 2) and (1, 2). ``rotations`` are in degrees, counter-clockwise,
    multiples of 90 (exact: no interpolation).
    """

    classes: tuple[int, ...] = ALL_CLASSES
    rotations: tuple[int, ...] = (0,)
    examples_per_class: int | None = None
    share: tuple[int, int] = (0, 1)
    data_set: str = "mnist"


@dataclass(frozen=True)
class NetworkSettings:
    """The network: its module in hysteresis/training/networks, and what that is built from.

    LeakyReLU has ``negative_slope``, ReLU ignores it. ``image_shape`` (channels, height, width)
    and ``classes`` are those of the data set.
    """

    architecture: str = "convolutional"
    activation: str = "relu"
    negative_slope: float = 0.01
    channels: tuple[int, int] = (32, 64)
    hidden: int = 128
    image_shape: tuple[int, int, int] = (1, 28, 28)
    classes: int = 10


@dataclass(frozen=True)
class OptimizerSettings:
    """SGD on the mean cross-entropy of a minibatch."""

    learning_rate: float
    momentum: float = 0.9
    weight_decay: float = 0.0
    batch_size: int = 128


@dataclass(frozen=True)
class InitialWeights:
    """PyTorch's default initialisation of the layers in order, after ``manual_seed(seed)``.

    With ``perturbation`` > 0 each weight w of the first layer becomes w (1 + perturbation z), z
    standard normal from a generator of its own with the same seed.
    """

    seed: int
    perturbation: float = 0.0


@dataclass(frozen=True)
class Phase:
    """One phase of a history: a task, its stream's seed, and its length in epochs or updates."""

    task: str
    images: ImageSelection
    stream_seed: int
    epochs: int | None = None
    updates: int | None = None


@dataclass(frozen=True)
class Relaxation:
    """The long common phase: every pass over its images has the same order.

    ``optimizer_state`` says what becomes of the momentum when it begins: ``reset`` or ``preserve``.
    The layers named in ``reinitialised`` begin it as newly drawn from ``reinitialisation_seed``,
    without momentum.
    """

    task: str
    images: ImageSelection
    stream_seed: int
    optimizer_state: str = "reset"
    reinitialised: tuple[str, ...] = ()
    reinitialisation_seed: int = 0


@dataclass(frozen=True)
class Run:
    """One network's training up to some point.

    ``phases`` are those completed at that point, ``relaxation`` is None until the common phase
    begins: so the specification of a stage names only what that stage depends on.
    """

    condition: str
    history: str
    seed: int
    network: NetworkSettings
    weights: InitialWeights
    optimizer: OptimizerSettings | None = None
    phases: tuple[Phase, ...] = field(default=())
    relaxation: Relaxation | None = None

    @property
    def data_sets(self) -> tuple[str, ...]:
        """Names of the data sets that it is trained on, sorted."""
        segments = (*self.phases, *([self.relaxation] if self.relaxation else []))
        return tuple(sorted({segment.images.data_set for segment in segments}))

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules that its jobs load by name: no other network or data set concerns it."""
        sets = (f"hysteresis.data.sets.{name}" for name in self.data_sets)
        return (f"hysteresis.training.networks.{self.network.architecture}", *sets)


def updates_per_pass(count: int, batch_size: int) -> int:
    """Minibatches in a pass over ``count`` images when the short last one is kept."""
    return -(-count // batch_size)
