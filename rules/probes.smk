"""Linear probes: new heads on the frozen features of both networks of a pair."""


rule probe_pair:
    """All budgets and head seeds of one pair, at one checkpoint."""
    input:
        unpack(planned(inputs.probe_inputs)),
        data=DATA,
    output:
        paths.PROBE,
    log:
        "<results>/logs/probe_pair/{probe}_seed{seed}.log",
    benchmark:
        "<results>/benchmarks/probe_pair/{probe}_seed{seed}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.COMPARISON_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        probe=planned(specifications.pair_probe),
        data=folder_of_data,
        pairs=option("pairs"),
        code=code_digest("hysteresis.commands.probe"),
    shell:
        "python -m hysteresis probe --name {wildcards.probe} --data {params.data} --probe {params.probe:q} {params.pairs}"
        " --first {input.first} --second {input.second} --output {output} 2> {log}"


rule summarise_probe:
    """Differences of the two histories over seeds, for every budget and reported epoch."""
    input:
        planned(inputs.probe_tables),
    output:
        paths.PROBE_STATISTICS,
    log:
        "<results>/logs/summarise_probe/{probe}.log",
    benchmark:
        "<results>/benchmarks/summarise_probe/{probe}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TABLE_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        settings=planned(specifications.probe_settings),
        of=planned(specifications.seeds_of_probe),
        code=code_digest("hysteresis.commands.summarise_probe"),
    shell:
        "python -m hysteresis summarise-probe --name {wildcards.probe}"
        " --settings {params.settings:q} --probes {input} --probes-of {params.of:q}"
        " --output {output} 2> {log}"
