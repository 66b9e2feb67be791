"""Carry a run on from one checkpoint to the next: a whole phase, or a stretch of the common one."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.arguments import add_compute_arguments, compute_from
from hysteresis.data.images import load_images
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.run import Run
from hysteresis.provenance.files import require_writable
from hysteresis.training import checkpoints
from hysteresis.training.segment import require_predecessor, segment_of, train_segment


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of the data set's files")
    parser.add_argument("--run", required=True, help="the run as it is at the output, as JSON")
    parser.add_argument("--input", required=True, type=Path, help="checkpoint to carry on from")
    parser.add_argument("--output", required=True, type=Path, help="checkpoint to write")
    parser.add_argument("--until", type=int, help="update of the common phase to train until")
    add_compute_arguments(parser)


def run(arguments: Namespace) -> None:
    run = from_json(arguments.run, Run)
    segment = segment_of(run)
    before = checkpoints.load(arguments.input)
    try:
        require_predecessor(before.header, run, arguments.until)
    except UserError as error:
        raise UserError(f"{arguments.input}: {error}") from None
    require_writable(arguments.output)  # asked before the work, not after
    images = load_images(arguments.data, "train", segment.images)
    after = train_segment(run, before, images, arguments.until, compute_from(arguments))
    checkpoints.save(arguments.output, after)
