"""The configuration is closed, says what is wrong in one line, and describes the paper."""

import re
import tomllib
from dataclasses import replace

import pytest
import yaml

from hysteresis import cli
from hysteresis.config.loading import configuration_from
from hysteresis.config.reading import laid_over, read_mapping
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import from_json, to_json
from hysteresis.jobs.probe import PairProbe
from hysteresis.jobs.run import Run
from tests.conftest import ROOT
from tests.lowest_versions import lower_bounds

WITHOUT_CONTROLS = {"controls": None, "measures": None, "sensitivity": None}
SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
PAPER = yaml.safe_load((ROOT / "config/config.yaml").read_text())


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
    paper = paper_with(WITHOUT_CONTROLS | {"experiments": {"rotated": {"seeds": [1]}}})
    assert paper.controls is None and "reshuffled_abc" not in paper.experiments
    smaller = paper_with({"controls": {"nulls": ["identical"], "experiments": {"halves": None}}})
    assert "halves" not in smaller.experiments and "halves_12" in smaller.histories


def test_control_experiments_that_no_list_names_are_left_out():
    paper = paper_with({"controls": {"nulls": ["identical"]}})
    assert {"identical", "crossed_both"} <= set(paper.controls.experiments) < {*paper.experiments}
    assert "untrained" not in paper.experiments


def test_control_experiments_have_the_seeds_and_checkpoints_of_the_observed_one():
    paper = paper_with({"experiments": {"main": {"seeds": [7, 3], "checkpoints": [0, 10_000]}}})
    for name in (*paper.controls.floors, *paper.controls.crossed):
        assert paper.experiments[name].seeds == (7, 3)
        assert paper.experiments[name].checkpoints == (0, 10_000)
    nulls = [paper.experiments[name] for name in ("halves", "untrained")]
    assert [null.seeds for null in nulls] == [(101, 202, 303, 404, 505)] * 2
    assert [null.checkpoints for null in nulls] == [(0, 10_000), (0,)]


def test_a_replay_has_the_phases_and_seeds_of_what_it_replays():
    paper = paper_with({"histories": {"again": {"replays": "ABC_reshuffled"}}})
    first, second = (
        replace(paper.run("main", history, 101, relaxation=True), history="")
        for history in ("again", "ABC_reshuffled")
    )
    assert first == second and first.phases[0].stream_seed == 1_000_101


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
            **WITHOUT_CONTROLS,
        }
    )  # fmt: skip
    told = [to_json(each.run("main", "ABC", 101, phases=1)) for each in (paper_with({}), changed)]
    assert told[0] == told[1]
    later = [to_json(each.run("main", "ABC", 101)) for each in (paper_with({}), changed)]
    assert later[0] != later[1]


