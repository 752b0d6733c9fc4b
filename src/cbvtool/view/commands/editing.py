"""What commands do with the selection: show it otherwise, or change the plan; asks for names and places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cbvtool.view.commands.containers import container_of, targets
from cbvtool.view.toolkit.chooser import choose
from cbvtool.view.toolkit.plain import ask_line
from cbvtool.words import one_line

if TYPE_CHECKING:
    from cbvtool.view.window.main_window import MainWindow


class Editing:
    """Belongs to a window."""

    def __init__(self, window: MainWindow) -> None:
        self._window, self._session = window, window.session

    def expand(self) -> None:
        """Show the children of the selection."""
        self._session.expand(self._session.view.selected)

    def collapse(self) -> None:
        """Hide the children of the selection."""
        self._session.collapse(self._session.view.selected)

    def restrict(self) -> None:
        """Show the selected subtree alone."""
        self._session.restrict(self._session.view.selected[0])

    def show_everything(self) -> None:
        """End restriction, hiding and filter."""
        self._session.set_view(root=self._session.graph.root, hidden=frozenset(), only="")

    def hide(self) -> None:
        """Hide the selection."""
        keys = self._session.view.selected
        self._session.hide(keys)
        self._session.select(())

    def remove(self) -> None:
        """Take the selection out of the target design."""
        self._tell(self._session.remove(self._session.view.selected))

    def rename(self) -> None:
        """Ask for another name."""
        key = self._session.view.selected[0]
        old = self._session.graph.names[key]
        name = ask_line(self._window, "Rename", "New name", old)
        if name is not None and name != old:
            self._tell(self._session.rename(key, name))

    def new_container(self) -> None:
        """Ask for the name of a container and make it at the selection."""
        graph, view = self._session.graph, self._session.view
        parent = container_of(graph, view.selected[-1] if view.selected else view.root)
        inside = one_line(graph.names[parent])
        name = ask_line(self._window, "New container", f"Name of the new container in {inside}")
        if name is not None:
            kind = "package" if graph.kind(parent) == "package" else "folder"
            self._tell(self._session.create(parent, name, kind))

    def move_to(self) -> None:
        """Ask for a container and move the selection there."""
        keys = self._session.view.selected
        choices = targets(self._session.graph, self._session.topmost(keys), self._window.kind_icon)
        target = choose(
            "Move to...", f"Where should {self._named(keys)} go? Type a part of its path", choices, self._window
        )
        if target is not None:
            self._tell(self._session.move(keys, target))

    def _named(self, keys: tuple[int, ...]) -> str:
        return self._session.graph.names[keys[0]] if len(keys) == 1 else f"these {len(keys):,} nodes"

    def _tell(self, refused: str | None) -> None:
        if refused is not None:
            self._window.say(refused)
