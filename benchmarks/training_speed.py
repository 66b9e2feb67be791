"""How fast one CPU core trains, beside the plain loop and beside what the processor can do.

    python -m benchmarks.training_speed [--blocks N] [--data FOLDER]

Every variant lives in a process of its own (malloc's settings are a process's) and trains one
thread; the processes take turns in blocks of five updates, so that a change of the machine's speed
meets all of them. Prints tables in Markdown; quote the medians and ratios, not single times.
"""

import argparse
import atexit
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
import torch.nn.functional as F
import yaml
from torch import Tensor, nn
from torch.utils.data import DataLoader

from hysteresis.config.loading import configuration_from
from hysteresis.data.images import load_images
from hysteresis.data.sets.mnist import DATA_SET
from hysteresis.data.streams import MinibatchStream
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.run import ImageSelection, InitialWeights, NetworkSettings, OptimizerSettings
from hysteresis.training import devices
from hysteresis.training.learner import Learner
from hysteresis.training.network import initial_weights

ROOT = Path(__file__).resolve().parent.parent
BATCH = 128
UPDATES_A_TURN = 5
Step = Callable[[], None]


# ---- variants --------------------------------------------------------------------------------


def plain_network(activation: str) -> nn.Sequential:
    """The network as one would write it with PyTorch's modules."""
    act = nn.ReLU() if activation == "relu" else nn.LeakyReLU(0.01)
    return nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1), act, nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1), act, nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(3136, 128), act, nn.Linear(128, 10),
    )  # fmt: skip


def plain_step(batches: Iterator[tuple[Tensor, Tensor]], activation: str) -> Step:
    """One update by torch.optim.SGD."""
    network = plain_network(activation)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)

    def step() -> None:
        images, labels = next(batches)
        optimizer.zero_grad()
        F.cross_entropy(network(images), labels).backward()
        optimizer.step()

    return step


def plain_loop(folder: Path, activation: str) -> Step:
    """DataLoader over torchvision's MNIST with its transforms, one image at a time."""
    from torchvision import transforms
    from torchvision.datasets import MNIST

    temporary = tempfile.TemporaryDirectory()
    atexit.register(temporary.cleanup)
    root = Path(temporary.name)
    raw = root / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for name in DATA_SET.files:
        (raw / name).symlink_to((folder / name).resolve())
    normalise = transforms.Normalize((DATA_SET.mean,), (DATA_SET.standard_deviation,))
    mnist = MNIST(str(root), transform=transforms.Compose([transforms.ToTensor(), normalise]))
    loader = DataLoader(mnist, batch_size=BATCH, shuffle=True)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            yield from loader

    return plain_step(batches(), activation)


def preloaded(folder: Path, activation: str) -> Step:
    """The same network and optimizer on images that are tensors already."""
    images = load_images(folder, "train", ImageSelection())
    stream = MinibatchStream(len(images), 0, BATCH).minibatches(0, sys.maxsize)
    batches = ((images.images[batch], images.labels[batch]) for batch in stream)
    return plain_step(batches, activation)


def project(folder: Path, activation: str) -> Step:
    """What a training job of the workflow does."""
    device = devices.prepare(Compute("cpu"))
    images = load_images(folder, "train", ImageSelection())
    network = NetworkSettings(activation=activation)
    weights = initial_weights(network, InitialWeights(0))
    learner = Learner.resumed(network, OptimizerSettings(0.05), weights, {}, device)
    stream = MinibatchStream(len(images), 0, BATCH).minibatches(0, sys.maxsize)

    def step() -> None:
        batch = next(stream)
        learner.update(images.images.index_select(0, batch), images.labels[batch])

    return step


VARIANTS = {"plain loop": plain_loop, "preloaded images": preloaded, "this project": project}


# ---- workers ---------------------------------------------------------------------------------


def work(variant: str, folder: Path, activation: str) -> None:
    """Answer each line on standard input (a number of updates) with their milliseconds."""
    torch.set_num_threads(1)
    step = VARIANTS[variant](folder, activation)
    for _ in range(5):
        step()
    print("ready", flush=True)
    for line in sys.stdin:
        step()  # the first after a pause finds cold caches
        times = []
        for _ in range(int(line)):
            start = time.perf_counter()
            step()
            times.append(1000 * (time.perf_counter() - start))
        print(*times, flush=True)


