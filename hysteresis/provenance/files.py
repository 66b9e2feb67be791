"""Writing files whole or not at all, and tables that carry their provenance."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    pass


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; on success flush it to disk and rename it.

    Whatever interrupts the writing, ``path`` either keeps its old content or has the new one.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    aside = Path(name)
    try:
        yield aside
        with aside.open("rb+") as stream:
            os.fsync(stream.fileno())
        aside.chmod(0o666 & ~_umask())
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8) whole."""
    with written_whole(path) as aside:
        aside.write_text(text, encoding="utf-8")


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
