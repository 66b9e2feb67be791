"""Minibatches are those of a real DataLoader, index for index, from any update on."""

from itertools import islice

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, TensorDataset

from hysteresis.data.streams import MinibatchStream


def loader_over(count: int, seed: int, batch_size: int) -> DataLoader:
    """The record's loader, over positions instead of images."""
    return DataLoader(
        TensorDataset(torch.arange(count)),
        batch_size=batch_size,
        shuffle=True,
        generator=torch.Generator().manual_seed(seed),
    )


def equal_batches(batches, expected) -> bool:
    return len(batches) == len(expected) and all(map(torch.equal, batches, expected))


@pytest.mark.parametrize("count", [30_596, 29_404, 640])
@pytest.mark.parametrize("seed", [101, 2020])
def test_a_phase_sees_the_minibatches_of_one_loader_used_for_three_epochs(count, seed):
    loader = loader_over(count, seed, 128)
    expected = [batch for _ in range(3) for (batch,) in loader]
    stream = MinibatchStream(count, seed, 128)
    assert equal_batches(list(stream.minibatches(0, len(expected))), expected)


def test_the_common_phase_sees_the_minibatches_of_a_new_loader_each_pass():
    expected = [batch for _ in range(3) for (batch,) in loader_over(50_000, 101, 128)]
    stream = MinibatchStream(50_000, 101, 128, same_order_every_pass=True)
    assert equal_batches(list(stream.minibatches(0, len(expected))), expected)


@pytest.mark.parametrize(("count", "updates", "last"), [(50_000, 391, 80), (100_000, 782, 32)])
def test_a_pass_over_c_keeps_its_short_last_minibatch(count, updates, last):
    stream = MinibatchStream(count, 101, 128, same_order_every_pass=True)
    assert stream.updates_per_pass == updates
    (final,) = stream.minibatches(updates - 1, updates)
    assert len(final) == last


@given(
    count=st.integers(1, 60),
    batch_size=st.integers(1, 20),
    start=st.integers(0, 40),
    length=st.integers(0, 40),
    same_order=st.booleans(),
)
def test_starting_at_any_update_continues_the_same_stream(
    count, batch_size, start, length, same_order
):
    stream = MinibatchStream(count, 7, batch_size, same_order_every_pass=same_order)
    whole = list(stream.minibatches(0, start + length))
    assert equal_batches(list(stream.minibatches(start, start + length)), whole[start:])


def test_epochs_of_a_phase_have_different_orders_and_passes_over_c_the_same():
    phase = MinibatchStream(1000, 101, 100)
    common = MinibatchStream(1000, 101, 100, same_order_every_pass=True)
    first, second = (torch.cat(list(phase.minibatches(*ends))) for ends in ((0, 10), (10, 20)))
    assert not torch.equal(first, second)
    assert sorted(first.tolist()) == sorted(second.tolist()) == list(range(1000))
    batches = list(islice(common.minibatches(0, 20), 20))
    assert equal_batches(batches[:10], batches[10:])
