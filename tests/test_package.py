"""The package's shape: which package may import which, and what each command is made of."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
import yaml

from tests.closures import closures
from tests.conftest import ROOT

# Each may import those before it. `ls hysteresis` in the order in which data passes through.
ORDER = (
    "errors", "provenance", "jobs", "data", "training", "pairs", "probes", "measures",
    "statistics", "config", "plan", "tables", "published", "figures", "commands", "cli",
)  # fmt: skip
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in (ROOT / "hysteresis").rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
}


def imported(path: Path) -> set[str]:
    """Modules of the package that a file imports, whether at once or late."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return names & set(MODULES)


def test_every_package_stands_in_the_order():
    assert {name.split(".")[1] for name in MODULES} == set(ORDER)


@pytest.mark.parametrize("module", sorted(MODULES))
def test_a_module_imports_only_what_stands_before_it(module):
    place = ORDER.index(module.split(".")[1])
    for name in imported(MODULES[module]):
        assert ORDER.index(name.split(".")[1]) <= place, f"{module} imports {name}"


def test_no_modules_import_each_other_in_a_circle():
    graph = {module: imported(path) for module, path in MODULES.items()}
    assert len(list(TopologicalSorter(graph).static_order())) == len(MODULES)


def loaded(*modules: str) -> set[str]:
    """Top-level modules that a fresh Python has after importing some."""
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return {name.split(".")[0] for name in finished.stdout.split()}


def test_each_digest_covers_the_modules_that_were_decided_on():
    """A widening remakes more files when a module changes: it is a decision, made in closures.yaml.

    ``python -m tests.closures > tests/closures.yaml`` accepts what is.
    """
    decided = yaml.safe_load((ROOT / "tests/closures.yaml").read_text())
    assert closures() == decided


def test_training_is_decided_by_no_download_no_progress_and_no_word_to_people():
    training = set(closures()["training"])
    assert {"training.learner", "training.kernels", "data.streams", "jobs.run"} <= training
    for other in ("data.obtain", "training.progress", "errors", "provenance.files", "config"):
        assert not any(name.startswith(other) for name in training)


@pytest.mark.parametrize("command", ["table", "draw", "summarise", "controls", "power", "verify"])
def test_what_only_reads_tables_does_not_wait_for_pytorch(command):
    assert not {"torch", "torchvision", "numba"} & loaded(f"hysteresis.commands.{command}")
