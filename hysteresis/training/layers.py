"""The layers of each architecture, declared: what every stage after training knows of a network.

A network gives the activations of these layers by name (``activations`` of the ``Network`` in its
module of hysteresis/training/networks); which they are, how they are printed and what is measured
of them stands here alone. Training does not import this module, nor does this one import PyTorch.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from hysteresis.errors import UserError


@dataclass(frozen=True)
class Layer:
    """One layer: its ``name``, and in print what of it is compared.

    ``is_hidden``: its units can be dead, so their health is measured. ``enters_h_repr``: its CKA is
    one of those whose mean H_repr is made of.
    """

    name: str
    compared: str
    is_hidden: bool = True
    enters_h_repr: bool = False

    @property
    def of(self) -> str:
        """The layer itself."""
        return self.name


@dataclass(frozen=True)
class PooledMaps:
    """One more view of a convolution, for the further measures: its maps, place by place.

    ``of`` names the layer, whose maps are max-pooled in squares of ``window`` pixels: what the next
    layer sees. The mean over space forgets where a unit responds, so these are other claims.
    """

    name: str
    of: str
    window: int
    compared: str = "pooled maps"


@dataclass(frozen=True)
class Architecture:
    """The ``layers`` in the order of the network, the last one its outputs; and further views."""

    layers: tuple[Layer, ...]
    pooled_maps: tuple[PooledMaps, ...] = ()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the layers: those of the main comparison."""
        return tuple(layer.name for layer in self.layers)

    @cached_property
    def hidden(self) -> tuple[str, ...]:
        """Of the layers whose health is measured."""
        return tuple(layer.name for layer in self.layers if layer.is_hidden)

    @cached_property
    def in_h_repr(self) -> tuple[str, ...]:
        """Of the layers whose CKA enters H_repr, with equal weights."""
        return tuple(layer.name for layer in self.layers if layer.enters_h_repr)

    @property
    def outputs(self) -> str:
        """Of the layer whose largest unit is the predicted class."""
        return self.layers[-1].name

    @cached_property
    def views(self) -> dict[str, Layer | PooledMaps]:
        """All that the further measures can compare, by name: each layer, then its pooled maps."""
        views: dict[str, Layer | PooledMaps] = {}
        for layer in self.layers:
            views[layer.name] = layer
            views |= {maps.name: maps for maps in self.pooled_maps if maps.of == layer.name}
        return views


ARCHITECTURES = {
    "convolutional": Architecture(
        (
            Layer("conv1", "mean over space"),
            Layer("conv2", "mean over space", enters_h_repr=True),
            Layer("fc1", "hidden layer", enters_h_repr=True),
            Layer("logits", "before softmax", is_hidden=False),
        ),
        (PooledMaps("conv2_maps", of="conv2", window=2),),
    ),
}
"""By the names of the modules in hysteresis/training/networks."""


def architecture_named(name: str) -> Architecture:
    """UserError on a name that is not declared."""
    if name not in ARCHITECTURES:
        raise UserError(
            f"network: the layers of architecture {name!r} are not declared in "
            f"hysteresis/training/layers.py; there are: {', '.join(ARCHITECTURES)}"
        )
    return ARCHITECTURES[name]


def architecture_with(layers: Iterable[str]) -> Architecture:
    """The one that has just these layers: tables of a network name no more than its layers."""
    names = tuple(layers)
    for architecture in ARCHITECTURES.values():
        if architecture.names == names:
            return architecture
    raise UserError(
        f"no architecture in hysteresis/training/layers.py has the layers {', '.join(names)}; "
        "build the table again with the present version"
    )


def every_layer() -> tuple[str, ...]:
    """The names of the layers of all architectures."""
    return tuple(dict.fromkeys(name for each in ARCHITECTURES.values() for name in each.names))


def view_named(name: str) -> Layer | PooledMaps:
    """How to print a layer or view, whatever the architecture: one name has one look in all."""
    for architecture in ARCHITECTURES.values():
        if name in architecture.views:
            return architecture.views[name]
    raise UserError(f"no architecture in hysteresis/training/layers.py has a layer {name!r}")


def label_of(name: str) -> str:
    """A layer or view in one line of print: ``conv2, mean over space``."""
    view = view_named(name)
    return f"{view.of}, {view.compared}"
