"""The kinds of tables that stages write, and demand of each other."""

from enum import StrEnum


class Kind(StrEnum):
    """What a sealed table is; its name says of which experiment, contrast or probe."""

    PAIR = "pair"
    PROBE = "probe"
    MEASURES = "measures"
    SENSITIVITY = "sensitivity"
    EXPERIMENT_STATISTICS = "experiment statistics"
    CONTRAST_STATISTICS = "contrast statistics"
    PROBE_STATISTICS = "probe statistics"
    CONTROLS = "control statistics"
    PARTITION = "partition"
    POWER = "power"
    MEASURE_STATISTICS = "measure statistics"
    PUBLISHED_NUMBERS = "published numbers"
    PUBLISHED_SEEDS = "published seeds"
