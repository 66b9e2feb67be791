"""Write the initial weights of a run."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.run import Run
from hysteresis.provenance.digest import code_digest, library_versions
from hysteresis.training import checkpoints
from hysteresis.training.checkpoints import Checkpoint, Header, Maker
from hysteresis.training.network import initial_weights


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--run", required=True, help="the run before its first phase, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="checkpoint to write")


def run(arguments: Namespace) -> None:
    specification = from_json(arguments.run, Run)
    weights = initial_weights(specification.network, specification.weights)
    header = Header(specification, updates=0, initial_sha256=checkpoints.weights_sha256(weights))
    # Drawn on the CPU whatever the device of training is.
    header = header.made_by(
        Maker(code_digest(__name__, *specification.modules), "cpu", library_versions())
    )
    checkpoints.save(arguments.output, Checkpoint(header, weights, momentum={}))
