"""Each example of docs/extending.md is run as it stands there."""

import re
import sys
from dataclasses import replace
from types import ModuleType

import pytest
import torch
import yaml

from hysteresis.data.images import LabelledImages
from hysteresis.errors import UserError
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.run import InitialWeights
from hysteresis.measures.registry import MEASURES, Measure
from hysteresis.pairs.columns import typed_table
from hysteresis.pairs.compare import columns_of_comparison, compare_pair
from hysteresis.plan import figures, paths
from hysteresis.training import layers
from hysteresis.training.checkpoints import Checkpoint, Header, weights_sha256
from hysteresis.training.network import initial_weights, network_with
from hysteresis.training.segment import train_segment
from tests import test_figures, test_measures
from tests.conftest import ROOT
from tests.test_config import paper_with
from tests.test_pairs import CPU, ComparisonImages, side_of

PAGE = (ROOT / "docs/extending.md").read_text()


def examples(heading: str, language: str) -> list[str]:
    """The code of one language under a heading, in order."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```", section, flags=re.MULTILINE | re.DOTALL)


def module_of(code: str, name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """What the package would import under this name, if it had a file with this code."""
    module = ModuleType(name)
    exec(code, module.__dict__)
    monkeypatch.setitem(sys.modules, name, module)
    return module


def test_every_example_is_in_a_language_that_is_run_here():
    assert set(re.findall(r"^```(\w+)", PAGE, flags=re.MULTILINE)) == {"yaml", "python"}


# ---- a null control --------------------------------------------------------------------------


def test_a_null_control_needs_the_configuration_alone():
    (changes,) = map(yaml.safe_load, examples("A null control", "yaml"))
    configuration = paper_with(changes)
    assert configuration.controls.nulls == ("identical", "perturbed", "nudged")
    nudged, main = (configuration.experiments[name] for name in ("nudged", "main"))
    assert nudged.checkpoints == main.checkpoints and nudged.seeds == (101, 202, 303)
    assert "halves" not in configuration.experiments  # no list names it any more
    run = configuration.run("main", "ABC_nudged", 101)
    assert run.weights == InitialWeights(101, 1e-4)


# ---- an architecture -------------------------------------------------------------------------


@pytest.fixture
def dense(monkeypatch):
    """The configuration with the new architecture."""
    module, declaration = examples("An architecture", "python")
    module_of(module, "hysteresis.training.networks.dense", monkeypatch)
    monkeypatch.setattr(layers, "ARCHITECTURES", dict(layers.ARCHITECTURES))
    exec(declaration, dict(vars(layers)))
    monkeypatch.setattr("hysteresis.config.checks.ARCHITECTURES", layers.ARCHITECTURES)
    (changes,) = map(yaml.safe_load, examples("An architecture", "yaml"))
    return changes


def test_an_architecture_needs_its_module_its_declaration_and_the_configuration(dense):
    configuration = paper_with(dense)
    comparison = configuration.comparison("dense", 101)
    run = comparison.first
    assert run.modules == ("hysteresis.training.networks.dense", "hysteresis.data.sets.mnist")
    network = network_with(run.network, initial_weights(run.network, run.weights))
    activations = network.activations(torch.zeros(2, *run.network.image_shape))
    assert tuple(activations) == layers.architecture_named("dense").names


def test_it_is_compared_by_its_own_layers(dense):
    comparison = paper_with(dense).comparison("dense", 101)
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(40) % 10
    pixels = torch.randn(40, 1, 28, 28, generator=generator)
    shown = LabelledImages(pixels, labels, torch.zeros_like(labels))
    masks = {"A": labels < 5, "B": labels >= 5}
    runs = (comparison.first, comparison.second)
    two_steps = replace(comparison, steps=(0, 5))
    rows = compare_pair(
        two_steps, *(side_of(run, 0.05) for run in runs), ComparisonImages(shown, masks, shown), CPU
    )
    table = typed_table(rows, columns_of_comparison(two_steps).dtypes)
    assert (table["h_repr"] == 1 - table["cka_fc1"]).all()
    assert "dead_ratio_fc1_abc" in table and "cka_conv2" not in table


def test_its_layers_are_the_choices_of_a_probe(dense):
    probe = {"experiment": "dense", "layer": "conv2", "checkpoint": 100}
    changes = dense | {"probes": {"dense": probe | {"budgets": [
        {"images_per_class": 5, "head_seeds": [7]}
    ]}}}  # fmt: skip
    with pytest.raises(UserError, match=r"dense: layer: 'conv2' is not defined; there are: fc1$"):
        paper_with(changes)


def test_it_is_trained_as_any_other(dense, monkeypatch):
    # There is no file to take the digest of.
    monkeypatch.setattr("hysteresis.training.segment.code_digest", lambda *modules: "code")
    run = paper_with(dense).run("dense", "ABC", 101, phases=1)
    run = replace(run, phases=(replace(run.phases[0], epochs=None, updates=3),))
    weights = initial_weights(run.network, run.weights)
    before = replace(run, phases=(), optimizer=None)
    start = Checkpoint(Header(before, 0, weights_sha256(weights)), weights, {})
    generator = torch.Generator().manual_seed(0)
    labels = torch.arange(256) % 5
    pixels = torch.randn(256, 1, 28, 28, generator=generator)
    images = LabelledImages(pixels, labels, torch.zeros_like(labels))
    after = train_segment(run, start, images, None, Compute("cpu"))
    assert all(not torch.equal(after.weights[name], weights[name]) for name in weights)


# ---- a data set ------------------------------------------------------------------------------


def test_a_data_set_needs_its_module_and_the_configuration(monkeypatch):
    (module,) = examples("A data set", "python")
    module_of(module, "hysteresis.data.sets.shapes", monkeypatch)
    (changes,) = map(yaml.safe_load, examples("A data set", "yaml"))
    configuration = paper_with(changes | {"analysis": {"probe_images_per_class": 100}})
    comparison = configuration.comparison("shapes", 101)
    network = comparison.first.network
    assert (network.image_shape, network.classes) == ((1, 12, 12), 3)
    assert comparison.test.classes == (0, 1, 2) and comparison.probe.data_set == "shapes"
    assert comparison.first.data_sets == ("shapes",)
    assert configuration.data_sets == ("mnist", "shapes")
    assert len(paths.data_files("shapes")) == 4
    assert configuration.phase_updates("shapes", "ABC", 2) == 10 * 8  # 1,000 images of B


def test_a_protocol_has_one_data_set(monkeypatch):
    (module,) = examples("A data set", "python")
    module_of(module, "hysteresis.data.sets.shapes", monkeypatch)
    mixed = {"protocols": {"class_split": {"A": {"data_set": "shapes", "classes": [0]}}}}
    with pytest.raises(UserError, match="class_split: its tasks are of mnist, shapes, but"):
        paper_with(mixed)


# ---- a measure -------------------------------------------------------------------------------


def test_a_measure_needs_its_module_and_one_entry(monkeypatch):
    module, entry = examples("A measure", "python")
    own = module_of(module, "hysteresis.measures.bures", monkeypatch)
    measure = eval(entry, {"Measure": Measure, **vars(own)})
    monkeypatch.setitem(MEASURES, measure.name, measure)
    assert measure.name in paper_with({}).pair_measures("main", 101).measures
    test_measures.test_unchanged_by_rotation_scale_shift_and_joint_order(measure, 0, 7, 11)
    test_measures.test_symmetric(measure, 0)
    test_measures.test_identical_and_rotated_representations_reach_the_declared_value(
        measure, 7, 11
    )
    test_measures.test_direction_is_as_declared(measure)


# ---- a figure --------------------------------------------------------------------------------


def test_a_figure_needs_its_module_and_one_row(monkeypatch):
    module, row = examples("A figure", "python")
    own = module_of(module, "hysteresis.figures.figure9", monkeypatch)
    monkeypatch.setattr(figures, "FIGURES", dict(figures.FIGURES))
    exec(row, dict(vars(figures)))
    configuration = paper_with({})
    assert "figure9" in figures.figures_of(configuration, "paper")
    assert len(figures.figure_inputs(configuration, "figure9")) == 20 + 1  # pairs and statistics
    inputs = test_figures.inputs_of(2, 3, test_figures.QUICK_STEPS)
    figure = test_figures.drawn(own.draw(inputs))
    rows = test_figures.rows_of(inputs, "checkpoint", "accuracy_gap")
    (axes,) = figure.axes
    _, heights = test_figures.heavy_line(axes)
    assert list(heights) == list(rows["mean"])
