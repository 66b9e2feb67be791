"""Tables take their numbers from statistics and print them as the paper does, all by one rule."""

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hysteresis.cli import main
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import to_json
from hysteresis.jobs.pair import MatchSettings
from hysteresis.jobs.printed import TableJob
from hysteresis.jobs.source import Source
from hysteresis.pairs import matching
from hysteresis.plan import tables as planned
from hysteresis.provenance.digest import reachable_modules
from hysteresis.provenance.seals import read_sealed
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.statistics.experiments import summarise_contrast, summarise_experiment
from hysteresis.tables import cost, formats, printing, table2
from tests.conftest import ROOT
from tests.test_config import WITHOUT_CONTROLS, paper_with

MATCH = MatchSettings(max_accuracy_gap=0.002, min_accuracy=0.97)


def published_pairs(name: str, total: int) -> pd.DataFrame:
    """The paper's per-seed numbers in the form of our pair tables."""
    table = pd.read_csv(ROOT / f"workflow/published/{name}_relaxation.csv", comment="#")
    for history in ("abc", "bac"):
        table[f"correct_{history}"] = matching.counts_from_fractions(
            table[f"accuracy_{history}"], total
        )
    table["experiment"], table["total"] = name, total
    table["correct_difference"] = table["correct_abc"] - table["correct_bac"]
    table["behavioral_match"] = [
        matching.behavioral_match(first, second, total, "0.002", "0.97")
        for first, second in zip(table["correct_abc"], table["correct_bac"], strict=True)
    ]
    return table


def published_contrast() -> pd.DataFrame:
    wide = pd.read_csv(ROOT / "workflow/published/activation_control.csv", comment="#")
    sides = [
        pd.DataFrame(
            {
                "experiment": name, "seed": wide["seed"], "step": wide["step"], "total": 10_000,
                "h_repr": wide[f"h_repr_{name}"],
                "correct_difference": matching.counts_from_fractions(
                    wide[f"absolute_accuracy_gap_{name}"], 10_000
                ),
            }
        )
        for name in ("leaky_relu", "relu")
    ]  # fmt: skip
    return summarise_contrast("contrast", *sides)


@pytest.fixture(scope="module")
def statistics():
    """By role in Table 2, in its order."""
    found = {
        role: summarise_experiment(published_pairs(name, total), [])
        for role, name, total in (
            ("main", "main", 10_000),
            ("long_horizon", "long", 10_000),
            ("rotated", "rotated", 20_000),
        )
    }
    return {**found, "contrast": published_contrast()}


@pytest.fixture(scope="module")
def table(statistics):
    return table2.table2(statistics, MATCH)


def test_published_seeds_give_the_published_table_2_but_for_the_seed_that_floats_lost(table):
    printed = table2.table2_printed(table)
    assert printed[["n", "H_repr", "95% bootstrap interval"]].to_numpy().tolist() == [
        ["17/20", "0.140", "[0.129, 0.153]"],  # the record: 16, 0.139, [0.127, 0.153]
        ["20/20", "0.153", "[0.144, 0.164]"],
        ["5/5", "0.190", "[0.161, 0.219]"],
        ["5/5", "0.162", "[0.141, 0.182]"],
        ["5/5", "-0.040", "[-0.077, -0.018]"],
    ]
    # Beside the paper's interval: t, and BCa (an independent computation by scipy).
    values = published_pairs("long", 10_000).query("step == 50000")["h_repr"].to_numpy()
    t_low, t_high = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert printed["95% t interval"][2] == f"[{t_low:.3f}, {t_high:.3f}]"
    assert table["bca_low"].notna().all() and (table["bca_low"] < table["h_repr"]).all()
    (warning,) = table2.table2_notes(table)
    assert "fewer than 10 seeds" in warning
    assert printed["Mean gap (points)"].tolist()[1:3] == ["0.252", "0.180"]
    assert printed["Criterion"].tolist()[:2] == [
        "gap at most 0.2 points, both at least 97%",
        "after 10,000 updates",
    ]


