"""What exactly one training run is: frozen, explicit, and the same bytes as JSON.

A job of the workflow is told everything that decides its result in one JSON string and nothing
else. That string is what Snakemake compares to decide about a rerun, so a specification never
holds what a stage does not depend on (other seeds, other tasks, analysis settings)."""

import json
from typing import TypeVar

import cattrs

from hysteresis.errors import UserError

SpecificationType = TypeVar("SpecificationType")


_converter = cattrs.Converter(forbid_extra_keys=True)


def to_json(specification: object) -> str:
    """The specification as one line of JSON: sorted keys, no spaces, every field written out."""
    return json.dumps(_converter.unstructure(specification), sort_keys=True, separators=(",", ":"))


def from_json(text: str, kind: type[SpecificationType]) -> SpecificationType:
    """The inverse of :func:`to_json`; a missing, unknown or ill-typed field is a UserError."""
    try:
        return structure(json.loads(text), kind)
    except json.JSONDecodeError as error:
        raise UserError(f"specification: not JSON ({error}); see `hysteresis --help`") from None


def structure(mapping: object, kind: type[SpecificationType]) -> SpecificationType:
    """Build a frozen dataclass from plain dictionaries and lists, strictly."""
    try:
        return _converter.structure(mapping, kind)
    except Exception as error:  # cattrs raises groups of whatever went wrong inside
        reasons = "; ".join(cattrs.transform_error(error))
        raise UserError(f"{kind.__name__}: {reasons}") from None
