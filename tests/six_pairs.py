"""Invented tables of the six pairs of four networks a seed."""

import numpy as np
import pandas as pd

from hysteresis.statistics.orders import PAIRS

EXPERIMENTS = ("one", "main", "crossed_bac", "crossed_abc", "crossed_both", "two")
SEEDS = (303, 101, 202)
STEPS = (0, 100)


def pair_table(experiment, h_repr, disagreements, seeds=SEEDS, steps=STEPS):
    """A pair table whose other quantities are constants; H_repr falls by 0.01 from step 0 on."""
    rows = []
    for place, seed in enumerate(seeds):
        for step in steps:
            rows.append(
                {
                    "experiment": experiment, "seed": seed, "step": step, "total": 10_000,
                    "correct_difference": place, "behavioral_match": step > 0,
                    "h_repr": h_repr[place] - 0.01 * (step > 0), "probe_images": 2000,
                    "disagreements": disagreements[place], "js_divergence": 0.1,
                    "normalized_weight_distance": 1.0,
                    "cka_conv1": 0.9, "cka_conv2": 0.9, "cka_fc1": 0.9, "cka_logits": 0.9,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


H_REPR = {
    "01": [0.10, 0.12, 0.10],
    "02": [0.30, 0.20, 0.25],
    "03": [0.31, 0.22, 0.20],
    "12": [0.29, 0.26, 0.24],
    "13": [0.28, 0.18, 0.20],
    "23": [0.20, 0.10, 0.10],
}
DISAGREEMENTS = {
    "01": [30, 20, 10],
    "02": [51, 40, 31],
    "03": [52, 41, 30],
    "12": [50, 40, 33],
    "13": [49, 40, 30],
    "23": [31, 21, 11],
}


def six_tables(h_repr=H_REPR, disagreements=DISAGREEMENTS, **changes):
    """The six pair tables in the order of ``PAIRS``."""
    return [
        pair_table(name, h_repr[pair], disagreements[pair], **changes)
        for name, pair in zip(EXPERIMENTS, PAIRS, strict=True)
    ]


def dead(table, seed, layer, step=None):
    """The table with one layer dead in one seed, and H_repr undefined where it needs the layer."""
    here = table["seed"] == seed
    if step is not None:
        here &= table["step"] == step
    changed = table.assign(**{f"cka_{layer}": table[f"cka_{layer}"].mask(here)})
    if layer in ("conv2", "fc1"):
        changed["h_repr"] = changed["h_repr"].mask(here)
    return changed


def simulated_distances(generator, seeds, order=0.0, stream=0.0, spread=1.0):
    """Squared distances (seeds, 6) of four networks in the plane of many independent features.

    A network is its order's point plus its stream's point plus a point of its own, all normal. So
    without an order effect the pairs of other streams are exchangeable, and those of one stream are
    closer together, the more so the larger ``stream``.
    """
    features = 20
    draw = lambda *shape: generator.normal(size=(seeds, *shape, features))  # noqa: E731
    own, orders, streams = spread * draw(4), order * draw(2), stream * draw(2)
    networks = own + orders[:, [0, 0, 1, 1]] + streams[:, [0, 1, 0, 1]]
    return np.stack(
        [
            np.square(networks[:, int(pair[0])] - networks[:, int(pair[1])]).mean(axis=1)
            for pair in PAIRS
        ],
        axis=1,
    )
