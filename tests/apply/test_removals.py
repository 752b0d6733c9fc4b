"""Removals of a plan that is carried out: of what nobody uses they are done, else who uses it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.plan import Move, Operation, Remove, Rename
from tests.apply.tried import Tried, repository, tried

PYTHON = {
    "pkg/__init__.py": "",
    "pkg/a.py": "from pkg import b\n\nx = b.y\n",
    "pkg/b.py": "y = 1\n",
    "pkg/unused.py": "z = 1\n",
    "pkg/old/__init__.py": "from . import one\n",
    "pkg/old/one.py": "from pkg import b\n",
    "pkg/old/logo.png": "png\n",
    "pkg/old/tests/test_one.py": "from pkg.old import one\n",
    "pkg/left.py": "from pkg import right\n",
    "pkg/right.py": "def f():\n    from pkg import left\n    return left\n",
    "setup.py": "",
    "sh/run.sh": "echo\n",
    "c/main.c": '#include "used.h"\nint main(void) { return f(); }\n',
    "c/used.h": "int f(void);\n",
}
JAVA = {
    "src/main/java/a/Used.java": "package a;\n\npublic class Used {\n}\n",
    "src/main/java/a/User.java": "package a;\n\nclass User {\n    Used used;\n}\n",
    "src/main/java/b/Service.java": "package b;\n\npublic class Service {\n}\n",
    "src/main/resources/META-INF/services/x.Y": "b.Service\n",
}
SCRIPTS = {
    "package.json": '{"name": "x", "main": "src/main.js"}\n',
    "src/main.js": 'import "./used";\n',
    "src/used.js": "",
    "src/unused.ts": 'import "./used";\n',
    "src/page.html": "<p>\n",
}


def removed(tmp_path: Path, files: dict[str, str], *operations: Operation, keep_going: bool = False) -> Tried:
    return tried(repository(tmp_path / "subject", files), *operations, keep_going=keep_going)


@pytest.mark.parametrize(
    ("files", "nodes"),
    [
        (PYTHON, ("pkg/unused.py",)),
        (PYTHON, ("pkg/old",)),
        (PYTHON, ("pkg/old", "pkg/unused.py", "sh")),
        (PYTHON, ("pkg/a.py", "pkg/b.py", "pkg/old")),
        (PYTHON, ("pkg/left.py", "pkg/right.py")),
        (PYTHON, ("pkg",)),
        (PYTHON, ("c/main.c",)),
        (JAVA, ("src/main/java/a/User.java",)),
        (JAVA, ("src/main/java/a",)),
        (SCRIPTS, ("src/unused.ts",)),
        (SCRIPTS, ("src/page.html",)),
    ],
)
def test_what_nobody_uses_is_removed(tmp_path: Path, files: dict[str, str], nodes: tuple[str, ...]) -> None:
    """A1 of plans.md: a plan that removes a file ended in a KeyError."""
    found = removed(tmp_path, files, Remove(nodes))
    assert found.stopped == ""
    rest = {path for path in files if not any(path == node or path.startswith(f"{node}/") for node in nodes)}
    assert found.files == {path: files[path] for path in rest}
    assert len(found.commits) == 1


@pytest.mark.parametrize(
    ("files", "node", "who"),
    [
        (PYTHON, "pkg/b.py", "pkg/a.py:1: pkg/b would be gone, and is used there."),
        (PYTHON, "pkg/old/one.py", "pkg/old/__init__.py:1: pkg/old/one would be gone, and is used there."),
        (PYTHON, "c/used.h", "c/main.c uses c/used.h, which would be gone."),
        (PYTHON, "pkg/__init__.py", "pkg/__init__.py is found by its name and place, so it cannot be removed alone."),
        (PYTHON, "setup.py", "setup.py is found by its name and place, so it cannot be removed alone."),
        (JAVA, "src/main/java/a/Used.java", "src/main/java/a/User.java uses Used, which would be gone."),
        (JAVA, "src/main/java/b", "src/main/resources/META-INF/services/x.Y names b.Service, which would be gone."),
        (SCRIPTS, "src/used.js", "src/main.js:1 imports src/used.js, which would be gone."),
        (SCRIPTS, "src/main.js", "package.json names src/main.js, which would be gone."),
    ],
)
def test_who_uses_what_is_removed_is_named(tmp_path: Path, files: dict[str, str], node: str, who: str) -> None:
    """A1 of plans.md: one sentence, and nothing is written."""
    assert removed(tmp_path, files, Remove((node,))).stopped.endswith(who)


@pytest.mark.parametrize(
    ("nodes", "commits"),
    [
        (("pkg/a.py", "pkg/old", "pkg/b.py"), 3),
        (("pkg/left.py", "pkg/right.py"), 1),
        (("web/use.js", "web/used.js"), 2),
        (("web/a_used.js", "web/b_use.js"), 1),
    ],
)
@pytest.mark.parametrize("keep_going", [False, True])
def test_users_that_are_removed_too_go_with_what_they_use(
    tmp_path: Path, nodes: tuple[str, ...], commits: int, keep_going: bool
) -> None:
    """In tasks of their own, in any order, also where two use each other: no commit has code that uses what is gone."""
    scripts = {"web/use.js": 'import "./used";\n', "web/b_use.js": 'import "./a_used";\n'}
    files = {**PYTHON, **scripts, "web/used.js": "", "web/a_used.js": ""}
    found = removed(tmp_path, files, *(Remove((node,)) for node in nodes), keep_going=keep_going)
    assert found.stopped == ""
    assert found.left == ()
    assert not any(path.startswith(node) for path in found.files for node in nodes)
    assert len(found.commits) == commits


def test_users_go_with_what_they_use_where_another_task_is_left_out(tmp_path: Path) -> None:
    steps = Rename("pkg/a.py", "class.py"), Remove(("pkg/left.py",)), Remove(("pkg/right.py",))
    found = removed(tmp_path, PYTHON, *steps, keep_going=True)
    assert found.left == ("pkg/a.py cannot be called class: no import could name it.",)
    assert found.commits == ("Remove pkg/left.py",)


def test_what_moves_out_before_stays(tmp_path: Path) -> None:
    """And is not removed with its folder where its move is left out."""
    steps = Move(("pkg/old/one.py",), "pkg"), Remove(("pkg/old",))
    found = removed(tmp_path, {**PYTHON, "pkg/old/__init__.py": "", "pkg/old/tests/test_one.py": ""}, *steps)
    assert found.files["pkg/one.py"] == "from pkg import b\n"
    assert "pkg/old/one.py" not in found.files


def test_nothing_is_removed_whose_move_is_left_out(tmp_path: Path) -> None:
    steps = Rename("pkg/unused.py", "used.py"), Move(("c/used.h",), "sh"), Remove(("c",))
    found = removed(tmp_path, PYTHON, *steps, keep_going=True)
    assert [reason.partition(":")[0] for reason in found.left] == [
        "c/used.h cannot be moved with what names it, for that is not done in its language",
        "It builds on a task that is left out.",
    ]
    assert "c/used.h" in found.files
    assert "pkg/used.py" in found.files


@pytest.mark.parametrize("first", [Move(("pkg/unused.py",), "sh"), Rename("pkg/unused.py", "other.py")])
def test_a_file_that_moves_and_goes(tmp_path: Path, first: Operation) -> None:
    found = removed(tmp_path, PYTHON, first, Remove(("pkg/unused.py",)))
    assert found.files == {path: text for path, text in PYTHON.items() if path != "pkg/unused.py"}
