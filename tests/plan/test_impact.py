"""Which import sites a plan makes wrong (DND-9, NEW-9): cases by hand, then against a naive import system."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import event, given

from cbvtool.graph import EXTERNAL, REMOVED, Confidence, Graph, GraphBuilder
from cbvtool.plan import Create, Group, History, Merge, Move, Operation, Remove, Rename, Split, check
from cbvtool.plan.compress import compress
from cbvtool.plan.primitives import CutEdge
from cbvtool.plan.sites.impact import Effect, impact
from cbvtool.plan.tasks import tasks
from tests.plan.strategies import plans

Found = dict[tuple[str, str], Effect]


def effects(base: Graph, *operations: Operation) -> Found:
    history = History(base, (Group("all", operations),))
    assert not history.refusals
    found = impact(base, history.graph, compress(history))
    edges = base.edges
    return {
        (base.ids[edges.source[row]], base.ids[edges.target[row]]): Effect(effect)
        for row, effect in zip(found.row.tolist(), found.effect.tolist(), strict=True)
    }


def test_a_file_moves(shop: Graph) -> None:
    """Who imports it must change; its own imports break only if they are relative."""
    assert effects(shop, Move(("ui/billing.py",), "core")) == {
        ("ui/cart.py", "ui/billing.py"): Effect.CHANGE,
        ("core/x.py", "ui/billing.py"): Effect.CHANGE,
        ("ui/billing.py", "ui/__init__.py"): Effect.CHECK_IF_RELATIVE,
    }  # to core/money.py and db/store.py it is one folder up and down again, as before


def test_two_files_move_together(shop: Graph) -> None:
    """NEW-9: a relative import between the two holds, an absolute one does not."""
    found = effects(shop, Move(("ui/billing.py", "ui/cart.py"), "core"))
    assert found[("ui/cart.py", "ui/billing.py")] == Effect.CHECK_IF_ABSOLUTE
    assert found[("core/x.py", "ui/billing.py")] == Effect.CHANGE


def test_a_folder_moves_or_gets_another_name(shop: Graph) -> None:
    """NEW-9: files inside keep their relative imports of each other; everyone else's imports of them change."""
    for operation in (Move(("ui",), "core"), Rename("ui", "views")):
        found = effects(shop, operation)
        assert found[("ui/cart.py", "ui/billing.py")] == Effect.CHECK_IF_ABSOLUTE
        assert found[("db/store.py", "ui/x.py")] == found[("core/x.py", "ui/billing.py")] == Effect.CHANGE
    # A renamed folder stays as far from others as before; one that moved deeper does not.
    assert ("ui/cart.py", "core/money.py") not in effects(shop, Rename("ui", "views"))
    assert effects(shop, Move(("ui",), "core"))[("ui/cart.py", "core/money.py")] == Effect.CHECK_IF_RELATIVE


def test_what_is_removed_or_cut_must_change(shop: Graph) -> None:
    """DND-2, DND-3: sites that use what goes away; those inside it go with it."""
    assert effects(shop, Remove(("ui",))) == {
        ("db/store.py", "ui/x.py"): Effect.CHANGE,
        ("core/x.py", "ui/billing.py"): Effect.CHANGE,
    }
    assert effects(shop, Split("db", "ui", "core")) == {("db/store.py", "ui/x.py"): Effect.CHANGE}
    assert effects(shop, Merge("ui/x.py", "core/x.py")) == {("db/store.py", "ui/x.py"): Effect.CHANGE}


def test_a_class_that_leaves_its_file_is_to_be_looked_for(shop: Graph) -> None:
    """NEW-9: an import names a file; whether it names the class that moved is to be checked."""
    money = "core/money.py::Money"
    check = {(user, "core/money.py"): Effect.CHECK_IF_NAMED for user in ("ui/cart.py", "ui/billing.py")}
    assert effects(shop, Move((money,), "core/x.py")) == check
    assert effects(shop, Rename(money, "Cash")) == check
    assert effects(shop, Remove((money,))) == check
    assert effects(shop, Move((f"{money}.add",), "core/money.py")) == {}


def test_new_and_unrelated_things_have_no_impact(shop: Graph) -> None:
    """NEW-9: creating, and moving what nobody imports and imports nothing, changes no site."""
    assert effects(shop, Create("plan:1", "", "new", "folder"), Move(("core/__init__.py",), "plan:1")) == {}


