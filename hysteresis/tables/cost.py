"""What the rebuild cost: Snakemake's measurements of single jobs, pooled by kind of job."""

from collections.abc import Mapping

import pandas as pd

from hysteresis.errors import UserError


def cost(benchmarks: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """What the rebuild cost by kind of job, from Snakemake's benchmark tables.

    Seconds are wall-clock, memory is the largest resident set seen in MB (NaN where a job was
    too short to be sampled), ``share`` is of all seconds together.
    """
    if not benchmarks:
        raise UserError("cost: no benchmark files; run the workflow first")
    rows = [
        {
            "kind": kind,
            "jobs": len(table),
            "mean_seconds": table["s"].mean(),
            "total_seconds": table["s"].sum(),
            "max_memory_mb": table["max_rss"].max(),
        }
        for kind, table in benchmarks.items()
    ]
    pooled = pd.DataFrame(rows).sort_values("total_seconds", ascending=False)
    pooled.insert(4, "share", pooled["total_seconds"] / pooled["total_seconds"].sum())
    return pooled
