"""The package's shape: which package may import which, and what each command is made of."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

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
