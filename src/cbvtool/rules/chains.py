"""Shortest chains of dependencies between two sets of files, one for each pair, through files outside both sets."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
MOST = 2_000  # chains of one rule


class FileLinks:
    """Dependencies between items, each pair once.

    source, target   int64[m]
    """

    def __init__(self, n: int, source: Rows, target: Rows) -> None:
        code = np.unique(source.astype(np.int64) * n + target)
        self.n, self.source, self.target = n, code // n, code % n

    def within(self, kept: Mask) -> FileLinks:
        """The dependencies with both ends in `kept`, bool[n]."""
        inside = kept[self.source] & kept[self.target]
        return FileLinks(self.n, self.source[inside], self.target[inside])

    def reached(self, start: Mask, over: Mask, *, back: bool = False) -> Mask:
        """bool[n]: items reached by a chain from `start` whose intermediate items are in `over`."""
        near, far = (self.target, self.source) if back else (self.source, self.target)
        found, onward = np.zeros(self.n, np.bool_), start.copy()
        while onward.any():
            new = np.zeros(self.n, np.bool_)
            new[far[onward[near]]] = True
            new &= ~found
            found |= new
            onward = new & over
        return found

    def shortest(self, start: Mask, end: Mask, over: Mask, budget: Budget) -> Iterator[tuple[int, ...]]:
        """The shortest chain, as its items, for each pair of an item in `start` and one in `end` that a chain joins.

        Intermediate items of a chain are in `over` and in neither set. Pairs ascend. Raises OverBudget.
        """
        over = over & ~start & ~end
        forth = self.reached(start, over)
        back = self.reached(end, over, back=True)
        kept = (over & forth & back) | (start & back) | (end & forth)
        rest = self.within(kept)
        order = np.argsort(rest.source, kind="stable")
        first = np.searchsorted(rest.source[order], np.arange(self.n + 1))
        onward = rest.target[order]
        for item in np.flatnonzero(start & kept).tolist():
            before: dict[int, int] = {item: -1}
            ends: list[int] = []
            queue = deque([item])
            while queue:
                here = queue.popleft()
                budget.spend(1)
                for there in onward[first[here] : first[here + 1]].tolist():
                    if there in before or start[there]:
                        continue
                    before[there] = here
                    if end[there]:
                        ends.append(there)
                    else:
                        queue.append(there)
            for last in sorted(ends):
                way = [last]
                while (last := before[last]) >= 0:
                    way.append(last)
                yield tuple(reversed(way))
