"""What is known of a data set before any of it is read: files, checksums, sizes, scale."""

import hashlib
import importlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from hysteresis.errors import UserError


@dataclass(frozen=True)
class DataSet:
    """Images of one size with labels from 0, in two parts, ``train`` and ``test``, of IDX files.

    ``files``: SHA-256 of each raw file by its name. ``images`` and ``labels``: the names of each
    part's two files. ``label_counts``: how many images each label has in each part.
    ``image_shape`` is (channels, height, width). A pixel is scaled as
    (pixel / 255 - mean) / standard_deviation.
    """

    files: Mapping[str, str]
    images: Mapping[str, str]
    labels: Mapping[str, str]
    label_counts: Mapping[str, tuple[int, ...]]
    image_shape: tuple[int, int, int]
    mean: float
    standard_deviation: float

    @property
    def classes(self) -> int:
        """How many labels there are."""
        return len(self.label_counts["train"])

    @property
    def digest(self) -> str:
        """SHA-256 of all of these facts: says in an artifact which data it was made from."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def data_set(name: str) -> DataSet:
    """The facts of a data set: ``DATA_SET`` of the module of that name in hysteresis/data/sets.

    By name, so that the digest of a run on one data set does not follow the others.
    """
    try:
        return importlib.import_module(f"hysteresis.data.sets.{name}").DATA_SET
    except ModuleNotFoundError:
        raise UserError(
            f"data set {name!r} is unknown: there is no module of that name in hysteresis/data/sets"
        ) from None
