"""How long Snakemake takes to plan: the paper, and the paper with ten times the seeds.

    python -m benchmarks.workflow_scale

Dry runs in a folder of their own, so that nothing there is done yet. Prints a table in Markdown.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent
MANY_SEEDS = list(range(1, 201))


def seconds_to_plan(changes: dict, folder: Path) -> tuple[float, int]:
    """Wall-clock seconds of a dry run of the target ``paper``, and the jobs that it plans."""
    overlay = folder / "overlay.yaml"
    overlay.write_text(
        yaml.safe_dump({**changes, "pathvars": {"results": str(folder / "results")}})
    )
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--quiet", "rules", "--nolock"]
    start = time.perf_counter()
    finished = subprocess.run(
        [*command, "paper", "--configfile", str(overlay)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    *_, total = (line for line in finished.stdout.splitlines() if line.startswith("total"))
    return seconds, int(total.split()[1])


def main() -> None:
    experiments = {"main": {"seeds": MANY_SEEDS}}
    cases = {
        "the paper": {"controls": None},
        "200 seeds in the main experiment": {"experiments": experiments, "controls": None},
    }
    print("| dry run of | jobs | seconds |\n|---|---|---|")
    for name, changes in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            seconds, jobs = seconds_to_plan(changes, Path(folder))
        print(f"| {name} | {jobs:,} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