def test_without_any_match_the_row_says_undefined():
    unmatched = published_pairs("main", 10_000).assign(behavioral_match=False)
    statistics = summarise_experiment(unmatched, [])
    table = table2.table2({"main": statistics}, MATCH)
    assert table["endpoint"].tolist() == ["Main, matched", "Main, last checkpoint"]
    row = table2.table2_printed(table).iloc[0]
    assert (row["n"], row["H_repr"], row["95% bootstrap interval"]) == ("0/20", "undefined", "")


def test_the_three_formats_hold_the_same_numbers(table, tmp_path):
    files = [tmp_path / f"table2.{ending}" for ending in ("csv", "md", "tex")]
    formats.write(formats.PrintedTable(table, table2.table2_printed(table), ["One note."]), files)
    assert pd.read_csv(files[0])["h_repr"].tolist() == table["h_repr"].tolist()
    for file in files[1:]:
        read_sealed(file, "printed table")
        assert "[0.144, 0.164]" in file.read_text() and "One note." in file.read_text()
    assert r"97\%" in Path(files[2]).read_text()
    # The seal is a comment at the end: neither reader shows it.
    assert files[1].read_text().splitlines()[-1].startswith("<!-- hysteresis-seal:")
    assert files[2].read_text().splitlines()[-1].startswith("% hysteresis-seal:")


def test_another_ending_is_refused_before_anything_is_written(table, tmp_path):
    files = [tmp_path / "table2.csv", tmp_path / "table2.txt"]
    with pytest.raises(UserError, match=r"table2\.txt: tables are written as \.csv, \.md or \.tex"):
        formats.write(formats.PrintedTable(table, table), files)
    assert not files[0].exists()
    with pytest.raises(UserError, match=r"page\.html: pages are written as \.md or \.tex"):
        formats.write_sealed(tmp_path / "page.html", "")


def test_costs_are_pooled_by_kind():
    jobs = {
        "relax": pd.DataFrame({"s": [10.0, 30.0], "max_rss": [100.0, 300.0]}),
        "compare_pair": pd.DataFrame({"s": [10.0], "max_rss": [np.nan]}),
    }
    first, second = cost.cost(jobs).to_dict("records")
    assert first["kind"] == "relax" and (first["jobs"], first["mean_seconds"]) == (2, 20)
    assert (first["total_seconds"], first["share"], first["max_memory_mb"]) == (40, 0.8, 300)
    assert second["share"] == 0.2


def timings(folder, *texts):
    (folder / "relax").mkdir()
    for place, text in enumerate(texts):
        (folder / f"relax/main_seed{place}_ABC_step10.tsv").write_text(text)
    jobs = [f"relax/main_seed{place}_ABC" for place in range(len(texts))]
    return main(
        ["cost", "--benchmarks", str(folder), "--jobs", *jobs, "--output", str(folder / "cost.csv")]
    )


def test_timings_are_read_as_snakemake_writes_them(tmp_path):
    assert timings(tmp_path, "s\tmax_rss\n2.5\t-\n", "s\tmax_rss\n1.5\t300.1\n") == 0
    (row,) = pd.read_csv(tmp_path / "cost.csv").to_dict("records")
    assert (row["jobs"], row["total_seconds"], row["max_memory_mb"]) == (2, 4.0, 300.1)


@pytest.mark.parametrize("text", ["", "-", "s\tmax_rss\n-\t-\n", "s\tmax_rss\n", "\0\0"])
def test_a_damaged_timing_is_named_in_one_line(tmp_path, capsys, text):
    assert timings(tmp_path, "s\tmax_rss\n1.5\t300\n", text) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "main_seed1_ABC_step10.tsv: not a timing" in line
    assert not (tmp_path / "cost.csv").exists()


