"""Damage of every kind to every kind of file: one clear line that names it, or the same result.

The files are those of the tiny workflow, the commands those that it ran; tests/test_workflow.py
collects these tests beside its own. ``pytest --storm 5000`` tries more damages than 300.
"""

import random
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from hysteresis.cli import main
from tests.project import TARGETS

# They read no results, or a folder of timings that decide no other file.
LEFT_OUT = {"obtain", "initialise", "cost"}


class Job(NamedTuple):
    """One command of the workflow, with the results that it reads and writes."""

    verb: str
    words: list[str]
    inputs: list[Path]
    outputs: list[Path]


# ---- damages ---------------------------------------------------------------------------------


def flip(content: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(content))
    return (
        content[:place] + bytes([content[place] ^ 1 << chance.randrange(8)]) + content[place + 1 :]
    )


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def zero(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    length = min(chance.randrange(1, 64), len(content) - start)
    return content[:start] + bytes(length) + content[start + length :]


def append(content: bytes, chance: random.Random) -> bytes:
    return content + chance.randbytes(chance.randrange(1, 64))


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "flip": flip, "cut": cut, "zero": zero, "append": append,
}  # fmt: skip


# ---- the jobs --------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def jobs(project, tmp_path_factory) -> list[Job]:
    """Every job of the finished workflow by its command, in a copy of its results."""
    folder = tmp_path_factory.mktemp("storm")
    shutil.copytree(project.folder / "results", folder / "results")
    shutil.copytree(project.folder / "workflow", folder / "workflow")
    planned = project.snakemake("--dry-run", "--forceall", "--printshellcmds", *TARGETS).stdout
    commands = sorted(
        set(re.findall(r"^Shell command: python -m hysteresis (.*) 2> ", planned, re.M))
    )
    found = [job_of(text, folder) for text in commands]
    return [job for job in found if job.inputs]


def job_of(text: str, folder: Path) -> Job:
    words = [
        str(folder / word) if word.startswith(("results/", "workflow/")) else word
        for word in shlex.split(text)
    ]
    written: list[Path] = []
    option = ""
    read: list[Path] = []
    for word in words:
        if word.startswith("--"):
            option = word
        elif word.startswith(str(folder / "results")):
            (written if option in outputs_of(words[0]) else read).append(Path(word))
    verb = words[0]
    return Job(verb, words, [] if verb in LEFT_OUT else read, written)


def outputs_of(verb: str) -> set[str]:
    if verb == "compare-published":
        return {"--numbers", "--seeds", "--table", "--page"}
    return {"--output"}


# ---- the storm -------------------------------------------------------------------------------


def test_every_verb_that_reads_results_is_in_the_storm(jobs):
    verbs = {job.verb for job in jobs}
    assert {"train", "compare", "probe", "measure", "sensitivity", "summarise"} <= verbs
    assert {"contrast", "summarise-probe", "controls", "partition", "power"} <= verbs
    assert {"summarise-measures", "table", "draw", "compare-published", "draw-published"} <= verbs


def test_damage_is_one_clear_line_that_names_the_file_or_changes_nothing(
    jobs, capsys, monkeypatch, request
):
    chance = random.Random(20260937)
    by_verb: dict[str, list[Job]] = {}
    for job in jobs:
        by_verb.setdefault(job.verb, []).append(job)
    count = request.config.getoption("--storm")
    faults = []
    for number in range(count):
        job = chance.choice(by_verb[sorted(by_verb)[number % len(by_verb)]])
        path = chance.choice(job.inputs)
        whole, others = path.read_bytes(), [each for each in jobs_files(jobs) if like(each, path)]
        kind = chance.choice([*DAMAGES, *(["swap"] if others else [])])
        if kind == "swap":
            damaged = chance.choice(others).read_bytes()
        else:
            damaged = DAMAGES[kind](whole, chance)
        if damaged == whole:
            continue
        before = {output: output.read_bytes() for output in job.outputs}
        path.write_bytes(damaged)
        try:
            fault = judged(job, path, before, capsys)
        finally:
            path.write_bytes(whole)
            for output, content in before.items():
                output.write_bytes(content)
        if fault:
            faults.append(f"{number} {kind} {path.name} {job.verb}: {fault}")
    assert not faults, "\n".join(faults)


def jobs_files(jobs: list[Job]) -> list[Path]:
    return sorted({path for job in jobs for path in job.inputs})


def like(one: Path, other: Path) -> bool:
    """Whether two files are of one kind: the same place in the results but for names and seeds."""
    same_kind = one.suffix == other.suffix and one.parts[-3] == other.parts[-3]
    return one != other and (same_kind or one.parent == other.parent)


def judged(job: Job, path: Path, before: dict[Path, bytes], capsys) -> str:
    """What is wrong with how the job took its damaged input; empty if nothing is."""
    capsys.readouterr()
    try:
        status = main(job.words)
    except (Exception, SystemExit) as error:
        return f"{type(error).__name__}: {error}"
    lines = [line for line in capsys.readouterr().err.splitlines() if line]
    after = {output: output.read_bytes() if output.exists() else b"" for output in before}
    if status == 0:
        return "" if after == before else "another result without a word"
    if status != 2 or len(lines) != 1:
        return f"status {status}, {len(lines)} lines: {lines[:3]}"
    if str(path) not in lines[0]:
        return f"does not name the file: {lines[0]}"
    return "" if after == before else "failed, but wrote something"
