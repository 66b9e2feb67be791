"""Every measure of similarity on every chosen layer of one pair of runs."""

from collections.abc import Iterator

from hysteresis.data.images import LabelledImages
from hysteresis.jobs.measures import PairMeasures
from hysteresis.measures.layers import features_of
from hysteresis.measures.registry import MEASURES, measure_layer
from hysteresis.pairs.compare import Row, Side, verify
from hysteresis.training.network import network_with


def measure_pair(
    told: PairMeasures, first: Side, second: Side, images: LabelledImages
) -> Iterator[Row]:
    """One row a step, layer and measure; ``value`` is NaN where a layer is dead.

    Raises UserError unless the two runs are what ``told.pair`` says, and may be compared.
    """
    verify(told.pair, first, second)
    chosen = {name: MEASURES[name] for name in told.measures}
    labels = images.labels.numpy()
    for step, *pair in zip(told.pair.steps, first.checkpoints, second.checkpoints, strict=True):
        one, other = (
            features_of(
                network_with(checkpoint.header.run.network, checkpoint.weights).eval(),
                images.images,
                told.layers,
            )
            for checkpoint in pair
        )
        place = {"experiment": told.pair.experiment, "seed": told.pair.first.seed, "step": step}
        for layer in told.layers:
            values = measure_layer(one.pop(layer), other.pop(layer), labels, chosen)
            for measure, value in values.items():
                yield {**place, "layer": layer, "measure": measure, "value": value}
