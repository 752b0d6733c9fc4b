"""Names that a plan gives: refused while it is planned where carrying it out would refuse them, and nowhere else."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cbvtool.apply.carry import carry_out
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import Create, Group, History, Move, Operation, Rename, Split, refusal_of
from cbvtool.plan.tasks import task_list
from cbvtool.project import open_project
from cbvtool.session.dragging.gestures import new_name, with_ending

JAVA, BARE = "core/src/main/java/org/acme", "bare/src/com/acme"
FILES = {
    f"{JAVA}/Cart.java": "package org.acme;\n\npublic class Cart {\n    public org.acme.item.Item first;\n}\n",
    f"{JAVA}/item/Item.java": "package org.acme.item;\n\npublic class Item {\n}\n",
    f"{JAVA}/item/Odd.java": "package org.acme.item;\n\nclass Other {\n}\n",
    f"{JAVA}/bad-place/readme.txt": "No code.\n",
    f"{BARE}/till/Till.java": "package com.acme.till;\n\npublic class Till {\n}\n",
    "io/src/com/flow/Flow.java": "package com.flow;\n\npublic class Flow {\n}\n",
    "app/__init__.py": "",
    "app/sums.py": "def add(a, b):\n    return a + b\n",
    "app/use.py": "from app.sums import add\n\nprint(add(1, 2))\n",
    "app/loose/deep.py": "x = 1\n",
    "scripts/my-tool.py": "print(1)\n",
    "scripts/tool.py": "print(2)\n",
    "web/package.json": '{"name": "web"}\n',
    "web/src/page.js": "export const page = 1;\n",
    "serve/serve.go": "package serve\n",
    "docs/guide.md": "# Guide\n",
}


@cache
def code() -> Graph:
    with TemporaryDirectory() as folder:
        for path, text in FILES.items():
            (Path(folder) / path).parent.mkdir(parents=True, exist_ok=True)
            (Path(folder) / path).write_text(text)
        return open_project(Path(folder), jobs=1, cache=False).graph


def stopped(*operations: Operation) -> str:
    """Why carrying the plan out is refused; empty = it is carried out."""
    history = History(code())
    for operation in operations:
        history = history.do(Group("", (operation,)))
    tree = FileTree(frozenset(FILES), {path: text.encode() for path, text in FILES.items()})
    try:
        carry_out(code(), tree, task_list(history).tasks)
    except Stopped as reason:
        return reason.reason
    return ""


@pytest.mark.parametrize(
    "operation",
    [
        Rename(f"{JAVA}/item", "data bar"),
        Rename(f"{JAVA}/item", "class"),
        Rename(JAVA, "2fast"),
        Rename(f"{BARE}/till", "data-bar"),
        Rename("bare/src/com", "data-bar"),
        Move((f"{JAVA}/Cart.java",), f"{JAVA}/bad-place"),
        Move((f"{JAVA}/Cart.java",), "core/src/main/java"),
        Rename("app", "my-app"),
        Rename("app", "acme.tools"),
        Rename("app/sums.py", "my-sums.py"),
        Rename("app/sums.py", "class.py"),
        Rename("app/sums.py::add", "data bar"),
        Rename(f"{JAVA}/Cart.java", "data bar.java"),
    ],
)
def test_what_would_not_be_carried_out_is_refused_while_it_is_planned(operation: Operation) -> None:
    """NEW-4: names that are none in their language, in one sentence."""
    refused = refusal_of((operation,), code())
    assert refused is not None
    assert refused.endswith(".")
    assert stopped(operation), "the other one would carry it out"


@pytest.mark.parametrize(
    "operation",
    [
        Rename(f"{JAVA}/bad-place", "worse place"),
        Rename(f"{JAVA}/item", "goods"),
        Rename(f"{JAVA}/item/Odd.java", "my odd.java"),
        Rename("scripts/my-tool.py", "your-tool.py"),
        Rename("app/sums.py", "totals.py"),
        Rename("app/loose", "my-loose"),
        Rename("scripts", "my scripts"),
        Rename("docs", "acme.docs"),
        Create("plan:1", "scripts", "new-tool.py", "file"),
        Create("plan:1", "app", "my data", "folder"),
        Create("plan:1", f"{JAVA}/item", "my data", "folder"),
        Create("plan:1", "web", "acme.tools", "package"),
        Create("plan:1", "serve", "acme.tools", "package"),
        Create("plan:1", JAVA, "tools", "package"),
        Move((f"{JAVA}/item",), "core/src/main/java"),
        Move((f"{JAVA}/bad-place",), "core/src/main/java"),
    ],
)
def test_what_would_be_carried_out_is_refused_nowhere(operation: Operation) -> None:
    """NEW-4: names that no import has to say; a dot where it is part of a name."""
    assert not stopped(operation)
    assert refusal_of((operation,), code()) is None


@pytest.mark.parametrize("folder", ["core", "core/src/main", "core/src/main/java", "io", "io/src", "bare/src"])
def test_a_folder_around_packages_has_any_name(folder: str) -> None:
    """NEW-4: also where packages begin is no part of their names."""
    assert refusal_of((Rename(folder, "data-bar.old"),), code()) is None


@pytest.mark.parametrize("folder", [f"{JAVA}/item", JAVA, f"{BARE}/till", "app"])
def test_a_package_gets_no_name_with_a_dot(folder: str) -> None:
    """DND-2: it stands between two packages, also where Java would find the files."""
    refused = "acme.tools is no name of one package: a dot stands between a package and a package in it."
    assert refusal_of((Rename(folder, "acme.tools"),), code()) == refused


@pytest.mark.parametrize("parent", [JAVA, "core/src/main/java", BARE, "app"])
@pytest.mark.parametrize("name", ["acme.tools", "data bar", "class"])
def test_a_new_package_of_java_or_python_has_a_name_of_its_language(parent: str, name: str) -> None:
    """DND-2: told when it is asked for; a dot stands between two packages."""
    refused = refusal_of((Create("plan:1", parent, name, "package"),), code())
    assert refused is not None
    assert refused.startswith(
        f"{name} is no name of one package" if "." in name else f"A package cannot be called {name}"
    )


def test_a_folder_that_files_of_java_go_to_is_a_package() -> None:
    """DND-2: grouped in one gesture, it is named as one; other files may lie in a folder of any name."""
    made = Create("plan:1", JAVA, "data bar", "folder")
    assert refusal_of((made, Move((f"{JAVA}/Cart.java",), "plan:1")), code()) is not None
    assert refusal_of((made, Move((f"{JAVA}/item",), "plan:1")), code()) is not None
    assert refusal_of((made, Move((f"{JAVA}/bad-place/readme.txt",), "plan:1")), code()) is None


def test_a_split_leaves_no_interface_in_the_default_package() -> None:
    """DND-3: no package of Java can import from there; a package can hold it, and Python has no such place."""

    def refused(via: str, name: str = "ItemInterface.java") -> str | None:
        return refusal_of((Split(f"{JAVA}/Cart.java", f"{JAVA}/item/Item.java", via, "invert", name),), code())

    for via in ("", "core", "core/src/main", "core/src/main/java", "bare", "docs"):
        reason = refused(via)
        assert reason == (
            "ItemInterface.java would be in no package there, so nothing in a package of Java could import it."
        ), via
    assert refused(JAVA) is None
    assert refused(f"{JAVA}/item") is None
    assert refusal_of((Split("app/use.py", "app/sums.py", "", "invert", "sums_interface.py"),), code()) is None


def test_only_a_package_of_python_gets_an_init() -> None:
    """NEW-4: what a new package needs is said in the words of its language."""
    steps = {
        parent: task_list(History(code()).do(Group("", (Create("plan:1", parent, "new", "package"),)))).tasks[0].steps
        for parent in (JAVA, "core/src/main/java", "app", "web", "serve")
    }
    said = {parent: found[0].title.endswith("with an __init__.py") for parent, found in steps.items()}
    assert said == {JAVA: False, "core/src/main/java": False, "app": True, "web": False, "serve": False}


def test_definitions_stay_in_files_of_their_language() -> None:
    """DND-2: a function of Python goes to no page, whether that is there or made for it; JavaScript is alike."""
    graph = code()
    add = "app/sums.py::add"
    for target, said in (
        ("web/src/page.js", "add is code of sums.py: page.js is a file of another language."),
        ("app/use.py", None),
    ):
        assert refusal_of((Move((add,), target),), graph) == said
    for name, good in (("new.py", True), ("new.html", False), ("new.js", False)):
        operations = (Create("plan:new", "app", name, "file"), Move((add,), "plan:new"))
        assert (refusal_of(operations, graph) is None) is good, name


def test_a_new_file_ends_as_what_goes_into_it() -> None:
    """DND-2: not as most files of the folder do; an empty one ends as code does."""
    builder = GraphBuilder("site")
    builder.add_node("pages", "", "pages", "folder")
    for number in range(9):
        builder.add_node(f"pages/{number}.html", "pages", f"{number}.html", "file", file=f"pages/{number}.html")
    builder.add_node("pages/make.py", "pages", "make.py", "file", file="pages/make.py")
    builder.add_node("pages/make.py::make", "pages/make.py", "make", "function", file="pages/make.py")
    graph = builder.freeze()
    folder, make = graph.key_of["pages"], graph.key_of["pages/make.py::make"]
    assert new_name("file", folder, graph, [make]) == "new_file.py"
    assert new_name("file", folder, graph) == "new_file.py"


def test_a_file_keeps_its_ending() -> None:
    """DND-2: who types a name alone means the file, not a file of another kind."""
    graph = code()
    file, folder = graph.key_of["app/sums.py"], graph.key_of["app"]
    assert with_ending("totals", file, graph) == "totals.py"
    assert with_ending("totals.pyi", file, graph) == "totals.pyi"
    assert with_ending("totals", folder, graph) == "totals"
