"""What exactly is measured on a pair beside the main comparison: as configured, and of each job."""

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
    """The main comparison of one pair at one step, on ``counts`` images of each part of the data.

    Each count stands for the same images in every pair: see ``selection`` in
    ``hysteresis.measures.sensitivity``. They are chosen among ``images``: those of all classes that
    the common phase shows, at all its rotations.
    """

    pair: Pair
    counts: tuple[int, ...]
    images: ImageSelection
