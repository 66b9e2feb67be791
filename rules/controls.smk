"""The noise floor under the observed hysteresis. Included only when the configuration has one."""


rule controls:
    """Every table and figure of the controls."""
    input:
        targets.control_files(CONFIGURATION),


rule summarise_controls:
    """Levels of every pair of histories, crossed excess and stream effect."""
    input:
        inputs.pair_tables_of_controls(CONFIGURATION),
    output:
        paths.CONTROLS,
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
        of=specifications.seeds_of_controls(CONFIGURATION),
        experiments=CONFIGURATION.controls.six,
        nulls=CONFIGURATION.controls.nulls,
        code=code_digest("hysteresis.commands.controls"),
    shell:
        "python -m hysteresis controls --pairs {input} --pairs-of {params.of:q}"
        " --experiments {params.experiments}"
        " --nulls {params.nulls} --output {output} 2> {log}"


rule partition_controls:
    """Order, stream or neither, over two shufflings of each order."""
    input:
        inputs.pair_tables_of_six(CONFIGURATION),
    output:
        paths.PARTITION,
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
        of=specifications.seeds_of_six(CONFIGURATION),
        experiments=CONFIGURATION.controls.six,
        code=code_digest("hysteresis.commands.partition"),
    shell:
        "python -m hysteresis partition --pairs {input} --pairs-of {params.of:q}"
        " --experiments {params.experiments}"
        " --output {output} 2> {log}"


rule study_power:
    """Which crossed excess so many seeds find, given the spread of those at hand."""
    input:
        paths.CONTROLS,
    output:
        paths.POWER,
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
