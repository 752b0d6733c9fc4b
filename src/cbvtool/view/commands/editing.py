"""What commands do with the selection: show it otherwise, or change the plan; asks for names and places."""

from __future__ import annotations

from dataclasses import replace
from typing import TypedDict, Unpack

from cbvtool.view.commands.containers import container_of, targets
from cbvtool.view.commands.searching import Searching
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.chooser import choose
from cbvtool.view.toolkit.plain import ask_line
from cbvtool.words import one_line


class ModulesChanges(TypedDict, total=False):
    """Some fields of `Modules` with their new values."""

    by: str
    depth: int
    tests: bool


class Editing:
    """Belongs to a window."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._session = desk, desk.session

    def expand(self) -> None:
        """Show the children of the selection."""
        here = self._desk.here.session
        here.expand(here.view.selected)

    def collapse(self) -> None:
        """Hide the children of the selection."""
        here = self._desk.here.session
        here.collapse(here.view.selected)

    def restrict(self) -> None:
        """Show the selected subtree alone."""
        here = self._desk.here.session
        here.restrict(here.view.selected[0])

    def show_everything(self) -> None:
        """End restriction, hiding and filter."""
        here = self._desk.here.session
        here.set_view(root=here.graph.root, hidden=frozenset(), only="")

    def hide(self) -> None:
        """Hide the selection."""
        here = self._desk.here.session
        here.hide(here.view.selected)
        here.select(())

    def show_only(self) -> None:
        """Hide everything else."""
        here = self._desk.here.session
        here.show_only(here.view.selected)

    def escape(self) -> None:
        """Undo the innermost thing in progress: gesture, then search, then answer, selection, restriction."""
        here = self._desk.here
        if here.session.view.before:
            here.session.show_before(False)
        elif not here.cancel_gesture() and not self._desk.part(Searching).escape() and here.session.is_open:
            here.session.escape()

    def remove(self) -> None:
        """Take the selection out of the target design."""
        self._tell(self._session.remove(self._session.view.selected))

    def rename(self) -> None:
        """Ask for another name."""
        key = self._session.view.selected[0]
        old = self._session.graph.names[key]
        name = ask_line(self._desk.widget, "Rename", "New name", old)
        if name is not None and name != old:
            self._tell(self._session.rename(key, name))

    def new_container(self) -> None:
        """Ask for the name of a container and make it at the selection."""
        graph, view = self._session.graph, self._session.view
        parent = container_of(graph, view.selected[-1] if view.selected else view.root)
        inside = one_line(graph.names[parent])
        name = ask_line(self._desk.widget, "New container", f"Name of the new container in {inside}")
        if name is not None:
            kind = "package" if graph.kind(parent) == "package" else "folder"
            self._tell(self._session.create(parent, name, kind))

    def move_to(self) -> None:
        """Ask for a container and move the selection there."""
        keys = self._session.view.selected
        choices = targets(self._session.graph, self._session.topmost(keys), self._desk.icon)
        target = choose(
            "Move to...", f"Where should {self._named(keys)} go? Type a part of its path", choices, self._desk.widget
        )
        if target is not None:
            self._tell(self._session.move(keys, target))

    def judge_by(self, **chosen: Unpack[ModulesChanges]) -> None:
        """Let something else count as a module when the plan is judged."""
        self._session.set_view(modules=replace(self._session.view.modules, **chosen))
        self._desk.refresh()

    def switch_tint(self) -> None:
        """Tint possible targets of a drag, or do not."""
        self._desk.settings.tint_targets = not self._desk.settings.tint_targets
        self._desk.refresh()

    def _named(self, keys: tuple[int, ...]) -> str:
        return self._session.graph.names[keys[0]] if len(keys) == 1 else f"these {len(keys):,} nodes"

    def _tell(self, refused: str | None) -> None:
        if refused is not None:
            self._desk.say(refused)
