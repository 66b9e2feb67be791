"""What a job may ask of a scheduler. Generous: a job that asks for too little is killed."""

import math
import shutil
from pathlib import Path

from hysteresis.config.configuration import Configuration

TRAINING_MEGABYTES = 3000
COMPARISON_MEGABYTES = 3000
TABLE_MEGABYTES = 1000
SHORT_MINUTES = 10

# One checkpoint of a pair, by every measure on every layer, on one slow, shared core.
_MINUTES_PER_MEASURED_STEP = 5

# One update of batch 128 on one slow, shared core; a GPU or a good core is several times faster.
_SECONDS_PER_UPDATE = 0.2


def training_minutes(updates: int) -> int:
    """Wall-clock minutes to ask for a training segment, start-up included."""
    return 5 + math.ceil(updates * _SECONDS_PER_UPDATE / 60)


def minutes_of_phase(configuration: Configuration, condition: str, history: str, phase: int) -> int:
    """Minutes to ask for the ``phase``-th phase (from 1) of a history."""
    return training_minutes(configuration.phase_updates(condition, history, phase))


def minutes_to_step(configuration: Configuration, condition: str, step: int) -> int:
    """Minutes to ask for the common phase from the checkpoint before to ``step``."""
    return training_minutes(step - configuration.step_before(condition, step))


def measuring_minutes(configuration: Configuration) -> int:
    """Wall-clock minutes to ask for one pair by every measure at all its checkpoints."""
    return 5 + len(configuration.measures.steps) * _MINUTES_PER_MEASURED_STEP


def gpus(device: str) -> int:
    """GPUs that a training job asks for. ``auto`` asks for none: it takes what is there."""
    return 1 if device == "cuda" else 0


def gpu_warning(device: str) -> str | None:
    """What to say where CUDA is asked for and no GPU is seen; a cluster's own may have one."""
    if device != "cuda" or shutil.which("nvidia-smi") or Path("/dev/nvidia0").exists():
        return None
    return (
        "compute: device: cuda is configured, but no GPU is seen on this machine; "
        "training fails where there is none"
    )
