"""Figure 1: the design. Two histories, the common phase, and what is compared at its checkpoints.

Drawn from the comparison alone: tasks, lengths, seeds and checkpoints are those that were run.
All places are in inches from the lower left corner.
"""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from hysteresis.figures import style
from hysteresis.figures.inputs import FigureInputs
from hysteresis.jobs.pair import Comparison
from hysteresis.jobs.run import ALL_CLASSES, ImageSelection, Phase, Run
from hysteresis.training.layers import architecture_named

MARGIN = 0.08
BAR_HEIGHT = 0.5
PHASES_LEFT, PHASES_RIGHT = 1.2, 3.3
COMMON_LEFT, COMMON_RIGHT = 3.8, style.TWO_COLUMNS - MARGIN
PHASE_GAP = 0.12
LINE = 0.17
KEY_GAP = 0.25
ALL_TEXT = "all digits"
_ROUNDED = "round,pad=0,rounding_size=0.06"
# Tints of Okabe and Ito's colours, light enough for dark text, in the order in which tasks appear;
# tasks also carry their names.
_FILLS = ("#F6D28B", "#A9D6F2", "#8FD3BC", "#E6BDD3", "#F0E442", "#EDAE80", "#8FBEDC", "#D0D0D0")


@dataclass(frozen=True)
class Heights:
    """Heights of the parts: the two histories' bars (their lower edges), headings, steps, key."""

    headings: float
    first: float
    second: float
    steps: float
    key: float


@style.styled()
def draw(inputs: FigureInputs) -> Figure:
    """The whole design as one drawing of two columns' width."""
    comparison = inputs.comparison
    tasks = tasks_of(comparison)
    fills = {task: _FILLS[place % len(_FILLS)] for place, task in enumerate(tasks)}
    key = _key_lines(tasks)
    heights, height = _heights(len(key))
    figure = style.new_figure(style.TWO_COLUMNS, height)
    figure.set_layout_engine("none")
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, style.TWO_COLUMNS), ylim=(0, height))
    axes.set_axis_off()
    _draw_headings(axes, comparison, heights)
    _draw_initial_weights(axes, comparison, heights)
    for run, bottom in ((comparison.first, heights.first), (comparison.second, heights.second)):
        _draw_history(axes, run, bottom, fills, _most_phases(comparison))
    _draw_optimizer_state(axes, comparison, heights)
    _draw_checkpoints(axes, comparison, heights)
    _draw_compared(axes, comparison, heights)
    _draw_key(axes, key, fills, heights.key)
    return figure


def _heights(key_lines: int) -> tuple[Heights, float]:
    key = MARGIN + LINE * key_lines
    steps = key + 0.5
    second = steps + 0.08
    first = second + BAR_HEIGHT + 1.1
    headings = first + BAR_HEIGHT + 0.65
    return Heights(headings, first, second, steps, key), headings + MARGIN


# ---- what the comparison says, in words ------------------------------------------------------


def tasks_of(comparison: Comparison) -> dict[str, ImageSelection]:
    """Every task of the two runs with its images, in order of appearance."""
    tasks: dict[str, ImageSelection] = {}
    runs = (comparison.first, comparison.second)
    for part in (*runs[0].phases, *runs[1].phases, *(run.relaxation for run in runs)):
        tasks.setdefault(part.task, part.images)
    return tasks


def describe_images(images: ImageSelection, with_rotations: bool) -> str:
    """A selection of images in a few words."""
    turns = " and ".join(
        f"rotated {degrees}°" if degrees else "upright" for degrees in images.rotations
    )
    digits = _digits(images.classes)
    if images.examples_per_class is not None:
        each = "each digit" if digits == ALL_TEXT else f"each of {digits}"
        digits = f"first {images.examples_per_class:,} images of {each}"
    return f"{digits}, {turns}" if with_rotations else digits


