"""Writing files whole or not at all, and tables that carry their provenance."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from hysteresis.errors import UserError
from hysteresis.provenance.files import written_whole

if TYPE_CHECKING:
    import pandas as pd
_METADATA_KEY = b"hysteresis"


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
