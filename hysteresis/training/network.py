"""The convolutional network whose histories are compared."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hysteresis.errors import UserError
from hysteresis.jobs.run import InitialWeights, NetworkSettings
from hysteresis.training.kernels import activate_and_pool, view_in_channels_last

IMAGE_SIDE = 28
CLASSES = 10
HIDDEN_LAYERS = ("conv1", "conv2", "fc1")
LAYERS = (*HIDDEN_LAYERS, "logits")


class ConvolutionalNetwork(nn.Module):
    """Two 3x3 convolutions with 2x2 max-pooling, then two linear layers; no normalisation.

    The order in which the layers are built is part of the protocol: it is the order in which
    PyTorch's default initialisation draws from the global generator.
    """

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        first, second = settings.channels
        self.conv1 = nn.Conv2d(1, first, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(first, second, kernel_size=3, padding=1)
        self.fc1 = nn.Linear(second * (IMAGE_SIDE // 4) ** 2, settings.hidden)
        self.fc2 = nn.Linear(settings.hidden, CLASSES)
        self.negative_slope = negative_slope(settings)

    def forward(self, images: Tensor) -> Tensor:
        """Logits (n, 10) of images (n, 1, 28, 28)."""
        hidden = self.conv1(_in_fastest_format(images))
        hidden = activate_and_pool(hidden, self.negative_slope)
        hidden = self.conv2(hidden)
        hidden = activate_and_pool(hidden, self.negative_slope, torch.contiguous_format)
        return self.fc2(self._activate(self.fc1(hidden.flatten(1))))

    def activations(self, images: Tensor) -> dict[str, Tensor]:
        """Post-activation maps of conv1, conv2 (n, channels, side, side; before pooling), fc1
        (n, hidden), and the logits (n, 10)."""
        conv1 = self._activate(self.conv1(_in_fastest_format(images)))
        conv2 = self._activate(self.conv2(F.max_pool2d(conv1, 2)))
        fc1 = self._activate(self.fc1(F.max_pool2d(conv2, 2).contiguous().flatten(1)))
        return {"conv1": conv1, "conv2": conv2, "fc1": fc1, "logits": self.fc2(fc1)}

    def _activate(self, values: Tensor) -> Tensor:
        if self.negative_slope == 0.0:
            return F.relu(values)
        return F.leaky_relu(values, self.negative_slope)


def _in_fastest_format(images: Tensor) -> Tensor:
    # On the CPU convolution and pooling are faster with the channels of a pixel side by side.
    return view_in_channels_last(images) if images.device.type == "cpu" else images


def negative_slope(settings: NetworkSettings) -> float:
    """Slope of the activation below zero: 0 for ReLU."""
    if settings.activation == "relu":
        return 0.0
    if settings.activation == "leaky_relu":
        return settings.negative_slope
    raise UserError(
        f"network: activation is {settings.activation!r}; choose 'relu' or 'leaky_relu'"
    )


def initial_weights(settings: NetworkSettings, weights: InitialWeights) -> dict[str, Tensor]:
    """The named parameters (float32, CPU) before any training; the same on every machine."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(weights.seed)
        network = ConvolutionalNetwork(settings)
    drawn = {name: tensor.detach().clone() for name, tensor in network.named_parameters()}
    if weights.perturbation > 0:
        generator = torch.Generator().manual_seed(weights.seed)
        noise = torch.randn(drawn["conv1.weight"].shape, generator=generator)
        drawn["conv1.weight"] *= 1 + weights.perturbation * noise
    return drawn


def network_with(settings: NetworkSettings, weights: dict[str, Tensor]) -> ConvolutionalNetwork:
    """A network on the CPU that holds copies of the given parameters."""
    with torch.random.fork_rng(devices=[]):
        network = ConvolutionalNetwork(settings)
    network.load_state_dict(weights)
    return network
