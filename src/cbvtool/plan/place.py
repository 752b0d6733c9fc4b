"""Where a node lies, for people: a path made of names, not of ids, so that it follows the plan."""

from __future__ import annotations

from cbvtool.graph import Graph
from cbvtool.graph.regroup import is_group, node_words


def place(graph: Graph, key: int) -> str:
    """Where a node lies, by names: `shop/ui/cart.py`, `shop/ui/cart.py::Cart.total`; the root by its name.

    In packages: `com.shop.ui/Cart.java`.
    """
    path: list[str] = []
    inside: list[str] = []
    for above in (key, *graph.ancestors(key))[:-1]:
        if graph.kind(above) == "file":
            inside, path = path, []
        if is_group(graph, above):
            path.append(node_words(graph, above))
            break
        path.append(graph.names[above])
    if not path:
        return graph.names[key]
    return "/".join(reversed(path)) + ("::" + ".".join(reversed(inside)) if inside else "")


def file_of(graph: Graph, key: int) -> int:
    """Key of the file that `key` is or lies in; -1 for what lies in no file."""
    for above in (key, *graph.ancestors(key)):
        if graph.kind(above) == "file":
            return above
    return -1
