"""What usually changes with a file that a task moves, and does not go with it (NEW-12)."""

from __future__ import annotations

import numpy as np

from cbvtool.graph import Graph
from cbvtool.history.change_sets import change_sets, usual_choice
from cbvtool.history.coupling import file_couplings
from cbvtool.metrics.history.in_range import file_keys
from cbvtool.mining.changes import Changes

LEAST, SHARE, LIFT = 5, 1 / 3, 2.0  # commits with both, of those of the file, times as often as by chance
MOST = 3  # notes of a file


class CouplingNotes:
    """The notes of one plan; the history is looked through when the first one is asked for."""

    def __init__(self, base: Graph, target: Graph, changes: Changes | None) -> None:
        self._base, self._target, self._changes = base, target, changes
        self._partners: dict[int, list[tuple[int, int, int]]] | None = None

    def of(self, node: str) -> list[str]:
        """A sentence for each file that usually changes with the moved file `node`, and lies elsewhere afterwards."""
        key = self._base.key_of.get(node, -1)
        if key < 0 or self._base.kind(key) != "file":
            return []
        if self._partners is None:
            self._partners = self._found()
        parent, notes = self._target.parent, []
        for other, both, times in self._partners.get(key, ()):
            if parent[other] >= 0 and parent[other] != parent[key]:
                place = self._target.path(int(parent[other])) or self._target.name
                notes.append(
                    f"Usually changes with {self._base.ids[other]} ({both:,} of {times:,} commits), "
                    f"which will lie in {place}."
                )
        return notes[:MOST]

    def _found(self) -> dict[int, list[tuple[int, int, int]]]:
        """Key of a file -> (key of another, commits with both, commits of the file), the most commits first."""
        changes = self._changes
        if changes is None or not changes.sha:
            return {}
        key = file_keys(self._base, changes)
        pairs = file_couplings(change_sets(changes, usual_choice(changes)), len(changes.paths))
        strong = (pairs.both >= LEAST) & (pairs.lift >= LIFT) & (key[pairs.first] >= 0) & (key[pairs.second] >= 0)
        found = dict[int, list[tuple[int, int, int]]]()
        for row in np.flatnonzero(strong)[np.argsort(-pairs.both[strong], kind="stable")].tolist():
            first, second, both = int(pairs.first[row]), int(pairs.second[row]), int(pairs.both[row])
            for one, other in ((first, second), (second, first)):
                times = int(pairs.times[one])
                if both >= SHARE * times:
                    found.setdefault(int(key[one]), []).append((int(key[other]), both, times))
        return found
