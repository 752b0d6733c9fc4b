"""The layers below and above the names: marks of plans and answers; the selection, and numbers of matches."""

from __future__ import annotations

from qtpy.QtGui import QPainter

from cbvtool.drawing import drag_picture, emphasis
from cbvtool.geometry.overlay.answer_marks import answer_marks
from cbvtool.geometry.overlay.match_counts import match_counts
from cbvtool.geometry.overlay.plan_marks import plan_marks
from cbvtool.geometry.overlay.values import MOST as MOST_VALUES
from cbvtool.geometry.overlay.values import selected_values
from cbvtool.geometry.picture import Picture
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.view.canvas.legend_cards import LegendCards
from cbvtool.view.canvas.qt_painter import paint, text_width
from cbvtool.view.canvas.sight import Sight


def paint_marks(painter: QPainter, sight: Sight, view: ViewState) -> None:
    """Paint what names and cards may cover, except while segments move: marks of the plan and of an answer."""
    if not sight.arrived:
        return
    scene, camera = sight.scene, sight.camera
    paint(drag_picture.empty_picture(scene, camera, *sight.extent, sight.theme.muted), painter)
    if scene.marks is not None:
        paint(plan_marks(scene, camera, *sight.extent, measure=text_width), painter)
    if view.drag is None and view.path is not None:
        paint(answer_marks(scene, camera, *sight.extent), painter)


def paint_overlay(
    painter: QPainter, sight: Sight, view: ViewState, matches: frozenset[int], cards: LegendCards
) -> None:
    """Paint what stands above the names, except during a drag and while segments move.

    matches   keys of the matches of a search
    cards     legends, which cover the outlines
    """
    if not sight.arrived or view.drag is not None:
        return
    scene, camera, selected = sight.scene, sight.camera, view.selected
    if matches:
        paint(match_counts(scene, matches, camera, *sight.extent, measure=text_width), painter)
    paint(drag_picture.selection_picture(scene, selected, camera, *sight.extent, sight.theme.accent), painter)
    if selected and view.path is None:
        paint(drag_picture.partners_picture(scene, sight.standing_out, camera, *sight.extent), painter)
    if selected:
        cards.paint(painter)  # cards cover the outlines behind them
    paint(values_of(sight, selected), painter)


def values_of(sight: Sight, selected: tuple[int, ...]) -> Picture:
    """The cards with the values of selected nodes; several of these may be in one segment."""
    scene, inside = sight.scene, dict[int, list[int]]()
    for key in selected[:MOST_VALUES]:
        if (item := emphasis.item_of(scene, key)) > 0:
            inside.setdefault(item, []).extend([key] if scene.tree.key[item] != key else [])
    return selected_values(scene, [*inside], sight.camera, *sight.extent, measure=text_width, inside=inside)
