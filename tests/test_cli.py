"""The command line: what is unknown is said, and signals end it cleanly."""

import signal
import subprocess
import sys
import time

import pytest

from hysteresis.cli import VERBS, main
from hysteresis.jobs.as_json import to_json
from tests.conftest import ROOT, small_run


def test_every_verb_explains_itself(capsys):
    for verb in VERBS:
        with pytest.raises(SystemExit) as ended:
            main([verb, "--help"])
        assert ended.value.code == 0 and f"hysteresis {verb}" in capsys.readouterr().out


def test_an_unknown_verb_is_said(capsys):
    assert main(["trian"]) == 2
    assert "no verb 'trian'" in capsys.readouterr().err.splitlines()[0]


def test_a_missing_or_unknown_argument_is_one_line(capsys):
    for arguments, message in (
        (["train"], "the following arguments are required: --data"),
        (["verify", "results", "--quick"], "unrecognized arguments: --quick"),
    ):
        assert main(arguments) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert message in line and "--help" in line


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_training_without_traceback_and_without_leftovers(
    mnist_folder, tmp_path, number
):
    run = small_run(updates=1_000_000)
    before = small_run(phases=(), relaxation=None, optimizer=None)
    initial = tmp_path / "phase0"
    assert main(["initialise", "--run", to_json(before), "--output", str(initial)]) == 0
    first = small_run(phases=run.phases[:1], relaxation=None)
    command = ["train", "--data", str(mnist_folder), "--run", to_json(first), "--device", "cpu"]
    command += ["--input", str(initial), "--output", str(tmp_path / "phase1")]
    job = subprocess.Popen(
        [sys.executable, "-m", "hysteresis", *command], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    assert job.stderr is not None
    for line in job.stderr:  # the first line of progress: it trains
        if "updates" in line:
            break
    time.sleep(0.2)
    job.send_signal(number)
    errors = job.stderr.read()
    assert job.wait(timeout=60) == 128 + number
    assert "Traceback" not in errors
    assert [path.name for path in tmp_path.iterdir()] == ["phase0"]
