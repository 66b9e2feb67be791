"""Draw the published and the reproduced seeds side by side, as PDF and PNG."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

import pandas as pd

from hysteresis.errors import UserError
from hysteresis.figures import published, style


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--numbers", required=True, type=Path, help="csv of compare-published")
    parser.add_argument("--seeds", required=True, type=Path, help="its csv of values by seed")
    parser.add_argument("--output", required=True, nargs="+", type=Path, help=".pdf, .png")


def run(arguments: Namespace) -> None:
    figure = published.draw(_read(arguments.numbers), _read(arguments.seeds))
    style.save(figure, arguments.output)


def _read(path: Path) -> pd.DataFrame:
    try:
        return pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: {error}; run `hysteresis compare-published` first") from None
