"""Write the initial weights of a run."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis import checkpoints
from hysteresis.checkpoints import Checkpoint, Header, Maker
from hysteresis.network import initial_weights
from hysteresis.provenance import code_digest, library_versions
from hysteresis.specification import Run, from_json


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--run", required=True, help="the run before its first phase, as JSON")
    parser.add_argument("--output", required=True, type=Path, help="checkpoint to write")


def run(arguments: Namespace) -> None:
    specification = from_json(arguments.run, Run)
    weights = initial_weights(specification.network, specification.weights)
    header = Header(specification, updates=0, initial_sha256=checkpoints.weights_sha256(weights))
    # Drawn on the CPU whatever the device of training is.
    header = header.made_by(Maker(code_digest(__name__), "cpu", library_versions()))
    checkpoints.save(arguments.output, Checkpoint(header, weights, momentum={}))
