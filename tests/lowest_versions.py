"""Run the fast tests with the lowest versions that pyproject.toml allows.

    python3.11 -m tests.lowest_versions FOLDER

Makes a virtual environment in FOLDER, installs every dependency exactly at its lower bound, and
runs pytest in it. Several gigabytes are downloaded. Python must be one that these old versions
have wheels for: 3.11 or 3.12. The exit status is that of the first step that fails, or 0.
"""

import re
import subprocess
import sys
import tomllib
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Tools and oracles of the tests: their own lowest versions say nothing about the package.
_AS_THEY_COME = "test"


def lower_bounds(requirements: Iterable[str]) -> list[str]:
    """``name>=version`` as ``name==version``; ValueError for a requirement without lower bound."""
    pinned = []
    for requirement in requirements:
        found = re.fullmatch(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", requirement)
        if found is None:
            raise ValueError(f"pyproject.toml: {requirement} has no plain lower bound")
        pinned.append("{}=={}".format(*found.groups()))
    return pinned


def main(folder: Path) -> int:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    constraints = folder / "lowest.txt"
    constraints.write_text("\n".join(lower_bounds(project["dependencies"])), encoding="utf-8")
    for arguments in (
        ["pip", "install", "--constraint", constraints, "--editable", f"{ROOT}[{_AS_THEY_COME}]"],
        ["pytest", "-m", "not slow"],
    ):
        status = subprocess.run([python, "-m", *map(str, arguments)], cwd=ROOT).returncode
        if status:
            return status
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python3.11 -m tests.lowest_versions FOLDER")
    sys.exit(main(Path(sys.argv[1])))
