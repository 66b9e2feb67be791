"""Figures, from tables only."""


rule draw_figure:
    """One figure of the paper, as PDF and PNG."""
    input:
        unpack(planned(figures.figure_inputs)),
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
        comparison=planned(specifications.figure_comparison),
        pairs=option("pairs"),
        statistics=option("statistics"),
        code=planned(code.code_of_figure),
    shell:
        "python -m hysteresis draw {wildcards.figure} --comparison {params.comparison:q}"
        " {params.pairs} {params.statistics} --output {output} 2> {log}"