def test_the_papers_probes_are_the_protocols():
    paper = paper_with({})
    main = paper.probes["main"]
    assert (main.experiment, main.layer, main.checkpoint, main.equivalence_margin) == (
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
    assert (conv2, matched) == (main, replace(main, checkpoint=None, at_match=True))


def test_a_probe_is_told_the_checkpoints_it_needs_and_no_analysis_setting():
    changed = paper_with(
        {
            "experiments": {"main": {"checkpoints": [0, 500, 10_000, 20_000]}},
            "analysis": {"match": {"max_accuracy_gap": 0.5}},
            "probes": {"main": {"equivalence_margin": 0.5}},
            **WITHOUT_CONTROLS,
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
        ({"experiments": {"main": {"checkpoints": [100, 0]}}}, "checkpoints: must begin with 0"),
        ({"experiments": {"main": {"changes": [7]}}}, "changes: 7 is not defined; there are: 0"),
        (
            {"contrasts": {"x": {"minuend": "main", "subtrahend": "rotated"}}},
            "contrasts: x: its two experiments must have the same seeds",
        ),
        (
            {"histories": {"ABC": {"phases": [{"task": "D", "epochs": 1}]}}},
            "histories: ABC: task .*'D' is not defined; there are: A, B, C",
        ),
        ({"histories": {"ABC": {"phases": [{"task": "A"}]}}}, "phases: 0: needs exactly one of "),
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
        ({"pathvars": {"results": "my results; rm -r /"}}, "pathvars: results: .*only letters"),
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
            {"conditions": {"main": {"network": {"architecture": "transformer"}}}},
            "conditions: main: network: architecture: 'transformer' is not defined; there are: c",
        ),
        ({"probes": {"main": {"at_match": True}}}, "main: needs exactly one of .* at_match"),
        ({"probes": {"main": {"checkpoint": None}}}, "main: needs exactly one of .* at_match"),
        ({"probes": {"main": {"head": {"lr": 1}}}}, "probes: main: head: .*'lr'"),
        (
            {"probes": {"main": {"budgets": [
                {"images_per_class": size, "head_seeds": [7]} for size in (50, 25)
            ]}}},
            "probes: main: budgets: images_per_class: must ascend, not 50, 25",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_that_says_where_and_what(changes, message):
    with pytest.raises(UserError, match=message) as caught:
        paper_with(changes)
    assert "\n" not in str(caught.value)


def experiment(**changes):
    return {"condition": "main", "pair": ["ABC", "BAC"], "seeds": [1], "checkpoints": [0]} | changes


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        # Numbers.
        (
            {"conditions": {"main": {"optimizer": {"learning_rate": float("nan")}}}},
            "conditions: main: optimizer: learning_rate: nan is no finite number",
        ),
        (
            {"conditions": {"main": {"optimizer": {"learning_rate": 1e300}}}},
            "learning_rate: 1e.300 is greater than the maximum of 1000",
        ),
        (
            {"histories": {"ABC_perturbed": {"weights_perturbation": float("inf")}}},
            "histories: ABC_perturbed: weights_perturbation: inf is no finite number",
        ),
        (
            {"analysis": {"match": {"max_accuracy_gap": float("nan")}}},
            "analysis: match: max_accuracy_gap: nan is no finite number",
        ),
        (
            {"histories": {"ABC_perturbed": {"weights_perturbation": "1e-6"}}},
            "weights_perturbation: 1e-6 is read as text; write the number with a point",
        ),
        # Lists.
        (
            {"experiments": {"long_horizon": {"changes": [25_000, 10_000]}}},
            "experiments: long_horizon: changes: must ascend, not 25000, 10000",
        ),
        (
            {"experiments": {"main": {"checkpoints": [0, 10_000, 100]}}},
            "experiments: main: checkpoints: must ascend, not 0, 10000, 100",
        ),
        ({"experiments": {"main": {"checkpoints": [0, 100, 100]}}}, "checkpoints: .*non-unique"),
        ({"measures": {"steps": [10_000, 0]}}, "measures: steps: must ascend, not 10000, 0"),
        ({"sensitivity": {"images": [500, 200]}}, "sensitivity: images: must ascend"),
        # Images.
        (
            {"protocols": {"class_split": {"A": {
                "classes": [3], "examples_per_class": 1, "share": [1, 2],
            }}}},
            "protocols: class_split: A: has no images",
        ),
        (
            {"protocols": {"class_split": {"C": {"examples_per_class": 6_000}}}},
            "C: examples_per_class: mnist has only 5923 training images of class 0",
        ),
        (
            {"protocols": {"rotated": {"B": {"rotations": [180]}}}},
            r"analysis: parts \(protocol rotated\): B has a rotation of 180 degrees, which .* C ",
        ),
        ({"analysis": {"probe_images_per_class": 1}}, "probe_images_per_class: 1 is less than"),
        (
            {"analysis": {"probe_images_per_class": 893}},
            "analysis: probe_images_per_class: 893 is too many: of one class mnist has only 892",
        ),
        (
            {"probes": {"main": {"budgets": [{"images_per_class": 5_422, "head_seeds": [7]}]}}},
            "probes: main: budgets: images_per_class: 5422 is too many: .* only 5421 train images",
        ),
        # Names.
        ({"experiments": {"MAIN": experiment()}}, "experiments: main and MAIN differ in case only"),
        ({"histories": {"abc": {"replays": "ABC"}}}, "histories: ABC and abc differ in case only"),
        (
            {"protocols": {"class_split": {"c": {}}}},
            "protocols: class_split: C and c differ in case only",
        ),
        (
            {
                "histories": {"Difference": {"phases": [{"task": "AB", "epochs": 1}]}},
                "experiments": {"x": experiment(pair=["ABC", "Difference"])},
            },
            "x: pair: .* ABC, Difference .* two columns 'correct_difference'; rename one",
        ),
        (
            {
                "histories": {"a_part_ABC": {"phases": [{"task": "AB", "epochs": 1}]}},
                "experiments": {"x": experiment(pair=["ABC", "a_part_ABC"])},
            },
            "two columns 'correct_a_part_abc'; rename one",
        ),
        ({"experiments": {"x\n": experiment()}}, r"experiments: 'x\\n' does not match"),
        ({"experiments": {False: experiment()}}, "experiments: the key no, off or false is re"),
        ({"experiments": {101: experiment()}}, "experiments: the key 101 is read as no text"),
        (
            {"experiments": {"main": {"pair": [False, "ABC"]}}},
            "experiments: main: pair: 0: no, off or false is read as no text; quote the name",
        ),
        # Paths.
        ({"pathvars": {"results": "-x"}}, "pathvars: results: '-x' may not begin with -"),
        ({"pathvars": {"results": "a\n"}}, r"pathvars: results: 'a\\n' may hold only letters"),
        ({"pathvars": {"data": "a/../b"}}, r"pathvars: data: 'a/\.\./b' may not .* hold"),
        ({"pathvars": {"results": "results/"}}, "'results/' may not .* end with /"),
        ({"data": {"idx_folder": "a\nb"}}, "data: idx_folder: .* is no folder's name"),
        # What belongs together.
        ({"controls": None}, "measures: is made of the pairs of controls, which is null; set meas"),
        (
            {"controls": None, "measures": None},
            "sensitivity: is made of the pairs of controls, which is null",
        ),
        ({"controls": {"observed": "mian"}}, "controls: observed: 'mian' is not defined"),
        ({"controls": {"nulls": ["mian"]}}, "controls: 'mian' is not defined"),
        (
            {"histories": {"BAC": {"relaxation": {"task": "AB"}}}},
            "experiments: main: pair: ABC, BAC have different common tasks, C and AB",
        ),
        ({"histories": {"x": {"replays": "CBA"}}}, "histories: x: replays: 'CBA' is not defined"),
        ({"histories": {"x": {"replays": "ABC_replayed"}}}, "x: replays: ABC_replayed is itself a"),
        (
            {"histories": {"x": {"replays": "ABC", "weights_seed_offset": 1}}},
            "histories: x: replays: a replay has no other keys",
        ),
        (
            {"histories": {"ABC_replayed": {"phases": []}}},
            "histories: ABC_replayed: needs exactly one of the keys phases, replays",
        ),
        # Seeds.
        ({"experiments": {"rotated": {"seeds": [2**70]}}}, "rotated: seeds: 0: .* is greater than"),
        (
            {"experiments": {"main": {"seeds": [2**32 - 1]}}},
            "seed 4294967295 plus the offset 1000000 of history ABC_reshuffled is above 4294967295",
        ),
        ({"probes": {"main": {"budgets": [{"images_per_class": 1, "head_seeds": [2**32 - 1]}]}}},
            "probes: main: budgets: head seed 4294967295 and the last epoch make 4294967315"),
        (
            {"experiments": {"main": {"seeds": [101, 1_000_101]}}},
            "ABC of seed 1000101 and .* of seed 101 share the seed 1000101 of their",
        ),
        (
            {
                "histories": {"copied": {
                    "phases": [{"task": "A", "updates": 2400}, {"task": "B", "epochs": 10}],
                }},
                "experiments": {"x": experiment(pair=["BAC", "copied"], seeds=[101])},
            },
            "ABC of seed 101 and copied of seed 101 of condition main are the same network; .*"
            "copied: {replays: ABC}",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_before_any_job_in_one_line(changes, message):
    with pytest.raises(UserError, match=message) as caught:
        paper_with(changes)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: 1\nb: {c: 1,\n  c: 2}\n", "line 3: c stands in line 2 already; keep one"),
        (b"a: 1\nb: [1\nc: 2\n", "line 3: no YAML: "),
        (b"\x89PNG\r\n", "is no text in UTF-8"),
        (b"a: \x00\n", "holds characters that no YAML may"),
        (b"- a\n", "has no keys"),
        (b"", "has no keys"),
        (None, "no such file or directory; name a configuration file"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_its_line(tmp_path, content, message):
    file = tmp_path / "mine.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(UserError, match=f"{re.escape(str(file))}: {message}") as caught:
        read_mapping(file)
    assert "\n" not in str(caught.value)


def test_a_merged_key_may_be_overridden(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("a: &a {x: 1, y: 1}\nb: &b {<<: *a, x: 2}\nc: {<<: *b, x: 3}\n")
    assert read_mapping(file)["c"] == {"x": 3, "y": 1}


def test_the_verb_check_says_what_is_configured_or_where_it_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert cli.main(["check", "config/quick.yaml"]) == 0
    assert capsys.readouterr().out == (
        "12 experiments, 24 runs, 4,320 updates of training; nothing is wrong\n"
    )
    mine = tmp_path / "mine.yaml"
    mine.write_text("experiments:\n  main: {seeds: [1]\n")
    assert cli.main(["check", str(mine)]) == 2
    assert f"{mine}: line 3: no YAML" in capsys.readouterr().err
    mine.write_text("experiments: {main: {seeds: [-1]}}\n")
    assert cli.main(["check", "config/quick.yaml", str(mine)]) == 2
    assert "configuration: experiments: main: seeds: 0: -1 is less" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert cli.main(["check"]) == 2
    assert "config/config.yaml: no such file here; run" in capsys.readouterr().err


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
