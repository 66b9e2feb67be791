"""The configuration is closed, says what is wrong in one line, and describes the paper."""

import copy
import re
import tomllib

import pytest
import yaml

from hysteresis.config import configuration_from
from hysteresis.errors import UserError
from hysteresis.specification import Run, from_json, to_json
from tests.conftest import ROOT

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


def test_a_stage_is_told_nothing_it_does_not_depend_on():
    """A new seed, task, later phase or analysis setting leaves the first phase's JSON as it is."""
    changed = paper_with(
        {
            "protocols": {"class_split": {"D": {"digits": [1]}}},
            "histories": {
                "ABC": {"phases": [{"task": "A", "epochs": 10}, {"task": "B", "epochs": 1}]}
            },
            "conditions": {"main": {"optimizer_state_at_relaxation": "preserve"}},
            "experiments": {"main": {"seeds": [101, 7], "checkpoints": [0, 3]}},
            "analysis": {"probe_images_per_digit": 10},
        }
    )  # fmt: skip
    told = [to_json(each.run("main", "ABC", 101, phases=1)) for each in (paper_with({}), changed)]
    assert told[0] == told[1]
    later = [to_json(each.run("main", "ABC", 101)) for each in (paper_with({}), changed)]
    assert later[0] != later[1]


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
        ({"paper": {"main": "mian"}}, "paper: main: 'mian' is not defined"),
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
