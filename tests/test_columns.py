"""The columns of the pair table: one declaration for what is written and what is read."""

from dataclasses import asdict, replace

import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.pairs.columns import (
    DIFFERENCE,
    HEALTH,
    PairColumns,
    column_name,
    columns_of,
    typed_table,
)
from hysteresis.pairs.representations import LayerHealth
from hysteresis.training import layers
from hysteresis.training.layers import Architecture, Layer, architecture_named

CONVOLUTIONAL = architecture_named("convolutional")
COLUMNS = PairColumns(("ABC", "BAC"), ("A", "B"), CONVOLUTIONAL)


def table_of(names):
    return pd.DataFrame(columns=list(names))


def meaning(name, table=None):
    """The one column of that name, as a reader of the whole table finds it."""
    table = table_of(COLUMNS.dtypes) if table is None else table
    (column,) = (column for column in columns_of(table) if column.name == name)
    return column


# ---- written as declared ---------------------------------------------------------------------


def test_types_are_the_same_without_rows_and_with_undefined_values():
    nothing = typed_table([], COLUMNS.dtypes)
    row = dict.fromkeys(COLUMNS.dtypes, 1) | {"experiment": "main", "behavioral_match": False}
    dead = typed_table([row | {"cka_fc1": float("nan"), "h_repr": float("nan")}], COLUMNS.dtypes)
    assert nothing.empty and (nothing.dtypes == dead.dtypes).all()
    assert {name: str(dtype) for name, dtype in nothing.dtypes.items()} == COLUMNS.dtypes


@pytest.mark.parametrize("row", [{"seed": 1}, {"seed": 1, "step": 2, "steps": 3}])
def test_a_row_that_is_not_as_declared_is_refused(row):
    with pytest.raises(ValueError, match=r"declared and written differ in {'steps?'}"):
        typed_table([row], {"seed": "int64", "step": "int64"})


def test_the_health_of_a_layer_is_what_is_declared_of_it():
    assert list(asdict(LayerHealth(0, 0, 0, 0))) == list(HEALTH)


# ---- read as declared ------------------------------------------------------------------------


def test_every_column_of_a_whole_table_means_what_was_declared():
    """But for the names of parts and histories, which are in lower case in a table."""
    lower = PairColumns(("abc", "bac"), ("a", "b"), CONVOLUTIONAL)
    assert tuple(columns_of(table_of(COLUMNS.dtypes))) == lower.declared


def test_a_count_has_its_total_its_share_and_as_a_difference_its_gap():
    of_history = meaning("correct_a_part_abc")
    assert (of_history.total, of_history.share, of_history.gap) == (
        "total_a_part", "accuracy_a_part_abc", ""
    )  # fmt: skip
    difference = meaning("correct_difference")
    assert (difference.total, difference.share, difference.gap) == (
        "total", "accuracy_difference", "accuracy_gap"
    )  # fmt: skip
    assert meaning("disagreements").total == "probe_images"
    assert meaning("accuracy_abc").is_summarised is False  # its count is


def test_parts_histories_units_and_layers_are_looked_up():
    loss = meaning("loss_b_part_difference")
    assert (loss.part, loss.of, loss.unit) == ("b", DIFFERENCE, "nats")
    assert meaning("correct_bac").of == "bac" and meaning("total_a_part").of == ""
    assert meaning("h_repr").layers == ("conv2", "fc1") and meaning("cka_fc1").layers == ("fc1",)
    assert meaning("variance_conv1_abc").unit == "squared activation"


def test_a_history_may_be_called_like_the_columns_of_a_part():
    columns = PairColumns(("a_part_abc", "bac"), ("A",), CONVOLUTIONAL)
    columns.require_distinct("here")
    table = table_of(columns.dtypes)
    assert meaning("correct_a_part_abc", table).part == ""
    assert meaning("correct_a_part_bac", table).part == "a"


def test_the_layers_of_another_architecture_are_read_by_its_declaration(monkeypatch):
    dense = Architecture(
        (
            Layer("fc1", "hidden layer", enters_h_repr=True),
            Layer("logits", "before softmax", is_hidden=False),
        )
    )
    monkeypatch.setitem(layers.ARCHITECTURES, "dense", dense)
    columns = replace(COLUMNS, architecture=dense)
    assert "dead_ratio_fc1_abc" in columns.dtypes and "cka_conv2" not in columns.dtypes
    assert meaning("h_repr", table_of(columns.dtypes)).layers == ("fc1",)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["seed", "h_reper"], "no pair table of this version has a column 'h_reper'"),
        (["seed", "cka_conv2"], "no architecture .* has the layers conv2; build the table again"),
    ],
)
def test_columns_that_no_pair_table_has_are_refused(names, message):
    with pytest.raises(UserError, match=message) as caught:
        columns_of(table_of(names))
    assert "\n" not in str(caught.value)


# ---- names that clash ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pair", "parts", "name"),
    [
        (("ABC", "abc"), ("A",), "correct_abc"),
        (("ABC", "difference"), ("A",), "correct_difference"),
        (("Difference", "ABC"), (), "correct_difference"),
        (("ABC", "BAC"), ("A", "a"), "total_a_part"),
        (("a_part_abc", "ABC"), ("A",), "correct_a_part_abc"),
    ],
)
def test_names_that_clash_are_refused_in_one_line(pair, parts, name):
    with pytest.raises(UserError, match=f"experiments: mine: pair: .*two columns '{name}'") as e:
        PairColumns(pair, parts, CONVOLUTIONAL).require_distinct("experiments: mine: pair")
    assert "\n" not in str(e.value) and ", ".join(pair) in str(e.value)


def test_names_are_put_together_in_one_order_and_in_lower_case():
    assert column_name("correct", part="A", of="ABC_again") == "correct_a_part_abc_again"
    assert column_name("dead_ratio", layer="conv1", of=DIFFERENCE) == "dead_ratio_conv1_difference"
