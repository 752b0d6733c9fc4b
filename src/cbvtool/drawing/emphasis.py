"""Highlights: a node with its neighbours, an answer, search matches or the selection; the rest fades."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color, Picture, Text
from cbvtool.geometry.scene import filtered
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import Confidence
from cbvtool.metrics.run_time import cost
from cbvtool.rules import files
from cbvtool.trace.overlay.relations import Observed
from cbvtool.words import one_line

Mask = npt.NDArray[np.bool_]
SHOWN_PAIRS = 3  # pairs of files that a tooltip lists


@dataclass(frozen=True, eq=False)
class Emphasis:
    """Highlighted items, bool[v], and relations, bool[lifted]; None = none of them fades.

    users, used   bool[v] neighbours: dependants of the highlighted items, and their dependencies. Their names are
                  enlarged. None = there are no neighbours to show
    glass         bool[v] items drawn as glass, because they would hide something highlighted; None = none
    found         bool[v] matches of a search, which get names first; None = there was no search
    """

    items: Mask | None = None
    relations: Mask | None = None
    users: Mask | None = None
    used: Mask | None = None
    glass: Mask | None = None
    found: Mask | None = None

    @property
    def partners(self) -> Mask | None:
        """bool[v]: items whose names are enlarged; None = none."""
        return None if self.users is None or self.used is None else self.users | self.used


def item_of(scene: Scene, key: int) -> int:
    """The item of `key`: its own segment when it is shown, also while expanded; else the one that stands for it."""
    return filtered.item_of(scene.tree, key)


def subtree_items(scene: Scene, keys: tuple[int, ...] | frozenset[int]) -> Mask:
    """bool[v]: the items of `keys` with all items below them."""
    return filtered.subtree_items(scene.tree, keys)


def around(scene: Scene, inside: Mask) -> Emphasis:
    """The items of `inside`, the relations that touch them, and their neighbours.

    If the view's filter has a direction, only relations in that direction count.
    """
    lifted, direction = scene.lifted, scene.state.filter.direction
    users, used = np.zeros(len(inside), np.bool_), np.zeros(len(inside), np.bool_)
    outward = inside[lifted.source] & (direction != "in")
    inward = inside[lifted.target] & (direction != "out")
    users[lifted.source[inward]] = True
    used[lifted.target[outward]] = True
    items = _with_ancestors(scene, inside | users | used)
    return Emphasis(items, outward | inward, users & ~inside, used & ~inside)


def emphasis(scene: Scene, hovered: int, relation: int, matches: frozenset[int], selected: tuple[int, ...]) -> Emphasis:
    """The highlight: item or relation under the pointer, else search matches, else relations of the selection.

    hovered   key or -1; relation: lifted row or -1
    matches   keys; a key beyond the scene's graph (of a node that an undone step had made) is ignored
    """
    if hovered >= 0:
        return around(scene, subtree_items(scene, (hovered,)))
    if relation >= 0:
        one = np.zeros(len(scene.lifted.source), bool)
        one[relation] = True
        items = np.zeros(len(scene.tree.key), bool)
        items[[scene.lifted.source[relation], scene.lifted.target[relation]]] = True
        return Emphasis(_with_ancestors(scene, items), one)
    if scene.state.path is not None:
        return _answer(scene, scene.state.path.rows, scene.state.path.ends)
    if matches:
        items = np.zeros(len(scene.tree.key), bool)
        shown = scene.tree.represent[[key for key in matches if key < len(scene.tree.represent)]]
        items[shown[shown >= 0]] = True
        return Emphasis(_with_ancestors(scene, items), found=items)
    if selected:
        found = around(scene, subtree_items(scene, selected))
        indirect = scene.state.filter.mode == "indirect"  # every relation that is shown belongs to the selection
        return replace(found, items=_kept(scene, selected), relations=None if indirect else found.relations)
    return Emphasis(_kept(scene, ()))


def _kept(scene: Scene, selected: tuple[int, ...]) -> Mask | None:
    """bool[v]: ends of the filtered relations, and the selection.

    None = the filter leaves out nothing, or waits for a selection; or an impact is shown.
    """
    state = scene.state
    waits = state.filter.mode != "all" and not selected
    if waits or not filtered.leaves_out(state.filter) or state.impact is not None:
        return None
    items = subtree_items(scene, selected)
    items[scene.lifted.source] = items[scene.lifted.target] = True
    return _with_ancestors(scene, items)


def _answer(scene: Scene, rows: npt.NDArray[np.int64], ends: tuple[int, ...]) -> Emphasis:
    """The relations in `rows` of the graph, the nodes along them and their containers.

    `ends`: the nodes of the question.
    """
    edges, represent = scene.graph.edges, scene.tree.represent
    way = np.zeros(len(scene.tree.key), np.bool_)
    shown = represent[np.concatenate((edges.source[rows], edges.target[rows]))]
    way[shown[shown >= 0]] = True
    items = _with_ancestors(scene, way | subtree_items(scene, ends))
    return Emphasis(items, _lifted_of(scene, rows), np.zeros_like(way), way)


def _lifted_of(scene: Scene, rows: npt.NDArray[np.int64]) -> Mask:
    """bool[lifted]: relations that stand for those in `rows` of the graph."""
    found = scene.lifted.of_edge[rows]
    result = np.zeros(len(scene.lifted.source), np.bool_)
    result[found[found >= 0]] = True
    return result


def relations_faded(scene: Scene) -> Emphasis:
    """All relations faded, during a drag: the relations of the dragged nodes are drawn separately."""
    return Emphasis(None, np.zeros(len(scene.lifted.source), bool))


def names_faded(picture: Picture, scene: Scene, standing_out: Emphasis, color: Color) -> Picture:
    """The picture with names of faded segments in `color`, because the segment's own ground is faded, too."""
    if standing_out.items is None or len(standing_out.items) != len(scene.tree.key):
        return picture
    lit = _lit_keys(scene, standing_out.items)
    items = []
    for item in picture.items:
        if not isinstance(item, Text) or lit[item.key]:
            items.append(item)
        elif item.color != item.halo:
            items.append(replace(item, color=color, halo=None))
    return replace(picture, items=tuple(items))


