"""Tables as sealed Parquet files that say what they are, and readers that demand it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hysteresis.errors import UserError
from hysteresis.provenance.files import written_whole
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.seals import UNSEALED, read_sealed, seal

if TYPE_CHECKING:
    import pandas as pd

_METADATA_KEY = b"hysteresis"
_WHAT = "table"


@dataclass(frozen=True)
class Provenance:
    """What a table is, and what it was made by and from.

    ``kind``: which stage's table, such as ``pair``. ``name``: of the experiment, contrast or probe.
    ``seed``: of a table of one seed. ``code``: digest of the code. ``design``: digest of what the
    job was told, the same for all seeds of one design. ``conditions``: what must be the same in
    tables that are pooled, such as devices, versions of libraries, digests of data sets.
    """

    kind: Kind
    name: str
    code: str
    seed: int | None = None
    design: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)


def write_table(path: Path, table: "pd.DataFrame", provenance: Provenance) -> None:
    """Write a table whole and sealed; same data, same bytes."""
    import pyarrow
    import pyarrow.parquet

    arrow = pyarrow.Table.from_pandas(table, preserve_index=False)
    stamp = {**asdict(provenance), "nullable": _nullable(table), "seal": UNSEALED}
    # Without pandas' own account of the columns, which would be most of a small file.
    arrow = arrow.replace_schema_metadata({_METADATA_KEY: json.dumps(stamp, sort_keys=True)})
    with written_whole(path) as aside:
        pyarrow.parquet.write_table(arrow, aside, use_dictionary=False, write_statistics=False)
        seal(aside)


def read_table(
    path: Path, kind: Kind, name: str | None = None, seed: int | None = None
) -> "pd.DataFrame":
    """Read the table of one stage; UserError unless it is of that ``kind`` (and name, and seed)."""
    return _read(path, kind, name, seed)[1]


def read_provenance(path: Path, kind: Kind, name: str | None = None) -> Provenance:
    """What :func:`write_table` put into the file beside the table."""
    return _read(path, kind, name, None)[0]


def read_pooled(
    paths: Iterable[Path], kind: Kind, expected: Sequence[tuple[str, int]]
) -> "pd.DataFrame":
    """Concatenate tables of seeds: ``expected`` is the (name, seed) of each path, in order.

    Of no paths an empty table. UserError when one is another's, or when they were not all made
    alike: by one code, of one design an experiment, under the same conditions.
    """
    import pandas

    paths = list(paths)
    if len(paths) != len(expected) or len(set(expected)) != len(expected):
        raise UserError(
            f"{len(paths)} tables were given for {len(set(expected))} pairs of name and seed; "
            "give one for each, in the same order"
        )
    found = [
        _read(path, kind, name, seed) for path, (name, seed) in zip(paths, expected, strict=True)
    ]
    if not found:
        return pandas.DataFrame(columns=["experiment"])
    _require_alike(dict(zip(paths, (provenance for provenance, _ in found), strict=True)))
    return pandas.concat([table for _, table in found], ignore_index=True)


def _nullable(table: "pd.DataFrame") -> dict[str, str]:
    """The columns of whole numbers and truths that may be missing: Parquet tells them from others
    only where one is."""
    kinds = {name: str(kind) for name, kind in table.dtypes.items()}
    return {name: kind for name, kind in kinds.items() if kind in ("Int64", "boolean")}


def _read(
    path: Path, kind: Kind, name: str | None, seed: int | None
) -> "tuple[Provenance, pd.DataFrame]":
    import pyarrow
    import pyarrow.parquet

    content = read_sealed(path, _WHAT)
    try:
        arrow = pyarrow.parquet.read_table(pyarrow.BufferReader(content))
        stamp = json.loads((arrow.schema.metadata or {})[_METADATA_KEY])
        stamp.pop("seal")
        table = arrow.to_pandas().astype(stamp.pop("nullable"))
        provenance = Provenance(**stamp)
    except (pyarrow.ArrowException, ValueError, LookupError, TypeError, OSError):
        raise UserError(
            f"{path}: not a table of this version of the project; delete it and build it again"
        ) from None
    for what, wanted, is_ in (
        ("a table of kind", kind, provenance.kind),
        ("of", name, provenance.name),
        ("of seed", seed, provenance.seed),
    ):
        if wanted is not None and wanted != is_:
            raise UserError(
                f"{path}: is {what} {is_}, not {wanted} as its place says; delete it and build it "
                "again"
            )
    return provenance, table


def _require_alike(made: Mapping[Path, Provenance]) -> None:
    """Raise UserError at the first table that was not made like one before it."""
    code: dict[str, Path] = {}
    designs: dict[str, tuple[str, Path]] = {}
    conditions: dict[str, tuple[str, Path]] = {}
    for path, provenance in made.items():
        code.setdefault(provenance.code, path)
        if len(code) > 1:
            (one, first), (other, second) = code.items()
            raise _not_alike(second, first, "code", other, one)
        design, first = designs.setdefault(provenance.name, (provenance.design, path))
        if provenance.design != design:
            raise _not_alike(path, first, "design", provenance.design, design)
        for what, value in provenance.conditions.items():
            known, first = conditions.setdefault(what, (value, path))
            if value != known:
                raise _not_alike(path, first, what, value, known)


def _not_alike(path: Path, other: Path, what: str, own: str, others: str) -> UserError:
    return UserError(
        f"{path} and {other} cannot be pooled: their {what} is {own} and {others}; build the older "
        "one again"
    )
