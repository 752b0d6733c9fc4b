"""A sentence across the top of the canvas that does not interrupt the user: errors, refusals, hints."""

from __future__ import annotations

from collections.abc import Callable

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from cbvtool.view.toolkit.close_button import close_button
from cbvtool.view.toolkit.plain import Label, set_caption


class MessageBar(QFrame):
    """Hidden until `say`; stays until closed or replaced."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self._label = Label("", self)
        self._label.setWordWrap(True)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._offer = QPushButton(self)
        self._offer.clicked.connect(self._take_offer)
        self._run: Callable[[], None] | None = None
        close = close_button(self, "Close this message")
        close.clicked.connect(self.hide)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 6, 6, 6)
        layout.addWidget(self._label, 1)
        layout.addWidget(self._offer)
        layout.addWidget(close)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence shown; empty if the bar is hidden."""
        return self._label.text() if not self.isHidden() else ""

    def say(self, sentence: str, *, error: bool = True, offer: str = "", run: Callable[[], None] | None = None) -> None:
        """Show a sentence, with a button `offer` that calls `run`."""
        self.setProperty("error", error)
        style = self.style()
        if style is not None:
            style.unpolish(self)
            style.polish(self)
        self._label.setText(sentence)
        self._run = run
        set_caption(self._offer, offer)
        self._offer.setVisible(bool(offer))
        self.show()

    def _take_offer(self) -> None:
        self.hide()
        if self._run is not None:
            self._run()
