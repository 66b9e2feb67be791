"""Invented results of a rebuild: the published seeds with noise, as tables and as files."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.published import design
from hysteresis.published import seeds as published
from hysteresis.published.design import Counterparts
from hysteresis.published.samples import SeedTables
from hysteresis.published.verdicts import PublishedAndOwn
from tests.conftest import ROOT

PUBLISHED = ROOT / "workflow/published"


def published_design() -> Counterparts:
    return design.counterparts(published.read_protocol(PUBLISHED))


def noisy_tables(
    h_noise: float = 0.02, h_shift: float = 0.0, generator_seed: int = 1
) -> SeedTables:
    """The published per-seed values with noise in H_repr and in every count."""
    generator = np.random.default_rng(generator_seed)
    exact = published.seed_tables(PUBLISHED)
    pairs = {}
    for name, table in exact.pairs.items():
        noise = generator.normal(h_shift, h_noise, len(table)) if h_noise else h_shift
        table = table.assign(h_repr=table["h_repr"] + noise)
        table["disagreements"] += generator.integers(-5, 6, len(table))
        pairs[name] = table
    probes = exact.probes.copy()
    probes["correct_difference"] += generator.integers(-8, 9, len(probes))
    return SeedTables(pairs, probes)


def sides_of(own: SeedTables, own_design: Counterparts | None = None) -> PublishedAndOwn:
    design = published_design()
    return PublishedAndOwn(published.seed_tables(PUBLISHED), design, own, own_design or design)


def quick_design() -> Counterparts:
    """The published experiments with short phases and few, early checkpoints."""
    design = published_design()

    def quick(run):
        phases = tuple(replace(phase, epochs=None, updates=60) for phase in run.phases)
        return replace(run, phases=phases)

    experiments = {
        name: replace(
            each,
            seeds=each.seeds[:2],
            comparison=replace(
                each.comparison,
                first=quick(each.comparison.first),
                second=quick(each.comparison.second),
                steps=(0, 50, 150),
            ),
        )
        for name, each in design.experiments.items()
    }
    pair = design.probe.pair
    pair = replace(pair, first=quick(pair.first), second=quick(pair.second), steps=(150,))
    return Counterparts(experiments, replace(design.probe, pair=pair))


def write_files(tables: SeedTables, folder: Path) -> list[str]:
    """The tables as the workflow's files, and as arguments that name them and whose they are."""
    pairs, probes, pairs_of = [], [], []
    for name, table in tables.pairs.items():
        pairs_of.append([name, table["seed"].drop_duplicates().sort_values().tolist()])
        for seed, rows in table.groupby("seed"):
            # The activation control has published neither signed gaps nor matches.
            rows = rows.reindex(columns=[*tables.pairs["main"].columns])
            matches = rows["behavioral_match"].eq(True)
            rows = rows.fillna({"correct_abc": 0, "correct_bac": 0})
            rows = rows.assign(experiment=name, behavioral_match=matches)
            pairs.append(str(folder / f"pairs/{name}/seed{seed}.parquet"))
            write_table(Path(pairs[-1]), rows, Provenance(Kind.PAIR, name, "same", seed))
    for seed, rows in _head_rows(tables.probes).groupby("seed"):
        probes.append(str(folder / f"probes/main/seed{seed}.parquet"))
        write_table(Path(probes[-1]), rows, Provenance(Kind.PROBE, "main", "same", seed))
    probes_of = [["main", sorted(tables.probes["seed"].unique().tolist())]]
    return [
        *("--pairs", *pairs, "--pairs-of", json.dumps(pairs_of)),
        *("--probes", *probes, "--probes-of", json.dumps(probes_of)),
    ]


def _head_rows(probes: pd.DataFrame) -> pd.DataFrame:
    """Heads with the differences of the table: the last four share what the first leaves."""
    rows = []
    head_seeds = (777, 1777, 2777, 3777, 4777)
    for (images, seed), group in probes.groupby(["images_per_class", "seed"]):
        by_heads = group.set_index("heads")["correct_difference"]
        first = int(by_heads[1])
        rest = int(by_heads.get(5, first)) - first
        differences = [first, rest, 0, 0, 0] if 5 in by_heads else [first]
        for head_seed, difference in zip(head_seeds[: len(differences)], differences, strict=True):
            for side, correct in (("first", 1000 + difference), ("second", 1000)):
                for epoch in (19, 20):
                    rows.append(
                        {
                            "seed": seed,
                            "images_per_class": images,
                            "head_seed": head_seed,
                            "epoch": epoch,
                            "side": side,
                            "correct": correct if epoch == 20 else 0,
                            "total": 2_000,
                        }
                    )
    return pd.DataFrame(rows)
