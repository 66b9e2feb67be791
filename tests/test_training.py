"""Training is the plain loop, repeatable to the bit, and never hides a diverged run."""

import subprocess
import sys
from dataclasses import replace
from functools import partial
from itertools import islice

import pytest
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from hysteresis.cli import main
from hysteresis.data.images import load_images
from hysteresis.data.streams import MinibatchStream
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.run import ImageSelection, InitialWeights, NetworkSettings, OptimizerSettings
from hysteresis.training import checkpoints, devices
from hysteresis.training.kernels import view_in_channels_last
from hysteresis.training.learner import Learner
from hysteresis.training.network import initial_weights, network_with
from tests.conftest import small_run


@pytest.fixture
def train(mnist_folder, tmp_path):
    """Run one segment by the command line; returns the path it wrote."""

    def segment(run, source, target, until=None):
        command = ["train", "--data", str(mnist_folder), "--run", to_json(run), "--device", "cpu"]
        command += ["--input", str(tmp_path / source), "--output", str(tmp_path / target)]
        assert main(command + (["--until", str(until)] if until else [])) == 0
        return tmp_path / target

    return segment


@pytest.fixture
def after_history(train, tmp_path):
    """Train a small run's two phases; returns the name of the last phase's file."""

    def history(run):
        before = replace(run, phases=(), relaxation=None, optimizer=None)
        initial = str(tmp_path / "phase0")
        assert main(["initialise", "--run", to_json(before), "--output", initial]) == 0
        train(replace(run, phases=run.phases[:1], relaxation=None), "phase0", "phase1")
        train(replace(run, relaxation=None), "phase1", "phase2")
        return "phase2"

    return history


def plain_forward(network, images, activate):
    """With PyTorch's own operators, in the memory format of the CPU's fast path."""
    hidden = F.max_pool2d(activate(network.conv1(view_in_channels_last(images))), 2)
    hidden = F.max_pool2d(activate(network.conv2(hidden)), 2)
    return network.fc2(activate(network.fc1(hidden.flatten(1))))


def momentum_norm(path):
    return sum(float(buffer.square().sum()) for buffer in checkpoints.load(path).momentum.values())


def test_a_chain_of_segments_equals_an_uninterrupted_run_byte_for_byte(train, after_history):
    run = small_run()
    end = after_history(run)
    train(run, end, "step3", until=3)
    train(run, "step3", "step10", until=10)  # over the end of a pass: 16 minibatches have 2 passes
    chained = train(run, "step10", "step20", until=20)
    whole = train(run, end, "uninterrupted", until=20)
    assert chained.read_bytes() == whole.read_bytes()


def test_the_whole_protocol_equals_a_plain_loop_over_real_loaders(
    mnist_folder, train, after_history
):
    """Both phases and the common one, against torch's own loader, modules and optimizer."""
    run = small_run(updates=5)
    end = train(run, after_history(run), "step20", until=20)

    network = network_with(run.network, initial_weights(run.network, run.weights))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    torch.set_num_threads(1)

    def loader(selection):
        images = load_images(mnist_folder, "train", selection)
        generator = torch.Generator().manual_seed(run.seed)
        return DataLoader(
            TensorDataset(images.images, images.labels), 128, shuffle=True, generator=generator
        )

    def learn(batches, updates):
        for images, labels in islice(batches, updates):
            optimizer.zero_grad()
            F.cross_entropy(plain_forward(network, images, F.relu), labels).backward()
            optimizer.step()

    for phase in run.phases:
        learn(loader(phase.images), 5)
    optimizer.state.clear()
    learn(loader(run.relaxation.images), 16)
    learn(loader(run.relaxation.images), 4)
    for name, weight in checkpoints.load(end).weights.items():
        assert torch.equal(weight, network.get_parameter(name)), name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("activation", "rotations"),
    [
        ("relu", (0,)),
        ("leaky_relu", (0, 90)),
        pytest.param("relu", (0, 90), marks=pytest.mark.full),
        pytest.param("leaky_relu", (0,), marks=pytest.mark.full),
    ],
)
def test_500_updates_on_c_have_the_bits_of_pytorchs_operators_and_optimizer(
    mnist_folder, activation, rotations
):
    """The full network on the common phase of the class split and of the rotated protocol."""
    settings = NetworkSettings(activation=activation)
    weights = initial_weights(settings, InitialWeights(101))
    images = load_images(
        mnist_folder, "train", ImageSelection(rotations=rotations, examples_per_class=5000)
    )
    stream = MinibatchStream(len(images), 101, 128, same_order_every_pass=True)
    device = devices.prepare(Compute("cpu"))
    learner = Learner.resumed(settings, OptimizerSettings(0.04), weights, {}, device)
    learner.learn(images, stream, 0, 500, "500 updates")  # 391 are a pass over 50,000 images

    network = network_with(settings, weights)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.04, momentum=0.9)
    activate = F.relu if activation == "relu" else partial(F.leaky_relu, negative_slope=0.01)
    for batch in stream.minibatches(0, 500):
        optimizer.zero_grad()
        logits = plain_forward(network, images.images[batch], activate)
        F.cross_entropy(logits, images.labels[batch]).backward()
        optimizer.step()
    for name, weight in learner.weights().items():
        assert torch.equal(weight, network.get_parameter(name)), name


