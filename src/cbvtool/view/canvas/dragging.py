"""A drag in progress: what is lifted, where it would go, why it may not, and what is painted about it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from qtpy.QtCore import QPoint

from cbvtool.drawing import drag_picture, emphasis
from cbvtool.geometry.picture import Picture
from cbvtool.plan import can_hold
from cbvtool.session import Session
from cbvtool.view.canvas.qt_painter import text_width
from cbvtool.view.canvas.stage import Stage
from cbvtool.words import one_line

RIM = 1.12  # radius up to which a drop outside the rings means the top level


class Dragging:
    """The hand of the canvas: between `begin` and `drop` or `cancel`, something is lifted."""

    def __init__(self, session: Session, stage: Stage) -> None:
        self._session = session
        self._stage = stage
        self._lifted: list[drag_picture.Lifted] = []
        self._at_home = False
        self.refusal: str | None = None  # why it cannot be dropped where the pointer is
        self.curves: npt.NDArray[np.float32] | None = None  # its relations, float32[e, S, 3]

    def begin(self, keys: Sequence[int], pointer: QPoint) -> None:
        """Lift nodes off the picture."""
        scene = self._stage.scene
        self._lifted = [] if scene is None else drag_picture.lift(scene, self._session.topmost(keys))
        self._session.begin_drag(keys)
        self.move(pointer)

    def move(self, pointer: QPoint) -> None:
        """Follow the pointer."""
        drag = self._session.view.drag
        if drag is None:
            return
        target = self._target_at(pointer)
        if target != drag.target:
            self._take_aim(drag.keys, target)
        scene, place = self._stage.scene, self._stage.picking.on_disc(pointer)
        if scene is not None and place is not None:
            self.curves = scene.drag_curves(place)
            self._stage.follow(self.curves)

    def drop(self) -> str | None:
        """Record the move, if there is one; the result is the reason why not."""
        drag, refusal, at_home = self._session.view.drag, self.refusal, self._at_home
        self._forget()
        if drag is None or drag.target < 0 or at_home or refusal is not None:
            self._session.cancel_drag()
            return refusal
        return self._session.drop()

    def cancel(self) -> None:
        """Put everything back."""
        self._forget()
        self._session.cancel_drag()

    def _forget(self) -> None:
        self._lifted, self._at_home, self.refusal, self.curves = [], False, None, None
        self._stage.aim_at(-1)
        self._stage.follow(None)

    def _take_aim(self, keys: Sequence[int], target: int) -> None:
        refusal = self._session.drag_over(target)
        parent = self._session.graph.parent
        self._at_home = target >= 0 and all(parent[key] == target for key in keys)
        self.refusal = None if self._at_home else refusal
        scene = self._stage.scene
        may_drop = target >= 0 and self.refusal is None and not self._at_home
        self._stage.aim_at(emphasis.item_of(scene, target) if may_drop and scene is not None else -1)

    def _target_at(self, place: QPoint) -> int:
        """Key of the container that a drop at `place` is meant for, -1 = none.

        It is the nearest node at or above the pointer that can hold what is dragged; a place just outside the
        rings means the node that the view is restricted to.
        """
        graph, drag = self._session.graph, self._session.view.drag
        key = self._stage.picking.key_at(place)
        if key >= 0 and drag is not None:
            kinds = {graph.kind(dragged) for dragged in drag.keys}
            for above in (key, *graph.ancestors(key)):
                if all(can_hold(graph.kind(above), kind, graph) for kind in kinds):
                    return above
            return key
        on_disc = self._stage.picking.on_disc(place)
        if on_disc is None:
            return -1
        return self._session.view.root if 1.0 < float(np.hypot(*on_disc)) <= RIM else -1

    # -- painting ------------------------------------------------------------------------------------------

    def picture(self, pointer: QPoint) -> Picture:
        """Target, ghost, and a card with what would happen."""
        scene, drag, size = self._stage.scene, self._session.view.drag, self._stage.size
        picture = Picture(*size)
        if scene is None or drag is None:
            return picture
        theme, camera = self._stage.theme, self._stage.camera
        if drag.target >= 0 and not self._at_home:
            item = emphasis.item_of(scene, drag.target)
            refused = self.refusal is not None
            picture += drag_picture.target_picture(scene, item, camera, *size, theme.accent, theme.warning, refused)
        place = self._stage.picking.on_disc(pointer)
        if place is not None:
            picture += drag_picture.ghost_picture(self._lifted, place, camera, *size, theme.accent)
        return picture + self._card(drag.keys, drag.target, pointer)

    def _card(self, keys: Sequence[int], target: int, pointer: QPoint) -> Picture:
        graph, theme = self._session.graph, self._stage.theme
        names = ", ".join(one_line(graph.names[key]) for key in keys[:3])
        if len(keys) > 3:
            names += f" and {len(keys) - 3:,} more"
        lines = [(names, theme.text)]
        if self.refusal is not None:
            lines.append((self.refusal, theme.warning))
        elif self._at_home:
            lines.append(("Stays where it is", theme.muted))
        elif target >= 0:
            to = "the top level" if target == graph.root else one_line(graph.path(target))
            lines.append((f"Move to {to}", theme.accent))
        else:
            lines.append(("Drop it on a container; Esc cancels", theme.muted))
        widths = [text_width(text, 12.0, number == 0) for number, (text, _) in enumerate(lines)]
        place = (float(pointer.x()), float(pointer.y()))
        ground = (*theme.ground[:3], 240)
        return drag_picture.caption_picture(lines, place, *self._stage.size, widths, ground, theme.line)
