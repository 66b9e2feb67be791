"""The printed table of the excess under every measure: does the conclusion hold under each?"""

import pandas as pd

from hysteresis.measures.registry import MEASURES
from hysteresis.statistics.measures import CHANCE, KEYS, LEAST_ABOVE_CHANCE, LEVELS, tells
from hysteresis.statistics.orders import CONTRASTS, CROSSED_EXCESS
from hysteresis.tables.formats import PrintedTable
from hysteresis.tables.inputs import TableInputs
from hysteresis.tables.notes import few_seeds_notes, left_out_notes
from hysteresis.tables.printing import interval_texts, n_text, numbers, p_text
from hysteresis.training.layers import view_named

_STATISTICS = [
    "n", "mean", "sd", "t_low", "t_high", "bca_low", "bca_high", "bootstrap_low", "bootstrap_high",
    "t_p", "sign_flip_p", "d_z", "undefined_seeds",
]  # fmt: skip
_READING = (
    "Levels are in the unit of the measure: of the observed pairs, of opposite orders and of equal "
    "orders (the noise floor), these two with other streams; chance is the observed pair with the "
    "images of one network shuffled. The crossed excess is opposite minus equal orders, turned so "
    "that it is positive where opposite orders lie further apart; d_z is its mean over its "
    "standard deviation between seeds. Measures and layers of one network are not independent, "
    "and p values are not corrected for their number."
)
_VOTE = (
    "A measure has no vote where its observed level lies at most "
    f"{LEAST_ABOVE_CHANCE:.0%} of the way from chance to the value of identical representations: "
    "it could not tell."
)


def make(inputs: TableInputs) -> PrintedTable:
    """From the ``statistics`` of the measures."""
    table = measure_table(inputs.one("statistics"))
    return PrintedTable(table, measure_table_printed(table), notes(table))


def measure_table(statistics: pd.DataFrame) -> pd.DataFrame:
    """One row a step, layer and measure: levels, the crossed excess, and the other contrasts.

    ``tells`` says whether the observed level is far enough from chance. The columns of statistics
    without a prefix are those of the crossed excess.
    """
    by_role = {role: rows.set_index(KEYS) for role, rows in statistics.groupby("role", sort=False)}
    table = by_role[CROSSED_EXCESS.name][_STATISTICS].rename(columns={"mean": "excess"})
    for place, role in enumerate((*LEVELS, CHANCE)):
        table.insert(place, role, by_role[role]["mean"])
    table.insert(
        len(LEVELS) + 1,
        "tells",
        [
            tells(observed, chance, MEASURES[measure])
            for (_, _, measure), observed, chance in zip(
                table.index, table["observed"], table[CHANCE], strict=True
            )
        ],
    )
    for contrast in CONTRASTS[1:]:
        found = by_role[contrast.name]
        for column in ("mean", "t_low", "t_high", "t_p", "sign_flip_p"):
            table[f"{contrast.name}_{column}"] = found[column]
    return table.reset_index()


def measure_table_printed(table: pd.DataFrame) -> pd.DataFrame:
    """The table as text."""
    return pd.DataFrame(
        {
            "Updates": [f"{step:,}" for step in table["step"]],
            "Layer": [view_named(layer).label for layer in table["layer"]],
            "Measure": [MEASURES[measure].label for measure in table["measure"]],
            "n": [n_text(n) for n in table["n"]],
            "Observed": numbers(table["observed"], 4),
            "Opposite": numbers(table["crossed"], 4),
            "Noise floor": numbers(table["floor"], 4),
            "Chance": numbers(table[CHANCE], 4),
            "Vote": ["yes" if tells_it else "no" for tells_it in table["tells"]],
            "Crossed excess": numbers(table["excess"], 4, signed=True),
            "95% t interval": interval_texts(table, "t", 4, signed=True),
            "d_z": numbers(table["d_z"], 2, signed=True, undefined=""),
            "p (t)": [p_text(value) for value in table["t_p"]],
            "p (sign-flip)": [p_text(value) for value in table["sign_flip_p"]],
            "Stream effect": numbers(table["stream_effect_mean"], 4, signed=True),
        }
    )


def notes(table: pd.DataFrame) -> list[str]:
    """How many measures agree in each layer, how to read it, and which seeds are left out."""
    labels = [
        f"{view_named(layer).label}, {MEASURES[measure].label}"
        for layer, measure in zip(table["layer"], table["measure"], strict=True)
    ]
    return [
        *(
            _agreement(int(step), str(layer), rows)
            for (step, layer), rows in table.groupby(["step", "layer"], sort=False)
        ),
        _VOTE,
        _READING,
        *left_out_notes(labels, table["undefined_seeds"]),
        *few_seeds_notes(table["n"]),
    ]


def verdict(low: float, high: float) -> int:
    """1 where an interval of the excess lies above 0, -1 below, else 0; undefined ones say 0."""
    return int(low > 0) - int(high < 0)


def _agreement(step: int, layer: str, rows: pd.DataFrame) -> str:
    known = rows["tells"] & rows["t_low"].notna()
    silent = ~rows["tells"] & rows["observed"].notna()
    ends = zip(rows.loc[known, "t_low"], rows.loc[known, "t_high"], strict=True)
    verdicts = [verdict(low, high) for low, high in ends]
    text = (
        f"After {step:,} updates, {view_named(layer).label}: of {len(verdicts)} measures, "
        f"{verdicts.count(1)} put opposite orders further apart than reshuffling, "
        f"{verdicts.count(-1)} closer together, and {verdicts.count(0)} show no "
        "difference (by the 95% t interval of the crossed excess)"
    )
    if silent.any():
        names = (MEASURES[name].label for name in rows.loc[silent, "measure"])
        text += f"; too near chance to tell: {', '.join(names)}"
    lacking = int((~known & ~silent).sum())
    return text + (f"; {lacking} have fewer than two defined seeds." if lacking else ".")
