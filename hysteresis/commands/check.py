"""Check configuration files: what is wrong, in which line or place, before Snakemake reads them."""

from argparse import ArgumentParser, Namespace
from functools import reduce
from pathlib import Path

from hysteresis.config.loading import configuration_from
from hysteresis.config.reading import laid_over, read_mapping, require_readable

DEFAULT = Path("config/config.yaml")
SCHEMA = Path("workflow/schemas/config.schema.yaml")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="*", type=Path, help=f"laid over {DEFAULT} in this order, as by --configfile"
    )


def run(arguments: Namespace) -> None:
    require_readable(DEFAULT, arguments.files)
    mappings = map(read_mapping, (DEFAULT, *arguments.files))
    configuration = configuration_from(reduce(laid_over, mappings), SCHEMA)
    updates = configuration.total_updates(configuration.experiments)
    runs = len(configuration.last_steps(configuration.experiments))
    print(
        f"{len(configuration.experiments)} experiments, {runs} runs, {updates:,} updates of "
        "training; nothing is wrong"
    )
