"""CBV-13, DND-1 to DND-4: what is planned in the hierarchy of packages is said in folders, and comes to the same."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cbvtool.graph import REMOVED, Graph
from cbvtool.hierarchies import hierarchy
from cbvtool.hierarchies.folders import PackageFolders
from cbvtool.plan import CONTAINERS, Create, Extract, Merge, Move, Operation, Refused, Remove, Rename, Split, replay
from cbvtool.project import open_project
from cbvtool.session.planning.translated import FolderOperations, translated
from tests.layouts import LAYOUTS

KINDS = ("files", "package", "new", "empty", "remove", "rename", "merge", "merge files", "pull out", "split")
COUNT = 12  # random operations of each kind on each layout
LEAST = (
    8  # kinds of which some are done on each layout; Python packages, say, cannot be merged: each has an __init__.py
)


@cache
def graph_of(layout: str) -> Graph:
    with TemporaryDirectory() as folder:
        subject = Path(folder) / "shop"
        subject.mkdir()
        LAYOUTS[layout](subject)
        return open_project(subject, jobs=1).graph


def grouped(graph: Graph) -> Graph:
    return hierarchy(graph, None, "packages").graph


def tree_of(graph: Graph) -> Counter[tuple[str, ...]]:
    """The path of every file and every package without content, by names; joined names are taken apart."""
    found = Counter[tuple[str, ...]]()
    for key in graph.tree.order.tolist():
        is_group = graph.ids[key].startswith(("package:", "plan:")) and graph.kind(key) in CONTAINERS
        is_empty = is_group and not len(graph.children(key))
        if graph.kind(key) == "file" or is_empty:
            path = [graph.names[above] for above in reversed([key, *graph.ancestors(key)][:-1])]
            if path[0] == "(other)":
                path[0] = "OTHER"
            groups = path if is_empty else path[:-1]
            found[tuple(part for name in groups for part in name.split(".")) + (() if is_empty else (path[-1],))] += 1
    return found


def planned(graph: Graph, operations: tuple[Operation, ...]) -> Graph | str:
    """The graph in packages after the operations, which are done on folders; or why that cannot be."""
    try:
        found = translated(operations, PackageFolders(graph, grouped(graph)))
    except Refused as reason:
        return str(reason)
    return grouped(replay(graph, found.named(f"plan:made{number}" for number in range(99))))


def some_operations(kind: str, shown: Graph, count: int, draw: random.Random) -> tuple[Operation, ...]:
    """Operations of one gesture, as a user who points at random makes it."""
    groups = [k for k in range(count, len(shown)) if shown.parent[k] != REMOVED and shown.names[k] != "(other)"]
    if kind == "remove":  # of all packages there would be none left to show
        groups = [key for key in groups if shown.parent[key] != shown.root]
    files = [k for k in range(count) if shown.kind(k) == "file" and shown.parent[k] != REMOVED]
    one, other = (shown.ids[key] for key in draw.sample(groups, 2))
    some = tuple(shown.ids[key] for key in draw.sample(files, draw.randint(1, 3)))
    match kind:
        case "files":
            return (Move(some, one),)
        case "package":
            return (Move((one,), draw.choice([other, shown.ids[shown.root]])),)
        case "new":
            return Create("plan:new", one, "fresh", "package"), Move((*some, other), "plan:new")
        case "empty":
            return (Create("plan:new", one, "fresh", draw.choice(["package", "folder"])),)
        case "remove":
            return (Remove((one, *some)),)
        case "rename":
            return (Rename(one, ".".join("fresh" for _ in shown.names[shown.key_of[one]].split("."))),)
        case "merge":
            return (Merge(one, other),)
        case "merge files":
            return (Merge(*(shown.ids[key] for key in draw.sample(files, 2))),)
        case "pull out":
            return (Extract(one, other, shown.ids[draw.choice(groups)]),)
        case _:
            return (Split(one, other, shown.ids[draw.choice(groups)], "route", "between.py"),)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_result_is_that_of_the_same_operation_on_packages(layout: str) -> None:
    """CBV-13: for random gestures; what cannot be said in folders is refused in one sentence."""
    graph = graph_of(layout)
    shown, draw = grouped(graph), random.Random(layout)
    done = Counter[str]()
    for kind in KINDS:
        for _ in range(COUNT):
            operations = some_operations(kind, shown, len(graph), draw)
            found = planned(graph, operations)
            if isinstance(found, str):
                assert found.endswith("."), (kind, operations)
                assert not any(node in found for node in shown.ids[len(graph) :]), found
                continue
            done[kind] += 1
            naive = replay(shown, operations)
            assert of_code(tree_of(found)) == of_code(tree_of(naive)), operations
    assert len(done) >= LEAST, done


def of_code(tree: Counter[tuple[str, ...]]) -> Counter[tuple[str, ...]]:
    """Without the file that a split makes, which lies in the packages of none."""
    return Counter({path: count for path, count in tree.items() if path[-1:] != ("between.py",)})


# -- one gesture, in full ------------------------------------------------------------------------------------

CORE, SALES, OFFICE = (f"shop-{whole}/src/main/java" for whole in ("core", "sales", "office"))


def in_maven(*operations: Operation, place: str = "") -> FolderOperations:
    graph = graph_of("Maven")
    return translated(operations, PackageFolders(graph, grouped(graph)), place)


def refusal(*operations: Operation) -> str:
    with pytest.raises(Refused) as reason:
        in_maven(*operations)
    return str(reason.value)


def test_a_class_goes_to_the_folder_below_its_own_source_root() -> None:
    """CBV-13: where that is there, nobody is asked."""
    found = in_maven(Move((f"{CORE}/com/shop/orders/Query.java",), "package:com/shop"))
    assert found.operations == (Move((f"{CORE}/com/shop/orders/Query.java",), f"{CORE}/com/shop"),)
    assert not found.places
    test = "shop-core/src/test/java/com/shop"
    found = in_maven(Move((f"{test}/OrdersTest.java",), "package:com/shop/orders"))
    assert found.operations == (
        Create("plan:new/0", test, "orders", "package"),
        Move((f"{test}/OrdersTest.java",), "plan:new/0"),
    )
    assert not found.places


def test_where_the_source_root_does_not_decide_the_places_are_told() -> None:
    """CBV-13: the package lies in another module of the build; what is chosen decides."""
    query = f"{CORE}/com/shop/orders/Query.java"
    move = Move((query,), "package:com/shop/store")
    found = in_maven(move)
    assert [(place.path, place.is_new) for place in found.places] == [
        (f"{CORE}/com/shop/store", True),
        (f"{OFFICE}/com/shop/store", False),
    ]
    assert found.operations[-1] == Move((query,), "plan:new/0")
    assert refusal_or_target(move, found.places[1].root).endswith("rename one of the two first.")
    new = Create("plan:new", "package:com/shop/store", "deep", "package")
    into = Move((query, "package:com/shop/people"), "plan:new")
    assert in_maven(new, into).operations == (
        Create("plan:new/0", f"{CORE}/com/shop", "store", "package"),
        Create("plan:new", "plan:new/0", "deep", "package"),
        Create("plan:new/1", f"{SALES}/com/shop", "store", "package"),
        Create("plan:new/2", "plan:new/1", "deep", "package"),
        Move((query,), "plan:new"),
        Move((f"{SALES}/com/shop/people",), "plan:new/2"),
    )


def refusal_or_target(move: Move, place: str) -> str:
    try:
        return str(in_maven(move, place=place).operations[-1])
    except Refused as reason:
        return str(reason)


def test_a_package_in_several_source_roots_is_renamed_in_all() -> None:
    """CBV-13: in one gesture; a name that joins folders names as many."""
    found = in_maven(Rename("package:com/shop", "com.store"))
    roots = (f"shop-{whole}/src/{what}/java" for what in ("main", "test") for whole in ("core", "office", "sales"))
    assert found.operations == tuple(Rename(f"{root}/com/shop", "store") for root in roots)
    assert refusal(Rename("package:com/shop", "store")) == "com.shop is 2 folders: give it a name of 2 parts."


def test_what_cannot_be_said_in_folders_is_refused_in_a_sentence() -> None:
    """CBV-13: before anything is done."""
    assert refusal(Remove(("package:(other)",))) == "(other) is no package, so it cannot be removed."
    assert refusal(Move(("pom.xml",), "package:com/shop")).startswith("pom.xml would be in no package if it lay in")
    assert refusal(Move((f"{CORE}/com/shop/orders/Query.java",), "")).startswith("The top level holds packages only")
    assert refusal(Move((f"{CORE}/com/shop/orders/Query.java",), "package:(other)")).endswith("in the folders.")
    assert "already holds stock" in refusal(Rename("package:com/shop/orders", "stock"))


def test_operations_on_folders_stay_as_they_are() -> None:
    """NEW-2: proposals may name folders."""
    move = Move((f"{CORE}/com/shop/orders",), f"{CORE}/com/shop/stock")
    assert in_maven(move).operations == (move,)


@pytest.mark.parametrize("layout", ["flat Python", "src Python", "Maven"])
def test_a_dotted_name_is_a_package_in_a_package(layout: str) -> None:
    """DND-2, CBV-13: in the languages where a dot stands between packages; what is there is used."""
    graph = graph_of(layout)
    shown = grouped(graph)
    top = next(shown.ids[key] for key in range(len(graph), len(shown)) if shown.names[key] in ("shop", "com.shop"))
    after = planned(graph, (Create("plan:new", top, "acme.tools", "package"),))
    assert isinstance(after, Graph)
    assert any(path[-2:] == ("acme", "tools") for path in tree_of(after))
    after = planned(graph, (Create("plan:new", top, "stock.tools", "package"),))
    assert isinstance(after, Graph)
    assert f"{top}/stock/tools" in after.key_of
    assert planned(graph, (Create("plan:new", top, "acme..tools", "package"),)) == (
        "acme..tools is no name of a package: something must stand before and after each dot."
    )
    assert str(planned(graph, (Create("plan:new", top, "stock", "package"),))).endswith("first.")
    assert str(planned(graph, (Create("plan:new", top, "acme.data bar", "package"),))).startswith("A package cannot be")
    assert str(planned(graph, (Rename(f"{top}/stock", "acme.tools"),))).startswith("acme.tools is no name of one")


@pytest.mark.parametrize("layout", ["npm workspace", "Go"])
def test_a_dot_is_part_of_the_name_of_a_folder(layout: str) -> None:
    """CBV-13: where packages are folders, with a manifest or of Go."""
    graph = graph_of(layout)
    shown = grouped(graph)
    top = next(shown.ids[key] for key in range(len(graph), len(shown)) if shown.names[key] in ("packages", "internal"))
    where = PackageFolders(graph, shown)
    (made,) = translated((Create("plan:new", top, "acme.tools", "package"),), where).operations
    assert isinstance(made, Create)
    assert made.name == "acme.tools"


def test_a_dotted_name_at_the_top_level_begins_below_a_source_root() -> None:
    """DND-2, CBV-13: a package that is there at the top is used, and is told if all of it is there."""
    new = Create("plan:new", "", "acme.tools", "package")
    assert in_maven(new).operations == (
        Create("plan:new/0", CORE, "acme", "package"),
        Create("plan:new", "plan:new/0", "tools", "package"),
    )
    assert in_maven(Create("plan:new", "", "com.shop.acme", "package")).operations == (
        Create("plan:new", f"{CORE}/com/shop", "acme", "package"),
    )
    assert refusal(Create("plan:new", "", "com", "package")) == "There is a package com already."


def test_a_split_makes_no_file_at_the_top_level() -> None:
    """DND-3, CBV-13: as no file can be dragged there."""
    used, user = (f"package:com/shop/{name}" for name in ("orders", "stock"))
    assert refusal(Split(user, used, "", "invert", "OrdersInterface.java")).startswith("The top level holds packages")
    assert in_maven(Split(user, used, "package:com/shop", "invert", "OrdersInterface.java")).operations
