"""A segment of a run: a whole phase of its history, or a stretch of the common phase.

This module and all it reaches decide the bits of a trained checkpoint, and nothing else does: its
digest is that of training.
"""

from dataclasses import replace

import torch

from hysteresis.data.facts import data_set
from hysteresis.data.images import LabelledImages
from hysteresis.data.streams import MinibatchStream
from hysteresis.errors import UserError
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.run import InitialWeights, Phase, Relaxation, Run
from hysteresis.provenance.digest import code_digest, library_versions
from hysteresis.training import devices
from hysteresis.training.checkpoints import Checkpoint, Header, Maker
from hysteresis.training.learner import Learner
from hysteresis.training.network import initial_weights


def segment_of(run: Run) -> Phase | Relaxation:
    """What is learnt last in a run: its last phase, or the common phase once it has begun."""
    if run.relaxation is not None:
        return run.relaxation
    if not run.phases:
        raise UserError("train: the run has no phase to train; use `hysteresis initialise`")
    return run.phases[-1]


def require_predecessor(header: Header, run: Run, until: int | None) -> None:
    """Raise UserError unless ``header`` is the run as it must be before its segment."""
    if run.relaxation is None:
        expected = replace(run, phases=run.phases[:-1])
    else:
        expected = run if header.run.relaxation else replace(run, relaxation=None)
    if not expected.phases and expected.relaxation is None:
        expected = replace(expected, optimizer=None)
    if header.run != expected:
        raise UserError(
            f"is {_named(header)}, but this segment carries on {_name(run)} as configured now, "
            "from the end of the segment before; build the input again"
        )
    if run.relaxation is not None and (until or 0) <= header.updates:
        raise UserError(
            f"has {header.updates} updates of the common phase already; --until must name more, "
            f"not {until}"
        )


def train_segment(
    run: Run, before: Checkpoint, images: LabelledImages, until: int | None, compute: Compute
) -> Checkpoint:
    """The run at the end of its segment, from the checkpoint ``before`` it.

    ``images`` are the segment's; ``until`` counts updates of the common phase. Raises UserError
    when ``before`` is another run's or the training becomes non-finite.
    """
    require_predecessor(before.header, run, until)
    device = devices.prepare(compute)
    learner = _learner(run, before, device)
    updates = _learn(learner, run, before.header.updates, images, until)
    maker = Maker(
        code_digest(__name__, *run.modules),
        devices.description(device, compute),
        library_versions(),
        {name: data_set(name).digest for name in run.data_sets},
    )
    header = replace(before.header, run=run, updates=updates).made_by(maker)
    return Checkpoint(header, learner.weights(), learner.momentum())


def _learner(run: Run, before: Checkpoint, device: torch.device) -> Learner:
    """Where the segment begins: at the start of the common phase with what that changes."""
    weights, momentum = before.weights, before.momentum
    if run.relaxation is not None and before.header.run.relaxation is None:
        if run.relaxation.optimizer_state == "reset":
            momentum = {}
        if run.relaxation.reinitialised:
            weights, momentum = _reinitialised(run, weights, momentum)
    return Learner.resumed(run.network, run.optimizer, weights, momentum, device)


def _reinitialised(
    run: Run, weights: dict[str, torch.Tensor], momentum: dict[str, torch.Tensor]
) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    """The named layers as newly drawn, without momentum; the others as they are."""
    drawn = initial_weights(run.network, InitialWeights(run.relaxation.reinitialisation_seed))
    chosen = [name for name in drawn if name.split(".")[0] in run.relaxation.reinitialised]
    unknown = set(run.relaxation.reinitialised) - {name.split(".")[0] for name in drawn}
    if unknown:
        raise UserError(f"{_name(run)}: the network has no layer {min(unknown)} to reinitialise")
    kept = {name: buffer for name, buffer in momentum.items() if name not in chosen}
    return weights | {name: drawn[name] for name in chosen}, kept


def _learn(
    learner: Learner, run: Run, start: int, images: LabelledImages, until: int | None
) -> int:
    """Train the segment; return the updates now done in the common phase."""
    segment = segment_of(run)
    stream = MinibatchStream(
        len(images),
        segment.stream_seed,
        run.optimizer.batch_size,
        same_order_every_pass=isinstance(segment, Relaxation),
    )
    if isinstance(segment, Phase):
        place = f"{_name(run)} phase {len(run.phases)} ({segment.task})"
        stop = segment.updates or segment.epochs * stream.updates_per_pass
    else:
        place, stop = f"{_name(run)} common phase ({segment.task})", until
    try:
        learner.learn(images, stream, start, stop, place)
    except torch.cuda.OutOfMemoryError:
        raise UserError(
            f"{place}: the GPU has too little memory for batches of {run.optimizer.batch_size} "
            "beside the other jobs on it; let fewer run at once (snakemake --resources gpu=1) or "
            "lower the condition's batch_size"
        ) from None
    return 0 if isinstance(segment, Phase) else stop


def _name(run: Run) -> str:
    return f"{run.condition} seed {run.seed} {run.history}"


def _named(header: Header) -> str:
    run = header.run
    if run.relaxation is None:
        return f"{_name(run)} after {len(run.phases)} phases"
    return f"{_name(run)} at update {header.updates} of the common phase"
