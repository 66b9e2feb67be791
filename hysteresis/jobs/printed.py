"""What exactly a printed table or a figure is made from: told to the job that makes it."""

from dataclasses import dataclass

from hysteresis.jobs.pair import Comparison, MatchSettings
from hysteresis.jobs.source import Source


@dataclass(frozen=True)
class TableJob:
    """All that decides a printed table beside its code and the content of its files.

    Several ``sources`` may have one role. ``match`` is the criterion of the behavioural match, for
    the tables that state it.
    """

    sources: tuple[Source, ...]
    match: MatchSettings | None = None


@dataclass(frozen=True)
class FigureJob:
    """All that decides a figure beside its code and the content of its files.

    ``comparison`` is that of the first seed of the experiment shown (of a contrast's minuend).
    """

    sources: tuple[Source, ...]
    comparison: Comparison
