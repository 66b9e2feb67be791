"""What each digest covers; `python -m tests.closures > tests/closures.yaml` accepts what is."""

import yaml

from hysteresis.provenance.digest import reachable_modules
from tests.conftest import ROOT

PREFIX = "hysteresis."
ROOTS = {
    "training": ["training.segment", "training.networks.convolutional", "data.sets.mnist"],
    **{
        path.stem: [f"commands.{path.stem}"]
        for path in sorted((ROOT / "hysteresis/commands").glob("*.py"))
        if "def run(" in path.read_text() and path.stem != "train"
    },
    **{
        f"{command} {path.stem}": [f"commands.{command}", f"{folder}.{path.stem}"]
        for command, folder, entry in (("draw", "figures", "draw"), ("table", "tables", "make"))
        for path in sorted((ROOT / f"hysteresis/{folder}").glob("*.py"))
        if f"\ndef {entry}(inputs" in path.read_text()
    },
}


def closures() -> dict[str, list[str]]:
    """By digest the modules that it covers, without the name of the package."""
    return {
        name: sorted(
            {
                module.removeprefix(PREFIX)
                for root in roots
                for module in reachable_modules(PREFIX + root)
            }
        )
        for name, roots in ROOTS.items()
    }


if __name__ == "__main__":
    print("# Made by `python -m tests.closures`: a longer list remakes more when a module changes.")
    print(yaml.safe_dump(closures(), sort_keys=False), end="")
