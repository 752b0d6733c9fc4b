"""Tasks as steps of one refactoring each (NEW-9): their order, their sites, what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import Create, Group, History, Merge, Move, Operation, Remove, Rename, Split, run
from cbvtool.plan.sites.code import NO_CODE
from cbvtool.plan.tasks import TaskList, task_list
from cbvtool.rules import parse_rules
from tests.plan.coded import Coded


def listed(base: Graph, *operations: Operation) -> TaskList:
    history = History(base, (Group("all", operations),))
    assert not history.refusals
    return task_list(history)


def test_a_swap_goes_over_a_temporary_name(shop: Graph) -> None:
    """Every step leaves code that builds: nothing is overwritten on the way."""
    found = listed(shop, Move(("ui/x.py",), "core"), Move(("core/x.py",), "ui"))
    first, second, third = found.steps
    assert [step.title for step in found.steps] == [
        "Move ui/x.py to core/x.py",
        "Move core/x.py to ui/x.py",
        "Give core/x.py its name, x.py: the place is free now",
    ]
    assert first.notes == ("Its place is taken until what lies there today has left: call it x_tmp.py meanwhile.",)
    halfway = run(shop, first.primitives).graph
    assert halfway.names[halfway.key_of["ui/x.py"]] == "x_tmp.py"
    # ui/x.py imports core/x.py, db/store.py imports ui/x.py: whoever names what moves changes with it.
    assert {(site.file, site.line) for site in first.sites} >= {("db/store.py", 14)}
    assert {(site.file, site.line) for site in third.sites} == {("db/store.py", 14)}
    assert second.sites


def test_a_place_is_taken_when_it_was_vacated(shop: Graph) -> None:
    """What waits for a place needs no temporary name if somebody leaves it for good."""
    found = listed(shop, Move(("ui/x.py",), "core"), Move(("core/x.py",), "db"))
    assert [step.title for step in found.steps] == ["Move core/x.py to db/x.py", "Move ui/x.py to core/x.py"]
    assert all(not work.notes for work in (*found.tasks, *found.steps))
    found = listed(shop, Remove(("core/x.py",)), Move(("ui/x.py",), "core"))
    assert [task.title for task in found.tasks] == ["Remove core/x.py", "Move x.py from ui to core"]


def test_a_merge_comes_after_whatever_leaves_what_it_empties(shop: Graph) -> None:
    """DND-2: "once nothing is left in it" never precedes a later move out of it."""
    found = listed(shop, Merge("ui", "core"), Move(("ui/cart.py",), "db"))
    assert [task.title for task in found.tasks] == ["Move cart.py from ui to db", "Merge ui into core"]
    assert found.steps[-1].title == "Remove ui once nothing is left in it"
    first = (
        listed(shop, Move(("ui/cart.py",), "db"), Merge("db", "core"), Move(("ui/x.py",), "db/store.py"))
        if False
        else found
    )
    assert first is found


def test_merges_that_go_through_each_other_come_apart() -> None:
    """Two merges, each of which empties what the other one removes: their moves come one by one."""
    builder = GraphBuilder("subject")
    for folder in ("a", "b", "c"):
        builder.add_node(folder, "", folder, "folder")
    for node in ("a/one", "a/two", "b/three", "b/four"):
        builder.add_node(node, node[0], node[2:], "file")
    base = builder.freeze()
    found = listed(base, Move(("a/one",), "b"), Move(("b/three",), "a"), Merge("a", "c"), Merge("b", "c"))
    titles = [step.title for step in found.steps]
    assert [title.split()[0] for title in titles] == ["Move"] * 4 + ["Remove"] * 2
    assert {title for title in titles if title.startswith("Move")} == {
        "Move a/one to c/one",
        "Move a/two to c/two",
        "Move b/three to c/three",
        "Move b/four to c/four",
    }


def test_containers_come_first_and_removals_last(shop: Graph) -> None:
    found = listed(
        shop,
        Remove(("db/tables.py",)),
        Rename("core/money.py", "coins.py"),
        Create("plan:1", "", "api", "package"),
        Create("plan:2", "plan:1", "ports.py", "file"),
        Create("plan:3", "plan:2", "Port", "interface"),
        Move(("core/x.py",), "plan:1"),
    )
    assert [task.title for task in found.tasks] == [
        "Create package api",
        "Create file api/ports.py",
        "Move x.py from core to api",
        "Rename core/money.py to coins.py",
        "Create interface api/ports.py::Port",
        "Remove db/tables.py",
    ]


def test_dependants_are_the_files_outside(shop: Graph) -> None:
    """Who uses what changes, by name."""
    (task,) = listed(shop, Move(("ui",), "core")).tasks
    assert task.dependants == ("core/x.py", "db/store.py")
    (task,) = listed(shop, Rename("core/money.py", "coins.py")).tasks
    assert task.dependants == ("ui/billing.py", "ui/cart.py")
    (task,) = listed(shop, Create("plan:1", "", "api", "package")).tasks
    assert task.dependants == ()


def test_rules_are_mended_and_broken_by_tasks(shop: Graph) -> None:
    """Each task says which violations end and begin by it; without rules nothing is said."""
    rules = parse_rules('[rules]\ndeny = [{from = "core", to = "ui"}, {from = "db", to = "ui"}]')
    history = History(shop, (Group("", (Move(("ui/billing.py",), "core"), Move(("core/x.py",), "db"))),))
    found = task_list(history, rules=rules)
    assert {task.title: (task.mended, task.broken) for task in found.tasks} == {
        "Move billing.py from ui to core": (
            ("core/x.py uses ui/billing.py: core must not use ui",),
            ("core/billing.py uses ui/__init__.py: core must not use ui",),
        ),
        "Move x.py from core to db": ((), ()),
    }
    assert [(step.mended, step.broken) for step in found.steps] == [(t.mended, t.broken) for t in found.tasks]
    assert all(task.broken == task.mended == () for task in task_list(history).tasks)


def test_a_circular_import_is_minded(tmp_path: Path) -> None:
    """NEW-9: a move that makes two files import each other says so, in the task and in its step."""
    project = Coded(
        tmp_path,
        {
            "a.py": "class Base:\n    pass\n\n\nclass Thing(Base):\n    pass\n\n\ndef make():\n    return Thing()\n",
            "b.py": "from a import Thing\n\nthing = Thing()\n",
        },
    )
    history = History(project.graph, (Group("", (Move(("a.py::Thing",), "b.py"),)),))
    found = task_list(history, code=project.code, circles=True)
    assert found.tasks[0].notes == ("Makes a circular import: a.py → b.py → a.py.",)
    assert found.steps[0].notes == found.tasks[0].notes


def test_a_split_names_every_line_of_what_is_cut(tmp_path: Path) -> None:
    """DND-3: with the text of the code as without it; who implements the interface gets an import, and a look."""
    project = Coded(
        tmp_path,
        {
            "app/run.py": "from lib.store import Store\n\n\ndef run():\n    return Store().load()\n",
            "lib/store.py": "import os\n\n\nclass Store:\n    def load(self):\n        return os\n",
        },
    )
    split = Split("app", "lib", "app")
    history = History(project.graph, (Group("", (split,)),))
    for code in (project.code, NO_CODE):
        (task,) = task_list(history, code=code).tasks
        told = {(site.file, site.line or f"+{site.after}", site.kind, site.certainty) for site in task.sites}
        assert told >= {
            ("app/run.py", 1, "import", "must"),
            ("app/run.py", 5, "instantiate", "must"),
            ("lib/store.py", "+1", "add-import", "must"),
            ("lib/store.py", 4, "definition", "check"),
        }
        assert [step.title for step in task.steps][1:] == [
            "Let lib/store.py implement app/lib_interface.py",
            "Let app/run.py use app/lib_interface.py instead of lib/store.py, "
            "and have its users hand in Store, which it makes itself today",
        ]
        assert [sorted({site.file for site in step.sites}) for step in task.steps] == [
            [],
            ["lib/store.py"],
            ["app/run.py"],
        ]


def test_whoever_uses_the_others_is_removed_first() -> None:
    """CBV-10, NEW-9: so that no step leaves code behind that uses what is gone; those in a cycle stay together."""
    builder = GraphBuilder("subject")
    names = ("a.py", "b.py", "c.py", "d.py", "e.py")
    for name in names:
        builder.add_node(name, "", name, "file", file=name)
    for user, used in (("b.py", "a.py"), ("c.py", "d.py"), ("d.py", "c.py"), ("d.py", "b.py"), ("e.py", "c.py")):
        builder.add_edge(builder.key(user), builder.key(used), "import", sites=[(user, 1)])
    builder.add_edge(builder.key("a.py"), builder.key("e.py"), "co-change")
    found = listed(builder.freeze(), Remove(names))
    assert [step.title for step in found.steps] == [f"Remove {name}.py" for name in "ecdba"]


def test_a_split_of_a_planned_relation_loses_nothing() -> None:
    """DND-3: what implements an interface is led over a facade; found by a random history."""
    builder = GraphBuilder("subject")
    for name in ("user.py", "used.py"):
        builder.add_node(name, "", name, "file", file=name)
    builder.add_node("lib", "", "lib", "folder")
    builder.add_edge(1, 2, "import", sites=[("user.py", 1)])
    first = Split("user.py", "used.py", "lib")
    found = listed(builder.freeze(), first, Split("used.py", "plan:lib/used_interface.py", "", "route", "door.py"))
    assert [step.title for step in found.steps] == [
        "Create lib/used_interface.py: a module with a Protocol or an abstract base class that declares what user.py "
        "needs of used.py",
        "Let user.py use lib/used_interface.py instead of used.py",
        "Create door.py: a facade that offers what used.py needs of lib/used_interface.py, made of "
        "lib/used_interface.py",
        "Let used.py use door.py",
    ]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_a_chain_of_places_is_emptied_from_its_end(order: tuple[int, ...]) -> None:
    """a -> b -> c: each waits for the next."""
    builder = GraphBuilder("subject")
    for folder in "abc":
        builder.add_node(folder, "", folder, "folder")
        builder.add_node(f"{folder}/f.py", folder, "f.py", "file")
    builder.add_node("d", "", "d", "folder")
    moves = [Move(("a/f.py",), "b"), Move(("b/f.py",), "c"), Move(("c/f.py",), "d")]
    found = listed(builder.freeze(), *(moves[index] for index in order))
    assert [step.title[5:11] for step in found.steps] == ["c/f.py", "b/f.py", "a/f.py"]
