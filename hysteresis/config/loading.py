"""The whole configuration: validated once, then frozen, and asked for what each job must know."""

from pathlib import Path
from typing import Any

import jsonschema
import yaml

from hysteresis.config.checks import require_known_names
from hysteresis.config.configuration import Configuration
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import structure


def configuration_from(mapping: dict[str, Any], schema_file: Path) -> Configuration:
    """Validate a mapping (as YAML gives it) and build the configuration, or raise UserError.

    A file laid over another takes a section, or an entry of one, out by setting it to null.
    """
    mapping = _without_nulls(mapping)
    schema = yaml.safe_load(schema_file.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(mapping))
    if error is not None:
        raise UserError(f"configuration: {_place(error.absolute_path)}: {_reason(error)}")
    configuration = structure(_with_control_experiments(mapping), Configuration)
    require_known_names(configuration)
    return configuration


def _without_nulls(entries: Any) -> Any:
    if not isinstance(entries, dict):
        return entries
    return {name: _without_nulls(entry) for name, entry in entries.items() if entry is not None}


def _with_control_experiments(mapping: dict[str, Any]) -> dict[str, Any]:
    """The experiments of the controls among all experiments, the controls with their names."""
    if "controls" not in mapping:
        return mapping
    own = mapping["controls"].get("experiments", {})
    twice = own.keys() & mapping["experiments"].keys()
    if twice:
        place = f"controls: experiments: {min(twice)}"
        raise UserError(f"configuration: {place}: an experiment has this name; choose another")
    return {
        **mapping,
        "experiments": {**mapping["experiments"], **own},
        "controls": {**mapping["controls"], "experiments": list(own)},
    }


def _place(path: Any) -> str:
    return ": ".join(str(part) for part in path) or "top level"


def _reason(error: jsonschema.ValidationError) -> str:
    description = error.schema.get("description") if isinstance(error.schema, dict) else None
    return error.message + (f" ({description})" if description else "")
