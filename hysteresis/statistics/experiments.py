"""Statistics over seeds of every measured quantity, as one tidy table an experiment.

A row is one quantity at one endpoint: a ``checkpoint`` (at ``step``), the ``matched`` endpoint
(each seed at its earliest behavioural match, seeds without one left out), or a ``change`` (from
``step_from`` to ``step``). ``pairs`` is the number of seeds, ``n`` the number that count.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from hysteresis.errors import UserError
from hysteresis.statistics.paired import PairedStatistics, bca_interval, paired_statistics

BOOTSTRAP_SEED = 12345
FEW_SEEDS = 10  # below, a percentile bootstrap interval covers clearly less than it says
FEW_SEEDS_NOTE = (
    f"Rows with fewer than {FEW_SEEDS} seeds: the percentile bootstrap covers too little there "
    "(about 82% instead of 95% at 5 seeds of skewed data); read the t interval and the BCa."
)
WITH_BCA = ("h_repr", "prediction_disagreement", "accuracy_gap")  # costly: only what is printed
KEYS = ("experiment", "seed", "step")
_NOT_SUMMARISED = ("total", "probe_images", "behavioral_match", "accuracy")


def summarise_experiment(pairs: pd.DataFrame, changes: Sequence[int]) -> pd.DataFrame:
    """Statistics of pair tables (a row a seed and checkpoint) in seed order."""
    (experiment,) = pairs["experiment"].unique()
    seeds = pairs["seed"].drop_duplicates()
    rows: list[dict[str, object]] = []
    for step, table in pairs.groupby("step", sort=True):
        rows += _rows(quantities(table), "checkpoint", BOOTSTRAP_SEED + step, step=step)
    matched = matched_endpoints(pairs)
    if len(matched):
        rows += _rows(quantities(matched), "matched", BOOTSTRAP_SEED)
    for earlier, later in combinations(changes, 2):
        differences = _differences(at_step(pairs, later), at_step(pairs, earlier), "later")
        rows += _rows(differences, "change", BOOTSTRAP_SEED + later, step=later, step_from=earlier)
    return _tidy(rows, experiment, len(seeds))


def summarise_contrast(name: str, minuend: pd.DataFrame, subtrahend: pd.DataFrame) -> pd.DataFrame:
    """Statistics of the differences of two experiments, seed by seed, at each checkpoint."""
    rows: list[dict[str, object]] = []
    for step in sorted(minuend["step"].unique()):
        differences = _differences(at_step(minuend, step), at_step(subtrahend, step), name)
        rows += _rows(differences, "checkpoint", BOOTSTRAP_SEED + step, step=step)
    return _tidy(rows, name, minuend["seed"].nunique())


def matched_endpoints(pairs: pd.DataFrame) -> pd.DataFrame:
    """For each seed that ever matches, its row at the earliest match, in seed order."""
    matches = pairs[pairs["behavioral_match"]].sort_values("step", kind="stable")
    earliest = matches.groupby("seed").head(1)
    order = {seed: place for place, seed in enumerate(pairs["seed"].drop_duplicates())}
    return earliest.sort_values("seed", key=lambda column: column.map(order))


def at_step(pairs: pd.DataFrame, step: int) -> pd.DataFrame:
    """The rows at one checkpoint."""
    return pairs[pairs["step"] == step]


def quantities(table: pd.DataFrame) -> dict[str, tuple[np.ndarray, float]]:
    """Every summarised quantity: its values (a row each), and the factor to its reported unit.

    Accuracies and disagreement are kept as integer counts, so that ties stay ties, with the
    factor 1 / images; ``accuracy_gap`` is the absolute difference of the two accuracies.
    """
    found: dict[str, tuple[np.ndarray, float]] = {}
    totals = [column for column in table.columns if column.startswith("total")]
    parts = sorted((column.removeprefix("total") for column in totals), key=len, reverse=True)
    for column in table.columns:
        if column in KEYS or column.startswith(_NOT_SUMMARISED):
            continue
        values = table[column].to_numpy()
        if column.startswith("correct"):
            part = next(part for part in parts if column.startswith(f"correct{part}_"))
            factor = 1 / _only(table[f"total{part}"])
            name = column.replace("correct", "accuracy", 1)
            found[name] = (values, factor)
            if column.endswith("_difference"):
                found[name.replace("_difference", "_gap")] = (np.abs(values), factor)
        elif column == "disagreements":
            found["prediction_disagreement"] = (values, 1 / _only(table["probe_images"]))
        elif column != "prediction_disagreement":
            found[column] = (values, 1.0)
    return found


def _differences(
    minuend: pd.DataFrame, subtrahend: pd.DataFrame, where: str
) -> dict[str, tuple[np.ndarray, float]]:
    if list(minuend["seed"]) != list(subtrahend["seed"]):
        raise UserError(f"{where}: the two tables do not have the same seeds in the same order")
    first, second = quantities(minuend), quantities(subtrahend)
    return {
        name: (values - second[name][0], factor)
        for name, (values, factor) in first.items()
        if name in second
    }


def _rows(
    named: dict[str, tuple[np.ndarray, float]],
    endpoint: str,
    bootstrap_seed: int,
    step: int | None = None,
    step_from: int | None = None,
) -> Iterator[dict[str, object]]:
    for quantity, (values, factor) in named.items():
        place = {"endpoint": endpoint, "step": step, "step_from": step_from, "quantity": quantity}
        # A quantity may be undefined (CKA of a dead layer): reported as such, never averaged over.
        finite = bool(np.isfinite(values).all())
        result = paired_statistics(values, bootstrap_seed).scaled(factor) if finite else None
        row = {**place, **statistics_columns(result, len(values))}
        if quantity in WITH_BCA and finite:
            bca = bca_interval(values, bootstrap_seed).scaled(factor)
            row |= {"bca_low": bca.low, "bca_high": bca.high}
        yield row


def statistics_columns(result: PairedStatistics | None, n: int) -> dict[str, object]:
    """One row's statistics, named for people; of an undefined quantity only ``n``."""
    if result is None:
        return {"n": n}
    return {
        "n": result.n,
        "mean": result.mean,
        "median": result.median,
        "sd": result.sd,
        "t_low": result.t_interval.low,
        "t_high": result.t_interval.high,
        "bootstrap_low": result.bootstrap_interval.low,
        "bootstrap_high": result.bootstrap_interval.high,
        "t_statistic": result.t_statistic,
        "t_p": result.t_p,
        "wilcoxon_statistic": result.wilcoxon_statistic,
        "wilcoxon_p": result.wilcoxon_p,
        "positive": result.sign.positive,
        "negative": result.sign.negative,
        "zero": result.sign.zero,
        "sign_p": result.sign.p_value,
        "d_z": result.d_z,
        "minimum": result.minimum,
        "maximum": result.maximum,
        "trimmed_mean": result.trimmed_mean,
    }


def _tidy(rows: list[dict[str, object]], experiment: str, pairs: int) -> pd.DataFrame:
    table = pd.DataFrame(rows)
    table.insert(0, "experiment", experiment)
    table.insert(4, "pairs", pairs)
    integers = ["step", "step_from", "n", "positive", "negative", "zero"]
    return table.astype(dict.fromkeys(integers, "Int64"))


def _only(column: pd.Series) -> int:
    (value,) = column.unique()
    return int(value)
