"""Tables say what they are, and readers take no other for them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from hysteresis.errors import UserError
from hysteresis.jobs.design import design_digest
from hysteresis.jobs.pair import Pair
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import (
    Provenance,
    read_pooled,
    read_provenance,
    read_table,
    write_table,
)
from tests.conftest import small_run

TABLE = pd.DataFrame({"seed": [101, 101], "step": [0, 5], "h_repr": [0.5, np.nan], "side": "first"})
MADE = Provenance("pair", "main", "aaaa", 101, "design", {"device": "cpu"})


@pytest.fixture
def path(tmp_path):
    write_table(tmp_path / "table.parquet", TABLE, MADE)
    return tmp_path / "table.parquet"


def refused(message, read, *arguments):
    with pytest.raises(UserError, match=message) as caught:
        read(*arguments)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_table_comes_back_as_it_was_with_its_provenance_and_the_same_bytes(path, tmp_path):
    pd.testing.assert_frame_equal(read_table(path, "pair", "main", 101), TABLE)
    assert read_provenance(path, "pair") == MADE
    write_table(tmp_path / "again.parquet", TABLE, MADE)
    assert (tmp_path / "again.parquet").read_bytes() == path.read_bytes()


def test_missing_whole_numbers_and_truths_keep_their_types(tmp_path):
    missing = pd.DataFrame({"n": [1, None], "exact": [True, None], "mean": [0.5, np.nan]})
    for table in (missing, missing.head(1), missing.head(0)):
        table = table.astype({"n": "Int64", "exact": "boolean", "mean": "float64"})
        write_table(tmp_path / "table.parquet", table, MADE)
        pd.testing.assert_frame_equal(read_table(tmp_path / "table.parquet", Kind.PAIR), table)


def test_a_table_of_another_kind_name_or_seed_is_refused(path):
    for wanted, message in (
        (("probe",), "is a table of kind pair, not probe"),
        (("pair", "rotated"), "is of main, not rotated"),
        (("pair", "main", 202), "is of seed 101, not 202"),
    ):
        assert str(path) in refused(message, read_table, path, *wanted)


def test_every_changed_byte_is_noticed(path):
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1 :])
        refused("damaged", read_table, path, "pair")


def test_a_plain_parquet_file_is_refused(tmp_path):
    TABLE.to_parquet(tmp_path / "plain.parquet")
    refused("not a sealed table", read_table, tmp_path / "plain.parquet", "pair")


@pytest.fixture
def two(tmp_path):
    """Write two seeds, the second with changes; returns what reads them pooled."""

    def pooled(**changes):
        paths = [tmp_path / "101.parquet", tmp_path / "202.parquet"]
        write_table(paths[0], TABLE, MADE)
        other = replace(MADE, **{"seed": 202, **changes})
        write_table(paths[1], TABLE.assign(seed=other.seed), other)
        return read_pooled(paths, "pair", [("main", 101), ("main", 202)])

    return pooled


def test_tables_made_alike_are_pooled_in_order(two):
    assert two()["seed"].tolist() == [101, 101, 202, 202]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"code": "bbbb"}, "their code is bbbb and aaaa"),
        ({"design": "another"}, "their design is another and design"),
        ({"conditions": {"device": "cuda"}}, "their device is cuda and cpu"),
        ({"name": "rotated"}, "is of rotated, not main"),
        ({"seed": 101}, "is of seed 101, not 202"),
        ({"kind": "probe"}, "is a table of kind probe, not pair"),
    ],
)
def test_mixtures_and_other_tables_are_not_pooled(two, changes, message):
    assert "202.parquet" in refused(message, lambda: two(**changes))


def test_a_table_missing_or_given_twice_is_noticed(path):
    refused("1 tables were given for 2", read_pooled, [path], "pair", [("main", 101), ("main", 2)])
    twice = [("main", 101), ("main", 101)]
    refused("2 tables were given for 1", read_pooled, [path, path], "pair", twice)


def test_the_design_of_a_pair_is_the_same_for_all_seeds_and_no_others():
    def pair(seed, **changes):
        first, second = (small_run(history, seed, **changes) for history in ("ABC", "BAC"))
        return Pair("main", first, second, (0, 5))

    design = design_digest(pair(101))
    assert design == design_digest(pair(202))
    assert design != design_digest(pair(101, condition="other"))
    other = small_run("ABC", 101)
    offset = replace(other, weights=replace(other.weights, seed=other.seed + 1))
    assert design_digest(other) != design_digest(offset)
    assert design_digest(other) == design_digest(small_run("ABC", 7))
