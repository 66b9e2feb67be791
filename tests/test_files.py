"""Files appear whole or not at all; what a killed writer left goes; failures are one line."""

import fcntl
import os

import pytest

from hysteresis.errors import UserError
from hysteresis.provenance.files import require_writable, write_text, written_whole


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    (tmp_path / ".file.txt.abandoned.txt").write_text("half")
    (tmp_path / ".file.csv.another.csv").write_text("of another file")
    write_text(tmp_path / "file.txt", "whole")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"file.txt", ".file.csv.another.csv"}


def test_a_living_writer_of_the_same_file_is_left_alone(tmp_path):
    path = tmp_path / "file.txt"
    with written_whole(path) as first:
        first.write_text("first")
        write_text(path, "second")
        assert path.read_text() == "second" and first.exists()
    assert path.read_text() == "first"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file.txt"]


def test_a_file_that_is_locked_by_another_process_is_not_taken_for_abandoned(tmp_path):
    held = tmp_path / ".file.txt.held.txt"
    held.write_text("being written")
    with held.open("rb") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        write_text(tmp_path / "file.txt", "whole")
        assert held.exists()


def test_a_full_disk_is_one_line_and_leaves_nothing(tmp_path):
    def full():
        raise OSError(28, "No space left on device")

    failing = pytest.raises(UserError, match="No space left on device")
    with failing as caught, written_whole(tmp_path / "file"):
        full()
    assert str(tmp_path / "file") in str(caught.value) and "\n" not in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("in the way")
    for ask in (require_writable, lambda path: write_text(path, "text")):
        with pytest.raises(UserError, match="cannot be written"):
            ask(tmp_path / "file" / "below")


def test_asking_whether_a_file_can_be_written_changes_nothing(tmp_path):
    (tmp_path / "file").write_text("old")
    require_writable(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old"
    require_writable(tmp_path / "other" / "file")
    assert sorted(os.listdir(tmp_path)) == ["file", "other"]
    assert not list((tmp_path / "other").iterdir())