def names_lit(picture: Picture, scene: Scene, standing_out: Emphasis) -> Picture:
    """Only the names of highlighted items; all names if nothing is highlighted."""
    if standing_out.items is None or len(standing_out.items) != len(scene.tree.key):
        return picture
    lit = _lit_keys(scene, standing_out.items)
    return replace(picture, items=tuple(item for item in picture.items if isinstance(item, Text) and lit[item.key]))


def _lit_keys(scene: Scene, items: Mask) -> Mask:
    """bool[n + 1]: keys of the highlighted items; the last entry is True, for text that names no node."""
    lit = np.zeros(len(scene.graph) + 1, np.bool_)
    lit[scene.tree.key[items]] = True
    lit[-1] = True
    return lit


def relation_lines(scene: Scene, relation: int) -> list[str]:
    """The tooltip of a lifted relation: both ends, and how many relations of each kind it stands for."""
    graph, lifted = scene.graph, scene.lifted
    ends = [graph.path(int(scene.tree.key[end[relation]])) for end in (lifted.source, lifted.target)]
    rows = np.flatnonzero(lifted.of_edge == relation)
    guesses = int(np.count_nonzero(graph.edges.confidence[rows] == Confidence.GUESS))
    lines = [f"{ends[0]}  uses", ends[1], kinds_line(scene, rows)]
    lines += [f"{guesses:,} of them guessed"] if guesses else []
    if scene.observed is not None and (calls := int(scene.observed.count[rows].sum())):
        lines.append(_run_time(scene.observed, calls, float(scene.observed.time[rows].sum())))
    return lines + _merged_pairs(scene, rows)


def kinds_line(scene: Scene, rows: npt.NDArray[np.int64]) -> str:
    """`3 relations: 2 call, 1 import`: the kinds of the relations in `rows` of the graph, with counts."""
    edges = scene.graph.edges
    kinds = Counter(edges.kind[rows].tolist()).most_common()
    named = ", ".join(f"{count:,} {edges.kind_names[kind]}" for kind, count in kinds)
    return f"{len(rows):,} relation{'' if len(rows) == 1 else 's'}: {named}"


def _run_time(observed: Observed, calls: int, time: float) -> str:
    """Calls (or samples) and their time, if these were measured."""
    counted = f"{calls:,} {observed.counts}{'' if calls == 1 else 's'} at run time" if observed.counts else "called"
    return f"{counted}, {cost(observed.unit, time)}" if observed.unit else counted


def _merged_pairs(scene: Scene, rows: npt.NDArray[np.int64]) -> list[str]:
    """The pairs of files (within two files, of nodes) with the most relations in a bundled relation (OC-4).

    Empty for a single pair.
    """
    graph = scene.graph
    ends, file = (graph.edges.source[rows], graph.edges.target[rows]), files(graph)
    pairs, what = Counter(zip(*(file[keys].tolist() for keys in ends), strict=True)), "files"
    if len(pairs) < 2:
        pairs, what = Counter(zip(*(keys.tolist() for keys in ends), strict=True)), "nodes"
    if len(pairs) < 2:
        return []
    lines = [f"Merges {len(pairs):,} pairs of {what}:"]
    for (user, used), count in pairs.most_common(SHOWN_PAIRS):
        names = " → ".join(one_line(graph.names[key]) for key in (user, used))
        lines.append(f"  {names}" + (f" ({count:,})" if count > 1 else ""))
    more = len(pairs) - SHOWN_PAIRS
    return [*lines, f"  and {more:,} more"] if more > 0 else lines


def merged_lines(scene: Scene, items: npt.NDArray[np.int64]) -> list[str]:
    """The tooltip of a segment that is drawn as one with its thin neighbours.

    `items`: all of these, itself too (OC-4).
    """
    names = [one_line(scene.graph.names[int(key)]) for key in scene.tree.key[items[:SHOWN_PAIRS]]]
    more = f" and {len(items) - SHOWN_PAIRS:,} more" if len(items) > SHOWN_PAIRS else ""
    return [f"{len(items):,} thin segments drawn as one (zoom in to part them):", f"  {', '.join(names)}{more}"]


def _with_ancestors(scene: Scene, items: Mask) -> Mask:
    """The items and their ancestors, which stay highlighted to show the place of the items."""
    result = items.copy()
    parents = scene.tree.parent
    rows = np.flatnonzero(items)
    while len(rows):
        rows = np.unique(parents[rows])
        rows = rows[rows >= 0]
        result[rows] = True
    return result
