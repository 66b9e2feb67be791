"""Statistics over seeds."""


rule summarise_experiment:
    """Every measured quantity at each checkpoint, at the match, and its changes."""
    input:
        planned(inputs.pair_tables_of_experiment),
    output:
        paths.STATISTICS,
    log:
        "<results>/logs/summarise_experiment/{experiment}.log",
    benchmark:
        "<results>/benchmarks/summarise_experiment/{experiment}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        of=planned(specifications.seeds_of_experiment),
        changes=planned(specifications.changes),
        code=code_digest("hysteresis.commands.summarise"),
    shell:
        "python -m hysteresis summarise --pairs {input} --pairs-of {params.of:q}"
        " --changes {params.changes} --output {output} 2> {log}"


rule contrast_experiments:
    """The difference of two experiments, seed by seed."""
    input:
        minuend=planned(inputs.pair_tables_of_minuend),
        subtrahend=planned(inputs.pair_tables_of_subtrahend),
    output:
        paths.CONTRAST,
    log:
        "<results>/logs/contrast_experiments/{contrast}.log",
    benchmark:
        "<results>/benchmarks/contrast_experiments/{contrast}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        minuend=planned(specifications.seeds_of_minuend),
        subtrahend=planned(specifications.seeds_of_subtrahend),
        code=code_digest("hysteresis.commands.contrast"),
    shell:
        "python -m hysteresis contrast --name {wildcards.contrast}"
        " --minuend {input.minuend} --minuend-of {params.minuend:q}"
        " --subtrahend {input.subtrahend} --subtrahend-of {params.subtrahend:q} --output {output} 2> {log}"
