"""The command line: ``python -m hysteresis VERB ...`` runs one stage, files in, files out."""

import argparse
import importlib
import logging
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from hysteresis.errors import UserError

# Verb -> what it does; the verb is a module of hysteresis.commands, imported only when it is run.
VERBS = {
    "check": "check configuration files, with the line of a mistake",
    "obtain": "obtain and verify MNIST's four files",
    "initialise": "write the initial weights of a run",
    "train": "carry a run on from one checkpoint to the next",
    "compare": "measure a pair of runs at each checkpoint",
    "probe": "train linear heads on the frozen features of a pair of runs",
    "summarise": "statistics over seeds of one experiment",
    "contrast": "statistics over seeds of the difference of two experiments",
    "summarise-probe": "statistics over seeds of the differences of linear probes",
    "controls": "statistics of the controls: levels, crossed excess, stream effect",
    "partition": "order, stream or neither, with a permutation test",
    "power": "which excess so many seeds find, and the equivalence margin reached",
    "measure": "compare layers of a pair of runs by every measure of similarity",
    "summarise-measures": "levels and excess under every measure",
    "sensitivity": "compare a pair of runs on few and on many images",
    "table": "write one printed table",
    "cost": "pool benchmark files into a table of costs",
    "draw": "draw one figure",
    "evidence": "keep the tables of finished seeds, and check what is made from them",
    "verify": "verify every file of a result folder",
    "published": "recompute every number that the paper prints from the published seeds",
    "compare-published": "lay this rebuild's numbers beside the published ones",
    "draw-published": "draw the published and the rebuilt seeds side by side",
}


def program() -> int:
    """The command as a process of its own: ended by a signal it cleans up and says so."""

    def end(number: int, _: object) -> None:
        # As an exception, so that half-written files are removed on the way out.
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, end)
    try:
        return main()
    except KeyboardInterrupt:
        print("hysteresis: interrupted", file=sys.stderr)
        return 128 + signal.SIGINT


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; 0 on success, 2 with one line on standard error for a user's mistake."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%Y-%m-%d %H:%M:%S"
    )
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # a page of lines for every PDF
    if not arguments or arguments[0] not in VERBS:
        return _help(arguments)
    verb, *rest = arguments
    command = importlib.import_module(f"hysteresis.commands.{verb.replace('-', '_')}")
    parser = _Parser(prog=f"hysteresis {verb}", description=command.__doc__)
    command.add_arguments(parser)
    try:
        command.run(parser.parse_args(rest))
    except UserError as error:
        print(f"hysteresis {verb}: {error}", file=sys.stderr)
        return 2
    return 0


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """A mistake in the arguments is one line as well, not a page of usage."""
        raise UserError(f"{message}; `{self.prog} --help` says more")


def _help(arguments: Sequence[str]) -> int:
    asked = not arguments or arguments[0] in ("-h", "--help")
    stream = sys.stdout if asked else sys.stderr
    if not asked:
        print(f"hysteresis: no verb {arguments[0]!r}", file=stream)
    print("usage: hysteresis VERB [options]; VERB --help says more\n", file=stream)
    for verb, purpose in VERBS.items():
        print(f"  {verb:<18} {purpose}", file=stream)
    return 0 if asked else 2