class Worker:
    """A process that trains when asked."""

    def __init__(self, variant: str, folder: Path, activation: str) -> None:
        command = [sys.executable, "-m", "benchmarks.training_speed", "--worker", variant]
        self.process = subprocess.Popen(
            [*command, "--data", str(folder), "--activation", activation],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip
        self.times: list[float] = []
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the worker of {variant} did not start")

    def ask(self, updates: int) -> None:
        self.process.stdin.write(f"{updates}\n")
        self.process.stdin.flush()

    def collect(self) -> None:
        self.times += map(float, self.process.stdout.readline().split())

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait()


def interleaved(folder: Path, activation: str, blocks: int) -> dict[str, list[float]]:
    """Milliseconds of each update by variant, one process running at a time."""
    workers = {variant: Worker(variant, folder, activation) for variant in VARIANTS}
    for _ in range(blocks):
        for worker in workers.values():
            worker.ask(UPDATES_A_TURN)
            worker.collect()
    for worker in workers.values():
        worker.stop()
    return {variant: worker.times for variant, worker in workers.items()}


def side_by_side(folder: Path, activation: str, jobs: int, updates: int) -> list[float]:
    """Milliseconds of each update of several jobs of the project running at once."""
    workers = [Worker("this project", folder, activation) for _ in range(jobs)]
    for worker in workers:
        worker.ask(updates)
    for worker in workers:
        worker.collect()
        worker.stop()
    return [each for worker in workers for each in worker.times]


# ---- the processor's limit -------------------------------------------------------------------


def gflop_an_update() -> float:
    """Multiplications and additions of one update: forward, weight and input gradients."""
    conv1 = 2 * 9 * 1 * 32 * 28 * 28
    conv2 = 2 * 9 * 32 * 64 * 14 * 14
    linear = 2 * (3136 * 128 + 128 * 10)
    # Nothing needs the gradient of the images: conv1 has two passes, the others three.
    return BATCH * (2 * conv1 + 3 * (conv2 + linear)) / 1e9


def peak_gflops(size: int = 1536, repeats: int = 9) -> float:
    """Best GFLOP/s of a float32 matrix product on one thread."""
    torch.set_num_threads(1)
    one, other = torch.randn(size, size), torch.randn(size, size)
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        one @ other
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best / 1e9


def processor() -> str:
    """The processor's name, as far as the system tells it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


# ---- report ----------------------------------------------------------------------------------


def report(folder: Path, blocks: int) -> None:
    peak, work_done = peak_gflops(), gflop_an_update()
    print(f"{processor()}, PyTorch {torch.__version__}, one thread a job.")
    print(f"Matrix product: {peak:.0f} GFLOP/s. One update: {work_done:.2f} GFLOP, ", end="")
    print(f"{1000 * work_done / peak:.1f} ms at that speed.\n")
    print(
        "| activation | variant | ms/update (median) | updates/s | GFLOP/s | times the plain loop |"
    )
    print("|---|---|---|---|---|---|")
    for activation in ("relu", "leaky_relu"):
        times = interleaved(folder, activation, blocks)
        plain = statistics.median(times["plain loop"])
        for variant, each in times.items():
            median = statistics.median(each)
            print(
                f"| {activation} | {variant} | {median:.1f} | {1000 / median:.1f} "
                f"| {1000 * work_done / median:.0f} | {plain / median:.2f} |"
            )
    alone = statistics.median(side_by_side(folder, "relu", 1, blocks * UPDATES_A_TURN))
    both = statistics.median(side_by_side(folder, "relu", 2, blocks * UPDATES_A_TURN))
    print(f"\nOne job alone {alone:.1f} ms an update, two side by side {both:.1f} ms each.\n")
    print_hours(alone, both)


def print_hours(alone: float, both: float) -> None:
    """Extrapolated hours, from jobs side by side where there is more than one core."""
    mapping = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    paper = configuration_from(mapping, ROOT / "workflow/schemas/config.schema.yaml")
    print("| what | updates | hours on 1 core | 2 cores | 8 cores |")
    print("|---|---|---|---|---|")
    for name, experiments in (
        ("the paper", paper.paper_experiments),
        ("the paper and its controls", tuple(paper.experiments)),
    ):
        updates = paper.total_updates(experiments)
        hours = [updates * ms / 3.6e6 / cores for ms, cores in ((alone, 1), (both, 2), (both, 8))]
        print(f"| {name} | {updates:,} | {hours[0]:.1f} | {hours[1]:.1f} | {hours[2]:.1f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT / "results/data", help="IDX files")
    parser.add_argument("--blocks", type=int, default=20, help="turns of five updates a variant")
    parser.add_argument("--activation", default="relu", help=argparse.SUPPRESS)
    parser.add_argument("--worker", choices=VARIANTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        work(arguments.worker, arguments.data, arguments.activation)
    else:
        report(arguments.data, arguments.blocks)


if __name__ == "__main__":
    main()
