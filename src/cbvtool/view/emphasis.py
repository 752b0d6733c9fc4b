"""What stands out and what fades: a node with its partners, what a search found, the relations of the selection."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.picture import Color, Picture, Text
from cbvtool.geometry.scene import Scene
from cbvtool.graph import Confidence

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Emphasis:
    """items bool[v], relations bool[lifted]; None = nothing fades among them."""

    items: Mask | None = None
    relations: Mask | None = None


def item_of(scene: Scene, key: int) -> int:
    """The item of `key`: its own segment when it is shown, also while expanded; else the one that stands for it."""
    own = np.flatnonzero((scene.tree.key == key) & ~scene.tree.slot)
    return int(own[0]) if len(own) else int(scene.tree.represent[key])


def subtree_items(scene: Scene, keys: tuple[int, ...] | frozenset[int]) -> Mask:
    """bool[v]: the items of `keys` with all items below them."""
    mask = np.zeros(len(scene.tree.key), bool)
    for key in keys:
        if (item := item_of(scene, key)) >= 0:
            mask[item : scene.tree.end[item]] = True
    return mask


def around(scene: Scene, inside: Mask) -> Emphasis:
    """The items of `inside`, the relations that touch them, and the items at the other ends."""
    lifted = scene.lifted
    relations = inside[lifted.source] | inside[lifted.target]
    items = inside.copy()
    items[lifted.source[relations]] = True
    items[lifted.target[relations]] = True
    return Emphasis(_with_ancestors(scene, items), relations)


def emphasis(scene: Scene, hovered: int, relation: int, matches: frozenset[int], selected: tuple[int, ...]) -> Emphasis:
    """What stands out now: what the pointer is on, else what was found, else the relations of the selection.

    hovered   key or -1; relation: lifted row or -1
    """
    if hovered >= 0:
        return around(scene, subtree_items(scene, (hovered,)))
    if relation >= 0:
        one = np.zeros(len(scene.lifted.source), bool)
        one[relation] = True
        items = np.zeros(len(scene.tree.key), bool)
        items[[scene.lifted.source[relation], scene.lifted.target[relation]]] = True
        return Emphasis(_with_ancestors(scene, items), one)
    if matches:
        items = np.zeros(len(scene.tree.key), bool)
        shown = scene.tree.represent[list(matches)]
        items[shown[shown >= 0]] = True
        return Emphasis(_with_ancestors(scene, items))
    if selected:
        return Emphasis(None, around(scene, subtree_items(scene, selected)).relations)
    return Emphasis()


def relations_faded(scene: Scene) -> Emphasis:
    """All relations fade: those of what is dragged are drawn apart."""
    return Emphasis(None, np.zeros(len(scene.lifted.source), bool))


def names_faded(picture: Picture, scene: Scene, standing_out: Emphasis, color: Color) -> Picture:
    """The same picture with the names of faded segments in `color`: what they stood on is not there to read on."""
    if standing_out.items is None or len(standing_out.items) != len(scene.tree.key):
        return picture
    faded = set(scene.tree.key[~standing_out.items].tolist()) - set(scene.tree.key[standing_out.items].tolist())
    items = tuple(
        replace(item, color=color, halo=None) if isinstance(item, Text) and item.key in faded else item
        for item in picture.items
        if not (isinstance(item, Text) and item.key in faded and item.color == item.halo)
    )
    return replace(picture, items=items)


def relation_lines(scene: Scene, relation: int) -> list[str]:
    """What the tooltip of a lifted relation says: both ends, and how many of which kind stand behind it."""
    graph, lifted = scene.graph, scene.lifted
    ends = [graph.path(int(scene.tree.key[end[relation]])) for end in (lifted.source, lifted.target)]
    rows = np.flatnonzero(lifted.of_edge == relation)
    kinds = Counter(graph.edges.kind[rows].tolist()).most_common()
    guesses = int(np.count_nonzero(graph.edges.confidence[rows] == Confidence.GUESS))
    named = ", ".join(f"{count:,} {graph.edges.kind_names[kind]}" for kind, count in kinds)
    count = int(lifted.count[relation])
    lines = [f"{ends[0]}  uses", ends[1], f"{count:,} relation{'' if count == 1 else 's'}: {named}"]
    return [*lines, f"{guesses:,} of them guessed"] if guesses else lines


def _with_ancestors(scene: Scene, items: Mask) -> Mask:
    """Segments around a lit one stay lit, so that one sees where it is."""
    result = items.copy()
    parents = scene.tree.parent
    rows = np.flatnonzero(items)
    while len(rows):
        rows = np.unique(parents[rows])
        rows = rows[rows >= 0]
        result[rows] = True
    return result
