"""No byte of a sealed file changes unnoticed, and only sealed files are read."""

import pytest

from hysteresis.errors import UserError
from hysteresis.provenance.seals import UNSEALED, read_sealed, seal


@pytest.fixture
def sealed(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"before " + UNSEALED.encode() + b" after \0\xff")
    seal(path)
    return path


def test_a_sealed_file_is_read_as_it_was_written(sealed):
    content = read_sealed(sealed, "table")
    assert content.startswith(b"before hysteresis-seal:") and content.endswith(b" after \0\xff")
    assert UNSEALED.encode() not in content


def test_every_flipped_bit_is_noticed(sealed):
    whole = sealed.read_bytes()
    for place in range(len(whole)):
        for bit in range(8):
            changed = bytearray(whole)
            changed[place] ^= 1 << bit
            sealed.write_bytes(changed)
            with pytest.raises(UserError, match="damaged") as caught:
                read_sealed(sealed, "table")
            assert str(sealed) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "change", [lambda c: c[:-1], lambda c: c + b"\0", lambda c: b"", lambda c: c * 2]
)
def test_cut_lengthened_empty_and_doubled_files_are_refused(sealed, change):
    sealed.write_bytes(change(sealed.read_bytes()))
    with pytest.raises(UserError, match="table"):
        read_sealed(sealed, "table")


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(UserError, match="no table can be read here"):
            read_sealed(path, "table")


@pytest.mark.parametrize("content", [b"nothing", UNSEALED.encode() * 2])
def test_a_file_without_one_place_for_a_seal_cannot_be_sealed(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="one place for a seal"):
        seal(path)
