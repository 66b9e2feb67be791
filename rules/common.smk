"""Validation, wildcard constraints, targets, and the functions that rules ask. No rules here."""

import shlex
import sys
from functools import cache, partial
from pathlib import Path

sys.path.insert(0, workflow.basedir)

from hysteresis import layout, resources
from hysteresis.config import configuration_from
from hysteresis.errors import UserError
from hysteresis.provenance import code_digest
from hysteresis.specification import to_json

try:
    CONFIGURATION = configuration_from(
        config, Path(workflow.basedir, "workflow/schemas/config.schema.yaml")
    )
except UserError as error:
    print(error, file=sys.stderr)
    sys.exit(2)


wildcard_constraints:
    seed=r"\d+",
    phase=r"[1-9]\d*",
    step=r"[1-9]\d*",
    condition="|".join(CONFIGURATION.conditions),
    history="|".join(CONFIGURATION.histories),
    experiment="|".join(CONFIGURATION.experiments),
    contrast="|".join(CONFIGURATION.contrasts) or "(?!)",
    figure="|".join(layout.FIGURES),


# Verified by checksum when they are made, so their age decides nothing.
MNIST = ancient(layout.MNIST)
MNIST_SOURCE = (
    f"--idx-folder {shlex.quote(CONFIGURATION.data.idx_folder)}"
    if CONFIGURATION.data.idx_folder
    else ""
)
COMPUTE = "--device {device}{tf32}".format(
    device=CONFIGURATION.compute.device,
    tf32=" --allow-tf32" if CONFIGURATION.compute.allow_tf32 else "",
)
GPUS = resources.gpus(CONFIGURATION.compute.device)


# ---- targets ---------------------------------------------------------------------------------


def paper_figure_files():
    return [path for figure in layout.FIGURES for path in layout.figure_files(figure)]


def paper_table_files():
    return [*layout.table_files("table2"), layout.COST]


def folder_of_data(w, input):
    return str(Path(input.data[0]).parent)


def folder_of_output(w, output):
    return str(Path(output[0]).parent)


# ---- what a training job is told -------------------------------------------------------------


def run_before_training(w):
    return to_json(CONFIGURATION.run(w.condition, w.history, int(w.seed), phases=0))


def run_at_phase(w):
    return to_json(CONFIGURATION.run(w.condition, w.history, int(w.seed), phases=int(w.phase)))


def run_at_step(w):
    return to_json(CONFIGURATION.run(w.condition, w.history, int(w.seed), relaxation=True))


def checkpoint_before_phase(w):
    return layout.PHASE.format(
        condition=w.condition, seed=w.seed, history=w.history, phase=int(w.phase) - 1
    )


def checkpoint_before_step(w):
    step = CONFIGURATION.step_before(w.condition, int(w.step))
    return checkpoint_at(w.condition, w.history, w.seed, step)


def checkpoint_at(condition, history, seed, step):
    phases = len(CONFIGURATION.histories[history].phases)
    return layout.checkpoint(condition, history, seed, step, phases)


def updates_of_phase(w):
    return CONFIGURATION.phase_updates(w.condition, w.history, int(w.phase))


def updates_to_step(w):
    return int(w.step) - CONFIGURATION.step_before(w.condition, int(w.step))


def minutes_of_phase(w):
    return resources.training_minutes(updates_of_phase(w))


def minutes_to_step(w):
    return resources.training_minutes(updates_to_step(w))


# ---- what an analysis job is told ------------------------------------------------------------


def comparison(w):
    return to_json(CONFIGURATION.comparison(w.experiment, int(w.seed)))


def checkpoints_of(w, side):
    """Initial weights, then the checkpoints of one side (0 or 1) of a pair."""
    experiment = CONFIGURATION.experiments[w.experiment]
    run = (experiment.condition, experiment.pair[side], w.seed)
    initial = layout.INITIAL.format(condition=run[0], history=run[1], seed=run[2])
    return [initial, *(checkpoint_at(*run, step) for step in experiment.checkpoints)]


def pair_tables(experiment):
    seeds = CONFIGURATION.experiments[experiment].seeds
    return [layout.PAIR.format(experiment=experiment, seed=seed) for seed in seeds]


def pair_tables_of(w):
    return pair_tables(w.experiment)


def changes_of(w):
    return CONFIGURATION.experiments[w.experiment].changes


def pair_tables_of_minuend(w):
    return pair_tables(CONFIGURATION.contrasts[w.contrast].minuend)


def pair_tables_of_subtrahend(w):
    return pair_tables(CONFIGURATION.contrasts[w.contrast].subtrahend)


# ---- what a figure or the table of costs is made from ----------------------------------------

# Which experiments a figure shows, and whose statistics; Figure 1 draws the design alone.
CONTRAST = CONFIGURATION.contrasts[CONFIGURATION.paper.activation_contrast]
FIGURE_EXPERIMENTS = {
    "figure1": [CONFIGURATION.paper.main],
    "figure2": [CONFIGURATION.paper.main],
    "figure3": [CONFIGURATION.paper.long_horizon],
    "figure5": [CONTRAST.minuend, CONTRAST.subtrahend],
    "figure6": [CONFIGURATION.paper.rotated],
}


def figure_inputs(w):
    if w.figure == "figure1":
        return {}
    experiments = FIGURE_EXPERIMENTS[w.figure]
    contrasted = CONFIGURATION.paper.activation_contrast
    name = experiments[0] if len(experiments) == 1 else contrasted
    return {
        "pairs": [table for experiment in experiments for table in pair_tables(experiment)],
        "statistics": layout.STATISTICS.format(experiment=name),
    }


def figure_comparison(w):
    experiment = FIGURE_EXPERIMENTS[w.figure][0]
    return to_json(
        CONFIGURATION.comparison(experiment, CONFIGURATION.experiments[experiment].seeds[0])
    )


def optional_pairs(w, input):
    return f"--pairs {input.pairs}" if "pairs" in input.keys() else ""


def optional_statistics(w, input):
    return f"--statistics {input.statistics}" if "statistics" in input.keys() else ""


def figure_code(w):
    modules = ("hysteresis.commands.draw", f"hysteresis.figures.{w.figure}")
    return " ".join(code_digest(module) for module in modules)


def benchmark_files():
    """Benchmarks of all training and analysis jobs but the drawing and printing."""
    names = {rule: [] for rule in ("initialise", "train_phase", "relax", "compare_pair")}
    for (condition, history, seed), last in CONFIGURATION.last_steps.items():
        run = f"{condition}_seed{seed}_{history}"
        phases = range(1, len(CONFIGURATION.histories[history].phases) + 1)
        steps = [step for step in CONFIGURATION.steps(condition) if 0 < step <= last]
        names["initialise"].append(run)
        names["train_phase"] += [f"{run}_phase{phase}" for phase in phases]
        names["relax"] += [f"{run}_step{step}" for step in steps]
    for name, experiment in CONFIGURATION.experiments.items():
        names["compare_pair"] += [f"{name}_seed{seed}" for seed in experiment.seeds]
    names["summarise_experiment"] = list(CONFIGURATION.experiments)
    names["contrast_experiments"] = list(CONFIGURATION.contrasts)
    return [layout.benchmark(rule, name) for rule, jobs in names.items() for name in jobs]


def folder_of_benchmarks(w, input):
    return str(Path(input[0]).parent.parent)
