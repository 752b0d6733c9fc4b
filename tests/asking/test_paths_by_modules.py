"""Paths grouped by the modules that they pass (NEW-19)."""

from __future__ import annotations

from itertools import pairwise

from cbvtool.asking.paths import PathStep, by_modules
from cbvtool.graph import GraphBuilder


def test_chains_through_the_same_folders_stand_together() -> None:
    """The way that most chains take comes first; files of one folder after each other are one module."""
    builder = GraphBuilder("p")
    for folder in ("a", "b", "c"):
        builder.add_node(folder, "", folder, "folder")
        for name in ("one.py", "two.py"):
            builder.add_node(f"{folder}/{name}", folder, name, "file", file=f"{folder}/{name}")
    graph = builder.freeze()
    key = graph.key_of

    def chain(*ids: str) -> tuple[PathStep, ...]:
        return tuple(PathStep(key[user], key[used], ()) for user, used in pairwise(ids))

    over_b = [chain("a/one.py", "b/one.py", "c/one.py"), chain("a/one.py", "a/two.py", "b/two.py", "c/one.py")]
    direct = chain("a/one.py", "c/two.py")
    found = by_modules(graph, [direct, *over_b])
    assert list(found) == [(key["a"], key["b"], key["c"]), (key["a"], key["c"])]
    assert found[key["a"], key["b"], key["c"]] == over_b
