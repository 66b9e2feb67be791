"""A seal at the end of a file, for formats whose readers look no further than their own end."""

from pathlib import Path

from hysteresis.provenance.seals import UNSEALED, seal


def append_seal(path: Path, before: bytes, after: bytes = b"\n") -> None:
    """Seal a file at its end, between what makes the seal a comment in the file's format."""
    with path.open("ab") as stream:
        stream.write(before + UNSEALED.encode() + after)
    seal(path)
