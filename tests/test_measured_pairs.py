"""Every measure on a pair of small networks, and the same pair on few and on many images."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import torch

from hysteresis.data.images import LabelledImages, load_images
from hysteresis.errors import UserError
from hysteresis.jobs.measures import PairMeasures, PairSensitivity
from hysteresis.jobs.run import ImageSelection
from hysteresis.measures.cka import debiased_linear_cka
from hysteresis.measures.layers import features_of
from hysteresis.measures.measure import column_types, measure_pair
from hysteresis.measures.registry import MEASURES
from hysteresis.measures.sensitivity import (
    COLUMN_TYPES,
    DATA_PARTS,
    rows_among,
    selection,
    sensitivity_of_pair,
)
from hysteresis.pairs.columns import typed_table
from hysteresis.pairs.compare import ComparisonImages, compare_pair
from hysteresis.pairs.representations import represent
from hysteresis.training.layers import architecture_named
from hysteresis.training.network import network_with
from tests.test_pairs import ABC, BAC, CPU, STEPS, comparison_of, side_of

CONVOLUTIONAL = architecture_named("convolutional")
LAYERS, VIEWS = CONVOLUTIONAL.names, tuple(CONVOLUTIONAL.views)
COMPARISON = comparison_of(ABC, BAC)
ALL = ImageSelection()
JOB = PairMeasures(
    COMPARISON, VIEWS, tuple(MEASURES), ImageSelection(examples_per_class=4), chance=False
)


@pytest.fixture(scope="module")
def images():
    generator = torch.Generator().manual_seed(1)
    labels = torch.arange(70) % 10
    pixels = torch.randn(70, 1, 28, 28, generator=generator)
    return LabelledImages(pixels, labels, torch.zeros_like(labels))


@pytest.fixture(scope="module")
def sides():
    return side_of(ABC, 0.05), side_of(BAC, 0.05)


def measured(images, sides, job=JOB):
    table = pd.DataFrame(measure_pair(job, *sides, images))
    return table.set_index(["step", "layer", "measure"])["value"]


def test_features_are_those_of_the_main_comparison_and_the_inputs_of_fc1(images):
    checkpoint = side_of(ABC, 0.05).checkpoints[0]
    network = network_with(checkpoint.header.run.network, checkpoint.weights)
    found = features_of(network, CONVOLUTIONAL, images.images, VIEWS)
    for layer, expected in represent(network, CONVOLUTIONAL, images.images).features.items():
        assert np.array_equal(found[layer], expected) and found[layer].dtype == np.float64
    maps = torch.from_numpy(found["conv2_maps"]).float()
    hidden = torch.relu(network.fc1(maps)).detach().numpy()
    assert maps.shape == (70, 8 * 7 * 7)
    assert np.allclose(hidden, found["fc1"], atol=1e-5)


def test_there_is_a_row_a_step_layer_and_measure_and_its_cka_is_the_main_comparisons(images, sides):
    values = measured(images, sides)
    assert len(values) == len(STEPS) * len(VIEWS) * len(MEASURES)
    seen = ComparisonImages(images, {}, images)
    compared = replace(COMPARISON, parts={})
    for row in compare_pair(compared, *sides, seen, CPU):
        cka = {layer: values[row["step"], layer, "linear_cka"] for layer in LAYERS}
        assert cka == {layer: row[f"cka_{layer}"] for layer in LAYERS}
        assert 1 - (cka["conv2"] + cka["fc1"]) / 2 == row["h_repr"]


def test_identical_networks_give_every_measures_value_for_identity(images):
    values = measured(images, (side_of(ABC, 0.05), side_of(replace(ABC, history="ABC"), 0.05)))
    for (_, _, name), value in values.items():
        # The angular Procrustes distance is accurate to 1e-7 near 0.
        assert value == pytest.approx(MEASURES[name].identical, abs=1e-6), name


def test_only_the_chosen_measures_are_computed(images, sides):
    chosen = replace(JOB, layers=("fc1",), measures=("svcca", "within_class_cka"))
    values = measured(images, sides, chosen)
    assert list(values.index) == [
        (step, "fc1", name) for step in STEPS for name in ("svcca", "within_class_cka")
    ]


def test_chance_is_the_value_of_shuffled_images_where_it_is_asked_for(images, sides):
    chosen = replace(JOB, layers=("fc1",), measures=("linear_cka", "mutual_knn"), chance=True)
    table = pd.DataFrame(measure_pair(chosen, *sides, images))
    again = pd.DataFrame(measure_pair(chosen, *sides, images))
    pd.testing.assert_frame_equal(table, again)
    assert "chance" not in pd.DataFrame(measure_pair(JOB, *sides, images))
    one, other = (
        features_of(
            network_with(side.run.network, side.checkpoints[-1].weights),
            CONVOLUTIONAL,
            images.images,
            LAYERS,
        )
        for side in sides
    )
    order = np.random.default_rng(12345).permutation(70)
    last = table[table["step"] == STEPS[-1]].set_index("measure")
    for name, row in last.iterrows():
        expected = MEASURES[name].function(one["fc1"], other["fc1"][order])
        assert row["chance"] == expected != row["value"], name


def test_the_written_columns_are_those_declared_with_or_without_rows(images, sides):
    for job in (JOB, replace(JOB, chance=True)):
        job = replace(job, layers=("fc1",), measures=("linear_cka",))
        table = typed_table(measure_pair(job, *sides, images), column_types(job))
        nothing = typed_table([], column_types(job))
        assert (table.dtypes == nothing.dtypes).all()
        assert ("chance" in table) == job.chance


def test_a_pair_is_verified_before_it_is_measured(images):
    swapped = replace(side_of(BAC), checkpoints=side_of(ABC).checkpoints)
    with pytest.raises(UserError, match="another run or step"):
        list(measure_pair(JOB, side_of(ABC), swapped, images))
    job = PairSensitivity(replace(COMPARISON, steps=STEPS[-1:]), (20,), ALL)
    with pytest.raises(UserError, match="another run or step"):
        list(sensitivity_of_pair(job, last(side_of(ABC)), last(swapped), {"test": images}))


# ---- other numbers of images -----------------------------------------------------------------


def last(side):
    return replace(side, checkpoints=side.checkpoints[-1:])


def subset(images, count):
    return LabelledImages(images.images[:count], images.labels[:count], images.rotations[:count])


def sensitivity(sides, images, counts, rotations=(0,)):
    at_last = replace(COMPARISON, steps=STEPS[-1:])
    job = PairSensitivity(at_last, counts, ImageSelection(rotations=rotations))
    table = pd.DataFrame(sensitivity_of_pair(job, *map(last, sides), images))
    return table.set_index(["set", "images", "quantity"])["value"]


def test_the_columns_of_sensitivity_are_those_declared(sides, images):
    job = PairSensitivity(replace(COMPARISON, steps=STEPS[-1:]), (20,), ALL)
    rows = sensitivity_of_pair(job, *map(last, sides), dict.fromkeys(DATA_PARTS, images))
    table = typed_table(rows, COLUMN_TYPES)
    assert list(table["set"].unique()) == list(DATA_PARTS)
    assert (table.dtypes == typed_table([], COLUMN_TYPES).dtypes).all()


def test_2000_test_images_give_the_pair_tables_cka(mnist_folder, sides):
    """So the table of sensitivity contains the number of the main results."""
    largest = load_images(mnist_folder, "test", selection("test", 2200, ALL))
    probe = load_images(mnist_folder, "test", ImageSelection(examples_per_class=200))
    values = sensitivity(sides, {"test": largest}, (2000, 2200))
    seen = ComparisonImages(subset(probe, 50), {}, probe)
    *_, row = compare_pair(replace(COMPARISON, parts={}), *sides, seen, CPU)
    for quantity in ("h_repr", *(f"cka_{layer}" for layer in LAYERS)):
        assert values["test", 2000, quantity] == pytest.approx(row[quantity], abs=1e-9)
    assert values["test", 2200, "h_repr"] != values["test", 2000, "h_repr"]


def test_debiased_values_are_those_of_the_measure(sides, images):
    values = sensitivity(sides, {"test": images}, (70,))
    one, other = (
        features_of(
            network_with(side.run.network, side.checkpoints[-1].weights),
            CONVOLUTIONAL,
            images.images,
            LAYERS,
        )
        for side in sides
    )
    for layer in LAYERS:
        debiased = debiased_linear_cka(one[layer], other[layer])
        found = values["test", 70, f"debiased_cka_{layer}"]
        assert found == pytest.approx(debiased, abs=1e-9)


def test_fewer_images_are_the_first_of_each_class_also_among_the_whole_test_set(mnist_folder):
    whole = load_images(mnist_folder, "test", selection("test", 10_000, ALL))
    probe = load_images(mnist_folder, "test", selection("test", 2000, ALL))
    rows = rows_among(whole, selection("test", 2000, ALL))
    assert torch.equal(whole.images[rows], probe.images)


def test_fewer_images_are_among_more_in_every_rotation(sides, images):
    """Of two rotations both halves are cut; here the second half repeats the first."""
    turned = LabelledImages(
        images.images.repeat(2, 1, 1, 1), images.labels.repeat(2), images.rotations.repeat(2)
    )
    once = sensitivity(sides, {"train": images}, (40,))
    twice = sensitivity(sides, {"train": turned}, (40,), (0, 90))
    plain = [name for name in once.index if not name[2].startswith("debiased")]
    assert once[plain].to_dict() == pytest.approx(twice[plain].to_dict(), abs=1e-9)


def test_the_whole_test_set_is_all_of_it_and_other_sizes_have_as_many_of_each_digit(mnist_folder):
    labels = load_images(mnist_folder, "test", selection("test", 10_000, ALL)).labels
    assert len(labels) == 10_000 and int(torch.bincount(labels).min()) == 892
    for name, count in (("test", 8920), ("train", 10_000), ("train", 200)):
        found = torch.bincount(load_images(mnist_folder, name, selection(name, count, ALL)).labels)
        assert found.tolist() == [count // 10] * 10


def test_debiasing_matters_most_for_few_images(sides, images):
    values = sensitivity(sides, {"test": images}, (20, 70))
    gaps = [
        abs(values["test", count, "h_repr"] - values["test", count, "debiased_h_repr"])
        for count in (20, 70)
    ]
    assert gaps[0] > gaps[1] and not math.isnan(gaps[1])
