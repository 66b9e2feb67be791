"""The columns of the probe table: for its writer and for every reader."""

from collections.abc import Iterable

from hysteresis.pairs.columns import column_name

SIDES = ("first", "second")
"""The two runs of a pair, in the column ``side``."""


def probe_dtypes(parts: Iterable[str]) -> dict[str, str]:
    """Types by column. A row is one side, after one epoch of one head of one budget.

    ``train_loss`` is in nats; ``correct`` and ``total`` count images of the test probe, and once
    more those of each of its ``parts``.
    """
    counts = (
        column_name(count, part=part) for part in ("", *parts) for count in ("total", "correct")
    )
    return {
        "experiment": "str",
        "seed": "int64",
        "step": "int64",
        "layer": "str",
        "images_per_class": "int64",
        "head_seed": "int64",
        "epoch": "int64",
        "side": "str",
        "history": "str",
        "train_loss": "float64",
        **dict.fromkeys(counts, "int64"),
    }
