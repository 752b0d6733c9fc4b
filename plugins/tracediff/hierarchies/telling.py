"""Tooltips of two hierarchies: the node, or the pair of nodes, under the pointer."""

from __future__ import annotations

from cbvtool.api import CallChange, Hit, ViewContext

from ..state import LOWER, UPPER
from .changed import kind_of, place_of
from .designs import Designs, designs_in, width_in
from .nodes import UNIFORM

_SENTENCES = {
    CallChange.REMOVED: "B has no such node",
    CallChange.INSERTED: "A has no such node",
    CallChange.MOVED: "Moved to another container",
    CallChange.RENAMED: "Renamed",
}


def tell_hit(context: ViewContext, hit: Hit) -> tuple[str, ...]:
    """Where the node lies in both, what became of it, how wide it is in both."""
    designs = designs_in(context)
    if designs is None or hit.item < 0:
        return ()
    if hit.layer.startswith("tubes"):
        side, row = LOWER, int(designs.known.rows[hit.item, LOWER]) if hit.item < len(designs.known) else -1
    elif hit.layer.startswith("bars "):
        side = UPPER if hit.layer.endswith("upper") else LOWER
        row = hit.item
    else:
        return ()
    return told(designs, side, row, width_in(context)) if 0 <= row < len(designs.nodes[side]) else ()


def told(designs: Designs, side: int, row: int, width: str) -> tuple[str, ...]:
    """The lines."""
    key = int(designs.nodes[side].key[row])
    places = [place_of(designs, each, key) for each in (UPPER, LOWER)]
    kind = kind_of(designs, key)
    if places[UPPER] == places[LOWER]:
        lines = [places[side]]
    else:
        lines = [f"{'AB'[each]}: {place}" for each, place in enumerate(places) if place]
    if kind in _SENTENCES:
        lines.append(_SENTENCES[kind])
    elif designs.carried[side][row]:
        lines.append("Moved with the container around it")
    what = "leaves" if width == UNIFORM else width
    values = [
        f"{float(nodes.value[nodes.row[key]]):,.0f} {what} in {'AB'[each]}"
        for each, nodes in enumerate(designs.nodes)
        if nodes.row[key] >= 0
    ]
    lines.append(", ".join(values))
    own = designs.known.of_row(side, row)
    if len(own) and designs.trees[side].end_row[row] > row + 1:
        lines.append(f"{100 * float(designs.known.similarity[own[0]]):.0f} % of what lies in either lies in both")
    return tuple(lines)
