"""The kept evidence: what is made from its tables of seeds today is what is kept."""

import shutil

import pandas as pd
import pytest

from hysteresis.cli import main
from tests.project import ROOT, Project

MADE_FROM_SEEDS = (
    "summarise_experiment contrast_experiments summarise_probe summarise_controls "
    "partition_controls study_power summarise_measures write_table draw_figure "
    "compare_published draw_published evidence"
)


@pytest.fixture
def kept(tmp_path, mnist_folder, monkeypatch):
    """A copy of the repository with its evidence, in the working folder."""
    project = Project(tmp_path, mnist_folder)
    shutil.copytree(ROOT / "evidence", tmp_path / "evidence")
    monkeypatch.chdir(tmp_path)
    return project


def test_the_makefile_and_this_test_make_the_same_stages():
    makefile = (ROOT / "Makefile").read_text().replace("\\\n\t", "")
    assert f"MADE_FROM_SEEDS = {MADE_FROM_SEEDS}\n" in makefile


@pytest.mark.slow
def test_tables_and_figures_of_the_kept_seeds_come_out_as_they_are_kept(kept, capsys):
    assert main(["evidence", "lay-out", "--results", "results/evidence"]) == 0
    made = kept.snakemake(
        "--cores", "2", "evidence", "--allowed-rules", *MADE_FROM_SEEDS.split(),
        config="evidence/config.yaml",
    )  # fmt: skip
    assert made.returncode == 0, made.stdout
    compared = main(["evidence", "compare", "--results", "results/evidence"])
    assert compared == 0, capsys.readouterr().out


def test_a_changed_table_of_a_seed_is_not_laid_out(kept, capsys):
    (table,) = (kept.folder / "evidence/pairs/main").glob("seed101.parquet")
    table.write_bytes(table.read_bytes()[:-1] + b"x")
    assert main(["evidence", "lay-out", "--results", "results/evidence"]) == 2
    assert "seed101.parquet: is not the file of the manifest" in capsys.readouterr().err


def test_csv_may_differ_by_rounding_and_by_no_more(kept, capsys):
    shutil.copytree(kept.folder / "evidence", kept.folder / "results/evidence")
    table = kept.folder / "results/evidence/tables/sensitivity.csv"
    whole, known = table.read_text(), pd.read_csv(table)
    for factor, status in ((1 + 1e-14, 0), (1 + 1e-6, 2)):
        known.assign(mean=known["mean"] * factor).to_csv(table, index=False)
        assert main(["evidence", "compare", "--results", "results/evidence"]) == status
        capsys.readouterr()
    table.write_text(whole.replace("test", "train", 1))
    assert main(["evidence", "compare", "--results", "results/evidence"]) == 2


def test_a_changed_figure_is_said(kept, capsys):
    figure = kept.folder / "evidence/figures/figure7.png"
    shutil.copytree(kept.folder / "evidence", kept.folder / "results/evidence")
    assert main(["evidence", "compare", "--results", "results/evidence"]) == 0
    figure.write_bytes(figure.read_bytes() + b"x")
    assert main(["evidence", "compare", "--results", "results/evidence"]) == 2
    found = capsys.readouterr()
    assert "differs    figures/figure7.png" in found.out and "1 of" in found.err
