"""What exactly one printed table is made from: told to the job that prints it."""

from dataclasses import dataclass

from hysteresis.jobs.pair import MatchSettings
from hysteresis.provenance.kinds import Kind


@dataclass(frozen=True)
class Source:
    """What a printed table takes in one ``role``, and what the file given for it must be.

    ``kind`` and ``name`` are those of the file's provenance; a ``name`` of None may be any. With
    ``seeds`` there is a file for each of them, and they are pooled.
    """

    role: str
    kind: Kind
    name: str | None = None
    seeds: tuple[int, ...] = ()

    @property
    def files(self) -> int:
        """How many files are given for it."""
        return max(1, len(self.seeds))


@dataclass(frozen=True)
class TableJob:
    """All that decides a printed table beside its code and the content of its files.

    Several ``sources`` may have one role. ``match`` is the criterion of the behavioural match, for
    the tables that state it.
    """

    sources: tuple[Source, ...]
    match: MatchSettings | None = None
