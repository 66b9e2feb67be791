"""How often a 95% interval of the mean covers the true mean, by number of seeds.

    python -m benchmarks.interval_coverage [--data-sets 2000]

Normal and lognormal (sigma 1) values, simulated with a fixed seed; the intervals are those of
``hysteresis.statistics.paired``, the bootstraps with 2,000 resamples. Prints a table in Markdown.
With 2,000 data sets a share of 0.95 is good to 0.01 (two standard errors), one of 0.8 to 0.02.
"""

import argparse
import math
from collections.abc import Callable

import numpy as np

from hysteresis.statistics.paired import Interval, bca_interval, bootstrap_interval, t_interval

SEED_COUNTS = (3, 5, 10, 20)
RESAMPLES = 2_000
# How to draw values, and their true mean.
DISTRIBUTIONS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], float]] = {
    "normal": (lambda generator, n: generator.normal(size=n), 0.0),
    "lognormal": (lambda generator, n: generator.lognormal(size=n), math.exp(0.5)),
}
INTERVALS: dict[str, Callable[[np.ndarray, int], Interval]] = {
    "t": lambda values, seed: t_interval(values),
    "percentile bootstrap": lambda values, seed: bootstrap_interval(values, seed, RESAMPLES),
    "BCa bootstrap": lambda values, seed: bca_interval(values, seed, RESAMPLES),
}


def coverage(distribution: str, n: int, data_sets: int) -> dict[str, float]:
    """Of each interval the share of simulated data sets of ``n`` values whose mean it covers."""
    draw, mean = DISTRIBUTIONS[distribution]
    generator = np.random.default_rng([n, data_sets])
    covered = dict.fromkeys(INTERVALS, 0)
    for seed in range(data_sets):
        values = draw(generator, n)
        for name, interval in INTERVALS.items():
            low, high = interval(values, seed)
            covered[name] += low <= mean <= high
    return {name: hits / data_sets for name, hits in covered.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-sets", type=int, default=2_000)
    data_sets = parser.parse_args().data_sets
    print("| values | seeds |", " | ".join(INTERVALS), "|")
    print("|---|---|" + "---|" * len(INTERVALS))
    for distribution in DISTRIBUTIONS:
        for n in SEED_COUNTS:
            shares = coverage(distribution, n, data_sets).values()
            numbers = " | ".join(f"{share:.2f}" for share in shares)
            print(f"| {distribution} | {n} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
