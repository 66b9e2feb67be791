"""Excess over the noise floor under every measure of similarity, as one tidy table.

Measures have different units and signs. Levels are in the unit of the measure. The excess is
turned so that it is positive when opposite orders lie further apart than reshuffled pairs do, and
``d_z``, its mean over its standard deviation between seeds, can be set beside that of any other.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from hysteresis.errors import UserError
from hysteresis.measures.registry import MEASURES, Measure
from hysteresis.statistics.excess import EXCESS, Row, tested_statistics
from hysteresis.statistics.experiments import BOOTSTRAP_SEED

KEYS = ["step", "layer", "measure"]


def summarise_measures(
    observed: pd.DataFrame,
    floors: Sequence[pd.DataFrame],
    measures: Mapping[str, Measure] = MEASURES,
) -> pd.DataFrame:
    """Levels and excess from tables with a row a seed, step, layer and measure (``value``).

    A row of the result is one ``role`` at one step, layer and measure: the observed pairs, the
    floor (of each seed the mean over ``floors``), and the excess, one minus the other. Statistics
    of an undefined quantity (a dead layer) are NaN but for ``n``. Raises UserError when the floors
    have other seeds, steps, layers or measures than the observed pairs.
    """
    rows: list[Row] = []
    below = [dict(_values(floor)) for floor in floors]
    for key, (seeds, values) in _values(observed):
        floor = _mean_of_floors(observed, floors, below, key, seeds)
        sign = -1 if measures[key[2]].larger_is_more_similar else 1
        for role, of_role in (
            ("observed", values),
            ("floor", floor),
            (EXCESS, sign * (values - floor)),
        ):
            place = {"role": role, **dict(zip(KEYS, key, strict=True))}
            rows.append({**place, **tested_statistics(of_role, 1.0, BOOTSTRAP_SEED + key[0])})
    return pd.DataFrame(rows)


def _values(table: pd.DataFrame) -> Iterator[tuple[tuple[object, ...], tuple[list, np.ndarray]]]:
    """By step, layer and measure, in the order of the table: seeds, and their values (n,)."""
    for key, rows in table.groupby(KEYS, sort=False):
        yield key, (list(rows["seed"]), rows["value"].to_numpy())


def _mean_of_floors(
    observed: pd.DataFrame,
    floors: Sequence[pd.DataFrame],
    below: Sequence[Mapping[tuple[object, ...], tuple[list, np.ndarray]]],
    key: tuple[object, ...],
    seeds: list,
) -> np.ndarray:
    for table, values in zip(floors, below, strict=True):
        if key not in values or values[key][0] != seeds:
            raise UserError(
                f"measures: {table['experiment'].iloc[0]} lacks seeds of "
                f"{observed['experiment'].iloc[0]} at {', '.join(map(str, key))}, or has others; "
                "measure both again with one configuration"
            )
    return np.mean([values[key][1] for values in below], axis=0)
