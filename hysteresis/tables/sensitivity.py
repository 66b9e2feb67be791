"""The printed table of how the main comparison depends on the images: set and number."""

import numpy as np
import pandas as pd

from hysteresis.statistics.experiments import FEW_SEEDS
from hysteresis.statistics.paired import t_interval
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.printing import interval_text, n_text, number

_KEYS = ["step", "set", "images", "quantity"]
_DEBIASED = "debiased_"
_KINDS = ("", _DEBIASED)


def make(inputs: TableInputs) -> PrintedTable:
    """From the pooled tables of ``sensitivity``."""
    table = sensitivity_table(inputs.one("sensitivity"))
    return PrintedTable(table, sensitivity_printed(table), notes(table))


def sensitivity_table(values: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds with its 95% t interval: a row a step, data set, number of images, quantity.

    ``values`` has a row a seed and quantity (``value``). A quantity that is undefined for one seed
    (a dead layer) has no mean.
    """
    rows = []
    for key, of_seeds in values.groupby(_KEYS, sort=False):
        row = {**dict(zip(_KEYS, key, strict=True)), "n": len(of_seeds)}
        rows.append(row | _statistics(of_seeds["value"].to_numpy()))
    return pd.DataFrame(rows)


def _statistics(values: np.ndarray) -> dict[str, float]:
    if not np.isfinite(values).all():
        return dict.fromkeys(("mean", "sd", "t_low", "t_high"), np.nan)
    low, high = t_interval(values)
    sd = float(values.std(ddof=1)) if len(values) > 1 else np.nan
    return {"mean": float(values.mean()), "sd": sd, "t_low": low, "t_high": high}


def sensitivity_printed(table: pd.DataFrame) -> pd.DataFrame:
    """The table as text: quantity by quantity, from few to many images of each set."""
    plain = [name for name in table["quantity"].unique() if not name.startswith(_DEBIASED)]
    named = table.set_index(["quantity", "set", "images"])
    sizes = [(name, images) for name, images in named.loc["h_repr"].index]
    return pd.DataFrame(
        [
            _printed_row(
                _label(name), *size, *(named.loc[(f"{prefix}{name}", *size)] for prefix in _KINDS)
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


def _label(quantity: str) -> str:
    return "H_repr" if quantity == "h_repr" else quantity.replace("cka_", "CKA ", 1)


def notes(table: pd.DataFrame) -> list[str]:
    """What was compared, and by how much H_repr moves from the fewest to the most images."""
    step, n = table["step"].iloc[0], table["n"].iloc[0]
    found = [
        f"Opposite orders after {step:,} updates, n = {n}. The images are the first of each digit, "
        "as many of each; 10,000 test images are the whole test set. "
        "Plain CKA rises when images are few, debiased CKA does not."
    ]
    for name, rows in table[table["quantity"] == "h_repr"].groupby("set", sort=False):
        fewest, most = rows.loc[rows["images"].idxmin()], rows.loc[rows["images"].idxmax()]
        found.append(
            f"H_repr on {fewest['images']:,} and on {most['images']:,} {name} images: "
            f"{number(fewest['mean'])} and {number(most['mean'])}."
        )
    if table["mean"].isna().any():
        found.append("Undefined: on these images a layer of some seed's network is dead.")
    if n < FEW_SEEDS:
        found.append(f"With fewer than {FEW_SEEDS} seeds the intervals are wide; n is {n} here.")
    return found
