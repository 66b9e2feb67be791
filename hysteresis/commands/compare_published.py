"""Lay this rebuild's numbers beside the published ones, with a verdict on each."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from hysteresis.commands.pooled import add_pooled_arguments, pooled_from
from hysteresis.jobs.as_json import from_json
from hysteresis.provenance.digest import code_digest
from hysteresis.provenance.files import write_text
from hysteresis.provenance.kinds import Kind
from hysteresis.provenance.tables import Provenance, write_table
from hysteresis.published import own_seeds, verdicts
from hysteresis.published import page as published_tables
from hysteresis.published import seeds as published
from hysteresis.published.design import Counterparts, counterparts
from hysteresis.published.verdicts import PublishedAndOwn
from hysteresis.tables.formats import write_sealed


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--published", default=published.FOLDER, type=Path, help="folder of the published numbers"
    )
    parser.add_argument("--design", required=True, help="the experiments compared, as JSON")
    add_pooled_arguments(parser, "pairs")
    add_pooled_arguments(parser, "probes")
    parser.add_argument("--numbers", required=True, type=Path, help="Parquet, a row a number")
    parser.add_argument("--seeds", required=True, type=Path, help="Parquet, a row a value and seed")
    parser.add_argument("--table", required=True, type=Path, help="the numbers as csv")
    parser.add_argument("--page", required=True, type=Path, help="the same as Markdown")


def run(arguments: Namespace) -> None:
    own_design = from_json(arguments.design, Counterparts)
    own = own_seeds.seed_tables(
        own_design,
        pooled_from(arguments, "pairs", Kind.PAIR),
        pooled_from(arguments, "probes", Kind.PROBE),
    )
    both = PublishedAndOwn(
        published.seed_tables(arguments.published),
        counterparts(published.read_protocol(arguments.published)),
        own,
        own_design,
    )
    aggregates = published.read(arguments.published, "aggregates")
    table = verdicts.verdicts_on(aggregates, both)
    deviations = verdicts.deviations(both)
    seeds = verdicts.seed_values(aggregates, both)
    name, code = own_design.experiments["main"].comparison.experiment, code_digest(__name__)
    write_table(arguments.numbers, table, Provenance(Kind.PUBLISHED_NUMBERS, name, code))
    write_table(arguments.seeds, seeds, Provenance(Kind.PUBLISHED_SEEDS, name, code))
    write_text(arguments.table, table.to_csv(index=False, lineterminator="\n"))
    write_sealed(arguments.page, published_tables.page(table, deviations))
    print("\n".join(published_tables.summary_lines(table, deviations)))
