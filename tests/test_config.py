"""The configuration is closed, says what is wrong in one line, and describes the paper."""

import copy
import re
import tomllib
from dataclasses import replace

import pytest
import yaml

from hysteresis.config.loading import configuration_from
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import from_json, to_json
from hysteresis.jobs.probe import PairProbe
from hysteresis.jobs.run import Run
from tests.conftest import ROOT
from tests.lowest_versions import lower_bounds

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text())


def laid_over(base, changes):
    """As Snakemake lays one configuration file over another."""
    merged = copy.deepcopy(base)
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = laid_over(merged[key], value) if both else value
    return merged


def paper_with(changes):
    return configuration_from(laid_over(PAPER, changes), SCHEMA)


@pytest.mark.parametrize("file", sorted((ROOT / "config").glob("*.yaml")), ids=lambda f: f.name)
def test_every_file_in_config_is_valid_laid_over_the_papers(file):
    assert paper_with(yaml.safe_load(file.read_text())).experiments


def test_the_paper_is_the_protocols_table_of_conditions():
    paper = paper_with({})
    first_five = (101, 202, 303, 404, 505)
    assert paper.experiments["main"].seeds == tuple(range(101, 2021, 101))
    for name in ("long_horizon", "activation_relu", "activation_leaky_relu"):
        assert paper.experiments[name].seeds == first_five
        assert paper.experiments[name].checkpoints[-2:] == (25_000, 50_000)
    assert paper.experiments["rotated"].seeds == first_five
    assert paper.conditions["leaky_relu_004"].optimizer.learning_rate == 0.04
    assert paper.conditions["leaky_relu_004"].network.negative_slope == 0.01
    optimizer = paper.conditions["main"].optimizer
    assert (optimizer.learning_rate, optimizer.momentum, optimizer.weight_decay) == (0.05, 0.9, 0)
    assert [paper.phase_updates("main", "ABC", phase) for phase in (1, 2)] == [2400, 2300]
    assert [paper.phase_updates("rotated", "BAC", phase) for phase in (1, 2)] == [4690, 4690]


def test_the_long_horizon_carries_the_main_runs_on():
    paper = paper_with({})
    assert paper.step_before("main", 25_000) == 10_000
    long, main = paper.comparison("long_horizon", 101), paper.comparison("main", 101)
    assert (long.first, long.second) == (main.first, main.second)


def test_controls_can_be_left_out_and_entries_taken_out_by_null():
    paper = paper_with({"controls": None, "experiments": {"rotated": {"seeds": [1]}}})
    assert paper.controls is None and "reshuffled_abc" not in paper.experiments
    fewer = {"nulls": ["identical"], "experiments": {"halves": None}}
    smaller = paper_with({"controls": fewer})
    assert "halves" not in smaller.experiments and "halves_12" in smaller.histories


def test_the_paper_and_its_controls_share_runs():
    """Updates: of the paper alone, and what the controls add to it."""
    paper = paper_with({})
    assert paper.total_updates(paper.paper_experiments) == 2_334_600
    assert paper.total_updates(paper.experiments) == 3_438_050


def test_a_stage_is_told_nothing_it_does_not_depend_on():
    """A new seed, task, later phase or analysis setting leaves the first phase's JSON as it is."""
    changed = paper_with(
        {
            "protocols": {"class_split": {"D": {"classes": [1]}}},
            "histories": {
                "ABC": {"phases": [{"task": "A", "epochs": 10}, {"task": "B", "epochs": 1}]}
            },
            "conditions": {"main": {"optimizer_state_at_relaxation": "preserve"}},
            "experiments": {"main": {"seeds": [101, 7], "checkpoints": [0, 3, 10_000]}},
            "analysis": {"probe_images_per_class": 10},
            "controls": None,
        }
    )  # fmt: skip
    told = [to_json(each.run("main", "ABC", 101, phases=1)) for each in (paper_with({}), changed)]
    assert told[0] == told[1]
    later = [to_json(each.run("main", "ABC", 101)) for each in (paper_with({}), changed)]
    assert later[0] != later[1]


