"""Where a job computes, and PyTorch set up so that it computes the same bits each time."""

import os

import torch

from hysteresis.errors import UserError
from hysteresis.jobs.compute import Compute
from hysteresis.training.kernels import keep_freed_memory


def prepare(compute: Compute) -> torch.device:
    """Select the device, one CPU thread, deterministic algorithms; call before any computing."""
    torch.set_num_threads(1)
    keep_freed_memory()
    device = _selected(compute.device)
    if device.type == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.allow_tf32 = compute.allow_tf32
        torch.backends.cuda.matmul.allow_tf32 = False
    # The same as use_deterministic_algorithms(True), which imports the compiler: over a second.
    torch.set_deterministic_debug_mode("error")
    # Every array is written before it is read; filling new ones first would only cost time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    return device


def description(device: torch.device, compute: Compute) -> str:
    """A short name for a checkpoint's header: ``cpu``, or the GPU's name and its precision."""
    if device.type == "cpu":
        return "cpu"
    precision = "tf32 convolutions" if compute.allow_tf32 else "float32"
    return f"cuda ({torch.cuda.get_device_name(device)}, {precision})"


def _selected(name: str) -> torch.device:
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError(
            "device: cuda is asked for, but PyTorch finds no CUDA GPU here; "
            "set device: auto or cpu in the configuration"
        )
    if name not in ("cpu", "cuda"):
        raise UserError(f"device: {name!r} is unknown; choose auto, cpu or cuda")
    return torch.device(name)
