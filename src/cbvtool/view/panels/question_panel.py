"""What panels of questions have in common: an answer is drawn until Esc ends it, or another one takes its place."""

from __future__ import annotations

from typing import Any, ClassVar

from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.panel import Panel


class QuestionPanel(Panel):
    """`FIELD` of the view state holds its answer, `OTHER` that of another question: one is drawn at a time."""

    FIELD: ClassVar[str]
    OTHER: ClassVar[str]

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._wanted = False  # an answer is to be drawn once it is found
        self._drawn = False

    def clear(self) -> None:
        """End the question."""
        raise NotImplementedError

    def _draw(self, answer: Any) -> None:
        """Draw an answer; None = there is nothing to draw."""
        self._wanted, self._drawn = True, answer is not None
        self.session.set_view(
            path=answer if self.FIELD == "path" else None, impact=answer if self.FIELD == "impact" else None
        )

    def _has_ended(self, changes: frozenset[Change]) -> bool:
        """Clear the question once its answer is no longer drawn. Returns True if it was cleared."""
        view = self.session.view
        if not self._drawn or changes & {Change.PLAN, Change.DEPTH} or getattr(view, self.FIELD) is not None:
            return False
        self._drawn = self._wanted = False
        if getattr(view, self.OTHER) is None:
            self.clear()
            return True
        return False
