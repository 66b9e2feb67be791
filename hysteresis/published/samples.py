"""The per-seed values behind each number of the paper, whoever measured them.

The published per-seed tables and those of this rebuild come in one form, so that both are reduced
by the same code: a published number and its reproduction differ in their data alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from hysteresis.statistics.experiments import BOOTSTRAP_SEED
from hysteresis.statistics.paired import DEFAULT_RESAMPLES, equivalence_test, paired_statistics
from hysteresis.statistics.quantities import at_step, matched_endpoints, quantities

MATCHED = "matched"
PROBES = ("probe", "probe_five_heads")
PROBE_EPOCHS = 20
EQUIVALENCE_MARGIN = 0.5  # percentage points

_ACTIVATIONS = ("leaky_relu", "relu")  # in this order: the shorter name ends the longer
_PERCENT = ("points", "percent")


@dataclass(frozen=True)
class SeedTables:
    """Per-seed results under the paper's names of its experiments.

    ``pairs``: pair tables of main, long, rotated, activation_relu and activation_leaky_relu, with
    columns ``correct_abc`` and ``correct_bac`` for the first and the second history; an experiment
    may be absent. ``probes``: a row a budget (``images_per_class``), number of heads (``heads``)
    and seed, with ``correct_difference`` of ``total`` answers (summed over heads), or None.
    """

    pairs: Mapping[str, pd.DataFrame]
    probes: pd.DataFrame | None = None


@dataclass(frozen=True)
class Sample:
    """Values at one endpoint: ``values`` by seed, in seed order; times ``factor`` shares or scores.

    ``seeds`` are all that were run: at the matched endpoint ``values`` lack those without a match.
    ``endpoint_seed`` seeds the bootstrap of the mean.
    """

    values: pd.Series
    factor: float
    endpoint_seed: int
    seeds: tuple[int, ...]

    def of_seeds(self, seeds: tuple[int, ...]) -> "Sample":
        """The same of those of ``seeds`` that it has, in their order."""
        kept = tuple(seed for seed in seeds if seed in self.seeds)
        values = self.values.loc[[seed for seed in kept if seed in self.values.index]]
        return Sample(values, self.factor, self.endpoint_seed, kept)

    def counted(self) -> "Sample":
        """For each seed 1 if it has a value, else 0; the mean times the factor is their count."""
        counted = [int(seed in self.values.index) for seed in self.seeds]
        values = pd.Series(counted, index=list(self.seeds))
        return Sample(values, float(len(self.seeds)), self.endpoint_seed, self.seeds)


def sample_of(tables: SeedTables, experiment: str, endpoint: str, quantity: str) -> Sample | None:
    """The sample behind a number of aggregates.csv; None where the tables do not hold it."""
    if experiment in PROBES:
        return _probe_sample(tables.probes, endpoint)
    if experiment == "activation":
        return _activation_sample(tables, endpoint, quantity)
    if experiment not in tables.pairs:
        return None
    pairs = tables.pairs[experiment]
    if "_to_" in endpoint:
        earlier, later = (_pair_sample(pairs, step, "h_repr") for step in endpoint.split("_to_"))
        return _difference(later, earlier)
    return _pair_sample(pairs, endpoint, quantity)


def statistic(sample: Sample, name: str, unit: str, resamples: int = DEFAULT_RESAMPLES) -> float:
    """One statistic of aggregates.csv in its unit; points and percent are hundredths.

    Raises ValueError where values are not finite or there is none.
    """
    if name == "n":
        return len(sample.values)
    factor = sample.factor * (100 if unit in _PERCENT or name.startswith("t90") else 1)
    values = sample.values.to_numpy()
    if name.startswith(("t90", "tost")):
        # In points whatever the unit: p has none.
        test = equivalence_test(values * sample.factor * 100, EQUIVALENCE_MARGIN)
        ends = {"t90_low": test.interval.low, "t90_high": test.interval.high}
        return {**ends, "tost_p_lower": test.p_lower, "tost_p_upper": test.p_upper}[name]
    result = paired_statistics(values, sample.endpoint_seed, resamples).scaled(factor)
    named = {
        "t_low": result.t_interval.low,
        "t_high": result.t_interval.high,
        "bootstrap_low": result.bootstrap_interval.low,
        "bootstrap_high": result.bootstrap_interval.high,
        "positive_count": result.sign.positive,
        "negative_count": result.sign.negative,
        "sign_p": result.sign.p_value,
    }
    return named[name] if name in named else getattr(result, name)


# ---- samples ---------------------------------------------------------------------------------


def _pair_sample(pairs: pd.DataFrame, endpoint: str, quantity: str) -> Sample | None:
    step = None if endpoint == MATCHED else int(endpoint)
    rows = matched_endpoints(pairs) if step is None else at_step(pairs, step)
    seeds = tuple(int(seed) for seed in pairs["seed"].drop_duplicates())
    bootstrap_seed = BOOTSTRAP_SEED + (step or 0)
    if rows.empty:
        # No seed matches: a sample without values. No such checkpoint: no sample.
        empty = pd.Series(dtype=np.float64)
        return Sample(empty, 1.0, bootstrap_seed, seeds) if step is None else None
    name = "prediction_disagreement" if quantity == "disagreement" else quantity
    values, factor = quantities(rows)[name]
    return Sample(pd.Series(values, index=rows["seed"].to_list()), factor, bootstrap_seed, seeds)


def _activation_sample(tables: SeedTables, endpoint: str, quantity: str) -> Sample | None:
    sides = [f"activation_{activation}" for activation in _ACTIVATIONS]
    if quantity == "h_repr_leaky_minus_relu":
        if any(side not in tables.pairs for side in sides):
            return None
        leaky, relu = (_pair_sample(tables.pairs[side], endpoint, "h_repr") for side in sides)
        return _difference(leaky, relu)
    activation = next(name for name in _ACTIVATIONS if quantity.endswith(f"_{name}"))
    side = f"activation_{activation}"
    if side not in tables.pairs:
        return None
    return _pair_sample(tables.pairs[side], endpoint, quantity.removesuffix(f"_{activation}"))


def _difference(minuend: Sample | None, subtrahend: Sample | None) -> Sample | None:
    """Minuend minus subtrahend, seed by seed, over the seeds of both."""
    if minuend is None or subtrahend is None:
        return None
    seeds = tuple(seed for seed in minuend.seeds if seed in subtrahend.seeds)
    values = (minuend.values - subtrahend.values).loc[list(seeds)]
    return Sample(values, minuend.factor, minuend.endpoint_seed, seeds)


def _probe_sample(probes: pd.DataFrame | None, endpoint: str) -> Sample | None:
    if probes is None:
        return None
    heads = 5 if endpoint.endswith("five_heads") else 1
    images = int(endpoint.split("_")[0])
    rows = probes[(probes["images_per_class"] == images) & (probes["heads"] == heads)]
    if rows.empty:
        return None
    (total,) = rows["total"].unique()
    values = pd.Series(rows["correct_difference"].to_numpy(), index=rows["seed"].to_list())
    seeds = tuple(int(seed) for seed in rows["seed"])
    return Sample(values, 1 / total, BOOTSTRAP_SEED + PROBE_EPOCHS, seeds)
