"""Whether an experiment of this configuration is the published one, and if not, in what it differs.

Only like is compared with like: a number of a run with other phases, another learning rate or
other checkpoints is no reproduction of the published number, however near it comes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from hysteresis.config.configuration import Configuration
from hysteresis.jobs.pair import Comparison, MatchSettings
from hysteresis.jobs.probe import PairProbe
from hysteresis.jobs.run import ALL_CLASSES, ImageSelection, Phase, Run

CRITERION = "criterion of the match"
Facts = dict[tuple[str, str], str]  # (what, where) -> its value as text


@dataclass(frozen=True)
class Counterpart:
    """One experiment of a configuration: its ``comparison`` of its first seed, and all seeds."""

    comparison: Comparison
    seeds: tuple[int, ...]


@dataclass(frozen=True)
class Counterparts:
    """The experiments of a configuration under the paper's names, and its probe."""

    experiments: dict[str, Counterpart]
    probe: PairProbe


def counterparts(configuration: Configuration) -> Counterparts:
    """What stands, in this configuration, for each of the paper's experiments."""
    experiments = {
        role: Counterpart(
            configuration.comparison(name, configuration.experiments[name].seeds[0]),
            configuration.experiments[name].seeds,
        )
        for role, name in configuration.published_experiments.items()
    }
    probe = configuration.paper.probe
    probed = configuration.probes[probe].experiment
    first_seed = configuration.experiments[probed].seeds[0]
    return Counterparts(experiments, configuration.pair_probe(probe, first_seed))


# ---- differences -----------------------------------------------------------------------------


def design_differences(own: Comparison, published: Comparison) -> list[str]:
    """How the training and measurement of two comparisons differ, a line each; [] if they agree.

    Names of conditions, histories and tasks are free, and so are the checkpoints, which are looked
    at number by number. Seeds count as offsets from the run's seed.
    """
    return _differences(_comparison_facts(own), _comparison_facts(published))


def match_differences(own: Comparison, published: Comparison) -> list[str]:
    """How the behavioural match differs: the criterion, and the checkpoints it is looked for at."""
    return _differences(_match_facts(own), _match_facts(published))


def probe_differences(own: PairProbe, published: PairProbe) -> list[str]:
    """How two probes differ, their budgets apart, which are looked at number by number."""
    return _differences(_probe_facts(own), _probe_facts(published))


def budget_differences(own: PairProbe, published: PairProbe, images: int, heads: int) -> list[str]:
    """How the heads of one budget differ: the first of them, or ``heads`` of them."""
    (as_published,) = (budget for budget in published.budgets if budget.images_per_class == images)
    found = [budget for budget in own.budgets if budget.images_per_class == images]
    if not found:
        return [f"no budget of {images} images a digit"]
    own_seeds, seeds = found[0].head_seeds[:heads], as_published.head_seeds[:heads]
    # A longer list is also averaged whole, so for several heads it must be the same list.
    same = own_seeds == seeds and (heads == 1 or len(found[0].head_seeds) == heads)
    return [] if same else [f"head seeds {_listed(found[0].head_seeds)}, not {_listed(seeds)}"]


def coverage_differences(own: Counterpart, published: Counterpart) -> list[str]:
    """Which published seeds and checkpoints an experiment lacks, and whether it has others."""
    lines = []
    for name, ours, theirs in (
        ("seeds", own.seeds, published.seeds),
        ("checkpoints", own.comparison.steps, published.comparison.steps),
    ):
        shared = [value for value in theirs if value in ours]
        others = len(set(ours) - set(theirs))
        if len(shared) < len(theirs) or others:
            more = f", and {others} of its own" if others else ""
            lines.append(f"{len(shared)} of the {len(theirs)} published {name}{more}")
    return lines


def _differences(own: Facts, published: Facts) -> list[str]:
    facts = dict.fromkeys([*published, *own])
    places: dict[str, list[tuple[str, str]]] = {}
    for what, where in facts:
        here, there = own.get((what, where), "none"), published.get((what, where), "none")
        if here != there:
            places.setdefault(f"{what}: {here}, not {there}", []).append((what, where))
    return [text + _where(found, facts) for text, found in places.items()]


