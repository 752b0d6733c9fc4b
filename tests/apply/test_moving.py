"""What is written where modules move; a tree is its paths and texts, and what is expected are the lines that differ."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from cbvtool.apply.python.moving import FileTree, Moved, move, must_mean_what_it_did
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped

PACKAGE = {
    "src/pkg/__init__.py": "",
    "src/pkg/a.py": "def f():\n    return 1\n",
    "src/pkg/b.py": "",
    "src/pkg/sub/__init__.py": "",
    "src/pkg/sub/c.py": "def g():\n    return 2\n",
}
Files = Mapping[str, str | bytes]
Places = Mapping[str, str | None]
A_TO_SUB = {"src/pkg/a.py": "src/pkg/sub/a.py"}
A_TO_Z = {"src/pkg/a.py": "src/pkg/z.py"}
SUB_TO_NEW = {"src/pkg/sub/__init__.py": "src/pkg/new/__init__.py", "src/pkg/sub/c.py": "src/pkg/new/c.py"}


def tree(files: Files) -> FileTree:
    contents = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    return FileTree(frozenset(files), {path: text for path, text in contents.items() if is_python(path)})


def moved(files: Files, places: Places) -> Moved:
    start = tree({**PACKAGE, **files})
    found = move(start, places)
    must_mean_what_it_did(start, found.tree, {path: places.get(path, path) for path in start.paths})
    return found


def text(found: Moved, path: str) -> str:
    return found.tree.contents[path].decode()


@pytest.mark.parametrize(
    ("places", "before", "after"),
    [
        (A_TO_SUB, "from .a import f\n", "from .sub.a import f\n"),
        (A_TO_SUB, "from pkg.a import f  # noqa\n", "from pkg.sub.a import f  # noqa\n"),
        (A_TO_SUB, "from . import a\n\na.f()\n", "from .sub import a\n\na.f()\n"),
        (A_TO_SUB, "from pkg import a as x\n", "from pkg.sub import a as x\n"),
        (A_TO_SUB, "from .a import *\n", "from .sub.a import *\n"),
        (A_TO_SUB, "import pkg.a\n\npkg.a.f()\n", "import pkg.sub.a\n\npkg.sub.a.f()\n"),
        (A_TO_SUB, "import pkg.a as x\n\nx.f()\n", "import pkg.sub.a as x\n\nx.f()\n"),
        (A_TO_SUB, "import pkg\n\npkg.a.f()\n", "import pkg\n\npkg.sub.a.f()\n"),
        (A_TO_SUB, "from . import a, sub\n", "from . import sub\nfrom .sub import a\n"),
        (A_TO_SUB, "if 1: from . import a, sub\n", "if 1: from . import sub; from .sub import a\n"),
        (
            A_TO_SUB,
            "from . import (\n    a,  # one\n    sub,  # two\n)\n",
            "from . import (\n    # one\n    sub,  # two\n)\nfrom .sub import a\n",
        ),
        (A_TO_SUB, "from . import (\n    a,\n    sub,\n)\n", "from . import (\n    sub,\n)\nfrom .sub import a\n"),
        (A_TO_SUB, "def h():\n    from .a import f\n", "def h():\n    from .sub.a import f\n"),
        (
            A_TO_SUB,
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import f\n",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .sub.a import f\n",
        ),
        (A_TO_SUB, "from .a import f; x = 1\r\ny = 2\r\n", "from .sub.a import f; x = 1\r\ny = 2\r\n"),
        (A_TO_SUB, "import pkg\ndef h(pkg):\n    pkg.a\n", "import pkg\ndef h(pkg):\n    pkg.a\n"),
        (A_TO_Z, "from . import a\na.f()\n", "from . import z as a\na.f()\n"),
        (A_TO_Z, "import pkg.a\npkg.a.f()\n", "import pkg.z\npkg.z.f()\n"),
        (SUB_TO_NEW, "from .sub.c import g\n", "from .new.c import g\n"),
        (SUB_TO_NEW, "from . import sub\nsub.c.g()\n", "from . import new as sub\nsub.c.g()\n"),
        (SUB_TO_NEW, "import pkg.sub.c\npkg.sub.c.g()\n", "import pkg.new.c\npkg.new.c.g()\n"),
        ({"src/pkg/a.py": "src/a.py"}, "from . import a\n", "import a\n"),
        (
            {"src/pkg/sub/c.py": "src/pkg/c.py"},
            "from . import sub\nsub.c.g()\n",
            "from . import sub\nimport pkg.c\npkg.c.g()\n",
        ),
    ],
)
def test_what_imports_a_module_that_moves(places: Places, before: str, after: str) -> None:
    """NEW-4: imports by what they bind, dotted uses through the parent package, comments and line ends untouched."""
    assert text(moved({"src/pkg/b.py": before}, places), "src/pkg/b.py") == after


def test_what_moves_names_the_rest_from_its_new_place() -> None:
    """NEW-4: relative imports of a module that moves, and of a package that moves with what it imports."""
    files = {
        "src/pkg/a.py": "from . import b\nfrom .sub import c\nfrom .sub.c import g\nfrom pkg import b as d\n",
        "src/pkg/sub/c.py": "from . import e\nfrom ..b import x\n",
        "src/pkg/sub/e.py": "",
        "src/pkg/b.py": "x = 1\n",
    }
    found = moved(files, A_TO_SUB)
    assert (
        text(found, "src/pkg/sub/a.py")
        == "from .. import b\nfrom . import c\nfrom .c import g\nfrom pkg import b as d\n"
    )
    found = moved(
        files,
        {path: path.replace("pkg/sub", "pkg/deep/sub") for path in files if "/sub/" in path}
        | {"src/pkg/sub/__init__.py": "src/pkg/deep/sub/__init__.py"},
    )
    assert text(found, "src/pkg/deep/sub/c.py") == "from . import e\nfrom ...b import x\n"
    assert found.relocation.made == ("src/pkg/deep/__init__.py",)


def test_modules_that_swap_their_names() -> None:
    """NEW-4: chains and swaps."""
    files = {
        "src/pkg/b.py": "x = 1\n",
        "src/main.py": "from pkg import a, b\nfrom pkg.a import f\nprint(a.f, b.x, f)\n",
    }
    found = moved(files, {"src/pkg/a.py": "src/pkg/b.py", "src/pkg/b.py": "src/pkg/a.py"})
    assert text(found, "src/main.py") == "from pkg import b as a, a as b\nfrom pkg.b import f\nprint(a.f, b.x, f)\n"


def test_a_package_that_passes_names_on() -> None:
    """NEW-4: re-exports and `__all__`; who takes a module from a package that says its name gets it directly."""
    files = {
        "src/pkg/__init__.py": 'from .a import f\nfrom . import a as tool\n\n__all__ = ["f", "b"]\n',
        "src/main.py": "import pkg\nfrom pkg import f, tool\nfrom pkg import *\n\npkg.tool.f()\npkg.f()\n",
    }
    found = moved(files, A_TO_SUB)
    assert text(found, "src/pkg/__init__.py").startswith("from .sub.a import f\nfrom .sub import a as tool\n")
    assert text(found, "src/main.py") == files["src/main.py"]
    found = moved(files, {"src/pkg/b.py": "src/pkg/k.py"})
    assert text(found, "src/pkg/__init__.py").endswith('__all__ = ["f", "k"]\n')


def test_a_folder_without_init_gets_none() -> None:
    """NEW-4: `__init__.py` for a new package, never in a folder that is imported without one."""
    files = {"src/pkg/plain/d.py": ""}
    found = moved(files, {"src/pkg/a.py": "src/pkg/plain/a.py"})
    assert not found.relocation.made
    found = moved(files, {"src/pkg/a.py": "src/pkg/fresh/deep/a.py"})
    assert found.relocation.made == ("src/pkg/fresh/__init__.py", "src/pkg/fresh/deep/__init__.py")


def test_a_folder_without_init_moves_into_another_one() -> None:
    """NEW-4: who imports from a folder that goes along is told, though no module lost its own name."""
    files = {"src/pkg/b.py": "from .plain.d import f\n", "src/pkg/plain/d.py": "def f(): ...\n"}
    found = moved(files, {"src/pkg/plain/d.py": "src/pkg/sub/plain/d.py"})
    assert text(found, "src/pkg/b.py") == "from .sub.plain.d import f\n"


def test_encoding_and_mark_stay() -> None:
    """NEW-4: encoding, byte order mark and line ends outside the changed lines are untouched."""
    latin = "# -*- coding: latin-1 -*-\nname = 'é'; from .a import f\n".encode("latin-1")
    assert moved({"src/pkg/b.py": latin}, A_TO_SUB).tree.contents["src/pkg/b.py"] == latin.replace(b".a", b".sub.a")
    marked = b"\xef\xbb\xbfx = '\xc3\xa9'; from .a import f\r\n"
    assert moved({"src/pkg/b.py": marked}, A_TO_SUB).tree.contents["src/pkg/b.py"] == marked.replace(b".a", b".sub.a")


@pytest.mark.parametrize(
    ("files", "places", "reason"),
    [
        ({}, {"src/pkg/a.py": "src/pkg/b.py"}, "taken by src/pkg/b.py"),
        ({}, {"src/pkg/a.py": "src/pkg/sub.py"}, "same module name"),
        ({}, {"src/pkg/a.py": "src/pkg/B.py"}, "capitals"),
        ({}, {"src/pkg/a.py": "src/pkg/class.py"}, "no import could name it"),
        ({}, {"src/pkg/a.py": "src/json.py"}, "hide the standard module json"),
        ({"src/pkg/b.py": "import requests\n"}, {"src/pkg/a.py": "src/requests.py"}, "hide requests"),
        ({"src/pkg/sub/__init__.py": "def a(): ...\n"}, A_TO_SUB, "has already for something else"),
        ({"src/pkg/b.py": "from .a import\n"}, A_TO_SUB, "mend its syntax"),
        ({"src/pkg/b.py": "from .a import f\n"}, {"src/pkg/a.py": None}, "would be gone"),
        ({"src/pkg/b.py": "from . import a\n"}, {"src/pkg/a.py": "tests/a.py"}, "nothing there is imported today"),
        ({"src/pkg/__init__.py": '__all__ = ["a"]\n'}, A_TO_SUB, "would not be in the package"),
        ({"src/pkg/__init__.py": "import pkg.a\n", "src/m.py": "from pkg import *\na.f()\n"}, A_TO_SUB, "star import"),
    ],
)
def test_what_is_refused(files: dict[str, str], places: Places, reason: str) -> None:
    """NEW-4: said before anything is written."""
    with pytest.raises(Stopped, match=reason):
        moved({"tests/b.py": "", **files}, places)