def _digits(digits: tuple[int, ...]) -> str:
    if sorted(digits) == list(ALL_CLASSES):
        return ALL_TEXT
    if len(digits) > 2 and list(digits) == list(range(digits[0], digits[-1] + 1)):
        return f"digits {digits[0]}\N{EN DASH}{digits[-1]}"
    return f"digit{'s' if len(digits) > 1 else ''} " + ", ".join(map(str, digits))


def length_of(phase: Phase) -> str:
    """How long a phase lasts, in its own unit."""
    count, unit = (phase.epochs, "epoch") if phase.epochs is not None else (phase.updates, "update")
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def histories_note(comparison: Comparison) -> str:
    """How the two histories differ, as far as their phases tell."""
    first, second = comparison.first.phases, comparison.second.phases
    tasks = [phase.task for phase in first], [phase.task for phase in second]
    streams = "same" if _streams(first) == _streams(second) else "different"
    if tasks[0] == tasks[1]:
        return f"same order, {streams} minibatches"
    if tasks[0] == tasks[1][::-1]:
        return f"opposite order, {streams} minibatches"
    return "different phases"


def _streams(phases: tuple[Phase, ...]) -> list[tuple[object, ...]]:
    """What decides which minibatches a history sees, whatever their order."""
    return sorted((phase.task, phase.stream_seed, length_of(phase)) for phase in phases)


def common_phase_notes(comparison: Comparison) -> tuple[str, str]:
    """What the last phase is, and whether both runs see the same minibatches in it."""
    one, other = comparison.first.relaxation, comparison.second.relaxation
    if (one.task, one.images) != (other.task, other.images):
        return "Last phase", "different tasks"
    streams = "same" if one.stream_seed == other.stream_seed else "different"
    length = f"{comparison.steps[-1]:,} updates"
    return f"Common phase {one.task}", f"{length}, {streams} minibatches"


def _most_phases(comparison: Comparison) -> int:
    return max(len(run.phases) for run in (comparison.first, comparison.second))


# ---- the drawing -----------------------------------------------------------------------------


def _draw_headings(axes: Axes, comparison: Comparison, heights: Heights) -> None:
    for left, heading, note in (
        (PHASES_LEFT, "Histories", histories_note(comparison)),
        (COMMON_LEFT, *common_phase_notes(comparison)),
    ):
        size = style.TEXT_SIZE + 1
        axes.text(left, heights.headings, heading, va="top", size=size, weight="bold")
        axes.text(left, heights.headings - LINE, note, va="top", size=style.TEXT_SIZE)


def _draw_initial_weights(axes: Axes, comparison: Comparison, heights: Heights) -> None:
    middles = [bottom + BAR_HEIGHT / 2 for bottom in (heights.first, heights.second)]
    if comparison.first.weights == comparison.second.weights:
        places = [(sum(middles) / 2, "same\ninitial\nweights", middles)]
    else:
        places = [(middle, "own\ninitial\nweights", [middle]) for middle in middles]
    for middle, text, targets in places:
        half = 0.26
        box = (MARGIN, middle - half), 0.62, 2 * half
        axes.add_patch(FancyBboxPatch(*box, boxstyle=_ROUNDED, fc="white", ec=style.DARK, lw=0.8))
        axes.text(MARGIN + 0.31, middle, text, ha="center", va="center", size=style.SMALL_SIZE)
        for target in targets:
            _arrow(axes, (MARGIN + 0.65, middle), (PHASES_LEFT - 0.03, target))


