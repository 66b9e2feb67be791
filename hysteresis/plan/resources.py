"""What a job may ask of a scheduler. Generous: a job that asks for too little is killed."""

import math

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


def measuring_minutes(steps: int) -> int:
    """Wall-clock minutes to ask for the measures of one pair at so many checkpoints."""
    return 5 + steps * _MINUTES_PER_MEASURED_STEP


def gpus(device: str) -> int:
    """GPUs that a training job asks for. ``auto`` asks for none: it takes what is there."""
    return 1 if device == "cuda" else 0
