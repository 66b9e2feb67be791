"""From MNIST to the paper's tables and figures. Path grammar of the results (see hysteresis/plan/paths.py):

<data>/                                                    MNIST's four verified files
<results>/runs/{condition}/seed{seed}/{history}/phase{n}   initial weights (0) and end of each phase
<results>/runs/{condition}/seed{seed}/{history}/step{n}    checkpoints of the common phase
<results>/pairs/{experiment}/seed{seed}.parquet            two histories compared, a row a checkpoint
<results>/probes/{probe}/seed{seed}.parquet                heads on frozen features, a row an epoch
<results>/measures/{experiment}/seed{seed}.parquet         a pair by every measure, a row a layer
<results>/sensitivity/{experiment}/seed{seed}.parquet      a pair on few and on many images
<results>/statistics/{kind}/{name}.parquet                 over seeds: experiments, contrasts,
                                                           probes, controls, published
<results>/tables/  <results>/figures/                      what the paper prints
<results>/logs/{rule}/  <results>/benchmarks/{rule}/       one file a job
"""

from snakemake.utils import min_version

min_version("9.27")


include: "rules/common.smk"


pathvars:
    data="results/data",


rule paper_figures:
    """Every figure of the paper (the default target)."""
    default_target: True
    input:
        targets.paper_figure_files(CONFIGURATION),


rule paper_tables:
    """Every table of the paper, and what it cost to rebuild."""
    input:
        targets.paper_table_files(),


rule paper:
    """Everything."""
    input:
        rules.paper_figures.input,
        rules.paper_tables.input,


rule evidence:
    """Every table and figure that is made from tables of seeds: what evidence/ keeps."""
    input:
        evidence.evidence_files(CONFIGURATION),


include: "rules/data.smk"
include: "rules/training.smk"
include: "rules/pairs.smk"
include: "rules/probes.smk"
include: "rules/statistics.smk"
include: "rules/tables.smk"
include: "rules/figures.smk"
include: "rules/published.smk"


if CONFIGURATION.controls is not None:

    include: "rules/controls.smk"

    if CONFIGURATION.measures is not None:

        include: "rules/measures.smk"

    if CONFIGURATION.sensitivity is not None:

        include: "rules/sensitivity.smk"
