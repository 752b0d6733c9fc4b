"""Four jobs of an architect from the first look to the exported list, with real mouse and keys (CBV-10, DND-1 to DND-5,
DND-10, NEW-1). They follow the applications in the thesis; the guide tells them under "Four jobs from start to end".
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QTextCursor
from qtpy.QtWidgets import QMessageBox

from cbvtool.rules import violations
from cbvtool.session import Session
from cbvtool.view.panels.impact_panel import ImpactPanel
from cbvtool.view.panels.plan_panel import PlanPanel
from cbvtool.view.panels.unused_panel import UnusedPanel
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.toolkit.settings import Settings
from cbvtool.view.toolkit.text_browser import TextBrowser
from cbvtool.view.window.main_window import MainWindow
from tests.gui.hand import Hand, drag, key, pick_up, pick_up_relation, place
from tests.gui.test_judgement import aim, written

pytestmark = pytest.mark.long

SAMPLES = Path(__file__).parents[2] / "sample_projects"
CORE, TRIANGLE = "town/core", "town/gui/triangle.py"
NEW_VIOLATION = "no new violation"

Opened = Callable[[str], MainWindow]


@pytest.fixture
def opened(
    hand: Hand, qtbot, settings: Settings, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch
) -> Opened:
    """Opens a window on a copy of a sample project, seen from above, two levels of it visible."""

    def open_(sample: str) -> MainWindow:
        subject = tmp_path_factory.mktemp("story") / sample
        shutil.copytree(SAMPLES / sample, subject, ignore=shutil.ignore_patterns("__pycache__"))
        window = MainWindow(Session(), settings)
        monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
        qtbot.addWidget(window)
        window.show()
        hand.wait_until(window.isActiveWindow)
        with qtbot.waitSignal(window.canvas.stage.first_frame):
            window.documents.opener.open(subject)
        hand.wait_until(lambda: window.session.rules is not None)
        graph = window.session.graph
        top = [graph.key_of["town"]] if sample == "town" else []
        window.session.set_view(expanded=frozenset((graph.root, *top)))
        window.canvas.stage.toggle_top()
        window.canvas.setFocus(Qt.FocusReason.OtherFocusReason)
        hand.wait_until(lambda: window.canvas.stage.is_still)
        return window

    return open_


def _done(window: MainWindow) -> int:
    assert window.session.history is not None
    return len(window.session.history.done)


def _broken(window: MainWindow) -> set[tuple[str, str, str]]:
    """Rule, user and used of what breaks the rules in the plan."""
    graph, rules = window.session.graph, window.session.rules
    assert rules is not None
    return {(one.rule, graph.ids[one.source], graph.ids[one.target]) for one in violations(graph, rules)}


def _expand(window: MainWindow, hand: Hand, node: str) -> None:
    hand.click(window.canvas, place(window, node), twice=True)
    hand.wait_until(lambda: key(window, node) in window.session.view.expanded and window.canvas.stage.is_still)


def _exported(window: MainWindow, hand: Hand, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[dict], str]:
    """The task list by Ctrl+E: as JSON, and as Markdown."""
    for name in ("tasks.json", "tasks.md"):
        where = folder / name
        monkeypatch.setattr("cbvtool.view.commands.documents.ask_where_to_export", lambda *_, where=where: where)
        hand.keys("ctrl+e")
        hand.wait_until(where.exists)
    return json.loads((folder / "tasks.json").read_text())["tasks"], (folder / "tasks.md").read_text()


def _lines(task: dict, certainty: str) -> list[str]:
    """The places of a task, as `file:line kind`; a line that is to be added stands as `file+after`."""
    return [
        f"{site['file']}:{site['line']} {site['kind']}"
        if site["line"] is not None
        else f"{site['file']}+{site['after']} {site['kind']}"
        for site in task["sites"]
        if site["certainty"] == certainty
    ]


def _imports(file: str, module: str) -> str:
    """Where a sample file imports a module, as `_lines` writes it: found in its text, not in the graph."""
    return f"{file}:{_line(file, f'from {module} import')} import"


def _line(file: str, text: str) -> int:
    """The line of a sample file, from 1 on, that holds a text; there is one."""
    lines = (SAMPLES / "town" / file).read_text().splitlines()
    (line,) = [number for number, line in enumerate(lines, 1) if text in line]
    return line


# -- 1: an upward dependency, and what it costs to end it ------------------------------------------------------


def test_a_shape_leaves_the_user_interface(
    opened: Opened, hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DND-1, DND-5, NEW-1: the card tells before the drop what comes of it."""
    window = opened("town")
    session, canvas = window.session, window.canvas
    before = _broken(window)
    _expand(window, hand, "town/gui")
    hand.point(canvas, place(window, TRIANGLE))
    hand.wait_until(lambda: canvas.tooltip.isVisible() and canvas.tooltip.text.startswith("town > gui > triangle.py"))
    assert "Used by: 4 files" in canvas.tooltip.text

    pick_up(window, hand, TRIANGLE)
    aim(window, hand, CORE)
    row = next(row for row in canvas.judgement.rows if row.name == "broken rules")
    assert (row.before, row.after, row.sign) == ("9", "6", "+")
    assert {"broken rules", "9", "→", "6"} <= set(written(window))
    assert not _done(window), "read before the drop"
    hand.release()
    hand.wait_until(lambda: _done(window) == 1)
    assert session.graph.ids[session.graph.parent[key(window, TRIANGLE)]] == CORE
    assert _broken(window) < before, NEW_VIOLATION
    assert {used for _, _, used in before - _broken(window)} == {TRIANGLE}
    hand.wait_until(lambda: "broken rules 9 → 6" in window.plan_message.text)
    assert window.plan_message.text.startswith("triangle.py moved to core: ")
    assert "places to change 0 → 4" in window.plan_message.text

    hand.wait_until(lambda: "1 task" in window.desk.panel(PlanPanel).text.toPlainText())
    (task,), markdown = _exported(window, hand, tmp_path, monkeypatch)
    assert (task["kind"], task["nodes"], task["before"], task["after"]) == ("move", [TRIANGLE], "town/gui", CORE)
    users = ("town/core/mesh.py", "town/core/roof.py", "town/gui/canvas.py", "town/port/reader.py")
    assert _lines(task, "must") == [_imports(user, "town.gui.triangle") for user in users]
    assert _lines(task, "check") == []
    for user in users:
        assert user in markdown


