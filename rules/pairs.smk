"""Behaviour and representations of two histories, side by side."""


rule compare_pair:
    """Verify the pair of one seed and measure it at each checkpoint."""
    input:
        data=DATA,
        first=planned(inputs.compared_checkpoints, side=0),
        second=planned(inputs.compared_checkpoints, side=1),
    output:
        paths.PAIR,
    log:
        "<results>/logs/compare_pair/{experiment}_seed{seed}.log",
    benchmark:
        "<results>/benchmarks/compare_pair/{experiment}_seed{seed}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.COMPARISON_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        comparison=planned(specifications.comparison),
        data=folder_of_data,
        code=code_digest("hysteresis.commands.compare"),
    shell:
        "python -m hysteresis compare --data {params.data} --comparison {params.comparison:q}"
        " --first {input.first} --second {input.second} --output {output} --device cpu 2> {log}"
