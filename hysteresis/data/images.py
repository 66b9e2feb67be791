"""From MNIST's files to the images of a task: selected, turned, normalised, in a fixed order."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from hysteresis.data import idx
from hysteresis.jobs.run import ImageSelection

MEAN = 0.1307
STANDARD_DEVIATION = 0.3081


@dataclass(frozen=True)
class LabelledImages:
    """Images (n, 1, 28, 28) float32, normalised; labels and rotations (n,) int64."""

    images: Tensor
    labels: Tensor
    rotations: Tensor

    def __len__(self) -> int:
        return len(self.labels)


def load_images(folder: Path, part: str, selection: ImageSelection) -> LabelledImages:
    """The selected images of ``part`` ("train" or "t10k"), in the selection's order."""
    pixels = idx.read_images(folder / f"{part}-images-idx3-ubyte")
    labels = idx.read_labels(folder / f"{part}-labels-idx1-ubyte")
    indices = selected_indices(labels, selection)
    turned = [rotated(pixels[indices], degrees) for degrees in selection.rotations]
    return LabelledImages(
        images=normalised(np.concatenate(turned)),
        labels=torch.from_numpy(np.tile(labels[indices].astype(np.int64), len(turned))),
        rotations=torch.tensor(selection.rotations).repeat_interleave(len(indices)),
    )


def selected_indices(labels: np.ndarray, selection: ImageSelection) -> np.ndarray:
    """Indices (int64) into the data set, for each of the selection's rotations alike."""
    index, of = selection.share
    return _all_indices(labels, selection)[index::of]


def _all_indices(labels: np.ndarray, selection: ImageSelection) -> np.ndarray:
    if selection.examples_per_digit is None:
        return np.flatnonzero(np.isin(labels, selection.digits))
    firsts = [
        np.flatnonzero(labels == digit)[: selection.examples_per_digit]
        for digit in selection.digits
    ]
    return np.concatenate(firsts)


def membership(data: LabelledImages, selection: ImageSelection) -> Tensor:
    """Boolean mask (n,): which of ``data`` belong to the digits and rotations of a task."""
    return torch.isin(data.labels, torch.tensor(selection.digits)) & torch.isin(
        data.rotations, torch.tensor(selection.rotations)
    )


def rotated(pixels: np.ndarray, degrees: int) -> np.ndarray:
    """Images (n, 28, 28) turned counter-clockwise by a multiple of 90 degrees, exactly."""
    return np.rot90(pixels, k=degrees // 90, axes=(1, 2))


def normalised(pixels: np.ndarray) -> Tensor:
    """(pixel / 255 - mean) / standard deviation in float32, as torchvision's transforms do it."""
    scaled = torch.from_numpy(np.ascontiguousarray(pixels)).to(torch.float32).div_(255)
    return scaled.sub_(MEAN).div_(STANDARD_DEVIATION).unsqueeze(1)
