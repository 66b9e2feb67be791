"""What exactly the comparison of one pair of runs is: as explicit as a run's specification."""

from dataclasses import dataclass

from hysteresis.jobs.run import ImageSelection, Run


@dataclass(frozen=True)
class MatchSettings:
    """A behavioural match: both bounds inclusive, shares of the test set, exact decimals."""

    max_accuracy_gap: float
    min_accuracy: float


@dataclass(frozen=True)
class Pair:
    """Two runs at the same ``steps`` of the common phase."""

    experiment: str
    first: Run
    second: Run
    steps: tuple[int, ...]


@dataclass(frozen=True)
class Comparison(Pair):
    """A pair, compared on test images.

    ``parts`` are tasks whose test images are also scored apart; ``probe`` are the test images on
    which representations are compared.
    """

    test: ImageSelection
    parts: dict[str, ImageSelection]
    probe: ImageSelection
    match: MatchSettings
