"""The quantities of pair tables that are summarised over seeds, and where they are read."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from hysteresis.pairs.columns import MATCH, Column, column_name, columns_of, layers_of
from hysteresis.statistics.seeds import SeedValues

_DISSIMILARITY = "dissimilarity"
# Beside the dissimilarities; each is larger where two networks are further apart.
_OTHER_DISTANCES = (
    "prediction_disagreement",
    "js_divergence",
    "normalized_weight_distance",
    "accuracy_gap",
)


def quantities(table: pd.DataFrame) -> dict[str, tuple[np.ndarray, float]]:
    """Every summarised quantity: its values (a row each), and the factor to its reported unit.

    Accuracies and disagreement are kept as integer counts, so that ties stay ties, with the
    factor 1 / images; ``accuracy_gap`` is the absolute difference of the two accuracies.
    """
    return {name: found for name, found, _ in _quantities(table)}


def values_of_seeds(table: pd.DataFrame) -> dict[str, SeedValues]:
    """The same of a table with a row a seed, each with the layers that leave it undefined."""
    seeds = tuple(int(seed) for seed in table["seed"])
    return {
        name: SeedValues(seeds, values, factor, dead_layers(table, layers))
        for name, (values, factor), layers in _quantities(table)
    }


def distances(table: pd.DataFrame) -> dict[str, SeedValues]:
    """The distances of a table with a row a seed, each larger where two networks are further apart.

    H_repr, of each layer's CKA the dissimilarity 1 - CKA, and what the outputs and weights say.
    """
    found = values_of_seeds(table)
    for layer in layers_of(table.columns):
        cka = found[column_name("cka", layer=layer)]
        found[dissimilarity_of(layer)] = replace(cka, values=1 - cka.values)
    return {name: found[name] for name in distance_names(table)}


def dissimilarity_of(layer: str) -> str:
    """The name of 1 - CKA."""
    return column_name(_DISSIMILARITY, layer=layer)


def dissimilarity_names(table: pd.DataFrame) -> list[str]:
    """H_repr, and the dissimilarities of the layers of a pair table."""
    return ["h_repr", *map(dissimilarity_of, layers_of(table.columns))]


def distance_names(table: pd.DataFrame) -> list[str]:
    """The quantities of :func:`distances`; the ``table`` may be without rows."""
    return [*dissimilarity_names(table), *_OTHER_DISTANCES]


def dead_layers(table: pd.DataFrame, layers: Sequence[str]) -> dict[int, tuple[str, ...]]:
    """Which of ``layers`` are dead in which seed: those whose CKA is undefined."""
    names = {layer: column_name("cka", layer=layer) for layer in layers}
    known = [layer for layer, name in names.items() if name in table.columns]
    return {
        int(row["seed"]): tuple(layer for layer in known if np.isnan(row[names[layer]]))
        for _, row in table.iterrows()
        if any(np.isnan(row[names[layer]]) for layer in known)
    }


def _quantities(
    table: pd.DataFrame,
) -> Iterable[tuple[str, tuple[np.ndarray, float], tuple[str, ...]]]:
    """Name, values with their factor, and the layers that each is made of."""
    for column in columns_of(table):
        if not column.is_summarised:
            continue
        values = table[column.name].to_numpy()
        if not column.total:
            yield column.name, (values, 1.0), column.layers
            continue
        factor = 1 / _total(table, column)
        yield column.share, (values, factor), ()
        if column.gap:
            yield column.gap, (np.abs(values), factor), ()


def _total(table: pd.DataFrame, column: Column) -> int:
    (total,) = table[column.total].unique()
    return int(total)


def at_step(pairs: pd.DataFrame, step: int) -> pd.DataFrame:
    """The rows at one checkpoint."""
    return pairs[pairs["step"] == step]


def matched_endpoints(pairs: pd.DataFrame) -> pd.DataFrame:
    """For each seed that ever matches, its row at the earliest match, in seed order."""
    matches = pairs[pairs[MATCH]].sort_values("step", kind="stable")
    earliest = matches.groupby("seed").head(1)
    order = {seed: place for place, seed in enumerate(pairs["seed"].drop_duplicates())}
    return earliest.sort_values("seed", key=lambda column: column.map(order))
