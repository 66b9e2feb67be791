"""Which images are in which minibatch: a function of (count, seed, update), and of nothing else.

The record drew its minibatches from ``DataLoader(..., shuffle=True, generator=g)`` with no
workers. Per pass such a loader takes from its generator one 64-bit number (a base seed for
workers), then the permutation, then a second permutation that torch's RandomSampler draws for a
remainder of no images. Doing the same here gives the record's order without a loader, and lets
training begin at any update.
"""

from collections.abc import Iterator

import torch
from torch import Tensor

from hysteresis.jobs.run import updates_per_pass


class MinibatchStream:
    """An endless stream of minibatches over ``count`` images, addressed by update number.

    With ``same_order_every_pass`` the generator is seeded again for each pass (the common phase);
    otherwise it runs on, and each pass has another order (the phases of a history). The last
    minibatch of a pass is short; none is dropped.
    """

    def __init__(
        self, count: int, seed: int, batch_size: int, *, same_order_every_pass: bool = False
    ) -> None:
        self.count = count
        self.seed = seed
        self.batch_size = batch_size
        self.same_order_every_pass = same_order_every_pass

    @property
    def updates_per_pass(self) -> int:
        """Minibatches in one pass, the short one included."""
        return updates_per_pass(self.count, self.batch_size)

    def minibatches(self, start: int, stop: int) -> Iterator[Tensor]:
        """Positions (int64, at most ``batch_size``) for the updates ``start`` up to ``stop``."""
        first_pass, skipped = divmod(start, self.updates_per_pass)
        update = start
        for order in self._orders(first_pass):
            for batch in order.split(self.batch_size)[skipped:]:
                if update == stop:
                    return
                yield batch
                update += 1
            skipped = 0

    def _orders(self, first_pass: int) -> Iterator[Tensor]:
        generator = torch.Generator().manual_seed(self.seed)
        if self.same_order_every_pass:
            order = _order_of_one_pass(self.count, generator)
            while True:
                yield order
        for _ in range(first_pass):
            _order_of_one_pass(self.count, generator)
        while True:
            yield _order_of_one_pass(self.count, generator)


def _order_of_one_pass(count: int, generator: torch.Generator) -> Tensor:
    torch.empty((), dtype=torch.int64).random_(generator=generator)
    order = torch.randperm(count, generator=generator)
    torch.randperm(count, generator=generator)
    return order
