"""Networks of any architecture: built by name, with drawn or with given weights."""

import importlib
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from hysteresis.errors import UserError
from hysteresis.jobs.run import InitialWeights, NetworkSettings


def new_network(settings: NetworkSettings) -> nn.Module:
    """A network on the current device, its weights drawn from PyTorch's global generator.

    It is the ``Network`` of the module of its architecture's name in hysteresis/training/networks:
    by name, so that the digest of a run of one architecture does not follow the others.
    """
    try:
        module = importlib.import_module(f"hysteresis.training.networks.{settings.architecture}")
    except ModuleNotFoundError:
        raise UserError(
            f"network: architecture {settings.architecture!r} is unknown: there is no module of "
            "that name in hysteresis/training/networks"
        ) from None
    return module.Network(settings)


def initial_weights(settings: NetworkSettings, weights: InitialWeights) -> dict[str, Tensor]:
    """The named parameters (float32, CPU) before any training; the same on every machine."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(weights.seed)
        network = new_network(settings)
    drawn = {name: tensor.detach().clone() for name, tensor in network.named_parameters()}
    if weights.perturbation > 0:
        first = next(iter(drawn))
        generator = torch.Generator().manual_seed(weights.seed)
        noise = torch.randn(drawn[first].shape, generator=generator)
        drawn[first] *= 1 + weights.perturbation * noise
    return drawn


def network_with(settings: NetworkSettings, weights: Mapping[str, Tensor]) -> nn.Module:
    """A network on the CPU that holds copies of the given parameters."""
    with torch.random.fork_rng(devices=[]):
        network = new_network(settings)
    network.load_state_dict(weights)
    return network


def parameter_shapes(settings: NetworkSettings) -> dict[str, tuple[int, ...]]:
    """The shape of each named parameter, without drawing any."""
    with torch.device("meta"):
        network = new_network(settings)
    return {name: tuple(tensor.shape) for name, tensor in network.named_parameters()}
