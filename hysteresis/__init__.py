"""How much of its training history does a neural network keep?

The package behind the Snakemake workflow. Data flows one way through its modules:
configuration -> data -> streams -> network, training -> checkpoints -> pair measures, probes
-> statistics -> tables, figures. Importing the package itself costs nothing: the Snakefile does.
"""

__version__ = "0.1.0"
