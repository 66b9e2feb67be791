"""Statistics over model seeds of the differences of linear probes, as one tidy table a probe.

A row is one budget, one set of heads (the first head seed, or all of several), one part of the
test probe, and one epoch. Differences are first history minus second, as shares of 1. ``role``
says what a row is for: ``primary`` (whole test probe, last epoch), ``secondary`` (its parts, last
epoch), or ``exploratory`` (earlier epochs).

``seeds`` is the number of model seeds, ``n`` how many of them count: where the checkpoint is the
behavioural match, seeds without one are left out and listed in ``unmatched_seeds``.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.jobs.probe import ProbeSettings
from hysteresis.statistics.experiments import BOOTSTRAP_SEED
from hysteresis.statistics.paired import equivalence_test, paired_statistics
from hysteresis.statistics.seeds import listed, statistics_columns, tidy

EXPLORATORY_EPOCHS = (1, 2, 5, 10)
WHOLE = "full"


class _Row(NamedTuple):
    """Where one row of the statistics stands; ``suffix`` ends the columns of its part."""

    images_per_class: int
    heads: tuple[int, ...]
    part: str
    suffix: str
    epoch: int


def summarise_probe(
    name: str, settings: ProbeSettings, rows: pd.DataFrame, seeds: Sequence[int]
) -> pd.DataFrame:
    """Statistics of probe tables (see :mod:`hysteresis.probes.heads`), of all ``seeds`` in order.

    A seed without rows is one that was not probed because its pair never matches.
    """
    probed = set(rows["seed"])
    present = [seed for seed in seeds if seed in probed]
    unmatched = [seed for seed in seeds if seed not in probed]
    if unmatched and not settings.at_match:
        raise UserError(f"probes: {name}: no rows of seed {unmatched[0]}; rebuild its table")
    labels = {
        "probe": name,
        "experiment": settings.experiment,
        "layer": settings.layer,
        "checkpoint": settings.checkpoint,
        "at_match": settings.at_match,
    }
    counted = {"seeds": len(seeds), "unmatched_seeds": listed(unmatched)}
    table = tidy(
        labels | _place(row, settings) | counted | _statistics_of(row, settings, rows, present)
        for row in _rows_of(settings, parts_of(rows))
    )
    return table.astype({"checkpoint": "Int64"})


def reported_epochs(last: int) -> list[int]:
    """The epochs with statistics: the last, which is primary, and earlier ones."""
    return [*(epoch for epoch in EXPLORATORY_EPOCHS if epoch < last), last]


def _rows_of(settings: ProbeSettings, parts: dict[str, str]) -> Iterator[_Row]:
    for budget in settings.budgets:
        several = [budget.head_seeds] if len(budget.head_seeds) > 1 else []
        for heads in (budget.head_seeds[:1], *several):
            for part, suffix in parts.items():
                for epoch in reported_epochs(settings.head.epochs):
                    yield _Row(budget.images_per_class, heads, part, suffix, epoch)


def _place(row: _Row, settings: ProbeSettings) -> dict[str, object]:
    return {
        "images_per_class": row.images_per_class,
        "head_seeds": len(row.heads),
        "part": row.part,
        "epoch": row.epoch,
        "role": _role(row, settings),
    }


def _role(row: _Row, settings: ProbeSettings) -> str:
    if row.epoch < settings.head.epochs:
        return "exploratory"
    return "primary" if row.part == WHOLE else "secondary"


def _statistics_of(
    row: _Row, settings: ProbeSettings, rows: pd.DataFrame, seeds: Sequence[int]
) -> dict[str, object]:
    chosen = rows[
        (rows["images_per_class"] == row.images_per_class)
        & rows["head_seed"].isin(row.heads)
        & (rows["epoch"] == row.epoch)
    ]
    result = _statistics(chosen, row, seeds)
    largest = row.images_per_class == settings.largest_budget
    if largest and _role(row, settings) == "primary":
        result |= _equivalence(chosen, row, seeds, settings.equivalence_margin)
    return result


def parts_of(rows: pd.DataFrame) -> dict[str, str]:
    """The test probe and its parts by name, each with the ending of its columns."""
    endings = [
        column.removeprefix("correct_") for column in rows.columns if column.startswith("correct_")
    ]
    return {WHOLE: ""} | {end.removesuffix("_part").upper(): f"_{end}" for end in endings}


def count_differences(
    rows: pd.DataFrame, suffix: str, seeds: Sequence[int]
) -> tuple[list[int], int]:
    """First minus second side, correct predictions summed over heads, and the images behind them.

    A sum of counts is the mean over heads times their number, and exact.
    """
    sums = rows.pivot_table(
        index="seed", columns="side", values=f"correct{suffix}", aggfunc="sum", sort=False
    ).loc[list(seeds)]
    (total,) = rows.groupby(["seed", "side"])[f"total{suffix}"].sum().unique()
    return (sums["first"] - sums["second"]).tolist(), int(total)


def _statistics(rows: pd.DataFrame, row: _Row, seeds: Sequence[int]) -> dict[str, object]:
    if not seeds:
        return statistics_columns(None)
    found = rows.groupby(["seed", "side"], sort=False).size()
    if len(found) != 2 * len(seeds) or not (found == len(row.heads)).all():
        raise UserError(
            f"probes: epoch {row.epoch}: not every seed has {len(row.heads)} heads on both sides; "
            "rebuild the probe tables"
        )
    differences, total = count_differences(rows, row.suffix, seeds)
    result = paired_statistics(differences, BOOTSTRAP_SEED + row.epoch).scaled(1 / total)
    means = rows.groupby("side")[f"correct{row.suffix}"].sum() / (total * len(seeds))
    accuracies = {f"accuracy_{side}": means[side] for side in ("first", "second")}
    return accuracies | statistics_columns(result)


def _equivalence(
    rows: pd.DataFrame, row: _Row, seeds: Sequence[int], margin: float
) -> dict[str, object]:
    """Two one-sided t tests at 0.05, on counts, with their 90% t interval as shares of 1."""
    if not seeds:
        return {"margin": margin}
    differences, total = count_differences(rows, row.suffix, seeds)
    # The decimal as it is written, so that 0.005 of 2,000 images are 10 images.
    test = equivalence_test(differences, float(Fraction(str(margin)) * total))
    interval = test.interval.scaled(1 / total)
    return {
        "margin": margin,
        "tost_p_lower": test.p_lower,
        "tost_p_upper": test.p_upper,
        "t90_low": interval.low,
        "t90_high": interval.high,
        "equivalent": test.equivalent,
    }
