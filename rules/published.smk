"""This rebuild's numbers beside the published ones."""


rule compare_published:
    """Every number of the paper, published and reproduced, with a verdict."""
    input:
        published=inputs.published_files(PUBLISHED),
        pairs=inputs.pair_tables_beside_published(CONFIGURATION),
        probes=inputs.probe_tables_beside_published(CONFIGURATION),
    output:
        numbers=paths.PUBLISHED_NUMBERS,
        seeds=paths.PUBLISHED_SEEDS,
        table=paths.PUBLISHED_TABLE,
        page=paths.PUBLISHED_PAGE,
    log:
        "<results>/logs/compare_published/published.log",
    benchmark:
        "<results>/benchmarks/compare_published/published.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        design=to_json(counterparts(CONFIGURATION)),
        pairs=specifications.seeds_beside_published(CONFIGURATION),
        probes=specifications.seeds_of_probe(CONFIGURATION, CONFIGURATION.paper.probe),
        folder=folder_of_published,
        code=code_digest("hysteresis.commands.compare_published"),
    shell:
        "python -m hysteresis compare-published --published {params.folder:q}"
        " --design {params.design:q} --pairs {input.pairs} --pairs-of {params.pairs:q}"
        " --probes {input.probes} --probes-of {params.probes:q}"
        " --numbers {output.numbers} --seeds {output.seeds} --table {output.table}"
        " --page {output.page} 2> {log}"


rule draw_published:
    """H_repr of the published and the reproduced seeds."""
    input:
        numbers=paths.PUBLISHED_NUMBERS,
        seeds=paths.PUBLISHED_SEEDS,
    output:
        paths.figure_files("published"),
    log:
        "<results>/logs/draw_published/published.log",
    benchmark:
        "<results>/benchmarks/draw_published/published.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        code=code_digest("hysteresis.commands.draw_published"),
    shell:
        "python -m hysteresis draw-published --numbers {input.numbers} --seeds {input.seeds}"
        " --output {output} 2> {log}"
