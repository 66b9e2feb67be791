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
from hysteresis.pairs.columns import column_name, parts_of
from hysteresis.probes.columns import SIDES
from hysteresis.statistics.experiments import BOOTSTRAP_SEED
from hysteresis.statistics.paired import equivalence_test, paired_statistics
from hysteresis.statistics.seeds import listed, statistics_columns, tidy

EXPLORATORY_EPOCHS = (1, 2, 5, 10)
WHOLE = "full"


class _Row(NamedTuple):
    """Where one row of the statistics stands; ``part`` is empty for the whole test probe."""

    images_per_class: int
    heads: tuple[int, ...]
    part: str
    epoch: int


def summarise_probe(
    name: str, settings: ProbeSettings, rows: pd.DataFrame, seeds: Sequence[int]
) -> pd.DataFrame:
    """Statistics of probe tables (see :mod:`hysteresis.probes.columns`), of all ``seeds`` in order.

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
        for row in _rows_of(settings, ("", *parts_of(rows.columns)))
    )
    return table.astype({"checkpoint": "Int64"})


def reported_epochs(last: int) -> list[int]:
    """The epochs with statistics: the last, which is primary, and earlier ones."""
    return [*(epoch for epoch in EXPLORATORY_EPOCHS if epoch < last), last]


def _rows_of(settings: ProbeSettings, parts: Sequence[str]) -> Iterator[_Row]:
    for budget in settings.budgets:
        several = [budget.head_seeds] if len(budget.head_seeds) > 1 else []
        for heads in (budget.head_seeds[:1], *several):
            for part in parts:
                for epoch in reported_epochs(settings.head.epochs):
                    yield _Row(budget.images_per_class, heads, part, epoch)


def _place(row: _Row, settings: ProbeSettings) -> dict[str, object]:
    return {
        "images_per_class": row.images_per_class,
        "head_seeds": len(row.heads),
        "part": row.part.upper() or WHOLE,
        "epoch": row.epoch,
        "role": _role(row, settings),
    }


def _role(row: _Row, settings: ProbeSettings) -> str:
    if row.epoch < settings.head.epochs:
        return "exploratory"
    return "secondary" if row.part else "primary"


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


def count_differences(rows: pd.DataFrame, part: str, seeds: Sequence[int]) -> tuple[list[int], int]:
    """First minus second side, correct predictions summed over heads, and the images behind them.

    Of one ``part`` of the test probe, or of all of it where that is empty.
    A sum of counts is the mean over heads times their number, and exact.
    """
    correct, total = column_name("correct", part=part), column_name("total", part=part)
    sums = rows.pivot_table(
        index="seed", columns="side", values=correct, aggfunc="sum", sort=False
    ).loc[list(seeds)]
    (images,) = rows.groupby(["seed", "side"])[total].sum().unique()
    first, second = (sums[side] for side in SIDES)
    return (first - second).tolist(), int(images)


def _statistics(rows: pd.DataFrame, row: _Row, seeds: Sequence[int]) -> dict[str, object]:
    if not seeds:
        return statistics_columns(None)
    found = rows.groupby(["seed", "side"], sort=False).size()
    if len(found) != 2 * len(seeds) or not (found == len(row.heads)).all():
        raise UserError(
            f"probes: epoch {row.epoch}: not every seed has {len(row.heads)} heads on both sides; "
            "rebuild the probe tables"
        )
    differences, total = count_differences(rows, row.part, seeds)
    result = paired_statistics(differences, BOOTSTRAP_SEED + row.epoch).scaled(1 / total)
    means = rows.groupby("side")[column_name("correct", part=row.part)].sum() / (total * len(seeds))
    accuracies = {f"accuracy_{side}": means[side] for side in SIDES}
    return accuracies | statistics_columns(result)


def _equivalence(
    rows: pd.DataFrame, row: _Row, seeds: Sequence[int], margin: float
) -> dict[str, object]:
    """Two one-sided t tests at 0.05, on counts, with their 90% t interval as shares of 1."""
    if not seeds:
        return {"margin": margin}
    differences, total = count_differences(rows, row.part, seeds)
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
