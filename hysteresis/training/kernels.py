"""A fused activation and max-pool for training a small CNN on one CPU thread.

``activate_and_pool`` gives exactly the bits of ``max_pool2d(activation(x), 2)`` and of its
gradient, but walks over the large convolution output once instead of several times and never
stores its activated copy.  Nothing here is specific to one processor: the arithmetic is a
comparison and at most one float32 product an element, so there is nothing to round differently.

The kernels are compiled at their first call in each process, which takes about a second.  They are
not kept on disk: numba's cache is a pickle, and whoever can write it runs code in every later job.
"""

import ctypes
import platform
from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

# A route says, for one pooled value, where its gradient goes: the place of the winner in its
# window (0 1 / 2 3) and, added to it, whether the activation was on its lower branch there.
_PLACE = np.uint8(3)
_LOWER_BRANCH = np.uint8(4)

_unsigned = numba.uintp

_FLOAT32_TINY = torch.finfo(torch.float32).tiny

# From glibc's malloc.h.
_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_LARGEST_THRESHOLD = 1 << 30


def activate_and_pool(
    x: Tensor,
    negative_slope: float,
    memory_format: torch.memory_format = torch.channels_last,
) -> Tensor:
    """Return ``max_pool2d(activation(x), 2)`` as a tensor in ``memory_format``.

    ``x`` has shape (images, channels, height, width).  The activation is ReLU for a
    ``negative_slope`` of exactly 0 and LeakyReLU otherwise.  The result has shape
    (images, channels, height // 2, width // 2); ``torch.contiguous_format`` makes it ready to be
    flattened in PyTorch's usual order without another copy.

    The value and the gradient equal those of PyTorch's operators bit for bit.  The fused kernel
    serves float32 CPU tensors in channels-last order with even height and width; every other
    tensor goes through PyTorch's operators.
    """
    if _fused_kernel_serves(x, negative_slope):
        return _ActivateAndPool.apply(x, negative_slope, memory_format)
    return plain_activate_and_pool(x, negative_slope).contiguous(memory_format=memory_format)


def view_in_channels_last(images: Tensor) -> Tensor:
    """View one-channel images (n, 1, height, width) with the strides of channels-last order.

    With one channel both orders are the same memory, and PyTorch takes the usual strides for the
    usual order; it is these strides that make a convolution compute and answer in channels-last.
    """
    count, _, height, width = images.shape
    return images.contiguous().view(count, height, width, 1).permute(0, 3, 1, 2)


def plain_activate_and_pool(x: Tensor, negative_slope: float) -> Tensor:
    """Return ``max_pool2d(activation(x), 2)`` by PyTorch's operators alone."""
    activated = F.relu(x) if negative_slope == 0.0 else F.leaky_relu(x, negative_slope)
    return F.max_pool2d(activated, 2)


def _fused_kernel_serves(x: Tensor, negative_slope: float) -> bool:
    return (
        x.device.type == "cpu"
        and x.dtype == torch.float32
        and x.dim() == 4
        and x.numel() > 0
        and x.shape[2] % 2 == 0
        and x.shape[3] % 2 == 0
        and x.is_contiguous(memory_format=torch.channels_last)
        # The kernel reads the activation's branch off its result, so the slope must keep signs,
        # and takes a float32 slope of zero for ReLU.
        and (negative_slope == 0.0 or _FLOAT32_TINY <= negative_slope <= 1.0)
    )


