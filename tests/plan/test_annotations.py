"""What people note about tasks: by key, kept in the document, listed when it is overtaken (NEW-9)."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from cbvtool.graph import Graph
from cbvtool.plan import Create, Group, History, Move, Remove, Rename, Split
from cbvtool.plan.document import Document, Plan, read_document, write_document
from cbvtool.plan.export import About, to_markdown
from cbvtool.plan.listing.annotations import Annotation, annotated, reordered, without
from cbvtool.plan.tasks import TaskList, task_list

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "plan.schema.json").read_text())


def planned(base: Graph, *operations: object) -> History:
    return History(base, tuple(Group("", (operation,)) for operation in operations))  # type: ignore[arg-type] # any one


def titles(found: TaskList) -> list[str]:
    return [task.title for task in found.tasks]


def test_notes_stay_with_their_task_when_planning_goes_on(shop: Graph) -> None:
    """Same net change, same key: by another way, with other numbers, beside other tasks."""
    history = planned(shop, Move(("ui/cart.py",), "core"), Rename("db", "storage"))
    first, second = task_list(history).tasks
    noted = annotated({}, second, note="after the release", assignee=" Ann ")
    more = planned(
        shop,
        Move(("ui/x.py",), "db"),
        Rename("db", "shelf"),
        Create("plan:1", "", "api", "package"),
        Move(("ui/cart.py",), "db"),
        Move(("ui/cart.py",), "core"),
        Rename("db", "storage"),
    )
    found = {task.title: task for task in task_list(more, annotations=noted).tasks}
    assert found[second.title].key == second.key
    assert found[first.title].key == first.key
    assert (found[second.title].note, found[second.title].assignee) == ("after the release", "Ann")
    # What the plan makes is known by its place: made again under another id, it is the same.
    one, other = (
        task_list(planned(shop, Create(node, "", "api", "package"), Move(("ui/x.py",), node)))
        for node in ("plan:1", "plan:7")
    )
    assert [task.key for task in one.tasks] == [task.key for task in other.tasks]


def test_a_split_keeps_its_key_when_the_code_goes_on(shop: Graph) -> None:
    """After a new analysis with one more import the task is the same one."""
    split = Split("db", "ui", "core")
    edges = shop.edges.take(shop.edges.source != shop.key_of["ui/x.py"])
    before, after = (task_list(planned(base, split)).tasks for base in (shop, shop.with_(edges=edges)))
    assert [task.key for task in before] == [task.key for task in after]


def test_people_put_tasks_in_order(shop: Graph) -> None:
    """The order is kept by key; what needs something else first still comes after it."""
    history = planned(
        shop, Create("plan:1", "", "api", "package"), Move(("ui/x.py",), "plan:1"), Rename("core", "kernel")
    )
    found = task_list(history)
    assert titles(found) == ["Create package api", "Rename core to kernel", "Move x.py from ui to api"]
    noted = reordered({}, found.tasks, found.tasks[2].key, 0)
    found = task_list(history, annotations=noted)
    assert titles(found) == ["Create package api", "Move x.py from ui to api", "Rename core to kernel"]
    noted = reordered(noted, found.tasks, next(t.key for t in found.tasks if t.kind == "rename"), 0)
    found = task_list(history, annotations=noted)
    assert titles(found)[0] == "Rename core to kernel"
    assert [task.number for task in found.tasks] == [1, 2, 3]
    # A new task comes where the plan puts it; nothing that was noted is lost.
    longer = History(shop, (*history.done, Group("", (Remove(("db/tables.py",)),))))
    assert titles(task_list(longer, annotations=noted))[0] == "Rename core to kernel"
    assert titles(task_list(longer, annotations=noted))[-1] == "Remove db/tables.py"
    assert reordered(noted, found.tasks, "no-such-key", 0) is noted


def test_what_is_overtaken_is_kept_and_listed(shop: Graph, tmp_path: Path) -> None:
    """A key that no task has: not lost, not attached to another task, told in the list."""
    history = planned(shop, Move(("ui/cart.py",), "core"), Rename("db", "storage"))
    rename, move = task_list(history).tasks
    noted = annotated(annotated({}, move, note="with care", done=True), rename, assignee="Bob")
    found = task_list(history.undo(), annotations=noted)
    (left,) = found.overtaken
    assert (left.key, left.annotation) == (rename.key, Annotation(assignee="Bob", title="Rename db to storage"))
    assert "## Overtaken" in to_markdown(found, About("shop", "p"))
    assert "- Rename db to storage; assigned to Bob" in to_markdown(found, About("shop", "p"))
    file = tmp_path / "plan.cbv"
    plan = Plan.of(history.undo(), "Plan 1", noted)
    write_document(Document(tmp_path, "shop", plans=(plan, Plan("Plan 2"))), file)
    written = json.loads(file.read_text())
    jsonschema.validate(written, SCHEMA)
    assert written["plans"][0]["tasks"] == {
        move.key: {"note": "with care", "done": True, "title": move.title},
        rename.key: {"assignee": "Bob", "title": rename.title},
    }
    assert "tasks" not in written["plans"][1]  # what was written before is written still
    assert dict(read_document(file).plan.annotations) == noted
    assert without(noted, [rename.key]).keys() == {move.key}
    # Done again, it is there again.
    again = task_list(history.undo().redo(), annotations=noted)
    assert [task.assignee for task in again.tasks] == ["Bob", ""]
    assert again.overtaken == ()


def test_an_annotation_that_says_nothing_is_left_out(shop: Graph) -> None:
    (task,) = task_list(planned(shop, Move(("ui/cart.py",), "core"))).tasks
    noted = annotated({}, task, note="x")
    assert annotated(noted, task, note="") == {}
    assert annotated({}, task, assignee="  ") == {}
