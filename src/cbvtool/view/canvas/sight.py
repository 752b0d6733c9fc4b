"""A snapshot of the canvas: scene, camera and highlight. Words, overlays and picking work on this value."""

from __future__ import annotations

from dataclasses import dataclass

from qtpy.QtCore import QSize

from cbvtool.drawing.emphasis import Emphasis
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import Theme
from cbvtool.geometry.scene.scene import Scene


@dataclass(frozen=True, eq=False)
class Sight:
    """A scene seen from a camera.

    scene         scene that is shown, or will be after a transition
    shown         scene that is shown now: `scene`, or one of a transition to it
    tinted        `scene` with the tints of a drag: what names stand on
    size, ratio   size of the canvas in logical pixels, and physical pixels in each of these
    standing_out  the highlight
    theme         colours chosen by the user; those of `scene` may be older
    """

    scene: Scene
    shown: Scene
    tinted: Scene
    camera: Camera
    size: QSize
    ratio: float
    standing_out: Emphasis
    theme: Theme

    @property
    def arrived(self) -> bool:
        """Whether `scene` is shown already; otherwise a transition is in progress."""
        return self.shown is self.scene

    @property
    def extent(self) -> tuple[int, int]:
        """Width and height in logical pixels."""
        return self.size.width(), self.size.height()
