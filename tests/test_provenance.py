"""The code digest follows what a module can reach, and is blind to what changes no result."""

import ast
import hashlib
import textwrap

import pytest

from hysteresis.provenance import digest

WORDS = """
    import logging
    from typing import TYPE_CHECKING
    if TYPE_CHECKING:
        import pandas
    log = logging.getLogger(__name__)
    def work(parser, value):
        parser.add_argument("--value", help="a number")
        if value < 0:
            raise ValueError(f"bad {value}")
        log.info("%s done", value)
        return value
"""
MODULES = {
    "top.py": '''
        """A stage."""
        from hysteresis.middle import work
        def run():
            """Do it."""
            from hysteresis import lazy  # imported late
            from hysteresis import words
            return work(), lazy.VALUE
    ''',
    "middle.py": """
        import os
        from hysteresis.deep import CONSTANT
        def work():
            return CONSTANT
    """,
    "deep.py": "CONSTANT = 1\n",
    "lazy.py": "VALUE = 1\n",
    "apart.py": "OTHER = 1\n",
    "words.py": WORDS,
    "__init__.py": "",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of its own under the digest; returns a function that edits and digests."""
    for name, source in MODULES.items():
        (tmp_path / name).write_text(textwrap.dedent(source))
    monkeypatch.setattr(digest, "_ROOT", tmp_path)

    def digest_after(edit=None, old="", new=""):
        if edit:
            text = (tmp_path / edit).read_text()
            assert old in text
            (tmp_path / edit).write_text(text.replace(old, new))
        for function in vars(digest).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()
        return digest.code_digest("hysteresis.top")

    yield digest_after
    digest_after()


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        ("top.py", '"""A stage."""', '"""Another docstring."""'),
        ("top.py", '"""Do it."""', '"""Do it at once.\n\n    With care."""'),
        ("top.py", "# imported late", "# another comment"),
        ("deep.py", "CONSTANT = 1", "CONSTANT  =  (1)  # layout"),
        ("apart.py", "OTHER = 1", "OTHER = 2"),
    ],
)
def test_comments_docstrings_layout_and_unreached_modules_change_nothing(package, edit, old, new):
    assert package() == package(edit, old, new)


@pytest.mark.parametrize(
    ("edit", "old", "new"),
    [
        ("top.py", "work()", "work() + 1"),
        ("middle.py", "return CONSTANT", "return -CONSTANT"),
        ("deep.py", "1", "2"),
        ("lazy.py", "1", "2"),
    ],
)
def test_a_change_in_the_module_or_in_anything_it_reaches_changes_the_digest(
    package, edit, old, new
):
    assert package() != package(edit, old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('raise ValueError(f"bad {value}")', 'raise ValueError("worse") from None'),
        ('log.info("%s done", value)', 'log.info("finished")'),
        ('help="a number"', 'help="an integer"'),
        ("import pandas", "import pandas, hysteresis.apart"),
    ],
)
def test_what_is_said_to_people_and_type_checkers_changes_nothing(package, old, new):
    assert package() == package("words.py", old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("raise ValueError(", "raise KeyError("),
        ('log.info("%s done", value)', "value += 1"),
        ("add_argument", "add_option"),
    ],
)
def test_what_the_words_stand_among_does_count(package, old, new):
    assert package() != package("words.py", old, new)


EVERYTHING = """
@decorate(1, *rest, key=None, **others)
async def generic(a, /, b: int = 1_0, *args, c="it's", **kwargs) -> "dict[str, int]":
    async with one as two, three:
        yield f"{a!r:>{b}} {{}} {c=} {'nested'}" if False else b"\\0"
    try:
        value = [x async for x in y if x] + [*a, -1.5e-3j, ..., 0x1F, True]
    except (ValueError, KeyError) as error:
        raise
    else:
        del value[1:2, ...], other.attribute
    match a:
        case [1, "two", *_] | {"k": v, **rest} if v:
            lambda x=1: (y := x)
        case Point(x=0) as p:
            global g
    while not (1 < b <= 2 is not None and a or c):
        break
    return await a @ b // 2 ** -c
"""


def test_one_source_has_one_digest_under_every_python():
    """The constant was found the same under Python 3.11, 3.12, 3.13 and 3.14."""
    tree = digest._WithoutWords().visit(ast.parse(EVERYTHING))
    text = "\n".join(digest._lines_of(tree))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "d2b1c213765761fd"
