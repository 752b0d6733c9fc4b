"""Rules in the window (NEW-5): made by clicking, previewed, saved, taken back; a violation alone in magenta (CBV-7)."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtWidgets import QDialogButtonBox

from cbvtool.drawing.emphasis import emphasis
from cbvtool.drawing.renderer import Renderer
from cbvtool.geometry.colors import THEMES
from cbvtool.rules.violations import judged_rules
from cbvtool.view.panels.plan_judge import PlanJudge
from cbvtool.view.panels.rules.rule_dialog import RuleDialog
from cbvtool.view.panels.rules.rule_dialog import judge as judge_rule
from cbvtool.view.panels.rules_panel import RulesPanel, unmatched_html
from cbvtool.view.window.main_window import MainWindow


@pytest.fixture
def file(window: MainWindow, tmp_path: Path) -> Path:
    """The `cbvtool.toml` of a copy of the sample project, which the window takes for what it shows."""
    project = window.session.project
    assert project is not None
    shutil.copy(project.path / "cbvtool.toml", tmp_path)
    window.session.state.project = replace(project, path=tmp_path)
    return tmp_path / "cbvtool.toml"


def saved(dialog: RuleDialog, qtbot) -> None:
    """Click on Save."""
    button = dialog.buttons.button(QDialogButtonBox.StandardButton.Save)
    assert button is not None
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_rule_is_made_previewed_saved_and_taken_back(window: MainWindow, file: Path, qtbot) -> None:
    """NEW-5: what is selected is what it is about; nothing is written before Save, and all of it is kept."""
    before, graph = file.read_text(), window.session.graph
    window.session.select([graph.key_of["shop/services"], graph.key_of["shop/domain"]])
    window.desk.do("rule_forbid")
    dialog = window.rule_editor.dialog
    assert dialog is not None
    assert dialog.table() == {"kind": "forbidden", "from": ["shop/services"], "to": ["shop/domain"]}
    qtbot.waitUntil(
        lambda: "shop/services/checkout.py → shop/domain/" in dialog.preview.toPlainText().replace("\u200b", "")
    )
    assert file.read_text() == before
    count = len(window.session.violations()[0])
    dialog.reason.setText("the domain is on its own")
    saved(dialog, qtbot)
    assert not dialog.isVisible()
    assert file.read_text().startswith(before)
    assert 'reason = "the domain is on its own"' in file.read_text()
    text = window.desk.panels["rules"].text.toPlainText()
    assert "shop/services must not use shop/domain" in text
    assert "the domain is on its own" in text
    assert len(window.session.violations()[0]) > count
    project = window.session.project
    assert project is not None
    window.session.state.project = replace(project)  # such as with counted lines: it is the same folder
    window.desk.do("rule_undo")
    assert file.read_text() == before
    assert len(window.session.violations()[0]) == count


def test_the_plan_is_judged_by_a_rule_as_soon_as_it_is_saved(window: MainWindow, file: Path, qtbot) -> None:
    """NEW-1, NEW-5: no step is needed until the panel knows it."""
    session, judge = window.session, window.desk.part(PlanJudge)
    assert session.rename(session.graph.key_of["shop/services"], "offers") is None
    qtbot.waitUntil(lambda: judge.current is not None and judge.current.judged is not None)

    def broken() -> str:
        assert judge.current is not None
        return next((row.after for row in judge.current.rows if row.name == "broken rules"), "")

    before = broken()
    session.select([session.graph.key_of["shop/services"], session.graph.key_of["shop/domain"]])
    window.desk.do("rule_forbid")
    dialog = window.rule_editor.dialog
    assert dialog is not None
    today = len(judge_rule(session.base, dialog.rule).violations) if dialog.rule is not None else 0
    qtbot.waitUntil(lambda: f" as planned; {today:,} in the code as it is" in dialog.preview.toPlainText())
    saved(dialog, qtbot)
    qtbot.waitUntil(lambda: broken() != before)
    assert int(broken()) == len(session.violations()[0])


def test_what_cannot_be_read_cannot_be_saved(window: MainWindow, file: Path, qtbot) -> None:
    """NEW-5: the reason is told; another program's change is never overwritten."""
    window.desk.do("rule_new")
    dialog = window.rule_editor.dialog
    assert dialog is not None
    button = dialog.buttons.button(QDialogButtonBox.StandardButton.Save)
    assert button is not None
    assert not button.isEnabled()
    assert dialog.told.text() == "This rule: from is empty."
    dialog.lists[0].setPlainText("shop/ui")
    dialog.lists[1].setPlainText("re:(")
    assert "cannot be read: a ) is missing" in dialog.told.text()
    dialog.lists[1].setPlainText("shop/*")
    assert button.isEnabled()
    file.write_text(changed := file.read_text() + "# changed\n")
    saved(dialog, qtbot)
    assert dialog.isVisible()
    assert file.read_text() == changed
    dialog.close()


