"""Asks how a plan is to be carried out, and tells what came of it."""

from __future__ import annotations

import re

from markupsafe import Markup
from qtpy.QtCore import Qt, Signal
from qtpy.QtWidgets import QCheckBox, QDialog, QDialogButtonBox, QFormLayout, QLineEdit, QPushButton, QVBoxLayout

from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, add_row, set_tooltip
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.toolkit.theme import look, rich_text

HINT = (
    "The code is changed in a copy, with one commit for each task. Your files and your branch stay as they are. "
    "The branch or the patch is made at the end, if the imports are as planned."
)
CONSENT = "Runs code of the project, in the copy. Empty: nothing is run."
BRANCH, PATCH, NOTHING = "branch", "patch", ""
_NO_NAME = re.compile(r"[^\w.-]+|\.{2,}", re.ASCII)


class ApplyDialog(QDialog):
    """`asked` is sent with what stands in the fields; `tell` shows what came of it.

    result   data of its rows: BRANCH, PATCH or NOTHING
    """

    asked = Signal()

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self.setWindowTitle("Carry out the plan")
        self.resize(640, 560)
        self.result_kind = DropList(self)
        self.result_kind.setAccessibleName("What is made")
        for text, data in (("A new branch", BRANCH), ("A patch", PATCH), ("Nothing: only try it", NOTHING)):
            self.result_kind.addItem(text, data)
        self.branch = self._line("Name of the new branch", "")
        self.tests = self._line("Command that runs the tests", "")
        set_tooltip(self.tests, CONSENT)
        self.keep_going = QCheckBox("&Leave out tasks that cannot be carried out", self)
        set_tooltip(self.keep_going, "Else the first of them stops the plan")
        self.forward = QCheckBox("Leave modules under the &old names", self)
        set_tooltip(self.forward, "They lead to the new ones, for code elsewhere that imports this project")
        self.consent = self._note(CONSENT)
        self.told = self._note(HINT)
        self.report = TextBrowser("What came of it", self)
        self.report.restyle(rich_text(look(desk.settings.theme)))
        self.start = QPushButton("Carry out", self)
        self._waits = False  # it is being carried out
        self.start.setObjectName("primary")
        self.start.setDefault(True)
        self.start.clicked.connect(self.asked)
        self.result_kind.activated.connect(lambda _row: self._follow())
        self.branch.textChanged.connect(lambda _text: self._follow())
        self._arrange()

    def _arrange(self) -> None:
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.ExpandingFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
        add_row(form, "&Make", self.result_kind)
        add_row(form, "&Branch", self.branch)
        add_row(form, "&Test command", self.tests)
        form.addRow(self.consent)
        form.addRow(self.keep_going)
        form.addRow(self.forward)
        box = QDialogButtonBox(self)
        close = QPushButton("Close", self)
        close.setAutoDefault(False)  # Enter always carries out
        box.addButton(close, QDialogButtonBox.ButtonRole.RejectRole)
        box.addButton(self.start, QDialogButtonBox.ButtonRole.ActionRole)
        box.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(12)
        column.addLayout(form)
        column.addWidget(self.told)
        column.addWidget(self.report, 1)
        column.addWidget(box)

    def _line(self, name: str, placeholder: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setAccessibleName(name)
        line.setPlaceholderText(placeholder)
        return line

    def _note(self, text: str) -> Label:
        label = Label(text, self)
        label.setObjectName("muted")
        label.setWordWrap(True)
        return label

    def offer(self, plan: str) -> None:
        """Begin anew for the plan of this name."""
        self.branch.setText(_NO_NAME.sub("-", plan.casefold()).strip("-.") or "plan")
        self.told.setText(HINT)
        self.report.setVisible(False)
        self._follow()

    def propose(self, tests: str, rewritten: str, consent: str) -> None:
        """Say what is known of the project and the plan.

        tests      the usual command of its tests; empty = nobody knows
        rewritten  which imports are rewritten; empty = there is nothing to say
        consent    what of the project is run if a command is given, and what that is not kept from
        """
        self.tests.setPlaceholderText(tests)
        self.consent.setText(consent)
        set_tooltip(self.tests, consent)
        if self.told.text() == HINT:
            self.told.setText(f"{HINT} {rewritten}".rstrip())

    def wait(self) -> None:
        """It is being carried out."""
        self.told.setText("It is being carried out; the status bar says how far it is, and can cancel it.")
        self.report.setVisible(False)
        self._waits = True
        self._follow()

    def tell(self, sentence: str, report: str = "") -> None:
        """Say what came of it, in one sentence and as a whole."""
        self.told.setText(sentence)
        self.report.show_html(Markup("<p style='white-space:pre-wrap'>{}</p>").format(report))
        self.report.setVisible(bool(report))
        self._waits = False
        self._follow()

    def _follow(self) -> None:
        is_branch = self.result_kind.currentData() == BRANCH
        self.branch.setEnabled(is_branch)
        self.start.setEnabled(not self._waits and (not is_branch or bool(self.branch.text().strip())))
