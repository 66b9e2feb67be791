"""The workflow end to end on real MNIST: complete, idempotent, remade exactly where it must be."""

import re

import pandas as pd
import pytest
import yaml

from hysteresis.plan.figures import FIGURES
from hysteresis.provenance import tables
from hysteresis.provenance.kinds import Kind
from tests.project import TARGETS, Project

# Collected here, since all tests of one file run in one process: the workflow then runs only once.
from tests.storm import (  # noqa: F401
    jobs,
    test_damage_is_one_clear_line_that_names_the_file_or_changes_nothing,
    test_every_verb_that_reads_results_is_in_the_storm,
)

pytestmark = pytest.mark.slow


def test_every_table_and_figure_is_there(project):
    results = project.folder / "results"
    for figure in (*FIGURES, "published"):
        assert (results / f"figures/{figure}.pdf").read_bytes().startswith(b"%PDF")
        assert (results / f"figures/{figure}.png").read_bytes().startswith(b"\x89PNG")
    table = pd.read_csv(results / "tables/table2.csv")
    assert table["n"].tolist() == [2, 2, 1, 1, 1] and table["h_repr"].notna().all()
    beside = pd.read_csv(results / "tables/published.csv")
    assert set(beside["verdict"]) == {"not run"}  # the tiny protocol is not the published one
    assert "Not the published protocol" in (results / "tables/published.md").read_text()
    cost = pd.read_csv(results / "tables/cost.csv").set_index("kind")
    assert cost.loc["train_phase", "jobs"] == 24 and cost.loc["compare_pair", "jobs"] == 8


def test_a_pair_table_has_a_row_a_checkpoint_and_whole_counts(project):
    table = tables.read_table(
        project.folder / "results/pairs/long_horizon/seed101.parquet", Kind.PAIR
    )
    assert table["step"].tolist() == [0, 10, 20]
    assert (table["total"] == 10_000).all() and (table["total_a_part"] == 5_139).all()
    assert (table["correct_a_part_abc"] + table["correct_b_part_abc"] == table["correct_abc"]).all()
    rotated = tables.read_table(project.folder / "results/pairs/rotated/seed101.parquet", Kind.PAIR)
    assert (rotated["total"] == 20_000).all() and (rotated["probe_images"] == 4_000).all()


def test_a_probe_table_has_a_row_a_budget_head_epoch_and_history(project):
    results = project.folder / "results"
    table = tables.read_table(results / "probes/main/seed101.parquet", Kind.PROBE)
    heads = table[["images_per_class", "head_seed"]].drop_duplicates().to_numpy().tolist()
    assert heads == [[2, 777], [2, 1777], [4, 777]] and len(table) == 3 * 5 * 2
    assert (table["total"] == 2_000).all() and (table["total_a_part"] == 1_000).all()
    assert (table["correct_a_part"] + table["correct_b_part"] == table["correct"]).all()
    printed = pd.read_csv(results / "tables/table1.csv")
    assert printed["images_per_class"].tolist() == [2, 4] and set(printed["n"]) == {2}
    supplement = pd.read_csv(results / "tables/table1_supplement.csv")
    assert set(supplement["probe"]) == {"main", "main_conv2", "main_matched"}


def test_the_long_horizon_shares_the_files_of_the_main_runs(project):
    main, long = (
        tables.read_table(project.folder / f"results/pairs/{name}/seed101.parquet", Kind.PAIR)
        for name in ("main", "long_horizon")
    )
    same = main.drop(columns="experiment").equals(long.drop(columns="experiment").head(2))
    assert same and not (project.folder / "results/runs/long_horizon").exists()


def test_a_replayed_history_leaves_no_hysteresis_at_all(project):
    """Trained twice from the same specification: the noise of the whole chain is exactly 0."""
    table = tables.read_table(project.folder / "results/pairs/identical/seed101.parquet", Kind.PAIR)
    assert table["step"].tolist() == [0, 10]
    assert (table["h_repr"] == 0).all() and (table["normalized_weight_distance"] == 0).all()
    assert (table["disagreements"] == 0).all() and (table["correct_difference"] == 0).all()


def test_the_controls_partition_the_six_pairs_of_either_order(project):
    statistics = project.folder / "results/statistics/controls"
    partition = tables.read_table(statistics / "partition.parquet", Kind.PARTITION)
    assert len(partition) and set(partition["step"]) == {0, 10}
    levels = tables.read_table(statistics / "controls.parquet", Kind.CONTROLS)
    assert {"main", "crossed_both", "identical"} < set(levels["experiment"])
    assert len(pd.read_csv(project.folder / "results/tables/table3.csv"))


def test_a_second_run_has_nothing_to_do(project):
    assert project.planned(*TARGETS) == {}
    again = project.snakemake("--cores", "2", *TARGETS)
    assert "Nothing to be done" in again.stdout


