"""Checkpoints hold what was put in, have the same bytes each time, and are written whole."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from hysteresis.errors import UserError
from hysteresis.provenance import files
from hysteresis.provenance.seals import UNSEALED, seal
from hysteresis.training import checkpoints
from hysteresis.training.checkpoints import Checkpoint, Header, Maker
from hysteresis.training.network import initial_weights
from tests.conftest import small_run


@pytest.fixture
def checkpoint():
    run = small_run()
    weights = initial_weights(run.network, run.weights)
    header = Header(run, 3, checkpoints.weights_sha256(weights))
    header = header.made_by(Maker("code", "cpu", {"torch": torch.__version__, "numpy": "2"}))
    return Checkpoint(header, weights, {name: tensor + 1 for name, tensor in weights.items()})


def test_a_checkpoint_comes_back_as_it_was(checkpoint, tmp_path):
    checkpoints.save(tmp_path / "file", checkpoint)
    loaded = checkpoints.load(tmp_path / "file")
    assert loaded.header == checkpoint.header
    for kind in ("weights", "momentum"):
        saved, found = getattr(checkpoint, kind), getattr(loaded, kind)
        assert saved.keys() == found.keys()
        assert all(torch.equal(saved[name], found[name]) for name in saved)


def test_the_same_checkpoint_has_the_same_bytes(checkpoint, tmp_path):
    for name in "abcdefgh":
        checkpoints.save(tmp_path / name, checkpoint)
    assert len({(tmp_path / name).read_bytes() for name in "abcdefgh"}) == 1


def test_a_maker_is_listed_once_a_run_of_segments(checkpoint):
    header = checkpoint.header
    again = header.made_by(header.makers[0])
    assert again == header
    other = Maker("other code", "cpu", {})
    assert header.made_by(other).makers == (header.makers[0], other)


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", b"\x10\0\0\0\0\0\0\0{}"])
def test_a_damaged_file_is_a_one_line_error(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(UserError, match="not a sealed checkpoint") as caught:
        checkpoints.load(tmp_path / "file")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_a_one_line_error(tmp_path):
    with pytest.raises(UserError, match="missing"):
        checkpoints.load(tmp_path / "missing")


def test_an_interrupted_writing_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), files.written_whole(path) as aside:
        aside.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_finished_file_is_flushed_before_it_gets_its_name(tmp_path, monkeypatch):
    events = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: events.append("flushed"))
    rename = Path.replace
    monkeypatch.setattr(
        Path, "replace", lambda self, target: (events.append("renamed"), rename(self, target))
    )
    files.write_text(tmp_path / "file", "text")
    assert events == ["flushed", "renamed"]


def refused(path, checkpoint, message):
    checkpoints.save(path, checkpoint)
    with pytest.raises(UserError, match=message) as caught:
        checkpoints.load(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_every_changed_byte_of_a_checkpoint_is_noticed(checkpoint, tmp_path):
    path = tmp_path / "file"
    checkpoints.save(path, checkpoint)
    whole = path.read_bytes()
    for place in range(0, len(whole), max(1, len(whole) // 200)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(UserError, match=r"damaged|not a sealed"):
            checkpoints.load(path)


def test_tensors_that_are_not_those_of_the_header_are_refused(checkpoint, tmp_path):
    weights = checkpoint.weights
    fewer = {name: tensor for name, tensor in weights.items() if name != "fc2.bias"}
    turned = weights | {"fc2.weight": weights["fc2.weight"].T}
    half = {name: tensor.half() for name, tensor in weights.items()}
    for wrong in (fewer, turned):
        refused(tmp_path / "file", replace(checkpoint, weights=wrong), "its weights are not those")
    refused(tmp_path / "file", replace(checkpoint, weights=half), "weights are not float32")


def test_a_trained_run_without_its_momentum_is_refused(checkpoint, tmp_path):
    refused(tmp_path / "file", replace(checkpoint, momentum={}), "its momentum are not those")


def test_a_sealed_file_of_another_kind_or_version_is_refused(checkpoint, tmp_path):
    path = tmp_path / "file"
    path.write_text(UNSEALED)
    seal(path)
    with pytest.raises(UserError, match="is not a checkpoint"):
        checkpoints.load(path)
    checkpoints.save(path, checkpoint)
    older = path.read_bytes().replace(b'\\"updates\\":', b'\\"updated\\":')
    digits = re.search(rb"seal:([0-9a-f]{64})", older)
    path.write_bytes(older.replace(digits.group(1), b"0" * 64))
    seal(path)
    with pytest.raises(UserError, match="of another version of this project"):
        checkpoints.load(path)
