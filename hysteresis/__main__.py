"""``python -m hysteresis``."""

import sys

from hysteresis.cli import main

sys.exit(main())
