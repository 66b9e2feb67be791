"""The paper's network: two convolutions and two linear layers."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hysteresis.errors import UserError
from hysteresis.jobs.run import NetworkSettings
from hysteresis.training.kernels import activate_and_pool, view_in_channels_last


class Network(nn.Module):
    """Two 3x3 convolutions with 2x2 max-pooling, then two linear layers; no normalisation.

    The order in which the layers are built is part of the protocol: it is the order in which
    PyTorch's default initialisation draws from the global generator.
    """

    def __init__(self, settings: NetworkSettings) -> None:
        super().__init__()
        first, second = settings.channels
        image_channels, height, width = settings.image_shape
        self.conv1 = nn.Conv2d(image_channels, first, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(first, second, kernel_size=3, padding=1)
        self.fc1 = nn.Linear(second * (height // 4) * (width // 4), settings.hidden)
        self.fc2 = nn.Linear(settings.hidden, settings.classes)
        self.negative_slope = negative_slope(settings)

    def forward(self, images: Tensor) -> Tensor:
        """Logits (n, classes) of images (n, channels, height, width)."""
        hidden = self.conv1(_in_fastest_format(images))
        hidden = activate_and_pool(hidden, self.negative_slope)
        hidden = self.conv2(hidden)
        hidden = activate_and_pool(hidden, self.negative_slope, torch.contiguous_format)
        return self.fc2(self._activate(self.fc1(hidden.flatten(1))))

    def activations(self, images: Tensor) -> dict[str, Tensor]:
        """Post-activation maps of conv1, conv2 (n, channels, height, width; before pooling), fc1
        (n, hidden), and the logits (n, classes)."""
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
    if images.device.type != "cpu":
        return images
    if images.shape[1] == 1:
        return view_in_channels_last(images)
    return images.contiguous(memory_format=torch.channels_last)


def negative_slope(settings: NetworkSettings) -> float:
    """Slope of the activation below zero: 0 for ReLU."""
    if settings.activation == "relu":
        return 0.0
    if settings.activation == "leaky_relu":
        return settings.negative_slope
    raise UserError(
        f"network: activation is {settings.activation!r}; choose 'relu' or 'leaky_relu'"
    )
