"""Probe tables for tests: from the published numbers, and invented ones."""

import numpy as np
import pandas as pd

from hysteresis.jobs.probe import Budget, HeadSettings, ProbeSettings
from hysteresis.pairs.matching import counts_from_fractions
from tests.conftest import ROOT

TOTALS = {"full": 2_000, "A": 1_000, "B": 1_000}
HEAD_SEEDS = (777, 1777, 2777, 3777, 4777)
PAPER = ProbeSettings(
    "main",
    "fc1",
    tuple(Budget(size, HEAD_SEEDS if size == 50 else (777,)) for size in (25, 50, 100, 500)),
    checkpoint=10_000,
)


def published(name: str) -> pd.DataFrame:
    return pd.read_csv(ROOT / f"workflow/published/{name}.csv")


def published_rows() -> pd.DataFrame:
    """The record's last epoch of head seed 777 in the form of our probe tables."""
    table = published("probe_final_epoch")
    place = ["images_per_class", "seed"]
    table = table.rename(columns={"examples_per_class": "images_per_class"})
    sides = []
    for side, history in (("first", "ABC"), ("second", "BAC")):
        rows = table[place].drop_duplicates().assign(head_seed=777, epoch=20, side=side)
        for domain, total in TOTALS.items():
            suffix = "" if domain == "full" else f"_{domain.lower()}_part"
            found = table[table["domain"] == domain]
            counts = counts_from_fractions(found[f"accuracy_{history.lower()}"], total)
            rows[f"total{suffix}"], rows[f"correct{suffix}"] = total, counts
        sides.append(rows.assign(history=history))
    return pd.concat(sides, ignore_index=True)


def published_repeated_rows() -> pd.DataFrame:
    """Five heads at 50 images a digit whose summed differences are the record's means.

    The record keeps the mean over five heads of each seed; how it spreads over them is invented.
    """
    table = published("probe_seed_robustness")
    sums = counts_from_fractions(table["mean_signed_difference"], 5 * TOTALS["full"])
    rows = []
    for seed, summed in zip(table["seed"], sums, strict=True):
        for place, head_seed in enumerate(HEAD_SEEDS):
            difference = summed // 5 + (summed % 5 if place == 0 else 0)
            for side, correct in (("first", 1_800 + difference), ("second", 1_800)):
                rows.append(
                    {
                        "seed": seed, "images_per_class": 50, "head_seed": head_seed,
                        "epoch": 20, "side": side, "total": 2_000, "correct": correct,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows)


def invented_rows(settings: ProbeSettings, seeds: list[int]) -> pd.DataFrame:
    """Complete probe tables in which the first history is better by a little."""
    generator = np.random.default_rng(5)
    rows = []
    for seed in seeds:
        for budget in settings.budgets:
            better = 20 / budget.images_per_class**0.5
            for head_seed in budget.head_seeds:
                for epoch in range(1, settings.head.epochs + 1):
                    for side in ("first", "second"):
                        mean = 1_800 + epoch + better * (side == "first")
                        a_part = int(generator.normal(mean / 2, 6))
                        b_part = int(generator.normal(mean / 2, 6))
                        rows.append(
                            {
                                "seed": seed,
                                "images_per_class": budget.images_per_class,
                                "head_seed": head_seed, "epoch": epoch, "side": side,
                                "total": 2_000, "correct": a_part + b_part,
                                "total_a_part": 1_000, "correct_a_part": a_part,
                                "total_b_part": 1_000, "correct_b_part": b_part,
                            }
                        )  # fmt: skip
    return pd.DataFrame(rows)


def short(epochs: int = 3, checkpoint: int | None = 150) -> ProbeSettings:
    """Small budgets, of which the first has two heads; without a checkpoint at the match."""
    budgets = (Budget(5, (777, 1777)), Budget(10, (777,)))
    return ProbeSettings(
        "main", "fc1", budgets, checkpoint, checkpoint is None, HeadSettings(epochs=epochs)
    )
