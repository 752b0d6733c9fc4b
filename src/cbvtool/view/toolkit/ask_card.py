"""A card in the picture with a question before an action: which form, which kind, which name.

Usable by keyboard alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from qtpy.QtCore import QEvent, QObject, QPoint, Qt, Signal
from qtpy.QtGui import QKeyEvent
from qtpy.QtWidgets import QApplication, QFrame, QHBoxLayout, QLineEdit, QPushButton, QRadioButton, QVBoxLayout, QWidget

from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, caption

BESIDE = 18  # px from the pointer
WIDE = 320  # px


@dataclass(frozen=True)
class Form:
    """One of the forms to choose from.

    name   its value in an answer; text: label of its button; means: explanation below
    """

    name: str
    text: str
    means: str


@dataclass(frozen=True)
class Question:
    """The content of the card.

    title    the action; lines: what it affects
    forms    forms to choose from, `form` is preselected; none = there is no choice
    kinds    kinds to choose from: (value, text shown); none, or one = there is no choice
    named    what the name is for; empty = no name is asked for
    verb     text of the button
    kind_of  typed name -> the kind that it implies, or ""; this kind is selected until the user selects one
    """

    title: str
    lines: Sequence[str]
    forms: Sequence[Form] = ()
    kinds: Sequence[tuple[str, str]] = ()
    named: str = ""
    verb: str = "Do it"
    kind_of: Callable[[str], str] = lambda name: ""


@dataclass(frozen=True)
class Answer:
    """The current choices; the name as it was typed."""

    form: str
    kind: str
    name: str


class AskCard(QFrame):
    """Asks until Enter, Esc, or a click beside it. A picture has at most one card at a time.

    weigh   called with the choices whenever they change; returns (name that is used if none is typed, meaning of each
            form now, reason for a refusal or "")
    """

    taken = Signal()
    left = Signal()

    def __init__(
        self, parent: QWidget, question: Question, weigh: Callable[[Answer], tuple[str, Sequence[str], str]]
    ) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setAccessibleName(question.title)
        self.setFixedWidth(WIDE)
        self._weigh = weigh
        self._typed = False
        self._kind_of = question.kind_of
        self._kind_chosen = False
        self._open = True
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(6)
        title = Label(question.title, self)
        title.setObjectName("heading")
        title.setWordWrap(True)
        column.addWidget(title)
        for line in question.lines:
            said = Label(line, self)
            said.setObjectName("muted")
            said.setWordWrap(True)
            column.addWidget(said)
        self.forms: list[QRadioButton] = []
        self._names = [form.name for form in question.forms]
        self._means: list[Label] = []
        for form in question.forms:
            button = QRadioButton(caption(form.text), self)
            button.toggled.connect(self._changed)
            means = Label(form.means, self)
            means.setObjectName("muted")
            means.setIndent(22)
            means.setWordWrap(True)
            self.forms.append(button)
            self._means.append(means)
            column.addWidget(button)
            column.addWidget(means)
        self.kind = DropList(self)
        self.kind.setAccessibleName("Kind")
        self._kinds = [kind for kind, _ in question.kinds]
        for _, text in question.kinds:
            self.kind.addItem(text)
        self.kind.currentIndexChanged.connect(self._changed)
        self.kind.activated.connect(self._choose_kind)
        self.name = QLineEdit(self)
        self.name.setAccessibleName(question.named or "Name")
        self.name.textEdited.connect(self._edited)
        if question.named:
            label = Label(question.named, self)
            label.setObjectName("muted")
            column.addWidget(label)
        row = QHBoxLayout()
        row.addWidget(self.kind)
        row.addWidget(self.name, 1)
        column.addLayout(row)
        self.kind.setVisible(len(self._kinds) > 1)
        self.name.setVisible(bool(question.named))
        self.refusal = Label("", self)
        self.refusal.setObjectName("refusal")
        self.refusal.setWordWrap(True)
        column.addWidget(self.refusal)
        buttons = QHBoxLayout()
        hint = Label(f"{'↑ ↓ form · ' if question.forms else ''}Enter · Esc leaves", self)
        hint.setObjectName("muted")
        buttons.addWidget(hint, 1)
        self.do = QPushButton(caption(question.verb), self)
        self.do.setObjectName("primary")
        self.do.clicked.connect(self._take)
        buttons.addWidget(self.do)
        column.addLayout(buttons)
        for widget in (*self.forms, self.kind, self.name, self.do):
            widget.installEventFilter(self)
        if self.forms:
            self.forms[0].setChecked(True)
        self._changed()

    @property
    def is_open(self) -> bool:
        """Whether it is still waiting for an answer."""
        return self._open

    @property
    def answer(self) -> Answer:
        """The current choices."""
        form = next((name for name, button in zip(self._names, self.forms, strict=True) if button.isChecked()), "")
        kind = self._kinds[self.kind.currentIndex()] if self._kinds else ""
        return Answer(form, kind, self.name.text().strip() if self._typed else "")

    def ask_at(self, place: QPoint) -> None:
        """Show it beside a position in the parent, and take the keyboard focus."""
        parent = self.parentWidget()
        assert parent is not None
        self.adjustSize()
        x = place.x() + BESIDE
        if x + self.width() > parent.width() - 4:
            x = place.x() - BESIDE - self.width()
        y = min(max(place.y() - self.height() // 2, 4), parent.height() - self.height() - 4)
        self.move(max(x, 4), max(y, 4))
        self.show()
        self.raise_()
        first = self.name if not self.name.isHidden() else self.forms[0] if self.forms else self.do
        first.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()

    def close_down(self) -> None:
        """Remove it without an answer."""
        if not self._open:
            return
        self._open = False
        parent, focus = self.parentWidget(), QApplication.focusWidget()
        had_focus = focus is not None and self.isAncestorOf(focus)
        if had_focus and parent is not None:  # before it hides, because Qt would pass the focus on as if by Tab
            parent.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self.deleteLater()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Let Enter answer wherever the focus is, and Esc leave; no key reaches the shortcuts of the window."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # take the key, because N, Del and the digits are commands elsewhere
            return True
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.leave()
                return True
            step = {int(Qt.Key.Key_Down): 1, int(Qt.Key.Key_Up): -1}.get(event.key(), 0)
            if step and self.forms and watched is not self.kind:
                self._step(step, focus=watched in self.forms)
                return True
        return super().eventFilter(watched, event)

    def _step(self, by: int, *, focus: bool) -> None:
        """Choose the next or the previous form."""
        now = next(row for row, button in enumerate(self.forms) if button.isChecked())
        button = self.forms[(now + by) % len(self.forms)]
        button.setChecked(True)
        if focus:
            button.setFocus(Qt.FocusReason.TabFocusReason)

    def _edited(self, text: str) -> None:
        self._typed = bool(text.strip())
        if self._kinds and not self._kind_chosen:
            kind = self._kind_of(text.strip())
            self.kind.setCurrentIndex(self._kinds.index(kind) if kind in self._kinds else 0)
        self._changed()

    def _choose_kind(self) -> None:
        self._kind_chosen = True

    def _changed(self) -> None:
        usual, means, refusal = self._weigh(self.answer)
        if not self._typed and self.name.text() != usual:
            self.name.setText(usual)
            self.name.selectAll()  # so that typing replaces it
        self.name.setPlaceholderText(usual)
        for label, text in zip(self._means, means, strict=False):
            label.setText(text)
        self.refusal.setText(refusal)
        self.refusal.setVisible(bool(refusal))
        self.do.setEnabled(not refusal)
        if self.isVisible():
            self.adjustSize()

    def _take(self) -> None:
        if self._open and self.do.isEnabled():
            self.close_down()
            self.taken.emit()

    def leave(self) -> None:
        """Close without an answer."""
        if self._open:
            self.close_down()
            self.left.emit()
