"""The jobs whose benchmarks the table of costs pools: those of the paper, whatever else has run."""

from pathlib import Path

from hysteresis.config.configuration import Configuration
from hysteresis.plan import paths


def benchmark_files(configuration: Configuration) -> list[str]:
    """Benchmarks of all training and analysis jobs of the paper but drawing and printing."""
    jobs = _training_jobs(configuration) | _analysis_jobs(configuration)
    return [paths.benchmark(rule, job) for rule, names in jobs.items() for job in names]


def benchmarked_jobs(configuration: Configuration) -> list[str]:
    """The same jobs as rule/job, those of a run's phases and steps together."""
    files = map(Path, benchmark_files(configuration))
    return list(dict.fromkeys(map(paths.job_of, files)))


def _training_jobs(configuration: Configuration) -> dict[str, list[str]]:
    jobs: dict[str, list[str]] = {"initialise": [], "train_phase": [], "relax": []}
    runs = configuration.last_steps(configuration.paper_experiments)
    for (condition, history, seed), last in runs.items():
        run = f"{condition}_seed{seed}_{history}"
        phases = range(1, len(configuration.histories[history].phases) + 1)
        steps = [step for step in configuration.steps(condition) if 0 < step <= last]
        jobs["initialise"].append(run)
        jobs["train_phase"] += [f"{run}_phase{phase}" for phase in phases]
        jobs["relax"] += [f"{run}_step{step}" for step in steps]
    return jobs


def _analysis_jobs(configuration: Configuration) -> dict[str, list[str]]:
    roles, experiments = configuration.paper, configuration.paper_experiments
    probes = {
        probe: configuration.probes[probe].experiment
        for probe in (roles.probe, *roles.secondary_probes)
    }
    return {
        "compare_pair": _of_seeds(configuration, {name: name for name in experiments}),
        "probe_pair": _of_seeds(configuration, probes),
        "summarise_experiment": list(experiments),
        "contrast_experiments": list(configuration.contrasts),
        "summarise_probe": list(probes),
    }


def _of_seeds(configuration: Configuration, experiments: dict[str, str]) -> list[str]:
    """A job a seed of the experiment that each name stands for."""
    return [
        f"{name}_seed{seed}"
        for name, experiment in experiments.items()
        for seed in configuration.experiments[experiment].seeds
    ]
