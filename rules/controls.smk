"""The noise floor under the observed hysteresis. Included only when the configuration has one."""

CONTROLS = CONFIGURATION.controls


rule controls:
    """Every table and figure of the controls."""
    input:
        control_files(),


rule summarise_controls:
    """Levels of every pair of histories, and the excess of opposite orders over reshuffling."""
    input:
        control_pair_tables(CONTROLS.observed, *CONTROLS.floors, *CONTROLS.nulls),
    output:
        layout.CONTROLS,
    log:
        "<results>/logs/summarise_controls/controls.log",
    benchmark:
        "<results>/benchmarks/summarise_controls/controls.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        observed=CONTROLS.observed,
        floors=CONTROLS.floors,
        nulls=CONTROLS.nulls,
        code=code_digest("hysteresis.commands.controls"),
    shell:
        "python -m hysteresis controls --pairs {input} --observed {params.observed}"
        " --floors {params.floors} --nulls {params.nulls} --output {output} 2> {log}"


rule partition_controls:
    """Within or between orders, over two shufflings of each."""
    input:
        control_pair_tables(CONTROLS.observed, *CONTROLS.floors, *CONTROLS.crossed),
    output:
        layout.PARTITION,
    log:
        "<results>/logs/partition_controls/partition.log",
    benchmark:
        "<results>/benchmarks/partition_controls/partition.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        experiments=partitioned_experiments(),
        code=code_digest("hysteresis.commands.partition"),
    shell:
        "python -m hysteresis partition --pairs {input} --experiments {params.experiments}"
        " --output {output} 2> {log}"
