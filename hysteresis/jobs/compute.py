"""Where a job computes, and how exactly."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Compute:
    """``device`` is auto, cpu or cuda; TF32 (19-bit products on CUDA) is off unless asked for."""

    device: str = "auto"
    allow_tf32: bool = False
