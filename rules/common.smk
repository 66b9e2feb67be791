"""Validation, wildcard constraints, targets, and the functions that rules ask. No rules here."""

import json
import shlex
import sys
from functools import partial
from os.path import relpath
from pathlib import Path

sys.path.insert(0, workflow.basedir)

from hysteresis.config.loading import configuration_from
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.plan import paths as layout
from hysteresis.plan import resources
from hysteresis.plan.paths import job_of
from hysteresis.plan.tables import (
    PAPER_TABLES,
    control_tables,
    known_tables,
    table_inputs,
    table_job,
)
from hysteresis.provenance.digest import code_digest
from hysteresis.published.design import counterparts

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
    probe="|".join(CONFIGURATION.probes),
    figure="|".join((*layout.FIGURES, *layout.CONTROL_FIGURES, *layout.MEASURE_FIGURES)),
    table="|".join(known_tables(CONFIGURATION)),


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
    figures = (*layout.FIGURES, "published")
    return [path for figure in figures for path in layout.figure_files(figure)]


def paper_table_files():
    tables = [path for name in PAPER_TABLES for path in layout.table_files(name)]
    return [*tables, layout.PUBLISHED_TABLE, layout.PUBLISHED_PAGE, layout.COST]


def folder_of_data(w, input):
    return str(Path(input.data[0]).parent)


def folder_of_output(w, output):
    return str(Path(output[0]).parent)


# ---- which code a job runs -------------------------------------------------------------------


def code_of_run(w, command):
    """Of a command and of what the run loads by name."""
    modules = CONFIGURATION.run(w.condition, w.history, int(w.seed), relaxation=True).modules
    return code_digest(command, *modules)


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
    steps = CONFIGURATION.experiments[w.experiment].checkpoints
    return initial_and_checkpoints(w.experiment, w.seed, side, steps)


def initial_and_checkpoints(experiment, seed, side, steps):
    settings = CONFIGURATION.experiments[experiment]
    run = (settings.condition, settings.pair[side], seed)
    initial = layout.INITIAL.format(condition=run[0], history=run[1], seed=run[2])
    return [initial, *(checkpoint_at(*run, step) for step in steps)]


def pair_probe(w):
    return to_json(CONFIGURATION.pair_probe(w.probe, int(w.seed)))


def probe_inputs(w):
    """Initial weights and checkpoints of both sides; at the match, all, and the pair's table."""
    told = CONFIGURATION.pair_probe(w.probe, int(w.seed))
    experiment, steps = told.pair.experiment, told.pair.steps
    inputs = {
        name: initial_and_checkpoints(experiment, w.seed, side, steps)
        for side, name in enumerate(("first", "second"))
    }
    if told.at_match:
        inputs["pairs"] = layout.PAIR.format(experiment=experiment, seed=w.seed)
    return inputs


def probe_settings(w):
    return to_json(CONFIGURATION.probes[w.probe])


def probe_tables_of(w):
    seeds = CONFIGURATION.experiments[CONFIGURATION.probes[w.probe].experiment].seeds
    return [layout.PROBE.format(probe=w.probe, seed=seed) for seed in seeds]


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


# ---- printed tables --------------------------------------------------------------------------


def files_of_table(w):
    return table_inputs(w.table, CONFIGURATION)


def job_of_table(w):
    return to_json(table_job(w.table, CONFIGURATION))


def code_of_table(w):
    return code_digest("hysteresis.commands.table", f"hysteresis.tables.{w.table}")


# ---- what a figure or the table of costs is made from ----------------------------------------

# Which experiments a figure shows, and whose statistics; Figure 1 draws the design alone.
CONTRAST = CONFIGURATION.contrasts[CONFIGURATION.paper.activation_contrast]
FIGURE_EXPERIMENTS = {
    "figure1": [CONFIGURATION.paper.main],
    "figure2": [CONFIGURATION.paper.main],
    "figure3": [CONFIGURATION.paper.long_horizon],
    "figure4": [CONFIGURATION.probes[CONFIGURATION.paper.probe].experiment],
    "figure5": [CONTRAST.minuend, CONTRAST.subtrahend],
    "figure6": [CONFIGURATION.paper.rotated],
}
if CONFIGURATION.controls is not None:
    FIGURE_EXPERIMENTS["figure7"] = [CONFIGURATION.controls.observed]
    FIGURE_EXPERIMENTS["figure8"] = [CONFIGURATION.controls.observed]