def test_a_rule_is_edited_and_removed(window: MainWindow, file: Path, qtbot) -> None:
    """NEW-5: from the panel; an old form becomes a table."""
    panel = window.desk.show(RulesPanel)
    panel.text.anchorClicked.emit(_link(panel, "edit:1"))
    dialog = window.rule_editor.dialog
    assert dialog is not None
    assert dialog.table() == {"kind": "forbidden", "from": ["shop/ui"], "to": ["shop/infrastructure"]}
    dialog.name.setText("No shortcut")
    dialog.chains.setChecked(True)
    saved(dialog, qtbot)
    assert 'name = "No shortcut"' in file.read_text()
    assert 'over = "chains"' in file.read_text()
    rules = window.session.rules
    assert rules is not None
    assert not rules.deny
    panel.text.anchorClicked.emit(_link(panel, "remove:2"))
    assert "No shortcut" not in file.read_text()


def _link(panel: RulesPanel, address: str):
    from qtpy.QtCore import QUrl

    assert f'href="{address}"' in panel.text.toHtml()
    return QUrl(address)


def test_a_click_shows_a_violation_in_magenta_and_nothing_else(window: MainWindow, qtbot) -> None:
    """CBV-7, NEW-5: its pixels have the colour of violations; no other relation stands out."""
    session = window.session
    panel = window.desk.show(RulesPanel)
    cursor = panel.text.document().find("checkout.py")
    cursor.setPosition(cursor.selectionStart() + 2)
    panel.text.setTextCursor(cursor)
    panel.text.ensureCursorVisible()
    qtbot.mouseClick(
        panel.text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(panel.text.cursorRect(cursor).center())
    )
    scene, graph = session.scene(), session.graph
    path = session.view.path
    assert path is not None
    pairs = {(graph.ids[scene.tree.key[a]], graph.ids[scene.tree.key[b]]) for a, b in _lit_ends(scene)}
    assert pairs == {("shop/services/checkout.py", "shop/ui/messages.py")}
    renderer = Renderer(400, 300)
    try:
        renderer.show(scene)
        all_of_them = _magenta(renderer.frame())
        renderer.highlight(emphasis(scene, -1, -1, frozenset(), ()))
        alone = _magenta(renderer.frame())
        session.set_view(mark_violations=False)
        renderer.show(session.scene())
        none = _magenta(renderer.frame())
    finally:
        renderer.close()
    assert 0 < alone.sum() < all_of_them.sum()
    assert not (alone & ~_near(all_of_them)).any()
    assert none.sum() == 0


def _lit_ends(scene) -> list[tuple[int, int]]:
    lit = emphasis(scene, -1, -1, frozenset(), ()).relations
    assert lit is not None
    rows = np.flatnonzero(lit)
    return list(zip(scene.lifted.source[rows].tolist(), scene.lifted.target[rows].tolist(), strict=True))


def _magenta(frame):
    """bool[h, w]: pixels of the colour of violations, or nearly so."""
    return (np.abs(frame.astype(int) - THEMES["light"].warning[:3]) < 40).all(axis=2)


def _near(mask):
    grown = mask.copy()
    for axis in (0, 1):
        for step in (-1, 1):
            grown |= np.roll(mask, step, axis)
    return grown


def test_a_rule_that_names_nothing_is_red(window: MainWindow, file: Path, qtbot) -> None:
    """P10: the preview says it, and the panel as long as the rule is there; it is no "no violations"."""
    graph = window.session.graph
    window.session.select([graph.key_of["shop/services"], graph.key_of["shop/domain"]])
    window.desk.do("rule_forbid")
    dialog = window.rule_editor.dialog
    assert dialog is not None
    dialog.lists[1].setPlainText("shop/domian")
    said = "names shop/domian, which is not there."
    qtbot.waitUntil(lambda: said in dialog.preview.toPlainText().replace("\u200b", ""))
    saved(dialog, qtbot)
    panel = window.desk.panel(RulesPanel).text
    lines = panel.toPlainText().replace("\u200b", "").splitlines()
    assert any(line.startswith("! The rule") and line.endswith(said) for line in lines)
    rules = window.session.rules
    assert rules is not None
    assert "class='worse'" in unmatched_html(judged_rules(window.session.planned, rules).unmatched)
    window.session.rule_editing.undo()
    assert said not in panel.toPlainText()
