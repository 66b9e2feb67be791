"""What files a job is given, and what each of them must be."""

from dataclasses import dataclass

from hysteresis.provenance.kinds import Kind


@dataclass(frozen=True)
class Source:
    """What a printed table or a figure takes in one ``role``, and what the files for it must be.

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
