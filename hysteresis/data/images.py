"""From a data set's files to a task's images: selected, turned, normalised, in a fixed order."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from hysteresis.data import facts, idx
from hysteresis.data.facts import DataSet
from hysteresis.jobs.run import ImageSelection


@dataclass(frozen=True)
class LabelledImages:
    """Images (n, 1, height, width) float32, normalised; labels and rotations (n,) int64."""

    images: Tensor
    labels: Tensor
    rotations: Tensor

    def __len__(self) -> int:
        return len(self.labels)


def load_images(folder: Path, part: str, selection: ImageSelection) -> LabelledImages:
    """The selected images of ``part`` ("train" or "test"), in the selection's order."""
    chosen = facts.data_set(selection.data_set)
    pixels, labels = idx.read_images(folder, chosen, part), idx.read_labels(folder, chosen, part)
    indices = selected_indices(labels, selection)
    turned = [rotated(pixels[indices], degrees) for degrees in selection.rotations]
    return LabelledImages(
        images=normalised(np.concatenate(turned), chosen),
        labels=torch.from_numpy(np.tile(labels[indices].astype(np.int64), len(turned))),
        rotations=torch.tensor(selection.rotations).repeat_interleave(len(indices)),
    )


def selected_indices(labels: np.ndarray, selection: ImageSelection) -> np.ndarray:
    """Indices (int64) into the data set, for each of the selection's rotations alike."""
    index, of = selection.share
    return _all_indices(labels, selection)[index::of]


def _all_indices(labels: np.ndarray, selection: ImageSelection) -> np.ndarray:
    if selection.examples_per_class is None:
        return np.flatnonzero(np.isin(labels, selection.classes))
    firsts = [
        np.flatnonzero(labels == label)[: selection.examples_per_class]
        for label in selection.classes
    ]
    return np.concatenate(firsts)


def membership(data: LabelledImages, selection: ImageSelection) -> Tensor:
    """Boolean mask (n,): which of ``data`` belong to the classes and rotations of a task."""
    return torch.isin(data.labels, torch.tensor(selection.classes)) & torch.isin(
        data.rotations, torch.tensor(selection.rotations)
    )


def rotated(pixels: np.ndarray, degrees: int) -> np.ndarray:
    """Images (n, side, side) turned counter-clockwise by a multiple of 90 degrees, exactly."""
    return np.rot90(pixels, k=degrees // 90, axes=(1, 2))


def normalised(pixels: np.ndarray, data_set: DataSet) -> Tensor:
    """(pixel / 255 - mean) / standard deviation in float32, as torchvision's transforms do it."""
    scaled = torch.from_numpy(np.ascontiguousarray(pixels)).to(torch.float32).div_(255)
    return scaled.sub_(data_set.mean).div_(data_set.standard_deviation).unsqueeze(1)
