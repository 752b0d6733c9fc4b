"""What stays in memory between two analyses: only what an edit touches is done, and the graph is that from nothing."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path

import pytest

from cbvtool.analysis import analyze
from cbvtool.analysis.languages.java import names as java_names
from cbvtool.analysis.languages.python import names as python_names
from cbvtool.analysis.live import LiveAnalysis
from cbvtool.analysis.resolution import Resolution
from tests.analysis.test_again import SUBJECTS, Editor, copied, same


@pytest.fixture
def related(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The files whose relations are asked for."""
    files: list[int] = []
    for module in (java_names, python_names):

        def relate(self: object, group: list[int], plain: Callable = module._Files.relate) -> Resolution:
            files.extend(group)
            return plain(self, group)

        monkeypatch.setattr(module._Files, "relate", relate)
    return files


@pytest.fixture
def live() -> LiveAnalysis:
    return LiveAnalysis()


def written(root: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


@pytest.mark.parametrize("suffix", SUBJECTS)
def test_after_any_edits_the_graph_is_that_from_nothing(suffix: str, tmp_path: Path, live: LiveAnalysis) -> None:
    """NEW-24: bodies, signatures, files added and removed, settings; without a cache."""
    root = copied(suffix, tmp_path)
    editor = Editor(root, suffix, 5)
    for _ in range(10):
        told = [editor.edit() for _ in range(editor.random.choice((1, 1, 2)))]
        assert same(analyze(root, jobs=1, live=live), analyze(root, jobs=1)), told


_CODE = {
    "shapes.py": "class Shape:\n    def draw(self, pen):\n        return pen.line()\n",
    "pens.py": "class Pen:\n    def line(self):\n        return self\n",
    "use.py": "from pens import Pen\nfrom shapes import Shape\n\n\ndef use():\n    Shape().draw(Pen()).line()\n",
    "other.py": "def alone():\n    pass\n\n\nalone()\n",
    "more.py": "import other as it\n\nit.alone()\n",
}


# One edit each: the file, what it replaces and by what, and the files that it touches.
EDITS = {
    "a remark": ("pens.py", "class", "# a remark\nclass", {"pens.py"}),
    "a call in a body": ("use.py", "    Shape", "    print(1)\n    Shape", {"use.py"}),
    "another name": ("other.py", "alone", "lonely", {"other.py", "more.py"}),
    "a method gone": ("pens.py", "line", "curve", {"pens.py", "shapes.py", "use.py"}),
    "a result": ("pens.py", "return self", "return Pen", {"pens.py", "shapes.py", "use.py"}),
    "an argument": ("use.py", "Pen()", "Shape()", {"pens.py", "shapes.py", "use.py"}),
    "a base": (
        "pens.py",
        "class Pen:",
        "from shapes import Shape\n\n\nclass Pen(Shape):",
        {"pens.py", "shapes.py", "use.py"},
    ),
    "another import": ("more.py", "import other as it", "import shapes as it", {"more.py"}),
    "a star": ("more.py", "import other as it", "from pens import *", set(_CODE)),
}


def resolved_again(
    code: dict[str, str], edit: tuple[str, str, str, set[str]], root: Path, live: LiveAnalysis, related: list[int]
) -> set[str]:
    """The files that are resolved after an edit; the graph is that from nothing."""
    written(root, code)
    analyze(root, jobs=1, live=live)
    file, old, new, _ = edit
    (root / file).write_text(code[file].replace(old, new))
    del related[:]
    graph = analyze(root, jobs=1, live=live)
    files = {sorted(code)[row] for row in related}
    assert same(graph, analyze(root, jobs=1))
    return files


class _Cycle:
    """What a window drops after a while: it holds itself."""

    def __init__(self) -> None:
        self.me = self


def test_what_others_drop_after_a_save_is_collected(tmp_path: Path, live: LiveAnalysis) -> None:
    """NEW-24: who follows for a day does not run out of memory."""
    written(tmp_path, _CODE)
    analyze(tmp_path, jobs=1, live=live)
    others = [_Cycle() for _ in range(3)]
    known = [weakref.ref(each) for each in others]
    for number in range(3):
        (tmp_path / "pens.py").write_text(_CODE["pens.py"] + "# a remark\n" * (number + 1))
        analyze(tmp_path, jobs=1, live=live)
    del others
    gc.collect()
    assert [each() for each in known] == [None] * 3


@pytest.mark.parametrize("edit", EDITS)
def test_only_what_an_edit_touches_is_resolved_again(
    edit: str, tmp_path: Path, live: LiveAnalysis, related: list[int]
) -> None:
    """NEW-24: at most these files; from nothing all of them."""
    again = resolved_again(_CODE, EDITS[edit], tmp_path, live, related)
    assert again <= EDITS[edit][3]
    assert EDITS[edit][0] in again


_JAVA = {
    "a/Base.java": "package a;\npublic class Base { int size; Base up() { return this; } }\n",
    "a/Deep.java": "package a;\npublic class Deep extends Base { void go() { up().size = 1; } }\n",
    "b/Far.java": "package b;\nimport a.Deep;\nclass Far { void go(Deep d) { d.go(); d.up().up(); } }\n",
    "b/Alone.java": "package b;\nclass Alone { int one() { return 1; } }\n",
}
JAVA_EDITS = {
    "a remark": ("a/Base.java", "{", "{ // more\n", {"a/Base.java"}),
    "a method": ("a/Base.java", "Base up", "Base down", {"a/Base.java", "a/Deep.java", "b/Far.java"}),
    "a method before others": ("a/Base.java", "int size;", "int size; void first() { }", {"a/Base.java"}),
    "a field": ("a/Base.java", "int size", "long size", {"a/Base.java", "a/Deep.java"}),
    "a result": (
        "a/Base.java",
        "Base up() { return this; }",
        "Object up() { return 1; }",
        set(_JAVA) - {"b/Alone.java"},
    ),
    "a class that nobody names": ("b/Alone.java", "class", "class More { }\nclass", {"b/Alone.java"}),
    "a class that is named": ("a/Deep.java", "class Deep", "class Deeper", set(_JAVA)),
    "a base": ("a/Deep.java", " extends Base", "", set(_JAVA)),
    "another import": ("b/Far.java", "import a.Deep", "import a.Base", set(_JAVA)),
}


@pytest.mark.parametrize("edit", JAVA_EDITS)
def test_only_files_of_java_that_name_what_changed_are_resolved_again(
    edit: str, tmp_path: Path, live: LiveAnalysis, related: list[int]
) -> None:
    """NEW-24: also where definitions move, to which others lead."""
    assert resolved_again(_JAVA, JAVA_EDITS[edit], tmp_path, live, related) <= JAVA_EDITS[edit][3]
    assert same(analyze(tmp_path, jobs=1, live=live), analyze(tmp_path, jobs=1))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # A callee with too many values for what it is given: from nothing the arguments come in rounds.
        ("def run(f, x):\n    f(x)\n", "def run(f, x):\n    f(x)\n    g = x\n    g(f)\n"),
        # What a name means by way of another file.
        ("from lib import thing as run\n", "def run(f, x):\n    f(x)\n"),
        ("__all__ = ['run']\n\n\ndef run(f, x):\n    f(x)\n", "__all__ = []\n\n\ndef run(f, x):\n    f(x)\n"),
        (
            "class run:\n    def __init__(self, f, x):\n        f(x)\n",
            "class run:\n    def __call__(self, f, x):\n        f(x)\n",
        ),
        (
            "class run:\n    @property\n    def p(self):\n        return 1\n",
            "class run:\n    def p(self):\n        return 1\n",
        ),
    ],
)
def test_what_comes_by_arguments_names_and_classes_is_forgotten(
    before: str, after: str, tmp_path: Path, live: LiveAnalysis
) -> None:
    """NEW-24: forth and back, each time as from nothing."""
    functions = "".join(f"def f{row}(x):\n    return x\n\n\n" for row in range(40))
    calls = "".join(f"run(f{row}, f{row + 1})\n" for row in range(39))
    texts = {
        "lib.py": f"{functions}def thing(f, x):\n    f(x)\n",
        "mid.py": before,
        "top.py": f"from lib import *\nfrom mid import *\nfrom mid import run\n\n{calls}",
        "sub.py": "import mid\n\n\nclass Sub(mid.run):\n    pass\n\n\nSub(1, 2)(3, 4)\nSub(1, 2).p\n",
    }
    written(tmp_path, texts)
    for text in (before, after, before, f"import lib\n{after}", after):
        (tmp_path / "mid.py").write_text(text)
        assert same(analyze(tmp_path, jobs=1, live=live), analyze(tmp_path, jobs=1)), text


def test_what_is_kept_can_be_cleared(tmp_path: Path, live: LiveAnalysis) -> None:
    """NEW-24: no memory stays where nobody follows any more."""
    written(tmp_path, _CODE)
    graph = analyze(tmp_path, jobs=1, live=live)
    assert live.families
    live.clear()
    assert not live.families
    assert not live.facts
    assert gc.get_freeze_count() == 0
    assert same(analyze(tmp_path, jobs=1, live=live), graph)
    live.clear()
