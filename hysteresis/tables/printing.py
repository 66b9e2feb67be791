"""Numbers as text, the same in every table and on the page of published numbers.

Rounding is half to even of the decimal number that twelve significant digits write, and not of the
binary number nearest to it: means of counts often end in a 5 just behind the last printed digit.
An estimate that is undefined is named so; what would stand beside it (interval, p value) is empty.
"""

import math
from collections.abc import Iterable
from decimal import Decimal

import pandas as pd

from hysteresis.statistics.experiments import FEW_SEEDS

POINTS = 100.0
KINDS, ENDS = ("bootstrap", "t", "bca"), ("low", "high")
UNDEFINED = "undefined"
_SMALL_P = 0.001


def number(
    value: float, decimals: int = 3, *, signed: bool = False, undefined: str = UNDEFINED
) -> str:
    """``value`` to so many decimals; with ``signed`` positive ones have their sign too."""
    return _rounded(value, f"{'+' if signed else ''}.{decimals}f", undefined)


def numbers(
    values: Iterable[float], decimals: int = 3, *, signed: bool = False, undefined: str = UNDEFINED
) -> list[str]:
    """A column of :func:`number`."""
    return [number(value, decimals, signed=signed, undefined=undefined) for value in values]


def scientific(value: float, *, signed: bool = False, undefined: str = UNDEFINED) -> str:
    """``value`` to three significant digits as the paper writes small ones: ``8.26e-8``."""
    return _rounded(value, f"{'+' if signed else ''}.2e", undefined)


def shortest(value: float) -> str:
    """A configured value as it was written: 0.5, 97."""
    return format(value, "g")


def p_text(value: float) -> str:
    """A p value: to three decimals, or three significant digits where these would all be 0."""
    small = _is_defined(value) and 0 < value < _SMALL_P
    return scientific(value) if small else number(value, undefined="")


def interval_text(low: float, high: float, decimals: int = 3, *, signed: bool = False) -> str:
    """Both ends in brackets; empty unless both are defined."""
    if not (_is_defined(low) and _is_defined(high)):
        return ""
    return f"[{number(low, decimals, signed=signed)}, {number(high, decimals, signed=signed)}]"


def interval_texts(
    table: pd.DataFrame, kind: str, decimals: int = 3, *, signed: bool = False, unit: str = ""
) -> list[str]:
    """The intervals in the columns ``{kind}_low{unit}`` and ``{kind}_high{unit}``."""
    ends = zip(table[f"{kind}_low{unit}"], table[f"{kind}_high{unit}"], strict=True)
    return [interval_text(low, high, decimals, signed=signed) for low, high in ends]


def n_text(n: int) -> str:
    """A number of seeds, marked where they are few."""
    return f"{n} (few)" if n < FEW_SEEDS else str(n)


def n_of_texts(counted: Iterable[int], all_: Iterable[int]) -> list[str]:
    """How many seeds count, of how many."""
    return [f"{n}/{of}" for n, of in zip(counted, all_, strict=True)]


def _rounded(value: float, form: str, undefined: str) -> str:
    return format(Decimal(f"{value:.12g}"), form) if _is_defined(value) else undefined


def _is_defined(value: float) -> bool:
    return not pd.isna(value) and math.isfinite(value)
