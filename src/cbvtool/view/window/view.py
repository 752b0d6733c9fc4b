"""One view of what is open: a picture, and all that works in the background for it."""

from __future__ import annotations

from collections.abc import Iterable

from qtpy.QtCore import QObject, QPoint
from qtpy.QtWidgets import QWidget

from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import REMOVED
from cbvtool.session import Session
from cbvtool.view.canvas.canvas import Canvas
from cbvtool.view.canvas.stage import Stage
from cbvtool.view.canvas.walking import Walking
from cbvtool.view.commands.context_menus import ContextMenus
from cbvtool.view.commands.hierarchies import Regrouping
from cbvtool.view.desk import Desk
from cbvtool.view.toolkit.ask_card import AskCard
from cbvtool.view.window.judging import Judging
from cbvtool.view.window.measuring import Measuring
from cbvtool.view.window.revealing import reveal
from cbvtool.view.window.scene_making import SceneMaking


class View(QObject):
    """A `ViewPlace`. Whoever makes it puts `canvas` somewhere, and calls `want` when picture or selection changed.

    around   what belongs to the view beside the picture, such as its caption; the focus may be in it
    """

    def __init__(self, desk: Desk, session: Session, parent: QWidget, around: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk, self._session = desk, session
        self.canvas = Canvas(session, desk.settings, parent)
        self._widget = around or self.canvas
        self.walking = Walking(session, self.canvas.stage, desk.note)
        self.measuring = Measuring(desk.jobs, self)
        self.scene_making = SceneMaking(session, desk.jobs, self)
        self.judging = Judging(session, desk.jobs, desk.settings, self.canvas)
        self.regrouping = Regrouping(session, desk, self)
        self.measuring.measured.connect(self.canvas.stage.refresh)
        self.measuring.given_up.connect(self._stay_with_drawn)
        self.scene_making.failed.connect(desk.say)
        self.canvas.said.connect(self._say)
        self.canvas.ghost_chosen.connect(self._go_to_planned)
        self.canvas.menu_requested.connect(self._show_menu)

    @property
    def session(self) -> Session:
        """What it shows."""
        return self._session

    @property
    def stage(self) -> Stage:
        """Its picture and its camera."""
        return self.canvas.stage

    @property
    def widget(self) -> QWidget:
        """What holds the keyboard focus while this view has it."""
        return self._widget

    def regroup(self, hierarchy: str) -> None:
        """Show another hierarchy, which is made in the background."""
        self.regrouping.show(hierarchy)

    def _say(self, sentence: str) -> None:
        """Show a sentence; where it is that a plan has no place here, with a way to the place where it has."""
        if sentence == self._session.dragging.elsewhere:
            self.offer_planning()
        else:
            self._desk.say(sentence)

    def offer_planning(self) -> None:
        """Say that nothing can be planned in what it shows, and offer the way to where it can."""
        self.regrouping.offer_planning()

    def draw_lasso(self) -> None:
        """Let the next drag draw a lasso."""
        self.canvas.draw_lasso()

    def ask_drop(self, key: int) -> None:
        """Ask about the drop that the session holds; the card stands beside node `key`."""
        self.canvas.dragging.ask(self._beside(key))

    def ask(self, card: AskCard, key: int) -> None:
        """Show a question, whose parent is the picture, beside node `key`."""
        card.ask_at(self._beside(key))

    def _beside(self, key: int) -> QPoint:
        try:
            place = self.stage.picking.place_of(key)
        except LookupError:
            return self.canvas.rect().center()
        return place if self.canvas.rect().contains(place) else self.canvas.rect().center()

    def cancel_gesture(self) -> bool:
        """Put back what is dragged, or stop drawing a region, or asking; False if there is nothing of that."""
        if self.canvas.leave_card():
            return True
        if self._session.view.drag is not None:
            self.canvas.cancel_drag()
            return True
        return self.canvas.cancel_region()

    def want(self, scene: Scene, others: Iterable[str] = ()) -> None:
        """Have measured what the picture waits for, and then `others`."""
        self.measuring.want(scene.values, scene.pending, others)

    def close_down(self) -> None:
        """Free the renderer, and wait until all threads are gone."""
        self.regrouping.close_down()
        self.measuring.close()
        self.judging.close()
        self.scene_making.close()
        self.canvas.close_down()

    def _show_menu(self, at: QPoint, key: int) -> None:
        self.canvas.setFocus()  # its entries act on this view
        self._desk.part(ContextMenus).show(self._session, at, key)

    def _go_to_planned(self, key: int) -> None:
        """Show where something is that was in the place that was clicked."""
        session = self._session
        if not session.view.before and session.graph.parent[key] != REMOVED:
            reveal(session, (key,))

    def _stay_with_drawn(self, why: str) -> None:
        self._session.stay_with_drawn()
        if why:
            self._desk.say(why)
