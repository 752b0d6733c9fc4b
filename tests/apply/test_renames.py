"""Functions and classes get other names where every use is sure; else the reason says which is not (NEW-4)."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.renames.renaming import renamed
from cbvtool.apply.stopped import Stopped
from tests.plan.coded import Coded

F = "def old():\n    pass\n"


def changed(tmp_path: Path, files: dict[str, str], node: str, new: str) -> dict[str, str]:
    """The changed files when `node` is called `new`."""
    texts = {path: dedent(text).lstrip("\n") for path, text in files.items()}
    graph = Coded(tmp_path, files).graph
    tree = FileTree(frozenset(texts), {path: text.encode() for path, text in texts.items()})
    found = renamed(tree, graph, graph.key_of[node], new)
    after = {path: content.decode() for path, content in found.tree.contents.items()}
    assert set(found.rewritten) == {path for path in texts if after[path] != texts[path]}
    return {path: after[path] for path in found.rewritten}


A = "class Old:\n    def make(self):\n        return Old()\n"


def test_every_form_of_a_use(tmp_path: Path) -> None:
    """NEW-4: definition, imports, re-exports, `__all__`, dotted uses, types as texts; what shares the name stays."""
    files = {
        "pk/__init__.py": 'from .a import Old as Old\n\n__all__ = ["Old", "other"]\n',
        "pk/a.py": A,
        "pk/b.py": """
            import os
            import pk
            from pk import a
            from pk.a import Old as Kept, Old  # Old is good

            def use(value: "Old | None", *, old: int) -> list[Old]:
                '''Makes an Old.'''
                return [a.Old(), pk.Old(), pk.a.Old(), Kept, f"{Old} {value}", os.Old]

            def own(Old):
                return Old, use(None, Old=1), [Old for Old in ()]

            class Shown:
                Old = 1

                def told(self):
                    return self.Old, Old
            """,
    }
    after = changed(tmp_path, files, "pk/a.py::Old", "New")
    assert after["pk/__init__.py"] == 'from .a import New as New\n\n__all__ = ["New", "other"]\n'
    assert after["pk/a.py"] == A.replace("Old", "New")
    assert after["pk/b.py"] == dedent("""\
        import os
        import pk
        from pk import a
        from pk.a import New as Kept, New  # Old is good

        def use(value: "New | None", *, old: int) -> list[New]:
            '''Makes an Old.'''
            return [a.New(), pk.New(), pk.a.New(), Kept, f"{New} {value}", os.Old]

        def own(Old):
            return Old, use(None, Old=1), [Old for Old in ()]

        class Shown:
            Old = 1

            def told(self):
                return self.Old, New
        """)


def test_a_function_in_a_function(tmp_path: Path) -> None:
    """NEW-4: what lies in a function is used in it alone."""
    text = """
        def around():
            def inner(n):
                return inner(n - 1) if n else 0
            return inner(3)

        def inner():
            return "inner"
        """
    after = changed(tmp_path, {"a.py": text}, "a.py::around.inner", "deeper")
    expected = dedent(text).lstrip("\n").replace("inner", "deeper", 3).replace("return inner(3)", "return deeper(3)")
    assert after == {"a.py": expected}


METHODS = {
    "a.py": """
        class Above:
            def run_it(self):
                return self.count_all()

        class Owner(Above):
            def count_all(self):
                return 1

        class Below(Owner):
            def more(self):
                return super().count_all() + Owner.count_all(self)
        """,
    "b.py": """
        from a import Owner

        class Other:
            def told(self):
                self.count_all = 2
                return self.count_all

        def use(owner: Owner):
            return owner.count_all()
        """,
}


def test_a_method(tmp_path: Path) -> None:
    """NEW-4: `self`, `super()`, the class by name, and what the analysis is sure of; not another class of that name."""
    after = changed(tmp_path, METHODS, "a.py::Owner.count_all", "total_of_all")
    assert after["a.py"] == dedent(METHODS["a.py"]).lstrip("\n").replace("count_all", "total_of_all")
    assert "owner.total_of_all()" in after["b.py"]
    assert after["b.py"].count("self.count_all") == 2


def test_a_module_of_the_same_name_stays(tmp_path: Path) -> None:
    """NEW-4: in `from old import old` the first one is the module."""
    files = {
        "old.py": F,
        "b.py": "import old, os.old as o\nfrom old import old as x\n\nold.old(x, o.old)\n",
        "c.py": "from old import (  # old\n    old,\n)\n\nold(old=old)\n",
    }
    after = changed(tmp_path, files, "old.py::old", "new")
    assert after["old.py"] == F.replace("old", "new")
    assert after["b.py"] == "import old, os.old as o\nfrom old import new as x\n\nold.new(x, o.old)\n"
    assert after["c.py"] == "from old import (  # old\n    new,\n)\n\nnew(old=new)\n"


def test_line_ends_and_encoding_stay(tmp_path: Path) -> None:
    """NEW-4: what is not the name stays byte for byte."""
    content = "# -*- coding: latin-1 -*-\r\ndef old():\r\n    return 'é', old  # ä\r\n"
    (tmp_path / "a.py").write_bytes(content.encode("latin-1"))
    graph = Coded(tmp_path, {}).graph
    tree = FileTree(frozenset(["a.py"]), {"a.py": content.encode("latin-1")})
    found = renamed(tree, graph, graph.key_of["a.py::old"], "new")
    assert found.tree.contents["a.py"] == content.replace("old", "new").encode("latin-1")


@pytest.mark.parametrize(
    ("files", "node", "new", "reason"),
    [
        ({"a.py": F, "b.py": "import a\ngetattr(a, 'old')()\n"}, "a.py::old", "new", "b.py:2: getattr may take it"),
        ({"a.py": F, "b.py": "from a import *\nold()\n"}, "a.py::old", "new", "b.py:2: it comes by a star import"),
        (
            {"a.py": F, "b.py": "import a\n\ndef use(it):\n    it.old()\n\nuse(a)\n"},
            "a.py::old",
            "new",
            "b.py:4: a module with that name may be meant, which is passed on at b.py:6",
        ),
        (
            {"a.py": F, "b.py": "import importlib\nimportlib.import_module('a').old()\n"},
            "a.py::old",
            "new",
            "b.py:2: a module that is imported by a text may be meant",
        ),
        ({"a.py": F + "old = print(old)\n"}, "a.py::old", "new", "the name is given to something else there, too"),
        ({"a.py": F + F}, "a.py::old", "new", "is defined more than once"),
        (
            {"a.py": F + "def use():\n    global old\n    old = 1\n"},
            "a.py::old",
            "new",
            "is declared global or nonlocal",
        ),
        ({"a.py": F + "new = 1\n"}, "a.py::old", "new", "has new already"),
        (
            {"a.py": F, "b.py": "from a import old\n\ndef f(new):\n    old()\n"},
            "a.py::old",
            "new",
            "b.py:3: new is the name",
        ),
        ({"a.py": F}, "a.py::old", "class", "cannot be called class"),
        ({"a.py": f"import app\n\n@app.route\n{F}"}, "a.py::old", "new", "its decorator route may use the name"),
        ({"a.py": F.replace("old", "test_it")}, "a.py::test_it", "check_it", "by which test tools or programs find it"),
        (
            {"a.py": F, "b.py": "try:\n    from a import old\nexcept ImportError:\n    old = None\n"},
            "a.py::old",
            "new",
            "the name is given to something else there, too",
        ),
        (
            {"a.py": F + "class C:\n    old = staticmethod(old)\n"},
            "a.py::old",
            "new",
            "a.py:4: the class there has the name, too",
        ),
        ({"a.py": F, "b.py": "from a import old\nold(\n"}, "a.py::old", "new", "nobody can tell what it is there"),
        (
            {"a.py": F, "b.py": "import a\nprint(vars(a))\n"},
            "a.py::old",
            "new",
            "b.py:2: all names of a module are listed",
        ),
        (
            {"a.py": "class Old: pass\n", "b.py": "class V:\n    def visit_Old(self): pass\n"},
            "a.py::Old",
            "New",
            "visit_Old is named after it",
        ),
        (
            {"a.py": "class Old: pass\n", "b.py": "class V:\n    def visit_Old(self): pass\n"},
            "b.py::V.visit_Old",
            "visit_it",
            "is named after Old",
        ),
        (
            {"a.py": "def do_old(): pass\n", "b.py": "import a\n\ndef f(x):\n    return getattr(a, f'do_{x}')\n"},
            "a.py::do_old",
            "new",
            "b.py:4 computes names that begin with do_",
        ),
        (
            {"a.py": F, "b.py": "def f(patch):\n    patch.setattr('a.old', 1)\n"},
            "a.py::old",
            "new",
            "b.py:2: it is named by a text there",
        ),
        (
            {"a.py": F.replace("old", "_old") + "def __getattr__(name):\n    return globals()[f'_{name}']\n"},
            "a.py::_old",
            "new",
            "a.py:4: _old may be a name that is computed there",
        ),
        (
            {"a.py": "class A:\n    def told(self):\n        return type(self).__name__\n\nclass Old(A): pass\n"},
            "a.py::Old",
            "New",
            "a.py:3 asks for the name of the class",
        ),
        ({"a.py": F, "a.pyi": "def old() -> None: ...\n"}, "a.py::old", "new", "nobody can tell what it is there"),
    ],
)
def test_what_is_not_sure_is_refused(tmp_path: Path, files: dict[str, str], node: str, new: str, reason: str) -> None:
    """NEW-4: a rename of which one use is not sure is refused, with the use."""
    with pytest.raises(Stopped) as stopped:
        changed(tmp_path, files, node, new)
    assert reason in stopped.value.reason


C = "class C:\n    def old_one(self):\n        return self.old_one\n"


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ("class D(C):\n    def old_one(self): pass\n", "D in a.py, of the same family, has old_one, too"),
        ("class D(C):\n    new_one = 1\n", "D in a.py, of the same family, has new_one, too"),
        ("def use(it):\n    return it.old_one()\n", "a.py:5: nobody knows of what class that attribute is"),
        ("import sys\nclass D(C, sys.Base): pass\n", "the base Base of D in a.py may have it, too"),
        ("class D(C):\n    def put(self):\n        self.old_one = 1\n", "a.py:6: it is given another value there"),
        (
            "class D(C):\n    def ask(self, x):\n        return getattr(self, x)\n",
            "D asks itself for computed names at a.py:6",
        ),
        (
            "import typing\nclass P(typing.Protocol):\n    def old_one(self): ...\ndef f(p: P):\n    p.old_one()\n",
            "the protocol P in a.py has it, too",
        ),
        ("class D(C, metaclass=type): pass\n", "D in a.py has a metaclass"),
        ("class D(C):\n    def put(self):\n        self.new_one = 1\n", "a.py:6: new_one may be something else there"),
    ],
)
def test_methods_that_are_not_sure_are_refused(tmp_path: Path, more: str, reason: str) -> None:
    """NEW-4: overriding, attributes of what nobody knows, bases from elsewhere."""
    assert changed(tmp_path, {"a.py": C}, "a.py::C.old_one", "new_one") == {"a.py": C.replace("old_one", "new_one")}
    with pytest.raises(Stopped) as stopped:
        changed(tmp_path, {"a.py": C + more}, "a.py::C.old_one", "new_one")
    assert reason in stopped.value.reason