def _draw_history(
    axes: Axes, run: Run, bottom: float, fills: dict[str, str], most_phases: int
) -> None:
    """One row: the history's name, its phases (the last one touching the common phase), arrows."""
    middle = bottom + BAR_HEIGHT / 2
    width = (PHASES_RIGHT - PHASES_LEFT + PHASE_GAP) / max(most_phases, 1) - PHASE_GAP
    left = PHASES_LEFT
    name = f"history {run.history}"
    axes.text(left, bottom + BAR_HEIGHT + 0.06, name, va="bottom", size=style.SMALL_SIZE)
    for place, phase in enumerate(run.phases):
        if place:
            _arrow(axes, (left - PHASE_GAP, middle), (left, middle))
        _draw_box(axes, left, bottom, width, fills[phase.task])
        _label_phase(axes, phase, left + width / 2, middle, width)
        left += width + PHASE_GAP
    begin = left - PHASE_GAP if run.phases else left
    _arrow(axes, (begin + 0.03, middle), (COMMON_LEFT - 0.03, middle))
    _draw_box(axes, COMMON_LEFT, bottom, COMMON_RIGHT - COMMON_LEFT, fills[run.relaxation.task])
    name = {"ha": "center", "va": "center", "size": style.TEXT_SIZE + 2, "weight": "bold"}
    axes.text((COMMON_LEFT + COMMON_RIGHT) / 2, middle, run.relaxation.task, **name)


def _label_phase(axes: Axes, phase: Phase, center: float, middle: float, width: float) -> None:
    length = length_of(phase)
    if style.text_width(length, style.SMALL_SIZE) > width - 0.06:
        length = length.replace(" ", "\n")
    up, largest = (0.15, style.TEXT_SIZE) if "\n" in length else (0.1, style.TEXT_SIZE + 2)
    room = width - 0.06
    natural = style.text_width(phase.task, largest, "bold")
    name = {"size": largest * min(1, room / natural), "weight": "bold"}
    axes.text(center, middle + up, phase.task, ha="center", va="center", **name)
    axes.text(center, middle - 0.1, length, ha="center", va="center", size=style.SMALL_SIZE)


def _draw_optimizer_state(axes: Axes, comparison: Comparison, heights: Heights) -> None:
    """Between the two rows, where the common phase begins: what becomes of the momentum."""
    words = {"reset": "momentum\nreset", "preserve": "momentum\nkept"}
    states = {run.relaxation.optimizer_state for run in (comparison.first, comparison.second)}
    text = " / ".join(words.get(state, state) for state in sorted(states))
    center = (PHASES_RIGHT + COMMON_LEFT) / 2
    middle = (heights.second + BAR_HEIGHT + heights.first) / 2
    axes.text(center, middle, text, ha="center", va="center", size=style.SMALL_SIZE)
    for end in (heights.second + BAR_HEIGHT / 2 + 0.06, heights.first + BAR_HEIGHT / 2 - 0.06):
        begin = middle + (0.16 if end > middle else -0.16)
        axes.plot([center, center], [begin, end], color=style.GREY, lw=0.7, ls=":")


def _draw_checkpoints(axes: Axes, comparison: Comparison, heights: Heights) -> None:
    """A dot on both bars at every checkpoint, joined, with update counts underneath."""
    scale = style.UpdateScale(comparison.steps)
    inset = 0.15
    width = COMMON_RIGHT - COMMON_LEFT - 2 * inset
    labelled = scale.labelled(width)
    low, high = heights.second + BAR_HEIGHT, heights.first
    for step, share in zip(scale.steps, scale.positions(), strict=True):
        x = COMMON_LEFT + inset + share * width
        axes.plot([x, x], [low, high], color=style.DARK, lw=0.8, marker="o", ms=3.4, zorder=3)
        axes.plot([x, x], [heights.steps, heights.second], color=style.DARK, lw=0.7)
        if step in labelled:
            text = style.step_label(step)
            axes.text(x, heights.steps - 0.03, text, ha="center", va="top", size=style.SMALL_SIZE)
    middle = (COMMON_LEFT + COMMON_RIGHT) / 2
    text = "checkpoints (updates of the common phase)"
    axes.text(middle, heights.steps - 0.18, text, ha="center", va="top", size=style.SMALL_SIZE)


