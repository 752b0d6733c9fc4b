"""Everything a user can do, as one table: menus, shortcuts, the context menu and the palette are read off it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cbvtool.view.main_window import MainWindow


def _always(window: MainWindow) -> bool:
    return True


def _open(window: MainWindow) -> bool:
    return window.session.is_open


def _selected(window: MainWindow) -> bool:
    return window.session.is_open and bool(window.session.view.selected)


def _one_selected(window: MainWindow) -> bool:
    return window.session.is_open and len(window.session.view.selected) == 1


def _movable(window: MainWindow) -> bool:
    return _selected(window) and window.session.graph.root not in window.session.view.selected


def _can_undo(window: MainWindow) -> bool:
    history = window.session.history
    return history is not None and bool(history.done)


def _can_redo(window: MainWindow) -> bool:
    history = window.session.history
    return history is not None and bool(history.undone)


@dataclass(frozen=True)
class Command:
    """One thing to do.

    name     identity; text: what menus say; menu: which one; "" = not in a menu
    keys     shortcuts, the first is shown
    run      does it; ready: whether it can be done now
    node     it also stands in the context menu of a segment
    space    it also stands in the context menu of empty space
    first    a separator stands above it in the menu
    checked  whether it is switched on, for a switch
    """

    name: str
    text: str
    menu: str
    keys: tuple[str, ...]
    run: Callable[[MainWindow], object]
    ready: Callable[[MainWindow], bool] = _open
    node: bool = False
    space: bool = False
    first: bool = False
    tip: str = ""
    checked: Callable[[MainWindow], bool] | None = None


GUESSES = "Relations that were found by name alone, and may not be so"
PACKAGES = "What the project uses and does not contain, as one segment of the ring"

COMMANDS: tuple[Command, ...] = (
    Command("open_folder", "Open folder...", "File", ("Ctrl+O",), lambda w: w.ask_folder(), _always),
    Command("open_file", "Open plan or graph...", "File", ("Ctrl+Shift+O",), lambda w: w.ask_file(), _always),
    Command("open_sample", "Open the sample project", "File", (), lambda w: w.open_sample(), _always),
    Command("analyze_again", "Analyse again", "File", ("F5",), lambda w: w.analyze_again(), first=True),
    Command("save", "Save plan", "File", ("Ctrl+S",), lambda w: w.save(), first=True),
    Command("save_as", "Save plan as...", "File", ("Ctrl+Shift+S",), lambda w: w.save_as()),
    Command("export_tasks", "Export tasks...", "File", ("Ctrl+E",), lambda w: w.export_tasks(), _can_undo),
    Command("save_picture", "Save picture...", "File", (), lambda w: w.save_picture()),
    Command("quit", "Quit", "File", ("Ctrl+Q",), lambda w: w.close(), _always, first=True),
    Command("undo", "Undo", "Edit", ("Ctrl+Z",), lambda w: w.session.undo(), _can_undo),
    Command("redo", "Redo", "Edit", ("Ctrl+Shift+Z", "Ctrl+Y"), lambda w: w.session.redo(), _can_redo),
    Command("search", "Search", "Edit", ("Ctrl+F",), lambda w: w.focus_search(), first=True),
    Command("palette", "Command palette...", "Edit", ("Ctrl+Shift+P",), lambda w: w.show_palette(), _always),
    Command("escape", "Cancel what is in progress", "Edit", ("Esc",), lambda w: w.escape(), _always),
    Command("expand", "Expand", "View", ("E",), lambda w: w.expand_selected(), _selected, node=True),
    Command("collapse", "Collapse", "View", ("C",), lambda w: w.collapse_selected(), _selected, node=True),
    Command("level_more", "Show one level more", "View", ("+", "="), lambda w: w.session.step_depth(1), space=True),
    Command("level_less", "Show one level less", "View", ("-",), lambda w: w.session.step_depth(-1), space=True),
    Command("restrict", "Restrict to subtree", "View", ("R",), lambda w: w.restrict_selected(), _one_selected,
            node=True, first=True),
    Command("show_all", "Show everything", "View", ("Shift+R",), lambda w: w.show_everything(), space=True),
    Command("hide", "Hide", "View", ("H",), lambda w: w.hide_selected(), _movable, node=True),
    Command("fit", "Fit view", "View", ("F",), lambda w: w.canvas.stage.fit(), space=True, first=True),
    Command("top", "View from above", "View", ("T",), lambda w: w.canvas.stage.toggle_top(), space=True),
    Command("back", "View back", "View", ("Alt+Left",), lambda w: w.session.go_back(),
            lambda w: w.session.can_go_back, first=True),
    Command("forward", "View forward", "View", ("Alt+Right",), lambda w: w.session.go_forward(),
            lambda w: w.session.can_go_forward),
    Command("guesses", "Guessed relations", "View", ("G",),
            lambda w: w.session.set_view(guesses=not w.session.view.guesses), lambda w: w.counts.guesses > 0,
            tip=GUESSES, first=True, checked=lambda w: w.session.view.guesses),
    Command("external", "External packages", "View", ("X",),
            lambda w: w.session.set_view(external=not w.session.view.external), lambda w: w.counts.packages > 0,
            tip=PACKAGES, checked=lambda w: w.session.view.external),
    Command("unused", "Unused code", "View", ("U",), lambda w: w.show_panel("unused"), first=True,
            tip="Sets of code that no entry point reaches"),
    Command("theme", "Switch between light and dark", "View", ("Ctrl+T",), lambda w: w.switch_theme(), _always,
            first=True),
    Command("move_to", "Move to...", "Plan", ("M",), lambda w: w.move_to(), _movable, node=True, first=True),
    Command("new_container", "New container...", "Plan", ("N",), lambda w: w.new_container(), node=True, space=True),
    Command("rename", "Rename...", "Plan", ("F2",), lambda w: w.rename_selected(), _one_selected, node=True),
    Command("remove", "Remove", "Plan", ("Del",), lambda w: w.remove_selected(), _movable, node=True),
    Command("shortcuts", "All shortcuts...", "Help", ("?",), lambda w: w.show_shortcuts(), _always),
    Command("about", "About cbvtool", "Help", (), lambda w: w.show_about(), _always, first=True),
)  # fmt: skip

MENUS = ("File", "Edit", "View", "Plan", "Help")

# What the mouse does, for the list of shortcuts (UI.md, "One grammar for mouse and keys").
MOUSE: tuple[tuple[str, str], ...] = (
    ("Light up a segment and its partners", "Point at it"),
    ("Select", "Click (Ctrl adds, Shift spans siblings)"),
    ("Expand or collapse", "Double click"),
    ("Move a segment, or the selection", "Drag with the left button"),
    ("Turn the view", "Drag empty space with the left button"),
    ("Shift the view", "Drag with the right or middle button"),
    ("Zoom to the pointer", "Wheel"),
    ("Everything that can be done with it", "Right click"),
    ("Fit the view", "Double click on empty space"),
    ("Next or previous sibling", "Left, Right"),
    ("Parent, first child", "Up, Down"),
)
