"""Keep the evidence of a long run in the repository, and check what is made from it.

``collect`` copies the tables of finished seeds, with a manifest and the configuration of just these
seeds. ``lay-out`` puts them where the workflow looks for them, ``compare`` says of each table and
figure made from them whether it equals the one that is kept, and ``accept`` keeps the new ones.
"""

import hashlib
import json
import os
import platform
import shutil
from argparse import ArgumentParser, Namespace
from importlib import metadata
from pathlib import Path

import pandas as pd
import yaml

from hysteresis.commands.check import DEFAULT, SCHEMA
from hysteresis.config.loading import configuration_from
from hysteresis.config.reading import read_mapping
from hysteresis.errors import UserError
from hysteresis.plan import evidence
from hysteresis.provenance.files import write_text
from hysteresis.provenance.seals import read_sealed

_CONFIGURATION = "config.yaml"
_MANIFEST = "manifest.json"
_PRINTED = ("tables", "figures")
_LIBRARIES = ("numpy", "pandas", "pyarrow", "scipy", "torch")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=list(_ACTIONS), help="see above")
    parser.add_argument("--evidence", default="evidence", type=Path, help="folder that is kept")
    parser.add_argument("--results", required=True, type=Path, help="folder of results")
    parser.add_argument("--commit", default="unknown", help="of the code of the run, for collect")
    parser.add_argument("--rebuilt", default="results/evidence", help="where lay-out will put it")
    parser.add_argument("--config", default=DEFAULT, type=Path, help="of the long run")


def run(arguments: Namespace) -> None:
    _ACTIONS[arguments.action](arguments)


# ---- collect ---------------------------------------------------------------------------------


def _collect(arguments: Namespace) -> None:
    configuration = configuration_from(read_mapping(arguments.config), SCHEMA)
    seeds = evidence.whole_seeds(configuration, arguments.results)
    if not seeds:
        raise UserError(f"{arguments.results}: no seed is finished; wait for the first")
    files = [file for seed in seeds for file in evidence.tables_of_seed(configuration, seed)]
    for file in files:
        read_sealed(arguments.results / file, "table")
        _copy(file, arguments.results, arguments.evidence)
    content = evidence.laid_over(configuration, seeds, arguments.rebuilt)
    header = "# The seeds that are kept here, laid over config/config.yaml by `make evidence`.\n"
    write_text(
        arguments.evidence / _CONFIGURATION, header + yaml.safe_dump(content, sort_keys=False)
    )
    manifest = {
        "commit": arguments.commit,
        "machine": _machine(),
        "seeds": seeds,
        "seconds_of_one_core": _seconds(arguments.results, seeds),
        "sha256": {str(file): _sha256(arguments.evidence / file) for file in files},
    }
    write_text(arguments.evidence / _MANIFEST, json.dumps(manifest, indent=1) + "\n")
    print(f"{arguments.evidence}: {len(seeds)} seeds, {len(files)} tables")


def _machine() -> dict[str, object]:
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.is_file() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "processor": named[0] if named else platform.processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in _LIBRARIES},
    }


def _seconds(results: Path, seeds: list[int]) -> dict[str, float]:
    """Wall-clock seconds of the jobs of these seeds, by rule, from Snakemake's timings."""
    found: dict[str, float] = {}
    for file in sorted((results / "benchmarks").glob("*/*_seed*.tsv")):
        if any(part == f"seed{seed}" for seed in seeds for part in file.stem.split("_")):
            seconds = float(pd.read_csv(file, sep="\t")["s"].sum())
            found[file.parent.name] = round(found.get(file.parent.name, 0.0) + seconds, 1)
    return found


def _copy(file: Path | str, source: Path, target: Path) -> None:
    """Copy a file to the same place below another folder."""
    (target / file).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / file, target / file)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# ---- from the kept tables to tables and figures, and back ------------------------------------


def _lay_out(arguments: Namespace) -> None:
    """Copy the kept tables into a fresh result folder, each as the manifest says it is."""
    manifest = _manifest(arguments)
    if arguments.results.exists():
        shutil.rmtree(arguments.results)
    for file, expected in manifest["sha256"].items():
        if not (arguments.evidence / file).is_file() or (
            _sha256(arguments.evidence / file) != expected
        ):
            raise UserError(f"{arguments.evidence / file}: is not the file of the manifest")
        _copy(file, arguments.evidence, arguments.results)


def _compare(arguments: Namespace) -> None:
    """Say of each kept table and figure whether the rebuilt one is the same."""
    kept, rebuilt = (_printed(folder) for folder in (arguments.evidence, arguments.results))
    differing = 0
    for file in sorted(kept | rebuilt):
        if file not in rebuilt or file not in kept:
            verdict = "kept alone" if file in kept else "new"
        else:
            verdict = _verdict(arguments.evidence / file, arguments.results / file)
        differing += not verdict.startswith("equal")
        print(f"{verdict:<10} {file}")
    if differing:
        raise UserError(
            f"{arguments.evidence}: {differing} of {len(kept | rebuilt)} tables and figures are "
            "not those that are kept: mend the code, or look at them and run `make accept-evidence`"
        )
    print(f"{arguments.evidence}: all {len(kept)} tables and figures are as kept")


def _verdict(kept: Path, rebuilt: Path) -> str:
    if _sha256(kept) == _sha256(rebuilt):
        return "equal"
    # Another processor may add in another order: the last digits of a full table are its own.
    is_table = kept.suffix == ".csv"
    return "equal but for rounding" if is_table and _nearly(kept, rebuilt) else "differs"


def _nearly(kept: Path, rebuilt: Path) -> bool:
    try:
        pd.testing.assert_frame_equal(
            pd.read_csv(kept), pd.read_csv(rebuilt), rtol=1e-9, atol=1e-12
        )
    except AssertionError:
        return False
    return True


def _accept(arguments: Namespace) -> None:
    for file in _printed(arguments.evidence):
        (arguments.evidence / file).unlink()
    for file in _printed(arguments.results):
        _copy(file, arguments.results, arguments.evidence)


def _printed(folder: Path) -> set[Path]:
    return {
        path.relative_to(folder)
        for part in _PRINTED
        for path in (folder / part).rglob("*")
        if path.is_file()
    }


def _manifest(arguments: Namespace) -> dict[str, dict[str, str]]:
    path = arguments.evidence / _MANIFEST
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path}: cannot be read ({error}); restore it") from None


_ACTIONS = {"collect": _collect, "lay-out": _lay_out, "compare": _compare, "accept": _accept}