# -- 2: two libraries, decoupled from the program around them --------------------------------------------------


def test_two_libraries_are_decoupled(
    opened: Opened, hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DND-1 to DND-5: a container, two moves, a pull-out and an inversion through a callback, down to the list."""
    window = opened("town")
    session, canvas = window.session, window.canvas
    before = _broken(window)
    hand.click(canvas, place(window, "town"))
    hand.wait_until(lambda: session.view.selected == (key(window, "town"),))
    hand.keys("shift+n")
    _answer(window, hand, "drawing")
    hand.wait_until(lambda: _done(window) == 1 and canvas.stage.rests)
    for library in ("town/treemap", "town/network"):
        drag(window, hand, library, "plan:1")
        hand.wait_until(lambda: canvas.stage.rests)
    assert _broken(window) == before, NEW_VIOLATION

    # What of the entities do the libraries need? It comes out where the relation is grabbed near them.
    pick_up_relation(window, hand, "plan:1", "town/entities", 0.86)
    held = session.view.drag
    assert held is not None
    assert (held.act, [session.graph.ids[one] for one in held.keys]) == ("pull", ["town/entities/ids.py"])
    _drop_on(window, hand, "plan:1", 4)
    assert session.graph.ids[session.graph.parent[key(window, "town/entities/ids.py")]] == "plan:1"

    # The dialog of the program is behind a callback: the relation is led over a package of its own.
    start = pick_up_relation(window, hand, "plan:1", "town/feedback", 0.5)
    for _ in hand.glide(canvas, start, _outside(window), steps=4):
        pass
    hand.wait_until(lambda: session.view.drag is not None and session.view.drag.fresh)
    hand.release()
    card = _card(window, hand)
    assert card.forms[0].isChecked(), "inverting is what it proposes"
    hand.keys("shift+Tab")
    hand.wait_until(card.kind.hasFocus)
    hand.keys("Down")
    hand.wait_until(lambda: card.kind.currentText() == "Package")
    hand.keys("Tab")
    _answer(window, hand, "callback")
    hand.wait_until(lambda: _done(window) == 5)
    assert {used.rpartition("/")[0] for _, _, used in before - _broken(window)} == {"town/entities", "town/feedback"}
    assert _broken(window) == {one for one in before if one[2] == TRIANGLE}, NEW_VIOLATION

    hand.wait_until(lambda: "6 tasks" in window.desk.panel(PlanPanel).text.toPlainText())
    tasks, markdown = _exported(window, hand, tmp_path, monkeypatch)
    new, callback = "town/drawing", "town/callback/feedback_interface.py"
    libraries = {"network": "springs.py", "treemap": "boxes.py"}  # and who tells how far it is
    assert [task["title"] for task in tasks] == [
        "Create package town/callback",
        f"Create package {new}",
        f"Move network from town to {new}",
        f"Move treemap from town to {new}",
        f"Move ids.py from town/entities to {new}",
        f"Invert the dependency of {new} on town/feedback through {callback} (callback or interface)",
    ]
    _, _, network, treemap, ids, inverted = tasks
    assert _lines(network, "must") == [
        _imports("town/gui/window.py", "town.network.springs"),
        _imports("town/network/springs.py", "town.network.nodes"),
    ]
    assert _lines(treemap, "must") == [
        _imports("town/gui/window.py", "town.treemap.labels"),
        _imports("town/treemap/labels.py", "town.treemap.boxes"),
    ]
    for task, lines in ((network, (8, 9)), (treemap, (6, 7))):
        assert _lines(task, "check") == [f"cbvtool.toml:{line} text" for line in lines], "its rules name it"
    users = ("entities/building", "network/nodes", "network/springs", "port/reader", "treemap/boxes", "treemap/labels")
    assert _lines(ids, "must") == [_imports(f"town/{user}.py", "town.entities.ids") for user in users]
    assert len(ids["mended"]) == 4
    assert _lines(inverted, "must") == [
        f"town/feedback/progress.py+{_line('town/feedback/progress.py', 'import write')} add-import",
        *(
            f"{file}:{_line(file, text)} {kind}"
            for file in (f"town/{folder}/{name}" for folder, name in libraries.items())
            for text, kind in (
                ("import Progress", "import"),
                ("= Progress(", "instantiate"),
                ("progress.step(", "call"),
            )
        ),
    ]
    assert [line.rpartition(" ")[2] for line in _lines(inverted, "check")] == ["definition"] * 2
    assert inverted["steps"][1:] == [
        f"Let town/feedback/progress.py implement {callback}",
        *(
            f"Let {new}/{folder}/{name} use {callback} instead of town/feedback/progress.py, "
            "and have its users hand in Progress, which it makes itself today"
            for folder, name in libraries.items()
        ),
    ]
    assert not any(task["broken"] for task in tasks), NEW_VIOLATION
    for task in tasks:
        assert f"## {task['number']}. " in markdown


def _drop_on(window: MainWindow, hand: Hand, target: str, done: int) -> None:
    hand.point(window.canvas, place(window, target))
    wanted = key(window, target)
    hand.wait_until(lambda: window.session.view.drag is not None and window.session.view.drag.target == wanted)
    hand.release()
    hand.wait_until(lambda: _done(window) == done and window.canvas.stage.rests)


def _outside(window: MainWindow) -> QPoint:
    """A place on the canvas far outside of the ring."""
    canvas = window.canvas
    picking = canvas.stage.picking
    for y in range(12, canvas.height() - 10, 10):
        spot = QPoint(canvas.width() // 2 - canvas.height() // 2 - 20, y)
        there = picking.on_disc(spot)
        if there is not None and there[0] ** 2 + there[1] ** 2 > 1.2**2 and not picking.legend_at(spot):
            return spot
    raise AssertionError("the ring fills the canvas")


def _card(window: MainWindow, hand: Hand) -> AskCard:
    cards: list[AskCard] = []

    def is_there() -> bool:
        cards[:] = [card for card in window.canvas.findChildren(AskCard) if card.isVisible()]
        return len(cards) == 1

    hand.wait_until(is_there)
    return cards[0]


def _answer(window: MainWindow, hand: Hand, name: str) -> None:
    """Type the name that the card asks for."""
    card = _card(window, hand)
    hand.wait_until(card.name.hasFocus)
    hand.type(name)
    hand.wait_until(lambda: card.name.text() == name)
    hand.keys("Return")


# -- 3: what a change of a legacy program concerns -------------------------------------------------------------


def test_the_impact_of_a_change_in_legacy_code(
    opened: Opened, hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DND-10: a copybook of a COBOL system; who copies it, who calls those, as a list to take along."""
    window = opened("ledger")
    _expand(window, hand, "copy")
    hand.click(window.canvas, place(window, "copy/GLACCT.cpy"))
    hand.wait_until(lambda: window.session.view.selected == (key(window, "copy/GLACCT.cpy"),))
    hand.keys("w")
    panel = window.desk.panel(ImpactPanel)
    hand.wait_until(lambda: panel.answer is not None and panel.export.isEnabled())
    assert "3 nodes in 3 files: 2 directly, 1 transitively" in panel.says.text()
    hand.wait_until(lambda: window.session.view.impact is not None and window.canvas.stage.is_still)

    for name in ("impact.json", "impact.md"):
        where = tmp_path / name
        monkeypatch.setattr("cbvtool.view.panels.impact_panel.ask_where", lambda *_, where=where: where)
        hand.click(panel.export, panel.export.rect().center())
        hand.wait_until(where.exists)
    found = json.loads((tmp_path / "impact.json").read_text())
    assert found["changed"] == ["copy/GLACCT.cpy"]
    assert found["counts"] == {"copy": [2, 0], "call": [0, 1]}, "by kind of relation and distance"
    assert [
        (one["node"], one["distance"], one["todo"], one["relations"], one["places"]) for one in found["affected"]
    ] == [
        ("src/GLCLOSE.cbl::GLCLOSE", 1, "change", ["copy"], ["src/GLCLOSE.cbl:7"]),
        ("src/GLOPEN.cbl::GLOPEN", 1, "change", ["copy"], ["src/GLOPEN.cbl:6"]),
        ("src/GLMAIN.cbl::GLMAIN.0000-MAIN", 2, "check", ["call"], ["src/GLMAIN.cbl:19"]),
    ]
    text = (tmp_path / "impact.md").read_text()
    assert (
        text.index("To change")
        < text.index("`src/GLOPEN.cbl:6`")
        < text.index("To check")
        < text.index("GLMAIN.cbl:19")
    )

    # The other way it may go: a program that is called is changed, and whoever calls it may break.
    hand.click(window.canvas, place(window, "src"), twice=True)
    hand.wait_until(lambda: window.canvas.stage.is_still and key(window, "src") in window.session.view.expanded)
    hand.click(window.canvas, place(window, "src/GLCHECK.cbl"))
    hand.wait_until(lambda: window.session.view.selected == (key(window, "src/GLCHECK.cbl"),))
    hand.keys("w")
    hand.wait_until(lambda: panel.says.text().startswith("If src > GLCHECK.cbl changes: "))
    assert panel.answer is not None
    ids = window.session.graph.ids
    assert {ids[one].partition("::")[0] for one in panel.answer.node.tolist()} == {"src/GLPOST.cbl", "src/GLMAIN.cbl"}


# -- 4: unused code, with all that only it used ----------------------------------------------------------------


def test_unused_code_is_removed_with_what_only_it_used(
    opened: Opened, hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CBV-10, DND-5: a reader of punched cards, the code of these cards, and a class that nothing else makes."""
    window = opened("town")
    gone = {"town/port/punched.py", "town/port/codes.py", "town/entities/parcel.py"}
    hand.keys("u")
    panel = window.desk.panel(UnusedPanel)
    hand.wait_until(lambda: panel.isVisible() and "1 unused set" in panel.text.toPlainText())
    said = panel.text.toPlainText()
    assert re.search(r"punched\.py\nthen\n", said), "the reader can go first"
    page = panel.text.viewport()
    assert page is not None
    hand.click(page, _link(panel.text, "10 source lines in 3 places"))
    hand.wait_until(lambda: {window.session.graph.ids[one] for one in window.session.view.selected} == gone)
    hand.keys("Delete")
    hand.wait_until(lambda: _done(window) == 1)
    assert not gone & set(window.session.graph.key_of)
    hand.wait_until(lambda: "Nothing unused" in panel.text.toPlainText())
    tasks, markdown = _exported(window, hand, tmp_path, monkeypatch)
    (task,) = tasks
    assert (task["title"], set(task["nodes"]), task["sites"]) == ("Remove 3 files", gone, [])
    assert task["steps"][0] == "Remove town/port/punched.py", "whoever uses the others goes first"
    assert sorted(task["steps"]) == sorted(f"Remove {file}" for file in gone)
    for file in gone:
        assert f"- [ ] Remove `{file}`" in markdown


def _link(browser: TextBrowser, text: str) -> QPoint:
    """The middle of a link, in pixels of the viewport."""
    found = browser.document().find(text)
    assert not found.isNull(), browser.toPlainText()
    start, end = QTextCursor(found), QTextCursor(found)
    start.setPosition(found.selectionStart())
    end.setPosition(found.selectionEnd())
    middle = QPoint(
        (browser.cursorRect(start).left() + browser.cursorRect(end).left()) // 2, browser.cursorRect(start).center().y()
    )
    assert browser.anchorAt(middle), text
    return middle
