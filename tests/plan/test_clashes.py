"""Two things of one name in one place, judged on the target (design 4)."""

from __future__ import annotations

from hypothesis import given

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.plan import Create, Merge, Move, Operation, Rename, clash_of, clashes, replay, run
from cbvtool.session.dragging.gestures import kinds_in, place_for
from tests.plan.strategies import plans


def test_a_clash_names_who_and_where(shop: Graph) -> None:
    """Design 4: moved beside one of the same name, renamed to it, created with it."""
    for operation, keys in (
        (Move(("ui/x.py",), "core"), {"ui/x.py", "core/x.py"}),
        (Rename("core/money.py", "x.py"), {"core/money.py", "core/x.py"}),
        (Create("plan:1", "core", "x.py", "folder"), {"plan:1", "core/x.py"}),
    ):
        graph = replay(shop, [operation])
        (clash,) = clashes(graph, shop)
        assert {graph.ids[key] for key in clash.nodes} == keys
        assert clash.sentence(graph) == "core holds 2 items called x.py."


def test_what_clashes_today_is_no_news() -> None:
    """Design 3: a function may be defined twice; a third one that comes along is a clash."""
    builder = GraphBuilder("subject")
    for file in ("a.py", "b.py"):
        builder.add_node(file, "", file, "file")
    for _ in range(2):
        builder.add_node("a.py::f", "a.py", "f", "function")
    builder.add_node("b.py::f", "b.py", "f", "function")
    base = builder.freeze()
    assert len(clashes(base)) == 1
    assert clashes(base, base) == []
    assert clashes(replay(base, [Move(("b.py",), ""), Rename("b.py", "c.py")]), base) == []
    (clash,) = clashes(replay(base, [Move(("b.py::f",), "a.py")]), base)
    assert len(clash.nodes) == 3


@given(plans())
def test_looking_only_where_something_changed_misses_nothing(plan: tuple[Graph, list[Operation]]) -> None:
    """Design 4: with a base, all clashes but those that stand in it."""
    base = plan[0]
    graph = run(*plan).graph
    stood = {(clash.parent, clash.name, clash.nodes) for clash in clashes(base)}
    news = [clash for clash in clashes(graph) if (clash.parent, clash.name, clash.nodes) not in stood]
    fewer = {(clash.parent, clash.name): set(clash.nodes) for clash in clashes(base)}
    news = [c for c in news if not set(c.nodes) <= fewer.get((c.parent, c.name), set())]
    assert clashes(graph, base) == news


def test_data_hold_no_code_and_files_of_two_sorts_do_not_become_one() -> None:
    """DND-2: a class in a `.json`, a module merged into a text: told before the drop, and not offered."""
    builder = GraphBuilder("p")
    for name in ("a.py", "b.py", "c.pyi", "data.json", "x.odd", "y.odd"):
        builder.add_node(name, "", name, "file", file=name)
    builder.add_node("a.py::A", "a.py", "A", "class", file="a.py")
    builder.add_node("x.odd::X", "x.odd", "X", "class", file="x.odd")
    graph = builder.freeze()
    reason = "data.json holds no code: choose another file."
    assert clash_of(Create("plan:1", "data.json", "New", "class"), graph) == reason
    assert clash_of(Move(("a.py::A",), "data.json"), graph) == reason
    assert clash_of(Move(("a.py::A",), "b.py"), graph) is None
    assert clash_of(Create("plan:1", "y.odd", "New", "class"), graph) is None  # files like it hold classes
    assert "different sorts" in (clash_of(Merge("a.py", "data.json"), graph) or "")
    assert clash_of(Merge("a.py", "b.py"), graph) is None
    assert clash_of(Merge("b.py", "c.pyi"), graph) is None
    assert kinds_in(graph.key_of["data.json"], (), graph) == ()
    assert "class" in kinds_in(graph.key_of["b.py"], (), graph)
    assert place_for(graph.key_of["data.json"], "class", graph) == graph.root
