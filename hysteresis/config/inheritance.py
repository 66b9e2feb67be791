"""What entries of the configuration take over from others: written once, so that it cannot drift.

Works on mappings that the schema allows, before they become sections.
"""

from typing import Any

from hysteresis.errors import UserError

Mapping = dict[str, Any]

_INHERITED = ("seeds", "checkpoints")


def with_replays(mapping: Mapping) -> Mapping:
    """A history that only ``replays`` another gets all that the other has."""
    histories = mapping["histories"]
    return {
        **mapping,
        "histories": {
            name: entry if "replays" not in entry else {**_replayed(histories, name), **entry}
            for name, entry in histories.items()
        },
    }


def _replayed(histories: Mapping, name: str) -> Mapping:
    place, other = f"histories: {name}: replays", histories[name]["replays"]
    _require_defined(other, histories, place)
    if len(histories[name]) > 1:
        raise UserError(f"configuration: {place}: a replay has no other keys; take them out")
    if "replays" in histories[other]:
        raise UserError(f"configuration: {place}: {other} is itself a replay; name one with phases")
    return histories[other]


def with_control_experiments(mapping: Mapping) -> Mapping:
    """The experiments of the controls among all experiments, the controls with their names.

    One that no list of the controls names is left out. What it does not say of seeds and
    checkpoints is as in the observed experiment.
    """
    if "controls" not in mapping:
        return mapping
    controls, experiments = mapping["controls"], mapping["experiments"]
    own = controls.get("experiments", {})
    twice = own.keys() & experiments.keys()
    if twice:
        place = f"controls: experiments: {min(twice)}"
        raise UserError(f"configuration: {place}: an experiment has this name; choose another")
    _require_defined(controls["observed"], experiments, "controls: observed")
    inherited = {key: experiments[controls["observed"]][key] for key in _INHERITED}
    named = {*controls["floors"], *controls.get("crossed", []), *controls.get("nulls", [])}
    own = {name: {**inherited, **entry} for name, entry in own.items() if name in named}
    return {
        **mapping,
        "experiments": {**experiments, **own},
        "controls": {**controls, "experiments": list(own)},
    }


def _require_defined(name: str, known: Mapping, place: str) -> None:
    if name not in known:
        choices = ", ".join(known)
        raise UserError(f"configuration: {place}: {name!r} is not defined; there are: {choices}")
