"""Selections of images: what the data set has, and that no task is without any."""

from hysteresis.config.configuration import Configuration, number_of_images
from hysteresis.data.facts import data_set
from hysteresis.errors import UserError
from hysteresis.jobs.run import ImageSelection


def require_images(configuration: Configuration) -> None:
    """Raise UserError for a task without images, or of those that its data set does not have."""
    for protocol, tasks in configuration.protocols.items():
        for task, selection in tasks.items():
            _check_task(selection, f"configuration: protocols: {protocol}: {task}")
        data_sets = sorted({selection.data_set for selection in tasks.values()})
        if len(data_sets) > 1:
            raise UserError(
                f"configuration: protocols: {protocol}: its tasks are of {', '.join(data_sets)}, "
                "but a network is built for one data_set; give each a protocol of its own"
            )
    for name, experiment in configuration.experiments.items():
        compared = configuration.comparison(name, experiment.seeds[0])
        _require_enough(compared.probe, "test", "analysis: probe_images_per_class")
    for name, probe in configuration.probes.items():
        seed = configuration.experiments[probe.experiment].seeds[0]
        trained = configuration.pair_probe(name, seed).train
        _require_enough(trained, "train", f"probes: {name}: budgets: images_per_class")


def _require_enough(selection: ImageSelection, part: str, place: str) -> None:
    fewest = min(data_set(selection.data_set).label_counts[part])
    if selection.examples_per_class > fewest:
        raise UserError(
            f"configuration: {place}: {selection.examples_per_class} is too many: of one class "
            f"{selection.data_set} has only {fewest} {part} images"
        )


def _check_task(selection: ImageSelection, place: str) -> None:
    index, of = selection.share
    if index >= of:
        raise UserError(f"{place}: share: index {index} must be below {of}")
    counts = data_set(selection.data_set).label_counts["train"]
    for label in selection.classes:
        if label >= len(counts):
            raise UserError(f"{place}: classes: {selection.data_set} has no class {label}")
        if (selection.examples_per_class or 0) > counts[label]:
            raise UserError(
                f"{place}: examples_per_class: {selection.data_set} has only {counts[label]} "
                f"training images of class {label}"
            )
    if number_of_images(selection) == 0:
        raise UserError(f"{place}: has no images; its share of the selection is empty")
