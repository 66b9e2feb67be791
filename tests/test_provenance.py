"""The code digest follows what a module can reach, and is blind to what changes no result."""

import textwrap

import pytest

from hysteresis import provenance

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
    monkeypatch.setattr(provenance, "_ROOT", tmp_path)

    def digest(edit=None, old="", new=""):
        if edit:
            text = (tmp_path / edit).read_text()
            assert old in text
            (tmp_path / edit).write_text(text.replace(old, new))
        for function in vars(provenance).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()
        return provenance.code_digest("hysteresis.top")

    yield digest
    digest()


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


def test_the_stages_reach_what_they_should_and_no_more():
    training = provenance.reachable_modules("hysteresis.commands.train")
    assert {"hysteresis.training", "hysteresis.streams", "hysteresis.network"} <= training
    for later in ("similarity", "statistics", "summaries", "tables", "figures", "config", "cli"):
        assert f"hysteresis.{later}" not in training
    assert "hysteresis.training" not in provenance.reachable_modules("hysteresis.commands.compare")
    summarising = provenance.reachable_modules("hysteresis.commands.summarise")
    assert "hysteresis.network" not in summarising and "hysteresis.statistics" in summarising
