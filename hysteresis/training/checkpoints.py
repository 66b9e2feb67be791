"""A checkpoint: one safetensors file with weights, momentum, and a header that says what it is."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import safetensors
import safetensors.torch
from torch import Tensor

from hysteresis.errors import UserError
from hysteresis.jobs.as_json import structure, to_json
from hysteresis.jobs.run import Run
from hysteresis.provenance.files import written_whole

_METADATA_KEY = "hysteresis"
_WEIGHTS = "weights."
_MOMENTUM = "momentum."


@dataclass(frozen=True)
class Maker:
    """What made a segment: digest of the code, library versions, and where it ran."""

    code: str
    device: str
    versions: dict[str, str]


@dataclass(frozen=True)
class Header:
    """What the file holds.

    ``updates`` counts within the common phase, or is 0; ``makers`` are the distinct makers of all
    segments up to here, in order; ``initial_sha256`` fingerprints the weights training began from.
    """

    run: Run
    updates: int
    initial_sha256: str
    makers: tuple[Maker, ...] = field(default=())

    def made_by(self, maker: Maker) -> "Header":
        """The same header with ``maker`` appended unless it is there already."""
        return self if maker in self.makers else replace(self, makers=(*self.makers, maker))


@dataclass(frozen=True)
class Checkpoint:
    """Named parameters and momentum buffers (float32, CPU); no momentum before any update."""

    header: Header
    weights: dict[str, Tensor]
    momentum: dict[str, Tensor]


def save(path: Path, checkpoint: Checkpoint) -> None:
    """Write the checkpoint whole; the same content gives the same bytes."""
    tensors = {_WEIGHTS + name: tensor.contiguous() for name, tensor in checkpoint.weights.items()}
    tensors |= {
        _MOMENTUM + name: tensor.contiguous() for name, tensor in checkpoint.momentum.items()
    }
    # One key only: safetensors writes several in no fixed order.
    metadata = {_METADATA_KEY: to_json(checkpoint.header)}
    with written_whole(path) as aside:
        safetensors.torch.save_file(tensors, aside, metadata=metadata)


def load(path: Path) -> Checkpoint:
    """Read a checkpoint; UserError when the file is missing, damaged or something else."""
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            names = file.keys()
            tensors = {name: file.get_tensor(name) for name in names}
    except (OSError, safetensors.SafetensorError) as error:
        raise UserError(f"{path}: not a readable checkpoint ({error}); rebuild it") from None
    if _METADATA_KEY not in metadata:
        raise UserError(f"{path}: a safetensors file, but no checkpoint of this project")
    return Checkpoint(
        header=structure(json.loads(metadata[_METADATA_KEY]), Header),
        weights=_with_prefix(tensors, _WEIGHTS),
        momentum=_with_prefix(tensors, _MOMENTUM),
    )


def weights_sha256(weights: Mapping[str, Tensor]) -> str:
    """SHA-256 over the names and little-endian float32 bytes of the parameters, sorted by name."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode() + b"\0")
        digest.update(weights[name].detach().cpu().numpy().astype("<f4").tobytes())
    return digest.hexdigest()


def _with_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
