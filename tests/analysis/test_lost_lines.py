"""How many lines were not understood, and whether macros are why."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.analysis import analyze
from cbvtool.formats.summary import not_understood
from cbvtool.graph import LanguageShare, Report

GOOD = {"c": "int f(void)\n{\n    return 1;\n}\n", "py": "def f():\n    return 1\n", "cs": "class A\n{\n}\n"}
# name, text, lines that are not understood, those of them at macros; each alone in its folder
CASES = [
    ("a.py", GOOD["py"], 0, 0),
    ("a.py", GOOD["py"] + "x = = 1\n" + GOOD["py"], 1, 0),
    ("a.py", GOOD["py"] + "def g(:\n" + GOOD["py"], 1, 0),
    ("a.go", "package a\n\nfunc f() {\n\tx := := 1\n}\n\nfunc g() {}\n", 1, 0),
    ("a.c", GOOD["c"] + "MACRO_ONE(x) MACRO_TWO\n" + GOOD["c"] * 3, 1, 1),
    ("a.c", GOOD["c"] + "int a = ) 1;\n" + GOOD["c"], 1, 0),
    # A statement that a condition cuts in two: the second branch is left out as a whole.
    (
        "a.c",
        "int f(int a)\n{\n#if A\n    if (a)\n        return 1;\n    else\n#else\n    a = 3;\n    a = 4;\n#endif\n"
        "    return 2;\n}\n",
        2,
        2,
    ),
    ("a.cs", "class A\n#if X\n    : B\n#else\n    : C\n#endif\n{\n}\n", 1, 0),
]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_lines_not_understood(tmp_path: Path, case: int) -> None:
    """Counted by hand; a construct inside of a syntax error that was found counts as understood."""
    name, text, lost, macros = CASES[case]
    (tmp_path / name).write_text(text)
    report = analyze(tmp_path).report
    assert [(share.lost_lines, share.lost_to_macros) for share in report.languages] == [(lost, macros)]
    assert report.lost_lines == ((lost,) if lost else ())


def test_a_file_that_is_one_syntax_error_keeps_what_is_found(tmp_path: Path) -> None:
    """A brace too many makes a whole file one syntax error to the grammar: its functions are still understood."""
    (tmp_path / "a.c").write_text(GOOD["c"] * 20 + "}\n" + GOOD["c"] * 20)
    graph = analyze(tmp_path)
    assert graph.report.lost_lines == (1,)
    assert sum(name == "f" for name in graph.names) == 40


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (Report(3, languages=(LanguageShare("C", 3, 0, 100),)), ""),
        (
            Report(3, (), ("a", "b"), (), (LanguageShare("C", 3, 2, 1000, 8, 5),), (), (5, 3)),
            "0.8 % of the lines not understood, in 2 files, mostly because of macros",
        ),
        (
            Report(3, (), ("a",), (), (LanguageShare("C", 3, 1, 100_000, 1, 0),), (), (1,)),
            "less than 0.1 % of the lines not understood, in 1 file",
        ),
        (Report(3, (), ("a", "b")), "2 files with syntax errors"),  # a graph that another program wrote
    ],
)
def test_the_sentence(report: Report, sentence: str) -> None:
    """The share of lines, not of files; why, if most of it has one cause."""
    assert not_understood(report) == sentence
