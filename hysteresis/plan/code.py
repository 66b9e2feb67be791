"""Which code makes a file: digests that rules carry, so that a changed module remakes its files."""

from hysteresis.config.configuration import Configuration
from hysteresis.provenance.digest import code_digest

TRAINING = "hysteresis.training.segment"


def code_of_training(configuration: Configuration, condition: str, history: str, seed: int) -> str:
    """Of training, and of what the run loads by name: its network and its data sets."""
    run = configuration.run(condition, history, seed, relaxation=True)
    return code_digest(TRAINING, *run.modules)


def code_of_table(table: str) -> str:
    """Of printing, and of one table: no other table concerns it."""
    return code_digest("hysteresis.commands.table", f"hysteresis.tables.{table}")


def code_of_figure(figure: str) -> str:
    """Of drawing, and of one figure: no other figure concerns it."""
    modules = ("hysteresis.commands.draw", f"hysteresis.figures.{figure}")
    return " ".join(code_digest(module) for module in modules)
