"""Progress of a long job as lines of a log file."""

import logging
import time

from tqdm import tqdm

log = logging.getLogger(__name__)


class ProgressLog:
    """Logs about every ``seconds`` a line: updates done of how many, loss, rate, time left."""

    def __init__(self, description: str, total: int, seconds: float = 5.0) -> None:
        self.description = description
        self.total = total
        self.seconds = seconds
        self._started = self._reported = time.monotonic()

    def is_due(self) -> bool:
        """Whether the next line should be written: asked each update, so it must be cheap."""
        return time.monotonic() - self._reported >= self.seconds

    def report(self, done: int, loss: float) -> None:
        """Write one line now."""
        self._reported = time.monotonic()
        line = tqdm.format_meter(
            done,
            self.total,
            self._reported - self._started,
            ncols=100,
            prefix=self.description,
            unit=" updates",
            postfix=f"loss={loss:.4f}",
        )
        log.info("%s", line)
