"""The sources are formatted and free of lint."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TOOLS = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "--no-cache", "."),
        ("ruff", "format", "--no-cache", "--check", "."),
        ("snakefmt", "--check", "Snakefile", "rules"),
    ],
    ids=" ".join,
)
def test_sources_are_clean(command):
    tool, *arguments = command
    finished = subprocess.run(
        [TOOLS / tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
