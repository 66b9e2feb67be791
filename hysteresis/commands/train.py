"""Carry a run on from one checkpoint to the next: a whole phase, or a stretch of the common one."""

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from hysteresis.commands.arguments import add_compute_arguments, compute_from
from hysteresis.data.images import load_images
from hysteresis.data.streams import MinibatchStream
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.run import Phase, Relaxation, Run
from hysteresis.provenance.digest import code_digest, library_versions
from hysteresis.training import checkpoints, devices
from hysteresis.training.checkpoints import Checkpoint, Header, Maker
from hysteresis.training.learner import Learner


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of MNIST's IDX files")
    parser.add_argument("--run", required=True, help="the run as it is at the output, as JSON")
    parser.add_argument("--input", required=True, type=Path, help="checkpoint to carry on from")
    parser.add_argument("--output", required=True, type=Path, help="checkpoint to write")
    parser.add_argument("--until", type=int, help="update of the common phase to train until")
    add_compute_arguments(parser)


def run(arguments: Namespace) -> None:
    specification = from_json(arguments.run, Run)
    before = checkpoints.load(arguments.input)
    _require_predecessor(before.header, specification, arguments)
    compute = compute_from(arguments)
    device = devices.prepare(compute)
    momentum = before.momentum
    if begins_relaxation(before.header.run, specification):
        momentum = momentum if specification.relaxation.optimizer_state == "preserve" else {}
    learner = Learner.resumed(
        specification.network, specification.optimizer, before.weights, momentum, device
    )
    updates = _learn_segment(learner, specification, before.header.updates, arguments)
    header = replace(before.header, run=specification, updates=updates).made_by(
        Maker(code_digest(__name__), devices.description(device, compute), library_versions())
    )
    checkpoints.save(arguments.output, Checkpoint(header, learner.weights(), learner.momentum()))


def begins_relaxation(before: Run, after: Run) -> bool:
    """Whether the common phase starts between the two."""
    return before.relaxation is None and after.relaxation is not None


def _learn_segment(learner: Learner, run: Run, start: int, arguments: Namespace) -> int:
    """Train one segment; return the updates now done in the common phase."""
    segment = run.phases[-1] if run.relaxation is None else run.relaxation
    images = load_images(arguments.data, "train", segment.images)
    stream = MinibatchStream(
        len(images),
        segment.stream_seed,
        run.optimizer.batch_size,
        same_order_every_pass=isinstance(segment, Relaxation),
    )
    name = f"{run.condition} seed {run.seed} {run.history}"
    if isinstance(segment, Phase):
        place = f"phase {len(run.phases)} ({segment.task})"
        learner.learn(images, stream, 0, _length(segment, stream), f"{name} {place}")
        return 0
    place = f"common phase ({segment.task}) from {start}"
    learner.learn(images, stream, start, arguments.until, f"{name} {place}")
    return arguments.until


def _length(phase: Phase, stream: MinibatchStream) -> int:
    return phase.updates if phase.epochs is None else phase.epochs * stream.updates_per_pass


def _require_predecessor(header: Header, run: Run, arguments: Namespace) -> None:
    """Raise UserError unless the input is the run as it must be before this segment."""
    if run.relaxation is None:
        expected = replace(run, phases=run.phases[:-1])
        if not run.phases:
            raise UserError("train: the run has no phase to train; use `hysteresis initialise`")
    else:
        expected = run if header.run.relaxation else replace(run, relaxation=None)
        if arguments.until is None or arguments.until <= header.updates:
            raise UserError(f"train: --until must be above {header.updates}, where the input ends")
    if not expected.phases:
        expected = replace(expected, optimizer=None)
    if header.run != expected:
        raise UserError(
            f"{arguments.input}: is not the run {run.condition} seed {run.seed} {run.history} "
            "as it is before this segment; rebuild it with the present configuration"
        )
