"""Printed tables."""


rule write_table:
    """One table, as csv, Markdown and LaTeX."""
    input:
        planned(tables.table_inputs),
    output:
        paths.table_files("{table}"),
    log:
        "<results>/logs/write_table/{table}.log",
    benchmark:
        "<results>/benchmarks/write_table/{table}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        job=planned(specifications.table),
        code=planned(code.code_of_table),
    shell:
        "python -m hysteresis table {wildcards.table} --job {params.job:q} --inputs {input}"
        " --output {output} 2> {log}"


rule pool_cost:
    """What training and analysis cost, by kind of job."""
    input:
        benchmarks.benchmark_files(CONFIGURATION),
    output:
        paths.COST,
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
        jobs=benchmarks.benchmarked_jobs(CONFIGURATION),
        code=code_digest("hysteresis.commands.cost"),
    shell:
        "python -m hysteresis cost --benchmarks {params.folder} --jobs {params.jobs}"
        " --output {output} 2> {log}"
