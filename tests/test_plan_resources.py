"""What jobs ask a scheduler for."""

from hysteresis.plan import resources
from tests.test_config import paper_with


def test_training_asks_for_time_by_its_updates():
    paper = paper_with({})
    first = resources.minutes_of_phase(paper, "main", "ABC", 1)
    second = resources.minutes_of_phase(paper, "main", "ABC", 2)
    assert (first, second) == (13, 13)  # 2,400 and 2,300 updates
    assert resources.minutes_to_step(paper, "main", 50_000) == 5 + 84  # from 25,000
    assert resources.minutes_to_step(paper, "main", 100) == 6


def test_measuring_asks_for_time_by_its_checkpoints():
    one, two = (paper_with({"measures": {"steps": steps}}) for steps in ([0], [0, 10_000]))
    assert resources.measuring_minutes(one) < resources.measuring_minutes(two)


def test_training_asks_for_a_gpu_only_where_cuda_is_configured():
    assert [resources.gpus(device) for device in ("auto", "cpu", "cuda")] == [0, 0, 1]


def test_a_gpu_that_is_asked_for_and_not_seen_is_said(monkeypatch):
    monkeypatch.setattr(resources.shutil, "which", lambda name: None)
    monkeypatch.setattr(resources.Path, "exists", lambda path: False)
    assert "no GPU is seen on this machine" in resources.gpu_warning("cuda")
    assert resources.gpu_warning("cpu") is None and resources.gpu_warning("auto") is None
    monkeypatch.setattr(resources.shutil, "which", lambda name: "/usr/bin/nvidia-smi")
    assert resources.gpu_warning("cuda") is None
