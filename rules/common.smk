"""Loads the configuration, constrains wildcards, and lets rules ask the plan. No rules here."""

import inspect
import shlex
import sys
from os.path import relpath
from pathlib import Path

sys.path.insert(0, workflow.basedir)

from hysteresis.config.loading import configuration_from
from hysteresis.config.reading import require_readable
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.plan import (
    benchmarks,
    code,
    evidence,
    figures,
    inputs,
    paths,
    resources,
    specifications,
    tables,
    targets,
)
from hysteresis.provenance.digest import code_digest
from hysteresis.published.design import counterparts


def or_one_line(load, *arguments):
    """What ``load`` returns; a user's mistake ends Snakemake with its line and status 2."""
    try:
        return load(*arguments)
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(2)


# Read beforehand, since Snakemake names neither file nor line, and passes over a doubled key.
DEFAULT = Path("config/config.yaml")
or_one_line(require_readable, DEFAULT, [Path(file) for file in workflow.configfiles])


configfile: DEFAULT


CONFIGURATION = or_one_line(
    configuration_from, config, Path(workflow.basedir, "workflow/schemas/config.schema.yaml")
)
if workflow.is_main_process and resources.gpu_warning(CONFIGURATION.compute.device):
    print(resources.gpu_warning(CONFIGURATION.compute.device), file=sys.stderr)


wildcard_constraints:
    seed=r"\d+",
    phase=r"[1-9]\d*",
    step=r"[1-9]\d*",
    condition="|".join(CONFIGURATION.conditions),
    history="|".join(CONFIGURATION.histories),
    experiment="|".join(CONFIGURATION.experiments),
    contrast="|".join(CONFIGURATION.contrasts) or "(?!)",
    probe="|".join(CONFIGURATION.probes),
    figure="|".join(figures.FIGURES),
    table="|".join(tables.known_tables(CONFIGURATION)),


# Verified by checksum whenever they are read, so their age decides nothing.
DATA = ancient([file for name in CONFIGURATION.data_sets for file in paths.data_files(name)])
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
PUBLISHED = Path(relpath(Path(workflow.basedir, "workflow/published")))
NUMBERS = ("seed", "phase", "step")


# ---- adapters --------------------------------------------------------------------------------


def planned(function, **settings):
    """``function`` of the plan as Snakemake calls it: told wildcards, as far as it names them."""
    names = inspect.signature(function).parameters

    def ask(wildcards):
        found = {
            name: int(value) if name in NUMBERS else value for name, value in wildcards.items()
        }
        known = {"configuration": CONFIGURATION, **found, **settings}
        return function(**{name: known[name] for name in names if name in known})

    return ask


def option(name):
    """``--name`` with the files of that input, for a job that has it."""

    def given(wildcards, input):
        return f"--{name} {input.get(name)}" if name in input.keys() else ""

    return given


def folder_of_data(wildcards, input):
    return str(Path(input.data[0]).parent)


def folder_of_output(wildcards, output):
    return str(Path(output[0]).parent)


def folder_of_published(wildcards, input):
    return str(Path(input.published[0]).parent)


def folder_of_benchmarks(wildcards, input):
    return str(Path(input[0]).parent.parent)
