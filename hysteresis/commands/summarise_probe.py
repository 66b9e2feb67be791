"""Statistics over seeds of linear probes: probe tables in, one tidy table out."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, expected_from, pooled_from
from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.probe import ProbeSettings
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.statistics.probes import summarise_probe


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--name", required=True, help="name of the probe")
    parser.add_argument("--settings", required=True, help="the probe's settings, as JSON")
    add_pooled_arguments(parser, "probes")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    settings = from_json(arguments.settings, ProbeSettings)
    # Not from the rows: a seed that never matches has none.
    seeds = [seed for _, seed in expected_from(arguments, "probes")]
    probes = pooled_from(arguments, "probes", Kind.PROBE)
    table = summarise_probe(arguments.name, settings, probes, seeds)
    write_table(
        arguments.output,
        table,
        Provenance(Kind.PROBE_STATISTICS, arguments.name, code_digest(__name__)),
    )
