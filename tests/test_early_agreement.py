"""One published seed trained anew on real MNIST through both histories: minutes, so not by default.

Run it with ``python -m pytest -m full``. Later checkpoints are chaotic and differ from machine to
machine; what a history leaves behind on the test set is nearly the same for every seed.
"""

import pandas as pd
import pytest
import yaml

from hysteresis import cli
from hysteresis.config.loading import configuration_from
from hysteresis.data.images import load_images
from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.run import ImageSelection
from hysteresis.pairs import behavior
from hysteresis.training import checkpoints
from hysteresis.training.checkpoints import weights_sha256
from hysteresis.training.network import network_with
from tests.conftest import ROOT
from tests.test_network import SHA256_OF_SEED_101

# Also slow, so that an explicit `-m "not slow"` leaves it out too.
pytestmark = [pytest.mark.slow, pytest.mark.full]

SEED = 101


def published_spread(history: str) -> tuple[float, float]:
    """Between which accuracies the 20 published seeds lie, and a standard deviation beyond."""
    table = pd.read_csv(ROOT / "workflow/published/main_relaxation.csv")
    values = table.loc[table["step"] == 0, f"accuracy_{history.lower()}"]
    return values.min() - values.std(), values.max() + values.std()


def accuracy_after(history: str, folder, mnist_folder) -> float:
    """Train all phases of a history with the commands of the workflow; accuracy on the test set."""
    configuration = configuration_from(
        yaml.safe_load((ROOT / "config/config.yaml").read_text()),
        ROOT / "workflow/schemas/config.schema.yaml",
    )
    files = [folder / f"phase{phase}.safetensors" for phase in range(3)]
    run = [to_json(configuration.run("main", history, SEED, phases=phase)) for phase in range(3)]
    assert cli.main(["initialise", "--run", run[0], "--output", str(files[0])]) == 0
    assert weights_sha256(checkpoints.load(files[0]).weights) == SHA256_OF_SEED_101
    for phase in (1, 2):
        segment = ["--input", str(files[phase - 1]), "--output", str(files[phase])]
        where = ["--data", str(mnist_folder), "--device", "cpu"]
        assert cli.main(["train", "--run", run[phase], *segment, *where]) == 0
    finished = checkpoints.load(files[2])
    test = load_images(mnist_folder, "test", ImageSelection())
    network = network_with(finished.header.run.network, finished.weights).eval()
    score = behavior.score(behavior.logits_of(network, test.images), test.labels)
    return score.correct / score.total


@pytest.mark.parametrize("history", ["ABC", "BAC"])
def test_a_history_leaves_the_accuracy_that_was_published(history, tmp_path, mnist_folder):
    accuracy = accuracy_after(history, tmp_path, mnist_folder)
    low, high = published_spread(history)
    print(f"{history}: {accuracy:.4f}, expected {low:.4f} to {high:.4f}")
    assert low <= accuracy <= high