def _where(found: list[tuple[str, str]], facts: Iterable[tuple[str, str]]) -> str:
    """In which histories and phases; nothing where it is so in all."""
    everywhere = [fact for fact in facts if fact[0] == found[0][0]]
    return "" if found == everywhere else f" ({'; '.join(where for _, where in found)})"


# ---- facts -----------------------------------------------------------------------------------


def _comparison_facts(comparison: Comparison) -> Facts:
    return _pair_facts(comparison.first, comparison.second) | {
        ("test images", ""): _images_text(comparison.test),
        ("images for representations", ""): _images_text(comparison.probe),
    }


def _pair_facts(first: Run, second: Run) -> Facts:
    facts: Facts = {}
    for name, run in (("first history", first), ("second history", second)):
        facts |= {(what, name): text for what, text in _run_facts(run).items()}
        for number, phase in enumerate(run.phases, start=1):
            place = f"{name}, phase {number}"
            facts |= {
                ("phase images", place): _images_text(phase.images),
                ("phase length", place): _length_text(phase),
                ("phase stream seed offset", place): str(phase.stream_seed - run.seed),
            }
    return facts


def _run_facts(run: Run) -> Mapping[str, str]:
    network, optimizer, common = run.network, run.optimizer, run.relaxation
    slope = f", slope {network.negative_slope:g}" if network.activation != "relu" else ""
    return {
        "architecture": network.architecture,
        "shape of images": _listed(network.image_shape),
        "number of classes": str(network.classes),
        "activation": network.activation + slope,
        "channels": _listed(network.channels),
        "hidden units": str(network.hidden),
        "initial weights' seed offset": str(run.weights.seed - run.seed),
        "perturbation of the initial weights": f"{run.weights.perturbation:g}",
        "learning rate": f"{optimizer.learning_rate:g}",
        "momentum": f"{optimizer.momentum:g}",
        "weight decay": f"{optimizer.weight_decay:g}",
        "batch size": str(optimizer.batch_size),
        "images of the common phase": _images_text(common.images),
        "stream seed offset of the common phase": str(common.stream_seed - run.seed),
        "optimizer state at the common phase": common.optimizer_state,
        "layers drawn anew at the common phase": _reinitialised_text(run),
    }


def _match_facts(comparison: Comparison) -> Facts:
    return {
        (CRITERION, ""): _match_text(comparison.match),
        ("checkpoints of the match", ""): _listed(comparison.steps),
    }


def _probe_facts(probe: PairProbe) -> Facts:
    head = probe.head
    steps = "the match" if probe.at_match else _listed(probe.pair.steps)
    facts = {
        "probed layer": probe.layer,
        "probed checkpoint": steps,
        "learning rate of the heads": f"{head.learning_rate:g}",
        "batch size of the heads": str(head.batch_size),
        "epochs of the heads": str(head.epochs),
        "rotations of the heads' images": _listed(probe.train.rotations),
        "test images of the heads": _images_text(probe.test),
    }
    return _pair_facts(probe.pair.first, probe.pair.second) | {
        (what, ""): text for what, text in facts.items()
    }


# ---- text ------------------------------------------------------------------------------------


def _images_text(images: ImageSelection) -> str:
    digits = "all digits" if images.classes == ALL_CLASSES else f"digits {_listed(images.classes)}"
    turned = "" if images.rotations == (0,) else f" at {_listed(images.rotations)} degrees"
    few = (
        ""
        if images.examples_per_class is None
        else f", first {images.examples_per_class:,} of each"
    )
    index, of = images.share
    part = "" if of == 1 else f", share {index} of {of}"
    return f"{images.data_set}, {digits}{turned}{few}{part}"


def _reinitialised_text(run: Run) -> str:
    common = run.relaxation
    offset = common.reinitialisation_seed - run.seed
    return (
        f"{_listed(common.reinitialised)}, seed offset {offset}" if common.reinitialised else "none"
    )


def _length_text(phase: Phase) -> str:
    return f"{phase.epochs} epochs" if phase.updates is None else f"{phase.updates:,} updates"


def _match_text(match: MatchSettings) -> str:
    return f"gap at most {100 * match.max_accuracy_gap:g} points, " + (
        f"both at least {100 * match.min_accuracy:g}%"
    )


def _listed(values: tuple[object, ...]) -> str:
    return " ".join(str(value) for value in values)
