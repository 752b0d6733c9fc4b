"""Everything a user can do, as one table: menus, shortcuts, the context menu and the palette are read off it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cbvtool.hierarchies import CSV, FOLDERS, GROUPINGS, label
from cbvtool.view.panels.look.look_panel import GUESSES, PACKAGES

if TYPE_CHECKING:
    from cbvtool.view.window.main_window import MainWindow


def _always(window: MainWindow) -> bool:
    return True


def _open(window: MainWindow) -> bool:
    return window.session.is_open


def _has_files(window: MainWindow) -> bool:
    return window.session.is_open and "file" in window.session.graph.kind_names


def _selected(window: MainWindow) -> bool:
    return window.session.is_open and bool(window.session.view.selected)


def _one_selected(window: MainWindow) -> bool:
    return window.session.is_open and len(window.session.view.selected) == 1


def _movable(window: MainWindow) -> bool:
    return _selected(window) and window.session.graph.root not in window.session.view.selected


def _plannable(window: MainWindow) -> bool:
    return _movable(window) and not window.session.view.hierarchy


def _in_folders(window: MainWindow) -> bool:
    return window.session.is_open and not window.session.view.hierarchy


def _is_planned(window: MainWindow) -> bool:
    history = window.session.history
    return history is not None and bool(history.done)


def _can_undo(window: MainWindow) -> bool:
    session = window.session
    return session.history is not None and (bool(session.history.done) or session.first_job is not None)


def _can_redo(window: MainWindow) -> bool:
    session = window.session
    return session.history is not None and (bool(session.history.undone) or session.first_job is not None)


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
    picture  its keys work while the picture has the focus: elsewhere they are for what is there
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
    picture: bool = False


def _preset(number: int, which: str) -> Command:
    def take(window: MainWindow) -> None:
        window.looks.take(number)

    def ready(window: MainWindow) -> bool:
        return window.looks.ready(number)

    return Command(f"preset_{number + 1}", f"{which} preset", "Presets", (str(number + 1),), take, ready)


def _named_view(number: int, which: str) -> Command:
    def show(window: MainWindow) -> None:
        window.navigating.show(number)

    def ready(window: MainWindow) -> bool:
        return window.navigating.ready(number)

    return Command(f"view_{number + 1}", f"{which} saved view", "Saved views", (f"Alt+{number + 1}",), show, ready)


def _hierarchy(name: str) -> Command:
    def show(window: MainWindow) -> None:
        window.hierarchies.show(name)

    def is_shown(window: MainWindow) -> bool:
        return window.session.view.hierarchy == name

    tip = "The rings are groups of the same files; planning works in the folder hierarchy" if name else ""
    text = f"Group by {label(name).lower()}"
    return Command(f"hierarchy_{name or 'folders'}", text, "Hierarchy", (), show, tip=tip, checked=is_shown)


WHICH = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth")

COMMANDS: tuple[Command, ...] = (
    Command("open_folder", "Open folder...", "File", ("Ctrl+O",), lambda w: w.documents.ask_folder(), _always),
    Command("open_file", "Open plan or graph...", "File", ("Ctrl+Shift+O",), lambda w: w.documents.ask_file(), _always),
    Command("open_sample", "Open the sample project", "File", (), lambda w: w.documents.open_sample(), _always),
    Command("analyze_again", "Analyse again", "File", ("F5",), lambda w: w.documents.again(), first=True),
    Command("save", "Save plan", "File", ("Ctrl+S",), lambda w: w.documents.save(), first=True),
    Command("save_as", "Save plan as...", "File", ("Ctrl+Shift+S",), lambda w: w.documents.save_as()),
    Command("export_tasks", "Export tasks...", "File", ("Ctrl+E",), lambda w: w.documents.export_tasks(), _is_planned),
    Command("export_view", "Export view...", "File", ("Ctrl+Shift+E",), lambda w: w.exporting.ask(),
            tip="Write what is seen as a PNG picture, SVG, PDF, or a page for a browser"),
    Command("save_picture", "Save picture...", "File", (), lambda w: w.exporting.ask(".png"),
            tip="Write what is seen as a PNG picture of any size"),
    Command("copy_picture", "Copy picture", "File", ("Ctrl+Alt+C",), lambda w: w.linking.copy_picture()),
    Command("settings", "Settings...", "File", ("Ctrl+,",), lambda w: w.linking.show_settings(), _always, first=True),
    Command("quit", "Quit", "File", ("Ctrl+Q",), lambda w: w.close(), _always, first=True),
    Command("undo", "Undo", "Edit", ("Ctrl+Z",), lambda w: w.session.undo(), _can_undo),
    Command("redo", "Redo", "Edit", ("Ctrl+Shift+Z", "Ctrl+Y"), lambda w: w.session.redo(), _can_redo),
    Command("search", "Search", "Edit", ("Ctrl+F",), lambda w: w.searching.begin(), first=True),
    Command("open_editor", "Open in editor", "Edit", ("Ctrl+Return",), lambda w: w.linking.open_selected(), _selected,
            node=True, first=True, tip="Open the file in your editor, at this line (File > Settings says in which)"),
    Command("copy_path", "Copy path", "Edit", ("Ctrl+Shift+C",), lambda w: w.linking.copy_path(), _selected,
            node=True),
    Command("copy_name", "Copy qualified name", "Edit", (), lambda w: w.linking.copy_name(), _selected, node=True),
    Command("palette", "Command palette...", "Edit", ("Ctrl+Shift+P",), lambda w: w.show_palette(), _always),
    Command("escape", "Cancel what is in progress", "Edit", ("Esc",), lambda w: w.escape(), _always),
    Command("next_sibling", "Go to the next sibling", "Select", ("Right",), lambda w: w.walking.step(1), picture=True),
    Command("previous_sibling", "Go to the previous sibling", "Select", ("Left",), lambda w: w.walking.step(-1),
            picture=True),
    Command("first_sibling", "Go to the first sibling", "Select", ("Home",), lambda w: w.walking.end(0), picture=True),
    Command("last_sibling", "Go to the last sibling", "Select", ("End",), lambda w: w.walking.end(-1), picture=True),
    Command("parent", "Go to the parent", "Select", ("Up",), lambda w: w.walking.climb(), picture=True),
    Command("first_child", "Go to the first child", "Select", ("Down",), lambda w: w.walking.descend(), picture=True),
    Command("toggle", "Expand or collapse", "Select", ("Return", "Enter"), lambda w: w.walking.toggle(), _selected,
            picture=True),
    Command("keep_selected", "Keep selected", "Select", ("Space",), lambda w: w.walking.keep(), _selected,
            tip="It stays selected while the arrow keys go on from it: so several are selected", picture=True),
    Command("next_partner", "Light up the next partner", "Select", ("Alt+Down",), lambda w: w.walking.next_partner(1),
            _selected, first=True, tip="What has relations with the selection, one after the other"),
    Command("previous_partner", "Light up the previous partner", "Select", ("Alt+Up",),
            lambda w: w.walking.next_partner(-1), _selected),
    Command("go_to_partner", "Go to the partner", "Select", ("Alt+Return",), lambda w: w.walking.go_to_partner(),
            lambda w: w.walking.can_go_to_partner(), tip="Select the partner that is lit"),
    Command("lasso", "Select by lasso", "Select", ("Shift+L",), lambda w: w.canvas.draw_lasso(), space=True, first=True,
            tip="Then draw around what is to be selected"),
    Command("expand", "Expand", "View", ("E",), lambda w: w.editing.expand(), _selected, node=True),
    Command("collapse", "Collapse", "View", ("C",), lambda w: w.editing.collapse(), _selected, node=True),
    Command("level_more", "Show one level more", "View", ("+", "="), lambda w: w.session.step_depth(1), space=True),
    Command("level_less", "Show one level less", "View", ("-",), lambda w: w.session.step_depth(-1), space=True),
    Command("show_files", "Show every file", "View", ("Shift+E",), lambda w: w.session.show_files(), _has_files,
            space=True, tip="Expand all folders and packages, however deep they are; collapse the files"),
    Command("restrict", "Restrict to subtree", "View", ("R",), lambda w: w.editing.restrict(), _one_selected,
            node=True, first=True),
    Command("show_all", "Show everything", "View", ("Shift+R",), lambda w: w.editing.show_everything(), space=True),
    Command("hide", "Hide", "View", ("H",), lambda w: w.editing.hide(), _movable, node=True),
    Command("show_only", "Show only this", "View", ("Shift+H",),
            lambda w: w.session.show_only(w.session.view.selected), _movable, node=True,
            tip="Hide everything else; Show everything brings it back"),
    Command("filter", "Show only what the search found", "Filter", ("Ctrl+Shift+F",), lambda w: w.searching.filter(),
            lambda w: w.searching.can_filter, tip="Hide everything that does not match"),
    Command("hide_small", "Hide small nodes...", "Filter", (), lambda w: w.searching.hide_small(), node=True,
            space=True, tip="Hide what is below a threshold of a measure"),
    Command("end_filter", "End the filter", "Filter", (), lambda w: w.searching.end_filter(),
            lambda w: w.session.is_open and bool(w.session.view.only), space=True),
    *(_hierarchy(name) for name in (FOLDERS, *GROUPINGS)),
    Command("hierarchy_table", "Group by a table...", "Hierarchy", (), lambda w: w.hierarchies.ask_table(),
            tip="A CSV file with rows path,group[,group...]",
            checked=lambda w: w.session.view.hierarchy.startswith(CSV)),
    Command("second_view", "Second view", "View", ("Ctrl+Shift+V",), lambda w: w.second_views.toggle(),
            tip="The same files once more beside this view: in another hierarchy, with another look",
            checked=lambda w: w.second_views.is_open),
    Command("fit", "Fit view", "View", ("F",), lambda w: w.canvas.stage.fit(), space=True, first=True),
    Command("top", "View from above", "View", ("T",), lambda w: w.canvas.stage.toggle_top(), space=True),
    Command("back", "View back", "View", ("Alt+Left",), lambda w: w.session.go_back(),
            lambda w: w.session.can_go_back, first=True),
    Command("forward", "View forward", "View", ("Alt+Right",), lambda w: w.session.go_forward(),
            lambda w: w.session.can_go_forward),
    *(_named_view(number, which) for number, which in enumerate(WHICH)),
    Command("save_view", "Save view as...", "Saved views", ("Ctrl+K",), lambda w: w.navigating.save(),
            tip="Keep place, filters, look and camera under a name, with the plan"),
    Command("manage_views", "Manage saved views...", "Saved views", (), lambda w: w.navigating.manage(),
            lambda w: bool(w.session.named)),
    Command("crumbs", "Go to the breadcrumb", "Select", ("Ctrl+L",), lambda w: w.crumbs.begin(),
            tip="Then left and right; down lists what is beside"),
    Command("minimap", "Mini-map", "View", (), lambda w: w.navigating.switch_map(), _always,
            tip="A small map of everything, while only a part is seen",
            checked=lambda w: w.settings.minimap),
    Command("source", "Source", "View", ("S",), lambda w: w.linking.show_bottom("source"), node=True, first=True,
            tip="The source of the selection"),
    Command("unused", "Unused code", "View", ("U",), lambda w: w.show_panel("unused"),
            tip="Sets of code that no entry point reaches"),
    *(_preset(number, which) for number, which in enumerate(WHICH)),
    Command("save_look", "Save look as preset...", "Presets", (), lambda w: w.looks.save(), first=True,
            tip="Keep metrics, scales and colours under a name"),
    Command("manage_looks", "Manage presets...", "Presets", (), lambda w: w.looks.manage(),
            lambda w: bool(w.looks.own), tip="Rename, sort and delete your own presets"),
    Command("all_relations", "All relations", "Relations", ("A",), lambda w: w.questions.show(mode="all"),
            checked=lambda w: w.questions.filter.mode == "all"),
    Command("of_selection", "Of the selection", "Relations", ("Shift+A",),
            lambda w: w.questions.show(mode="selection"), checked=lambda w: w.questions.filter.mode == "selection",
            tip="Only relations of what is selected, or under the pointer while nothing is"),
    Command("indirect", "Of the selection, and indirect ones", "Relations", ("Ctrl+Shift+A",),
            lambda w: w.questions.show(mode="indirect"), checked=lambda w: w.questions.filter.mode == "indirect",
            tip="Also relations over which one comes from the selection to others"),
    Command("incoming", "Incoming only", "Relations", ("I",), lambda w: w.questions.turn("in"), first=True,
            checked=lambda w: w.questions.filter.direction == "in", tip="By which the selection is used"),
    Command("outgoing", "Outgoing only", "Relations", ("O",), lambda w: w.questions.turn("out"),
            checked=lambda w: w.questions.filter.direction == "out", tip="By which the selection uses others"),
    Command("only_cycles", "Only in cycles", "Relations", ("Y",),
            lambda w: w.questions.show(cycles=not w.questions.filter.cycles), first=True,
            checked=lambda w: w.questions.filter.cycles, tip="Between segments that depend on each other"),
    Command("only_violations", "Only violations", "Relations", ("V",),
            lambda w: w.questions.show(violations=not w.questions.filter.violations),
            checked=lambda w: w.questions.filter.violations, tip="Those that break a rule of the project"),
    Command("crossing", "Emphasise crossing relations", "Relations", ("B",),
            lambda w: w.questions.show(crossing=not w.questions.filter.crossing),
            checked=lambda w: w.questions.filter.crossing,
            tip="The farther apart the ends are in the hierarchy, the stronger a relation is drawn"),
    Command("guesses", "Guessed relations", "Relations", ("G",),
            lambda w: w.session.set_view(guesses=not w.session.view.guesses), lambda w: w.counts.guesses > 0,
            tip=GUESSES, first=True, checked=lambda w: w.session.view.guesses),
    Command("external", "External packages", "Relations", ("X",),
            lambda w: w.session.set_view(external=not w.session.view.external), lambda w: w.counts.packages > 0,
            tip=PACKAGES, checked=lambda w: w.session.view.external),
    Command("relations", "List relations", "Relations", ("L",), lambda w: w.list_relations(), node=True, first=True,
            tip="The relations of the selection, with their places in the source"),
    Command("matrix", "Dependency matrix", "Relations", ("D",), lambda w: w.linking.show_bottom("matrix"),
            tip="Who uses whom, as a table"),
    Command("path", "How does A reach B?", "Relations", ("P",), lambda w: w.questions.ask_path(),
            lambda w: w.questions.is_pair(), node=True, first=True,
            tip="The shortest chains of relations from the node selected first to the other"),
    Command("path_to", "Paths from here to...", "Relations", ("Shift+P",), lambda w: w.questions.ask_path_to(),
            _one_selected, node=True),
    Command("impact", "Who is affected?", "Relations", ("W",), lambda w: w.questions.ask_impact(), _selected, node=True,
            tip="What depends on the selection, directly and over others"),
    Command("theme", "Switch between light and dark", "View", ("Ctrl+T",), lambda w: w.switch_theme(), _always,
            first=True),
    Command("move_to", "Move to...", "Plan", ("M",), lambda w: w.editing.move_to(), _plannable, node=True, first=True),
    Command("new_container", "New container...", "Plan", ("N",), lambda w: w.editing.new_container(), _in_folders,
            node=True, space=True),
    Command("rename", "Rename...", "Plan", ("F2",), lambda w: w.editing.rename(),
            lambda w: _one_selected(w) and _in_folders(w), node=True),
    Command("remove", "Remove", "Plan", ("Del",), lambda w: w.editing.remove(), _plannable, node=True),
    Command("shortcuts", "All shortcuts...", "Help", ("?",), lambda w: w.show_shortcuts(), _always),
    Command("change_keys", "Change shortcuts...", "Help", (), lambda w: w.navigating.change_keys(), _always),
    Command("diagnostics", "Copy diagnostics", "Help", (), lambda w: w.linking.copy_diagnostics(), _always, first=True,
            tip="Versions and sizes for a bug report; no names of yours"),
    Command("about", "About cbvtool", "Help", (), lambda w: w.show_about(), _always, first=True),
)  # fmt: skip

CONTEXT = ("View", "Relations", "Select", "Edit", "Plan")  # the order in which context menus take from these
MENUS = ("File", "Edit", "Select", "View", "Relations", "Plan", "Help")
RELATION = ("path", "impact", "of_selection", "relations", "matrix", "show_only", "copy_path")  # of a relation's ends
SUBMENUS = dict.fromkeys(("Presets", "Saved views", "Hierarchy", "Filter"), "View")  # filled by who knows their rows

# What the mouse does, for the list of shortcuts (UI.md, "One grammar for mouse and keys").
MOUSE: tuple[tuple[str, str], ...] = (
    ("Light up a segment and its partners", "Point at it"),
    ("Select", "Click (Ctrl adds, Shift spans siblings)"),
    ("Light up a relation and its ends", "Point at it"),
    ("Select both ends of a relation", "Click on it"),
    ("Expand or collapse", "Double click"),
    ("List the places of a relation", "Double click on it"),
    ("Move a segment, or the selection", "Drag with the left button"),
    ("Turn the view", "Drag empty space with the left button"),
    ("Shift the view", "Drag with the right or middle button"),
    ("Zoom to the pointer", "Wheel"),
    ("Everything that can be done with it", "Right click on a segment, a relation or empty space"),
    ("Choose what is shown", "Click on a legend (double click: range of its scale)"),
    ("Fit the view", "Double click on empty space"),
    ("Select what lies in a rectangle", "Drag from empty space with Shift (with Ctrl: add)"),
    ("Select by lasso", "The same with Alt, too"),
    ("View back, forward", "The buttons 4 and 5; a long press on the arrow lists places"),
    ("Go to a place of the mini-map", "Click on it"),
)
