"""NEW-4: a function gets another name in the window, and the plan is carried out there, by real events."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cbvtool.project import Project, open_project
from cbvtool.view.panels.applying.plan_applying import PlanApplying
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, key, place
from tests.gui.test_alternatives import Typed, middle, pick
from tests.test_project import committed

FILES = {
    "shop/__init__.py": "",
    "shop/prices.py": "def price(item):\n    return len(item)\n",
    "shop/page.py": "from shop.prices import price\n\n\ndef show(item):\n    return price(item)\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A small one in Python, in a repository."""
    root = tmp_path_factory.mktemp("applied") / "subject"
    committed(root, FILES)
    return open_project(root, jobs=1, cache=False)


def _shown(root: Path, what: str) -> str:
    return subprocess.run(["git", "-C", root, "show", what], capture_output=True, text=True, check=True).stdout


def test_a_function_is_renamed_and_the_plan_carried_out(window: MainWindow, hand: Hand) -> None:
    """F2, a name, the task in the list; Carry out: a branch with the change, tried out, and nothing else is touched."""
    session, panel = window.session, window.desk.show(PlanPanel)
    assert not window.actions_by_name["plan_apply"].isEnabled()
    session.set_view(expanded=frozenset(key(window, node) for node in ("shop", "shop/prices.py")))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    hand.click(window.canvas, place(window, "shop/prices.py::price"))
    hand.wait_until(lambda: session.view.selected == (key(window, "shop/prices.py::price"),))
    typed = Typed(hand, "price_of")
    hand.keys("F2")
    hand.wait_until(lambda: session.graph.names[key(window, "shop/prices.py::price")] == "price_of")
    assert typed.asked == "New name"
    hand.wait_until(lambda: "to price_of" in panel.text.toPlainText())

    bar = panel.plans
    middle(hand, bar.more)
    hand.wait_until(bar.more.choices.isVisible)
    action = next(action for action in bar.more.choices.actions() if action.text() == "Carry out...")
    hand.click(bar.more.choices, bar.more.choices.actionGeometry(action).center())
    applying = window.desk.part(PlanApplying)
    hand.wait_until(lambda: applying.dialog is not None and applying.dialog.isActiveWindow())
    dialog = applying.dialog
    assert dialog is not None
    assert dialog.branch.text() == "plan-1"
    hand.wait_until(lambda: dialog.tests.placeholderText() == "python -m pytest -q")
    assert dialog.told.text().endswith("Imports of Python are rewritten.")
    assert "each Python module is imported, and this command is run" in dialog.consent.text()
    middle(hand, dialog.tests)
    hand.type("python3 -c 'import shop.page as page; assert page.show([1]) == 1'")
    middle(hand, dialog.start)
    hand.wait_until(lambda: dialog.told.text().startswith("It is being carried out"))
    dialog.branch.setText("other")
    assert not dialog.start.isEnabled(), "it is carried out once"
    hand.wait_until(lambda: dialog.told.text().endswith("written to plan-1."))
    dialog.branch.setText("plan-1")
    assert dialog.told.text() == "1 task carried out. It is written to plan-1."
    said = dialog.report.toPlainText()
    assert "The import graph is the planned one: 1 import between files." in said
    assert "ended with status 0." in said
    assert session.project is not None
    root = session.project.path
    assert _shown(root, "plan-1:shop/prices.py") == FILES["shop/prices.py"].replace("price", "price_of")
    assert "return price_of(item)" in _shown(root, "plan-1:shop/page.py")
    assert (root / "shop/prices.py").read_text() == FILES["shop/prices.py"]
    assert _shown(root, "HEAD:shop/prices.py") == FILES["shop/prices.py"]

    middle(hand, dialog.start)
    hand.wait_until(lambda: "plan-1" in dialog.told.text() and "written" not in dialog.told.text())
    assert dialog.report.isHidden(), "a name that exists is refused"
    pick(hand, dialog.result_kind, "Nothing: only try it")
    assert not dialog.branch.isEnabled()
    dialog.tests.clear()
    middle(hand, dialog.start)
    hand.wait_until(lambda: dialog.told.text() == "1 task carried out. Nothing was written.")
    session.undo()
    middle(hand, dialog.start)
    hand.wait_until(lambda: "has no tasks" in dialog.told.text())


@pytest.mark.parametrize(
    ("file", "told"),
    [
        ("shop/page.py", "1 task carried out. Nothing was written."),
        ("shop/prices.py", "Stopped: Task 1, Remove shop/prices.py: shop/page.py:1: shop/prices would be gone, and is"),
    ],
)
def test_a_file_is_removed_and_the_plan_carried_out(window: MainWindow, hand: Hand, file: str, told: str) -> None:
    """A1 of plans.md: Del on a file; the dialog told of a KeyError. What is used stays, and who uses it is named."""
    session, applying = window.session, window.desk.part(PlanApplying)
    session.set_view(expanded=frozenset([key(window, "shop")]))
    hand.wait_until(lambda: window.canvas.stage.is_still)
    hand.click(window.canvas, place(window, file))
    hand.wait_until(lambda: session.view.selected == (key(window, file),))
    hand.keys("Delete")
    hand.wait_until(lambda: file not in session.graph.key_of)
    applying.ask()
    assert applying.dialog is not None
    dialog = applying.dialog
    pick(hand, dialog.result_kind, "Nothing: only try it")
    middle(hand, dialog.start)
    hand.wait_until(lambda: dialog.told.text().startswith(told))
