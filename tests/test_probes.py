"""Heads learn as a plain loop does, on features that stay frozen, alike for both histories."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from torch import nn

from hysteresis import cli
from hysteresis.data.images import LabelledImages, load_images, membership
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.pair import Pair
from hysteresis.jobs.probe import Budget, HeadSettings, PairProbe
from hysteresis.jobs.run import ImageSelection
from hysteresis.pairs.columns import Row, typed_table
from hysteresis.probes import heads as probes
from hysteresis.probes.columns import probe_dtypes
from hysteresis.probes.heads import ProbeImages
from hysteresis.provenance import tables
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance
from hysteresis.training import checkpoints
from hysteresis.training.checkpoints import Checkpoint, Header, Maker
from hysteresis.training.network import initial_weights
from tests.conftest import small_run

HEAD = HeadSettings(epochs=3, batch_size=16)
PARTS = {"A": ImageSelection(classes=(0, 1, 2, 3, 4)), "B": ImageSelection(classes=(5, 6, 7, 8, 9))}
STEPS = (5, 9)


MAKER = Maker("code", "cpu", {}, {"mnist": "digest"})


def checkpoint(history: str, step: int, moved: float = 0.05) -> Checkpoint:
    """A network that lies some way from the initial weights, another way in each history."""
    run = small_run(history)
    weights = initial_weights(run.network, run.weights)
    header = Header(run, step, checkpoints.weights_sha256(weights), (MAKER,))
    generator = torch.Generator().manual_seed(step + ord(history[0]))
    noise = {name: torch.randn(each.shape, generator=generator) for name, each in weights.items()}
    moved_weights = {name: weights[name] + moved * noise[name] for name in weights}
    return Checkpoint(
        header, moved_weights, {name: torch.zeros_like(weights[name]) for name in weights}
    )


def initial(history: str) -> Checkpoint:
    run = small_run(history)
    weights = initial_weights(run.network, run.weights)
    before = replace(run, phases=(), relaxation=None, optimizer=None)
    return Checkpoint(Header(before, 0, checkpoints.weights_sha256(weights)), weights, {})


def probe(at_match: bool = False, layer: str = "fc1") -> PairProbe:
    return PairProbe(
        Pair("test", small_run("ABC"), small_run("BAC"), STEPS if at_match else STEPS[-1:]),
        at_match,
        layer,
        ImageSelection(examples_per_class=4),
        ImageSelection(examples_per_class=3),
        PARTS,
        (Budget(2, (777, 1777)), Budget(4, (777,))),
        HEAD,
    )


@pytest.fixture
def images() -> ProbeImages:
    def listed(per_digit: int) -> LabelledImages:
        labels = torch.arange(10).repeat_interleave(per_digit)
        generator = torch.Generator().manual_seed(per_digit)
        pixels = torch.randn(len(labels), 1, 28, 28, generator=generator)
        return LabelledImages(pixels, labels, torch.zeros_like(labels))

    test = listed(3)
    masks = {name: membership(test, part) for name, part in PARTS.items()}
    return ProbeImages(listed(4), test, masks)


def probed(images: ProbeImages, layer: str = "fc1") -> list[Row]:
    pair = (checkpoint(history, STEPS[-1]) for history in ("ABC", "BAC"))
    return probes.probe_pair(probe(layer=layer), *pair, images)


# ---- one head --------------------------------------------------------------------------------


def random_data(n: int = 75, units: int = 128) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randn(n, units, generator=generator)
    return inputs, torch.randint(0, 10, (n,), generator=generator)


def trained(inputs, labels, head_seed=777, settings=HEAD) -> tuple[nn.Linear, list[probes.Epoch]]:
    head = probes.new_head(head_seed, inputs.shape[1], 10)
    return head, list(probes.train_head(head, inputs, labels, head_seed, settings))


def test_a_head_learns_bit_for_bit_as_a_plain_loop_does():
    inputs, labels = random_data()
    settings = HeadSettings(learning_rate=0.01, batch_size=32, epochs=4)
    head, epochs = trained(inputs, labels, 777, settings)
    torch.manual_seed(777)
    plain, losses = nn.Linear(128, 10), []
    optimizer, criterion = torch.optim.SGD(plain.parameters(), lr=0.01), nn.CrossEntropyLoss()
    for epoch in range(1, 5):
        order = torch.randperm(75, generator=torch.Generator().manual_seed(777 + epoch))
        total = 0.0
        for start in range(0, 75, 32):  # 32, 32, and a short last one of 11
            chosen = order[start : start + 32]
            optimizer.zero_grad()
            loss = criterion(plain(inputs[chosen]), labels[chosen])
            loss.backward()
            optimizer.step()
            total += loss.item() * len(chosen)
        losses.append(total / 75)
    assert torch.equal(head.weight, plain.weight) and torch.equal(head.bias, plain.bias)
    assert [epoch.train_loss for epoch in epochs] == losses
    assert [len(batch) for batch in epochs[0].minibatches] == [32, 32, 11]


def test_a_new_head_leaves_the_global_generator_alone():
    torch.manual_seed(1)
    expected = torch.rand(3)
    torch.manual_seed(1)
    probes.new_head(777, 8, 10)
    assert torch.equal(torch.rand(3), expected)


def test_separable_classes_are_learnt_and_shuffled_labels_are_not():
    generator = torch.Generator().manual_seed(0)
    centres = 4 * torch.randn(10, 64, generator=generator)

    def draw(per_class: int) -> tuple[torch.Tensor, torch.Tensor]:
        labels = torch.arange(10).repeat_interleave(per_class)
        return centres[labels] + torch.randn(len(labels), 64, generator=generator), labels

    (inputs, labels), (test, truth) = draw(50), draw(100)
    settings = HeadSettings(learning_rate=0.05, epochs=20)

    def accuracy(learnt_labels: torch.Tensor) -> float:
        head, _ = trained(inputs, learnt_labels, 777, settings)
        return float((head(test).argmax(dim=1) == truth).float().mean())

    assert accuracy(labels) == 1.0
    shuffled = labels[torch.randperm(500, generator=generator)]
    # Which classes chance favours is common to whole clusters: take several shufflings.
    chances = [accuracy(shuffled[torch.randperm(500, generator=generator)]) for _ in range(10)]
    assert np.mean(chances) == pytest.approx(0.1, abs=0.08)


def test_a_head_that_diverges_is_an_error(images):
    wild = replace(probe(), head=replace(HEAD, learning_rate=1e38))
    pair = (checkpoint(history, STEPS[-1]) for history in ("ABC", "BAC"))
    with pytest.raises(UserError, match="loss is not finite; lower probes: head: learning_rate"):
        probes.probe_pair(wild, *pair, images)


# ---- a pair ----------------------------------------------------------------------------------


def test_a_row_a_budget_head_seed_epoch_and_history(images):
    table = typed_table(probed(images), probe_dtypes(PARTS))
    place = ["images_per_class", "head_seed", "epoch", "history"]
    heads = [(2, 777), (2, 1777), (4, 777)]
    assert list(table[place].itertuples(index=False, name=None)) == [
        (*head, epoch, history)
        for head in heads
        for epoch in (1, 2, 3)
        for history in ("ABC", "BAC")
    ]
    assert (table["side"] == np.where(table["history"] == "ABC", "first", "second")).all()
    assert (table["correct"] == table["correct_a_part"] + table["correct_b_part"]).all()
    assert set(table["total"]) == {30} and set(table["total_b_part"]) == {15}
    assert table["train_loss"].nunique() == 18  # no head is another's copy


def test_the_rows_are_those_of_a_head_on_the_networks_own_features(images):
    rows = [row for row in probed(images) if row["images_per_class"] == 2]
    network = probes.frozen_network(checkpoint("BAC", STEPS[-1]))
    with torch.no_grad():
        train, test = (
            network.activations(part.images)["fc1"] for part in (images.train, images.test)
        )
    chosen = torch.tensor([4 * digit + place for digit in range(10) for place in (0, 1)])
    head, epochs = trained(train[chosen], images.train.labels[chosen], 1777)
    last = [row for row in rows if (row["head_seed"], row["history"]) == (1777, "BAC")][-1]
    assert last["train_loss"] == epochs[-1].train_loss
    assert last["correct"] == int((head(test).argmax(dim=1) == images.test.labels).sum())


def test_features_of_a_convolution_are_averaged_over_space(images):
    network = probes.frozen_network(checkpoint("ABC", 9))
    pooled = probes.features(network, images.test.images, "conv2")
    maps = network.activations(images.test.images)["conv2"].double()
    assert pooled.shape == (30, 8) and pooled.dtype == torch.float32
    torch.testing.assert_close(pooled, maps.mean(dim=(2, 3)).float(), rtol=1e-6, atol=0)
    assert probed(images, "conv2") != probed(images, "fc1")


def test_equal_networks_have_equal_heads(images):
    same = checkpoint("ABC", 9)
    rows = probes.probe_pair(probe(), same, same, images)
    firsts = [row for row in rows if row["side"] == "first"]
    seconds = [row | {"side": "first"} for row in rows if row["side"] == "second"]
    assert firsts == seconds


@pytest.mark.parametrize("rotations", [(0,), (0, 90)])
def test_a_budget_is_the_first_images_of_each_digit_of_the_training_set(mnist_folder, rotations):
    largest, wanted = (
        load_images(mnist_folder, "train", ImageSelection((3, 8), rotations, count))
        for count in (7, 3)
    )
    chosen = probes.first_of_each_class(len(largest), 7, 3)
    assert torch.equal(largest.images[chosen], wanted.images)
    assert torch.equal(largest.rotations[chosen], wanted.rotations)


# ---- what must hold --------------------------------------------------------------------------


def test_a_backbone_that_learns_is_found_out(images, monkeypatch):
    def learning(checkpoint: Checkpoint) -> nn.Module:
        network = frozen(checkpoint)
        networks.append(network)
        return network

    def head(head_seed: int, units: int, classes: int) -> nn.Linear:
        with torch.no_grad():
            networks[-1].conv2.bias[0] += 1e-7
        return new_head(head_seed, units, classes)

    networks: list[nn.Module] = []
    frozen, new_head = probes.frozen_network, probes.new_head
    monkeypatch.setattr(probes, "frozen_network", learning)
    monkeypatch.setattr(probes, "new_head", head)
    with pytest.raises(UserError, match=r"test seed 101, history BAC: conv2.bias of the frozen"):
        probed(images)


def test_a_change_that_equality_of_numbers_does_not_see_is_found_out():
    before = checkpoint("ABC", 9)
    before.weights["conv1.bias"][0] = 0.0
    network = probes.frozen_network(before)
    probes.require_frozen(network, before, "here")
    with torch.no_grad():
        network.conv1.bias[0] = -0.0
    with pytest.raises(UserError, match=r"conv1.bias of the frozen network changed"):
        probes.require_frozen(network, before, "here")


def test_heads_that_begin_unequal_are_found_out(images, monkeypatch):
    def head(head_seed: int, units: int, classes: int) -> nn.Linear:
        drawn.append(head_seed)
        return new_head(head_seed + len(drawn), units, classes)

    drawn: list[int] = []
    new_head = probes.new_head
    monkeypatch.setattr(probes, "new_head", head)
    with pytest.raises(UserError, match=r"2 images a class, head seed 777: .*different tensors"):
        probed(images)


def test_heads_that_see_other_minibatches_are_found_out(images, monkeypatch):
    def other_in_the_second_epoch(count, head_seed, epoch, batch_size):
        calls.append(epoch)
        return minibatches(count, head_seed, epoch + (calls == [1, 1, 2, 2]), batch_size)

    calls: list[int] = []
    minibatches = probes.minibatches
    monkeypatch.setattr(probes, "minibatches", other_in_the_second_epoch)
    with pytest.raises(UserError, match=r"head seed 777, epoch 2: .*saw different minibatches"):
        probed(images)


def test_the_same_images_cut_elsewhere_are_other_minibatches():
    whole = torch.arange(6)
    one, other = (probes.Epoch(1, 0.0, list(whole.split(size))) for size in (2, 3))
    probes.require_equal_minibatches(one, one, "here")
    with pytest.raises(UserError, match=r"here, epoch 1: .*different minibatches"):
        probes.require_equal_minibatches(one, other, "here")


# ---- the command -----------------------------------------------------------------------------


def write_pair_table(path: Path, matches: tuple[bool, ...], seed: int = 101) -> None:
    table = pd.DataFrame(
        {"experiment": "test", "seed": seed, "step": STEPS, "behavioral_match": matches}
    )
    tables.write_table(path, table, Provenance(Kind.PAIR, "test", "x", 101))


@pytest.fixture
def arguments(tmp_path, mnist_folder):
    """The command's arguments for a probe, with all its files but the pair's table there."""

    def of(job: PairProbe, output: str) -> list[str]:
        words = ["probe", "--data", str(mnist_folder), "--name", "m", "--probe", to_json(job)]
        for flag, history in (("--first", "ABC"), ("--second", "BAC")):
            content = [initial(history), *(checkpoint(history, step) for step in job.pair.steps)]
            files = [tmp_path / f"{history}{place}" for place in range(len(content))]
            for file, each in zip(files, content, strict=True):
                checkpoints.save(file, each)
            words += [flag, *map(str, files)]
        return [*words, "--output", str(tmp_path / output)]

    return of


def test_a_job_gives_the_same_bytes_twice(tmp_path, arguments):
    for name in ("one", "other"):
        torch.rand(1)  # the global generator's state decides nothing
        assert cli.main(arguments(probe(), name)) == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    table = tables.read_table(tmp_path / "one", Kind.PROBE, "m", 101)
    assert len(table) == 18 and set(table["step"]) == {9}
    assert tables.read_provenance(tmp_path / "one", Kind.PROBE).seed == 101


@pytest.mark.parametrize(("matches", "step"), [((True, True), 5), ((False, True), 9)])
def test_the_earliest_match_is_probed(tmp_path, arguments, matches, step):
    write_pair_table(tmp_path / "pairs", matches)
    words = arguments(probe(at_match=True), "out")
    assert cli.main([*words, "--pairs", str(tmp_path / "pairs")]) == 0
    assert set(tables.read_table(tmp_path / "out", Kind.PROBE, "m", 101)["step"]) == {step}


def test_an_unmatched_seed_gives_no_rows_and_is_listed(tmp_path, arguments):
    write_pair_table(tmp_path / "pairs", (False, False))
    words = arguments(probe(at_match=True), "out")
    assert cli.main([*words, "--pairs", str(tmp_path / "pairs")]) == 0
    nothing = tables.read_table(tmp_path / "out", Kind.PROBE, "m", 101)
    assert nothing.empty and tables.read_provenance(tmp_path / "out", Kind.PROBE).seed == 101
    assert cli.main(arguments(probe(), "some")) == 0
    some = tables.read_table(tmp_path / "some", Kind.PROBE, "m", 101)
    assert (nothing.dtypes == some.dtypes).all()
    settings = {
        "experiment": "test", "layer": "fc1", "at_match": True,
        "budgets": [{"images_per_class": 4, "head_seeds": [777]}], "head": {"epochs": 3},
    }  # fmt: skip
    probes_given = ["--probes", str(tmp_path / "out"), "--probes-of", '[["m", [101]]]']
    words = ["summarise-probe", "--name", "m", "--settings", to_json(settings), "--output"]
    assert cli.main([*words, str(tmp_path / "s"), *probes_given]) == 0
    statistics = tables.read_table(tmp_path / "s", Kind.PROBE_STATISTICS, "m")
    assert set(statistics["unmatched_seeds"]) == {"101"} and set(statistics["n"]) == {0}


def test_another_pairs_table_is_refused(tmp_path, arguments, capsys):
    write_pair_table(tmp_path / "pairs", (True, True), seed=7)
    words = arguments(probe(at_match=True), "out")
    assert cli.main([*words, "--pairs", str(tmp_path / "pairs")]) == 2
    assert "seed 101: the pair's table is of another pair" in capsys.readouterr().err
    assert cli.main(words) == 2 and "give its table with --pairs" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_the_pair_is_verified_before_it_is_probed(tmp_path, arguments, capsys):
    words = arguments(probe(), "out")
    checkpoints.save(tmp_path / "BAC1", checkpoint("ABC", 9))
    assert cli.main(words) == 2
    assert (
        "is small seed 101 ABC after 2 phases and 9 updates, or of another design"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "out").exists()
