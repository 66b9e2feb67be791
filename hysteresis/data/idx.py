"""IDX files of a data set: verified by SHA-256, then read."""

import hashlib
import math
from pathlib import Path

import numpy as np

from hysteresis.data.facts import DataSet
from hysteresis.errors import UserError


def read_images(folder: Path, data_set: DataSet, part: str) -> np.ndarray:
    """Images of ``part`` (train or test): uint8, (count, height, width)."""
    path = folder / data_set.images[part]
    count, (_, height, width) = sum(data_set.label_counts[part]), data_set.image_shape
    return _values(path, _verified(path, data_set), (count, height, width))


def read_labels(folder: Path, data_set: DataSet, part: str) -> np.ndarray:
    """Labels of ``part`` (train or test): uint8, (count,)."""
    path = folder / data_set.labels[part]
    counts = data_set.label_counts[part]
    labels = _values(path, _verified(path, data_set), (sum(counts),))
    if tuple(np.bincount(labels, minlength=len(counts))) != counts:
        raise UserError(f"{path}: its labels are not as often as the data set's facts say")
    return labels


def _verified(path: Path, data_set: DataSet) -> bytes:
    """The file's content, if it is the data set's: another one is never trained on."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; `hysteresis obtain` makes it") from None
    found, expected = hashlib.sha256(content).hexdigest(), data_set.files[path.name]
    if found != expected:
        raise UserError(
            f"{path}: SHA-256 is {found}, not {expected}: the file is damaged or of another data "
            "set; delete it and run `hysteresis obtain`"
        )
    return content


def _values(path: Path, content: bytes, shape: tuple[int, ...]) -> np.ndarray:
    # IDX: two zero bytes, type 8 (uint8), number of dimensions, then sizes as big-endian uint32.
    header = bytes([0, 0, 8, len(shape)]) + np.array(shape, dtype=">u4").tobytes()
    if content[: len(header)] != header or len(content) != len(header) + math.prod(shape):
        raise UserError(
            f"{path}: not an IDX file of {' x '.join(map(str, shape))} bytes, as the data set's "
            "facts say"
        )
    return np.frombuffer(content, dtype=np.uint8, offset=len(header)).reshape(shape)
