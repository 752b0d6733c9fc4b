"""NEW-6: the plans of a document in the window, by real events: making, branching, switching, comparing, copying."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from qtpy.QtCore import QTimer
from qtpy.QtWidgets import QApplication, QComboBox, QInputDialog, QMenu, QPushButton, QWidget

from cbvtool.assessment.comparing import with_work
from cbvtool.assessment.judged import judged
from cbvtool.assessment.rows import FigureRow, rows
from cbvtool.plan.alternatives.named_plans import AS_IS
from cbvtool.plan.document import Plan, read_document
from cbvtool.plan.recovery import list_copies
from cbvtool.rules import read_rules
from cbvtool.session import Session
from cbvtool.view.panels.alternatives.comparing_plans import ComparingPlans
from cbvtool.view.panels.alternatives.copying_steps import CopyingSteps
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.panels.versions import comparing_versions
from cbvtool.view.toolkit.chooser import Chooser, ChooserRow
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand


class Typed:
    """Types a name into the next question, over what stands there, by the real keyboard."""

    def __init__(self, hand: Hand, name: str, kind: type[QWidget] = QInputDialog) -> None:
        self.asked = ""
        self._hand, self._name, self._kind = hand, name, kind
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)
        self._timer.start(20)

    def _look(self) -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, self._kind) and box.isActiveWindow():
            self._timer.stop()
            self.asked = box.labelText() if isinstance(box, QInputDialog) else box.windowTitle()
            if self._name:
                self._hand.keys("ctrl+a")
                self._hand.type(self._name)
            self._hand.keys("Return")


def middle(hand: Hand, widget: QWidget) -> None:
    hand.click(widget, widget.rect().center())


def pick(hand: Hand, choice: QComboBox, text: str) -> None:
    """Open a list by the mouse, and click on a row."""
    middle(hand, choice)
    view = choice.view()
    assert view is not None
    hand.wait_until(view.isVisible)
    row = view.visualRect(view.model().index(choice.findText(text), 0))
    viewport = view.viewport()
    assert viewport is not None
    hand.click(viewport, row.center())
    hand.wait_until(lambda: choice.currentText() == text)


def state(window: MainWindow) -> dict[str, list[str]]:
    """Names of the plans, the current one with a star -> their steps."""
    plans = window.session.plan_choice.plans
    return {
        f"{plan.name}*" if plan is plans.current else plan.name: [group.label for group in plan.done]
        for plan in plans.plans
    }


def move(window: MainWindow, node: str, target: str) -> None:
    key_of = window.session.graph.key_of
    assert window.session.move([key_of[node]], key_of[target]) is None


def still(window: MainWindow, hand: Hand) -> None:
    hand.wait_until(lambda: window.canvas.stage.is_still and not window.jobs.running)


def test_plans_are_made_branched_switched_renamed_and_deleted(
    window: MainWindow, hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Menu, list and keys; the message, what is unsaved, before and after, and undo are those of the plan shown."""
    session, panel = window.session, window.desk.show(PlanPanel)
    move(window, "shop/domain", "shop/ui")
    one = ["move of domain to ui"]
    assert not window.actions_by_name["plan_switch"].isEnabled()
    file = tmp_path / "plans.cbv"
    session.save(file)

    typed = Typed(hand, "Layers")
    window.canvas.setFocus()
    hand.keys("ctrl+b")
    hand.wait_until(lambda: bool(typed.asked) and state(window) == {"Plan 1": one, "Layers*": one})
    assert "begins with 1 step of Plan 1" in typed.asked
    assert window.isWindowModified()
    assert session.create(session.graph.key_of["shop"], "api") is None
    session.select([session.graph.key_of["plan:1"]])
    move(window, "scripts", "plan:1")
    assert window.plan_message.offer.text() == "Undo"

    middle(hand, panel.plans.more)
    hand.wait_until(panel.plans.more.choices.isVisible)
    typed = Typed(hand, "Features")
    choices = panel.plans.more.choices
    hand.click(choices, choices.actionGeometry(choices.actions()[0]).center())
    hand.wait_until(lambda: state(window).get("Features*") == [])
    assert not session.view.selected, "what another plan made is not selected any more"
    assert window.plan_message.text == "Features: nothing is planned yet."
    assert window.plan_message.offer.isHidden()
    assert not window.actions_by_name["undo"].isEnabled()
    assert not window.actions_by_name["before_after"].isEnabled()
    assert session.create(session.graph.root, "other") is None  # has the id of what the other plan made

    pick(hand, panel.plans.plans, "Plan 1")
    hand.wait_until(lambda: state(window).get("Plan 1*") == one)
    assert window.plan_message.text == "Plan 1: 1 step."
    hand.keys("ctrl+z")
    hand.wait_until(lambda: state(window)["Plan 1*"] == [])
    assert window.plan_message.text.startswith("Undone: domain moved")
    hand.keys("ctrl+shift+z")
    hand.wait_until(lambda: state(window)["Plan 1*"] == one)

    typed = Typed(hand, "lay", Chooser)
    hand.keys("ctrl+p")
    hand.wait_until(lambda: bool(typed.asked) and len(state(window).get("Layers*", ())) == 3)
    assert panel.plans.plans.currentText() == "Layers"
    window.canvas.setFocus()
    hand.keys("b")
    hand.wait_until(lambda: session.view.before)
    typed = Typed(hand, "Core first")
    window.actions_by_name["plan_rename"].trigger()
    hand.wait_until(lambda: panel.plans.plans.currentText() == "Core first")
    assert list(state(window)) == ["Plan 1", "Core first*", "Features"]

    three = state(window)
    window.actions_by_name["plan_delete"].trigger()
    assert list(state(window)) == ["Plan 1*", "Features"]
    assert window.desk.message.text == "Deleted the plan Core first with 3 steps."
    assert not session.view.before
    undo = next(one for one in window.desk.message.findChildren(QPushButton) if one.text() == "Undo")
    middle(hand, undo)
    hand.wait_until(lambda: state(window) == three)
    assert not window.actions_by_name["plan_restore"].isEnabled()
    window.actions_by_name["plan_delete"].trigger()
    window.desk.say("Something else")
    window.actions_by_name["plan_restore"].trigger()
    assert state(window) == three

    hand.keys("ctrl+s")
    hand.wait_until(lambda: not window.isWindowModified())
    saved = read_document(file)
    assert [plan.name for plan in saved.plans] == ["Plan 1", "Core first", "Features"]
    assert saved.plan.name == "Core first"
    move(window, "tests", "shop")
    pick(hand, panel.plans.plans, "Features")
    hand.wait_until(lambda: window.unsaved.is_kept)
    (copy,) = list_copies()
    kept = copy.document
    assert kept is not None
    assert copy.steps == 6
    assert [len(plan.done) for plan in kept.plans] == [1, 4, 1], "the copy holds all plans"
    assert kept.plan.name == "Features"