def test_the_papers_probes_are_the_protocols():
    paper = paper_with({})
    main = paper.probes["main"]
    assert (main.experiment, main.layer, main.step, main.equivalence_margin) == (
        "main", "fc1", 10_000, 0.005,
    )  # fmt: skip
    assert (main.head.learning_rate, main.head.batch_size, main.head.epochs) == (0.01, 128, 20)
    heads = {budget.images_per_class: budget.head_seeds for budget in main.budgets}
    assert heads == {
        25: (777,), 50: (777, 1777, 2777, 3777, 4777), 100: (777,), 500: (777,),
    }  # fmt: skip
    conv2, matched = (
        replace(paper.probes[name], layer="fc1") for name in paper.paper.secondary_probes
    )
    assert (conv2, matched) == (main, replace(main, checkpoint="matched"))


def test_a_probe_is_told_the_checkpoints_it_needs_and_no_analysis_setting():
    changed = paper_with(
        {
            "experiments": {"main": {"checkpoints": [0, 500, 10_000, 20_000]}},
            "analysis": {"match": {"max_accuracy_gap": 0.5}},
            "probes": {"main": {"equivalence_margin": 0.5}},
            "controls": None,
        }
    )
    paper = paper_with({})
    told = paper.pair_probe("main", 101)
    assert told == changed.pair_probe("main", 101)
    assert from_json(to_json(told), PairProbe) == told
    assert (told.pair.steps, told.at_match) == ((10_000,), False)
    assert (told.train.examples_per_class, told.test.examples_per_class) == (500, 200)
    matched = paper.pair_probe("main_matched", 101)
    assert (matched.pair.steps, matched.at_match) == (paper.experiments["main"].checkpoints, True)
    turned = paper_with({"probes": {"turned": PAPER["probes"]["main"] | {"experiment": "rotated"}}})
    assert turned.pair_probe("turned", 202).train.rotations == (0, 90)


def test_a_specification_survives_json_and_refuses_unknown_keys():
    run = paper_with({}).run("rotated", "BAC", 404, relaxation=True)
    assert from_json(to_json(run), Run) == run
    with pytest.raises(UserError, match="learning_rat"):
        from_json(to_json(run).replace("learning_rate", "learning_rat"), Run)
    with pytest.raises(UserError, match="not JSON"):
        from_json("{", Run)


