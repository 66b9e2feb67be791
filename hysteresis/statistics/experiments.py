"""Statistics over seeds of every measured quantity, as one tidy table an experiment.

A row is one quantity at one endpoint: a ``checkpoint`` (at ``step``), the ``matched`` endpoint
(each seed at its earliest behavioural match; ``unmatched_seeds`` have none and are left out), or
a ``change`` (from ``step_from`` to ``step``). ``pairs`` is the number of seeds, ``n`` how many of
them count, and ``undefined_seeds`` names those whose value is undefined, with their dead layers.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.statistics.quantities import at_step, matched_endpoints, values_of_seeds
from hysteresis.statistics.seeds import (
    Row,
    SeedValues,
    bca_columns,
    listed,
    statistics_of,
    tidy,
    weighted_sum,
)

BOOTSTRAP_SEED = 12345
FEW_SEEDS = 10  # below, a percentile bootstrap interval covers clearly less than it says
FEW_SEEDS_NOTE = (
    f"Rows with fewer than {FEW_SEEDS} seeds: bootstrap intervals, percentile and BCa, cover too "
    "little there (84% instead of 95% at 5 normal values, 73% and 75% at 5 lognormal ones); read "
    "the t interval (95% and 82%) and, of differences, the sign-flip test."
)
WITH_BCA = ("h_repr", "prediction_disagreement", "accuracy_gap")  # costly: only what is printed


def summarise_experiment(pairs: pd.DataFrame, changes: Sequence[int]) -> pd.DataFrame:
    """Statistics of pair tables (a row a seed and checkpoint) in seed order."""
    (experiment,) = pairs["experiment"].unique()
    seeds = pairs["seed"].drop_duplicates()
    rows: list[Row] = []
    for step, table in pairs.groupby("step", sort=True):
        rows += _rows(values_of_seeds(table), "checkpoint", BOOTSTRAP_SEED + step, step=step)
    matched = matched_endpoints(pairs)
    if len(matched):
        unmatched = listed(seed for seed in seeds if seed not in set(matched["seed"]))
        rows += _rows(values_of_seeds(matched), "matched", BOOTSTRAP_SEED, unmatched=unmatched)
    for earlier, later in combinations(changes, 2):
        differences = _differences(at_step(pairs, later), at_step(pairs, earlier), "later")
        rows += _rows(differences, "change", BOOTSTRAP_SEED + later, step=later, step_from=earlier)
    return _table(rows, experiment, len(seeds))


def summarise_contrast(name: str, minuend: pd.DataFrame, subtrahend: pd.DataFrame) -> pd.DataFrame:
    """Statistics of the differences of two experiments, seed by seed, at each checkpoint."""
    rows: list[Row] = []
    for step in sorted(minuend["step"].unique()):
        differences = _differences(at_step(minuend, step), at_step(subtrahend, step), name)
        rows += _rows(differences, "checkpoint", BOOTSTRAP_SEED + step, step=step)
    return _table(rows, name, minuend["seed"].nunique())


def _differences(
    minuend: pd.DataFrame, subtrahend: pd.DataFrame, where: str
) -> dict[str, SeedValues]:
    if list(minuend["seed"]) != list(subtrahend["seed"]):
        raise UserError(f"{where}: the two tables do not have the same seeds in the same order")
    first, second = values_of_seeds(minuend), values_of_seeds(subtrahend)
    for name in first.keys() & second.keys():
        if first[name].factor != second[name].factor:
            raise UserError(
                f"{where}: {name} is counted among other numbers of images in the two tables; "
                "contrast experiments with the same test images"
            )
    return {
        name: weighted_sum([first[name], second[name]], [1, -1]) for name in first if name in second
    }


def _rows(
    named: Mapping[str, SeedValues],
    endpoint: str,
    bootstrap_seed: int,
    step: int | None = None,
    step_from: int | None = None,
    unmatched: str = "",
) -> Iterator[Row]:
    for quantity, values in named.items():
        place = {"endpoint": endpoint, "step": step, "step_from": step_from, "quantity": quantity}
        row = {**place, **statistics_of(values, bootstrap_seed), "unmatched_seeds": unmatched}
        yield row | (bca_columns(values, bootstrap_seed) if quantity in WITH_BCA else {})


def _table(rows: Sequence[Row], experiment: str, pairs: int) -> pd.DataFrame:
    table = tidy(rows)
    table.insert(0, "experiment", experiment)
    table.insert(4, "pairs", pairs)
    return table
