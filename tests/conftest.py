"""What tests share: MNIST (fetched once), small specifications, and the command line."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings

from hysteresis.data import obtain
from hysteresis.data.sets.mnist import DATA_SET
from hysteresis.jobs.run import (
    ImageSelection,
    InitialWeights,
    NetworkSettings,
    OptimizerSettings,
    Phase,
    Relaxation,
    Run,
)
from tests.project import ROOT, project, unchanged  # noqa: F401 (fixtures)

# A shared processor makes single examples slow at random; that is no failure.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

SMALL_NETWORK = NetworkSettings(channels=(4, 8), hidden=16)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--storm", type=int, default=300, help="damages that the storm tries")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the workflow, the longest chain, so that other workers do the rest meanwhile."""
    items.sort(key=lambda item: item.path.name != "test_workflow.py")


@pytest.fixture(scope="session")
def mnist_folder() -> Path:
    """The four real files, in the place where the workflow keeps them too."""
    folder = ROOT / "results" / "data"
    if not all((folder / name).is_file() for name in DATA_SET.files):
        obtain.obtain(folder)
    return folder


def small_run(history: str = "ABC", seed: int = 101, updates: int = 6, **changes) -> Run:
    """A finished run of a small network: two short phases in the order of ``history``, then C."""
    images = {
        "A": ImageSelection(classes=(0, 1, 2, 3, 4)),
        "B": ImageSelection(classes=(5, 6, 7, 8, 9)),
    }
    run = Run(
        "small",
        history,
        seed,
        SMALL_NETWORK,
        InitialWeights(seed),
        OptimizerSettings(learning_rate=0.05),
        tuple(Phase(task, images[task], seed, updates=updates) for task in history[:2]),
        Relaxation("C", ImageSelection(examples_per_class=200), seed),
    )
    return replace(run, **changes)
