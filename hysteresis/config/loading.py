"""From a mapping, as YAML gives it, to the configuration: one way in, and no job before it ends."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from hysteresis.config.checks import require_consistent
from hysteresis.config.configuration import Configuration
from hysteresis.config.inheritance import with_control_experiments, with_replays
from hysteresis.config.seeds import require_distinct_networks_and_streams
from hysteresis.config.selections import require_images
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import structure


def configuration_from(mapping: dict[str, Any], schema_file: Path) -> Configuration:
    """Validate a mapping and build the configuration, or raise UserError.

    A file laid over another takes a section, or an entry of one, out by setting it to null.
    """
    mapping = _without_nulls(mapping)
    _require_names_and_numbers(mapping, ())
    _require_schema(mapping, schema_file)
    mapping = with_control_experiments(with_replays(mapping))
    configuration = structure(mapping, Configuration)
    require_consistent(configuration)
    require_images(configuration)
    require_distinct_networks_and_streams(configuration)
    return configuration


def _without_nulls(entries: Any) -> Any:
    if not isinstance(entries, dict):
        return entries
    return {name: _without_nulls(entry) for name, entry in entries.items() if entry is not None}


def _require_names_and_numbers(value: Any, place: tuple[object, ...]) -> None:
    """Keys are text and numbers finite: neither is what a schema can say of a mapping in Python."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"configuration: {_place(place)}: {value} is no finite number")
    if isinstance(value, dict):
        for key, entry in value.items():
            if not isinstance(key, str):
                where, reason = _place(place), "is read as no text; quote the name"
                raise UserError(f"configuration: {where}: the key {_as_written(key)} {reason}")
            _require_names_and_numbers(entry, (*place, key))
    if isinstance(value, list):
        for index, entry in enumerate(value):
            _require_names_and_numbers(entry, (*place, index))


def _require_schema(mapping: dict[str, Any], schema_file: Path) -> None:
    schema = yaml.safe_load(schema_file.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(mapping))
    if error is None:
        return
    if error.parent is not None and error.parent.validator == "oneOf":
        error = error.parent  # both or neither of two keys: not what either of them lacks
    raise UserError(f"configuration: {_place(error.absolute_path)}: {_reason(error)}")


def _place(path: Iterable[object]) -> str:
    return ": ".join(map(str, path)) or "top level"


def _reason(error: jsonschema.ValidationError) -> str:
    if error.validator == "oneOf":
        keys = ", ".join(key for each in error.validator_value for key in each["required"])
        return f"needs exactly one of the keys {keys}"
    wanted = error.schema.get("type") if isinstance(error.schema, dict) else None
    if error.validator == "type" and wanted == "string" and isinstance(error.instance, bool):
        return f"{_as_written(error.instance)} is read as no text; quote the name"
    if error.validator == "type" and wanted == "number" and _is_numeral(error.instance):
        return f"{error.instance} is read as text; write the number with a point, as in 1.0e-6"
    description = error.schema.get("description") if isinstance(error.schema, dict) else None
    return error.message + (f" ({description})" if description else "")


def _as_written(value: object) -> str:
    """YAML reads three words as one truth value: which of them it was is lost."""
    if value is True:
        return "yes, on or true"
    return "no, off or false" if value is False else str(value)


def _is_numeral(value: object) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True
