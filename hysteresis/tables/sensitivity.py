"""The printed table of how the main comparison depends on the images: set and number."""

import numpy as np
import pandas as pd

from hysteresis.pairs.columns import column_name
from hysteresis.statistics.experiments import FEW_SEEDS
from hysteresis.statistics.paired import t_interval
from hysteresis.statistics.seeds import listed
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.notes import left_out_notes
from hysteresis.tables.printing import interval_text, n_text, number
from hysteresis.training.layers import every_layer

_KEYS = ["step", "set", "images", "quantity"]
_DEBIASED = "debiased_"
_KINDS = ("", _DEBIASED)
_LABELS = {
    "h_repr": "H_repr",
    **{column_name("cka", layer=layer): f"CKA {layer}" for layer in every_layer()},
}


def make(inputs: TableInputs) -> PrintedTable:
    """From the pooled tables of ``sensitivity``."""
    table = sensitivity_table(inputs.one("sensitivity"))
    return PrintedTable(table, sensitivity_printed(table), notes(table))


def sensitivity_table(values: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds with its 95% t interval: a row a step, data set, number of images, quantity.

    ``values`` has a row a seed and quantity (``value``). Seeds whose quantity is undefined (a dead
    layer) are left out and named in ``undefined_seeds``; ``n`` counts the others.
    """
    rows = []
    for key, of_seeds in values.groupby(_KEYS, sort=False):
        known = of_seeds["value"].notna()
        undefined = listed(of_seeds.loc[~known, "seed"])
        rows.append(
            {
                **dict(zip(_KEYS, key, strict=True)),
                **_statistics(of_seeds.loc[known, "value"].to_numpy()),
                "undefined_seeds": undefined,
            }
        )
    return pd.DataFrame(rows)


def _statistics(values: np.ndarray) -> dict[str, float]:
    if not values.size:
        return {"n": 0, **dict.fromkeys(("mean", "sd", "t_low", "t_high"), np.nan)}
    low, high = t_interval(values)
    sd = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    return {"n": len(values), "mean": float(values.mean()), "sd": sd, "t_low": low, "t_high": high}


def sensitivity_printed(table: pd.DataFrame) -> pd.DataFrame:
    """The table as text: quantity by quantity, from few to many images of each set."""
    plain = [name for name in table["quantity"].unique() if not name.startswith(_DEBIASED)]
    named = table.set_index(["quantity", "set", "images"])
    sizes = [(name, images) for name, images in named.loc["h_repr"].index]
    return pd.DataFrame(
        [
            _printed_row(
                _LABELS[name], *size, *(named.loc[(f"{prefix}{name}", *size)] for prefix in _KINDS)
            )
            for name in plain
            for size in sizes
        ]
    )


def _printed_row(
    label: str, name: str, images: int, plain: pd.Series, debiased: pd.Series
) -> dict[str, str]:
    return {
        "Quantity": label,
        "Set": name,
        "Images": f"{images:,}",
        "n": n_text(int(plain["n"])),
        "Plain": number(plain["mean"]),
        "95% t interval": interval_text(plain["t_low"], plain["t_high"]),
        "Debiased": number(debiased["mean"]),
        "95% t interval, debiased": interval_text(debiased["t_low"], debiased["t_high"]),
    }


def notes(table: pd.DataFrame) -> list[str]:
    """What was compared, by how much H_repr moves from few to many images, and who is left out."""
    step, n = table["step"].iloc[0], table["n"].min()
    labels = [_LABELS[name.removeprefix(_DEBIASED)] for name in table["quantity"]]
    found = [
        f"Opposite orders after {step:,} updates, n = {table['n'].max()}. The images are the first "
        "of each digit, as many of each; 10,000 test images are the whole test set.",
        *(_movement(name, rows) for name, rows in table.groupby("set", sort=False)),
        *left_out_notes(labels, table["undefined_seeds"]),
    ]
    if n < FEW_SEEDS:
        found.append(f"With fewer than {FEW_SEEDS} seeds the intervals are wide; n is {n} here.")
    return found


def _movement(name: str, rows: pd.DataFrame) -> str:
    sizes = [rows["images"].min(), rows["images"].max()]
    means = rows.set_index(["quantity", "images"])["mean"]
    plain, debiased = (
        " and ".join(number(means[f"{kind}h_repr", size]) for size in sizes) for kind in _KINDS
    )
    return (
        f"H_repr on {sizes[0]:,} and on {sizes[1]:,} {name} images: {plain}; "
        f"of debiased CKA {debiased}."
    )