def figure_inputs(w):
    if w.figure == "figure1":
        return {}
    if w.figure == "figure7":
        return {
            "pairs": control_pair_tables(*six_experiments()),
            "statistics": layout.CONTROLS,
        }
    if w.figure == "figure8":
        return {"statistics": layout.MEASURE_STATISTICS}
    if w.figure == "figure4":
        probe = CONFIGURATION.paper.probe
        return {"statistics": layout.PROBE_STATISTICS.format(probe=probe)}
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
    rules_a_run = ("initialise", "train_phase", "relax", "compare_pair", "probe_pair")
    names = {rule: [] for rule in rules_a_run}
    experiments = CONFIGURATION.paper_experiments
    for (condition, history, seed), last in CONFIGURATION.last_steps(experiments).items():
        run = f"{condition}_seed{seed}_{history}"
        phases = range(1, len(CONFIGURATION.histories[history].phases) + 1)
        steps = [step for step in CONFIGURATION.steps(condition) if 0 < step <= last]
        names["initialise"].append(run)
        names["train_phase"] += [f"{run}_phase{phase}" for phase in phases]
        names["relax"] += [f"{run}_step{step}" for step in steps]
    for name in experiments:
        seeds = CONFIGURATION.experiments[name].seeds
        names["compare_pair"] += [f"{name}_seed{seed}" for seed in seeds]
    names["summarise_experiment"] = list(experiments)
    names["contrast_experiments"] = list(CONFIGURATION.contrasts)
    probes = (CONFIGURATION.paper.probe, *CONFIGURATION.paper.secondary_probes)
    names["summarise_probe"] = list(dict.fromkeys(probes))
    for probe in names["summarise_probe"]:
        seeds = CONFIGURATION.experiments[CONFIGURATION.probes[probe].experiment].seeds
        names["probe_pair"] += [f"{probe}_seed{seed}" for seed in seeds]
    return [layout.benchmark(rule, name) for rule, jobs in names.items() for name in jobs]


def benchmarked_jobs():
    """The same jobs as rule/job, those of a run's phases and steps together."""
    files = (Path(file) for file in benchmark_files())
    return list(dict.fromkeys(job_of(file) for file in files))


def folder_of_benchmarks(w, input):
    return str(Path(input[0]).parent.parent)


# ---- published and reproduced ----------------------------------------------------------------

PUBLISHED_COUNTERPARTS = counterparts(CONFIGURATION)


def published_files():
    folder = Path(relpath(Path(workflow.basedir, "workflow/published")))
    return sorted(map(str, [*folder.glob("*.csv"), *folder.glob("*.yaml")]))


def folder_of_published(w, input):
    return str(Path(input.published[0]).parent)


def experiments_beside_published():
    experiments = PUBLISHED_COUNTERPARTS.experiments.values()
    return dict.fromkeys(each.comparison.experiment for each in experiments)


def seeds_beside_published():
    return seeds_of(*experiments_beside_published())


def pair_tables_beside_published():
    return [table for name in experiments_beside_published() for table in pair_tables(name)]


def probe_tables_beside_published():
    probe = CONFIGURATION.paper.probe
    seeds = CONFIGURATION.experiments[PUBLISHED_COUNTERPARTS.probe.pair.experiment].seeds
    return [layout.PROBE.format(probe=probe, seed=seed) for seed in seeds]


# ---- controls --------------------------------------------------------------------------------


def seeds_of(*names):
    """Whose tables an input lists, in its order, for the verbs that demand it."""
    seeds = [(name, CONFIGURATION.experiments[name].seeds) for name in names]
    return json.dumps(seeds, separators=(",", ":"))


def seeds_of_experiment(w):
    return seeds_of(w.experiment)


def seeds_of_minuend(w):
    return seeds_of(CONFIGURATION.contrasts[w.contrast].minuend)


def seeds_of_subtrahend(w):
    return seeds_of(CONFIGURATION.contrasts[w.contrast].subtrahend)


def seeds_of_probes(*probes):
    seeds = [
        (probe, CONFIGURATION.experiments[CONFIGURATION.probes[probe].experiment].seeds)
        for probe in probes
    ]
    return json.dumps(seeds, separators=(",", ":"))


def seeds_of_probe(w):
    return seeds_of_probes(w.probe)


def control_pair_tables(*experiments):
    return [table for experiment in experiments for table in pair_tables(experiment)]


def six_experiments():
    """The six pairs among two shufflings of each order: 01, 02, 03, 12, 13, 23."""
    settings = CONFIGURATION.controls
    first_floor, second_floor = settings.floors
    return [first_floor, settings.observed, *settings.crossed, second_floor]


def control_files():
    """Every table and figure of the controls, with those of the sections that are configured."""
    figures = [*layout.CONTROL_FIGURES]
    if CONFIGURATION.measures is not None:
        figures += layout.MEASURE_FIGURES
    return [
        *(path for table in control_tables(CONFIGURATION) for path in layout.table_files(table)),
        *(path for figure in figures for path in layout.figure_files(figure)),
    ]


# ---- further measures, and other numbers of images -------------------------------------------


def pair_measures(w):
    return to_json(CONFIGURATION.pair_measures(w.experiment, int(w.seed)))


def pair_sensitivity(w):
    return to_json(CONFIGURATION.pair_sensitivity(w.experiment, int(w.seed)))


def measured_checkpoints_of(w, side):
    return initial_and_checkpoints(w.experiment, w.seed, side, CONFIGURATION.measures.steps)


def last_checkpoint_of(w, side):
    return initial_and_checkpoints(w.experiment, w.seed, side, [CONFIGURATION.sensitivity.step])


def files_of_seeds(file, *experiments):
    return [
        file.format(experiment=experiment, seed=seed)
        for experiment in experiments
        for seed in CONFIGURATION.experiments[experiment].seeds
    ]
