"""The printed table of the excess under every measure: does the conclusion hold under each?"""

import pandas as pd

from hysteresis.measures.registry import MEASURES
from hysteresis.statistics.excess import EXCESS
from hysteresis.statistics.experiments import FEW_SEEDS, FEW_SEEDS_NOTE
from hysteresis.statistics.measures import KEYS
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.printing import interval_texts, n_text, numbers, p_text

# What is compared of each layer.
LAYER_LABELS = {
    "conv1": "conv1, mean over space",
    "conv2": "conv2, mean over space",
    "conv2_maps": "conv2, pooled maps",
    "fc1": "fc1",
    "logits": "logits",
}
_STATISTICS = [
    "n", "mean", "sd", "t_low", "t_high", "bca_low", "bca_high", "bootstrap_low", "bootstrap_high",
    "t_p", "sign_flip_p", "d_z",
]  # fmt: skip
_WHY = "too few seeds, or a dead layer in one of them"
_READING = (
    "Levels are in the unit of the measure. The excess is turned so that it is positive where "
    "opposite orders lie further apart than reshuffled pairs; d_z is its mean over its standard "
    "deviation between seeds. Measures and layers of one network are not independent, and p "
    "values are not corrected for their number."
)


def make(inputs: TableInputs) -> PrintedTable:
    """From the ``statistics`` of the measures."""
    table = measure_table(inputs.one("statistics"))
    return PrintedTable(table, measure_table_printed(table), notes(table))


def measure_table(statistics: pd.DataFrame) -> pd.DataFrame:
    """One row a step, layer and measure: both levels, then the statistics of the excess."""
    by_role = {role: rows.set_index(KEYS) for role, rows in statistics.groupby("role", sort=False)}
    table = by_role[EXCESS].reindex(columns=_STATISTICS).rename(columns={"mean": "excess"})
    for place, role in enumerate(("observed", "floor")):
        table.insert(place, role, by_role[role].reindex(columns=["mean"])["mean"])
    return table.reset_index()


def measure_table_printed(table: pd.DataFrame) -> pd.DataFrame:
    """The table as text."""
    return pd.DataFrame(
        {
            "Updates": [f"{step:,}" for step in table["step"]],
            "Layer": [LAYER_LABELS[layer] for layer in table["layer"]],
            "Measure": [MEASURES[measure].label for measure in table["measure"]],
            "n": [n_text(n) for n in table["n"]],
            "Observed": numbers(table["observed"], 4),
            "Noise floor": numbers(table["floor"], 4),
            "Excess": numbers(table["excess"], 4, signed=True),
            "95% t interval": interval_texts(table, "t", 4, signed=True),
            "BCa": interval_texts(table, "bca", 4, signed=True),
            "d_z": numbers(table["d_z"], 2, signed=True, undefined=""),
            "p (t)": [p_text(value) for value in table["t_p"]],
            "p (sign-flip)": [p_text(value) for value in table["sign_flip_p"]],
        }
    )


def notes(table: pd.DataFrame) -> list[str]:
    """How many measures agree in each layer, how to read it, and a warning where seeds are few."""
    found = [
        _agreement(int(step), str(layer), rows)
        for (step, layer), rows in table.groupby(["step", "layer"], sort=False)
    ]
    found.append(_READING)
    return found + ([FEW_SEEDS_NOTE] if (table["n"] < FEW_SEEDS).any() else [])


def verdict(low: float, high: float) -> int:
    """1 where an interval of the excess lies above 0, -1 below, else 0; undefined ones say 0."""
    return int(low > 0) - int(high < 0)


def _agreement(step: int, layer: str, rows: pd.DataFrame) -> str:
    ends = zip(rows["t_low"], rows["t_high"], strict=True)
    verdicts = [verdict(low, high) for low, high in ends]
    undefined = int(rows["t_low"].isna().sum())
    text = (
        f"After {step:,} updates, {LAYER_LABELS[layer]}: of {len(verdicts)} measures, "
        f"{verdicts.count(1)} put opposite orders further apart than reshuffling, "
        f"{verdicts.count(-1)} closer together, and {verdicts.count(0) - undefined} show no "
        "difference (by the 95% t interval)"
    )
    return text + (f"; {undefined} are undefined: {_WHY}." if undefined else ".")
