"""Statistics over seeds of linear probes: probe tables in, one tidy table out."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.jobs.as_json import from_json
from hysteresis.jobs.probe import ProbeSettings
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.tables import read_pooled, read_provenance, write_table
from hysteresis.statistics.probes import summarise_probe


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--name", required=True, help="name of the probe")
    parser.add_argument("--settings", required=True, help="the probe's settings, as JSON")
    parser.add_argument("--probes", required=True, nargs="+", type=Path, help="in seed order")
    parser.add_argument("--output", required=True, type=Path, help="Parquet table to write")


def run(arguments: Namespace) -> None:
    settings = from_json(arguments.settings, ProbeSettings)
    # From the files' provenance: a seed that never matches has no rows.
    seeds = [int(read_provenance(file)["seed"]) for file in arguments.probes]
    table = summarise_probe(arguments.name, settings, read_pooled(arguments.probes), seeds)
    write_table(arguments.output, table, {"code": code_digest(__name__)})
