"""A checkpoint: a sealed safetensors file of weights and momentum, and a header that says which."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from torch import Tensor

from hysteresis.errors import UserError
from hysteresis.jobs.as_json import structure, to_json
from hysteresis.jobs.run import Run
from hysteresis.provenance.files import written_whole
from hysteresis.provenance.seals import UNSEALED, read_sealed, seal
from hysteresis.training.network import parameter_shapes

_METADATA_KEY = "hysteresis"
_KIND = "checkpoint"
_WEIGHTS = "weights."
_MOMENTUM = "momentum."


@dataclass(frozen=True)
class Maker:
    """What made a segment: digest of the code, library versions, where it ran, and from which data.

    ``data``: digest of each data set by name; none for initial weights.
    """

    code: str
    device: str
    versions: dict[str, str]
    data: dict[str, str] = field(default_factory=dict)


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
    """Write the checkpoint whole and sealed; the same content gives the same bytes."""
    tensors = {_WEIGHTS + name: tensor.contiguous() for name, tensor in checkpoint.weights.items()}
    tensors |= {
        _MOMENTUM + name: tensor.contiguous() for name, tensor in checkpoint.momentum.items()
    }
    # One key only: safetensors writes several in no fixed order.
    described = {"kind": _KIND, "header": json.loads(to_json(checkpoint.header)), "seal": UNSEALED}
    metadata = {_METADATA_KEY: json.dumps(described, sort_keys=True, separators=(",", ":"))}
    with written_whole(path) as aside:
        aside.write_bytes(safetensors.torch.save(tensors, metadata=metadata))
        seal(aside)


def load(path: Path) -> Checkpoint:
    """Read a checkpoint; UserError when it is missing, damaged, or not one of its own header."""
    content = read_sealed(path, _KIND)
    try:
        length = int.from_bytes(content[:8], "little")
        described = json.loads(json.loads(content[8 : 8 + length])["__metadata__"][_METADATA_KEY])
        is_one = described["kind"] == _KIND
        tensors = safetensors.torch.load(content)
    except (ValueError, LookupError, TypeError, safetensors.SafetensorError):
        is_one = False
    if not is_one:
        raise UserError(f"{path}: is not a {_KIND}; name one, or delete it and build it again")
    checkpoint = Checkpoint(
        header=_header(path, described["header"]),
        weights=_with_prefix(tensors, _WEIGHTS),
        momentum=_with_prefix(tensors, _MOMENTUM),
    )
    _require_own_tensors(path, checkpoint)
    return checkpoint


def weights_sha256(weights: Mapping[str, Tensor]) -> str:
    """SHA-256 over the names and little-endian float32 bytes of the parameters, sorted by name."""
    digest = hashlib.sha256()
    for name in sorted(weights):
        digest.update(name.encode() + b"\0")
        digest.update(weights[name].detach().cpu().numpy().astype("<f4").tobytes())
    return digest.hexdigest()


def _header(path: Path, described: object) -> Header:
    try:
        return structure(described, Header)
    except UserError as error:
        raise UserError(
            f"{path}: a checkpoint of another version of this project ({error}); build it again"
        ) from None


def _require_own_tensors(path: Path, checkpoint: Checkpoint) -> None:
    """Raise UserError unless the tensors are those that the header's run has at that point."""
    run = checkpoint.header.run
    expected = parameter_shapes(run.network)
    is_trained = bool(run.phases or run.relaxation)
    has_momentum = is_trained and run.optimizer is not None and run.optimizer.momentum > 0
    for kind, tensors, wanted in (
        ("weights", checkpoint.weights, expected),
        ("momentum", checkpoint.momentum, expected if has_momentum else {}),
    ):
        if {name: tuple(tensor.shape) for name, tensor in tensors.items()} != wanted:
            raise UserError(f"{path}: its {kind} are not those of the network that it names")
        if not all(tensor.dtype == torch.float32 for tensor in tensors.values()):
            raise UserError(f"{path}: its {kind} are not float32")


def _with_prefix(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {
        name.removeprefix(prefix): tensor
        for name, tensor in tensors.items()
        if name.startswith(prefix)
    }
