"""Steps of one plan copied to another, in a dialog that says why a step does not fit there (NEW-6)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from qtpy.QtCore import QObject, Qt, Signal
from qtpy.QtGui import QColor
from qtpy.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
)

from cbvtool.errors import InputError
from cbvtool.plan.alternatives.copying import CopiedSteps
from cbvtool.plan.alternatives.named_plans import NamedPlans
from cbvtool.plan.history import Group
from cbvtool.session.change import Change
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, add_row, set_tooltip
from cbvtool.view.toolkit.theme import look
from cbvtool.words import one_line

HINT = (
    "A step is copied whole or not at all. Choose those that belong together: a move needs the folder that it goes to."
)
ALREADY = "It is there already"


class StepsDialog(QDialog):
    """Which steps of which plan are copied to which other one.

    source, target   data of their rows: the names
    steps            a row for each step of the source, in its order, with a check box
    """

    chosen = Signal()  # other plans
    asked = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self.setWindowTitle("Copy steps")
        self.resize(480, 480)
        self._desk = desk
        self.source, self.target = DropList(self), DropList(self)
        form = QFormLayout()
        for choice, name in ((self.source, "From"), (self.target, "To")):
            choice.setAccessibleName(f"{name} which plan")
            choice.stay_narrow(16)
            choice.activated.connect(lambda _row: self.chosen.emit())
            add_row(form, name, choice)
        self.steps = QListWidget(self)
        self.steps.setAccessibleName("Steps to copy")
        self.steps.setWordWrap(True)
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.itemChanged.connect(lambda _item: self._follow())
        self.told = Label(HINT, self)
        self.told.setObjectName("muted")
        self.told.setWordWrap(True)
        standard = QDialogButtonBox.StandardButton
        box = QDialogButtonBox(QDialogButtonBox.StandardButtons(standard.Close), self)
        self.copy = QPushButton("Copy", self)
        set_tooltip(self.copy, "Do the checked steps at the end of the other plan")
        box.addButton(self.copy, QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.clicked.connect(self.asked)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.steps, 1)
        column.addWidget(self.told)
        column.addWidget(box)

    @property
    def pair(self) -> tuple[str, str]:
        """Names of the plans: from, to."""
        return self.source.currentData(), self.target.currentData()

    @property
    def numbers(self) -> list[int]:
        """Which steps are checked."""
        rows = (self.steps.item(row) for row in range(self.steps.count()))
        return [row for row, item in enumerate(rows) if item is not None and item.checkState() == Qt.CheckState.Checked]

    def offer(self, plans: NamedPlans, pair: tuple[str, str]) -> None:
        """Offer the plans and the steps of the first; those that the second has already are not checked."""
        for choice, name in zip((self.source, self.target), pair, strict=True):
            choice.clear()
            for known in plans.names:
                choice.addItem(one_line(known), known)
            choice.setCurrentIndex(max(choice.findData(name), 0))
        source, target = (plans.named(name) for name in self.pair)
        self.steps.blockSignals(True)
        self.steps.clear()
        there_already = {step.bare for step in target.done}
        for step in source.done:
            there = step.bare in there_already
            item = QListWidgetItem(f"{_label(step)}\n{ALREADY}" if there else _label(step), self.steps)
            item.setCheckState(Qt.CheckState.Unchecked if there else Qt.CheckState.Checked)
        self.steps.blockSignals(False)
        self.told.setText(HINT)
        self._follow()

    def tell(self, reasons: Mapping[int, str], sentence: str) -> None:
        """Say of steps why they were left out, below each of them, and what came of it all."""
        self.steps.blockSignals(True)
        for row, reason in reasons.items():
            item = self.steps.item(row)
            if item is not None:
                item.setText(f"{item.text().partition(chr(10))[0]}\n{one_line(reason)}")
                item.setForeground(QColor(look(self._desk.settings.theme).warning))
        self.steps.blockSignals(False)
        self.told.setText(sentence)

    def _follow(self) -> None:
        source, target = self.pair
        self.copy.setEnabled(source != target and bool(self.numbers))


class CopyingSteps(QObject):
    """Belongs to a window. `dialog` is None until it was opened."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk, self._session = desk, desk.session
        self.dialog: StepsDialog | None = None
        self._telling = False
        self._unsubscribe = self._session.subscribe(self._follow)

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()
        self._desk.jobs.stop(self)

    def ask(self, source: str = "", target: str = "") -> None:
        """Open the dialog; without names from the present plan to another one."""
        plans = self._session.plan_choice.plans
        if self.dialog is None:
            self.dialog = StepsDialog(self._desk)
            self.dialog.chosen.connect(self._offer)
            self.dialog.asked.connect(self._copy)
            self.dialog.finished.connect(lambda _status: self._desk.jobs.drop(self))
        source = source or plans.current.name
        self.dialog.offer(plans, (source, target or next((name for name in plans.names if name != source), source)))
        self.dialog.show()
        self.dialog.raise_()

    def _follow(self, what: Change) -> None:
        """Offer what there is now."""
        dialog = self.dialog
        if dialog is None or not dialog.isVisible() or not self._session.is_open:
            return
        if what == Change.PROJECT:
            dialog.reject()
        elif what == Change.PLAN and not self._telling:
            self._offer()

    def _offer(self) -> None:
        assert self.dialog is not None
        self.dialog.offer(self._session.plan_choice.plans, self.dialog.pair)

    def _copy(self) -> None:
        dialog = self.dialog
        assert dialog is not None
        (source, target), numbers = dialog.pair, dialog.numbers
        try:
            work = self._session.plan_choice.copying(numbers, target, source)
        except InputError as error:
            dialog.told.setText(str(error))
            return
        steps = self._session.plan_choice.plans.named(source).done
        self._desk.jobs.run(
            self,
            "Copying steps",
            lambda _progress: work(),
            partial(self._take, target, {number: steps[number] for number in numbers}),
            dialog.told.setText,
        )

    def _take(self, target: str, asked: Mapping[int, Group], found: CopiedSteps) -> None:
        dialog = self.dialog
        assert dialog is not None
        self._telling = True
        try:
            self._session.plan_choice.copied(target, found)
        except InputError as error:
            dialog.told.setText(str(error))
            return
        finally:
            self._telling = False
        dialog.offer(self._session.plan_choice.plans, dialog.pair)
        left = [(one.step, one.reason) for one in found.left_out]
        reasons = {
            number: reason
            for number, step in asked.items()
            if (reason := next((why for other, why in left if other is step), ""))
        }
        count = len(found.copied)
        said = f"{count:,} step{'' if count == 1 else 's'} copied to {one_line(target)}"
        dialog.tell(reasons, f"{said}, {len(left):,} left out: the list says why." if left else f"{said}.")


def _label(step: Group) -> str:
    return one_line(step.label[:1].upper() + step.label[1:])