def _draw_compared(axes: Axes, comparison: Comparison, heights: Heights) -> None:
    """What is measured between the two networks, in a box over the lines that join them."""
    match, probe = comparison.match, comparison.probe
    gap, floor = style.points_label(match.max_accuracy_gap), style.points_label(match.min_accuracy)
    images = "test images"
    if probe.examples_per_class is not None:
        count = probe.examples_per_class * len(probe.classes) * len(probe.rotations)
        images = f"{count:,} test images"
    architecture = architecture_named(comparison.first.network.architecture)
    ckas = [rf"\mathrm{{CKA}}_{{\mathrm{{{layer}}}}}" for layer in architecture.in_h_repr]
    lines = (
        r"$\mathbf{compared\ at\ every\ checkpoint}$",
        "behaviour: accuracy gap on the test set",
        f"(match: gap ≤ {gap} points, both ≥ {floor}%)",
        f"representations on {images}:",
        rf"{style.H_REPR} = 1 {style.MINUS} (${' + '.join(ckas)}$) / {len(ckas)}",
    )
    center = (COMMON_LEFT + COMMON_RIGHT) / 2
    middle = (heights.second + BAR_HEIGHT + heights.first) / 2
    box = {"boxstyle": "round,pad=0.35", "fc": "white", "ec": style.GREY, "lw": 0.7}
    place = {"ha": "center", "va": "center", "linespacing": 1.35, "zorder": 5}
    axes.text(center, middle, "\n".join(lines), size=style.SMALL_SIZE, bbox=box, **place)


def _key_lines(tasks: dict[str, ImageSelection]) -> list[list[tuple[str, str]]]:
    """The tasks and their images, broken into lines that fit the figure's width."""
    with_rotations = any(images.rotations != (0,) for images in tasks.values())
    lines: list[list[tuple[str, str]]] = [[]]
    free = style.TWO_COLUMNS - 2 * MARGIN
    for task, images in tasks.items():
        entry = (task, describe_images(images, with_rotations))
        width = _key_width(entry) + KEY_GAP
        if lines[-1] and width > free:
            lines.append([])
            free = style.TWO_COLUMNS - 2 * MARGIN
        lines[-1].append(entry)
        free -= width
    return lines


def _key_width(entry: tuple[str, str]) -> float:
    task, words = entry
    size = style.SMALL_SIZE
    return 0.2 + style.text_width(task, size, "bold") + 0.07 + style.text_width(words, size)


def _draw_key(
    axes: Axes, lines: list[list[tuple[str, str]]], fills: dict[str, str], top: float
) -> None:
    for place, entries in enumerate(lines):
        left, middle = MARGIN, top - LINE * (place + 0.5)
        for task, words in entries:
            _draw_box(axes, left, middle - 0.055, 0.14, fills[task], height=0.11)
            text = {"va": "center_baseline", "size": style.SMALL_SIZE}
            begin = left + 0.2
            axes.text(begin, middle, task, weight="bold", **text)
            begin += style.text_width(task, style.SMALL_SIZE, "bold") + 0.07
            axes.text(begin, middle, words, **text)
            left += _key_width((task, words)) + KEY_GAP


def _draw_box(
    axes: Axes, left: float, bottom: float, width: float, fill: str, height: float = BAR_HEIGHT
) -> None:
    boxstyle = _ROUNDED if height >= BAR_HEIGHT else "round,pad=0,rounding_size=0.02"
    look = {"boxstyle": boxstyle, "fc": fill, "ec": style.DARK, "lw": 0.7, "zorder": 2}
    axes.add_patch(FancyBboxPatch((left, bottom), width, height, **look))


def _arrow(axes: Axes, begin: tuple[float, float], end: tuple[float, float]) -> None:
    look = {"arrowstyle": "-|>", "mutation_scale": 8, "lw": 0.9, "color": style.DARK}
    axes.add_patch(FancyArrowPatch(begin, end, shrinkA=0, shrinkB=0, zorder=1, **look))
