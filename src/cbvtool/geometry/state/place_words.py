"""A place of the view in words, for tooltips such as that of "back" (CBV-6)."""

from __future__ import annotations

from cbvtool.geometry.state.view_state import ViewState
from cbvtool.graph import Graph
from cbvtool.history.time_range import words as range_words
from cbvtool.words import one_line

LONGEST = 60  # characters of a path or a filter
MOST = 500  # with more nodes, the words do not look for the topmost ones


def place_words(graph: Graph, there: ViewState, here: ViewState) -> str:
    """What `there` shows, as seen from `here`: its subtree, or else the difference: `core opened`, `tests hidden`."""
    if there.root != here.root:
        return _path(graph, there.root)
    if there.only != here.only:
        return f"only {_short(there.only)}" if there.only else "without the filter"
    if (there.since, there.until) != (here.since, here.until):
        return f"history: {range_words((there.since, there.until))}"
    changes = [
        (there.hidden - here.hidden, "hidden"),
        (here.hidden - there.hidden, "shown"),
        (there.expanded - here.expanded, "opened"),
        (here.expanded - there.expanded, "closed"),
    ]
    words = [f"{_names(graph, keys)} {what}" for keys, what in changes if keys]
    return ", ".join(words) or _path(graph, there.root)


def _path(graph: Graph, key: int) -> str:
    return "everything" if key == graph.root else _short(graph.path(key), tail=True)


def _names(graph: Graph, keys: frozenset[int]) -> str:
    if len(keys) > MOST:
        return f"{len(keys):,} nodes"
    tops = [key for key in keys if not any(above in keys for above in graph.ancestors(key))]
    return one_line(graph.names[tops[0]]) if len(tops) == 1 else f"{len(tops):,} nodes"


def _short(text: str, *, tail: bool = False) -> str:
    text = one_line(text)
    if len(text) <= LONGEST:
        return text
    return f"…{text[1 - LONGEST :]}" if tail else f"{text[: LONGEST - 1]}…"
