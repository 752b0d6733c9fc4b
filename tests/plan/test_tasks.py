"""The task list: net operations, their impact, and how it leaves the tool (DND-5, DND-9, NEW-9)."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given

from cbvtool.graph import Confidence, Graph, GraphBuilder
from cbvtool.mining.changes import Changes
from cbvtool.plan import Create, Extract, Group, History, Merge, Move, Operation, Remove, Rename, Split, effort
from cbvtool.plan.compress import compress
from cbvtool.plan.export import COLUMNS, About, to_csv, to_json, to_markdown
from cbvtool.plan.handing_over.trackers import to_jira
from cbvtool.plan.primitives import AddEdge, CutEdge
from cbvtool.plan.site_words import count_of_sites
from cbvtool.plan.sites.impact import Effect, impact
from cbvtool.plan.sites.site import Site
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import task_list, tasks
from tests.plan.coded import Coded
from tests.plan.strategies import plans


def planned(base: Graph, *operations: Operation) -> History:
    history = History(base, (Group("all", operations),))
    assert not history.refusals
    return history


def places(sites: Iterable[Site]) -> list[tuple[str, int | None]]:
    return [(site.file, site.line) for site in sites]


def steps_of(task: Task) -> tuple[str, ...]:
    return tuple(step.title for step in task.steps)


def listed(base: Graph, *operations: Operation) -> tuple[Task, ...]:
    return tasks(planned(base, *operations))


@pytest.fixture
def changes() -> Changes:
    """Ann wrote everything in ui, then Bob changed billing.py and Eve money.py."""
    paths = ("ui/cart.py", "ui/billing.py", "core/money.py", "deleted.py")
    return Changes(
        ("1", "2", "3"),
        np.array([10, 20, 30]),
        np.array([0, 1, 2], np.int32),
        ("ann@example.org", "1+bob@users.noreply.example.org", "eve@example.org"),
        np.array([0, 0, 0, 1, 2], np.int32),
        np.array([0, 1, 3, 1, 2], np.int32),
        paths,
        names=("Ann Lee", "Bob", "Eve"),
    )


def test_a_moved_module_says_how_many_import_sites_in_how_many_files(shop: Graph, changes: Changes) -> None:
    """Net moves only, for each how many import sites in how many files change."""
    back = (Move(("ui/cart.py",), "db"), Move(("ui/cart.py",), "ui"))
    (task,) = tasks(planned(shop, Move(("ui/billing.py",), "db"), *back, Move(("ui/billing.py",), "core")), changes)
    assert (task.number, task.kind, task.title) == (1, "move", "Move billing.py from ui to core")
    assert (task.nodes, task.origin, task.before, task.after) == (("ui/billing.py",), 3, "ui", "core")
    assert steps_of(task) == ("Move ui/billing.py to core/billing.py",)
    assert places(task.must) == [("core/x.py", 9), ("ui/cart.py", 3), ("ui/cart.py", 17)]
    assert task.files == 2
    assert places(task.check) == [("ui/billing.py", 1)]
    assert task.impact == "3 imports in 2 files, 1 to check"
    # ann: cart.py; bob: billing.py; eve's money.py is only used, nobody touches it.
    assert [(person.name, round(person.share, 2)) for person in task.people] == [("Bob", 0.33), ("Ann Lee", 0.67)]
    assert task.minutes == effort.minutes("move", items=1, files=3, sites=3, checks=1)


def test_several_nodes_moved_together_are_one_task(shop: Graph) -> None:
    """NEW-9: one task, expandable into steps of the size of one refactoring."""
    (task,) = listed(shop, Move(("ui/billing.py", "ui/cart.py"), "core"))
    assert task.title == "Move 2 files from ui to core"
    assert steps_of(task) == ("Move ui/billing.py to core/billing.py", "Move ui/cart.py to core/cart.py")


def test_one_gesture_from_two_places_is_two_tasks(shop: Graph) -> None:
    """NEW-9: a task has one place to come from."""
    assert [task.title for task in listed(shop, Move(("ui/cart.py", "db/store.py"), "core"))] == [
        "Move cart.py from ui to core",
        "Move store.py from db to core",
    ]


def test_every_kind_of_task_in_words(shop: Graph) -> None:
    """DND-2..4: origin tags let tasks speak of a merge, a split (with its form), a pull-out; kinds come in order."""
    titles = [
        (task.kind, task.title)
        for task in listed(
            shop,
            Create("plan:1", "", "api", "package"),
            Split("db", "ui", "plan:1", "route"),
            Extract("ui", "core", "plan:1"),
            Merge("db/tables.py", "db/store.py"),
            Rename("db", "storage"),
            Move(("db/store.py",), "plan:1"),
            Rename("db/store.py", "shelf.py"),
            Rename("core/x.py", "y.py"),
            Remove(("core/money.py::Money.add",)),
        )
    ]
    assert titles == [
        ("create", "Create package api"),
        ("rename", "Rename db to storage"),
        ("pull out", "Pull 3 files out of ui into api: what has relations with core"),
        ("move", "Move store.py from db to api and rename it to shelf.py"),
        ("rename", "Rename core/x.py to y.py"),
        ("split", "Route the dependency of storage on ui through api/ui_facade.py (facade)"),
        ("merge", "Merge db/tables.py into api/shelf.py"),
        ("remove", "Remove core/money.py::Money.add"),
    ]


def test_a_merge_into_what_is_removed_is_a_removal(shop: Graph) -> None:
    """DND-5: of a merge whose result is gone, nothing is left but that both are."""
    found = listed(shop, Merge("ui", "core"), Remove(("core",)))
    assert [(task.kind, task.title) for task in found] == [("remove", "Remove core"), ("remove", "Remove ui")]


def test_a_split_lists_what_is_to_be_written(shop: Graph) -> None:
    """DND-3: both halves of the indirection are steps; the sites of the cut relation must change."""
    (task,) = listed(shop, Split("db", "ui", "core", "invert"))
    via = "core/ui_interface.py"
    assert task.title == f"Invert the dependency of db on ui through {via} (callback or interface)"
    assert steps_of(task) == (
        f"Create {via}: a module with a Protocol or an abstract base class that declares what db needs of ui",
        f"Let ui/x.py implement {via}",
        f"Let db/store.py use {via} instead of ui/x.py",
    )
    assert task.impact == "1 import and 1 import to add in 2 files"
    assert task.steps[1].sites == (
        Site("ui/x.py", None, "add-import", "must", 12, (via,), cause=task.steps[1].sites[0].cause),
    )
    assert places(task.steps[2].sites) == [("db/store.py", 14)]
    (task,) = listed(shop, Split("db", "ui", "core", "route"))
    via = "core/ui_facade.py"
    assert task.title == f"Route the dependency of db on ui through {via} (facade)"
    assert steps_of(task) == (
        f"Create {via}: a facade that offers what db needs of ui, made of ui/x.py",
        f"Let db/store.py use {via} instead of ui/x.py",
    )
    (task,) = listed(shop, Split("db", "ui", "core/x.py"))
    assert steps_of(task) == (
        "Declare in core/x.py what db needs of ui, and let ui/x.py implement it",
        "Let db/store.py use core/x.py instead of ui/x.py",
    )


def test_a_line_to_be_added_is_said_as_what_it_imports(shop: Graph) -> None:
    """DND-3, NEW-9: the file that a split makes is named by its place, before the line after which it is imported."""
    found = listed(shop, Split("db", "ui", "core", "invert"))
    assert "`ui/x.py`: import `core/ui_interface.py` after line 12" in to_markdown(found, About("s", "p"))
    _, row = csv.reader(io.StringIO(to_jira(found, About("s", "p"))))
    assert r"import core/ui\_interface.py after line 12" in row[2]


def test_two_files_that_swap_need_another_name_meanwhile(shop: Graph) -> None:
    """Design 4: names are judged on the target; on the way, people must know."""
    first, second = listed(shop, Move(("ui/x.py",), "core"), Move(("core/x.py",), "ui"))
    assert (first.title, second.title) == ("Move x.py from ui to core", "Move x.py from core to ui")
    assert [len(first.notes), len(second.notes)] == [1, 0]
    assert "is taken until what lies there today has left" in first.notes[0]
    (clash,) = listed(shop, Move(("ui/x.py",), "core"))
    assert clash.notes == ("Something else is called x.py in the same place: join the two, or rename one.",)


def five_lines_to_check() -> Graph:
    """A file with two classes that all import the project: its move leaves five lines to check, none to change."""
    builder = GraphBuilder("subject")
    for node, above, kind in (("n0", "", "file"), ("n1", "n0", "class"), ("n2", "n0", "class"), ("n3", "", "folder")):
        builder.add_node(node, above, node, kind)
    for source, lines in ((1, (1, 2)), (2, (1, 2)), (3, (1,))):
        builder.add_edge(source, 0, "import", when=1, sites=[(f"{source}.py", line) for line in lines])
    return builder.freeze()


@given(plans(max_size=10))
@example((five_lines_to_check(), [Move(("n0",), "n3")]))
def test_tasks_account_for_every_primitive_and_every_site(plan: tuple[Graph, list[Operation]]) -> None:
    """NEW-9: nothing of the plan, and nothing of its impact, is missing from the list or in it twice.

    Of lines to check, those that are too many are left out; the list says how many.
    """
    base, operations = plan
    history = History(base, tuple(Group("", (operation,)) for operation in operations))
    found = tasks(history)
    assert [task.number for task in found] == list(range(1, len(found) + 1))
    primitives = compress(history)
    assert {task.origin for task in found} <= {p.origin for p in primitives}
    touched = [p.node for p in primitives if not isinstance(p, AddEdge | CutEdge)]
    relations = {node for p in primitives if isinstance(p, AddEdge | CutEdge) for node in (p.source, p.target)}
    assert set(touched) <= {node for task in found for node in task.nodes} <= {*touched, *relations}
    effects, edges = impact(base, history.graph, primitives), base.edges

    def sites(change: bool) -> set[tuple[str, int]]:
        rows = effects.row[(effects.effect == Effect.CHANGE) == change].tolist()
        return {(base.files[file], line) for row in rows for file, line in edges.sites(row)}

    there = [[site for site in task.must if site.line is not None] for task in found]  # a split also has lines to add
    listed = {place for some in there for place in places(some)}
    tops = [base.key_of[node] for node in touched if node in base.key_of]
    within = {int(key) for top in tops for key in base.subtree(top)}
    ends = zip(edges.source.tolist(), edges.target.tolist(), strict=True)
    named = [row for row, pair in enumerate(ends) if not within.isdisjoint(pair)]  # calls and others name them, too
    uses = {(base.files[file], line) for row in named for file, line in edges.sites(row)}
    assert sites(True) <= listed <= sites(True) | uses
    assert {site.kind for task in found for site in task.must if site.line is None} <= {"add-import"}
    listed_checks = {place for task in found for place in places(task.check)}
    assert listed_checks <= sites(False) | uses
    said = sum(site.more for task in found for site in task.sites)
    assert len(sites(False) - listed_checks - listed) <= said
    assert said == 0 or any("to check" in note for task in found for note in task.notes)
    for text in (to_markdown(found, About("s", "p")), to_csv(found), to_json(found, About("s", "p"))):
        assert text.endswith("\n")
    assert len(list(csv.reader(io.StringIO(to_csv(found))))) == len(found) + 1


def test_how_many_lines_are_left_out_is_said_where_the_last_one_must_change_for_another_reason() -> None:
    """NEW-9: a line that is both to change and to check keeps how many lines to check were left out behind it."""
    builder = GraphBuilder("subject")
    for node, above, kind in (("a", "", "file"), ("b", "", "file"), ("to", "", "folder"), ("user", "", "file")):
        builder.add_node(node, above, node, kind)
    builder.add_edge(4, 1, "import", sites=[("user.py", 3)])
    builder.add_edge(4, 2, "import", confidence=Confidence.GUESS, sites=[("user.py", line) for line in range(1, 6)])
    (task,) = listed(builder.freeze(), Move(("a", "b"), "to"))
    assert (places(task.must), places(task.check)) == ([("user.py", 3)], [("user.py", 1), ("user.py", 2)])
    assert task.notes == ("2 more places to check are not listed: search for the name.",)


MARKDOWN = """\
# Plan 1 for shop: task list

