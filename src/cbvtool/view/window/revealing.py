"""Bringing nodes into sight: what hides them gives way."""

from __future__ import annotations

from collections.abc import Sequence

from cbvtool.asking.impact import is_test
from cbvtool.graph import EXTERNAL
from cbvtool.session import Session

MOST_REVEALED = 100  # nodes whose surroundings are expanded for one click


def reveal(session: Session, keys: Sequence[int]) -> None:
    """Select nodes and expand the way to them; of very many to the first ones."""
    graph, view = session.graph, session.view
    first = keys[:MOST_REVEALED]
    above = {inner for key in first for inner in graph.ancestors(key)}
    root = view.root if all(graph.is_below(key, view.root) for key in keys) else graph.root
    hidden = frozenset(h for h in view.hidden if not any(graph.is_below(key, h) for key in keys))
    filtered = not session.scene().filtered.isdisjoint({*above, *first})
    session.set_view(
        root=root,
        hidden=hidden,
        expanded=view.expanded | above,
        selected=tuple(keys),
        external=view.external or any(graph.kind(key) == EXTERNAL for key in keys),
        tests=view.tests or bool(is_test(graph)[list(keys)].any()),
        only="" if filtered else view.only,
    )
