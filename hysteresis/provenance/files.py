"""Files that appear whole or not at all."""

import fcntl
import glob
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hysteresis.errors import UserError


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a path beside ``path`` to write to; on success flush it to disk and rename it.

    Whatever interrupts the writing, ``path`` either keeps its old content or has the new one. What
    a killed writer left beside it is removed. A full disk or a read-only folder is a UserError.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_abandoned(path)
        handle, aside = _opened_aside(path)
    except OSError as error:
        raise _cannot_write(path, error) from None
    try:
        yield aside
        with aside.open("rb+") as stream:
            os.fsync(stream.fileno())
        aside.chmod(0o666 & ~_umask())
        aside.replace(path)
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        aside.unlink(missing_ok=True)
        os.close(handle)


def write_text(path: Path, text: str) -> None:
    """Write a text file (UTF-8) whole."""
    with written_whole(path) as aside:
        aside.write_text(text, encoding="utf-8")


def require_writable(path: Path) -> None:
    """Raise UserError if ``path`` cannot be written: asked before hours of work, not after."""
    with suppress(_Tried), written_whole(path):
        raise _Tried


class _Tried(Exception):
    pass


def _opened_aside(path: Path) -> tuple[int, Path]:
    """A file beside ``path``, locked while its writer lives: one that nobody holds is abandoned."""
    while True:
        handle, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix
        )
        fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, Path(name)
        os.close(handle)  # another writer took it for abandoned before it was locked


def _remove_abandoned(path: Path) -> None:
    for aside in path.parent.glob(f".{glob.escape(path.name)}.*{path.suffix}"):
        with suppress(FileNotFoundError), aside.open("rb") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue  # another writer of the same file is at work
            aside.unlink(missing_ok=True)


def _cannot_write(path: Path, error: OSError) -> UserError:
    # pyarrow's messages have no strerror and may have several lines.
    reason = error.strerror or str(error).splitlines()[0]
    return UserError(
        f"{path}: cannot be written ({reason}); free space there or name another place"
    )


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
