"""The desk, through which the parts of a window reach each other, and the view that a command acts on.

A part asks for a `Desk` and gets nothing else of the window, so any window (and any test) can be one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from qtpy.QtCore import QPoint
from qtpy.QtGui import QIcon
from qtpy.QtWidgets import QWidget

from cbvtool.session import Session
from cbvtool.view.canvas.stage import Stage
from cbvtool.view.canvas.walking import Walking
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.toolkit.jobs import Jobs
from cbvtool.view.toolkit.settings import Settings

P = TypeVar("P", bound=QWidget)
T = TypeVar("T")


class ViewPlace(Protocol):
    """One view of what is open: the main one, or another one beside it."""

    @property
    def session(self) -> Session:
        """What it shows; plan and selection are shared with the main view."""

    @property
    def stage(self) -> Stage:
        """Its picture and its camera."""

    @property
    def walking(self) -> Walking:
        """Goes through its picture by keys."""

    @property
    def canvas(self) -> QWidget:
        """Shows its picture, and has the keyboard for it."""

    @property
    def widget(self) -> QWidget:
        """All of it: while the keyboard focus is in there, commands act on this view."""

    def regroup(self, hierarchy: str) -> None:
        """Show another hierarchy, which is made in the background."""

    def offer_planning(self) -> None:
        """Say that nothing can be planned in what it shows, and offer the way to where it can."""

    def draw_lasso(self) -> None:
        """Let the next drag draw a lasso."""

    def ask_drop(self, key: int) -> None:
        """Ask about the drop that the session holds; the card stands beside node `key`."""

    def ask(self, card: AskCard, key: int) -> None:
        """Show a question, whose parent is the picture, beside node `key`."""

    def cancel_gesture(self) -> bool:
        """Put back what is dragged, or stop drawing a region, or asking; False if there is nothing of that."""


class Desk(Protocol):
    """What commands and panels work with.

    session   of the main view, which holds the document and the plan
    """

    @property
    def session(self) -> Session:
        """The document."""

    @property
    def settings(self) -> Settings:
        """What is remembered between runs."""

    @property
    def jobs(self) -> Jobs:
        """Runs what takes long."""

    @property
    def main(self) -> ViewPlace:
        """The view that is always there."""

    @property
    def here(self) -> ViewPlace:
        """The view that has the keyboard focus; the main one while none has it. View commands act on it."""

    @property
    def places(self) -> tuple[ViewPlace, ...]:
        """All views, the main one first."""

    @property
    def widget(self) -> QWidget:
        """The window, as parent of dialogs and menus."""

    def say(self, sentence: str, error: bool = True, offer: str = "", run: Callable[[], None] | None = None) -> None:
        """Show a sentence across the top, with a button labelled `offer` that calls `run`."""

    def unsay(self, sentence: str) -> None:
        """Hide this sentence across the top, if it is still there."""

    def note(self, sentence: str) -> None:
        """Show a sentence in the status bar."""

    def reveal(self, *keys: int) -> None:
        """Select nodes in the main view, and expand the way to them."""

    def panel(self, kind: type[P]) -> P:
        """The panel of this class, as it is. Raises KeyError where none was registered."""

    def show(self, kind: type[P]) -> P:
        """The same, brought to the front."""

    def switch(self, kind: type[P]) -> None:
        """Bring it to the front; close it if it is there already."""

    def is_seen(self, kind: type[P]) -> bool:
        """Whether the user can see it: it is shown, and not behind another tab."""

    def part(self, kind: type[T]) -> T:
        """The part of this class that does what commands ask for. Raises KeyError where there is none."""

    def do(self, command: str) -> None:
        """Do what a command does, or say why that cannot be done now."""

    def refresh(self) -> None:
        """See which commands can be done now."""

    def restyle(self) -> None:
        """Take the theme of the settings."""

    def icon(self, kind: str) -> QIcon:
        """The icon of a kind of node, in the colours of the theme."""

    def show_menu(self, at: QPoint) -> None:
        """Offer what can be done with the selection, at a global place."""

    def edit(self, file: int, line: int) -> None:
        """Open a file (index into `Graph.files`) in the user's editor."""

    def toggle(self, place: str) -> None:
        """Open a place of the registry beside the main view, or close it."""

    def is_open(self, place: str) -> bool:
        """Whether a place of the registry is open."""
