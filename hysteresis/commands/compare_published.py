"""Lay this rebuild's numbers beside the published ones, with a verdict on each."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, pooled_from
from hysteresis.jobs.as_json import from_json
from hysteresis.provenance.files import write_text
from hysteresis.provenance.kinds import Kind
from hysteresis.published import own_seeds, verdicts
from hysteresis.published import page as published_tables
from hysteresis.published import seeds as published
from hysteresis.published.design import Counterparts, counterparts
from hysteresis.published.verdicts import Sides
from hysteresis.tables.formats import write_sealed


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--published", default=published.FOLDER, type=Path, help="folder of the published numbers"
    )
    parser.add_argument("--design", required=True, help="the experiments compared, as JSON")
    add_pooled_arguments(parser, "pairs")
    add_pooled_arguments(parser, "probes")
    parser.add_argument("--output", required=True, type=Path, help="csv, a row a number")
    parser.add_argument("--page", required=True, type=Path, help="the same as Markdown")
    parser.add_argument("--seeds", required=True, type=Path, help="csv, a row a value and seed")


def run(arguments: Namespace) -> None:
    own_design = from_json(arguments.design, Counterparts)
    own = own_seeds.seed_tables(
        own_design,
        pooled_from(arguments, "pairs", Kind.PAIR),
        pooled_from(arguments, "probes", Kind.PROBE),
    )
    sides = Sides(
        published.seed_tables(arguments.published),
        counterparts(published.read_protocol(arguments.published)),
        own,
        own_design,
    )
    aggregates = published.read(arguments.published, "aggregates")
    table = verdicts.compare(aggregates, sides)
    deviations = verdicts.deviations(sides)
    seeds = verdicts.seed_values(aggregates, sides)
    write_text(arguments.output, table.to_csv(index=False, lineterminator="\n"))
    write_text(arguments.seeds, seeds.to_csv(index=False, lineterminator="\n"))
    write_sealed(arguments.page, published_tables.page(table, deviations))
    print("\n".join(published_tables.summary_lines(table, deviations)))
