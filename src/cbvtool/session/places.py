"""Root, expanded and hidden nodes of a view: pure functions of view state and graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from cbvtool.geometry.scene.shown import outside_tops
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.graph.tree import REMOVED


def whereabouts(view: ViewState) -> tuple[object, ...]:
    """What makes a place, that one goes back to."""
    return view.expanded, view.root, view.hidden, view.only, view.hierarchy, view.since, view.until


def pruned(view: ViewState, graph: Graph) -> ViewState:
    """The view without nodes that the plan has removed, or not created (after an undo)."""
    parent = graph.parent

    def there(keys: Collection[int]) -> list[int]:
        rows = np.fromiter(keys, np.int64, len(keys))
        rows = rows[(rows >= 0) & (rows < len(parent))]
        return rows[parent[rows] != REMOVED].tolist()  # type: ignore[no-any-return]  # NumPy does not say of what

    return replace(
        view,
        expanded=frozenset(there(view.expanded)),
        opened=frozenset(there(view.opened)),
        hidden=frozenset(there(view.hidden)),
        selected=tuple(there(view.selected)),
        hovered=view.hovered if there((view.hovered,)) else -1,
        root=view.root if there((view.root,)) else graph.root,
    )


def at(view: ViewState, place: ViewState, graph: Graph) -> ViewState:
    """The view moved to another place, where `graph` is shown."""
    if place.hierarchy != view.hierarchy:
        view = replace(view, path=None, impact=None, hovered=-1)
    names = ("expanded", "opened", "root", "hidden", "only", "selected", "hierarchy", "since", "until")
    return pruned(replace(view, **{name: getattr(place, name) for name in names}), graph)


def moved(view: ViewState, before: Graph, after: Graph) -> ViewState:
    """The same view of another analysis of a subject; what is not there any more is left out."""
    key_of = after.key_of

    def now(keys: Iterable[int]) -> Iterator[int]:
        return (key_of[node] for key in keys if (node := before.ids[key]) in key_of)

    return replace(
        view,
        expanded=frozenset(now(view.expanded)),
        opened=frozenset(now(view.opened)),
        hidden=frozenset(now(view.hidden)),
        selected=tuple(now(view.selected)),
        hovered=next(now([view.hovered] if view.hovered >= 0 else []), -1),
        root=next(now([view.root]), after.root),
        drag=None,
        path=None,
        impact=None,
    )


def regrouped(view: ViewState, before: Graph, after: Graph) -> ViewState:
    """The same view after a step of the plan, where groups take the place of folders: they may have other keys and ids.

    A group that is gone is the innermost one that holds all its files now. A new group around something that is open
    is open, too.
    """
    there = {key: found for key in {*view.expanded, *view.selected} if (found := _group_of(key, before, after)) >= 0}
    opened = {there[key] for key in view.expanded if key in there}
    known = set(before.ids)
    opened |= {above for key in opened for above in after.ancestors(key) if after.ids[above] not in known}
    selected = dict.fromkeys(there[key] for key in view.selected if key in there)
    return replace(moved(view, before, after), expanded=frozenset(opened), selected=tuple(selected))


def _group_of(key: int, before: Graph, after: Graph) -> int:
    """Key of a node afterwards; of a group that is gone, of the one that holds its files; -1 = there is none."""
    found = after.key_of.get(before.ids[key], -1)
    if found >= 0 and (after.parent[found] != REMOVED):
        return found
    files = [
        after.key_of.get(before.ids[one], -1) for one in before.subtree(key).tolist() if before.kind(one) == "file"
    ]
    paths = [after.ancestors(one) for one in files if one >= 0 and after.parent[one] != REMOVED]
    if not paths:
        return -1
    shared = set(paths[0]).intersection(*paths[1:])
    innermost = next(above for above in paths[0] if above in shared)
    return -1 if innermost == after.root else innermost


def renumbered(view: ViewState, there: Mapping[int, int]) -> ViewState:
    """The view where the nodes in `there` have other keys; -1 = such a node is gone."""

    def now(keys: Iterable[int]) -> Iterator[int]:
        return (key for old in keys if (key := there.get(old, old)) >= 0)

    return replace(
        view,
        expanded=frozenset(now(view.expanded)),
        opened=frozenset(now(view.opened)),
        hidden=frozenset(now(view.hidden)),
        selected=tuple(now(view.selected)),
        hovered=there.get(view.hovered, view.hovered),
        root=there.get(view.root, view.root),
        drag=None,
        path=None,
        impact=None,
    )


def topmost(graph: Graph, keys: Iterable[int]) -> list[int]:
    """`keys` without the descendants of others among them."""
    chosen = list(dict.fromkeys(keys))
    return [key for key in chosen if not any(other != key and graph.is_below(key, other) for other in chosen)]


def collapsed(view: ViewState, graph: Graph, keys: Iterable[int]) -> frozenset[int]:
    """What is expanded without `keys`; of a node without visible children, without its parent."""
    closing = {key if key in view.expanded else int(graph.parent[key]) for key in keys}
    closing.discard(view.root)
    below = {key for key in view.expanded if any(graph.is_below(key, top) for top in closing if top >= 0)}
    return view.expanded - below


def visible_depth(view: ViewState, graph: Graph) -> int:
    """How many levels are visible below the node that the view is restricted to."""
    tree, root = graph.tree, view.root
    keys = np.fromiter(view.expanded, np.int64, len(view.expanded))
    below = keys[(tree.pos[root] <= tree.pos[keys]) & (tree.pos[keys] < tree.end[root])]
    return int((tree.depth[below] - tree.depth[root]).max(initial=0)) + 1


def all_but(graph: Graph, keys: Iterable[int]) -> tuple[frozenset[int], bool]:
    """(what to hide, to leave what is in and around the subtrees of `keys`; whether any is outside the project)."""
    tops = topmost(graph, keys)
    around = {above for key in tops for above in graph.ancestors(key)}
    beside = {int(child) for key in around for child in graph.children(key)} - around - set(tops)
    outside = outside_tops(graph)
    wanted = any(graph.is_below(key, top) for key in tops for top in outside)
    return frozenset(beside) - outside, wanted