# ---- numbers as text -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (0.2875, 3, "0.288"),  # its double lies below the half, so do not round that
        (1.0005, 3, "1.000"),  # half to even
        (1.0015, 3, "1.002"),
        (2.675, 2, "2.68"),
        (0.1 + 0.2 - 0.2995, 3, "0.000"),  # 0.0005 but for noise in the last binary digits
        (-0.0401, 3, "-0.040"),
        (15, 0, "15"),
        (12345.6789, 1, "12345.7"),
    ],
)
def test_numbers_are_rounded_half_to_even_as_decimals(value, decimals, expected):
    assert printing.number(value, decimals) == expected
    assert printing.number(np.float64(value), decimals) == expected


def test_a_sign_is_printed_where_it_is_asked_for():
    assert printing.numbers([0.5, -0.5], 2, signed=True) == ["+0.50", "-0.50"]
    assert printing.interval_text(-0.1, 0.2, 1, signed=True) == "[-0.1, +0.2]"
    assert printing.scientific(0.000012, signed=True) == "+1.20e-5"


@pytest.mark.parametrize(
    ("p", "expected"),
    [(0.05649, "0.056"), (1.0, "1.000"), (0.001, "0.001"), (0.0009996, "1.00e-3"),
     (8.26e-8, "8.26e-8"), (0.0, "0.000"), (0.0125, "0.012")],
)  # fmt: skip
def test_p_values_have_one_rule(p, expected):
    assert printing.p_text(p) == expected


@pytest.mark.parametrize("nothing", [np.nan, None, pd.NA, np.inf])
def test_an_undefined_estimate_is_named_and_what_stands_beside_it_is_empty(nothing):
    assert printing.number(nothing) == printing.scientific(nothing) == "undefined"
    assert printing.numbers([nothing, 1.0], 1, undefined="") == ["", "1.0"]
    assert printing.p_text(nothing) == ""
    assert printing.interval_text(nothing, 1.0) == printing.interval_text(1.0, nothing) == ""


def test_intervals_come_from_the_columns_of_their_kind():
    table = pd.DataFrame({"t_low_points": [-0.0305, np.nan], "t_high_points": [2.0414, np.nan]})
    assert printing.interval_texts(table, "t", unit="_points") == ["[-0.030, 2.041]", ""]


def test_few_seeds_are_marked():
    assert [printing.n_text(n) for n in (9, 10)] == ["9 (few)", "10"]
    assert printing.n_of_texts([17, 5], [20, 5]) == ["17/20", "5/5"]


# ---- the command -----------------------------------------------------------------------------


def given(job: TableJob, statistics: dict[str, pd.DataFrame], folder: Path) -> list[str]:
    """The arguments of the command for sealed files that are what the job's sources say."""
    files = []
    for source in job.sources:
        files.append(folder / f"{source.role}.parquet")
        made = Provenance(source.kind, source.name, "code")
        write_table(files[-1], statistics[source.role], made)
    outputs = [folder / f"table.{ending}" for ending in ("csv", "md", "tex")]
    return [
        "--job", to_json(job), "--inputs", *map(str, files), "--output", *map(str, outputs),
    ]  # fmt: skip


