"""Circular imports that a plan would make (NEW-9): the files on them, and those that are there today are not told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cbvtool.plan import Group, History, Move, Operation
from cbvtool.plan.compress import compress
from cbvtool.plan.sites.circles import Circle, new_circles
from tests.plan.coded import Coded


def circles(project: Coded, *operations: Operation) -> Mapping[int, tuple[Circle, ...]]:
    history = History(project.graph, (Group("", operations),))
    return new_circles(project.graph, history.graph, compress(history))


def test_a_class_that_goes_to_its_user_and_needs_what_stays(tmp_path: Path) -> None:
    """The file that it leaves uses it, and it uses something there: each has to import the other."""
    project = Coded(
        tmp_path,
        {
            "a.py": "class Base:\n    pass\n\n\nclass Thing(Base):\n    pass\n\n\ndef make():\n    return Thing()\n",
            "b.py": "from a import Thing\n\nthing = Thing()\n",
            "c.py": "",
        },
    )
    assert circles(project, Move(("a.py::Thing",), "b.py")) == {0: (("a.py", "b.py"),)}
    assert circles(project, Move(("a.py::Thing",), "c.py")) == {0: (("a.py", "c.py"),)}
    assert circles(project, Move(("a.py::make",), "c.py")) == {}
    assert circles(project, Move(("a.py::make",), "b.py")) == {}


def test_a_longer_way_around(tmp_path: Path) -> None:
    """The new import closes a circle over a file that lies between; a type checker's import closes none."""
    files = {
        "a.py": "def f():\n    return 1\n\n\ndef g():\n    return f()\n",
        "b.py": "import c\n",
        "c.py": "import a\n\nx = a.g()\n",
        "d.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import a\n",
    }
    project = Coded(tmp_path, files)
    assert circles(project, Move(("a.py::f",), "b.py")) == {0: (("a.py", "b.py", "c.py"),)}
    assert circles(project, Move(("a.py::f",), "d.py")) == {}


def test_a_module_that_goes_into_a_package_that_needs_its_user(tmp_path: Path) -> None:
    """Importing a module runs the package around it."""
    project = Coded(tmp_path, {"pk/__init__.py": "import user\n", "m.py": "", "user.py": "import m\n"})
    assert circles(project, Move(("m.py",), "pk")) == {0: (("user.py", "pk/__init__.py"),)}


def test_parts_that_go_together_close_no_circle(tmp_path: Path) -> None:
    """A class and the function that it uses go to one file: neither file needs the old one."""
    code = "def help():\n    return 1\n\n\nclass Thing:\n    x = help()\n\n\ndef make():\n    return Thing()\n"
    project = Coded(tmp_path, {"a.py": code, "b.py": ""})
    alone = Move(("a.py::Thing",), "b.py")
    assert circles(project, alone) == {0: (("a.py", "b.py"),)}
    assert circles(project, alone, Move(("a.py::help",), "b.py")) == {}
