"""Sentences below the printed tables: few seeds, and seeds that are left out."""

from collections.abc import Iterable

import pandas as pd

from hysteresis.statistics.experiments import FEW_SEEDS, FEW_SEEDS_NOTE


def few_seeds_notes(counts: pd.Series) -> list[str]:
    """A warning where any of the ``counts`` of seeds is small."""
    return [FEW_SEEDS_NOTE] if (counts < FEW_SEEDS).any() else []


def left_out_notes(labels: Iterable[str], undefined_seeds: Iterable[str]) -> list[str]:
    """Of each row the seeds in which its quantity is undefined; rows of the same seeds together."""
    rows_of: dict[str, list[str]] = {}
    for label, seeds in zip(labels, undefined_seeds, strict=True):
        if seeds:
            rows_of.setdefault(seeds, []).append(label)
    return [
        f"Seeds with an undefined value, dead layers in brackets: {seeds}, in "
        f"{'; '.join(dict.fromkeys(rows))}. The other seeds are counted."
        for seeds, rows in rows_of.items()
    ]