def test_the_command_writes_a_table_from_what_its_job_names(statistics, table, tmp_path):
    job = planned.table_job("table2", paper_with({}))
    assert main(["table", "table2", *given(job, statistics, tmp_path)]) == 0
    pd.testing.assert_frame_equal(
        pd.read_csv(tmp_path / "table.csv"), pd.read_csv(io.StringIO(table.to_csv(index=False)))
    )
    text = (tmp_path / "table.md").read_text()
    assert "| 17/20 |" in text and "gap at most 0.2 points" in text
    assert table2.table2_notes(table)[0] in text


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("table9", {}, "'table9' is unknown"),
        ("printing", {}, "'printing' is unknown"),
        ("../cli", {}, "'../cli' is unknown"),
        ("table2", {"match": None}, "the criterion of the match is not given"),
        ("table1_supplement", {"sources": ()}, "4 inputs were given, but --job names 0"),
        ("table3", {}, "0 tables were given as 'controls'"),
    ],
)
def test_mistakes_are_one_line_and_leave_no_file(
    statistics, tmp_path, capsys, name, change, message
):
    job = planned.table_job("table2", paper_with({}))
    arguments = given(job, statistics, tmp_path)
    arguments[1] = to_json(replace(job, **change))
    assert main(["table", name, *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert not list(tmp_path.glob("table.*"))


def test_a_file_that_is_not_what_the_job_says_is_refused(statistics, tmp_path, capsys):
    job = planned.table_job("table2", paper_with({}))
    arguments = given(job, statistics, tmp_path)
    arguments[3], arguments[4] = arguments[4], arguments[3]
    assert main(["table", "table2", *arguments]) == 2
    assert "is of long_horizon, not main" in capsys.readouterr().err


# ---- which table is made from what -----------------------------------------------------------


def test_the_paper_has_three_tables_and_its_controls_three():
    paper = paper_with({})
    assert planned.known_tables(paper) == (
        "table1", "table1_supplement", "table2", "table3", "measures", "sensitivity",
    )  # fmt: skip
    few = paper_with({"measures": None, "sensitivity": None})
    assert planned.control_tables(few) == ("table3",)
    assert planned.known_tables(paper_with(WITHOUT_CONTROLS)) == planned.PAPER_TABLES


@pytest.mark.parametrize(
    ("table", "files"),
    [
        ("table1", ["probes/main"]),
        ("table1_supplement", ["probes/main", "probes/main_conv2", "probes/main_matched"]),
        (
            "table2",
            [
                "experiments/main",
                "experiments/long_horizon",
                "experiments/rotated",
                "contrasts/leaky_minus_relu",
            ],
        ),
        ("measures", ["controls/measures"]),
    ],
)
def test_a_table_is_made_from_the_statistics_of_its_roles(table, files):
    paper = paper_with({})
    found = planned.table_inputs(table, paper)
    assert found == [f"<results>/statistics/{name}.parquet" for name in files]
    sources = planned.table_job(table, paper).sources
    assert len(sources) == len(found)


def test_the_dependence_on_images_is_pooled_over_the_seeds_of_the_observed_pairs():
    paper = paper_with({})
    found = planned.table_inputs("sensitivity", paper)
    (source,) = planned.table_job("sensitivity", paper).sources
    assert source == Source("sensitivity", "sensitivity", "main", paper.experiments["main"].seeds)
    assert len(found) == source.files == 20
    assert found[1] == "<results>/sensitivity/main/seed202.parquet"


def test_only_the_table_that_states_the_match_is_told_of_it():
    paper = paper_with({})
    told = {name for name in planned.known_tables(paper) if planned.table_job(name, paper).match}
    assert told == {"table2"}


# ---- what a table loads ----------------------------------------------------------------------

TABLES = ("table1", "table1_supplement", "table2", "table3", "measures", "sensitivity")


@pytest.mark.parametrize("table", TABLES)
def test_the_code_of_a_table_is_not_that_of_the_others(table):
    found = reachable_modules("hysteresis.commands.table")
    found |= reachable_modules(f"hysteresis.tables.{table}")
    others = set(TABLES) - {table} - ({"table1"} if table == "table1_supplement" else set())
    assert not found & {f"hysteresis.tables.{other}" for other in others}
    folders = {name.split(".")[1] for name in found}
    assert not folders & {"plan", "config", "figures", "data"}


def test_a_table_starts_without_heavy_libraries():
    modules = ", ".join(f"hysteresis.tables.{table}" for table in TABLES)
    code = (
        f"import sys, hysteresis.commands.table, {modules}; "
        "print(*sorted({'torch', 'numba', 'scipy.stats', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
