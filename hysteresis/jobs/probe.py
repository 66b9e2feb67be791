"""What exactly the linear probes of one pair of runs are: configured once, told to each job."""

from dataclasses import dataclass

from hysteresis.jobs.pair import Pair
from hysteresis.jobs.run import ImageSelection


@dataclass(frozen=True)
class HeadSettings:
    """Plain SGD on the mean cross-entropy of a minibatch; the last one of an epoch is short.

    The defaults are the paper's.
    """

    learning_rate: float = 0.01
    batch_size: int = 128
    epochs: int = 20


@dataclass(frozen=True)
class Budget:
    """The first so many training images of each digit, and the seeds of the heads they train.

    The first seed is that of the primary analysis; with several, their mean within each model
    seed is analysed as well.
    """

    images_per_class: int
    head_seeds: tuple[int, ...]


@dataclass(frozen=True)
class ProbeSettings:
    """A linear probe as configured.

    ``layer`` is a hidden one (post-activation; convolutions averaged over space). ``checkpoint`` is
    a step of the common phase, the same for all seeds; with ``at_match`` it is None, and each seed
    is probed at its earliest behavioural match.
    ``equivalence_margin`` is a share of the test probe.
    """

    experiment: str
    layer: str
    budgets: tuple[Budget, ...]
    checkpoint: int | None = None
    at_match: bool = False
    head: HeadSettings = HeadSettings()
    equivalence_margin: float = 0.005

    @property
    def largest_budget(self) -> int:
        """The most training images a digit."""
        return max(budget.images_per_class for budget in self.budgets)


@dataclass(frozen=True)
class PairProbe:
    """The probes of one pair: all that decides their result, and nothing else.

    ``pair`` names the checkpoints to verify: the one to probe, or with ``at_match`` all from
    which the pair's table chooses. ``train`` lists the images of the largest budget; ``test`` is
    the test probe, ``parts`` the tasks whose share of it is also scored apart.
    """

    pair: Pair
    at_match: bool
    layer: str
    train: ImageSelection
    test: ImageSelection
    parts: dict[str, ImageSelection]
    budgets: tuple[Budget, ...]
    head: HeadSettings
