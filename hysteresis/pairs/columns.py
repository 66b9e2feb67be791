"""The columns of the pair table, declared once: for its writer and for every reader.

A row is the pair of one seed at one checkpoint. Names are put together from the quantity, the part
of the test images, the layer, and the history in lower case: ``correct_a_part_abc``,
``dead_ratio_conv1_difference``. What a column means is looked up here, never read from its name.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from hysteresis.errors import UserError
from hysteresis.training.layers import Architecture, architecture_with

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, object]
"""One row of a tidy table: values by column."""

KEYS = ("experiment", "seed", "step")
MATCH = "behavioral_match"
DIFFERENCE, GAP = "difference", "gap"
# Of each hidden layer: means over its units.
HEALTH = {
    "dead_ratio": "share of units",
    "positive_rate": "share of activations",
    "sparsity": "share of activations",
    "variance": "squared activation",
}


def column_name(quantity: str, *, part: str = "", layer: str = "", of: str = "") -> str:
    """``of`` is a history, or ``DIFFERENCE``, or nothing where both histories share the column."""
    part = f"{part.lower()}_part" if part else ""
    return "_".join(word for word in (quantity, part, layer, of.lower()) if word)


@dataclass(frozen=True)
class Column:
    """One column of the pair table.

    ``dtype`` is pandas'. ``part``: of which task's test images; empty for all. ``of``: the history,
    or ``DIFFERENCE``: the first minus the second, of ``HEALTH`` without its sign. ``layers``: those
    that it is made of; where one is dead it is undefined, NaN. A count also has the column of its
    ``total``, the name of the ``share`` that it is, and a difference that of the share's absolute
    value, the ``gap``. ``is_summarised``: there are statistics over seeds of it.
    """

    name: str
    dtype: str
    unit: str = ""
    part: str = ""
    of: str = ""
    layers: tuple[str, ...] = ()
    total: str = ""
    share: str = ""
    gap: str = ""
    is_summarised: bool = True


@dataclass(frozen=True)
class PairColumns:
    """The columns of a pair of ``histories``, with the ``parts`` that are scored apart."""

    histories: tuple[str, ...]
    parts: tuple[str, ...]
    architecture: Architecture

    @property
    def declared(self) -> tuple[Column, ...]:
        """In the order of the table."""
        return (
            Column("experiment", "str", is_summarised=False),
            Column("seed", "int64", is_summarised=False),
            Column("step", "int64", "updates", is_summarised=False),
            *(column for part in ("", *self.parts) for column in self._scores(part)),
            Column(MATCH, "bool", is_summarised=False),
            *(self._cka(layer) for layer in self.architecture.names),
            Column("h_repr", "float64", layers=self.architecture.in_h_repr),
            Column("probe_images", "int64", "images", is_summarised=False),
            Column(
                "disagreements",
                "int64",
                "images",
                total="probe_images",
                share="prediction_disagreement",
            ),
            Column("prediction_disagreement", "float64", "share", is_summarised=False),
            Column("js_divergence", "float64", "nats"),
            Column("normalized_weight_distance", "float64"),
            *(column for layer in self.architecture.hidden for column in self._health(layer)),
        )

    @property
    def dtypes(self) -> dict[str, str]:
        """By name, in the order of the table."""
        return {column.name: column.dtype for column in self.declared}

    def require_distinct(self, place: str) -> None:
        """UserError where two columns would have one name; ``place`` is in the configuration."""
        counted = Counter(column.name for column in self.declared)
        twice = [name for name, count in counted.items() if count > 1]
        if twice:
            raise UserError(
                f"configuration: {place}: with the pair {', '.join(self.histories)} and the parts "
                f"{', '.join(self.parts)} the pair table has two columns {twice[0]!r}; rename one "
                f"(letter case is dropped, and {DIFFERENCE!r} is the first minus the second)"
            )

    def _scores(self, part: str) -> Iterable[Column]:
        total = column_name("total", part=part)
        yield Column(total, "int64", "images", part, is_summarised=False)
        for history in self.histories:
            yield self._correct(part, history)
            accuracy = column_name("accuracy", part=part, of=history)
            yield Column(accuracy, "float64", "share", part, history, is_summarised=False)
            loss = column_name("loss", part=part, of=history)
            yield Column(loss, "float64", "nats", part, history)
        yield self._correct(part, DIFFERENCE, gap=column_name("accuracy", part=part, of=GAP))
        loss = column_name("loss", part=part, of=DIFFERENCE)
        yield Column(loss, "float64", "nats", part, DIFFERENCE)

    def _correct(self, part: str, of: str, gap: str = "") -> Column:
        return Column(
            column_name("correct", part=part, of=of),
            "int64",
            "images",
            part,
            of,
            total=column_name("total", part=part),
            share=column_name("accuracy", part=part, of=of),
            gap=gap,
        )

    def _cka(self, layer: str) -> Column:
        return Column(column_name("cka", layer=layer), "float64", layers=(layer,))

    def _health(self, layer: str) -> Iterable[Column]:
        for quantity, unit in HEALTH.items():
            for of in (*self.histories, DIFFERENCE):
                yield Column(column_name(quantity, layer=layer, of=of), "float64", unit, of=of)


def columns_of(table: "pd.DataFrame") -> list[Column]:
    """What each column of a pair table means, in their order; a table may lack some.

    UserError on a column that no pair table has.
    """
    names = tuple(map(str, table.columns))
    declared = _declared_of(names)
    unknown = [name for name in names if name not in declared]
    if unknown:
        raise UserError(
            f"pair table: no pair table of this version has a column {unknown[0]!r}; "
            "build the table again"
        )
    return [declared[name] for name in names]


def layers_of(names: Iterable[str]) -> tuple[str, ...]:
    """The layers whose CKA is among the columns of pair tables."""
    return _between(names, "cka_")


def parts_of(names: Iterable[str]) -> tuple[str, ...]:
    """The parts, in lower case, whose totals are among the columns of pair or probe tables."""
    return _between(names, "total_", "_part")


def typed_table(rows: Iterable[Row], dtypes: Mapping[str, str]) -> "pd.DataFrame":
    """The rows as a table of just these columns and types, also where there are no rows.

    ValueError when a row has other columns.
    """
    import pandas as pd

    rows = list(rows)
    for row in rows:
        if row.keys() != dtypes.keys():
            raise ValueError(f"declared and written differ in {set(row) ^ set(dtypes)}")
    return pd.DataFrame(rows, columns=list(dtypes)).astype(dict(dtypes))


@cache
def _declared_of(names: Sequence[str]) -> dict[str, Column]:
    """By name, the columns of the pair whose table has columns of these names."""
    parts, layers = parts_of(names), layers_of(names)
    histories = tuple(
        history
        for history in _between(names, "correct_")
        if history != DIFFERENCE
        and all(column_name("correct", part=part, of=history) in names for part in parts)
    )
    architecture = architecture_with(layers) if layers else Architecture(())
    return {column.name: column for column in PairColumns(histories, parts, architecture).declared}


def _between(names: Iterable[str], before: str, after: str = "") -> tuple[str, ...]:
    return tuple(
        name.removeprefix(before).removesuffix(after)
        for name in names
        if name.startswith(before) and name.endswith(after)
    )
