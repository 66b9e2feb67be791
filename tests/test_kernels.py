"""The fused kernels must be indistinguishable, bit for bit, from PyTorch's own operators."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as numpy_strategies
from torch import Tensor, nn

from hysteresis.training import kernels

RELU, LEAKY_RELU = 0.0, 0.01
SLOPES = pytest.mark.parametrize("slope", [RELU, LEAKY_RELU], ids=["relu", "leaky_relu"])
FORMATS = pytest.mark.parametrize(
    "memory_format",
    [torch.channels_last, torch.contiguous_format],
    ids=["channels_last", "contiguous"],
)

TIES = st.integers(-2, 2).map(float)
NEGATIVES = st.floats(-4.0, -1.0, width=32)
ZEROS = st.sampled_from([0.0, -0.0])
EXTREMES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e-45, -1e-45, np.inf, -np.inf, np.nan])
ANY_FLOAT = st.floats(width=32)
# LeakyReLU rounds both of these to one value, so that the first wins though it is not the larger.
MERGED = st.sampled_from(
    [
        float(value)
        for value in np.float32(-1.9) + np.arange(9, dtype=np.float32) * np.float32(2**-23)
    ]
)


def channels_last(values: np.ndarray) -> Tensor:
    return torch.from_numpy(values).contiguous(memory_format=torch.channels_last)


@st.composite
def operands(draw: st.DrawFn) -> tuple[Tensor, Tensor]:
    """An input of even height and width in channels-last order, and a gradient of its result."""
    images, channels = draw(st.integers(1, 2)), draw(st.sampled_from([1, 2, 3, 16, 21]))
    height, width = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    elements = draw(st.sampled_from([TIES, NEGATIVES, ZEROS, EXTREMES, ANY_FLOAT, MERGED]))
    x = draw(
        numpy_strategies.arrays(
            np.float32, (images, channels, 2 * height, 2 * width), elements=elements
        )
    )
    gradient = draw(
        numpy_strategies.arrays(
            np.float32,
            (images, channels, height, width),
            elements=draw(st.sampled_from([TIES, EXTREMES, ANY_FLOAT])),
        )
    )
    return channels_last(x), channels_last(gradient)


def value_and_gradient(
    function: Callable[[Tensor], Tensor], x: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor]:
    x = x.clone(memory_format=torch.preserve_format).requires_grad_()
    value = function(x)
    value.backward(gradient)
    return value.detach(), x.grad


def assert_same_bits(ours: Tensor, theirs: Tensor) -> None:
    """Equal values, equal signs of zeros, NaN in equal places (whatever the NaN's payload)."""
    assert ours.shape == theirs.shape
    assert torch.equal(ours.isnan(), theirs.isnan())
    numbers = ~ours.isnan()
    assert torch.equal(ours[numbers].view(torch.int32), theirs[numbers].view(torch.int32))


@SLOPES
@FORMATS
@settings(deadline=None, max_examples=200)
@given(operands())
def test_value_and_gradient_have_the_bits_of_pytorchs_operators(
    slope: float, memory_format: torch.memory_format, operand: tuple[Tensor, Tensor]
) -> None:
    x, gradient = operand
    ours = value_and_gradient(
        lambda t: kernels.activate_and_pool(t, slope, memory_format), x, gradient
    )
    theirs = value_and_gradient(lambda t: kernels.plain_activate_and_pool(t, slope), x, gradient)
    assert kernels._fused_kernel_serves(x, slope)
    assert_same_bits(ours[0], theirs[0])
    assert_same_bits(ours[1], theirs[1])


@SLOPES
@FORMATS
def test_values_of_a_real_layer_have_the_bits_of_pytorchs_operators(
    slope: float, memory_format: torch.memory_format
) -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(20, 64, 14, 14, generator=generator).to(memory_format=torch.channels_last)
    gradient = torch.randn(20, 64, 7, 7, generator=generator)
    ours = value_and_gradient(
        lambda t: kernels.activate_and_pool(t, slope, memory_format), x, gradient
    )
    theirs = value_and_gradient(lambda t: kernels.plain_activate_and_pool(t, slope), x, gradient)
    assert_same_bits(ours[0], theirs[0])
    assert_same_bits(ours[1], theirs[1])


@SLOPES
@FORMATS
def test_result_and_gradient_are_laid_out_as_promised(
    slope: float, memory_format: torch.memory_format
) -> None:
    x = torch.ones(2, 3, 4, 6).to(memory_format=torch.channels_last).requires_grad_()
    pooled = kernels.activate_and_pool(x, slope, memory_format)
    pooled.sum().backward()
    assert pooled.is_contiguous(memory_format=memory_format)
    assert x.grad.is_contiguous(memory_format=torch.channels_last)


@SLOPES
def test_a_nan_anywhere_in_a_window_reaches_the_result(slope: float) -> None:
    for place in range(4):
        x = torch.full((1, 1, 2, 2), 5.0)
        x.view(-1)[place] = torch.nan
        assert kernels.activate_and_pool(x, slope).isnan().all()


@pytest.mark.parametrize(
    "x",
    [
        torch.randn(2, 3, 4, 4),
        torch.randn(2, 3, 5, 4).to(memory_format=torch.channels_last),
        torch.randn(2, 3, 4, 4, dtype=torch.float64).to(memory_format=torch.channels_last),
        torch.randn(0, 3, 4, 4),
    ],
    ids=["contiguous", "odd height", "float64", "no images"],
)
@SLOPES
def test_other_tensors_go_through_pytorchs_operators(slope: float, x: Tensor) -> None:
    assert not kernels._fused_kernel_serves(x, slope)
    expected = kernels.plain_activate_and_pool(x, slope)
    assert torch.equal(kernels.activate_and_pool(x, slope), expected)


def test_one_channel_images_are_viewed_not_copied() -> None:
    images = torch.randn(3, 1, 4, 6)
    view = kernels.view_in_channels_last(images)
    assert view.data_ptr() == images.data_ptr()
    assert view.stride() == (24, 1, 6, 1)
    assert torch.equal(view, images)


def test_nothing_compiled_is_read_from_or_left_on_the_disk(tmp_path: Path) -> None:
    """numba's cache is a pickle: whoever can write it would run code in every later job."""
    program = (
        "import torch; from hysteresis.training.kernels import activate_and_pool; "
        "x = torch.arange(-32.0, 32.0).view(1, 4, 4, 4).to(memory_format=torch.channels_last);"
        "x.requires_grad_(); activate_and_pool(x, 0.01).sum().backward()"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    assert not list(tmp_path.rglob("*"))
    cached = [*Path(kernels.__file__).parent.rglob("*.nb?")]
    assert not cached, f"left by an older version, delete: {cached}"


class Network(nn.Module):
    """The package's architecture, pooling either by the kernels or by PyTorch's operators."""

    def __init__(self, slope: float, fused: bool) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, kernel_size=3, padding=1)
        self.conv2 = nn.Conv2d(32, 64, kernel_size=3, padding=1)
        self.fc1 = nn.Linear(3136, 128)
        self.fc2 = nn.Linear(128, 10)
        self.slope = slope
        self.fused = fused

    def forward(self, images: Tensor) -> Tensor:
        hidden = kernels.view_in_channels_last(images)
        if self.fused:
            hidden = kernels.activate_and_pool(self.conv1(hidden), self.slope)
            hidden = kernels.activate_and_pool(
                self.conv2(hidden), self.slope, torch.contiguous_format
            )
        else:
            hidden = F.max_pool2d(self._activate(self.conv1(hidden)), 2)
            hidden = F.max_pool2d(self._activate(self.conv2(hidden)), 2)
        return self.fc2(self._activate(self.fc1(hidden.flatten(1))))

    def _activate(self, values: Tensor) -> Tensor:
        return F.relu(values) if self.slope == 0.0 else F.leaky_relu(values, self.slope)


def weights_after(updates: int, slope: float, fused: bool) -> dict[str, Tensor]:
    """Train from a fixed start on fixed random images; every fourth batch is short."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        network = Network(slope, fused)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    generator = torch.Generator().manual_seed(2)
    for update in range(updates):
        size = [128, 128, 128, [80, 4, 92, 32][update // 4 % 4]][update % 4]
        images = torch.randn(size, 1, 28, 28, generator=generator)
        labels = torch.randint(10, (size,), generator=generator)
        optimizer.zero_grad()
        F.cross_entropy(network(images), labels).backward()
        optimizer.step()
    return network.state_dict()


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@SLOPES
@pytest.mark.usefixtures("one_thread")
def test_training_reaches_the_same_weights_as_with_pytorchs_operators(slope: float) -> None:
    """Twenty updates on noise; tests/test_training.py makes 500 on MNIST."""
    kernels.keep_freed_memory()
    ours = weights_after(20, slope, fused=True)
    theirs = weights_after(20, slope, fused=False)
    for name, weights in ours.items():
        assert weights.is_contiguous()
        assert weights.isfinite().all()
        assert_same_bits(weights, theirs[name])