def test_two_jobs_at_once_give_the_bytes_of_one(mnist_folder, after_history, tmp_path):
    run = small_run()
    end = after_history(run)

    def start(target):
        command = [sys.executable, "-m", "hysteresis", "train", "--data", str(mnist_folder)]
        command += ["--run", to_json(run), "--input", str(tmp_path / end), "--until", "16"]
        return subprocess.Popen([*command, "--output", str(tmp_path / target), "--device", "cpu"])

    assert start("alone").wait() == 0
    together = [start("first"), start("second")]
    assert [job.wait() for job in together] == [0, 0]
    alone = (tmp_path / "alone").read_bytes()
    assert (tmp_path / "first").read_bytes() == alone == (tmp_path / "second").read_bytes()


def test_momentum_is_carried_from_phase_to_phase_and_reset_or_preserved_at_the_common_phase(
    train, after_history, tmp_path
):
    reset = small_run()
    preserve = replace(reset, relaxation=replace(reset.relaxation, optimizer_state="preserve"))
    end = after_history(reset)
    assert momentum_norm(tmp_path / "phase0") == 0 < momentum_norm(tmp_path / "phase1")
    first = train(reset, end, "reset", until=1)
    second = train(preserve, end, "preserved", until=1)
    # After a reset the first buffer is the first gradient; otherwise the old buffer is in it.
    loaded = [checkpoints.load(path) for path in (tmp_path / end, first, second)]
    before, after_reset, after_preserve = (checkpoint.momentum["fc2.bias"] for checkpoint in loaded)
    torch.testing.assert_close(after_preserve, 0.9 * before + after_reset)
    assert not torch.equal(after_preserve, after_reset)


def test_a_run_that_goes_non_finite_fails_with_run_phase_and_update_and_writes_nothing(
    mnist_folder, after_history, tmp_path, capsys
):
    run = small_run()
    end = after_history(run)
    # The first update throws the weights beyond float32; the second loss is the first to show it.
    wild = replace(run, optimizer=OptimizerSettings(learning_rate=1e30))
    checkpoint = checkpoints.load(tmp_path / end)
    header = replace(checkpoint.header, run=replace(wild, relaxation=None))
    checkpoints.save(tmp_path / "wild", replace(checkpoint, header=header))
    capsys.readouterr()
    command = ["train", "--data", str(mnist_folder), "--run", to_json(wild), "--until", "10"]
    command += ["--input", str(tmp_path / "wild"), "--output", str(tmp_path / "never")]
    assert main([*command, "--device", "cpu"]) == 2
    (line,) = (line for line in capsys.readouterr().err.splitlines() if "train:" in line)
    assert (
        "small seed 101 ABC common phase (C)" in line
        and "non-finite at update 2 (epoch 1);" in line
    )
    assert not (tmp_path / "never").exists()


