"""Verify a pair of runs, and train linear heads on the frozen features of both.

A seed that never matches in behaviour, when its match is asked for, gives a table without rows:
the seed stands in the file's provenance.
"""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.sides import add_side_arguments, provenance_of, side_from
from hysteresis.data.images import load_images
from hysteresis.errors import UserError
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.compute import Compute
from hysteresis.jobs.probe import PairProbe
from hysteresis.pairs.behavior import masked_parts
from hysteresis.pairs.columns import Row, typed_table
from hysteresis.pairs.sides import Side, verify
from hysteresis.probes.columns import probe_dtypes
from hysteresis.probes.heads import ProbeImages, matched_step, probe_pair
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import read_table, write_table
from hysteresis.training import devices


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--data", required=True, type=Path, help="folder of MNIST's IDX files")
    parser.add_argument("--name", required=True, help="name of the probe")
    parser.add_argument("--probe", required=True, help="what to probe and how, as JSON")
    add_side_arguments(parser)
    parser.add_argument("--pairs", type=Path, help="the pair's table, to probe it at its match")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    probe = from_json(arguments.probe, PairProbe)
    devices.prepare(Compute("cpu"))
    first = side_from("probe", probe.pair, probe.pair.first, arguments.first)
    second = side_from("probe", probe.pair, probe.pair.second, arguments.second)
    verify(probe.pair, first, second)
    step = _step(probe, arguments.pairs)
    rows = [] if step is None else _rows(probe, first, second, step, arguments.data)
    code = code_digest(__name__, *probe.pair.first.modules)
    provenance = provenance_of(Kind.PROBE, arguments.name, code, probe, first, second)
    write_table(arguments.output, typed_table(rows, probe_dtypes(probe.parts)), provenance)


def _step(probe: PairProbe, table: Path | None) -> int | None:
    if not probe.at_match:
        return probe.pair.steps[-1]
    if table is None:
        raise UserError("probe: to probe a pair at its match give its table with --pairs")
    pair = probe.pair
    rows = read_table(table, Kind.PAIR, pair.experiment, pair.first.seed)
    return matched_step(pair, rows)


def _rows(probe: PairProbe, first: Side, second: Side, step: int, folder: Path) -> list[Row]:
    place = probe.pair.steps.index(step)
    test = load_images(folder, "test", probe.test)
    images = ProbeImages(
        load_images(folder, "train", probe.train), test, masked_parts(probe.parts, test)
    )
    return probe_pair(probe, first.checkpoints[place], second.checkpoints[place], images)
