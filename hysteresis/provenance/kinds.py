"""The kinds of tables that stages write, and demand of each other."""

from enum import StrEnum


class Kind(StrEnum):
    """What a sealed table is; its name says of which experiment, contrast or probe."""

    PAIR = "pair"
    PROBE = "probe"
    MEASURES = "measures"
    SENSITIVITY = "sensitivity"
    EXPERIMENT_STATISTICS = "statistics of an experiment"
    CONTRAST_STATISTICS = "statistics of a contrast"
    PROBE_STATISTICS = "statistics of a probe"
    CONTROLS = "controls"
    PARTITION = "partition"
    POWER = "power"
    MEASURE_STATISTICS = "statistics of measures"
