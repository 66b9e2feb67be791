"""A pair is verified before it is compared; what is measured is what the protocol names."""

from dataclasses import replace

import pytest
import torch

from hysteresis.data.images import LabelledImages
from hysteresis.errors import UserError
from hysteresis.jobs.pair import Comparison, MatchSettings
from hysteresis.jobs.run import ImageSelection, InitialWeights
from hysteresis.pairs.columns import typed_table
from hysteresis.pairs.compare import ComparisonImages, columns_of_comparison, compare_pair
from hysteresis.pairs.sides import Side, verify
from hysteresis.training import checkpoints
from hysteresis.training.checkpoints import Checkpoint, Header, Maker
from hysteresis.training.network import initial_weights
from tests.conftest import small_run

STEPS = (0, 5)
MAKER = Maker("code", "cpu", {"torch": "2"}, {"mnist": "digest"})
CPU = torch.device("cpu")


def comparison_of(first, second):
    parts = {phase.task: phase.images for phase in first.phases}
    probe = ImageSelection(examples_per_class=2)
    match = MatchSettings(max_accuracy_gap=1.0, min_accuracy=0.0)
    return Comparison("test", first, second, STEPS, ImageSelection(), parts, probe, match)


def side_of(run, moved=0.0, maker=MAKER):
    """A side whose weights at step k lie (k + 1) * ``moved`` from the initial ones."""
    weights = initial_weights(run.network, run.weights)
    sha256 = checkpoints.weights_sha256(weights)
    before = replace(run, phases=(), relaxation=None, optimizer=None)
    generator = torch.Generator().manual_seed(len(run.history) + ord(run.history[0]))
    noise = {
        name: torch.randn(tensor.shape, generator=generator) for name, tensor in weights.items()
    }

    def at(step):
        header = Header(run if step else replace(run, relaxation=None), step, sha256, (maker,))
        shifted = {name: weights[name] + (step + 1) * moved * noise[name] for name in weights}
        return Checkpoint(header, shifted, {})

    initial = Checkpoint(Header(before, 0, sha256, (maker,)), weights, {})
    return Side(run, initial, tuple(at(step) for step in STEPS))


@pytest.fixture
def images():
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(40) % 10
    full = LabelledImages(
        torch.randn(40, 1, 28, 28, generator=generator), labels, torch.zeros_like(labels)
    )
    return ComparisonImages(full, {"A": labels < 5, "B": labels >= 5}, full)


ABC, BAC = small_run("ABC"), small_run("BAC")


def test_identical_networks_have_no_hysteresis_at_all(images):
    rows = list(compare_pair(comparison_of(ABC, BAC), side_of(ABC), side_of(BAC), images, CPU))
    assert [row["step"] for row in rows] == [0, 5]
    for row in rows:
        assert row["h_repr"] == 0.0 and row["cka_logits"] == 1.0
        assert row["disagreements"] == 0 == row["correct_difference"] and row["behavioral_match"]


def test_a_row_holds_counts_of_both_runs_on_the_full_set_and_its_parts(images):
    first, second = side_of(ABC, 0.05), side_of(BAC, 0.05)
    *_, row = compare_pair(comparison_of(ABC, BAC), first, second, images, CPU)
    assert (row["total"], row["total_a_part"], row["total_b_part"]) == (40, 20, 20)
    for name in ("abc", "bac"):
        assert (
            row[f"correct_{name}"] == row[f"correct_a_part_{name}"] + row[f"correct_b_part_{name}"]
        )
        assert row[f"accuracy_{name}"] == row[f"correct_{name}"] / 40
    assert row["correct_difference"] == row["correct_abc"] - row["correct_bac"]
    assert 0 < row["h_repr"] < 1
    assert row["h_repr"] == pytest.approx(1 - (row["cka_conv2"] + row["cka_fc1"]) / 2)
    assert row["normalized_weight_distance"] == pytest.approx(2**0.5, rel=0.1)
    assert row["dead_ratio_conv1_difference"] == abs(
        row["dead_ratio_conv1_abc"] - row["dead_ratio_conv1_bac"]
    )


def test_a_comparison_writes_just_the_declared_columns_with_their_types(images):
    comparison = comparison_of(ABC, BAC)
    rows = list(compare_pair(comparison, side_of(ABC, 0.05), side_of(BAC, 0.05), images, CPU))
    dtypes = columns_of_comparison(comparison).dtypes
    assert [list(row) for row in rows] == [list(dtypes)] * 2  # also in their order
    table = typed_table(rows, dtypes)
    assert {name: str(dtype) for name, dtype in table.dtypes.items()} == dtypes
    assert table.to_dict("records") == rows


def test_runs_of_different_conditions_are_refused():
    other = replace(BAC, network=replace(BAC.network, activation="leaky_relu"))
    with pytest.raises(UserError, match="different conditions"):
        verify(comparison_of(ABC, other), side_of(ABC), side_of(other))


def test_runs_from_different_initial_weights_are_refused_unless_the_histories_say_so():
    liar = side_of(replace(BAC, weights=InitialWeights(7)))
    honest = replace(BAC, weights=InitialWeights(7))
    verify(comparison_of(ABC, honest), side_of(ABC), liar)
    relabelled = replace(
        liar,
        run=BAC,
        checkpoints=tuple(
            replace(
                checkpoint,
                header=replace(
                    checkpoint.header, run=replace(checkpoint.header.run, weights=BAC.weights)
                ),
            )
            for checkpoint in liar.checkpoints
        ),
    )
    with pytest.raises(UserError, match="began from different weights"):
        verify(comparison_of(ABC, BAC), side_of(ABC), relabelled)


def test_a_checkpoint_of_another_history_or_step_is_refused():
    swapped = replace(side_of(BAC), checkpoints=side_of(ABC).checkpoints)
    with pytest.raises(UserError, match="BAC at step 0: the checkpoint is of another run or step"):
        verify(comparison_of(ABC, BAC), side_of(ABC), swapped)
    reverse = replace(side_of(BAC), checkpoints=side_of(BAC).checkpoints[::-1])
    with pytest.raises(UserError, match="another run or step"):
        verify(comparison_of(ABC, BAC), side_of(ABC), reverse)


@pytest.mark.parametrize(
    ("what", "other"),
    [("code", "newer"), ("device", "cuda"), ("versions", {"torch": "3"}), ("data", {"mnist": "?"})],
)
def test_runs_that_were_not_made_alike_are_refused(what, other):
    newer = side_of(BAC, maker=replace(MAKER, **{what: other}))
    with pytest.raises(UserError, match=f"trained by different {what}"):
        verify(comparison_of(ABC, BAC), side_of(ABC), newer)


def test_a_run_without_phases_was_made_by_no_training_before_the_common_phase():
    """So it may stand beside a trained one: the digest of another stage is no other code."""
    untrained = replace(ABC, history="none", phases=())
    drawn = side_of(untrained, maker=Maker("drawing", "cpu", {"torch": "2"}))
    trained = side_of(BAC)
    pair = replace(comparison_of(ABC, BAC), first=untrained, steps=(0,))
    before = replace(untrained, relaxation=None, optimizer=None)
    start = replace(drawn.checkpoints[0].header, run=before)
    first = replace(drawn, checkpoints=(replace(drawn.checkpoints[0], header=start),))
    verify(pair, first, replace(trained, checkpoints=trained.checkpoints[:1]))


def test_weights_that_are_not_finite_are_never_compared():
    with pytest.raises(UserError, match="not finite"):
        verify(comparison_of(ABC, BAC), side_of(ABC), side_of(BAC, float("nan")))
