"""The design of a job: what it was told, but for the seed of the run."""

import hashlib
from dataclasses import fields, is_dataclass, replace
from typing import Any

from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.run import Run


def design_digest(job: Any) -> str:
    """SHA-256 (16 hexadecimal digits) that jobs share which differ in the seed of their runs alone.

    ``job`` is any specification; offsets from the seed of the run belong to the design.
    """
    return hashlib.sha256(to_json(_seedless(job)).encode()).hexdigest()[:16]


def _seedless(value: Any) -> Any:
    if isinstance(value, Run):
        return _with_offsets(value)
    if is_dataclass(value):
        return replace(
            value, **{each.name: _seedless(getattr(value, each.name)) for each in fields(value)}
        )
    if isinstance(value, tuple):
        return tuple(map(_seedless, value))
    return value


def _with_offsets(run: Run) -> Run:
    """The run of seed 0: its other seeds are what they are beyond the seed of the run."""
    relaxation = run.relaxation
    if relaxation is not None:
        relaxation = replace(
            relaxation,
            stream_seed=relaxation.stream_seed - run.seed,
            reinitialisation_seed=(
                relaxation.reinitialisation_seed - run.seed if relaxation.reinitialised else 0
            ),
        )
    return replace(
        run,
        seed=0,
        weights=replace(run.weights, seed=run.weights.seed - run.seed),
        phases=tuple(
            replace(phase, stream_seed=phase.stream_seed - run.seed) for phase in run.phases
        ),
        relaxation=relaxation,
    )
