"""NEW-23, CBV-13: a group is the same before and after a plan, under its path or where its files went."""

from __future__ import annotations

from collections.abc import Iterable

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.hierarchies import Hierarchy
from cbvtool.hierarchies.paired import before_and_after, same_groups
from cbvtool.plan import Create, Move, Operation, Remove, Rename, replay

ROOT = "src/main/java"


def java(*paths: str) -> Graph:
    """A Java project with these files below its source root."""
    builder = GraphBuilder("shop")
    for path in paths:
        folder = ""
        parts = f"{ROOT}/{path}".split("/")
        for part in parts[:-1]:
            inner = f"{folder}/{part}".lstrip("/")
            if inner not in builder:
                builder.add_node(inner, folder, part, "package" if inner.startswith(f"{ROOT}/") else "folder")
            folder = inner
        file = f"{ROOT}/{path}"
        builder.add_node(file, folder, parts[-1], "file", file=file)
    return builder.freeze()


def planned(graph: Graph, *operations: Operation) -> tuple[Hierarchy, Hierarchy]:
    """Before and after, in packages."""
    return before_and_after(graph, replay(graph, operations), None, "packages")


def pairs(before: Hierarchy, after: Hierarchy) -> dict[str, str]:
    """Path before -> path after."""
    olds, news = ({key: ".".join(path) for path, key in one.groups.items()} for one in (before, after))
    return {olds[old]: news[new] for old, new in same_groups(before, after).items()}


def names(groups: Hierarchy, paths: Iterable[str]) -> list[str]:
    return [groups.graph.names[groups.groups[tuple(path.split("."))]] for path in paths]


SHOP = ("com/shop/App.java", "com/shop/order/Order.java", "com/shop/order/line/Line.java", "com/shop/mail/Post.java")


def test_without_steps_each_group_is_itself() -> None:
    """One graph twice."""
    found = pairs(*before_and_after(java(*SHOP), java(*SHOP), None, "packages"))
    assert found == {path: path for path in ("com.shop", "com.shop.order", "com.shop.order.line", "com.shop.mail")}


def test_a_package_that_is_renamed_or_moved_stays_the_same() -> None:
    """With those in it; what was there already is itself."""
    base = java(*SHOP)
    renamed = planned(base, Rename(f"{ROOT}/com/shop/order", "sale"))
    assert pairs(*renamed) == {
        "com.shop": "com.shop",
        "com.shop.order": "com.shop.sale",
        "com.shop.order.line": "com.shop.sale.line",
        "com.shop.mail": "com.shop.mail",
    }
    moved = planned(base, Move((f"{ROOT}/com/shop/order",), f"{ROOT}/com/shop/mail"))
    assert pairs(*moved)["com.shop.order.line"] == "com.shop.mail.order.line"


def test_most_of_a_package_decides_where_it_went() -> None:
    """One of three files stays in what was there: the package is where the other two are."""
    base = java("com/shop/App.java", *(f"com/shop/order/{name}.java" for name in "ABC"))
    order = f"{ROOT}/com/shop/order"
    found = planned(base, Move((f"{order}/A.java",), f"{ROOT}/com/shop"), Rename(order, "sale"))
    assert pairs(*found)["com.shop.order"] == "com.shop.sale"
    emptied = planned(base, Move(tuple(f"{order}/{name}.java" for name in "ABC"), f"{ROOT}/com/shop"))
    assert pairs(*emptied)["com.shop.order"] == "com.shop.order"  # empty, and still there


def test_two_packages_that_become_one_are_not_both_it() -> None:
    """The larger one is; the other is gone."""
    base = java("com/shop/App.java", "com/shop/a/A.java", "com/shop/b/B.java", "com/shop/b/C.java")
    folder = f"{ROOT}/com/shop"
    files = tuple(f"{folder}/{name}.java" for name in ("a/A", "b/B", "b/C"))
    steps = (Create("plan:1", folder, "all", "package"), Move(files, "plan:1"))
    found = pairs(*planned(base, *steps, Remove((f"{folder}/a", f"{folder}/b"))))
    assert found == {"com.shop": "com.shop", "com.shop.b": "com.shop.all"}


def test_a_chain_of_packages_has_one_name_before_and_after() -> None:
    """`com.shop` is not joined before, since it has a neighbour after: it did not move, and is not renamed."""
    base = java("com/shop/order/Order.java", "com/shop/mail/Post.java")
    before, after = planned(base, Create("plan:1", f"{ROOT}/com", "tools", "package"))
    for groups in (before, after):
        assert names(groups, ("com", "com.shop", "com.shop.order")) == ["com", "shop", "order"]
    alone, _ = before_and_after(base, base, None, "packages")
    assert names(alone, ["com.shop"]) == ["com.shop"]
