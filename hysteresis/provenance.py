"""Which code made an artifact: a digest of a module and of all it imports from this package.

Snakemake notices changed inputs and params but not changed library code. Every rule therefore
carries ``code_digest`` of its command in its params, and every artifact carries it inside.
The digest is taken of syntax trees without docstrings, so comments, docstrings and layout are
free to change. It sees absolute imports of ``hysteresis`` anywhere in a module, also lazy ones.
"""

import ast
import hashlib
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = "hysteresis"
_ROOT = Path(__file__).resolve().parent
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def code_digest(module: str) -> str:
    """SHA-256 (16 hexadecimal digits) over the code that ``module`` can reach in this package."""
    digest = hashlib.sha256()
    for name in sorted(reachable_modules(module)):
        digest.update(f"{name}\0{_source_fingerprint(name)}\0".encode())
    return digest.hexdigest()[:16]


def reachable_modules(module: str) -> frozenset[str]:
    """``module`` and every module of the package that it imports, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting.extend(_imported_modules(name))
    return frozenset(found)


def library_versions() -> dict[str, str]:
    """Versions of the libraries that decide a trained network's bits."""
    return {name: metadata.version(name) for name in ("numpy", "torch")}


def _path_of(module: str) -> Path | None:
    path = _ROOT.joinpath(*module.split(".")[1:])
    for candidate in (path.with_suffix(".py"), path / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


@cache
def _syntax_tree(module: str) -> ast.Module:
    path = _path_of(module)
    if path is None:
        raise ModuleNotFoundError(f"no module {module} in {PACKAGE}")
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _source_fingerprint(module: str) -> str:
    tree = ast.parse(ast.unparse(_syntax_tree(module)))  # a copy: the original is shared
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


@cache
def _imported_modules(module: str) -> tuple[str, ...]:
    names: set[str] = set()
    for node in ast.walk(_syntax_tree(module)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(
        name
        for name in sorted(names)
        if name.split(".")[0] == PACKAGE and name != PACKAGE and _path_of(name) is not None
    )
