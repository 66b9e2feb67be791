"""The plan: which files are made from which, what jobs are told, and what targets ask for."""

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.pair import Comparison
from hysteresis.jobs.printed import FigureJob, TableJob
from hysteresis.jobs.probe import PairProbe, ProbeSettings
from hysteresis.jobs.run import Run
from hysteresis.plan import (
    benchmarks,
    code,
    figures,
    inputs,
    paths,
    specifications,
    tables,
    targets,
)
from hysteresis.published.design import counterparts
from tests.conftest import ROOT
from tests.test_config import WITHOUT_CONTROLS, paper_with

TINY = yaml.safe_load((ROOT / "tests/tiny.yaml").read_text())
RUNS = "<results>/runs"


@pytest.fixture(scope="module")
def tiny():
    """Two seeds of main at 0 and 10 updates, one of every other experiment."""
    measured = {
        "measures": {"steps": [10], "layers": ["conv2", "fc1"]},
        "sensitivity": {"images": [20, 200], "step": 10},
    }
    return paper_with(TINY | measured)


# ---- checkpoints -----------------------------------------------------------------------------


def test_a_phase_begins_from_the_one_before_it(tiny):
    run = {"condition": "main", "history": "BAC", "seed": 101}
    first, second = (inputs.checkpoint_before_phase(tiny, **run, phase=phase) for phase in (1, 2))
    assert first == f"{RUNS}/main/seed101/BAC/phase0.safetensors"
    assert second == f"{RUNS}/main/seed101/BAC/phase1.safetensors"


def test_the_common_phase_is_carried_on_from_the_checkpoint_before(tiny):
    run = {"condition": "main", "history": "ABC", "seed": 101}
    first, second = (inputs.checkpoint_before_step(tiny, **run, step=step) for step in (10, 20))
    assert first == f"{RUNS}/main/seed101/ABC/phase2.safetensors"
    assert second == f"{RUNS}/main/seed101/ABC/step10.safetensors"


def test_a_history_without_phases_begins_the_common_phase_with_its_initial_weights(tiny):
    end = inputs.checkpoint(tiny, "main", "untrained", 101, 0)
    assert end == f"{RUNS}/main/seed101/untrained/phase0.safetensors"


@pytest.mark.parametrize(
    ("function", "experiment", "files"),
    [
        (inputs.compared_checkpoints, "long_horizon", ["phase0", "phase2", "step10", "step20"]),
        (inputs.measured_checkpoints, "main", ["phase0", "step10"]),
        (inputs.sensitivity_checkpoints, "main", ["phase0", "step10"]),
    ],
)
def test_a_side_of_a_pair_is_its_initial_weights_and_checkpoints(tiny, function, experiment, files):
    for side, history in enumerate(("ABC", "BAC")):
        found = function(tiny, experiment, 101, side)
        assert found == [f"{RUNS}/main/seed101/{history}/{name}.safetensors" for name in files]


def test_a_probe_reads_one_checkpoint_a_side_and_at_the_match_all_and_the_pair(tiny):
    at_10 = inputs.probe_inputs(tiny, "main", 202)
    assert list(at_10) == ["first", "second"]
    assert [Path(file).stem for file in at_10["second"]] == ["phase0", "step10"]
    matched = inputs.probe_inputs(tiny, "main_matched", 202)
    assert [Path(file).stem for file in matched["first"]] == ["phase0", "phase2", "step10"]
    assert matched["pairs"] == "<results>/pairs/main/seed202.parquet"


# ---- tables of seeds -------------------------------------------------------------------------


def test_statistics_are_made_from_a_table_a_seed(tiny):
    pairs = "<results>/pairs"
    main = [f"{pairs}/main/seed101.parquet", f"{pairs}/main/seed202.parquet"]
    assert inputs.pair_tables_of_experiment(tiny, "main") == main
    sides = [
        function(tiny, "leaky_minus_relu")
        for function in (inputs.pair_tables_of_minuend, inputs.pair_tables_of_subtrahend)
    ]
    assert sides == [
        [f"{pairs}/activation_leaky_relu/seed101.parquet"],
        [f"{pairs}/activation_relu/seed101.parquet"],
    ]
    probes = [f"<results>/probes/main_conv2/seed{seed}.parquet" for seed in (101, 202)]
    assert inputs.probe_tables(tiny, "main_conv2") == probes


SIX = (
    "reshuffled_abc", "main", "crossed_bac", "crossed_abc", "crossed_both", "reshuffled_bac",
)  # fmt: skip


