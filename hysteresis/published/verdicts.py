"""The numbers of a rebuild beside the published ones, each with a verdict by one stated rule.

A verdict is about the per-seed values behind a printed number, over the seeds that both have: the
ends of an interval, a p value or an effect size carry the verdict of the mean of their values.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hysteresis.published import design
from hysteresis.published.correlation import Correlation, pearson
from hysteresis.published.design import Counterpart, Counterparts
from hysteresis.published.samples import MATCHED, PROBES, Sample, SeedTables, sample_of, statistic
from hysteresis.statistics.paired import (
    UNDEFINED_INTERVAL,
    Interval,
    bootstrap_interval,
    paired_statistics,
    t_interval,
)

ALPHA = 0.05
SAMPLE = ("experiment", "endpoint", "quantity")  # columns that say whose values are behind a number
NO_PAIRS = Correlation(0)
AGREES, DIFFERS, NOT_RUN = "agrees", "differs", "not run"
RULE = (
    "A number *agrees* when the published mean lies inside the reproduced 95% interval (Student t "
    "for probes, bootstrap otherwise), or when the two per-seed samples do not differ: over the "
    "shared seeds neither the paired t test nor Wilcoxon's signed-rank test has "
    f"p < {ALPHA:g}. It *differs* when neither holds, and is *not run* where this "
    "configuration has no like endpoint to compare. To agree is not to be proven equal: few seeds "
    "tell little apart."
)

_UNITS = {"points": 100, "percent": 100, "score": 1}  # of a value; a p or a d_z has none


@dataclass(frozen=True)
class Judgement:
    """A verdict, what decided it, and what it was decided on.

    ``decided_by`` is ``interval`` or ``paired tests`` where they agree, both where they differ, or
    why nothing was run. ``interval`` is that of the reproduced mean, in the samples' own unit; the
    tests and the correlation are of the seeds that have a value on both sides.
    """

    verdict: str
    decided_by: str
    interval: Interval = UNDEFINED_INTERVAL
    t_p: float = np.nan
    wilcoxon_p: float = np.nan
    correlation: Correlation = NO_PAIRS


def not_run(reason: str) -> Judgement:
    """No verdict, and why."""
    return Judgement(NOT_RUN, reason)


def judge(published: Sample, reproduced: Sample, use_t_interval: bool) -> Judgement:
    """Apply the rule to two samples of the same seeds, in the same unit."""
    undefined = [seed for seed, value in reproduced.values.items() if not np.isfinite(value)]
    if undefined:
        return not_run(f"undefined for seed {undefined[0]}")
    for name, sample in (("published", published), ("rebuilt", reproduced)):
        if sample.values.empty:
            return not_run(f"no shared seed matches among the {name}")
    if len(reproduced.values) == 1:
        return not_run("one seed has neither interval nor test")
    values = reproduced.values.to_numpy()
    if use_t_interval:
        interval = t_interval(values)
    else:
        interval = bootstrap_interval(values, reproduced.endpoint_seed)
    shared = [seed for seed in published.values.index if seed in reproduced.values.index]
    one, other = published.values.loc[shared], reproduced.values.loc[shared]
    t_p, wilcoxon_p = _paired_tests(other - one)
    verdict, decided_by = DIFFERS, "interval and paired tests"
    if interval.low <= published.values.mean() <= interval.high:
        verdict, decided_by = AGREES, "interval"
    elif len(shared) < 2:
        verdict, decided_by = NOT_RUN, "too few pairs for a test"
    elif not any(p < ALPHA for p in (t_p, wilcoxon_p)):
        # An undefined t (all differences equal) leaves this to the signed ranks.
        verdict, decided_by = AGREES, "paired tests"
    return Judgement(verdict, decided_by, interval, t_p, wilcoxon_p, pearson(one, other))


def _paired_tests(differences: pd.Series) -> tuple[float, float]:
    if differences.empty:
        return np.nan, np.nan
    result = paired_statistics(differences.to_numpy(), seed=0, resamples=1)
    return result.t_p, result.wilcoxon_p


# ---- all numbers -----------------------------------------------------------------------------


@dataclass(frozen=True)
class PublishedAndOwn:
    """Both sides of the comparison: per-seed values, and the design that they were made by."""

    published: SeedTables
    published_design: Counterparts
    own: SeedTables
    own_design: Counterparts


def verdicts_on(aggregates: pd.DataFrame, both: PublishedAndOwn) -> pd.DataFrame:
    """A row a printed number, in its unit, with its reproduction and the verdict.

    ``published`` is recomputed exactly from the seeds that both sides have (all published ones
    where nothing was run); ``interval_low`` and ``interval_high`` are of the reproduced mean, and
    NaN where the number is not in the unit of its values. ``r`` is Pearson's correlation of the
    ``pairs`` of per-seed values, with its 95% interval.
    """
    judged: dict[tuple[object, ...], tuple[Sample, Sample | None, Judgement]] = {}
    rows = []
    for row in aggregates.to_dict("records"):
        sample = (*(row[name] for name in SAMPLE), _is_count_of_seeds(row))
        if sample not in judged:
            judged[sample] = _judged(row, both)
        rows.append(_row(row, *judged[sample]))
    return pd.DataFrame(rows)


def _row(
    row: Mapping[str, object], published: Sample, reproduced: Sample | None, judgement: Judgement
) -> dict[str, object]:
    name = "mean" if _is_count_of_seeds(row) else row["statistic"]
    value, scale = np.nan, np.nan
    if judgement.verdict != NOT_RUN:
        value = statistic(reproduced, name, row["unit"])
        scale = reproduced.factor * _UNITS.get(row["unit"], np.nan)
        scale = reproduced.factor if _is_count_of_seeds(row) else scale
    expected = statistic(published, name, row["unit"])
    return {
        **row,
        "published": expected,
        "reproduced": value,
        "difference": value - expected,
        "interval_low": judgement.interval.low * scale,
        "interval_high": judgement.interval.high * scale,
        "published_n": len(published.values),
        "reproduced_n": 0 if judgement.verdict == NOT_RUN else len(reproduced.values),
        "pairs": judgement.correlation.n,
        "t_p": judgement.t_p,
        "wilcoxon_p": judgement.wilcoxon_p,
        "r": judgement.correlation.r,
        "r_low": judgement.correlation.interval.low,
        "r_high": judgement.correlation.interval.high,
        "r_p": judgement.correlation.p_value,
        "verdict": judgement.verdict,
        "decided_by": judgement.decided_by,
    }


def seed_values(aggregates: pd.DataFrame, both: PublishedAndOwn) -> pd.DataFrame:
    """A row a sample and published seed: both values as shares or scores, NaN where none is."""
    tables = []
    names = list(SAMPLE)
    for row in aggregates.drop_duplicates(names).assign(statistic="mean").to_dict("records"):
        place = {name: row[name] for name in names}
        whole = sample_of(both.published, *place.values())
        _, reproduced, judgement = _judged(row, both)
        own = pd.Series(dtype=float)
        if judgement.verdict != NOT_RUN:
            own = reproduced.values * reproduced.factor
        table = pd.DataFrame({"seed": list(whole.seeds)}).assign(**place)
        table["published"] = table["seed"].map(whole.values * whole.factor)
        table["reproduced"] = table["seed"].map(own)
        tables.append(table[[*names, "seed", "published", "reproduced"]])
    return pd.concat(tables, ignore_index=True)


def _judged(
    row: Mapping[str, object], both: PublishedAndOwn
) -> tuple[Sample, Sample | None, Judgement]:
    """Both samples of the shared seeds (without a verdict: all published ones), and the verdict."""
    place = (row["experiment"], row["endpoint"], row["quantity"])
    published = sample_of(both.published, *place)
    reason = next(_reasons_against(row, both), None)
    reproduced = None if reason else sample_of(both.own, *place)
    if reproduced is None:
        judgement = not_run(reason or "no results of it")
        return _counted(row, published), None, judgement
    shared = tuple(seed for seed in published.seeds if seed in reproduced.seeds)
    if not shared:
        return _counted(row, published), None, not_run("none of the published seeds")
    pair = [_counted(row, sample.of_seeds(shared)) for sample in (published, reproduced)]
    judgement = judge(*pair, use_t_interval=row["experiment"] in PROBES)
    if judgement.verdict == NOT_RUN:
        return _counted(row, published), None, judgement
    return *pair, judgement


def _is_count_of_seeds(row: Mapping[str, object]) -> bool:
    return row["statistic"] == "n"


def _counted(row: Mapping[str, object], sample: Sample) -> Sample:
    """How many seeds count is itself a sample: 1 or 0 a seed."""
    return sample.counted() if _is_count_of_seeds(row) else sample


# ---- like with like --------------------------------------------------------------------------


def experiments_behind(experiment: str, quantity: str) -> tuple[str, ...]:
    """The experiments, as SeedTables names them, that a number of aggregates.csv is made from."""
    if experiment in PROBES:
        return ("main",)
    if experiment != "activation":
        return (experiment,)
    activations = ("activation_leaky_relu", "activation_relu")
    if "minus" in quantity:
        return activations
    return activations[:1] if quantity.endswith("leaky_relu") else activations[1:]


def _reasons_against(row: Mapping[str, object], both: PublishedAndOwn) -> Iterator[str]:
    """Why a printed number has no counterpart of its kind in this configuration."""
    if row["experiment"] in PROBES:
        yield from _reasons_against_probe(str(row["endpoint"]), both)
        return
    for name in experiments_behind(row["experiment"], row["quantity"]):
        if name not in both.own_design.experiments:
            yield f"no experiment stands for {name}"
            continue
        own = both.own_design.experiments[name].comparison
        published = both.published_design.experiments[name].comparison
        for difference in design.design_differences(own, published):
            yield f"other protocol: {difference}"
        if row["endpoint"] == MATCHED:
            for difference in design.match_differences(own, published):
                yield f"other match: {difference}"
        else:
            for step in map(int, row["endpoint"].split("_to_")):
                if step not in own.steps:
                    yield f"no checkpoint at {step:,} updates"


def _reasons_against_probe(endpoint: str, both: PublishedAndOwn) -> Iterator[str]:
    own, published = both.own_design.probe, both.published_design.probe
    for difference in design.probe_differences(own, published):
        yield f"other probe: {difference}"
    images, heads = int(endpoint.split("_")[0]), 5 if "five" in endpoint else 1
    yield from design.budget_differences(own, published, images, heads)


def deviations(both: PublishedAndOwn) -> list[str]:
    """A line for each experiment that is not wholly the published one; [] if all are."""
    lines = []
    for name, published in both.published_design.experiments.items():
        own = both.own_design.experiments.get(name)
        found = ["is absent"] if own is None else _deviations_of_experiment(own, published)
        if found:
            lines.append(f"{name}: {'; '.join(found)}")
    found = _deviations_of_probe(both)
    return [*lines, *([f"probe: {'; '.join(found)}"] if found else [])]


def _deviations_of_experiment(own: Counterpart, published: Counterpart) -> list[str]:
    match = design.match_differences(own.comparison, published.comparison)
    return [
        *design.design_differences(own.comparison, published.comparison),
        *(line for line in match if line.startswith(design.CRITERION)),
        *design.coverage_differences(own, published),
    ]


def _deviations_of_probe(both: PublishedAndOwn) -> list[str]:
    """Those that are not already of the probed runs."""
    own, published = both.own_design.probe, both.published_design.probe
    runs = design.design_differences(
        both.own_design.experiments["main"].comparison,
        both.published_design.experiments["main"].comparison,
    )
    found = [line for line in design.probe_differences(own, published) if line not in runs]
    budgets = {budget.images_per_class for budget in published.budgets}
    shared = budgets & {budget.images_per_class for budget in own.budgets}
    if shared != budgets:
        found.append(f"{len(shared)} of the {len(budgets)} published budgets")
    return found
