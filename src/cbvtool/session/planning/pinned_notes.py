"""Notes that people have pinned to nodes; the document keeps them (NEW-15)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from cbvtool.session.change import Change
from cbvtool.session.state import State
from cbvtool.words import one_line

LONGEST, MOST = 500, 1_000  # characters of a note; notes
Notes = Mapping[str, str]  # id of a node -> what was noted


def of_data(data: object) -> Notes:
    """The notes that a document holds; what makes no sense is left out. Nodes need not be there (any more)."""
    rows = data.items() if isinstance(data, dict) else ()
    found = {node: clean(text) for node, text in rows if isinstance(node, str) and isinstance(text, str)}
    return MappingProxyType({node: text for node, text in sorted(found.items())[:MOST] if text})


def clean(text: str) -> str:
    """One line, not too long, without blanks around it; empty = no note."""
    return " ".join(one_line(text).split())[:LONGEST].rstrip()


class PinnedNotes:
    """Keeps notes by the ids of nodes, which stay the same while a plan moves these."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._notes: Notes = MappingProxyType({})

    def begin(self, notes: Notes) -> None:
        """Have those of a document that is opened."""
        self._notes = notes

    @property
    def all(self) -> Notes:
        """The notes, by the ids of their nodes."""
        return self._notes

    def pin(self, node: str, text: str) -> None:
        """Have another note at a node, by its id; an empty one takes it away."""
        rest = {known: told for known, told in self._notes.items() if known != node}
        changed = of_data({**rest, node: text})
        if changed != self._notes:
            self._notes = changed
            self._state.tell(Change.FILE)