def test_the_six_pairs_stand_in_the_order_of_their_networks(tiny):
    """Networks 0 and 1 are of the first order, 2 and 3 of the second: 01, 02, 03, 12, 13, 23."""
    assert tiny.controls.six == SIX
    first, second = tiny.experiments["main"].pair
    networks = [first, f"{first}_reshuffled", second, f"{second}_reshuffled"]
    numbers = [
        tuple(networks.index(history) for history in tiny.experiments[name].pair) for name in SIX
    ]
    assert numbers == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("files", "seeds", "names"),
    [
        (inputs.pair_tables_of_six, specifications.seeds_of_six, SIX),
        (inputs.measure_tables, specifications.seeds_of_six, SIX),
        (
            inputs.pair_tables_of_controls,
            specifications.seeds_of_controls,
            (*SIX, "identical"),
        ),
        (
            inputs.pair_tables_beside_published,
            specifications.seeds_beside_published,
            ("main", "long_horizon", "rotated", "activation_relu", "activation_leaky_relu"),
        ),
    ],
)
def test_a_verb_is_told_whose_tables_it_is_given(tiny, files, seeds, names):
    told = json.loads(seeds(tiny))
    assert [name for name, _ in told] == list(names)
    given = [(Path(file).parent.name, Path(file).stem) for file in files(tiny)]
    assert given == [(name, f"seed{seed}") for name, of in told for seed in of]


def test_seeds_of_one_experiment_contrast_and_probe(tiny):
    told = [
        specifications.seeds_of_experiment(tiny, "main"),
        specifications.seeds_of_minuend(tiny, "leaky_minus_relu"),
        specifications.seeds_of_subtrahend(tiny, "leaky_minus_relu"),
        specifications.seeds_of_probe(tiny, "main_matched"),
    ]
    assert told == [
        '[["main",[101,202]]]',
        '[["activation_leaky_relu",[101]]]',
        '[["activation_relu",[101]]]',
        '[["main_matched",[101,202]]]',
    ]


def test_what_stands_beside_the_published_numbers_is_what_is_compared_with_them(tiny):
    compared = counterparts(tiny)
    names = [each.comparison.experiment for each in compared.experiments.values()]
    assert inputs.experiments_beside_published(tiny) == names
    tables = inputs.probe_tables_beside_published(tiny)
    assert tables == inputs.probe_tables(tiny, "main") and len(tables) == 2
    twice = paper_with({"paper": {"long_horizon": "main"}})
    assert inputs.experiments_beside_published(twice).count("main") == 1


def test_published_files_are_those_of_the_repository():
    names = {Path(file).name for file in inputs.published_files(ROOT / "workflow/published")}
    assert {"protocol.yaml", "aggregates.csv"} < names and "README.md" not in names


# ---- what jobs are told ----------------------------------------------------------------------


def test_a_training_job_is_told_its_run_as_far_as_it_goes(tiny):
    run = {"condition": "main", "history": "ABC", "seed": 101}
    texts = [
        specifications.run_before_training(tiny, **run),
        *(specifications.run_at_phase(tiny, **run, phase=phase) for phase in (1, 2)),
        specifications.run_in_common_phase(tiny, **run),
    ]
    runs = [from_json(text, Run) for text in texts]
    assert [len(each.phases) for each in runs] == [0, 1, 2, 2]
    assert [each.relaxation is not None for each in runs] == [False, False, False, True]


def test_an_analysis_job_is_told_its_pair(tiny):
    compared = from_json(specifications.comparison(tiny, "main", 202), Comparison)
    assert compared == tiny.comparison("main", 202)
    probed = from_json(specifications.pair_probe(tiny, "main", 202), PairProbe)
    assert probed == tiny.pair_probe("main", 202)
    measured = json.loads(specifications.pair_measures(tiny, "main", 202))
    varied = json.loads(specifications.pair_sensitivity(tiny, "main", 202))
    assert (measured["pair"]["steps"], varied["pair"]["steps"]) == ([10], [10])
    assert (measured["layers"], varied["counts"]) == (["conv2", "fc1"], [20, 200])


def test_statistics_and_tables_are_told_their_settings(tiny):
    assert specifications.changes(tiny, "long_horizon") == (10, 20)
    settings = from_json(specifications.probe_settings(tiny, "main_matched"), ProbeSettings)
    assert settings.at_match and settings.checkpoint is None
    assert from_json(specifications.table(tiny, "table2"), TableJob).match == tiny.analysis.match


# ---- figures ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("figure", "experiment", "pairs", "statistics"),
    [
        ("figure1", "main", None, None),
        ("figure2", "main", {"main": 2}, "experiments/main"),
        ("figure3", "long_horizon", {"long_horizon": 1}, "experiments/long_horizon"),
        ("figure4", "main", None, "probes/main"),
        (
            "figure5",
            "activation_leaky_relu",
            {"activation_leaky_relu": 1, "activation_relu": 1},
            "contrasts/leaky_minus_relu",
        ),
        ("figure6", "rotated", {"rotated": 1}, "experiments/rotated"),
        ("figure7", "main", dict.fromkeys(SIX, 2), "controls/controls"),
        ("figure8", "main", None, "controls/measures"),
    ],
)
def test_a_figure_shows_and_reads(tiny, figure, experiment, pairs, statistics):
    files = figures.figure_inputs(tiny, figure)
    job = from_json(specifications.figure(tiny, figure), FigureJob)
    assert sum(source.files for source in job.sources) == len(files)
    found = Counter(Path(file).parent.name for file in files if "/pairs/" in file)
    assert found == (pairs or {})
    expected = [f"<results>/statistics/{statistics}.parquet"] if statistics else []
    assert [file for file in files if "/pairs/" not in file] == expected
    shown = job.comparison
    assert (shown.experiment, shown.first.seed) == (experiment, 101)


