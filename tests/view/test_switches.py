"""Switches in the window: guesses, packages outside, kinds of relations; errors per language."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import Qt

from cbvtool.drawing.emphasis import relation_lines
from cbvtool.geometry.state.view_state import Mapping
from cbvtool.graph import EXTERNAL, Confidence, Graph, GraphBuilder, LanguageShare, Report
from cbvtool.metrics import values as metric_values
from cbvtool.metrics.metric import BEING_MEASURED
from cbvtool.project import Project
from cbvtool.view.toolkit.chooser import ChooserRow
from cbvtool.view.toolkit.plain import tooltip_of
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.status import languages_text


def graph() -> Graph:
    """page.py imports cart.py and numpy, page.show calls cart.add, page.show may call bill.add; bill.py uses numpy."""
    builder = GraphBuilder("shop")
    for folder, file, name in (("ui", "page.py", "show"), ("core", "cart.py", "add"), ("core", "bill.py", "add")):
        if folder not in builder:
            builder.add_node(folder, "", folder, "folder")
        path = f"{folder}/{file}"
        builder.add_node(path, folder, file, "file", file=path, values={"sloc": 50})
        builder.add_node(f"{path}::{name}", path, name, "function", file=path, line=3, values={"sloc": 9})
    builder.add_node("external", "", "(external)", EXTERNAL)
    builder.add_node("external:numpy", "external", "numpy", EXTERNAL)
    for user, used, kind, confidence in (
        ("ui/page.py", "core/cart.py", "import", Confidence.EXACT),
        ("ui/page.py::show", "core/cart.py::add", "call", Confidence.RESOLVED),
        ("ui/page.py::show", "core/bill.py::add", "call", Confidence.GUESS),
        ("ui/page.py", "external:numpy", "import", Confidence.EXACT),
        ("core/bill.py", "external:numpy", "import", Confidence.EXACT),
    ):
        sites = [(user.partition("::")[0], 3)]
        builder.add_edge(builder.key(user), builder.key(used), kind, confidence=confidence, sites=sites)
    languages = (LanguageShare("Python", 200), LanguageShare("C", 40, 10))
    return builder.freeze(Report(files=240, parse_errors=tuple(f"{i}.c" for i in range(10)), languages=languages))


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    return Project(tmp_path, "shop", graph(), None, "", "folder")


@pytest.fixture
def window(new_window, shop: Project, qtbot) -> MainWindow:
    window = new_window()
    with qtbot.waitSignal(window.canvas.stage.first_frame):
        window.session.open(shop)
    return window


def key(window: MainWindow, node: str) -> int:
    return window.session.graph.key_of[node]


def rows(window: MainWindow) -> set[tuple[str, str, str, str]]:
    """Name at both ends, kind and confidence of each relation in the list."""
    model = window.desk.panels["relations"].model
    cells = [[model.data(model.index(row, column)) for column in range(4)] for row in range(model.rowCount())]
    return {(a.split(" > ")[-1], b.split(" > ")[-1], kind, sure) for a, b, kind, sure in cells}


SURE = {("page.py", "cart.py", "import", "exact"), ("show", "add", "call", "resolved")}
GUESSED = {("show", "add", "call", "guess")}
OUTSIDE = {("page.py", "numpy", "import", "exact")}


def test_one_filter_for_the_picture_the_lists_and_the_details(window: MainWindow) -> None:
    """Guesses and packages are hidden by default; a switch shows them everywhere at once."""
    window.session.select([key(window, "ui")])
    window.desk.bring("relations")
    details = window.desk.panels["details"].text
    assert rows(window) == SURE
    assert "bill.py" not in details.toPlainText()
    assert "numpy" not in details.toPlainText()
    assert window.session.scene().lifted.count.sum() == 2
    window.desk.panels["style"].guesses.click()
    assert rows(window) == SURE | GUESSED
    assert "bill.py" in details.toPlainText()
    assert window.session.scene().lifted.count.sum() == 3
    window.desk.panels["style"].external.click()
    assert rows(window) == SURE | GUESSED | OUTSIDE
    assert "numpy" in details.toPlainText()
    assert window.canvas.stage.scene.tree.represent[key(window, "external:numpy")] >= 0
    window.desk.panels["style"].kinds["call"].click()
    assert rows(window) == OUTSIDE | {("page.py", "cart.py", "import", "exact")}
    window.desk.panels["style"].external.click()
    window.desk.panels["style"].guesses.click()
    window.desk.panels["style"].kinds["call"].click()
    assert rows(window) == SURE


def test_menu_panel_and_keys_are_the_same_switch(window: MainWindow) -> None:
    """With counts, and tooltips that say what it is about."""
    panel, actions = window.desk.panels["style"], window.actions_by_name
    assert panel.guesses.text() == actions["guesses"].text() == "Guessed relations (1)"
    assert panel.external.text() == actions["external"].text() == "External packages (1)"
    assert [box.text() for box in panel.kinds.values()] == ["Import (1)", "Call (1)"]
    assert all(box.toolTip() for box in (panel.guesses, panel.external, *panel.kinds.values()))
    for name, box in (("guesses", panel.guesses), ("external", panel.external)):
        assert actions[name].isCheckable()
        assert not actions[name].isChecked()
        actions[name].trigger()
        assert getattr(window.session.view, name)
        assert box.isChecked()
        assert actions[name].isChecked()
        texts = {"guesses": ["Import (1)", "Call (2)"], "external": ["Import (3)", "Call (1)"]}
        assert [kind.text() for kind in panel.kinds.values()] == texts[name]
        box.click()
        assert not getattr(window.session.view, name)
        assert not actions[name].isChecked()


def test_switches_without_anything_to_show_are_greyed(window: MainWindow, shop: Project) -> None:
    """Another subject: the kinds are its own."""
    edges = shop.graph.edges
    window.session.open(replace(shop, graph=shop.graph.with_(edges=edges.take(edges.kind != 1))))
    assert not window.desk.panels["style"].guesses.isEnabled()
    assert not window.actions_by_name["guesses"].isEnabled()
    assert window.desk.panels["style"].external.isEnabled()
    assert [box.text() for box in window.desk.panels["style"].kinds.values()] == ["Import (1)"]


def test_the_tree_says_whether_packages_are_shown(window: MainWindow) -> None:
    """Its check box is the same switch, and a search result outside turns it on."""
    model, outside = window.desk.panels["structure"].model, key(window, "external")
    role = int(Qt.ItemDataRole.CheckStateRole)
    assert model.data(model.index_of(outside), role) == Qt.CheckState.Unchecked
    model.setData(model.index_of(outside), Qt.CheckState.Checked, role)
    assert window.session.view.external
    assert model.data(model.index_of(outside), role) == Qt.CheckState.Checked
    model.setData(model.index_of(outside), Qt.CheckState.Unchecked, role)
    assert not window.session.view.external
    window.desk.reveal(key(window, "external:numpy"))
    assert window.session.view.external
    assert window.canvas.stage.scene.tree.represent[key(window, "external:numpy")] >= 0


def test_a_relation_is_told_by_its_kinds(window: MainWindow) -> None:
    """CBV-13: kinds are told apart; what is guessed is said to be."""
    window.session.set_view(guesses=True, expanded=frozenset({0}))
    scene = window.session.scene()
    assert len(scene.lifted.count) == 1
    assert relation_lines(scene, 0)[:4] == ["ui  uses", "core", "3 relations: 2 call, 1 import", "1 of them guessed"]


def test_packages_stay_outside(window: MainWindow) -> None:
    """They can be dragged, but dropped nowhere; and nothing can be dropped on them."""
    window.session.set_view(external=True)
    assert "outside" in window.session.move([key(window, "external:numpy")], key(window, "ui"))
    assert "outside" in window.session.move([key(window, "ui/page.py")], key(window, "external"))
    assert not window.session.history.done


def test_lines_that_were_not_understood_are_told_and_listed(
    window: MainWindow, shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines instead of files, why (macros), and a click lists the files, those that lost most first."""
    status = window.status
    assert status.errors.text() == "10 files with syntax errors"  # this graph does not say how many lines
    languages = (LanguageShare("Python", 2, lines=800), LanguageShare("C", 2, 2, 1_200, 50, 40))
    report = Report(4, parse_errors=("core/cart.py", "gone.c"), languages=languages, lost_lines=(49, 1))
    window.session.open(replace(shop, graph=shop.graph.with_(report=report)))
    assert status.subject.text() == "shop  ·  3 files, 5 relations"
    assert status.errors.text() == "2.5 % of the lines not understood, in 2 files, mostly because of macros"
    told = (
        "Python: 2 files, all understood\n"
        "C: 2 files, 4.2 % of the lines not understood, 80.0 % of these because of macros (syntax errors in 2)"
    )
    assert tooltip_of(status.subject) == told
    offered: list[ChooserRow] = []

    def take(_title: str, _hint: str, choices: list[ChooserRow], _parent: object) -> object:
        offered.extend(choices)
        return choices[0].value

    monkeypatch.setattr("cbvtool.view.window.following.choose", take)
    QtBot.mouseClick(status.errors, Qt.MouseButton.LeftButton)
    assert [(c.text, c.detail, bool(c.refused)) for c in offered] == [
        ("core/cart.py", "49 lines", False),
        ("gone.c", "1 line", True),
    ]
    assert window.session.view.selected == (key(window, "core/cart.py"),)
    clean = replace(shop, graph=shop.graph.with_(report=Report(files=1)))
    window.session.open(clean)
    assert not status.errors.isVisible()
    assert languages_text(clean.graph.report) == ""


def test_slow_metrics_of_a_large_graph_come_later(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch, shop: Project
) -> None:
    """A click is answered at once; what takes seconds is measured in the background."""
    seen, measure = Event(), metric_values.Values.measure
    monkeypatch.setattr(metric_values.Values, "measure", lambda *given: seen.wait(60) and measure(*given))
    monkeypatch.setattr(metric_values, "LARGE", 0)
    window.session.open(replace(shop, graph=graph()))
    window.session.select([key(window, "core/cart.py")])
    assert BEING_MEASURED in window.desk.panels["details"].text.toPlainText()
    seen.set()
    qtbot.waitUntil(lambda: BEING_MEASURED not in window.desk.panels["details"].text.toPlainText())
    assert "1 file" in window.desk.panels["details"].text.toPlainText().partition("Used by, in all")[2]
    window.session.select([key(window, "core/bill.py")])
    assert BEING_MEASURED not in window.desk.panels["details"].text.toPlainText(), "they are kept"
    window.session.set_view(mapping=Mapping("sloc", "transitive_users", "unused"))
    assert window.canvas.stage.scene.height_legend.metric.name == "transitive_users"
