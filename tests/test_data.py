"""Images are selected, turned and normalised as the protocol says, on real MNIST."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torchvision.transforms.functional import normalize, rotate, to_tensor

from hysteresis.config.configuration import number_of_images
from hysteresis.data import idx
from hysteresis.data.images import load_images, membership, normalised, rotated, selected_indices
from hysteresis.data.sets.mnist import DATA_SET
from hysteresis.jobs.run import ImageSelection

A = ImageSelection(classes=(0, 1, 2, 3, 4))
B = ImageSelection(classes=(5, 6, 7, 8, 9))
C = ImageSelection(examples_per_class=5000)


@pytest.fixture(scope="module")
def train_labels(mnist_folder):
    return idx.read_labels(mnist_folder, DATA_SET, "train")


def test_the_training_set_is_mnist(mnist_folder, train_labels):
    pixels = idx.read_images(mnist_folder, DATA_SET, "train") / 255
    assert pixels.shape == (60_000, 28, 28)
    assert (round(pixels.mean(), 5), round(pixels.std(), 5)) == (0.13066, 0.30811)
    assert tuple(np.bincount(train_labels)) == DATA_SET.label_counts["train"]


@pytest.mark.parametrize(("task", "count"), [(A, 30_596), (B, 29_404), (C, 50_000)])
def test_tasks_have_the_protocols_sizes(train_labels, task, count):
    assert len(selected_indices(train_labels, task)) == count == number_of_images(task)


def test_a_task_is_in_data_set_order(train_labels):
    indices = selected_indices(train_labels, A)
    assert (np.diff(indices) > 0).all()
    assert set(train_labels[indices]) == {0, 1, 2, 3, 4}


def test_c_lists_the_first_5000_of_each_digit_digit_by_digit(train_labels):
    indices = selected_indices(train_labels, C).reshape(10, 5000)
    for digit, row in enumerate(indices):
        assert row.tolist() == np.flatnonzero(train_labels == digit)[:5000].tolist()


def test_two_shares_of_a_task_have_half_of_its_images_each_and_none_in_common(train_labels):
    halves = [replace(A, share=(index, 2)) for index in (0, 1)]
    indices = [selected_indices(train_labels, half) for half in halves]
    assert [len(half) for half in indices] == [number_of_images(half) for half in halves]
    assert sorted(np.concatenate(indices)) == selected_indices(train_labels, A).tolist()


def test_rotated_c_is_the_upright_images_then_the_same_images_turned(mnist_folder):
    selection = ImageSelection(rotations=(0, 90), examples_per_class=3)
    both = load_images(mnist_folder, "train", selection)
    assert both.labels.tolist() == 2 * [digit for digit in range(10) for _ in range(3)]
    assert both.rotations.tolist() == [0] * 30 + [90] * 30
    assert torch.equal(both.images[30:], torch.rot90(both.images[:30], 1, dims=(2, 3)))


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_turning_is_torchvisions(degrees):
    pixels = np.random.default_rng(0).integers(0, 256, (5, 28, 28), dtype=np.uint8)
    expected = rotate(torch.from_numpy(pixels), degrees)
    assert rotated(pixels, degrees).tolist() == expected.tolist()


def test_normalisation_has_the_bits_of_totensor_and_normalize():
    pixels = np.arange(256, dtype=np.uint8).repeat(49).reshape(16, 28, 28)
    expected = torch.stack(
        [normalize(to_tensor(image[:, :, None]), (0.1307,), (0.3081,)) for image in pixels]
    )
    assert torch.equal(normalised(pixels, DATA_SET), expected)


def test_parts_of_the_test_set_follow_digits_and_rotations(mnist_folder):
    full = load_images(mnist_folder, "test", ImageSelection(rotations=(0, 90)))
    turned = membership(full, ImageSelection(rotations=(90,)))
    assert turned.tolist() == [False] * 10_000 + [True] * 10_000
    low = membership(full, ImageSelection(classes=(0, 1, 2, 3, 4), rotations=(0,)))
    assert int(low.sum()) == 5139  # test images of digits 0 to 4
