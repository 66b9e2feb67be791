"""Printed tables."""


rule write_table1:
    """Differences of linear probes at each training budget."""
    input:
        layout.PROBE_STATISTICS.format(probe=CONFIGURATION.paper.probe),
    output:
        layout.table_files("table1"),
    log:
        "<results>/logs/write_table1/table1.log",
    benchmark:
        "<results>/benchmarks/write_table1/table1.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        code=code_digest("hysteresis.commands.table1"),
    shell:
        "python -m hysteresis table1 --main {input} --output {output} 2> {log}"


rule write_table1_supplement:
    """Repeated heads, equivalence, parts of the test probe, and the secondary probes."""
    input:
        main=layout.PROBE_STATISTICS.format(probe=CONFIGURATION.paper.probe),
        secondary=secondary_probe_statistics(),
    output:
        layout.table_files("table1_supplement"),
    log:
        "<results>/logs/write_table1_supplement/table1_supplement.log",
    benchmark:
        "<results>/benchmarks/write_table1_supplement/table1_supplement.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        code=code_digest("hysteresis.commands.table1_supplement"),
    shell:
        "python -m hysteresis table1-supplement --main {input.main}"
        " --secondary {input.secondary} --output {output} 2> {log}"


rule write_table2:
    """H_repr at the paper's endpoints."""
    input:
        main=layout.STATISTICS.format(experiment=CONFIGURATION.paper.main),
        long_horizon=layout.STATISTICS.format(experiment=CONFIGURATION.paper.long_horizon),
        rotated=layout.STATISTICS.format(experiment=CONFIGURATION.paper.rotated),
        contrast=layout.CONTRAST.format(contrast=CONFIGURATION.paper.activation_contrast),
    output:
        layout.table_files("table2"),
    log:
        "<results>/logs/write_table2/table2.log",
    benchmark:
        "<results>/benchmarks/write_table2/table2.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        match=to_json(CONFIGURATION.analysis.match),
        code=code_digest("hysteresis.commands.table2"),
    shell:
        "python -m hysteresis table2 --main {input.main} --long-horizon {input.long_horizon}"
        " --rotated {input.rotated} --contrast {input.contrast} --match {params.match:q}"
        " --output {output} 2> {log}"


rule pool_cost:
    """What training and analysis cost, by kind of job."""
    input:
        benchmark_files(),
    output:
        layout.COST,
    log:
        "<results>/logs/pool_cost/cost.log",
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        folder=folder_of_benchmarks,
        jobs=benchmarked_jobs(),
        code=code_digest("hysteresis.commands.cost"),
    shell:
        "python -m hysteresis cost --benchmarks {params.folder} --jobs {params.jobs}"
        " --output {output} 2> {log}"
