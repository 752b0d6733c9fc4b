"""Maps positions on the canvas to nodes and relations, and back. Positions are in logical pixels."""

from __future__ import annotations

from collections.abc import Callable
from math import atan2, hypot, pi

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QPoint, QSize

from cbvtool.drawing import drag_picture, emphasis
from cbvtool.geometry.overlay import free_place, furniture
from cbvtool.geometry.overlay.legends import card_boxes
from cbvtool.geometry.overlay.minimap import MapPlace, map_place
from cbvtool.geometry.overlay.named import named_at
from cbvtool.geometry.picking.pick import pick_item, pick_on_curve, pick_segment
from cbvtool.geometry.scene.rings import block_cells
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import Graph
from cbvtool.view.canvas.flight import Flight
from cbvtool.view.canvas.qt_painter import text_width
from cbvtool.view.canvas.sight import Sight
from cbvtool.view.canvas.text_layers import TextLayers
from cbvtool.words import one_line

PICK_TOLERANCE = 4.0  # px beside a relation


class Picking:
    """Belongs to a stage.

    sight   what the canvas shows now; None = nothing
    graph   the session's graph, whose keys are told; that of the picture may be an earlier one
    merged  int64[g]: items that are drawn as one segment with an item, itself included
    """

    def __init__(
        self,
        flight: Flight,
        text: TextLayers,
        sight: Callable[[], Sight | None],
        graph: Callable[[], Graph],
        merged: Callable[[int], npt.NDArray[np.int64]],
    ) -> None:
        self._flight, self._text, self._sight, self._graph, self._merged = flight, text, sight, graph, merged

    def item_at(self, place: QPoint) -> int:
        """Item of the segment seen at `place`, -1 = none."""
        if (sight := self._sight()) is None:
            return -1
        return pick_item(sight.scene, *sight.camera.ray(place.x(), place.y(), *sight.extent))

    def key_at(self, place: QPoint) -> int:
        """Key of the segment seen at `place`, -1 = none: also where the session has left the picture's graph behind.

        During a transition, what is drawn at the moment counts.
        """
        sight = self._sight()
        return -1 if sight is None else self._in_session(sight.scene, self._drawn_at(sight, place))

    def _drawn_at(self, sight: Sight, place: QPoint) -> int:
        """The key in the scene that is shown, or will be after the transition; -1 = none."""
        ray = sight.camera.ray(place.x(), place.y(), *sight.extent)
        if sight.arrived:
            item = pick_item(sight.scene, *ray)
            return -1 if item < 0 else int(sight.scene.tree.key[item])
        shown, tree = sight.shown, sight.scene.tree
        item = pick_segment(shown.tree, shown.layout, block_cells(shown.tree, shown.layout), shown.height, *ray)
        if item < 0:
            return -1
        key = next(iter(shown.keys_in((int(shown.tree.key[item]),), sight.scene.graph)), -1)
        if key < 0 or key in tree.key:
            return key
        there = int(tree.represent[key])  # a segment that shrinks into its container, or leaves
        return -1 if there < 0 else int(tree.key[there])

    def _in_session(self, scene: Scene, key: int) -> int:
        return -1 if key < 0 else next(iter(scene.keys_in((key,), self._graph())), -1)

    def node_at(self, place: QPoint) -> int:
        """Key of the segment seen at `place`, else of the node whose name is written there; -1 = neither."""
        key = self.key_at(place)
        return key if key >= 0 else self._named_at(place)

    def name_at(self, place: QPoint) -> int:
        """Key of the node whose name is written at `place` beside all segments; -1 = there is none."""
        return -1 if self.key_at(place) >= 0 else self._named_at(place)

    def _named_at(self, place: QPoint) -> int:
        sight, names = self._sight(), self._text.names
        if sight is None or names is None or not sight.arrived:
            return -1
        return self._in_session(sight.scene, named_at(names, place.x(), place.y(), measure=text_width))

    def ghost_at(self, place: QPoint) -> int:
        """Key of the node that belongs to the ghost at `place`; -1 = no ghost there."""
        sight, spot = self._sight(), self.on_disc(place)
        ghosts = None if sight is None or not sight.arrived else sight.scene.ghosts
        if ghosts is None or spot is None:
            return -1
        return ghosts.at(atan2(*spot) % (2 * pi), hypot(*spot))

    def ghost_lines(self, key: int) -> list[str]:
        """Lines of text about an empty place."""
        sight = self._sight()
        return [] if sight is None else furniture.ghost_lines(sight.scene, key)

    def relation_at(self, place: QPoint) -> int:
        """Row of the lifted relation seen at `place`, -1 = none."""
        return self.on_relation(place)[0]

    def on_relation(self, place: QPoint) -> tuple[int, float]:
        """(row of the lifted relation at `place`, position along it: 0 = at the dependant, 1 = at the dependency).

        (-1, 0) = none.
        """
        if (sight := self._sight()) is None:
            return -1, 0.0
        return pick_on_curve(sight.scene, sight.camera, place.x(), place.y(), *sight.extent, PICK_TOLERANCE)

    def free_place(self, pointer: QPoint, card: QSize) -> QPoint | None:
        """A place for a card beside the ring and near the pointer: apart from legends, or over one; otherwise at least
        beside the relations. None = there is no room.
        """
        if (sight := self._sight()) is None:
            return None
        ring = free_place.seen_ring(sight.scene, sight.camera, *sight.extent)
        taken = card_boxes(self._text.cards_and_map())
        size, at = (card.width(), card.height()), (pointer.x(), pointer.y())
        foot = ring[:1]  # blocks may be covered
        middle = foot.mean(axis=1, keepdims=True)
        inside = middle + (foot - middle) * float(sight.scene.layout.band0)  # only the area of the relations
        for outline, cards in ((ring, taken), (foot, taken), (foot, []), (inside, [])):
            place = free_place.free_place(size, at, sight.extent, outline, cards)
            if place is not None:
                return QPoint(*place)
        return None

    def legend_at(self, place: QPoint) -> str:
        """Subject of the legend at `place`: `height`, `color`, `thickness` or `map`; empty = none."""
        return "" if self._sight() is None else furniture.card_at(self._text.cards_and_map(), place.x(), place.y())

    def on_disc(self, place: QPoint) -> tuple[float, float] | None:
        """The point of the disc's plane at `place`."""
        size = self._flight.size
        return self._flight.camera.on_disc(place.x(), place.y(), size.width(), size.height())

    def on_map(self, place: QPoint) -> MapPlace | None:
        """The meaning of a point of the mini-map; None = none, or there is no map."""
        sight, box = self._sight(), self._text.map
        if sight is None or box is None:
            return None
        return map_place(sight.scene, sight.camera, box, place.x(), place.y())

    def place_of(self, key: int, *, own: bool = False) -> QPoint:
        """A position at which the segment for `key` can be seen; with `own`, the segment of an expanded node itself.

        Raises LookupError if there is none.
        """
        if (sight := self._sight()) is None:
            raise LookupError("nothing is shown")
        scene = sight.scene
        represent = scene.tree.represent
        item = emphasis.item_of(scene, key) if own or key >= len(represent) else int(represent[key])
        if item < 0:
            raise LookupError(f"node {key} is not shown")
        x, y = drag_picture.seen_place(scene, item, sight.camera, *sight.extent)
        return QPoint(round(x), round(y))

    # -- what tooltips say ---------------------------------------------------------------------------------

    def lines_of(self, item: int) -> list[str]:
        """The lines for an item."""
        sight = self._sight()
        assert sight is not None
        lines = furniture.tooltip_lines(sight.scene, item)
        if not sight.arrived:
            return lines  # a transition is in progress
        merged = self._merged(item)
        return lines if len(merged) < 2 else lines + emphasis.merged_lines(sight.scene, merged)

    def map_lines(self, place: QPoint) -> list[str]:
        """The lines for a place of the mini-map."""
        sight, there = self._sight(), self.on_map(place)
        if there is None or sight is None:
            return []
        graph = sight.scene.graph
        name = "Everything" if there.key == graph.root else one_line(graph.path(there.key))
        return [name, "Click to go there"]
