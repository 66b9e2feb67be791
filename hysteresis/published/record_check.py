"""Every number that the paper prints, recomputed from the published per-seed values.

Twice: with the record's own arithmetic, which must give each printed digit, and with the paper's
declarations on integer counts, which must differ just where departures.csv says (see
docs/record.md). No training and no data set is needed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from hysteresis.errors import UserError
from hysteresis.jobs.pair import MatchSettings
from hysteresis.published import seeds as published
from hysteresis.published.samples import MATCHED, SeedTables, sample_of, statistic
from hysteresis.statistics.experiments import BOOTSTRAP_SEED
from hysteresis.statistics.paired import DEFAULT_RESAMPLES, wilcoxon_test
from hysteresis.statistics.quantities import matched_endpoints

# For the repeated heads alone the record drew other resamples than it declares.
_RECORD_RESAMPLES = {"probe_five_heads": 50_000}
_RECORD_BOOTSTRAP_SEEDS = {"probe_five_heads": BOOTSTRAP_SEED}
_ROUNDING = 1e-12  # of a computed value; a printed tie may go either way


# ---- the record's own arithmetic -------------------------------------------------------------


@dataclass(frozen=True)
class Arithmetics:
    """The same published seeds twice: as the record computed with them, and as it declares to."""

    record: SeedTables
    exact: SeedTables


def read_both(folder: Path) -> Arithmetics:
    """The published seeds from workflow/published."""
    exact = published.seed_tables(folder)
    return Arithmetics(_record_tables(folder, exact), exact)


def _record_tables(folder: Path, exact: SeedTables) -> SeedTables:
    """Float32 noise where it was stored, and matches decided in doubles."""
    pairs = dict(exact.pairs)
    protocol = published.read_protocol(folder)
    for name in published.RELAXATIONS:
        stored = published.read(folder, f"{name}_relaxation").sort_values(["seed", "step"])
        pairs[name] = pairs[name].assign(
            behavioral_match=_matches_in_doubles(stored, protocol.analysis.match).to_numpy(),
            disagreements=_noisy(stored["prediction_disagreement"], pairs[name]),
        )
    stored = published.read(folder, "activation_control").sort_values(["seed", "step"])
    for activation in published.ACTIVATIONS:
        name, column = f"activation_{activation}", f"prediction_disagreement_{activation}"
        pairs[name] = pairs[name].assign(disagreements=_noisy(stored[column], pairs[name]))
    return SeedTables(pairs, _record_probes(folder))


def _noisy(shares: pd.Series, pairs: pd.DataFrame) -> np.ndarray:
    return shares.to_numpy() * pairs["probe_images"].to_numpy()


def _matches_in_doubles(stored: pd.DataFrame, match: MatchSettings) -> pd.Series:
    gap = (stored["accuracy_abc"] - stored["accuracy_bac"]).abs()
    accurate = stored[["accuracy_abc", "accuracy_bac"]].min(axis=1) >= match.min_accuracy
    return (gap <= match.max_accuracy_gap) & accurate


def _record_probes(folder: Path) -> pd.DataFrame:
    """Differences of float32 accuracies as shares, so of a total of 1."""
    table = published.read(folder, "probe_final_epoch")
    table = table[table["domain"] == "full"]
    first, second = (
        table[f"accuracy_{history}"].to_numpy(np.float32).astype(np.float64)
        for history in ("abc", "bac")
    )
    single = table[["seed"]].assign(
        images_per_class=table["examples_per_class"], heads=1, correct_difference=first - second
    )
    repeated = published.read(folder, "probe_seed_robustness")
    repeated = repeated[["seed"]].assign(
        images_per_class=50,
        heads=published.FIVE_HEADS,
        correct_difference=repeated["mean_signed_difference"],
    )
    return pd.concat([single, repeated], ignore_index=True).assign(total=1)


# ---- printed, recomputed, exact --------------------------------------------------------------


def recompute(aggregates: pd.DataFrame, seeds: Arithmetics) -> pd.DataFrame:
    """A row a printed number.

    ``recomputed`` is text with the printed number's decimals, by the record's own arithmetic, and
    ``agrees`` whether it has the printed digits; ``exact`` is text by the declared arithmetic, and
    ``exact_agrees`` whether it rounds to the printed number.
    """
    rows = []
    for row in aggregates.to_dict("records"):
        digits = f"{'+' if row['printed'].startswith('+') else ''}.{row['decimals']}f"
        of_record, declared = _record_value(seeds.record, row), _value(seeds.exact, row)
        number = float(row["printed"])
        recomputed = {
            "recomputed": f"{of_record:{digits}}",
            "agrees": f"{of_record:{digits}}" == f"{number:{digits}}",
            "exact": f"{declared:{digits}}",
            "exact_agrees": abs(declared - number) <= 0.5 * 10.0 ** -row["decimals"] + _ROUNDING,
        }
        rows.append({**row, **recomputed})
    return pd.DataFrame(rows)


def _value(tables: SeedTables, row: Mapping[str, object]) -> float:
    sample = sample_of(tables, row["experiment"], row["endpoint"], row["quantity"])
    return statistic(sample, row["statistic"], row["unit"])


def _record_value(tables: SeedTables, row: Mapping[str, object]) -> float:
    sample = sample_of(tables, row["experiment"], row["endpoint"], row["quantity"])
    seed = _RECORD_BOOTSTRAP_SEEDS.get(row["experiment"], sample.endpoint_seed)
    resamples = _RECORD_RESAMPLES.get(row["experiment"], DEFAULT_RESAMPLES)
    return statistic(replace(sample, endpoint_seed=seed), row["statistic"], row["unit"], resamples)


def undocumented(table: pd.DataFrame, departures: pd.DataFrame) -> list[str]:
    """One line for each number that is not as documented; empty when all are.

    Documented is: the record's arithmetic gives every printed digit, and the declared arithmetic
    gives them too, or what ``departures`` (key, exact, reason) says.
    """
    expected = dict(zip(departures["key"], departures["exact"], strict=True))
    lines = [
        f"{key}: no such number is printed" for key in expected if key not in set(table["key"])
    ]
    for row in table.to_dict("records"):
        key, exact = row["key"], row["exact"]
        if not row["agrees"]:
            lines.append(f"{key}: printed {row['printed']}, but the seeds give {row['recomputed']}")
        if key in expected and exact != expected[key]:
            lines.append(f"{key}: exactly {exact}, not {expected[key]} as documented")
        if key not in expected and not row["exact_agrees"]:
            lines.append(f"{key}: exactly {exact}, undocumented beside {row['printed']}")
    return lines


def check(table: pd.DataFrame, departures: pd.DataFrame) -> None:
    """Raise UserError, in one line, unless everything is as documented."""
    lines = undocumented(table, departures)
    if lines:
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        raise UserError(
            f"not as documented: {lines[0]}{more}; restore workflow/published, or mend "
            "departures.csv and docs/record.md if the published numbers themselves were corrected"
        )


# ---- the record's two faults -----------------------------------------------------------------


def matched_counts(seeds: Arithmetics, experiment: str) -> tuple[int, int, int]:
    """How many seeds match in the record's doubles, how many as declared, and of how many."""
    record, exact = (
        sample_of(tables, experiment, MATCHED, "h_repr") for tables in (seeds.record, seeds.exact)
    )
    return len(record.values), len(exact.values), len(exact.seeds)


def lost_matches(seeds: Arithmetics, experiment: str) -> pd.DataFrame:
    """The checkpoints of first matches that the record's doubles lost: rows of the pair table."""
    found, declared = (
        matched_endpoints(tables.pairs[experiment]) for tables in (seeds.record, seeds.exact)
    )
    return declared[~declared.index.isin(found.index)]


def signed_rank_tests(seeds: Arithmetics) -> pd.DataFrame:
    """Wilcoxon W and p of each probe difference, in the record's float32 and on exact counts."""
    rows = []
    for budget in seeds.exact.probes[["images_per_class", "heads"]].drop_duplicates().itertuples():
        row = {"images_per_class": budget.images_per_class, "heads": budget.heads}
        for name, tables in (("record", seeds.record), ("exact", seeds.exact)):
            same = (tables.probes["images_per_class"] == budget.images_per_class) & (
                tables.probes["heads"] == budget.heads
            )
            tested = wilcoxon_test(tables.probes.loc[same, "correct_difference"])
            row[f"{name}_w"], row[f"{name}_p"] = tested
        rows.append(row)
    return pd.DataFrame(rows)
