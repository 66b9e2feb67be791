"""MNIST."""


rule obtain_mnist:
    """The four IDX files, from wherever they can be had, checked by SHA-256."""
    output:
        paths.data_files("mnist"),
    log:
        "<results>/logs/obtain_mnist/mnist.log",
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=15,
    params:
        folder=folder_of_output,
        source=MNIST_SOURCE,
        code=code_digest("hysteresis.commands.obtain"),
    shell:
        "python -m hysteresis obtain {params.source} --output {params.folder} 2> {log}"