def test_seeds_of_weights_and_streams_can_be_offset():
    history = {
        "weights_seed_offset": 1,
        "phases": [{"task": "A", "epochs": 1, "stream_seed_offset": 10}],
        "relaxation": {"stream_seed_offset": 100},
    }
    run = paper_with({"histories": {"other": history}}).run("main", "other", 5, relaxation=True)
    assert (run.weights.seed, run.phases[0].stream_seed, run.relaxation.stream_seed) == (6, 15, 105)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"experimnets": {}}, "top level: .*experimnets"),
        ({"conditions": {"main": {"optimizer": {"lr": 1}}}}, "conditions: main: optimizer: .*'lr'"),
        ({"conditions": {"main": {"network": {"activation": "gelu"}}}}, "activation: 'gelu' is"),
        ({"conditions": {"main": {"protocol": "split"}}}, "'split' is not defined; there are: cla"),
        (
            {"protocols": {"class_split": {"A": {"share": [2, 2]}}}},
            "protocols: class_split: A: share: index 2 must be below 2",
        ),
        ({"experiments": {"main": {"pair": ["ABC", "CBA"]}}}, "pair: 'CBA' is not defined"),
        ({"experiments": {"main": {"seeds": [1, 1]}}}, "experiments: main: seeds: .*non-unique"),
        ({"experiments": {"main": {"seeds": ["5"]}}}, "seeds: 0: '5' is not of type 'integer'"),
        ({"experiments": {"main": {"checkpoints": [100, 0]}}}, "checkpoints must ascend from 0"),
        ({"experiments": {"main": {"changes": [7]}}}, "changes: 7 is not defined; there are: 0"),
        ({"contrasts": {"main": {"minuend": "main", "subtrahend": "main"}}}, "has this name"),
        (
            {"contrasts": {"x": {"minuend": "main", "subtrahend": "rotated"}}},
            "contrasts: x: its two experiments must have the same seeds",
        ),
        (
            {"histories": {"ABC": {"phases": [{"task": "D", "epochs": 1}]}}},
            "histories: ABC: task .*'D' is not defined; there are: A, B, C",
        ),
        ({"histories": {"ABC": {"phases": [{"task": "A"}]}}}, "histories: ABC: phases: 0"),
        (
            {"controls": {"experiments": {"main": PAPER["experiments"]["main"]}}},
            "controls: experiments: main: an experiment has this name",
        ),
        ({"controls": {"crossed": ["crossed_abc"]}}, "controls: crossed: .*is too short"),
        (
            {"controls": {"floors": ["rotated", "rotated"]}},
            "must have the seeds and checkpoints of main",
        ),
        (
            {"controls": {"floors": ["reshuffled_bac", "reshuffled_abc"]}},
            "must be the pairs ABC, BAC_reshuffled; BAC, ABC_reshuffled",
        ),
        ({"pathvars": {"results": "my results; rm -r /"}}, "pathvars: results: .*does not match"),
        ({"paper": {"main": "mian"}}, "paper: main: 'mian' is not defined"),
        ({"paper": {"probe": "mian"}}, "paper: probe: 'mian' is not defined; there are: main, "),
        ({"paper": {"secondary_probes": ["mian"]}}, "paper: secondary_probes: 'mian' is not"),
        ({"probes": {"main": {"experiment": "mian"}}}, "probes: main: experiment: 'mian' is not"),
        ({"probes": {"main": {"checkpoint": 7}}}, "probes: main: checkpoint: 7 is not defined"),
        ({"probes": {"main": {"checkpoint": "best"}}}, "probes: main: checkpoint: "),
        (
            {"probes": {"main": {"layer": "logits"}}},
            "probes: main: layer: 'logits' is not defined; there are: conv1, conv2, fc1",
        ),
        (
            {"measures": {"layers": ["fc1", "conv3"]}},
            "measures: layers: 'conv3' is not defined; there are: conv1, conv2, conv2_maps, fc1",
        ),
        (
            {"histories": {"difference": PAPER["histories"]["ABC"]},
             "experiments": {"main": {"pair": ["ABC", "difference"]}}},
            "experiments: main: pair: .* two columns 'correct_difference'; rename one",
        ),
        ({"probes": {"main": {"head": {"lr": 1}}}}, "probes: main: head: .*'lr'"),
        (
            {"probes": {"main": {"budgets": [
                {"images_per_class": size, "head_seeds": [7]} for size in (50, 25)
            ]}}},
            r"probes: main: budgets must ascend in images_per_class, not \[50, 25\]",
        ),
        (
            {"experiments": {"probes_main": PAPER["experiments"]["main"]}},
            "probes: main: an experiment or contrast is called probes_main",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_says_where_and_what(changes, message):
    with pytest.raises(UserError, match=message) as caught:
        paper_with(changes)
    assert "\n" not in str(caught.value)


def test_environment_yml_and_pyproject_name_the_same_packages_and_bounds():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["test"]
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    plain = [entry for entry in environment if isinstance(entry, str)]
    (by_pip,) = (entry["pip"] for entry in environment if isinstance(entry, dict))
    assert "--editable ." in by_pip and "pip" in plain
    assert f"python{project['requires-python']}" in plain
    conda = {re.sub("^pytorch>", "torch>", entry) for entry in plain + by_pip}
    assert conda - {"--editable .", "pip", f"python{project['requires-python']}"} == set(wanted)


def test_constraints_pin_every_package_that_the_project_names():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["test"]
    pins = re.findall(r"^([A-Za-z0-9_.-]+)==", (ROOT / "constraints.txt").read_text(), re.M)
    normal = {name.lower().replace("_", "-") for name in pins}
    assert {re.split("[>=]", entry)[0] for entry in wanted} <= normal


def test_every_dependency_has_a_lower_bound_that_can_be_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pinned = lower_bounds(project["dependencies"])
    assert "scipy==1.15" in pinned and len(pinned) == len(project["dependencies"])
    with pytest.raises(ValueError, match="scipy has no plain lower bound"):
        lower_bounds(["scipy"])
