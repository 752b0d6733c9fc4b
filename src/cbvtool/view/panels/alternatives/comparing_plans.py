"""Two plans of the document, or one and the code as it is, side by side in a dialog (NEW-6)."""

from __future__ import annotations

from qtpy.QtCore import QObject, Signal
from qtpy.QtWidgets import QDialog, QDialogButtonBox, QHBoxLayout, QPushButton, QVBoxLayout

from cbvtool.assessment.comparing import PlanComparison
from cbvtool.errors import InputError
from cbvtool.plan.alternatives.named_plans import AS_IS, NamedPlans
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.panels.alternatives.comparison_html import comparison_html
from cbvtool.view.panels.alternatives.copying_steps import CopyingSteps
from cbvtool.view.panels.versions.comparing_versions import ComparingVersions
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, muted, set_tooltip
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text
from cbvtool.words import one_line

AS_IT_IS = "The code as it is"
WAITING = "Working out what both plans come to ..."
CANCELLED = "Comparing the plans was cancelled."
SAME = "Choose two different plans."


class PlansDialog(QDialog):
    """What is compared, the table, and what can be done with the two.

    first, second   data of their rows: names of plans, or AS_IS
    """

    chosen = Signal()  # what is to be compared

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self.setWindowTitle("Compare plans")
        self.resize(620, 640)
        self._desk = desk
        self.first, self.second = DropList(self), DropList(self)
        row = QHBoxLayout()
        for choice, name in ((self.first, "Compare"), (self.second, "with")):
            choice.setAccessibleName(f"{name}: a plan, or the code as it is")
            choice.stay_narrow(12)
            choice.activated.connect(lambda _row: self.chosen.emit())
            row.addWidget(Label(name, self))
            row.addWidget(choice, 1)
        self.again = QPushButton("Compare again", self)
        self.again.setAutoDefault(False)
        self.again.clicked.connect(self.chosen)
        self.again.hide()
        self.text = TextBrowser("Comparison of plans", self)
        self.restyle()
        self.picture = QPushButton("Show in the picture", self)
        set_tooltip(self.picture, "Mark in the picture what differs between the two; F7 goes from change to change")
        self.copy = QPushButton("Copy steps...", self)
        set_tooltip(self.copy, "Copy steps of the first plan to the second one")
        for button in (self.picture, self.copy):
            button.setAutoDefault(False)
        standard = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Close), self)
        box.rejected.connect(self.reject)
        below = QHBoxLayout()
        for button in (self.picture, self.copy, self.again):
            below.addWidget(button)
        below.addWidget(box, 1)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.text, 1)
        column.addLayout(below)

    def restyle(self) -> None:
        """Take the colours of the theme."""
        self.text.restyle(rich_text(look(self._desk.settings.theme)))

    @property
    def pair(self) -> tuple[str, str]:
        """What is compared: names of plans, or AS_IS."""
        return self.first.currentData(), self.second.currentData()

    def offer(self, plans: NamedPlans, pair: tuple[str, str]) -> None:
        """Offer the plans, and choose these of them as far as they are there."""
        for choice, name in zip((self.first, self.second), pair, strict=True):
            choice.clear()
            for known in plans.names:
                choice.addItem(one_line(known), known)
            choice.addItem(AS_IT_IS, AS_IS)
            choice.setCurrentIndex(max(choice.findData(name), 0))
        self.follow()

    def follow(self) -> None:
        """See what can be done with what is chosen."""
        first, second = self.pair
        self.picture.setEnabled(first != second)
        self.copy.setEnabled(first != second and AS_IS not in (first, second))

    def say(self, sentence: str, *, again: bool = False) -> None:
        """Show a sentence in place of the table, with a way to begin anew."""
        self.again.setVisible(again)
        self.text.show_html(muted(sentence))

    def show_found(self, found: PlanComparison) -> None:
        """Show the table."""
        self.again.hide()
        names = {AS_IS: AS_IT_IS.lower()}
        first, second = self.pair
        self.text.show_html(comparison_html(found, names.get(first, first), names.get(second, second)))


class ComparingPlans(QObject):
    """Belongs to a window.

    dialog  None = it was not opened yet
    found   what is shown in it
    """

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session = desk, desk.session
        self.dialog: PlansDialog | None = None
        self.found: PlanComparison | None = None
        self._unsubscribe = self._session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        self._desk.jobs.stop(self)

    def ask(self) -> None:
        """Open the dialog with the present plan and the one before it, or the code as it is."""
        plans = self._session.plan_choice.plans
        others = [name for name in plans.names if name != plans.current.name]
        if self.dialog is None:
            self.dialog = PlansDialog(self._desk)
            self.dialog.chosen.connect(self._compare)
            self.dialog.picture.clicked.connect(self._show_in_picture)
            self.dialog.copy.clicked.connect(self._copy)
            self.dialog.finished.connect(lambda _status: self._desk.jobs.drop(self))
        self.dialog.restyle()
        self.dialog.offer(
            plans, (others[max(0, plans.active - 1)], plans.current.name) if others else (plans.current.name, AS_IS)
        )
        self.dialog.show()
        self.dialog.raise_()
        self._compare()

    def _follow(self, what: Change) -> None:
        """Compare again what has changed."""
        dialog = self.dialog
        if dialog is None or not dialog.isVisible() or not self._session.is_open:
            return
        if what == Change.PROJECT:
            dialog.reject()
        elif what in (Change.PLAN, Change.DEPTH):
            dialog.offer(self._session.plan_choice.plans, dialog.pair)
            self._compare()

    def _compare(self) -> None:
        dialog = self.dialog
        assert dialog is not None
        dialog.follow()
        self.found = None
        self._desk.jobs.drop(self)
        first, second = dialog.pair
        if first == second:
            dialog.say(SAME)
            return
        try:
            work = self._session.side_by_side.comparing(first, second)
        except InputError as error:
            dialog.say(str(error), again=True)
            return
        dialog.say(WAITING)

        def take(found: PlanComparison) -> None:
            self.found = found
            dialog.show_found(found)

        self._desk.jobs.run(
            self,
            "Comparing plans",
            work,
            take,
            lambda why: dialog.say(why, again=True),
            cancelled=lambda: dialog.say(CANCELLED, again=True),
        )

    def _show_in_picture(self) -> None:
        assert self.dialog is not None
        self._desk.part(ComparingVersions).compare_plans(*self.dialog.pair)

    def _copy(self) -> None:
        assert self.dialog is not None
        self._desk.part(CopyingSteps).ask(*self.dialog.pair)
