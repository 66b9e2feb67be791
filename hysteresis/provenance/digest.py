"""Which code made an artifact: a digest of a module and of all it imports from this package.

Snakemake notices changed inputs and params but not changed library code. Every rule therefore
carries ``code_digest`` of its command in its params, and every artifact carries it inside.

The digest covers what decides an artifact's content and nothing else. It is taken of syntax trees
and follows absolute imports of ``hysteresis`` anywhere in a module, also lazy ones. Free to change
are layout, comments, docstrings, what an error or a log line says, the help of an option, imports
for type checkers, and the modules in ``WITHOUT_INFLUENCE``. One source has one digest under every
version of Python that can read it.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

PACKAGE = "hysteresis"
_ROOT = Path(__file__).resolve().parents[1]
# How a job says that it fails or gets on, how bytes reach the disk whole, and this digest itself:
# what an artifact holds does not depend on them.
WITHOUT_INFLUENCE = frozenset(
    {
        "hysteresis.errors",
        "hysteresis.provenance.digest",
        "hysteresis.provenance.files",
        "hysteresis.training.progress",
    }
)


@cache
def code_digest(*modules: str) -> str:
    """SHA-256 (16 hexadecimal digits) over the code that ``modules`` can reach in this package.

    The first is usually a command, the others what it loads by name.
    """
    digest = hashlib.sha256()
    for name in sorted(frozenset().union(*map(reachable_modules, modules))):
        digest.update(f"{name}\0{_source_fingerprint(name)}\0".encode())
    return digest.hexdigest()[:16]


def reachable_modules(module: str) -> frozenset[str]:
    """``module`` and every module with influence that it imports, directly or not."""
    found: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in found | WITHOUT_INFLUENCE:
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
    return _WithoutWords().visit(ast.parse(path.read_text(encoding="utf-8")))


@cache
def _source_fingerprint(module: str) -> str:
    return hashlib.sha256("\n".join(_lines_of(_syntax_tree(module))).encode()).hexdigest()


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


class _WithoutWords(ast.NodeTransformer):
    """Takes out of a syntax tree what is said to people, and what only type checkers read."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        value = node.value
        is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        return None if is_text or _is_log_line(value) else self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        # What kind of exception, since code may catch it, but not its message or cause.
        kind = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        return ast.Raise(exc=kind, cause=None)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        only_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return None if only_types else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "help"]
        return self.generic_visit(node)


def _is_log_line(value: ast.expr) -> bool:
    """Whether an expression is a call such as ``log.info(...)``."""
    return (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and isinstance(value.func.value, ast.Name)
        and value.func.value.id == "log"
    )


def _lines_of(node: ast.AST) -> Iterator[str]:
    """The tree in text that no version of Python writes otherwise.

    Newer versions add fields, which are empty in older sources: only fields that say something
    are written. ``ast.dump`` and ``ast.unparse`` differ between versions.
    """
    yield type(node).__name__
    if isinstance(node, ast.Constant):
        yield f"{type(node.value).__name__} {node.value!r}"
        return
    for name in sorted(node._fields):
        value = getattr(node, name, None)
        if value is None or value == [] or name in ("ctx", "kind", "type_comment"):
            continue
        yield f"{name}:"
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _lines_of(each)
            else:
                yield repr(each)
    yield "."
