"""The published numbers: what the paper prints, its protocol, and the per-seed values behind it.

All are files of workflow/published; its README.md says what each column means.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from hysteresis.config.configuration import Configuration
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import structure
from hysteresis.pairs.matching import behavioral_match, counts_from_fractions
from hysteresis.published.samples import SeedTables

FOLDER = Path("workflow/published")
RELAXATIONS = ("main", "long", "rotated")
ACTIVATIONS = ("relu", "leaky_relu")
FIVE_HEADS = 5
_TEST_IMAGES = 10_000  # of MNIST, in one rotation
_DIGITS = 10


def read(folder: Path, name: str) -> pd.DataFrame:
    """One table of the folder; printed digits stay text. A missing file is a UserError."""
    path = folder / f"{name}.csv"
    try:
        return pd.read_csv(path, dtype={"printed": str, "exact": str})
    except (OSError, ValueError) as error:
        raise UserError(
            f"{path}: the published numbers cannot be read ({error}); run in the repository's "
            "folder, or name the folder with --published"
        ) from None


def read_protocol(folder: Path) -> Configuration:
    """The protocol of the published numbers, in the form of a configuration."""
    path = folder / "protocol.yaml"
    try:
        mapping = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise UserError(f"{path}: cannot be read ({error}); restore the file") from None
    return structure(mapping, Configuration)


def seed_tables(folder: Path) -> SeedTables:
    """The per-seed values on integer counts, matched by the declared criterion."""
    protocol = read_protocol(folder)
    pairs = {name: relaxation(folder, name, protocol) for name in RELAXATIONS}
    for activation in ACTIVATIONS:
        pairs[f"activation_{activation}"] = _activation(folder, activation, protocol)
    return SeedTables(pairs, _probes(folder, protocol))


def images_behind(protocol: Configuration, experiment: str) -> Mapping[str, int]:
    """How many images ``accuracy`` and ``disagreement`` of an experiment were taken of."""
    compared = protocol.comparison(experiment, protocol.experiments[experiment].seeds[0])
    return {
        "accuracy": _TEST_IMAGES * len(compared.test.rotations),
        "disagreement": compared.probe.examples_per_class * _DIGITS * len(compared.probe.rotations),
    }


def relaxation(folder: Path, experiment: str, protocol: Configuration) -> pd.DataFrame:
    """One experiment as a pair table, a row a seed and checkpoint, seeds in the paper's order."""
    table = read(folder, f"{experiment}_relaxation").sort_values(["seed", "step"])
    images, match = images_behind(protocol, experiment), protocol.analysis.match
    total = images["accuracy"]
    first, second = (
        counts_from_fractions(table[f"accuracy_{history}"], total) for history in ("abc", "bac")
    )
    matches = [
        behavioral_match(one, other, total, str(match.max_accuracy_gap), str(match.min_accuracy))
        for one, other in zip(first, second, strict=True)
    ]
    return pd.DataFrame(
        {
            "seed": table["seed"].to_numpy(),
            "step": table["step"].to_numpy(),
            "total": total,
            "correct_abc": first,
            "correct_bac": second,
            "correct_difference": first - second,
            "behavioral_match": np.array(matches),
            "h_repr": table["h_repr"].to_numpy(),
            "probe_images": images["disagreement"],
            "disagreements": counts_from_fractions(
                table["prediction_disagreement"], images["disagreement"]
            ),
        }
    )


def _activation(folder: Path, activation: str, protocol: Configuration) -> pd.DataFrame:
    """One side of the activation control; of its accuracies only the absolute gap is published."""
    table = read(folder, "activation_control").sort_values(["seed", "step"])
    images = images_behind(protocol, f"activation_{activation}")
    gap, disagreement = (
        table[f"{column}_{activation}"]
        for column in ("absolute_accuracy_gap", "prediction_disagreement")
    )
    return pd.DataFrame(
        {
            "seed": table["seed"].to_numpy(),
            "step": table["step"].to_numpy(),
            "total": images["accuracy"],
            "correct_difference": counts_from_fractions(gap, images["accuracy"]),
            "h_repr": table[f"h_repr_{activation}"].to_numpy(),
            "probe_images": images["disagreement"],
            "disagreements": counts_from_fractions(disagreement, images["disagreement"]),
        }
    )


def _probes(folder: Path, protocol: Configuration) -> pd.DataFrame:
    images = images_behind(protocol, protocol.probes[protocol.paper.probe].experiment)
    total = images["disagreement"]
    table = read(folder, "probe_final_epoch")
    table = table[table["domain"] == "full"]
    first, second = (
        counts_from_fractions(table[f"accuracy_{history}"], total) for history in ("abc", "bac")
    )
    single = pd.DataFrame(
        {
            "images_per_class": table["examples_per_class"].to_numpy(),
            "heads": 1,
            "seed": table["seed"].to_numpy(),
            "correct_difference": first - second,
            "total": total,
        }
    )
    return pd.concat([single, _five_heads(folder, FIVE_HEADS * total)], ignore_index=True)


def _five_heads(folder: Path, total: int) -> pd.DataFrame:
    table = read(folder, "probe_seed_robustness")
    return pd.DataFrame(
        {
            "images_per_class": 50,
            "heads": FIVE_HEADS,
            "seed": table["seed"],
            "correct_difference": counts_from_fractions(table["mean_signed_difference"], total),
            "total": total,
        }
    )
