"""Writing files whole or not at all, and tables that carry their provenance."""

import json
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from hysteresis.errors import UserError

if TYPE_CHECKING:
    import pandas as pd

_METADATA_KEY = b"hysteresis"


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


def write_table(path: Path, table: "pd.DataFrame", provenance: dict[str, str]) -> None:
    """Write a table as Parquet with ``provenance`` in its file metadata; same data, same bytes."""
    import pyarrow
    import pyarrow.parquet

    arrow = pyarrow.Table.from_pandas(table, preserve_index=False)
    stamp = {_METADATA_KEY: json.dumps(provenance, sort_keys=True).encode()}
    arrow = arrow.replace_schema_metadata({**(arrow.schema.metadata or {}), **stamp})
    with written_whole(path) as aside:
        pyarrow.parquet.write_table(arrow, aside)


def read_table(path: Path) -> "pd.DataFrame":
    """Read one Parquet table."""
    import pandas

    try:
        return pandas.read_parquet(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: not a readable table ({error}); delete it and rebuild") from None


def read_provenance(path: Path) -> dict[str, str]:
    """The provenance that :func:`write_table` put into the file."""
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_schema(path).metadata or {}
    if _METADATA_KEY not in metadata:
        raise UserError(f"{path}: carries no provenance; delete it and rebuild it")
    return json.loads(metadata[_METADATA_KEY])


def read_pooled(paths: Iterable[Path]) -> "pd.DataFrame":
    """Concatenate tables that one and the same code made; mixed digests are a UserError."""
    import pandas

    paths = list(paths)
    digests: dict[str, Path] = {}
    for path in paths:
        digests.setdefault(read_provenance(path)["code"], path)
    if len(digests) > 1:
        (one, first), (two, second), *_ = digests.items()
        raise UserError(
            f"{first} was made by code {one} and {second} by code {two}; rebuild the older one"
        )
    return pandas.concat([read_table(path) for path in paths], ignore_index=True)


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
