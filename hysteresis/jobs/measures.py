"""What exactly is measured on a pair beside the main comparison: configured, then told to jobs."""

from dataclasses import dataclass

from hysteresis.jobs.pair import Pair
from hysteresis.jobs.run import ImageSelection


@dataclass(frozen=True)
class MeasureSettings:
    """Further measures as configured: at which checkpoints, on which layers.

    ``measures`` are names in ``hysteresis.measures.registry.MEASURES``; empty means all.
    """

    steps: tuple[int, ...]
    layers: tuple[str, ...]
    measures: tuple[str, ...] = ()


@dataclass(frozen=True)
class SensitivitySettings:
    """On how many images the main comparison is repeated, at one checkpoint."""

    images: tuple[int, ...]
    step: int


@dataclass(frozen=True)
class PairMeasures:
    """The further measures of one pair: all that decides their result, and nothing else.

    ``pair`` names the checkpoints to verify and measure, ``images`` the test images; ``chance``
    asks for the values that shuffled images give as well.
    """

    pair: Pair
    layers: tuple[str, ...]
    measures: tuple[str, ...]
    images: ImageSelection
    chance: bool


@dataclass(frozen=True)
class PairSensitivity:
    """The main comparison of one pair at one step, on ``images`` images of each data set.

    Each number of images stands for the same images in every pair: see ``selection`` in
    ``hysteresis.measures.sensitivity``. ``rotations`` are those of the common phase: each image is
    shown at all of them.
    """

    pair: Pair
    images: tuple[int, ...]
    rotations: tuple[int, ...]
