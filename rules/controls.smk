"""The noise floor under the observed hysteresis. Included only when the configuration has one."""

CONTROLS = CONFIGURATION.controls


rule controls:
    """Every table and figure of the controls."""
    input:
        control_files(),


rule summarise_controls:
    """Levels of every pair of histories, crossed excess and stream effect."""
    input:
        control_pair_tables(*six_experiments(), *CONTROLS.nulls),
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
        of=seeds_of(*six_experiments(), *CONTROLS.nulls),
        experiments=six_experiments(),
        nulls=CONTROLS.nulls,
        code=code_digest("hysteresis.commands.controls"),
    shell:
        "python -m hysteresis controls --pairs {input} --pairs-of {params.of:q}"
        " --experiments {params.experiments}"
        " --nulls {params.nulls} --output {output} 2> {log}"


rule partition_controls:
    """Order, stream or neither, over two shufflings of each order."""
    input:
        control_pair_tables(*six_experiments()),
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
        of=seeds_of(*six_experiments()),
        experiments=six_experiments(),
        code=code_digest("hysteresis.commands.partition"),
    shell:
        "python -m hysteresis partition --pairs {input} --pairs-of {params.of:q}"
        " --experiments {params.experiments}"
        " --output {output} 2> {log}"


rule study_power:
    """Which crossed excess so many seeds find, given the spread of those at hand."""
    input:
        layout.CONTROLS,
    output:
        layout.POWER,
    log:
        "<results>/logs/study_power/power.log",
    benchmark:
        "<results>/benchmarks/study_power/power.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        code=code_digest("hysteresis.commands.power"),
    shell:
        "python -m hysteresis power --controls {input} --output {output} 2> {log}"