def test_a_comment_or_docstring_remakes_nothing(unchanged):
    unchanged.edit("hysteresis/training/learner.py", '"""Plain SGD', '# A comment.\n"""Mere SGD')
    assert unchanged.planned("paper") == {}


PRINTED = {"write_table", "pool_cost"}
BESIDE_PUBLISHED = {"compare_published", "draw_published"}
PRINTED_BESIDE = {"write_table"} | BESIDE_PUBLISHED
ANALYSIS = {"summarise_experiment", "contrast_experiments", "summarise_probe"} | PRINTED
DRAWN = {"draw_figure"} | BESIDE_PUBLISHED
COMPARED = {"compare_pair", "probe_pair"} | ANALYSIS | DRAWN
PROBED = {"probe_pair", "summarise_probe"} | DRAWN | PRINTED
TRAINED = {"train_phase", "relax"} | COMPARED


@pytest.mark.parametrize(
    ("file", "old", "new", "remade"),
    [
        ("hysteresis/training/learner.py", "_CHECKS = 50", "_CHECKS = 40", TRAINED),
        ("hysteresis/data/streams.py", "dtype=torch.int64", "dtype=torch.int32", TRAINED),
        ("hysteresis/pairs/representations.py", "ABOVE = 1e-6", "ABOVE = 1e-5", COMPARED),
        (
            "hysteresis/statistics/paired.py",
            "SAMPLES = 10_000",
            "SAMPLES = 9_999",
            ANALYSIS | DRAWN,
        ),
        ("hysteresis/tables/printing.py", "POINTS = 100.0", "POINTS = 100.5", PRINTED_BESIDE),
        ("hysteresis/probes/heads.py", "summed = 0.0", "summed = 1.0", PROBED),
    ],
)
def test_a_changed_constant_remakes_exactly_the_stages_above_it(unchanged, file, old, new, remade):
    unchanged.edit(file, old, new)
    planned = unchanged.planned("paper")
    assert set(planned) == remade
    if "train_phase" in remade:
        assert (planned["train_phase"], planned["relax"]) == (24, 14)


def test_a_change_of_one_figures_code_redraws_that_figure_alone(unchanged):
    unchanged.edit(
        "hysteresis/figures/figure3.py", "@style.styled()", "UNUSED = 1\n\n\n@style.styled()"
    )
    assert unchanged.planned("paper") == {"draw_figure": 1}


def test_a_new_seed_trains_its_own_runs_and_no_others(unchanged):
    experiments = yaml.safe_load((unchanged.folder / "tiny.yaml").read_text())["experiments"]
    experiments["rotated"]["seeds"] = [101, 202]
    pathvars = yaml.safe_load((unchanged.folder / "tiny.yaml").read_text())["pathvars"]
    unchanged.configure(pathvars, experiments=experiments)
    planned = unchanged.planned("paper")
    assert {rule: planned[rule] for rule in ("initialise", "train_phase", "relax")} == {
        "initialise": 2, "train_phase": 4, "relax": 2,
    }  # fmt: skip
    assert planned["compare_pair"] == planned["summarise_experiment"] == 1


def test_touched_inputs_and_sources_retrain_nothing(project, mnist_folder):
    for path in [*mnist_folder.iterdir(), *project.folder.rglob("*.py")]:
        path.touch()
    assert project.planned("paper") == {}


def test_a_removed_checkpoint_comes_back_with_the_same_bytes(project):
    path = project.folder / "results/runs/main/seed101/ABC/step10.safetensors"
    before = path.read_bytes()
    path.unlink()
    target = "results/runs/main/seed101/ABC/step10.safetensors"
    finished = project.snakemake("--cores", "1", target)
    assert finished.returncode == 0, finished.stdout
    assert path.read_bytes() == before
    # The same bytes: keep what was made from them.
    touched = project.snakemake("--touch", "--cores", "1", *TARGETS)
    assert touched.returncode == 0, touched.stdout


def test_one_seeds_probes_need_one_checkpoint_unless_they_are_at_the_match(tmp_path, mnist_folder):
    project = Project(tmp_path, mnist_folder)
    runs = {"initialise": 2, "train_phase": 4, "relax": 2, "probe_pair": 1}
    assert project.planned("results/probes/main/seed101.parquet") == runs
    matched = project.planned("results/probes/main_matched/seed101.parquet")
    assert matched == runs | {"compare_pair": 1}


def test_one_seed_alone_makes_just_what_it_needs(tmp_path, mnist_folder):
    project = Project(tmp_path, mnist_folder)
    assert project.planned("results/pairs/main/seed101.parquet") == {
        "initialise": 2, "train_phase": 4, "relax": 2, "compare_pair": 1,
    }  # fmt: skip


