"""A copy of the repository that runs the tiny workflow, for the tests that look at its files."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("Snakefile", "rules", "workflow", "config", "hysteresis", "environment.yml")


class Project:
    """A copy of the repository in a folder of its own, so that its code may be edited."""

    def __init__(self, folder: Path, mnist_folder: Path) -> None:
        self.folder = folder
        for name in SOURCES:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, folder / name)
        self.configure({"data": str(mnist_folder), "results": "results"})

    def configure(self, pathvars: dict[str, str], **changes) -> None:
        tiny = yaml.safe_load((ROOT / "tests/tiny.yaml").read_text())
        tiny |= {"pathvars": pathvars, **changes}
        (self.folder / "tiny.yaml").write_text(yaml.safe_dump(tiny))

    def snakemake(self, *arguments: str, config: str = "tiny.yaml") -> subprocess.CompletedProcess:
        """Run Snakemake on the copy; output and errors come back as one text in ``stdout``."""
        command = [sys.executable, "-m", "snakemake", *arguments, "--configfile", config]
        environment = os.environ | {
            "PYTHONPATH": str(self.folder),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        return subprocess.run(
            command,
            cwd=self.folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )

    def planned(self, *targets: str) -> dict[str, int]:
        """Jobs by rule that a dry run announces (collecting targets left out)."""
        output = self.snakemake("--dry-run", *targets).stdout
        # Announced before the jobs, and once more after them.
        tables = re.findall(r"^job +count\n-+ +-+\n(.*?)^total", output, re.M | re.S) or [""]
        assert len(set(tables)) == 1, output
        table = tables[0]
        assert table or "Nothing to be done" in output, output
        jobs = {rule: int(count) for rule, count in re.findall(r"^(\w+) +(\d+)$", table, re.M)}
        return {rule: count for rule, count in jobs.items() if rule not in COLLECTING}

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert text.count(old) >= 1, f"{old!r} not in {file}"
        path.write_text(text.replace(old, new, 1))


TARGETS = ("paper", "controls")
COLLECTING = ("paper", "paper_figures", "paper_tables", "controls")


@pytest.fixture(scope="session")
def project(tmp_path_factory, mnist_folder):
    """The tiny workflow, run once to its end."""
    project = Project(tmp_path_factory.mktemp("project"), mnist_folder)
    finished = project.snakemake("--cores", "2", *TARGETS)
    assert finished.returncode == 0, finished.stdout
    return project


@pytest.fixture
def unchanged(project):
    """The project, with every edited file put back afterwards."""
    kept = {path: path.read_text() for path in project.folder.rglob("*") if path.suffix in (".py",)}
    config = (project.folder / "tiny.yaml").read_text()
    yield project
    for path, text in kept.items():
        path.write_text(text)
    (project.folder / "tiny.yaml").write_text(config)
