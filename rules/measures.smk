"""The excess over the noise floor under every measure of similarity. Included when configured."""


rule measure_pair:
    """Verify the pair of one seed, and compare its layers by every measure."""
    input:
        data=DATA,
        first=planned(inputs.measured_checkpoints, side=0),
        second=planned(inputs.measured_checkpoints, side=1),
    output:
        paths.MEASURES,
    log:
        "<results>/logs/measure_pair/{experiment}_seed{seed}.log",
    benchmark:
        "<results>/benchmarks/measure_pair/{experiment}_seed{seed}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.COMPARISON_MEGABYTES,
        runtime=resources.measuring_minutes(CONFIGURATION),
    params:
        measures=planned(specifications.pair_measures),
        data=folder_of_data,
        code=code_digest("hysteresis.commands.measure"),
    shell:
        "python -m hysteresis measure --data {params.data} --measures {params.measures:q}"
        " --first {input.first} --second {input.second} --output {output} 2> {log}"


rule summarise_measures:
    """Levels of opposite and of equal orders, and their contrasts, under every measure."""
    input:
        inputs.measure_tables(CONFIGURATION),
    output:
        paths.MEASURE_STATISTICS,
    log:
        "<results>/logs/summarise_measures/measures.log",
    benchmark:
        "<results>/benchmarks/summarise_measures/measures.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        of=specifications.seeds_of_six(CONFIGURATION),
        experiments=CONFIGURATION.controls.six,
        code=code_digest("hysteresis.commands.summarise_measures"),
    shell:
        "python -m hysteresis summarise-measures --measures {input} --measures-of {params.of:q}"
        " --experiments {params.experiments} --output {output} 2> {log}"
