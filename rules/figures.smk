"""Figures, from tables only."""


rule draw_figure:
    """One figure of the paper, as PDF and PNG."""
    input:
        planned(figures.figure_inputs),
    output:
        paths.figure_files("{figure}"),
    log:
        "<results>/logs/draw_figure/{figure}.log",
    benchmark:
        "<results>/benchmarks/draw_figure/{figure}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        job=planned(specifications.figure),
        code=planned(code.code_of_figure),
    shell:
        "python -m hysteresis draw {wildcards.figure} --job {params.job:q} --inputs {input}"
        " --output {output} 2> {log}"
