"""Four networks a seed, the six pairs among them, and contrasts that compare like with like.

Networks 0 and 1 learn the tasks in the first order, 2 and 3 in the second. Of each order one
network sees the minibatches of its tasks in one stream (0 and 2), the other in another (1 and 3).
So a pair differs in order, in stream, or in both:

    01, 23    equal order, other stream: the noise floor, reshuffling alone
    02, 13    opposite orders, same stream; 02 is the pair that the paper compares
    03, 12    opposite orders, other stream

Shared streams may bring two networks closer together or not. A floor of other streams can
therefore be set only against opposite orders with other streams: the crossed excess.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.statistics.seeds import SeedValues, weighted_sum

PAIRS = ("01", "02", "03", "12", "13", "23")
OBSERVED = "02"
ROLES = {"01": "floor", "02": "observed", "03": "crossed", "12": "crossed", "13": "crossed"} | {
    "23": "floor"
}


class OrderContrast(NamedTuple):
    """A weighted sum over the six pairs: whole ``weights`` by pair, over ``divisor``."""

    name: str
    weights: Mapping[str, int]
    divisor: int

    def of(self, values: Mapping[str, SeedValues]) -> SeedValues:
        """The contrast of one quantity, seed by seed; ``values`` has at least the pairs used."""
        pairs, weights = zip(*self.weights.items(), strict=True)
        return weighted_sum([values[pair] for pair in pairs], weights, self.divisor)


CROSSED_EXCESS = OrderContrast("crossed_excess", {"03": 1, "12": 1, "01": -1, "23": -1}, 2)
STREAM_EFFECT = OrderContrast("stream_effect", {"02": 1, "13": 1, "03": -1, "12": -1}, 2)
# Confounds the order of the tasks with the stream: 02 shares its stream, the floors do not.
PAPER_PAIR_EXCESS = OrderContrast("paper_pair_excess", {"02": 2, "01": -1, "23": -1}, 2)
CONTRASTS = (CROSSED_EXCESS, STREAM_EFFECT, PAPER_PAIR_EXCESS)


def by_pair(tables: Sequence[pd.DataFrame], keys: Sequence[str]) -> dict[str, pd.DataFrame]:
    """The tables of the six experiments in the order of ``PAIRS``, under the names of their pairs.

    Raises UserError unless all have the same rows by the columns ``keys``, in the same order.
    """
    first, *others = tables
    for other in others:
        if other[list(keys)].values.tolist() != first[list(keys)].values.tolist():
            names = [table["experiment"].iloc[0] for table in (first, other)]
            raise UserError(
                f"controls: {names[0]} and {names[1]} do not have the same rows by "
                f"{', '.join(keys)}; give both the same in the configuration and rebuild them"
            )
    return dict(zip(PAIRS, tables, strict=True))
