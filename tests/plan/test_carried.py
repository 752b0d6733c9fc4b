"""Imports that come along with a class that goes to another file."""

from __future__ import annotations

import pytest

from cbvtool.assessment.after import compare, judge, judge_change
from cbvtool.assessment.change import moving
from cbvtool.assessment.gains import gains
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.prepared import prepare
from cbvtool.graph import Graph, GraphBuilder, When
from cbvtool.plan import Create, Extract, Group, History, Move, Operation, run
from cbvtool.plan.compress import compress
from cbvtool.plan.draft import Draft
from cbvtool.plan.lower import lower
from cbvtool.plan.tasks import task_list
from cbvtool.rules import Rules
from tests.plan.naive import same

Relation = tuple[str, str]


def project(*uses: Relation) -> Graph:
    """`utils.py` holds A and B and imports `urls.py`, which imports it; `uses` are calls."""
    builder = GraphBuilder("subject")
    for file in ("utils.py", "urls.py", "other.py"):
        builder.add_node(file, "", file, "file")
    for file, name in (("utils.py", "A"), ("utils.py", "B"), ("urls.py", "URL"), ("other.py", "C")):
        builder.add_node(f"{file}::{name}", file, name, "class")
    key = {node: number for number, node in enumerate(builder.freeze().ids)}

    def relate(source: str, target: str, kind: str, line: int, weight: float = 1.0, when: int = 0) -> None:
        sites = [(source.partition("::")[0], line)]
        builder.add_edge(key[source], key[target], kind, weight=weight, when=When(when), sites=sites)

    relate("utils.py", "urls.py", "import", 1, 2.0, When.DEFERRED)
    relate("urls.py", "utils.py", "import", 1)
    for source, target in uses:
        relate(source, target, "call", 7)
    return builder.freeze()


def imports(graph: Graph) -> set[Relation]:
    edges = graph.edges
    rows = zip(edges.source.tolist(), edges.target.tolist(), edges.kind.tolist(), strict=True)
    return {(graph.ids[a], graph.ids[b]) for a, b, kind in rows if edges.kind_names[kind] == "import"}


def after(graph: Graph, *operations: Operation) -> set[Relation]:
    return imports(run(graph, operations).graph)


BACK = ("urls.py", "utils.py")
A_USES, B_USES = ("utils.py::A", "urls.py::URL"), ("utils.py::B", "urls.py::URL")
MOVE_A = Move(("utils.py::A",), "other.py")


def test_an_import_that_only_the_moved_class_needs_goes_with_it() -> None:
    """DND-1: the cycle between the two files is gone."""
    assert after(project(A_USES), MOVE_A) == {BACK, ("other.py", "urls.py")}
    new = (Create("plan:1", "", "new.py", "file"), Move(("utils.py::A",), "plan:1"))
    assert after(project(A_USES), *new) == {BACK, ("plan:1", "urls.py")}
    assert after(project(A_USES), Extract("utils.py", "urls.py", "other.py")) == {BACK, ("other.py", "urls.py")}


def test_an_import_that_both_need_stands_in_both_files() -> None:
    assert after(project(A_USES, B_USES), MOVE_A) == {BACK, ("utils.py", "urls.py"), ("other.py", "urls.py")}
    both = Move(("utils.py::A", "utils.py::B"), "other.py")
    assert after(project(A_USES, B_USES), both) == {BACK, ("other.py", "urls.py")}
    one_by_one = (MOVE_A, Move(("utils.py::B",), "other.py"))
    assert after(project(A_USES, B_USES), *one_by_one) == {BACK, ("other.py", "urls.py")}


@pytest.mark.parametrize("uses", [(), (B_USES,), (("utils.py", "urls.py::URL"),)])
def test_an_import_that_the_moved_class_does_not_need_stays(uses: tuple[Relation, ...]) -> None:
    graph = project(*uses)
    assert after(graph, MOVE_A) == imports(graph)


def test_what_is_needed_of_something_that_goes_along_is_imported_no_more() -> None:
    both = Move(("utils.py::A", "urls.py::URL"), "other.py")
    assert after(project(A_USES), both) == {BACK}


def test_into_the_file_that_is_imported_no_import_comes_along() -> None:
    assert after(project(A_USES), Move(("utils.py::A",), "urls.py")) == {BACK}


def test_there_and_back_is_nothing() -> None:
    """DND-5: the import is back with its weight and its sites, also where the other file had one of its own."""
    graph = project(A_USES, ("other.py::C", "urls.py::URL"))
    history = History(graph)
    for operation in (MOVE_A, Move(("utils.py::A",), "utils.py")):
        history = history.do(Group("", (operation,)))
    assert "other.py" in {source for source, _ in imports(history.graph)}  # C needs the import now, too
    alone = project(A_USES, B_USES)
    back = run(alone, [MOVE_A, Move(("utils.py::A",), "utils.py")])
    assert same(back.graph, alone)


def test_the_judgement_knows_what_comes_along() -> None:
    """NEW-1: of the step, of the drop, and of the tints the same: the violations that the move mends."""
    graph, rules = project(A_USES), Rules((), (), True)
    target = run(graph, [MOVE_A]).graph
    before, dropped = (prepare(graph, one, rules, ModuleChoice()) for one in (graph, target))
    assert (before.figures.violations, dropped.figures.violations) == (2, 0)
    assert judge(before, lower(MOVE_A, Draft(graph))).after.violations == 0
    assert compare(before, dropped).after.violations == 0
    keys, into = [graph.key_of["utils.py::A"]], graph.key_of["other.py"]
    assert judge_change(before, moving(keys, into)).after.violations == 2  # what a move of the class alone would say
    assert gains(before, keys, [into], lambda _: True) == {into: 1.0}


def test_the_task_is_the_move_and_nothing_else() -> None:
    """What comes along is no task of its own, and changes no key."""
    history = History(project(A_USES)).do(Group("", (MOVE_A,)))
    listed = task_list(history)
    assert [task.title for task in listed.tasks] == ["Move A from utils.py to other.py"]
    assert set(listed.tasks[0].primitives) == set(compress(history))
    bare = task_list(History(project()).do(Group("", (MOVE_A,))))
    assert [task.key for task in bare.tasks] == [task.key for task in listed.tasks]
    assert [step.key for step in bare.steps] == [step.key for step in listed.steps]
    graph = run(history.base, [p for step in listed.steps for p in step.primitives]).graph
    assert same(graph, history.graph)
