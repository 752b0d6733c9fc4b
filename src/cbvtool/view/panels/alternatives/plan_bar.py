"""The row above the plan: which of the document's plans is shown, and what can be done with them."""

from __future__ import annotations

from qtpy.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from cbvtool.errors import InputError
from cbvtool.view.desk import Desk
from cbvtool.view.panels.alternatives.plan_commands import PlanCommands, steps_of
from cbvtool.view.panels.plugin_views.menu_button import MenuButton
from cbvtool.view.toolkit.drop_list import DropList
from cbvtool.view.toolkit.plain import Label, add_action, set_row_tooltip, set_tooltip
from cbvtool.words import one_line

_CHARACTERS = 10  # of a name that the list asks room for
_NARROWEST = 90  # px
_SHORT = 7  # characters of an id
OFFERED = (  # name of a command, what the menu says; None: a line between
    ("plan_new", "New plan..."),
    ("plan_branch", "Branch from here..."),
    ("plan_rename", "Rename..."),
    ("plan_note", "Note..."),
    ("plan_delete", "Delete"),
    ("plan_restore", "Restore the deleted plan"),
    None,
    ("plans_compare", "Compare plans..."),
    ("plan_copy", "Copy steps to another plan..."),
    None,
    ("plan_apply", "Carry out..."),
)


class PlanBar(QWidget):
    """A list of the plans, a menu, and what the plan is for.

    plans   data of its rows: the names
    note    hidden where nothing is noted
    """

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self.plans = DropList(self)
        self.plans.setAccessibleName("Plan that is shown")
        self.plans.stay_narrow(_CHARACTERS)
        self.plans.setMinimumWidth(_NARROWEST)  # the panel may be narrow
        self.plans.activated.connect(self._switch)
        self.more = MenuButton("Plans", self)
        set_tooltip(self.more, "New plan, branch, rename, note, delete, compare, copy steps, carry out")
        self.more.choices.aboutToShow.connect(self._fill_menu)
        self.note = Label("", self)
        self.note.setObjectName("muted")
        self.note.setWordWrap(True)
        self.note.setVisible(False)
        row = QHBoxLayout()
        row.addWidget(self.plans, 1)
        row.addWidget(self.more)
        rows = QVBoxLayout(self)
        rows.setContentsMargins(10, 6, 10, 0)
        rows.addLayout(row)
        rows.addWidget(self.note)
        self.setEnabled(False)

    def show_plans(self) -> None:
        """Show the plans as they are now."""
        session = self._desk.session
        self.setEnabled(session.is_open)
        if not session.is_open:
            return
        plans = session.plan_choice.plans
        self.plans.clear()
        for row, plan in enumerate(plans.plans):
            self.plans.addItem(one_line(plan.name), plan.name)
            made = f", made on commit {plan.commit[:_SHORT]}" if plan.commit and not plan.is_empty else ""
            note = f"\n{plan.note}" if plan.note else ""
            set_row_tooltip(self.plans, row, f"{plan.name}: {steps_of(plan)}{made}{note}")
        self.plans.setCurrentIndex(plans.active)
        self.note.setText(plans.current.note)
        self.note.setVisible(bool(plans.current.note))
        set_tooltip(self.plans, f"Which plan is shown, of {len(plans.plans):,} in this document")

    def _switch(self, row: int) -> None:
        try:
            self._desk.session.plan_choice.switch(self.plans.itemData(row))
        except InputError as error:
            self._desk.say(str(error))
            self.show_plans()

    def _fill_menu(self) -> None:
        menu, commands = self.more.choices, self._desk.part(PlanCommands)
        several = commands.is_several
        can = {"plan_delete": several, "plan_copy": several, "plan_restore": commands.can_restore}
        menu.clear()
        for offered in OFFERED:
            if offered is None:
                menu.addSeparator()
                continue
            name, text = offered
            action = add_action(menu, text)
            action.setEnabled(can.get(name, True))
            action.triggered.connect(lambda _checked=False, name=name: self._desk.do(name))
