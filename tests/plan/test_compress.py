"""What a plan comes to, case by case (DND-5); the properties are in `test_plan_properties.py`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cbvtool.graph import EXTERNAL, Confidence, Graph, GraphBuilder, When
from cbvtool.plan import (
    Create,
    Extract,
    Group,
    History,
    Merge,
    Move,
    Operation,
    Remove,
    Rename,
    Split,
    check,
    clashes,
    run,
)
from cbvtool.plan.compress import compress
from cbvtool.plan.interfaces import Form
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, Primitive, RemoveNode, RenameNode
from tests.plan.naive import same


def net(base: Graph, *operations: Operation) -> list[Primitive]:
    history = History(base, (Group("all", operations),))
    assert not history.refusals
    found = compress(history)
    assert same(run(base, found).graph, history.graph)
    return list(found)


def as_form(form: str) -> Form:
    return "invert" if form == "invert" else "route"


def move(node: str, target: str) -> Move:
    return Move((node,), target)


def test_a_move_there_and_back_vanishes(shop: Graph) -> None:
    """DND-5: reverted actions vanish."""
    assert net(shop, move("ui/cart.py", "core"), move("ui/cart.py", "ui")) == []


def test_two_moves_become_one(shop: Graph) -> None:
    """DND-5, NEW-9: a -> b, b -> c becomes a -> c, and bears the origin of the last."""
    (only,) = net(shop, move("ui/cart.py", "core"), move("ui/cart.py", "db"))
    assert only == MoveTo("ui/cart.py", "db")
    assert only.origin == 1


def test_created_and_removed_vanishes(shop: Graph) -> None:
    """DND-5: with all that happened to it in between; what it swallowed is gone for good."""
    create = Create("plan:1", "", "new", "folder")
    assert net(shop, create, Rename("plan:1", "newer"), move("plan:1", "core"), Remove(("plan:1",))) == []
    swallowed = net(shop, create, move("ui/cart.py", "plan:1"), Remove(("plan:1",)))
    assert swallowed == [RemoveNode("ui/cart.py")]
    assert swallowed[0].origin == 2


def test_a_created_node_is_made_in_its_last_place_with_its_last_name(shop: Graph) -> None:
    """DND-5: intermediate steps vanish; what goes into it comes after it."""
    found = net(
        shop,
        Create("plan:1", "ui", "new", "folder"),
        move("ui/cart.py", "plan:1"),
        Create("plan:2", "", "outer", "folder"),
        move("plan:1", "plan:2"),
        Rename("plan:1", "inner"),
    )
    assert found == [
        CreateNode("plan:2", "", "outer", "folder"),
        CreateNode("plan:1", "plan:2", "inner", "folder"),
        MoveTo("ui/cart.py", "plan:1"),
    ]


def test_two_files_of_one_name_swap_places(shop: Graph) -> None:
    """Swapping two files of one name included; no temporary name, no clash on the target."""
    swap = (move("ui/x.py", "core"), move("core/x.py", "ui"))
    found = net(shop, *swap)
    assert sorted(map(repr, found)) == sorted(map(repr, [MoveTo("ui/x.py", "core", 0), MoveTo("core/x.py", "ui", 1)]))
    half = run(shop, swap[:1]).graph
    assert [clash.name for clash in clashes(half, shop)] == ["x.py"]
    assert clashes(run(shop, swap).graph, shop) == []


def test_a_folder_that_goes_into_what_was_inside_it() -> None:
    """Design 4: the order is always possible, for containers that change places as well."""
    builder = GraphBuilder("nest")
    for node, above in (("a", ""), ("a/b", "a"), ("a/b/c", "a/b"), ("a/b/c/d", "a/b/c")):
        builder.add_node(node, above, node[-1], "folder")
    nest = builder.freeze()
    assert net(nest, move("a/b", ""), move("a", "a/b")) == [MoveTo("a/b", ""), MoveTo("a", "a/b")]
    # Turned inside out: d > c > b > a. Any other order of these four passes through a cycle.
    inside_out = (move("a/b/c/d", ""), move("a/b/c", "a/b/c/d"), move("a/b", "a/b/c"), move("a", "a/b"))
    assert net(nest, *inside_out) == [MoveTo(step.nodes[0], step.target) for step in inside_out]
    with pytest.raises(ValueError, match="tree"):
        run(nest, reversed(net(nest, *inside_out)))


def test_a_container_moves_and_so_does_some_of_its_content(shop: Graph) -> None:
    """DND-5: what leaves a folder before it is removed is moved out first."""
    found = net(shop, move("ui", "core"), move("ui/cart.py", "db"), Rename("ui", "views"))
    assert found == [MoveTo("ui", "core"), RenameNode("ui", "views"), MoveTo("ui/cart.py", "db")]
    found = net(shop, move("ui/cart.py", "db"), Remove(("ui",)))
    assert found == [MoveTo("ui/cart.py", "db"), RemoveNode("ui")]


def test_renames_cancel_out(shop: Graph) -> None:
    """DND-5."""
    assert net(shop, Rename("ui", "views"), Rename("ui", "ui")) == []
    assert net(shop, Rename("ui", "views"), Rename("ui", "gui")) == [RenameNode("ui", "gui")]


def test_a_merge_keeps_its_origin_and_leads_relations_on(shop: Graph) -> None:
    """DND-2, design 4: origin tags let tasks still speak of a merge."""
    found = net(shop, move("ui/cart.py", "db"), Merge("db/tables.py", "db/store.py"), Merge("core/x.py", "ui/x.py"))
    assert found == [
        MoveTo("ui/cart.py", "db"),
        AddEdge("ui/x.py", "ui/billing.py", "import", 1.0, 0, 0, (("core/x.py", 9),)),
        RemoveNode("core/x.py"),
        RemoveNode("db/tables.py"),
    ]
    assert [primitive.origin for primitive in found] == [0, 2, 2, 1]


def test_a_split_in_both_forms(shop: Graph) -> None:
    """DND-3: sites stay with the relation that is led elsewhere; a relation to be written has none."""
    cut = CutEdge("db/store.py", "ui/x.py", "import")
    for form, middle, other in (
        ("invert", "plan:core/ui_interface.py", ("ui/x.py", "plan:core/ui_interface.py", "inherit")),
        ("route", "plan:core/ui_facade.py", ("plan:core/ui_facade.py", "ui/x.py", "import")),
    ):
        found = net(shop, Split("db", "ui", "core", as_form(form)))
        led = AddEdge("db/store.py", middle, "import", 1.0, 0, 0, (("db/store.py", 14),))
        made = CreateNode(middle, "core", middle.rpartition("/")[2], "file")
        assert found[:2] == [made, cut]
        assert sorted(map(repr, found[2:])) == sorted(map(repr, [replace(led, origin=0), AddEdge(*other, origin=0)]))
        assert {primitive.origin for primitive in found} == {0}
    # A file that is asked for: made once, used by the next split as well.
    twice = net(shop, Split("db", "ui", "core", name="ports.py"), Split("ui", "db", "core", name="ports.py"))
    assert [p for p in twice if isinstance(p, CreateNode)] == [
        CreateNode("plan:core/ports.py", "core", "ports.py", "file")
    ]


def test_a_split_puts_in_one_relation_for_each_file() -> None:
    """DND-3: calls of functions become one import of the interface per file, and one implementation per file."""
    builder = GraphBuilder("shop")
    for folder in ("app", "domain"):
        builder.add_node(folder, "", folder, "folder")
        for name in ("a.py", "b.py"):
            builder.add_node(f"{folder}/{name}", folder, name, "file", file=f"{folder}/{name}")
            for part in ("f", "g"):
                builder.add_node(f"{folder}/{name}::{part}", f"{folder}/{name}", part, "function")
    pairs = (("a.py::f", "a.py::f"), ("a.py::g", "a.py::f"), ("a.py::g", "b.py::g"), ("b.py::f", "b.py::f"))
    for line, (user, used) in enumerate(pairs, start=1):
        ends = builder.key(f"app/{user}"), builder.key(f"domain/{used}")
        builder.add_edge(*ends, "call", sites=[(f"app/{user[:4]}", line), (f"app/{user[:4]}", 20)])
    builder.add_edge(builder.key("app/a.py"), builder.key("domain/a.py"), "import", sites=[("app/a.py", 20)])
    base = builder.freeze()
    for form, kind in (("invert", "inherit"), ("route", "import")):
        middle = f"plan:domain/domain_{'interface' if form == 'invert' else 'facade'}.py"
        found = net(base, Split("app", "domain", "domain", as_form(form)))
        put = [p for p in found if isinstance(p, AddEdge)]
        sites = {"app/a.py": (1, 2, 3, 20), "app/b.py": (4, 20)}
        uses = {(user, middle, "import", lines) for user, lines in sites.items()}
        needs = {
            (file, middle, kind, ()) if form == "invert" else (middle, file, kind, ())
            for file in ("domain/a.py", "domain/b.py")
        }
        assert {(p.source, p.target, p.kind, tuple(line for _, line in p.sites)) for p in put} == uses | needs
        assert len(put) == 4
        assert sum(isinstance(p, CutEdge) for p in found) == 5


def test_a_split_speaks_the_language_of_the_files() -> None:
    """DND-3: C includes a header, Java implements an interface file; outside the project nothing implements."""
    builder = GraphBuilder("subject")
    for name in ("a.c", "list.c", "A.java", "OrderList.java"):
        builder.add_node(name, "", name, "file", file=name)
    builder.add_node("lib", "", "lib", "folder")
    builder.add_node("external", "", "external", EXTERNAL)
    builder.add_node("external:numpy", "external", "numpy", EXTERNAL)
    builder.add_edge(builder.key("a.c"), builder.key("list.c"), "call", sites=[("a.c", 7)])
    builder.add_edge(builder.key("A.java"), builder.key("OrderList.java"), "call", sites=[("A.java", 7)])
    builder.add_edge(builder.key("A.java"), builder.key("external:numpy"), "import", sites=[("A.java", 1)])
    base = builder.freeze()

    def put(source: str, target: str, form: Form) -> set[tuple[str, str, str]]:
        found = net(base, Split(source, target, "lib", form))
        return {(p.source, p.target, p.kind) for p in found if isinstance(p, AddEdge)}

    header = "plan:lib/list_interface.h"
    assert put("a.c", "list.c", "invert") == {("a.c", header, "include"), ("list.c", header, "include")}
    java = "plan:lib/OrderListInterface.java"
    assert put("A.java", "OrderList.java", "invert") == {
        ("A.java", java, "import"),
        ("OrderList.java", java, "inherit"),
    }
    outside = Split("A.java", "external:numpy", "lib")
    assert check(outside, base) == "numpy lies outside the project and implements nothing of it: use a facade."
    facade = "plan:lib/NumpyFacade.java"
    assert put("A.java", "external:numpy", "route") == {
        ("A.java", facade, "import"),
        (facade, "external:numpy", "import"),
    }
    assert check(Split("a.c", "list.c", "external:numpy"), base) == (
        "numpy lies outside the project: choose a file or a folder of the project."
    )


def test_a_relation_of_a_folder_cannot_be_split() -> None:
    """DND-3: nobody can rewrite the code of a folder; one sentence, and nothing is changed."""
    builder = GraphBuilder("subject")
    for name in ("a", "b", "c"):
        builder.add_node(name, "", name, "folder")
    builder.add_edge(1, 2, "import")
    said = "b has a relation of its own and is no file, so nobody can rewrite it."
    assert check(Split("a", "b", "c", name="x.py"), builder.freeze()) == said


def test_a_split_leaves_alone_what_goes_over_the_third_node_already(shop: Graph) -> None:
    """DND-3: a facade uses what it hides; whoever uses the third node, or is in it, is not led there once more."""
    # ui/billing.py, which is to be the facade, uses core itself; only cart.py and x.py are led over it.
    route = net(shop, Split("ui", "core", "ui/billing.py", "route"))
    assert [(p.source, p.target) for p in route if isinstance(p, CutEdge)] == [
        ("ui/cart.py", "core/money.py"),
        ("ui/x.py", "core/x.py"),
    ]
    # As an interface it is used by both: its own relation is turned round.
    invert = net(shop, Split("ui", "core", "ui/billing.py", "invert"))
    assert CutEdge("ui/billing.py", "core/money.py", "import") in invert
    assert AddEdge("core/money.py", "ui/billing.py", "inherit") in invert
    # core/money.py is in core: what ends there stays as it is.
    assert [p for p in net(shop, Split("ui", "core", "core/money.py")) if isinstance(p, CutEdge)] == [
        CutEdge("ui/x.py", "core/x.py", "import")
    ]


def test_a_relation_that_came_and_went_vanishes(shop: Graph) -> None:
    """DND-5: led over one node, then over another, is led over the other."""
    create = Create("plan:1", "", "api", "folder")
    found = net(shop, create, Split("db", "ui", "core"), Split("db", "core", "plan:1"))
    assert [(p.source, p.target) for p in found if isinstance(p, CutEdge)] == [("db/store.py", "ui/x.py")]
    assert {(p.source, p.target) for p in found if isinstance(p, AddEdge)} == {
        ("db/store.py", "plan:plan:1/core_interface.py"),
        ("ui/x.py", "plan:core/ui_interface.py"),
        ("plan:core/ui_interface.py", "plan:plan:1/core_interface.py"),
    }


def test_relations_that_fall_together_become_one() -> None:
    """Design 3: one relation for two ends and a kind: weights add up, the surer and the earlier mark stays."""
    builder = GraphBuilder("subject")
    for node in ("a", "b", "c"):
        builder.add_node(node, "", node, "file", file=node)
    builder.add_edge(1, 2, "import", weight=2.5, confidence=Confidence.GUESS, when=When.ALWAYS, sites=[("a", 1)])
    builder.add_edge(1, 3, "import", weight=0.5, confidence=Confidence.EXACT, when=When.DEFERRED, sites=[("a", 2)])
    marks = (3.0, Confidence.EXACT, When.ALWAYS)
    assert net(builder.freeze(), Merge("b", "c")) == [
        AddEdge("a", "c", "import", *marks, (("a", 2), ("a", 1))),
        RemoveNode("b"),
    ]
    assert net(builder.freeze(), Merge("c", "b")) == [
        AddEdge("a", "b", "import", *marks, (("a", 1), ("a", 2))),
        RemoveNode("c"),
    ]


def test_what_changed_together_cannot_be_cut() -> None:
    """DND-3: a split leaves history and traces alone; alone they are nothing to split."""
    builder = GraphBuilder("subject")
    for node in ("a", "b", "c"):
        builder.add_node(node, "", node, "file")
    builder.add_edge(1, 2, "co-change")
    split = Split("a", "b", "c")
    assert check(split, builder.freeze()) == "a does not use b."
    builder.add_edge(1, 2, "import")
    assert [p.kind for p in net(builder.freeze(), split) if isinstance(p, CutEdge | AddEdge)] == [
        "import",
        "import",
        "inherit",
    ]


def test_a_pull_out_takes_exactly_the_children_with_a_relation(shop: Graph) -> None:
    """DND-4: in front of a collapsed node; a leaf is moved itself."""
    assert net(shop, Extract("ui", "db", "core")) == [MoveTo("ui/billing.py", "core"), MoveTo("ui/x.py", "core")]
    assert net(shop, Extract("db/store.py", "ui", "core")) == [MoveTo("db/store.py", "core")]