def test_a_note_says_what_a_plan_is_for(window: MainWindow, hand: Hand, tmp_path: Path) -> None:
    """NEW-6: the note on a plan is asked for in its menu, shown above the tasks, taken back by a button, and saved."""
    session, panel = window.session, window.desk.show(PlanPanel)
    bar = panel.plans
    assert bar.note.isHidden()

    def shows(text: str) -> bool:
        return bar.note.text() == text

    for text in ("Layers before the release", "After it"):
        middle(hand, bar.more)
        hand.wait_until(bar.more.choices.isVisible)
        typed = Typed(hand, text)
        action = next(action for action in bar.more.choices.actions() if action.text() == "Note...")
        hand.click(bar.more.choices, bar.more.choices.actionGeometry(action).center())
        hand.wait_until(partial(shows, text))
        assert typed.asked.startswith("What Plan 1 is for")
    assert bar.note.isVisible()
    assert window.isWindowModified()
    middle(hand, next(one for one in window.desk.message.findChildren(QPushButton) if one.text() == "Undo"))
    hand.wait_until(lambda: bar.note.text() == "Layers before the release")
    file = tmp_path / "plans.cbv"
    session.save(file)
    assert read_document(file).plan.note == "Layers before the release"
    session.plan_choice.note("Plan 1", "")
    hand.wait_until(bar.note.isHidden)


