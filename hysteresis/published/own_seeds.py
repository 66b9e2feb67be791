"""This rebuild's per-seed results in the form of the published ones."""

import pandas as pd

from hysteresis.jobs.probe import PairProbe
from hysteresis.pairs.columns import column_name
from hysteresis.published.design import Counterparts
from hysteresis.published.samples import SeedTables
from hysteresis.statistics.probes import count_differences

_COLUMNS = [
    "seed", "step", "total", "correct_abc", "correct_bac", "correct_difference",
    "behavioral_match", "h_repr", "probe_images", "disagreements",
]  # fmt: skip


def seed_tables(design: Counterparts, pairs: pd.DataFrame, probes: pd.DataFrame) -> SeedTables:
    """Pair tables (told apart by their ``experiment``) and probe tables under the paper's names.

    Either may be empty; an experiment without rows is left out.
    """
    named = {}
    for role, counterpart in design.experiments.items():
        first, second = counterpart.comparison.first, counterpart.comparison.second
        rows = pairs[pairs["experiment"] == counterpart.comparison.experiment]
        if len(rows):
            # In the published tables ABC is the first history, whatever its name here.
            columns = {
                column_name("correct", of=first.history): "correct_abc",
                column_name("correct", of=second.history): "correct_bac",
            }
            named[role] = rows.rename(columns=columns)[_COLUMNS].reset_index(drop=True)
    return SeedTables(named, _probe_differences(design.probe, probes) if len(probes) else None)


def _probe_differences(design: PairProbe, probes: pd.DataFrame) -> pd.DataFrame:
    """At the last epoch, of the first head and of all heads of each budget."""
    final = probes[probes["epoch"] == design.head.epochs]
    seeds = final["seed"].drop_duplicates().tolist()
    tables = []
    for budget in design.budgets:
        several = [budget.head_seeds] if len(budget.head_seeds) > 1 else []
        for heads in (budget.head_seeds[:1], *several):
            rows = final[
                (final["images_per_class"] == budget.images_per_class)
                & final["head_seed"].isin(heads)
            ]
            differences, total = count_differences(rows, "", seeds)
            table = pd.DataFrame({"seed": seeds, "correct_difference": differences})
            place = {"images_per_class": budget.images_per_class, "heads": len(heads)}
            tables.append(table.assign(**place, total=total))
    return pd.concat(tables, ignore_index=True)
