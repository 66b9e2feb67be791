"""The quantities of pair tables that are summarised over seeds, and where they are read."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pandas as pd

from hysteresis.statistics.seeds import SeedValues

KEYS = ("experiment", "seed", "step")
LAYERS = ("conv1", "conv2", "fc1", "logits")
DISSIMILARITIES = ("h_repr", *(f"dissimilarity_{layer}" for layer in LAYERS))
# Each is larger where two networks are further apart.
DISTANCES = (
    *DISSIMILARITIES,
    "prediction_disagreement",
    "js_divergence",
    "normalized_weight_distance",
    "accuracy_gap",
)
# Of which layers a quantity is made: it is undefined where one of them is dead.
_MADE_OF = {"h_repr": ("conv2", "fc1"), **{f"cka_{layer}": (layer,) for layer in LAYERS}}
_NOT_SUMMARISED = ("total", "probe_images", "behavioral_match", "accuracy")


def quantities(table: pd.DataFrame) -> dict[str, tuple[np.ndarray, float]]:
    """Every summarised quantity: its values (a row each), and the factor to its reported unit.

    Accuracies and disagreement are kept as integer counts, so that ties stay ties, with the
    factor 1 / images; ``accuracy_gap`` is the absolute difference of the two accuracies.
    """
    found: dict[str, tuple[np.ndarray, float]] = {}
    totals = [column for column in table.columns if column.startswith("total")]
    parts = sorted((column.removeprefix("total") for column in totals), key=len, reverse=True)
    for column in table.columns:
        if column in KEYS or column.startswith(_NOT_SUMMARISED):
            continue
        values = table[column].to_numpy()
        if column.startswith("correct"):
            part = next(part for part in parts if column.startswith(f"correct{part}_"))
            factor = 1 / _only(table[f"total{part}"])
            name = column.replace("correct", "accuracy", 1)
            found[name] = (values, factor)
            if column.endswith("_difference"):
                found[name.replace("_difference", "_gap")] = (np.abs(values), factor)
        elif column == "disagreements":
            found["prediction_disagreement"] = (values, 1 / _only(table["probe_images"]))
        elif column != "prediction_disagreement":
            found[column] = (values, 1.0)
    return found


def values_of_seeds(table: pd.DataFrame) -> dict[str, SeedValues]:
    """The same of a table with a row a seed, each with the layers that leave it undefined."""
    seeds = tuple(int(seed) for seed in table["seed"])
    return {
        name: SeedValues(seeds, values, factor, dead_layers(table, _MADE_OF.get(name, ())))
        for name, (values, factor) in quantities(table).items()
    }


def distances(table: pd.DataFrame) -> dict[str, SeedValues]:
    """``DISTANCES`` of a table with a row a seed; of a layer's CKA the dissimilarity, 1 - CKA."""
    found = values_of_seeds(table)
    for layer in LAYERS:
        cka = found[f"cka_{layer}"]
        found[f"dissimilarity_{layer}"] = replace(cka, values=1 - cka.values)
    return {name: found[name] for name in DISTANCES}


def dead_layers(table: pd.DataFrame, layers: Iterable[str]) -> dict[int, tuple[str, ...]]:
    """Which of ``layers`` are dead in which seed: those whose CKA is undefined."""
    known = [layer for layer in layers if f"cka_{layer}" in table.columns]
    return {
        int(row["seed"]): tuple(layer for layer in known if np.isnan(row[f"cka_{layer}"]))
        for _, row in table.iterrows()
        if any(np.isnan(row[f"cka_{layer}"]) for layer in known)
    }


def at_step(pairs: pd.DataFrame, step: int) -> pd.DataFrame:
    """The rows at one checkpoint."""
    return pairs[pairs["step"] == step]


def matched_endpoints(pairs: pd.DataFrame) -> pd.DataFrame:
    """For each seed that ever matches, its row at the earliest match, in seed order."""
    matches = pairs[pairs["behavioral_match"]].sort_values("step", kind="stable")
    earliest = matches.groupby("seed").head(1)
    order = {seed: place for place, seed in enumerate(pairs["seed"].drop_duplicates())}
    return earliest.sort_values("seed", key=lambda column: column.map(order))


def _only(column: pd.Series) -> int:
    (value,) = column.unique()
    return int(value)