def test_weights_that_overflow_in_the_last_update_are_seen(mnist_folder):
    run = small_run()
    images = load_images(mnist_folder, "train", run.relaxation.images)
    learner = Learner.resumed(
        run.network,
        OptimizerSettings(learning_rate=10.0),
        initial_weights(run.network, run.weights),
        {"fc2.bias": torch.full((10,), 3e38)},
        torch.device("cpu"),
    )
    with pytest.raises(UserError, match="non-finite"):
        learner.learn(images, MinibatchStream(len(images), 1, 128), 0, 1, "one update")


def test_another_runs_checkpoint_is_refused_as_input(train, after_history, mnist_folder, capsys):
    end = after_history(small_run())
    other = small_run(seed=202)
    with pytest.raises(AssertionError):
        train(other, end, "never", until=3)
    assert (
        "is small seed 101 ABC after 2 phases, but this segment carries on small seed 202 ABC"
        in (capsys.readouterr().err)
    )


def test_progress_is_logged_in_lines_with_phase_update_loss_and_rate(after_history, caplog):
    caplog.set_level("INFO")
    after_history(small_run())
    (line,) = (record.getMessage() for record in caplog.records if "phase 2" in record.getMessage())
    assert line.startswith("small seed 101 ABC phase 2 (B): 100%")
    assert "6/6" in line and "loss=" in line and "updates/s" in line and "\r" not in line


def test_layers_reinitialised_at_the_common_phase_begin_it_as_newly_drawn(
    train, after_history, tmp_path
):
    kept = small_run()
    again = replace(kept.relaxation, reinitialised=("fc2",), reinitialisation_seed=7)
    renewed = replace(kept, relaxation=replace(again, optimizer_state="preserve"))
    # So small a rate that one update moves nothing that float32 could show beside a new draw.
    still = OptimizerSettings(learning_rate=1e-12)
    end = after_history(kept)
    before = checkpoints.load(tmp_path / end)
    stopped = replace(before.header, run=replace(renewed, relaxation=None, optimizer=still))
    checkpoints.save(tmp_path / "stopped", replace(before, header=stopped))
    after = checkpoints.load(train(replace(renewed, optimizer=still), "stopped", "after", until=1))
    drawn = initial_weights(kept.network, InitialWeights(7))
    for name, weight in after.weights.items():
        expected = drawn[name] if name.startswith("fc2.") else before.weights[name]
        torch.testing.assert_close(weight, expected, atol=1e-9, rtol=0)
    first = {name: buffer.norm() for name, buffer in after.momentum.items()}
    assert all(first[name] > 0 for name in first)


def test_a_layer_that_is_not_there_cannot_be_reinitialised(train, after_history, capsys):
    run = small_run()
    end = after_history(run)
    wrong = replace(run, relaxation=replace(run.relaxation, reinitialised=("fc9",)))
    with pytest.raises(AssertionError):
        train(wrong, end, "never", until=1)
    assert "the network has no layer fc9 to reinitialise" in capsys.readouterr().err


def test_a_full_gpu_is_named_with_batch_and_remedy(train, after_history, monkeypatch, capsys):
    def too_much(*_):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.\nTried to allocate 2 GiB")

    end = after_history(small_run())
    monkeypatch.setattr(Learner, "learn", too_much)
    with pytest.raises(AssertionError):
        train(small_run(), end, "never", until=1)
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert "batches of 128" in line and "--resources gpu=1" in line


def test_a_folder_that_cannot_be_written_is_noticed_before_training(
    train, after_history, tmp_path, monkeypatch, capsys
):
    end = after_history(small_run())
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(Learner, "learn", lambda *_: pytest.fail("trained in vain"))
    with pytest.raises(AssertionError):
        train(small_run(), end, "file/never", until=1)
    assert "file/never: cannot be written" in capsys.readouterr().err
