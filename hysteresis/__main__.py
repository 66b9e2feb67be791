"""``python -m hysteresis``."""

import sys

from hysteresis.cli import program

sys.exit(program())