def test_a_note_on_a_step_is_taken_back_by_undo(window: MainWindow, hand: Hand) -> None:
    """NEW-6, NEW-9: right click on a step, a note below it; Ctrl+Z takes back notes and the step, one by one."""
    session, panel = window.session, window.desk.show(PlanPanel)
    move(window, "shop/domain", "shop/ui")
    still(window, hand)

    def step() -> str:
        item = panel.steps.item(1)
        return "" if item is None else item.text()

    typed = Typed(hand, "Ann waits for it")
    rect = panel.steps.visualItemRect(panel.steps.item(1))
    viewport = panel.steps.viewport()
    assert viewport is not None
    hand.click(viewport, rect.center(), "right")
    hand.wait_until(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    hand.click(menu, menu.actionGeometry(menu.actions()[0]).center())
    hand.wait_until(lambda: step() == "Move of domain to ui\nAnn waits for it")
    assert typed.asked.startswith("Note about: Move of domain to ui")
    assert window.isWindowModified()
    assert window.actions_by_name["undo"].text() == "Undo note on the step"
    hand.keys("ctrl+z")
    hand.wait_until(lambda: step() == "Move of domain to ui")
    assert window.actions_by_name["undo"].text() == "Undo move of domain to ui"
    hand.keys("ctrl+shift+z")
    hand.wait_until(lambda: step().endswith("Ann waits for it"))

    session.select([session.graph.key_of["shop/ui"]])
    typed = Typed(hand, "Ask Eve")
    window.actions_by_name["pin_note"].trigger()
    hand.wait_until(lambda: session.notes.all.get("shop/ui") == "Ask Eve")
    window.canvas.setFocus()
    hand.keys("ctrl+z")
    hand.wait_until(lambda: not session.notes.all)
    hand.keys("ctrl+z")
    hand.wait_until(lambda: step() == "Move of domain to ui")
    hand.keys("ctrl+z")
    hand.wait_until(lambda: not session.history.done)


def table_of(window: MainWindow) -> dict[str, list[str]]:
    """The cells of the comparison, by the name of the figure."""
    dialog = window.desk.part(ComparingPlans).dialog
    assert dialog is not None
    cells = [cell.replace("\xa0", "").strip() for cell in dialog.text.toPlainText().split("\n")]
    found = window.desk.part(ComparingPlans).found
    assert found is not None
    names = [*(row.name for row in found.figures), "tasks", "effort"]
    head = [cell for cell in cells[: cells.index(names[0])] if cell]
    columns = len(head)
    return {"": head, **{name: cells[cells.index(name) + 1 :][: columns + 1] for name in names}}


def figures_of(window: MainWindow, plan: Plan) -> tuple[FigureRow, ...]:
    """The figures of a plan, worked out by a session of its own."""
    session = Session()
    assert window.session.project is not None
    session.open(window.session.project)
    session.rules = window.session.rules
    assert session.history is not None
    session.step(lambda history: plan.history(history.base), "replaying")
    asked = session.judging.asked
    assert asked is not None
    found = judged(asked)
    return rows(with_work(found.plan(), session.planning.task_list()))


def test_two_plans_are_compared_and_steps_copied(
    window: MainWindow, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures equal those of each plan alone; both in one picture; a step that does not fit says why."""
    session = window.session
    session.rules = read_rules(window.session.project.path)
    session.plan_choice.rename("Plan 1", "Layers")
    move(window, "shop/domain", "shop/ui")
    session.plan_choice.branch("Features")
    assert session.create(session.graph.root, "api") is None
    move(window, "scripts", "plan:1")
    assert session.remove([session.graph.key_of["shop/infrastructure"]]) is None
    still(window, hand)

    window.canvas.setFocus()
    hand.keys("ctrl+d")
    comparing = window.desk.part(ComparingPlans)
    hand.wait_until(lambda: comparing.found is not None)
    dialog = comparing.dialog
    assert dialog is not None
    hand.wait_until(dialog.isActiveWindow)
    assert dialog.pair == ("Layers", "Features")
    first, second = (figures_of(window, session.plan_choice.plans.named(name)) for name in dialog.pair)
    found = table_of(window)
    assert found[""] == ["as it is", "Layers", "Features"]
    assert {row.name: [row.before, row.after] for row in first} == {row.name: found[row.name][:2] for row in first}
    assert [row.after for row in second] == [found[row.name][2] for row in second]
    signs = {row.name: found[row.name][3] for row in second}
    assert set(signs.values()) <= {"+", "−", ""}
    assert "+" in signs.values()
    said = dialog.text.toPlainText().replace("\u200b", "")
    assert "Only in Features (3 tasks" in said
    assert "In both (1 task" in said

    pick(hand, dialog.first, "The code as it is")
    hand.wait_until(lambda: comparing.found is not None and comparing.found.first.name == AS_IS)
    found = table_of(window)
    assert found[""] == ["the code as it is", "Features"], "the code is told once"
    assert {row.name: [row.before, row.after] for row in second} == {row.name: found[row.name][:2] for row in second}
    pick(hand, dialog.first, "Layers")
    hand.wait_until(lambda: comparing.found is not None and comparing.found.first.name == "Layers")
    middle(hand, dialog.picture)
    hand.wait_until(lambda: session.versions.compared is not None)
    changes = session.changes_planned
    assert changes is not None
    told = changes.sentences()
    assert any(line.startswith("api: new") for line in told), told
    assert any(line.startswith("infrastructure: removed") for line in told), told
    assert not any(line.startswith("domain") for line in told), "both plans move it"
    window.actions_by_name["end_comparison"].trigger()

    offered: list[ChooserRow] = []

    def first_one(_title: str, _hint: str, choices: list[ChooserRow], _parent: object) -> object:
        offered.extend(choices)
        return choices[0].value

    monkeypatch.setattr(comparing_versions, "choose", first_one)
    window.actions_by_name["compare_plan"].trigger()
    hand.wait_until(lambda: session.versions.compared is not None)
    assert [row.text for row in offered] == ["Layers", "Another document..."]
    window.actions_by_name["end_comparison"].trigger()
    still(window, hand)

    session.plan_choice.switch("Layers")
    session.undo()
    assert session.remove([session.graph.key_of["scripts"]]) is None
    session.plan_choice.switch("Features")
    still(window, hand)
    window.actions_by_name["plan_copy"].trigger()
    copying = window.desk.part(CopyingSteps).dialog
    assert copying is not None
    hand.wait_until(copying.isActiveWindow)
    assert copying.pair == ("Features", "Layers")
    assert copying.numbers == [0, 1, 2, 3]
    middle(hand, copying.copy)
    hand.wait_until(lambda: "3 steps copied to Layers, 1 left out" in copying.told.text())
    item = copying.steps.item(2)
    assert item is not None
    assert item.text() == "Move of scripts to api\nscripts is not there."
    assert len(state(window)["Layers"]) == 4
    pick(hand, copying.source, "Layers")
    pick(hand, copying.target, "Features")
    hand.wait_until(lambda: copying.steps.count() == 4)
    assert copying.numbers == [0]
    middle(hand, copying.copy)
    hand.wait_until(lambda: "1 step copied to Features" in copying.told.text())
    assert state(window)["Features*"][-1] == "removal of scripts"
    assert "scripts" not in session.graph.key_of or session.graph.parent[session.graph.key_of["scripts"]] < 0
