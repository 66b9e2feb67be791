"""Files that a job is given, read as what its sources say they are."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.jobs.source import Source
from hysteresis.provenance.tables import read_pooled, read_table


def read_sources(
    verb: str, sources: Sequence[Source], files: Sequence[Path]
) -> dict[str, list[pd.DataFrame]]:
    """The tables of each role, each verified to be what its source says."""
    wanted = sum(source.files for source in sources)
    if wanted != len(files):
        raise UserError(
            f"{verb}: {len(files)} inputs were given, but --job names {wanted}; give these, "
            "in order"
        )
    found: dict[str, list[pd.DataFrame]] = {}
    rest = iter(files)
    for source in sources:
        table = _table_of(source, list(islice(rest, source.files)))
        found.setdefault(source.role, []).append(table)
    return found


def _table_of(source: Source, files: Sequence[Path]) -> pd.DataFrame:
    if not source.seeds:
        return read_table(files[0], source.kind, source.name)
    return read_pooled(files, source.kind, [(source.name, seed) for seed in source.seeds])