class _ActivateAndPool(torch.autograd.Function):
    """The fused operator; it saves one byte for each pooled value and nothing else."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, negative_slope: float, memory_format: torch.memory_format
    ) -> Tensor:
        images, channels, height, width = x.shape
        pooled_shape = (images, channels, height // 2, width // 2)
        pooled = torch.empty(pooled_shape, dtype=torch.float32, memory_format=memory_format)
        routes = np.empty((images, height // 2, width // 2, channels), dtype=np.uint8)
        _pool_forward(
            _as_pixels_of_channels(x),
            np.float32(negative_slope),
            _as_flat(pooled, memory_format),
            *_pixel_and_channel_stride(pooled_shape, memory_format),
            routes,
        )
        ctx.routes = routes
        ctx.negative_slope = negative_slope
        ctx.memory_format = memory_format
        return pooled

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_pooled: Tensor) -> tuple[Tensor, None, None]:
        images, channels, height, width = grad_pooled.shape
        grad_x = torch.empty(
            (images, channels, 2 * height, 2 * width),
            dtype=torch.float32,
            memory_format=torch.channels_last,
        )
        _pool_backward(
            _as_flat(grad_pooled, ctx.memory_format),
            *_pixel_and_channel_stride(grad_pooled.shape, ctx.memory_format),
            ctx.routes,
            np.float32(ctx.negative_slope),
            _as_pixels_of_channels(grad_x),
        )
        return grad_x, None, None


def _as_pixels_of_channels(x: Tensor) -> np.ndarray:
    """View a channels-last tensor as an (images, height, width, channels) array."""
    return x.detach().permute(0, 2, 3, 1).numpy()


def _as_flat(x: Tensor, memory_format: torch.memory_format) -> np.ndarray:
    """Give the values of ``x`` in the order of ``memory_format``; a view if it has that order."""
    x = x.detach().contiguous(memory_format=memory_format)
    if memory_format == torch.channels_last:
        x = x.permute(0, 2, 3, 1)
    return x.reshape(-1).numpy()


def _pixel_and_channel_stride(
    shape: tuple[int, ...], memory_format: torch.memory_format
) -> tuple[int, int]:
    """How far apart neighbouring pixels and channels of one image lie in memory."""
    _, channels, height, width = shape
    return (channels, 1) if memory_format == torch.channels_last else (1, height * width)


@numba.njit(inline="always")
def _activate(x, negative_slope):
    # Both activations keep NaN and -0.0 as they are; ReLU maps -inf to 0.0, not to a NaN.
    zero = np.float32(0.0)
    lower = zero if negative_slope == zero else x * negative_slope
    return lower if x < zero else x


@numba.njit(inline="always")
def _takes_over(value, best):
    """Whether a later value of a window replaces the best before it; any NaN does."""
    return (value > best) | np.isnan(value)


@numba.njit(inline="always")
def _row_start(row, height, width, channels, pixel_stride):
    """Where the first pixel of a pooled row (counted over all images) lies in flat memory."""
    image, row_of_image = row // height, row % height
    return image * height * width * channels + row_of_image * width * pixel_stride


@numba.njit(nogil=True)
def _pool_forward(
    x: np.ndarray,
    negative_slope: np.float32,
    pooled: np.ndarray,
    pixel_stride: int,
    channel_stride: int,
    routes: np.ndarray,
) -> None:
    """Fill ``pooled`` and ``routes`` from ``x``.

    ``x`` is float32 (images, 2 * height, 2 * width, channels); ``routes`` is uint8
    (images, height, width, channels); ``pooled`` is flat float32, laid out by the two strides.
    """
    zero = np.float32(0.0)
    images, height, width, channels = routes.shape
    rows_of_x = x.reshape(2 * images * height, 2 * width * channels)
    rows_of_routes = routes.reshape(images * height, width * channels)
    # A row of results: the loops over contiguous channels are those that become vector code, with
    # few enough arrays in each that the compiler can tell them apart and, since their indices are
    # unsigned, need not ask whether one counts from the end.
    line = np.empty(width * channels, dtype=np.float32)
    for row in range(images * height):
        upper, lower_row, row_routes = (
            rows_of_x[2 * row],
            rows_of_x[2 * row + 1],
            rows_of_routes[row],
        )
        for column in range(width):
            here = _unsigned(column * channels)
            left, right = _unsigned(2 * column * channels), _unsigned((2 * column + 1) * channels)
            for channel in range(_unsigned(channels)):
                value_0 = _activate(upper[left + channel], negative_slope)
                value_1 = _activate(upper[right + channel], negative_slope)
                value_2 = _activate(lower_row[left + channel], negative_slope)
                value_3 = _activate(lower_row[right + channel], negative_slope)
                best = value_0
                route = np.uint8(0)
                wins = _takes_over(value_1, best)
                best = value_1 if wins else best
                route = np.uint8(1) if wins else route
                wins = _takes_over(value_2, best)
                best = value_2 if wins else best
                route = np.uint8(2) if wins else route
                wins = _takes_over(value_3, best)
                best = value_3 if wins else best
                route = np.uint8(3) if wins else route
                line[here + channel] = best
                # NaN takes ReLU's gradient from the upper branch, LeakyReLU's from the lower.
                lower = (best <= zero) | (np.isnan(best) & (negative_slope != zero))
                row_routes[here + channel] = route | (_LOWER_BRANCH if lower else np.uint8(0))
        start = _row_start(row, height, width, channels, pixel_stride)
        for column in range(width):
            for channel in range(channels):
                place = start + column * pixel_stride + channel * channel_stride
                pooled[place] = line[column * channels + channel]


@numba.njit(nogil=True)
def _pool_backward(
    grad_pooled: np.ndarray,
    pixel_stride: int,
    channel_stride: int,
    routes: np.ndarray,
    negative_slope: np.float32,
    grad_x: np.ndarray,
) -> None:
    """Fill ``grad_x`` from ``grad_pooled`` and ``routes``; shapes as in ``_pool_forward``."""
    zero = np.float32(0.0)
    images, height, width, channels = routes.shape
    rows_of_grad_x = grad_x.reshape(2 * images * height, 2 * width * channels)
    rows_of_routes = routes.reshape(images * height, width * channels)
    line = np.empty(width * channels, dtype=np.float32)
    for row in range(images * height):
        row_routes = rows_of_routes[row]
        start = _row_start(row, height, width, channels, pixel_stride)
        for column in range(width):
            for channel in range(channels):
                place = start + column * pixel_stride + channel * channel_stride
                # PyTorch adds to a zero, which turns -0.0 into 0.0.
                line[column * channels + channel] = zero + grad_pooled[place]
        for index in range(_unsigned(width * channels)):
            grad = line[index]
            lower = zero if negative_slope == zero else grad * negative_slope
            line[index] = lower if row_routes[index] >= _LOWER_BRANCH else grad
        for place in range(4):
            corner = rows_of_grad_x[2 * row + place // 2]
            winner = np.uint8(place)
            for column in range(width):
                here = _unsigned(column * channels)
                there = _unsigned((2 * column + place % 2) * channels)
                for channel in range(_unsigned(channels)):
                    wins = row_routes[here + channel] & _PLACE == winner
                    corner[there + channel] = line[here + channel] if wins else zero


def keep_freed_memory() -> None:
    """Have the C library keep freed memory for the next step instead of returning it.

    By default glibc maps every array of megabytes anew and the kernel zeroes it page by page,
    several times in each training step.  Call this once, before training.  It changes no result
    and does nothing where the C library is not glibc.
    """
    if platform.libc_ver()[0] != "glibc":
        return
    libc = ctypes.CDLL(None)
    libc.mallopt(_M_MMAP_THRESHOLD, _LARGEST_THRESHOLD)
    libc.mallopt(_M_TRIM_THRESHOLD, _LARGEST_THRESHOLD)
