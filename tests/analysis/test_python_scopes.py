"""What the text of a Python expression tells without a parse."""

from __future__ import annotations

import pytest

from cbvtool.analysis.languages.python import names as python_names
from cbvtool.analysis.languages.python.texts import is_primary, last_step, start_of


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("f(x)", "f"),
        ("a.b(c, [d(1)])[0].e(')')", "a.b"),
        ("f(x) or g(y)", ""),
        ("f(x) + [1]", ""),
        ("f(x) if a else b", ""),
        ("await(x)", ""),
        ("f('", ""),
        ("[f(x)]", ""),
        ("a.b", ""),
    ],
)
def test_start_of_a_chain(text: str, start: str) -> None:
    assert start_of(text) == start


@pytest.mark.parametrize(
    ("text", "primary"),
    [
        ("a.b", True),
        ("f(x)[0]", True),
        ("(a).b()", True),
        ("not f(x)", False),
        ("a + f(x)", False),
        ("a # f(x)", False),
    ],
)
def test_what_takes_a_member(text: str, primary: bool) -> None:
    assert is_primary(text) == primary


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("a.b.c", ("a.b", "c")),
        ("a.f(x.y).c", ("a.f(x.y)", "c")),
        ("a.f(x.y)", ("a.f", "")),
        ("a[b.c]", ("a", "")),
        ("(await f(x)).y", ("(await f(x))", "y")),
        ("a + b.c", ("", "")),
        (".c", ("", "")),
        ("a", ("", "")),
    ],
)
def test_last_step(text: str, step: tuple[str, str]) -> None:
    assert last_step(text) == step


def test_nested_packages_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audit L3: of 1,900 packages one in the other, each was looked at once for each one inside it."""
    count = 0
    folder = python_names._folder

    def counted(path: str) -> str:
        nonlocal count
        count += 1
        return folder(path)

    monkeypatch.setattr(python_names, "_folder", counted)
    paths = ["/".join([*["a"] * depth, "__init__.py"]) for depth in range(300)]
    modules = python_names._Modules(("top",), paths, {}, {})
    assert set(modules.homes.values()) == {""}
    assert "top/a/a" in modules.folders
    assert count < 10_000  # 300 * 300 / 2 and more before
