"""Figures, from tables only."""


rule draw_figure:
    """One figure of the paper, as PDF and PNG."""
    input:
        unpack(figure_inputs),
    output:
        layout.figure_files("{figure}"),
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
        comparison=figure_comparison,
        pairs=optional_pairs,
        statistics=optional_statistics,
        code=figure_code,
    shell:
        "python -m hysteresis draw {wildcards.figure} --comparison {params.comparison:q}"
        " {params.pairs} {params.statistics} --output {output} 2> {log}"