- **2 tasks**, about **1 h** (estimate)
- **4 imports in 3 files** must change
- 1 import in 1 file to check: whether they must change depends on how they are written
- last authors of the files concerned: Bob, Ann Lee
- paths and lines are those of commit `1a2b3c4`

| # | Task | Places | Files | To check | Effort | People |
|--:|:--|--:|--:|--:|--:|:--|
| 1 | Move `billing.py` from ui to core | 3 | 2 | 1 | 25 min | Bob, Ann Lee |
| 2 | Merge `db/tables.py` into `db/store.py` | 1 | 1 | – | 35 min |  |

## 1. Move `billing.py` from ui to core

3 imports in 2 files must change, 1 to check; about 25 min.
Used by 2 files: `core/x.py`, `ui/cart.py`.
Last authors: Bob (33%), Ann Lee (67%).

- [ ] Move `ui/billing.py` to `core/billing.py`
- [ ] Change 3 imports in 2 files
  - [ ] `core/x.py`: import: line 9
  - [ ] `ui/cart.py`: import: lines 3, 17
- [ ] Check 1 import in 1 file (an import of what moves itself: change it if it is relative)
  - [ ] `ui/billing.py`: import: line 1

## 2. Merge `db/tables.py` into `db/store.py`

1 import in 1 file must change; about 35 min.
Used by 1 file: `db/store.py`.

