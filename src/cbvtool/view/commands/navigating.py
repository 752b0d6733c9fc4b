"""Ways to and fro: the places one was at, views with a name, the breadcrumb, the mini-map, and which keys do what."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from qtpy.QtCore import QObject, Signal
from qtpy.QtWidgets import QMenu, QToolButton

from cbvtool.geometry.state.named_views import NamedView, clean_name, with_view
from cbvtool.session.change import Change
from cbvtool.session.view_data import view_as_data
from cbvtool.view.commands.commands import WHICH
from cbvtool.view.commands.keys import apply_keys
from cbvtool.view.commands.keys_dialog import KeysDialog
from cbvtool.view.commands.menus import Actions
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.names_dialog import NamesDialog
from cbvtool.view.toolkit.plain import Buttons, add_action, ask_line, message_box, set_caption, set_tooltip
from cbvtool.view.toolkit.type_ahead import run_dialog
from cbvtool.words import one_line

LISTED = 20  # places in the menu of one direction


class Navigating(QObject):
    """Belongs to a window."""

    crumbs_asked = Signal()  # the keyboard is to go to the breadcrumb

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk.widget)
        self._desk = desk
        self._session = desk.session
        self._named: tuple[NamedView, ...] | None = None  # those that the menu lists
        self._here: tuple[object, ...] = ()  # where one was when the tips were written
        self.menu = QMenu("Saved views", desk.widget)
        self.places: dict[str, QMenu] = {}  # where back and forward lead

    def install(self) -> None:
        """Put the menus into the window, and follow it."""
        actions = self._desk.part(Actions)
        apply_keys(actions.by_name, self._desk.settings.shortcuts)
        actions.add_submenu("Saved views", self.menu)
        self.menu.setToolTipsVisible(True)
        for forward, name in ((False, "back"), (True, "forward")):
            button = actions.bar.widgetForAction(actions.by_name[name])
            assert isinstance(button, QToolButton)
            self.places[name] = QMenu(self._desk.widget)
            self.places[name].aboutToShow.connect(partial(self._list_places, name, forward))
            button.setMenu(self.places[name])
            button.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)
        self._unsubscribe = self._session.subscribe(self._changed)
        self._list_views()

    def close_down(self) -> None:
        """The window closes."""
        self._unsubscribe()

    def _changed(self, what: Change) -> None:
        if what in (Change.PROJECT, Change.FILE):
            self._list_views()
        view = self._session.view
        here = (view.hierarchy, view.root, view.expanded, view.hidden, view.only)
        if what in (Change.PROJECT, Change.DEPTH, Change.PLAN) or (what == Change.VIEW and here != self._here):
            self._here = here
            self._say_where()

    # -- places one was at -----------------------------------------------------------------------------------

    def _say_where(self) -> None:
        """Tell in the tips where back and forward lead."""
        if not self._session.is_open:
            return
        for forward, name, word in ((False, "back", "Back"), (True, "forward", "Forward")):
            action = self._desk.part(Actions).by_name[name]
            places = self._session.places(forward=forward, most=1)
            keys = action.shortcut().toString()
            tip = f"{word} to {places[0]}" if places else f"View {word.lower()}"
            set_tooltip(action, f"{tip} ({keys})" if keys else tip)

    def _list_places(self, name: str, forward: bool) -> None:
        menu = self.places[name]
        menu.clear()
        for steps, words in enumerate(self._session.places(forward=forward, most=LISTED), 1):
            action = add_action(menu, f"{words[:1].upper()}{words[1:]}")
            travel = self._session.go_forward if forward else self._session.go_back
            action.triggered.connect(lambda _on, steps=steps, travel=travel: travel(steps))

    # -- views with a name -----------------------------------------------------------------------------------

    def save(self) -> None:
        """Ask for a name for the present view, and before another one of that name is replaced."""
        window = self._desk.widget
        name = clean_name(ask_line(window, "Save view", "Name of the view") or "")
        if not name:
            return
        if name in (view.name for view in self._session.named):
            question = f"Replace the view “{one_line(name)}” by the present one?"
            box = message_box(window, "Save view", question, buttons=(Buttons.Yes, Buttons.No))
            answer = box.exec_()
            box.deleteLater()
            if answer != Buttons.Yes:
                return
        self.keep(name)

    def keep(self, name: str) -> None:
        """Give the present view a name."""
        here = self._desk.here
        data = view_as_data(here.session.view, here.session.graph)
        fresh = NamedView(clean_name(name), data, here.stage.viewpoint)
        self._session.name_views(with_view(self._session.named, fresh))  # the document is that of the main view
        self._desk.note(f"Saved the view {clean_name(name)}; it is kept with the plan")

    def show(self, number: int) -> None:
        """Show a view by its number, from 0."""
        named = self._session.named[number]
        here = self._desk.here
        here.session.show_named(named)
        here.stage.go_to_viewpoint(named.viewpoint)

    def ready(self, number: int) -> bool:
        """Whether there is such a view."""
        return self._session.is_open and number < len(self._session.named)

    def manage(self) -> None:
        """Let the user rename, sort and delete views."""
        views = self._session.named
        note = "The first nine have the keys Alt+1 to Alt+9. Drag them to sort them."
        dialog = NamesDialog("Saved views", [view.name for view in views], "view", note, self._desk.widget)
        if run_dialog(dialog):
            self._session.name_views([replace(views[row], name=name) for row, name in dialog.chosen()])
        dialog.deleteLater()

    def _list_views(self) -> None:
        named = self._session.named
        if named == self._named:
            return
        self._named = named
        actions = self._desk.part(Actions).by_name
        self.menu.clear()
        for number, which in enumerate(WHICH):
            action = actions[f"view_{number + 1}"]
            set_caption(action, named[number].name if number < len(named) else f"{which} saved view")
            action.setVisible(number < len(named))
            self.menu.addAction(action)
        for number, view in enumerate(named[len(WHICH) :], len(WHICH)):
            added = add_action(self.menu, view.name)
            added.triggered.connect(lambda _on, number=number: self.show(number))
        self.menu.addSeparator()
        for name in ("save_view", "manage_views"):
            self.menu.addAction(actions[name])
        self._desk.refresh()

    # -- the mini-map, and the keys --------------------------------------------------------------------------

    def switch_map(self) -> None:
        """Show the mini-map when it is of use, or never."""
        settings = self._desk.settings
        settings.minimap = not settings.minimap
        for place in self._desk.places:
            place.stage.refresh()
        self._desk.refresh()

    def change_keys(self) -> None:
        """Let the user give commands other keys."""
        dialog = KeysDialog(self._desk.settings.shortcuts, self._desk.widget)
        if run_dialog(dialog, dialog.filter):
            self._desk.settings.shortcuts = dialog.own()
            apply_keys(self._desk.part(Actions).by_name, self._desk.settings.shortcuts)
            self._say_where()
        dialog.deleteLater()
