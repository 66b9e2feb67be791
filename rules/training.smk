"""Histories and relaxation: a chain of checkpoints, each made from the one before."""


rule initialise:
    """The weights that a run begins from."""
    output:
        paths.INITIAL,
    log:
        "<results>/logs/initialise/{condition}_seed{seed}_{history}.log",
    benchmark:
        "<results>/benchmarks/initialise/{condition}_seed{seed}_{history}.tsv"
    group:
        "run"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TRAINING_MEGABYTES,
        runtime=resources.SHORT_MINUTES,
    params:
        run=planned(specifications.run_before_training),
        code=code_digest("hysteresis.commands.initialise"),
    shell:
        "python -m hysteresis initialise --run {params.run:q} --output {output} 2> {log}"


rule train_phase:
    """One phase of a history, whole."""
    input:
        data=DATA,
        before=planned(inputs.checkpoint_before_phase),
    output:
        paths.PHASE,
    log:
        "<results>/logs/train_phase/{condition}_seed{seed}_{history}_phase{phase}.log",
    benchmark:
        "<results>/benchmarks/train_phase/{condition}_seed{seed}_{history}_phase{phase}.tsv"
    group:
        "run"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TRAINING_MEGABYTES,
        runtime=planned(resources.minutes_of_phase),
        gpu=GPUS,
    params:
        run=planned(specifications.run_at_phase),
        data=folder_of_data,
        compute=COMPUTE,
        code=planned(code.code_of_training),
    shell:
        "python -m hysteresis train --data {params.data} --run {params.run:q}"
        " --input {input.before} --output {output} {params.compute} 2> {log}"


rule relax:
    """The common phase up to the next checkpoint."""
    input:
        data=DATA,
        before=planned(inputs.checkpoint_before_step),
    output:
        paths.STEP,
    log:
        "<results>/logs/relax/{condition}_seed{seed}_{history}_step{step}.log",
    benchmark:
        "<results>/benchmarks/relax/{condition}_seed{seed}_{history}_step{step}.tsv"
    group:
        "run"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=resources.TRAINING_MEGABYTES,
        runtime=planned(resources.minutes_to_step),
        gpu=GPUS,
    params:
        run=planned(specifications.run_in_common_phase),
        data=folder_of_data,
        compute=COMPUTE,
        code=planned(code.code_of_training),
    shell:
        "python -m hysteresis train --data {params.data} --run {params.run:q} --until {wildcards.step}"
        " --input {input.before} --output {output} {params.compute} 2> {log}"
