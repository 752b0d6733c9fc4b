"""What is seen on the canvas at one moment, and from where: the value that words, overlays and picking work with."""

from __future__ import annotations

from dataclasses import dataclass

from qtpy.QtCore import QSize

from cbvtool.drawing.emphasis import Emphasis
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import Theme
from cbvtool.geometry.scene.scene import Scene


@dataclass(frozen=True, eq=False)
class Sight:
    """A scene from a camera.

    scene         what is shown, or will be when all is still
    arrived       it is shown already; else something on the way there
    size, ratio   logical pixels of the canvas, and physical ones in each of them
    standing_out  what stands out
    theme         the colours that the user wants; `scene` may be late
    """

    scene: Scene
    arrived: bool
    camera: Camera
    size: QSize
    ratio: float
    standing_out: Emphasis
    theme: Theme

    @property
    def extent(self) -> tuple[int, int]:
        """Width and height in logical pixels."""
        return self.size.width(), self.size.height()
