"""The argument that names the six experiments of the controls."""

from argparse import ArgumentParser

from hysteresis.statistics.orders import PAIRS


def add_six_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--experiments",
        required=True,
        nargs=len(PAIRS),
        help=f"pairs of networks {', '.join(PAIRS)}; 0 and 1 have one order, 2 and 3 another, "
        "0 and 2 one stream, 1 and 3 another",
    )
