"""The message after a step of the plan: what it did, and what that costs; with a button that takes it back."""

from __future__ import annotations

from qtpy.QtCore import QEvent, QObject, Qt, QTimer
from qtpy.QtWidgets import QFrame, QHBoxLayout, QPushButton, QToolButton, QWidget

from cbvtool.plan import History
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.session.planning.figures import PlanFigures
from cbvtool.session.planning.step_words import done_words
from cbvtool.view.desk import Desk
from cbvtool.view.panels.plan_judge import PlanJudge
from cbvtool.view.toolkit.plain import Label, set_caption, set_tooltip
from cbvtool.words import one_line

STAYS = 12_000  # ms until the message disappears, unless the pointer is on it
ABOVE = 16  # px between the message and the lower edge of the picture
LEGEND = 244  # px kept free for legends on both sides
NARROWEST = 300  # px: least width of the message, even if it then covers legends


class PlanMessage(QFrame):
    """Lies over the lower edge of the picture; takes no focus, and disappears by itself."""

    def __init__(self, desk: Desk, over: QWidget) -> None:
        super().__init__(over)
        self._desk, self._over = desk, over
        self._history: History | None = None  # history whose last step the message describes
        self._plan = ""  # name of the plan
        self._step = ""
        self.setObjectName("planmessage")
        self.setAccessibleName("What the last step of the plan did")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._label = Label("", self)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self.offer = QPushButton(self)
        self.offer.setObjectName("link")
        self.offer.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.offer.setCursor(Qt.CursorShape.PointingHandCursor)
        self.offer.clicked.connect(self._take)
        close = QToolButton(self)
        close.setText("✕")
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        set_tooltip(close, "Close this message")
        close.setAccessibleName("Close this message")
        close.setAutoRaise(True)
        close.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 4, 4)
        row.addWidget(self._label)
        row.addWidget(self.offer)
        row.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(STAYS)
        self._timer.timeout.connect(self.hide)
        over.installEventFilter(self)
        self._judging = desk.part(PlanJudge)
        self._judging.judged.connect(self._complete)
        self._unsubscribe = desk.session.subscribe(self._follow)
        self.hide()

    @property
    def text(self) -> str:
        """The sentence, empty when it is hidden."""
        return "" if self.isHidden() else self._label.text()

    def close_down(self) -> None:
        """The window closes."""
        self._timer.stop()
        self._unsubscribe()

    def _follow(self, what: Change) -> None:
        session = self._desk.session
        if what == Change.PROJECT:
            self._history, self._plan = session.history, session.plan_name
            self.hide()
        elif what == Change.PLAN and session.history is not None:
            before, self._history = self._history, session.history
            plan, self._plan = self._plan, session.plan_name
            if session.versions.compared is not None:
                self.hide()  # no plan is shown while versions are compared
            if before is None or before.base is not session.history.base:
                return
            if plan != self._plan and before is not session.history:
                self._tell_plan(session.history)
            else:
                self._tell(before, session)

    def _tell_plan(self, now: History) -> None:
        """Show that another plan is shown, whose last step was not done just now."""
        self._step = ""
        steps = f"{len(now.done):,} step{'' if len(now.done) == 1 else 's'}"
        self._say(f"{one_line(self._plan)}: {steps if now.done else 'nothing is planned yet'}.", "")

    def _tell(self, before: History, session: Session) -> None:
        now = session.history
        assert now is not None
        done, was = len(now.done), len(before.done)
        if now.operations == before.operations and done == was:  # somebody noted something
            return
        self._step = ""
        if done == was + 1 and now.done[:-1] == before.done:
            self._step = done_words(now.done[-1], before.graph)
            self._say(f"{self._step}.", "Undo")
        elif done == was - 1 and before.done[:-1] == now.done:
            self._say(f"Undone: {done_words(before.done[-1], now.graph)}.", "Redo")
        else:
            self._say(f"The plan stands at step {done:,} of {done + len(now.undone):,}.", "")

    def _complete(self, figures: PlanFigures) -> None:
        """Add the figures, once they are computed."""
        if figures.history is self._history and self._step:
            sentence = f"{self._step}: {figures.step_words()}."
            self._desk.note(sentence)
            if not self.isHidden():
                self._say(sentence, "Undo")

    def _say(self, sentence: str, offer: str) -> None:
        self._label.setText(sentence)
        set_caption(self.offer, offer)
        self.offer.setVisible(bool(offer))
        if offer:
            keys = {"Undo": "Ctrl+Z", "Redo": "Ctrl+Shift+Z"}[offer]
            set_tooltip(self.offer, f"{offer} this step of the plan ({keys})")
        self._desk.note(sentence)
        self.setAccessibleDescription(sentence)
        self.show()
        self._place()
        self.raise_()
        self._timer.start()

    def _take(self) -> None:
        session, undoes = self._desk.session, bool(self._step)
        self.hide()
        session.planning.undo() if undoes else session.planning.redo()

    # -- where it is ---------------------------------------------------------------------------------------

    def _place(self) -> None:
        room = self._over.size()
        self._label.setWordWrap(False)
        wide = self.sizeHint().width()
        widest = max(NARROWEST, room.width() - 2 * LEGEND)
        if wide > widest:
            self._label.setWordWrap(True)
            wide = widest
        self.resize(wide, self.heightForWidth(wide) if self._label.wordWrap() else self.sizeHint().height())
        self.move((room.width() - self.width()) // 2, room.height() - self.height() - ABOVE)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Adapt to a new size of the picture."""
        if event is not None and event.type() == QEvent.Type.Resize and not self.isHidden():
            self._place()
        return super().eventFilter(watched, event)

    def enterEvent(self, event: QEvent | None) -> None:
        """Stay while the pointer is on the message."""
        self._timer.stop()

    def leaveEvent(self, event: QEvent | None) -> None:
        """Disappear after a while."""
        self._timer.start()
