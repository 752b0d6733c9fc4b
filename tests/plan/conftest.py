"""A small shop, read as a graph: what the tests of plans, tasks and documents play with."""

from __future__ import annotations

import pytest

from cbvtool.graph import Graph, GraphBuilder


@pytest.fixture
def shop() -> Graph:
    """Packages ui, core, db; `ui/x.py` and `core/x.py` bear one name; every import site has a line of its own."""
    builder = GraphBuilder("shop")
    for package in ("ui", "core", "db"):
        builder.add_node(package, "", package, "package")
        builder.add_node(f"{package}/__init__.py", package, "__init__.py", "file", file=f"{package}/__init__.py")
    paths = ("ui/cart.py", "ui/billing.py", "ui/x.py", "core/x.py", "core/money.py", "db/tables.py", "db/store.py")
    for path in paths:
        builder.add_node(path, path.partition("/")[0], path.partition("/")[2], "file", file=path, values={"sloc": 10})
    for part, name, kind in (("Money", "Money", "class"), ("Money.add", "add", "function")):
        above = "core/money.py" + ("::Money" if part != "Money" else "")
        builder.add_node(f"core/money.py::{part}", above, name, kind, file="core/money.py", line=3)

    def imports(source: str, target: str, *lines: int) -> None:
        sites = [(source, line) for line in lines]
        builder.add_edge(builder.key(source), builder.key(target), "import", weight=len(lines), sites=sites)

    imports("ui/cart.py", "ui/billing.py", 3, 17)
    imports("ui/cart.py", "core/money.py", 4)
    imports("ui/billing.py", "ui/__init__.py", 1)
    imports("ui/billing.py", "core/money.py", 2)
    imports("ui/billing.py", "db/store.py", 5)
    imports("db/store.py", "db/tables.py", 1)
    imports("db/store.py", "ui/x.py", 14)
    imports("core/x.py", "ui/billing.py", 9)
    imports("ui/x.py", "core/x.py", 12)
    return builder.freeze()
