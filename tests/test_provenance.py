"""The code digest follows what a module can reach, and is blind to what changes no result."""

import textwrap

import pytest

from hysteresis.provenance import digest

MODULES = {
    "top.py": '''
        """A stage."""
        from hysteresis.middle import work
        def run():
            """Do it."""
            from hysteresis import lazy  # imported late
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
