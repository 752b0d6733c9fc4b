"""Walking through the picture by keys: along siblings, up and down, and along relations (NEW-13)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from qtpy.QtCore import QObject

from cbvtool.geometry.scene.filtered import item_of
from cbvtool.geometry.scene.scene import Scene
from cbvtool.session import Session
from cbvtool.view.canvas.stage import Stage
from cbvtool.words import one_line


class Walking(QObject):
    """Belongs to a view.

    The node selected last is the current node; `keep` keeps it selected when the user moves on.
    """

    def __init__(self, session: Session, stage: Stage, say: Callable[[str], None]) -> None:
        super().__init__(stage)
        self._session, self._stage, self._say = session, stage, say
        self._kept: tuple[int, ...] = ()
        self._partner = (-1, -1)  # keys of the current node and of the highlighted neighbour

    # -- along the hierarchy ---------------------------------------------------------------------------------

    def step(self, step: int) -> None:
        """Go to the next visible sibling, or the previous one; wraps around."""
        siblings = self._siblings()
        if siblings:
            self._go(siblings[(siblings.index(self._here) + step) % len(siblings)])
        else:
            self.descend()

    def end(self, last: int) -> None:
        """Go to the first sibling (0), or the last one (-1)."""
        siblings = self._siblings()
        if siblings:
            self._go(siblings[last])
        else:
            self.descend()

    def climb(self) -> None:
        """Go to the parent."""
        graph, root = self._session.graph, self._session.view.root
        if self._here >= 0 and (above := int(graph.parent[self._here])) not in (root, -1):
            self._go(above)

    def descend(self) -> None:
        """Go to the first visible child."""
        view = self._session.view
        top = self._here if self._here >= 0 else view.root
        below = [key for key in self._session.graph.children(top).tolist() if self._is_shown(key)]
        if below and (top in view.expanded or top == view.root):
            self._go(below[0])

    def toggle(self) -> None:
        """Expand or collapse the current node."""
        self._session.toggle(self._here)

    def keep(self) -> None:
        """Toggle whether the current node stays selected when the user moves on."""
        here = self._here
        kept = self._kept_now()
        self._kept = tuple(key for key in kept if key != here) if here in kept else (*kept, here)
        count = len(self._session.view.selected)
        name = one_line(self._session.graph.names[here])
        stays = "stays selected while you move on" if here in self._kept else "is deselected when you move on"
        self._say(f"{name} {stays} ({count:,} selected)")

    def _go(self, key: int) -> None:
        kept = self._kept_now()
        self._kept = kept
        self._session.select((*(other for other in kept if other != key), key))

    def _kept_now(self) -> tuple[int, ...]:
        """The kept nodes, if nothing else was selected meanwhile."""
        selected = self._session.view.selected
        return self._kept if set(self._kept) <= set(selected) and len(selected) <= len(self._kept) + 1 else ()

    @property
    def _here(self) -> int:
        selected = self._session.view.selected
        return selected[-1] if selected else -1

    def _siblings(self) -> list[int]:
        """The visible siblings of the current node, itself included; empty if there is none, or it is not visible."""
        graph, here = self._session.graph, self._here
        above = int(graph.parent[here]) if here >= 0 else -1
        siblings = [key for key in graph.children(above).tolist() if self._is_shown(key)] if above >= 0 else []
        return siblings if here in siblings else []

    def _is_shown(self, key: int) -> bool:
        scene = self._stage.scene
        shown = () if scene is None else scene.tree.represent
        return key < len(shown) and int(shown[key]) >= 0

    # -- along relations -------------------------------------------------------------------------------------

    def next_partner(self, step: int) -> None:
        """Highlight the next or previous neighbour of the current node, and describe its relations."""
        scene, here = self._stage.scene, self._here
        if scene is None:
            return
        partners = partners_of(scene, here)
        names = scene.graph.names
        if not partners:
            self._say(f"{one_line(names[here])} has no relations that are shown")
            return
        keys = list(partners)
        before = self._partner[1] if self._partner[0] == here else -1
        at = (keys.index(before) + step) % len(keys) if before in keys else (0 if step > 0 else len(keys) - 1)
        key = keys[at]
        out, into = partners[key]
        self._partner = (here, key)
        self._session.set_view(hovered=key)
        ways = [f"uses it {out:,} times" if out > 1 else "uses it"] if out else []
        ways += [f"is used by it {into:,} times" if into > 1 else "is used by it"] if into else []
        self._say(
            f"Neighbour {at + 1:,} of {len(keys):,} of {one_line(names[here])}: {one_line(scene.graph.path(key))}, "
            f"{one_line(names[here])} {' and '.join(ways)}"
        )

    def go_to_partner(self) -> None:
        """Make the highlighted neighbour the current node."""
        here, key = self._partner
        if here == self._here and self._is_shown(key):
            self._session.set_view(hovered=-1)
            self._go(key)

    def can_go_to_partner(self) -> bool:
        """Whether a neighbour is highlighted."""
        view = self._session.view
        return bool(view.selected) and self._partner == (view.selected[-1], view.hovered)


def partners_of(scene: Scene, key: int) -> dict[int, tuple[int, int]]:
    """The subtree's neighbours in ring order: their keys -> (number of relations to the neighbour, number from it)."""
    item = item_of(scene.tree, key)
    if item < 0:
        return {}
    lifted, tree = scene.lifted, scene.tree
    first, last = item, int(tree.end[item])
    from_here = (lifted.source >= first) & (lifted.source < last)
    to_here = (lifted.target >= first) & (lifted.target < last)
    out, into = (
        np.bincount(ends[rows], lifted.count[rows], len(tree)).astype(np.int64)
        for ends, rows in ((lifted.target, from_here & ~to_here), (lifted.source, to_here & ~from_here))
    )
    found: dict[int, tuple[int, int]] = {}
    for partner in np.flatnonzero(out + into).tolist():
        other = int(tree.key[partner])
        before = found.get(other, (0, 0))  # a node and its (module) slot count as one
        found[other] = (before[0] + int(out[partner]), before[1] + int(into[partner]))
    return found
