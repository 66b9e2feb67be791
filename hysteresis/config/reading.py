"""Configuration files as mappings, read strictly: what YAML would pass over is an error here."""

import copy
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import yaml

from hysteresis.errors import UserError

_MERGE = "tag:yaml.org,2002:merge"


def read_mapping(path: Path) -> dict[str, Any]:
    """A YAML file with keys at its top level.

    Raises UserError, with the line where there is one, for a file that is missing, no text, no
    YAML, or has a key twice in one place: of those YAML would keep the last.
    """
    text = _text_of(path)
    try:
        _require_single_keys(yaml.compose(text, Loader=yaml.SafeLoader), path)
        mapping = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise UserError(f"{path}: line {mark.line + 1}: no YAML: {error.problem}") from None
    except yaml.YAMLError:
        raise UserError(f"{path}: holds characters that no YAML may; write it as text") from None
    if not isinstance(mapping, dict):
        raise UserError(f"{path}: has no keys; a configuration begins with a section's name")
    return mapping


def require_readable(default: Path, others: Iterable[Path]) -> None:
    """Raise UserError unless :func:`read_mapping` reads the ``default`` and what is laid over it.

    Snakemake leaves a default out that is not there where others are named.
    """
    if not default.is_file():
        raise UserError(
            f"{default}: no such file here; run Snakemake in the repository's folder, or name that "
            "with --directory"
        )
    for path in (default, *others):
        read_mapping(path)


def laid_over(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """``changes`` laid over ``base``, key by key, as Snakemake does with --configfile."""
    merged = copy.deepcopy(base)
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = laid_over(merged[key], value) if both else copy.deepcopy(value)
    return merged


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise UserError(f"{path}: {reason}; name a configuration file") from None
    except UnicodeDecodeError:
        raise UserError(f"{path}: is no text in UTF-8; name a configuration file") from None


def _require_single_keys(root: yaml.Node | None, path: Path) -> None:
    """No key twice in a mapping. Keys merged by ``<<`` are meant to be overridden."""
    waiting, seen = [root], set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:  # an alias of what has been looked at
            continue
        seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            waiting += node.value
        elif isinstance(node, yaml.MappingNode):
            lines: dict[Hashable, int] = {}
            for key, value in node.value:
                line = key.start_mark.line + 1
                # A key that is no scalar is refused when the mapping is made.
                name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key)
                if name in lines and key.tag != _MERGE:
                    raise UserError(
                        f"{path}: line {line}: {key.value} stands in line {lines[name]} already; "
                        "keep one of the two"
                    )
                lines[name] = line
                waiting.append(value)
