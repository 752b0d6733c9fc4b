"""Counting changed lines in the background, once something shows them: it takes as long as `git log --numstat`."""

from __future__ import annotations

import re

from qtpy.QtCore import QObject

from cbvtool.geometry.state.view_state import VARIABLES, ViewState
from cbvtool.mining import read_churn
from cbvtool.mining.changes import Changes
from cbvtool.view.desk import Desk

COUNTING = "Counting changed lines"
OF_LINES = ("churn", "added_lines", "deleted_lines")  # metrics
_NAMED = re.compile(rf"\b({'|'.join(OF_LINES)})\b")


class LineCounting(QObject):
    """Belongs to a window. A history is counted once; after a cancel, again when something else wants the lines."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._session = desk.session
        self._begun: tuple[Changes, frozenset[str]] | None = None  # whose lines were asked for, and what wanted them

    def follow(self) -> None:
        """The view changed: count if it goes by lines."""
        if reasons := wanted_by(self._desk.here.session.view):
            self.count(reasons)

    def count(self, reasons: frozenset[str]) -> None:
        """Count unless that was done, or was begun for nothing but these reasons."""
        ranges, project = self._session.time_ranges, self._session.project
        changes = ranges.changes
        if changes is None or project is None or ranges.churn is not None or changes.places is None:
            return  # of a saved graph the history is nowhere
        if self._begun is not None and changes.alike(self._begun[0]):
            known = self._begun[1]
            self._begun = (changes, known | reasons)
            if self._desk.jobs.is_busy(self, "lines") or reasons <= known:
                return
        self._begun = (changes, reasons)
        self._desk.jobs.run(
            self,
            COUNTING,
            lambda progress: read_churn(project.path, changes, progress=progress, keeper=project.keeper),
            lambda churn: ranges.take_churn(changes, churn),
            self._desk.note,
            purpose="lines",
        )


def wanted_by(view: ViewState) -> frozenset[str]:
    """What of a view goes by changed lines, in words that differ; nothing if nothing does."""
    mapped = {f"{name}:{shown}" for name in VARIABLES if (shown := getattr(view.mapping, name)) in OF_LINES}
    return frozenset(mapped | ({f"only:{view.only}"} if _NAMED.search(view.only) else set()))
