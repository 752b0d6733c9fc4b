"""Tasks of a plan that rename functions and classes, carried out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cbvtool.apply.places import DEFINITIONS
from cbvtool.apply.python.moving import FileTree, Moved
from cbvtool.apply.python.relocation import Relocation
from cbvtool.apply.renames.renaming import carried_over, renamed
from cbvtool.graph import Graph
from cbvtool.plan.lower import run
from cbvtool.plan.primitives import Primitive, RenameNode


def of_definitions(base: Graph, primitives: Iterable[Primitive]) -> list[RenameNode]:
    """Those of the primitives that rename a function or class."""
    return [
        one
        for one in primitives
        if isinstance(one, RenameNode) and one.node in base.key_of and base.kind(base.key_of[one.node]) in DEFINITIONS
    ]


def rename(
    base: Graph,
    named: FileTree,
    tree: FileTree,
    places: Mapping[str, str | None],
    before: Sequence[RenameNode],
    one: RenameNode,
) -> tuple[FileTree, Moved]:
    """Rename a definition: the tree with new names alone, and what it does to the present one.

    named   the tree that `base` was made of, where the definitions of `before` have their new names already
    places  path in `named` -> path in `tree`, None = gone

    Raises Stopped, with nothing done.
    """
    graph = run(base, before).graph
    key = graph.key_of[one.node]
    old = graph.names[key]
    done = renamed(named, graph, key, one.name)
    after = done.tree if tree is named else carried_over(named, tree, places, done, old, one.name)
    rewritten = tuple(sorted(new for path in done.rewritten if (new := places.get(path, path)) is not None))
    return done.tree, Moved(after, Relocation(tree.paths, {}, made=()), rewritten)