def test_a_mistake_in_the_configuration_is_one_line_and_status_2(tmp_path, mnist_folder):
    project = Project(tmp_path, mnist_folder)
    project.configure({"results": "results"}, conditions={"main": {"optimiser": {}}})
    failed = project.snakemake("--dry-run")
    assert failed.returncode == 2 and "Traceback" not in failed.stdout
    assert "configuration: conditions: main: " in failed.stdout.splitlines()[-1]
    assert not (tmp_path / "results").exists()


def refused(project, *arguments):
    """The last line of a start that is refused with status 2, before anything is made."""
    failed = project.snakemake("--dry-run", *arguments)
    assert failed.returncode == 2 and "Traceback" not in failed.stdout, failed.stdout
    assert not (project.folder / "results").exists()
    return failed.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    ("file", "content", "line"),
    [
        ("tiny.yaml", "measures: null\nmeasures: null\n", "tiny.yaml: line 2: measures stands in"),
        ("config/config.yaml", "pathvars:\n  results: [\n", "config.yaml: line 3: no YAML: "),
        ("tiny.yaml", "histories: {no: {phases: []}}\n", "histories: the key no, off or false is"),
        ("tiny.yaml", "compute: {device: .nan}\n", "compute: device: nan is no finite number"),
    ],
)
def test_what_snakemake_would_misread_is_one_line(tmp_path, mnist_folder, file, content, line):
    project = Project(tmp_path, mnist_folder)
    (project.folder / file).write_text(content)
    assert line in refused(project)


def test_started_in_another_folder_it_says_so(tmp_path, mnist_folder):
    project = Project(tmp_path, mnist_folder)
    elsewhere = ("--directory", str(tmp_path.parent), "--snakefile", str(tmp_path / "Snakefile"))
    assert "config/config.yaml: no such file here; run Snakemake" in refused(project, *elsewhere)


def test_the_whole_paper_is_planned_job_for_job(tmp_path, mnist_folder):
    project = Project(tmp_path, mnist_folder)
    (project.folder / "tiny.yaml").write_text(f"pathvars: {{data: '{mnist_folder}'}}\n")
    # Runs: 20 main, 1 pilot on main and 1 with preserved state, 5 each of three conditions, twice.
    assert project.planned("paper") == {
        "initialise": 74,
        "train_phase": 148,
        "relax": 2 * (20 * 6 + 5 * 2 + 6 + 6 + 2 * 5 * 8 + 5 * 6),
        "compare_pair": 42,
        "summarise_experiment": 7,
        "contrast_experiments": 1,
        "probe_pair": 3 * 20,  # fc1 and conv2 at 10,000 updates, and fc1 at the match
        "summarise_probe": 3,
        "draw_figure": 6,
        "compare_published": 1,
        "draw_published": 1,
        "write_table": 3,
        "pool_cost": 1,
    }


def test_measures_and_sensitivity_belong_to_the_controls_and_train_nothing_more(
    tmp_path, mnist_folder
):
    project = Project(tmp_path, mnist_folder)
    (project.folder / "tiny.yaml").write_text(f"pathvars: {{data: '{mnist_folder}'}}\n")
    planned = project.planned("controls")
    # The six pairs of 20 seeds each; sensitivity of the observed pair only.
    assert (planned["measure_pair"], planned["sensitivity_of_pair"]) == (120, 20)
    assert planned["study_power"] == planned["summarise_measures"] == 1
    assert planned["write_table"] == 3  # table3, measures, sensitivity
    assert planned["draw_figure"] == 2  # figures 7 and 8
    (project.folder / "tiny.yaml").write_text("measures: null\nsensitivity: null\n")
    without = project.planned("controls")
    assert not {"measure_pair", "sensitivity_of_pair"} & set(without)
    assert without["write_table"] == 1
    for rule in ("train_phase", "relax"):
        assert without[rule] == planned[rule]


def test_training_asks_for_a_gpu_exactly_when_the_device_is_cuda(tmp_path, mnist_folder):
    project = Project(tmp_path, mnist_folder)
    target = "results/pairs/main/seed101.parquet"
    for device, gpus in (("cpu", 0), ("cuda", 1)):
        project.configure({"data": str(mnist_folder)}, compute={"device": device})
        output = project.snakemake("--dry-run", target).stdout
        assert set(re.findall(r"gpu=(\d)", output)) == {str(gpus)}


def test_snakemake_finds_nothing_to_complain_about(tmp_path, mnist_folder):
    project = Project(tmp_path, mnist_folder)
    linted = project.snakemake("--lint")
    assert linted.returncode == 0, linted.stdout
    assert "Congratulations" in linted.stdout
