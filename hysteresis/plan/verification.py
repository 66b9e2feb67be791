"""Whether every file of a result folder is whole, and is what its place says."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

from hysteresis.data.sets.mnist import DATA_SET
from hysteresis.errors import UserError
from hysteresis.plan import paths
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.seals import read_sealed
from hysteresis.provenance.tables import read_table

_SEALED = {".safetensors": "checkpoint", ".parquet": "table"} | dict.fromkeys(
    (".pdf", ".png"), "figure"
)
_PRINTED = {".md": "printed table", ".tex": "printed table"}
# The kind of table that each path holds; its name is that of the experiment, contrast or probe.
_TABLES = {
    paths.PAIR: Kind.PAIR,
    paths.PROBE: Kind.PROBE,
    paths.MEASURES: Kind.MEASURES,
    paths.SENSITIVITY: Kind.SENSITIVITY,
    paths.STATISTICS: Kind.EXPERIMENT_STATISTICS,
    paths.CONTRAST: Kind.CONTRAST_STATISTICS,
    paths.PROBE_STATISTICS: Kind.PROBE_STATISTICS,
    paths.CONTROLS: Kind.CONTROLS,
    paths.PARTITION: Kind.PARTITION,
    paths.POWER: Kind.POWER,
    paths.MEASURE_STATISTICS: Kind.MEASURE_STATISTICS,
    paths.PUBLISHED_NUMBERS: Kind.PUBLISHED_NUMBERS,
    paths.PUBLISHED_SEEDS: Kind.PUBLISHED_SEEDS,
}


def faults_in(results: Path) -> Iterator[tuple[Path, str]]:
    """Each file below ``results`` that is not what it should be, and why."""
    for path in sorted(results.rglob("*")):
        if not path.is_file():
            continue
        if path.name.startswith("."):
            yield path, "left by a writer that was killed"
            continue
        try:
            _require_whole(path, path.relative_to(results).as_posix())
        except UserError as error:
            yield path, str(error).removeprefix(f"{path}: ")


def count_verified(results: Path) -> int:
    """How many files below ``results`` carry a seal or a known checksum."""
    return sum(_what(path) != "" for path in results.rglob("*") if path.is_file())


def _what(path: Path) -> str:
    if path.name in DATA_SET.files:
        return "data"
    return (_SEALED | _PRINTED).get(path.suffix, "")


def _require_whole(path: Path, place: str) -> None:
    if path.name in DATA_SET.files:
        _require_data(path)
    elif path.suffix == ".safetensors":
        _require_checkpoint(place, read_sealed(path, _what(path)))
    elif path.suffix == ".parquet":
        _require_table(path, place)
    elif _what(path):
        read_sealed(path, _what(path))


def _require_data(path: Path) -> None:
    if hashlib.sha256(path.read_bytes()).hexdigest() != DATA_SET.files[path.name]:
        raise UserError("is damaged or of another data set")


def _require_checkpoint(place: str, content: bytes) -> None:
    for template in (paths.PHASE, paths.STEP):
        found = _names(template, place)
        if found is None:
            continue
        length = int.from_bytes(content[:8], "little")
        header = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["hysteresis"])
        run, updates = header["header"]["run"], header["header"]["updates"]
        is_ = {name: str(run[name]) for name in ("condition", "history", "seed")}
        begun = run["relaxation"] is not None
        is_ |= {"step": str(updates)} if begun else {"phase": str(len(run["phases"]))}
        if is_ != found:
            named = ", ".join(f"{name} {value}" for name, value in is_.items())
            raise UserError(f"is of {named}, not of its place")


def _require_table(path: Path, place: str) -> None:
    for template, kind in _TABLES.items():
        found = _names(template, place)
        if found is not None:
            seed = found.pop("seed", None)
            name = next(iter(found.values()), None)
            read_table(path, kind, name, None if seed is None else int(seed))
            return
    read_sealed(path, _what(path))


def _names(template: str, place: str) -> dict[str, str] | None:
    """What stands in the wildcards of a path template, or None where the path is not of it."""
    pattern = re.escape(template.removeprefix("<results>/"))
    pattern = re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>[^/]+?)", pattern)
    found = re.fullmatch(pattern, place)
    return found.groupdict() if found else None