- [ ] Move the code of `db/tables.py` into `db/store.py` and remove `db/tables.py`
- [ ] Change 1 import in 1 file
  - [ ] `db/store.py`: import: line 1
"""


def test_markdown_is_for_people(shop: Graph, changes: Changes) -> None:
    """NEW-9: a summary, a table, then a check list per task with the import sites of each file."""
    found = tasks(planned(shop, Move(("ui/billing.py",), "core"), Merge("db/tables.py", "db/store.py")), changes)
    text = to_markdown(found, About("shop", "Plan 1", "1a2b3c4"))
    assert text.startswith(MARKDOWN)
    assert text.endswith(effort.EXPLANATION + "\n")
    assert to_markdown((), About("shop", "Plan 1")).endswith("Nothing to do: the plan changes nothing.\n")


def test_csv_and_json_say_the_same(shop: Graph, changes: Changes) -> None:
    """NEW-9: export to CSV and JSON."""
    found = tasks(planned(shop, Move(("ui/billing.py",), "core"), Remove(("db",))), changes)
    header, first, second = csv.reader(io.StringIO(to_csv(found)))
    assert tuple(header) == COLUMNS
    row = dict(zip(header, first, strict=True))
    assert (row["title"], row["sites to change"], row["files"], row["to check"]) == (
        "Move billing.py from ui to core",
        "3",
        "2",
        "1",
    )
    assert row["must change"] == "core/x.py:9 import; ui/cart.py:3 import; ui/cart.py:17 import"
    assert second[1] == "remove"
    data = json.loads(to_json(found, About("shop", "Plan 1", "1a2b3c4")))
    assert (data["format"], data["version"], data["commit"]) == ("cbvtool-tasks", 2, "1a2b3c4")
    must = {"kind": "import", "certainty": "must"}
    assert [site for site in data["tasks"][0]["sites"] if site["certainty"] == "must"] == [
        {"file": "core/x.py", "line": 9, **must},
        {"file": "ui/cart.py", "line": 3, **must},
        {"file": "ui/cart.py", "line": 17, **must},
    ]
    assert data["tasks"][0]["files"] == 2
    assert [s["reason"] for s in data["tasks"][0]["sites"] if (s["file"], s["line"]) == ("ui/billing.py", 1)] == [
        "an import of what moves itself: change it if it is relative"
    ]


def test_hostile_names_stay_names() -> None:
    """Design 8: a file name can be no formula in a spreadsheet, no markup, no second line; also if it is no UTF-8."""
    builder = GraphBuilder("sub|ject")
    builder.add_node("a", "", "a", "folder")
    names = ("=cmd()|x", "[x](http:)", "two\nlines", "b\udcff", "`t`|`k`", "<img src=x>", "ä 语 😀.py")
    for name in names:
        builder.add_node(name, "", name, "file", file=name)
        builder.add_edge(builder.key(name), 1, "import", sites=[(name, 1)])
    base = builder.freeze()
    found = listed(base, *(Move((name,), "a") for name in names), Rename("a", "=1+1"))
    text = to_markdown(found, About("sub|ject", "=plan\n# x", "`1`"))
    text.encode()
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert len(table) == 2 + len(found)
    for line in table:
        assert len(re.findall(r"(?<!\\)\|", line)) == 8, line
    assert text.count("\n## ") == len(found)
    assert not re.search(r"(?<!\\)(\[x\]|<img)", re.sub("`[^`]*`", "", text))
    to_csv(found).encode()
    for row in list(csv.reader(io.StringIO(to_csv(found))))[1:]:
        assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row)
    assert json.loads(to_json(found, About("s", "p")))["tasks"][1]["nodes"]


@pytest.mark.parametrize(("total", "shown"), [(0, "0 min"), (55, "55 min"), (60, "1 h"), (3785, "63 h 5 min")])
def test_effort_for_people(total: int, shown: str) -> None:
    """NEW-9: a transparent, labelled estimate."""
    assert effort.show(total) == shown
    assert "estimate" in effort.EXPLANATION
    assert effort.minutes("move", 1, 0, 0, 0) == 10
    assert effort.minutes("move", 3, 2, 4, 1) == 25  # 10 + 2*2 + 2*3 + 4 + 0.5 = 24.5


def test_a_place_that_two_tasks_change_counts_once(tmp_path: Path) -> None:
    """NEW-9: the sum over the table is larger than what it all comes to, which is told."""
    files = {
        "a.py": "x = 1\n",
        "b.py": "y = 1\n",
        "one/__init__.py": "",
        "two/__init__.py": "",
        "use.py": "import a, b\n",
    }
    project = Coded(tmp_path, files)
    moves = (Group("", (Move(("a.py",), "one"),)), Group("", (Move(("b.py",), "two"),)))
    found = task_list(History(project.graph, moves), None, project.code)
    assert [count_of_sites(task.must) for task in found.tasks] == [1, 1]
    text = to_markdown(found, About("shop", "Plan"))
    assert "- **1 import in 1 file** must change\n- a place that several tasks change counts once in all\n" in text
