"""The table of commands (NEW-13: everything can be reached by keyboard)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from pytestqt.qtbot import QtBot
from qtpy.QtCore import QPoint, Qt
from qtpy.QtGui import QKeySequence
from qtpy.QtWidgets import QMenu

from cbvtool.view.commands.commands import COMMANDS, CONTEXT, MENUS, MOUSE, RELATION, SUBMENUS
from cbvtool.view.panels.relations_panel import RelationsPanel
from cbvtool.view.window.main_window import MainWindow


def test_no_shortcut_is_taken_twice(qapp) -> None:
    keys = Counter(QKeySequence(key).toString() for command in COMMANDS for key in command.keys)
    assert "" not in keys  # Qt understands each
    assert [key for key, count in keys.items() if count > 1] == []


def test_names_are_unique_and_words_are_sentence_case() -> None:
    assert len({command.name for command in COMMANDS}) == len(COMMANDS)
    for command in COMMANDS:
        first, *rest = command.text.rstrip(".").split()
        assert first[0].isupper(), command.text
        assert all(word.islower() or word.isdigit() or word in ("cbvtool", "A", "B?") for word in rest), command.text


def test_every_command_stands_in_a_menu(new_window) -> None:
    window: MainWindow = new_window()
    for command in COMMANDS:
        assert command.menu in (*MENUS, *SUBMENUS)
        assert window.actions_by_name[command.name] in window.commands.menus[command.menu].actions()


def test_the_keys_of_the_design_are_there() -> None:
    """Look-and-feel, below the table of the mouse."""
    keys = {key for command in COMMANDS for key in command.keys}
    assert keys >= {
        "Ctrl+Shift+P",
        "Ctrl+F",
        "?",
        "Ctrl+Z",
        "Ctrl+Shift+Z",
        "Alt+Left",
        "Alt+Right",
        "E",
        "C",
        "+",
        "-",
        "R",
        "H",
        "F",
        "T",
        "M",
        "N",
        "F2",
        "Del",
        "Esc",
        "Ctrl+O",
        "Ctrl+S",
        "Ctrl+Shift+S",
        "Ctrl+E",
    }


def test_the_guide_names_every_key() -> None:
    """NEW-13: the table of all keys is complete."""
    guide = (Path(__file__).parents[2] / "docs" / "guide.md").read_text(encoding="utf-8")
    table = guide[guide.index("\n## All keys") :]
    arrows = {"Up", "Down", "Left", "Right", "Return"}  # "arrows", and Enter is one with Return
    numbered = {f"{way}{number}" for way in ("", "Alt+") for number in range(2, 9)}  # from 1 to 9
    keys = {key for command in COMMANDS for key in command.keys} - arrows - numbered
    assert {key for key in keys if f"`{key}`" not in table} == set()


def test_context_menus_are_in_order_of_what_they_are_about(new_window) -> None:
    window: MainWindow = new_window()
    shown = [command for command in COMMANDS if command.node]
    assert {SUBMENUS.get(command.menu, command.menu) for command in shown} <= set(CONTEXT)
    window.context_menus.popup(QPoint(0, 0), shown)
    menu = window.findChild(QMenu, "context")
    names = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert names.index("Expand") < names.index("Who is affected?") < names.index("Copy path") < names.index("Remove")
    menu.close()


def test_commands_are_greyed_while_nothing_is_open(new_window) -> None:
    window: MainWindow = new_window()
    ready = {name for name, action in window.actions_by_name.items() if action.isEnabled()}
    assert ready == {
        "open_folder",
        "open_file",
        "open_sample",
        "open_trace",  # profiles of runs need no code
        "open_trace_folder",
        "quit",
        "palette",
        "escape",
        "guide",
        "theme",
        "shortcuts",
        "about",
        "settings",
        "diagnostics",
        "minimap",
        "change_keys",
    }
    asks = {"open_folder", "open_file", "open_sample", "quit", "palette", "shortcuts", "about", "settings"}
    asks |= {"open_trace", "open_trace_folder"}
    for name in ready - asks - {"change_keys"}:
        window.actions_by_name[name].trigger()  # harmless on the start page


def spot_on_a_relation(window: MainWindow) -> QPoint:
    stage = window.canvas.stage
    width, height = stage.size
    spots = (QPoint(x, y) for y in range(height // 4, height, 7) for x in range(width // 4, width, 7))
    return next(
        at
        for at in spots
        if not stage.picking.legend_at(at) and stage.picking.key_at(at) < 0 and stage.picking.relation_at(at) >= 0
    )


def test_a_relation_has_a_menu_of_its_own(window: MainWindow) -> None:
    """Look-and-feel: a right click on a relation offers everything that can be done with it, with the keys."""
    window.canvas.stage.toggle_top()
    spot = spot_on_a_relation(window)
    relation = window.canvas.stage.picking.relation_at(spot)
    scene = window.canvas.stage.scene
    assert scene is not None
    QtBot.mouseClick(window.canvas, Qt.MouseButton.RightButton, pos=spot)
    ends = {int(scene.tree.key[end[relation]]) for end in (scene.lifted.source, scene.lifted.target)}
    assert set(window.session.view.selected) == ends
    menu = window.findChild(QMenu, "context")
    actions = [action for action in menu.actions() if not action.isSeparator()]
    said = {action.text().split("\t")[0] for action in actions[1:]}  # with the key behind a tab
    assert {window.actions_by_name[name].text() for name in RELATION} == said
    assert all(action.isEnabled() for action in actions)
    actions[0].trigger()
    menu.close()
    panel = window.desk.panels["relations"]
    assert panel.isVisible()
    assert panel.model.rowCount() > 0


def test_what_the_mouse_does_is_listed() -> None:
    """Look-and-feel: every gesture of its table stands among the shortcuts."""
    told = " ".join(f"{what} {how}" for what, how in MOUSE).lower()
    for word in ("hover", "click", "double click", "wheel", "right click", "drag", "middle", "ctrl", "shift"):
        assert word.replace("hover", "point at it") in told


def test_menus_open_by_alt_and_a_letter(window: MainWindow) -> None:
    """NEW-13: every menu of the bar has a letter of its own, the first of its name unless another one has that."""
    bar = window.menuBar()
    assert bar is not None
    titles = [action.text() for action in bar.actions()]
    assert [title.replace("&", "") for title in titles] == list(MENUS)
    letters = [title[title.index("&") + 1].upper() for title in titles]
    assert len(set(letters)) == len(titles)
    assert [title for title in titles if title[0] != "&"] == ["H&istory"]
    keys = {key.toString() for action in window.actions_by_name.values() for key in action.shortcuts()}
    assert not keys & {f"Alt+{letter}" for letter in letters}


def test_a_context_menu_closes_no_panel(window: MainWindow) -> None:
    """*List relations* on a node lists them, also where the panel is in front; its key closes it (UI.md)."""
    window.session.select([next(iter(window.session.graph.children(0).tolist()))])
    window.desk.show(RelationsPanel)
    window.context_menus.show_for_selection(window.mapToGlobal(QPoint(30, 30)))
    menu = window.findChildren(QMenu, "context")[-1]
    [entry] = [action for action in menu.actions() if action.text() == "List relations"]
    entry.trigger()
    menu.close()
    assert window.desk.is_seen(RelationsPanel)
    window.actions_by_name["relations"].trigger()
    assert not window.desk.is_seen(RelationsPanel)
