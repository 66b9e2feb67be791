"""Seeds as units: no two runs are one network, or see one stream, unless the configuration says so.

PyTorch's generator on the CPU takes 32 bits of a seed: beyond them two seeds would be one.
"""

from collections.abc import Iterable
from dataclasses import replace

from hysteresis.config.configuration import Configuration
from hysteresis.errors import UserError
from hysteresis.jobs.run import Phase, Run

LARGEST_SEED = 2**32 - 1


def require_distinct_networks_and_streams(configuration: Configuration) -> None:
    """Raise UserError for a seed out of range, and for runs that share what they should not.

    Runs of one seed may share initial weights and streams: that is what pairs them. Runs of two
    seeds may not, and two runs of one condition may not be the same network, but for replays.
    """
    runs = [
        configuration.run(*run, relaxation=True)
        for run in configuration.last_steps(configuration.experiments)
    ]
    for run in runs:
        _require_range(run)
    _require_distinct_networks(configuration, runs)
    _require_own_seeds("initial weights", [(run, _weights_seeds(run)) for run in runs])
    _require_own_seeds("stream", [(run, _stream_seeds(run)) for run in runs])
    for name, probe in configuration.probes.items():
        for budget in probe.budgets:
            last = max(budget.head_seeds) + probe.head.epochs
            if last > LARGEST_SEED:
                raise UserError(
                    f"configuration: probes: {name}: budgets: head seed {max(budget.head_seeds)} "
                    f"and the last epoch make {last}, above {LARGEST_SEED}; choose a smaller one"
                )


def _weights_seeds(run: Run) -> set[int]:
    common = run.relaxation
    return {run.weights.seed} | ({common.reinitialisation_seed} if common.reinitialised else set())


def _stream_seeds(run: Run) -> set[int]:
    return {segment.stream_seed for segment in (*run.phases, run.relaxation)}


def _require_range(run: Run) -> None:
    for seed in sorted(_weights_seeds(run) | _stream_seeds(run)):
        if seed > LARGEST_SEED:
            offset = f" plus the offset {seed - run.seed}" if seed != run.seed else ""
            raise UserError(
                f"configuration: seed {run.seed}{offset} of history {run.history} is above "
                f"{LARGEST_SEED}: PyTorch takes 32 bits; choose smaller seeds"
            )


def _require_own_seeds(what: str, used: Iterable[tuple[Run, set[int]]]) -> None:
    owners: dict[int, Run] = {}
    for run, seeds in used:
        for seed in seeds:
            owner = owners.setdefault(seed, run)
            if owner.seed != run.seed:
                raise UserError(
                    f"configuration: {_named(owner)} and {_named(run)} share the seed {seed} of "
                    f"their {what}; change one of the seeds or an offset"
                )


def _require_distinct_networks(configuration: Configuration, runs: Iterable[Run]) -> None:
    owners: dict[object, Run] = {}
    for run in runs:
        owner = owners.setdefault(_network(configuration, run), run)
        if _origin(configuration, owner) != _origin(configuration, run):
            raise UserError(
                f"configuration: {_named(owner)} and {_named(run)} of condition {run.condition} "
                "are the same network; give one history an offset, or declare it: "
                f"{run.history}: {{replays: {owner.history}}}"
            )


def _network(configuration: Configuration, run: Run) -> object:
    """All that decides the network, whatever history, seed and tasks are called."""
    lengths = tuple(
        configuration.phase_updates(run.condition, run.history, number)
        for number in range(1, len(run.phases) + 1)
    )
    nameless = replace(
        run,
        history="",
        seed=0,
        phases=tuple(Phase("", phase.images, phase.stream_seed) for phase in run.phases),
        relaxation=replace(run.relaxation, task=""),
    )
    return nameless, lengths


def _origin(configuration: Configuration, run: Run) -> tuple[str, int]:
    return configuration.histories[run.history].replays or run.history, run.seed


def _named(run: Run) -> str:
    return f"{run.history} of seed {run.seed}"
