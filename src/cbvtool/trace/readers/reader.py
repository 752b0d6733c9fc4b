"""What a reader of a format offers, and what it may spend."""

from __future__ import annotations

from typing import Protocol

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.source import TraceSource

Part = Trace | Profile


class TraceReader(Protocol):
    """Reads one format. A module with these two functions and names is a reader, too."""

    NAME: str  # in documents, on the command line, in `Header.format`
    LABEL: str  # for people

    def sniff(self, source: TraceSource) -> bool:
        """Whether the content looks like the format; cheap, from `source.head` and `source.names`."""
        ...

    def read(self, source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
        """All traces and profiles in it. Raises `UnreadableTrace` where nothing can be read, OverBudget, Cancelled.

        What can be read is read; the rest is counted in `repairs` and `omissions`.
        """
        ...
