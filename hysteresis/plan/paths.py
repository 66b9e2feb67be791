"""Where every file of a result folder lies: the path grammar, in one place.

``<results>`` and ``<data>`` are Snakemake path variables; the configuration may point them
elsewhere. Phase 0 is the initial weights; step 0 of the common phase is the end of the last
phase, so no file is written twice.
"""

import re
from pathlib import Path

from hysteresis.data import facts

RUN = "<results>/runs/{condition}/seed{seed}/{history}"
INITIAL = f"{RUN}/phase0.safetensors"
PHASE = f"{RUN}/phase{{phase}}.safetensors"
STEP = f"{RUN}/step{{step}}.safetensors"
PAIR = "<results>/pairs/{experiment}/seed{seed}.parquet"
STATISTICS = "<results>/statistics/experiments/{experiment}.parquet"
CONTRAST = "<results>/statistics/contrasts/{contrast}.parquet"
PROBE = "<results>/probes/{probe}/seed{seed}.parquet"
PROBE_STATISTICS = "<results>/statistics/probes/{probe}.parquet"
CONTROLS = "<results>/statistics/controls/controls.parquet"
PARTITION = "<results>/statistics/controls/partition.parquet"
POWER = "<results>/statistics/controls/power.parquet"
MEASURES = "<results>/measures/{experiment}/seed{seed}.parquet"
MEASURE_STATISTICS = "<results>/statistics/controls/measures.parquet"
SENSITIVITY = "<results>/sensitivity/{experiment}/seed{seed}.parquet"
COST = "<results>/tables/cost.csv"
PUBLISHED_NUMBERS = "<results>/statistics/published/numbers.parquet"
PUBLISHED_SEEDS = "<results>/statistics/published/seeds.parquet"
PUBLISHED_TABLE = "<results>/tables/published.csv"
PUBLISHED_PAGE = "<results>/tables/published.md"


def data_files(data_set: str) -> list[str]:
    """The files of a data set."""
    return [f"<data>/{name}" for name in facts.data_set(data_set).files]


def checkpoint(condition: str, history: str, seed: int | str, step: int, phases: int) -> str:
    """The checkpoint of a run at ``step`` of the common phase, after ``phases`` phases."""
    place = {"condition": condition, "history": history, "seed": seed}
    if step == 0:
        return PHASE.format(**place, phase=phases)
    return STEP.format(**place, step=step)


def benchmark(rule: str, job: str) -> str:
    """Snakemake's measurement of one job."""
    return f"<results>/benchmarks/{rule}/{job}.tsv"


def job_of(benchmark_file: Path) -> str:
    """``rule/job``, without the phase or step that tells a job from others of its run."""
    job = re.sub(r"_(phase|step)[0-9]+$", "", benchmark_file.stem)
    return f"{benchmark_file.parent.name}/{job}"


def table_files(table: str) -> list[str]:
    """A printed table in its three formats."""
    return [f"<results>/tables/{table}.{ending}" for ending in ("csv", "md", "tex")]


def figure_files(figure: str) -> list[str]:
    """A figure as vector and as raster graphics."""
    return [f"<results>/figures/{figure}.{ending}" for ending in ("pdf", "png")]