def test_an_import_of_a_package_outside_is_the_same_from_everywhere() -> None:
    """It is neither relative nor broken by a move; without the package, or with another, it must change."""
    builder = GraphBuilder("shop")
    builder.add_node("ui", "", "ui", "folder")
    builder.add_node("ui/cart.py", "ui", "cart.py", "file", file="ui/cart.py")
    builder.add_node("external", "", "(external)", EXTERNAL)
    builder.add_node("external:numpy", "external", "numpy", EXTERNAL)
    builder.add_edge(builder.key("ui/cart.py"), builder.key("external:numpy"), "import", sites=[("ui/cart.py", 1)])
    graph = builder.freeze()
    changes = {("ui/cart.py", "external:numpy"): Effect.CHANGE}
    assert effects(graph, Move(("ui/cart.py",), "")) == {}
    assert effects(graph, Remove(("external:numpy",))) == changes
    assert effects(graph, Rename("external:numpy", "cupy")) == changes
    for refused in (Move(("external:numpy",), "ui"), Move(("external",), "ui"), Move(("ui/cart.py",), "external")):
        assert check(refused, graph) == "What lies outside the project stays there: nothing goes in or out."


def test_a_guess_is_to_be_checked(shop: Graph) -> None:
    """Where a relation was found by name alone, nobody is told that its site must change."""
    move = Move(("ui/billing.py",), "core")
    assert effects(shop, move)[("core/x.py", "ui/billing.py")] == Effect.CHANGE
    edges = shop.edges
    guessed = shop.with_(edges=replace(edges, confidence=np.full(len(edges), Confidence.GUESS)))
    found = effects(guessed, move)
    assert found[("core/x.py", "ui/billing.py")] == found[("ui/cart.py", "ui/billing.py")] == Effect.CHECK_IF_MEANT
    assert found[("ui/billing.py", "ui/__init__.py")] == Effect.CHECK_IF_RELATIVE
    (task,) = tasks(History(guessed, (Group("move", (move,)),)))
    assert task.must == ()
    assert {site.reason for site in task.check} == {
        "found by name alone: change it if it means this",
        "an import of what moves itself: change it if it is relative",
    }


@given(plans(max_size=8))
def test_effects_are_what_resolving_the_imports_says(plan: tuple[Graph, list[Operation]]) -> None:
    """NEW-9: write every import once absolutely and once relatively, apply the plan, and resolve both again."""
    base, operations = plan
    history = History(base, tuple(Group("", (operation,)) for operation in operations))
    target, primitives = history.graph, compress(history)
    found = impact(base, target, primitives)
    places = list(zip(found.row.tolist(), found.effect.tolist(), strict=True))
    main = {row: Effect(effect) for row, effect in places if effect != Effect.CHECK_IF_NAMED}
    assert len(main) == sum(effect != Effect.CHECK_IF_NAMED for _, effect in places)
    cut = {(p.source, p.target, p.kind) for p in primitives if isinstance(p, CutEdge)}

    def path(graph: Graph, key: int) -> list[str]:
        return [graph.names[k] for k in [key, *graph.ancestors(key)][::-1]][1:]

    def folder_of(graph: Graph, key: int) -> list[str]:
        files = [k for k in (key, *graph.ancestors(key)) if graph.kind(k) == "file"]
        return path(graph, files[0] if files else key)[:-1]

    edges = base.edges
    for row in range(len(edges)):
        source, used = int(edges.source[row]), int(edges.target[row])
        kind = edges.kind_names[edges.kind[row]]
        if target.parent[source] == REMOVED:
            expected = Effect.NONE
        elif (base.ids[source], base.ids[used], kind) in cut:
            expected = Effect.CHANGE
        elif kind != "import":
            expected = Effect.NONE
        elif target.parent[used] == REMOVED:
            expected = Effect.CHANGE
        else:
            here, there = folder_of(base, source), path(base, used)
            up = 0
            while there[: len(here) - up] != here[: len(here) - up]:
                up += 1
            down = there[len(here) - up :]
            folder = folder_of(target, source)
            absolute = path(target, used) == there
            relative = len(folder) >= up and folder[: len(folder) - up] + down == path(target, used)
            expected = [[Effect.CHANGE, Effect.CHECK_IF_ABSOLUTE], [Effect.CHECK_IF_RELATIVE, Effect.NONE]][absolute][
                relative
            ]
        event(expected.name)
        assert main.get(row, Effect.NONE) == expected, (base.ids[source], base.ids[used])
    assert np.all((found.cause >= 0) & (found.cause < len(primitives)))