def test_every_figure_of_the_plan_has_a_module_and_every_module_a_row(tiny):
    modules = {path.stem for path in (ROOT / "hysteresis/figures").glob("figure*.py")}
    assert set(figures.FIGURES) == modules
    assert figures.figures_of(tiny, "paper") == tuple(f"figure{number}" for number in range(1, 7))


def test_roles_that_nobody_has_leave_out_their_rows_and_figures(tiny):
    nobody = {"long_horizon": None, "rotated": None, "activation_contrast": None}
    alone = replace(tiny, paper=replace(tiny.paper, **nobody))
    assert figures.figures_of(alone, "paper") == ("figure1", "figure2", "figure4")
    assert [Path(file).name for file in tables.table_inputs("table2", alone)] == ["main.parquet"]
    assert list(alone.published_experiments) == ["main"]


# ---- code ------------------------------------------------------------------------------------


def test_code_differs_by_figure_and_by_table_and_follows_the_network(tiny):
    assert code.code_of_figure("figure2") != code.code_of_figure("figure3")
    assert code.code_of_table("table1") != code.code_of_table("table2")
    # Two data protocols of one data set and network, with other weights: the same code.
    runs = [("main", "ABC", 101), ("rotated", "BAC", 101), ("leaky_relu_004", "ABC", 101)]
    assert len({code.code_of_training(tiny, *run) for run in runs}) == 1


# ---- targets and costs -----------------------------------------------------------------------


def test_targets_ask_for_every_figure_and_table(tiny):
    drawn = {Path(file).name for file in targets.paper_figure_files(tiny)}
    names = (*(f"figure{number}" for number in range(1, 7)), "published")
    assert drawn == {f"{name}.{ending}" for name in names for ending in ("pdf", "png")}
    printed = {Path(file).name for file in targets.paper_table_files()}
    assert {"table1.csv", "table1_supplement.md", "table2.tex", "cost.csv"} < printed
    assert {"published.csv", "published.md"} < printed and len(printed) == 12


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, {"table3", "measures", "sensitivity", "figure7", "figure8"}),
        ({"measures": None}, {"table3", "sensitivity", "figure7"}),
        ({"measures": None, "sensitivity": None}, {"table3", "figure7"}),
    ],
)
def test_the_target_of_the_controls_follows_the_sections(changes, names):
    assert {Path(file).stem for file in targets.control_files(paper_with(changes))} == names


def test_costs_are_those_of_the_papers_jobs(tiny):
    files = benchmarks.benchmark_files(tiny)
    counts = Counter(Path(file).parent.name for file in files)
    assert counts == {
        "initialise": 12, "train_phase": 24, "relax": 14, "compare_pair": 8, "probe_pair": 6,
        "summarise_experiment": 7, "contrast_experiments": 1, "summarise_probe": 3,
    }  # fmt: skip
    assert len(set(files)) == len(files)
    assert not any("identical" in file or "reshuffled" in file for file in files)
    last = "<results>/benchmarks/relax/main_seed101_ABC_step20.tsv"
    assert last in files and last.replace("101", "202") not in files
    jobs = benchmarks.benchmarked_jobs(tiny)
    assert "relax/main_seed101_ABC" in jobs and len(set(jobs)) == len(jobs)
    without = paper_with(TINY | WITHOUT_CONTROLS)
    assert benchmarks.benchmark_files(without) == files


def test_names_of_benchmarks_are_those_of_the_rules(tiny):
    """Each file of the pooled table is what its rule writes."""
    rules = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    templates = {
        "initialise": "{condition}_seed{seed}_{history}",
        "train_phase": "{condition}_seed{seed}_{history}_phase{phase}",
        "relax": "{condition}_seed{seed}_{history}_step{step}",
        "compare_pair": "{experiment}_seed{seed}",
        "probe_pair": "{probe}_seed{seed}",
        "summarise_experiment": "{experiment}",
        "contrast_experiments": "{contrast}",
        "summarise_probe": "{probe}",
    }
    pooled = {Path(file).parent.name for file in benchmarks.benchmark_files(tiny)}
    assert pooled == set(templates)
    for rule, template in templates.items():
        assert f'"{paths.benchmark(rule, template)}"' in rules


# ---- speed -----------------------------------------------------------------------------------


def test_rules_import_no_heavy_library():
    """Snakemake reads them anew for every job."""
    modules = "benchmarks, code, figures, inputs, resources, specifications, tables, targets"
    program = (
        f"import sys, hysteresis.config.loading; from hysteresis.plan import {modules}; "
        "from hysteresis.published import design; "
        "print(*sorted({'scipy', 'torch', 'pandas', 'pyarrow'} & set(sys.modules)))"
    )
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert finished.stdout.strip() == ""
