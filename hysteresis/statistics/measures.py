"""Levels and contrasts of the six pairs under every measure of similarity, as one tidy table.

Measures have different units and signs. Levels are in the unit of the measure. Contrasts are turned
so that the crossed excess is positive when opposite orders lie further apart than reshuffled pairs
do, and ``d_z``, its mean over its standard deviation between seeds, can be set beside that of any
other.

The level of ``chance`` is the value that a measure gives for the observed pair when the images of
one network are shuffled. A measure cannot tell anything where the observed level is hardly better
than that, see :func:`tells`.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from hysteresis.measures.registry import MEASURES, Measure
from hysteresis.statistics.experiments import BOOTSTRAP_SEED
from hysteresis.statistics.orders import CONTRASTS, OBSERVED, by_pair
from hysteresis.statistics.seeds import (
    Row,
    SeedValues,
    statistics_of,
    tested_statistics_of,
    tidy,
    weighted_sum,
)

KEYS = ["step", "layer", "measure"]
# Of the way from chance to identity: less, and a measure is hardly better than chance.
LEAST_ABOVE_CHANCE = 0.05
# What each level is the mean of.
LEVELS = {"observed": ("02",), "floor": ("01", "23"), "crossed": ("03", "12")}
CHANCE = "chance"


def summarise_measures(
    six: Sequence[pd.DataFrame], measures: Mapping[str, Measure] = MEASURES
) -> pd.DataFrame:
    """Levels and contrasts from tables with a row a seed, step, layer and measure.

    ``six`` (columns ``value`` and ``chance``) are of the six experiments in the order of
    ``orders.PAIRS``. A row of the result is one ``role`` (a level, chance, or a contrast) at one
    step, layer and measure. Raises UserError when the six differ in seeds, steps, layers or
    measures.
    """
    pairs = by_pair(six, ["seed", *KEYS])
    values = {pair: dict(_values(table, "value")) for pair, table in pairs.items()}
    chance = dict(_values(pairs[OBSERVED], CHANCE))
    rows: list[Row] = []
    for key in values[OBSERVED]:
        of_pair = {pair: found[key] for pair, found in values.items()}
        sign = -1 if measures[key[2]].larger_is_more_similar else 1
        place, bootstrap_seed = dict(zip(KEYS, key, strict=True)), BOOTSTRAP_SEED + key[0]
        levels = {role: _mean([of_pair[pair] for pair in mean]) for role, mean in LEVELS.items()}
        for role, level in (levels | {CHANCE: chance[key]}).items():
            rows.append({"role": role, **place, **statistics_of(level, bootstrap_seed)})
        for contrast in CONTRASTS:
            found = weighted_sum([contrast.of(of_pair)], [sign])
            tested = tested_statistics_of(found, bootstrap_seed)
            rows.append({"role": contrast.name, **place, **tested})
    return tidy(rows)


def tells(observed: float, chance: float, measure: Measure) -> bool:
    """Whether a level says more than shuffled images do.

    It must lie more than a twentieth of the way from chance to the value of identical
    representations. Where these are the same, as for a measure that gives 1 for anything of full
    rank, it says nothing.
    """
    whole = measure.identical - chance
    return abs(observed - chance) > LEAST_ABOVE_CHANCE * abs(whole)


def _values(table: pd.DataFrame, column: str) -> Iterator[tuple[tuple[int, str, str], SeedValues]]:
    """By step, layer and measure, in the order of the table."""
    for (step, layer, measure), rows in table.groupby(KEYS, sort=False):
        seeds = tuple(int(seed) for seed in rows["seed"])
        values = rows[column].to_numpy()
        dead = {
            seed: (layer,)
            for seed, value in zip(seeds, values, strict=True)
            if not np.isfinite(value)
        }
        yield (step, layer, measure), SeedValues(seeds, values, dead_layers=dead)


def _mean(parts: Sequence[SeedValues]) -> SeedValues:
    return weighted_sum(parts, [1] * len(parts), len(parts))
