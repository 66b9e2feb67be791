"""How H_repr depends on the number and the set of images. Included when configured."""


rule sensitivity_of_pair:
    """Verify the pair of one seed, and compare it on few and on many images."""
    input:
        data=DATA,
        first=planned(inputs.sensitivity_checkpoints, side=0),
        second=planned(inputs.sensitivity_checkpoints, side=1),
    output:
        paths.SENSITIVITY,
    log:
        "<results>/logs/sensitivity_of_pair/{experiment}_seed{seed}.log",
    benchmark:
        "<results>/benchmarks/sensitivity_of_pair/{experiment}_seed{seed}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.COMPARISON_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        sensitivity=planned(specifications.pair_sensitivity),
        data=folder_of_data,
        code=code_digest("hysteresis.commands.sensitivity"),
    shell:
        "python -m hysteresis sensitivity --data {params.data}"
        " --sensitivity {params.sensitivity:q} --first {input.first} --second {input.second}"
        " --output {output} 2> {log}"
