"""The relations, drawn once from above into a picture that the disc then carries as its texture.

They lie in one plane, so that however many there are, a frame costs the same while the camera moves (DESIGN 7):
lines cost their pixels in every frame, a texture costs them once for each change of what is shown.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkTexture

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.ribbons import hairlines, refined, ribbons
from cbvtool.view.gl import offscreen_window, pixels_of
from cbvtool.view.surface import Surface

RIBBONS = 4000  # so many curves are ribbons; more of them are hairlines, whose taper nobody would see
PORTION = 400  # ribbons drawn in one go: about a twentieth of a second in software
HAIRS = 4  # hairlines in the time of one ribbon
CLEAR = 700  # so many curves keep their opacity; more of them are drawn paler and thinner, or a grey blob is left
FAINTEST = 0.3  # of their opacity
PIXELS = (1024, 3072)  # smallest and largest side of the picture
STEP = 512  # sides are multiples of this, so that a small change of the view needs no other picture
OVERSAMPLING = 2.5  # texels for a pixel of the frame: mipmaps smooth the edges, which are drawn hard

Color = tuple[int, int, int, int]


@dataclass(frozen=True)
class Window:
    """The part of the plane that the texture covers: a square around (x, y), and its side in pixels.

    thinner   factor on the width of the curves: seen from near, they need not be as wide as they are
    """

    x: float
    y: float
    half: float
    pixels: int
    thinner: float = 1.0


class CurveLayer:
    """An image of planar curves, which VTK can use as a texture; the ground is part of it, so it is opaque."""

    def __init__(self) -> None:
        self._window = offscreen_window()
        self._window.SetMultiSamples(0)
        self._renderer = vtkRenderer()
        self._renderer.SetUseOIT(False)
        self._window.AddRenderer(self._renderer)
        self._camera = self._renderer.GetActiveCamera()
        self._camera.ParallelProjectionOn()
        self._surface = Surface(translucent=True)
        self._renderer.AddActor(self._surface.actor)
        self._pixels = vtkUnsignedCharArray()
        self._image = vtkImageData()
        self.texture = vtkTexture()
        self.texture.SetColorModeToDirectScalars()
        self.texture.InterpolateOn()
        self.texture.MipmapOn()
        self.texture.SetMaximumAnisotropicFiltering(1)  # more costs half a frame, and cannot be seen
        self.texture.SetInputData(self._image)
        self._curves = np.empty((0, 2, 3), np.float32)
        self._color = np.empty((0, 2, 4), np.uint8)
        self._ground: Color = (0, 0, 0, 255)
        self._sorted = True
        self._width = (0.0, 0.0)
        self._at: Window | None = None
        self._done = 0

    @property
    def window(self) -> Window | None:
        """The part of the plane that the image shows."""
        return self._at

    @property
    def pending(self) -> bool:
        """Whether there are curves that are not drawn yet."""
        return self._at is not None and (self._done < len(self._curves) or self._done < 0)

    def show(
        self, curves: npt.NDArray[np.float32], color: npt.NDArray[np.uint8], width: tuple[float, float], ground: Color
    ) -> None:
        """Take other curves, float32[e, S, 3] with colours uint8[e, S, 4]; `width` at their first and last sample."""
        self._curves, self._color = curves, color
        self._sorted = False  # once they are drawn: whoever shows them has enough to do
        self._width, self._ground = width, ground
        self._done = -1

    def cover(self, window: Window) -> None:
        """Make the image show this part of the plane."""
        if window != self._at:
            self._at = window
            self._done = -1

    def draw(self, *, one_portion: bool = False, show_part: bool = True) -> None:
        """Draw what is pending, portion by portion.

        one_portion  leave the rest pending after the first one
        show_part    the texture shows what is drawn so far; else it stays as it was until all is drawn
        """
        if not self.pending or self._at is None:
            return
        at = self._at
        if not self._sorted:
            self._sort()
        if self._done < 0:
            self._begin(at)
        per_pixel = 2 * at.half / at.pixels
        thinner = at.thinner * math.sqrt(opacity_share(len(self._curves)))
        # A ribbon thinner than a pixel would be drawn with holes.
        first, last = (max(width * thinner, per_pixel) for width in self._width)
        fat = len(self._curves) <= RIBBONS
        portion = PORTION if fat else PORTION * HAIRS
        while True:
            part = slice(self._done, self._done + portion)
            if fat:
                fine = refined(self._curves[part], self._color[part])
                shape = ribbons(*fine, (first, last), tolerance=per_pixel / 2)
                self._surface.set(shape.points, shape.triangles, shape.color)
            else:
                self._surface.set_lines(*hairlines(self._curves[part], self._color[part], per_pixel / 2))
            self._window.Render()
            self._renderer.PreserveColorBufferOn()
            self._done = min(self._done + portion, len(self._curves))
            if self._done == len(self._curves) or one_portion:
                break
        if show_part or not self.pending:
            self._publish(at)

    def close(self) -> None:
        """Free the window."""
        self._window.Finalize()

    def _sort(self) -> None:
        order = np.argsort(-_length(self._curves), kind="stable")  # long ones first: short ones are seen on top of them
        self._curves, self._color = self._curves[order], self._color[order]
        self._color[:, :, 3] = np.round(self._color[:, :, 3] * opacity_share(len(order)))
        self._sorted = True

    def _begin(self, at: Window) -> None:
        self._done = 0
        self._window.SetSize(at.pixels, at.pixels)
        self._renderer.PreserveColorBufferOff()
        self._renderer.SetBackground(*(channel / 255 for channel in self._ground[:3]))
        self._camera.SetPosition(at.x, at.y, 1.0)
        self._camera.SetFocalPoint(at.x, at.y, 0.0)
        self._camera.SetViewUp(0.0, 1.0, 0.0)
        self._camera.SetParallelScale(at.half)
        self._camera.SetClippingRange(0.1, 2.0)

    def _publish(self, at: Window) -> None:
        self._window.GetPixelData(0, 0, at.pixels - 1, at.pixels - 1, 0, self._pixels, 0)
        self._image.SetDimensions(at.pixels, at.pixels, 1)
        self._image.GetPointData().SetScalars(self._pixels)
        self._pixels.Modified()
        self._image.Modified()

    def pixels(self) -> npt.NDArray[np.uint8]:
        """uint8[h, w, 3]: a copy of what was drawn, row 0 at the bottom (for tests)."""
        assert self._at is not None
        side = self._at.pixels
        return np.array(pixels_of(self._pixels)).reshape(side, side, 3)


def window_for(camera: Camera, radius: float, width: int, height: int) -> Window:
    """What the picture must show for a frame of width x height pixels: the whole disc, or, near it, what is seen."""
    pixel = 2 * camera.distance * math.tan(math.radians(camera.fov) / 2) / height  # length of a pixel on the disc
    smallest, largest = PIXELS
    whole = OVERSAMPLING * 2 * radius / pixel
    if whole > largest:
        seen = _seen(camera, radius, width, height)
        if seen is not None and seen[2] < radius:
            side = OVERSAMPLING * 2 * seen[2] / pixel
            return Window(*seen, _rounded(min(max(side, smallest), largest)), math.sqrt(seen[2] / radius))
    return Window(0.0, 0.0, radius, _rounded(min(max(whole, smallest), largest)))


def _rounded(side: float) -> int:
    return math.ceil(side / STEP) * STEP


def _seen(camera: Camera, radius: float, width: int, height: int) -> tuple[float, float, float] | None:
    """Middle and half side of a square around what the frame shows of the disc; None = up to the horizon."""
    corners = [camera.on_disc(x, y, width, height) for x in (0, width) for y in (0, height)]
    if any(corner is None for corner in corners):
        return None
    spots = np.clip(np.array(corners, np.float64), -radius, radius)
    low, high = spots.min(axis=0), spots.max(axis=0)
    half = float((high - low).max()) / 2
    x, y = (low + high) / 2
    return float(x), float(y), max(half, 1e-3)


def opacity_share(curves: int) -> float:
    """The share of its opacity that a curve keeps among so many: less ink for each, as their number grows."""
    return max(FAINTEST, min(1.0, math.sqrt(CLEAR / max(curves, 1))))


def _length(curves: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """float32[e]: about how long the curves are: along every fourth sample, which is enough to sort them."""
    x, y = curves[:, ::4, 0], curves[:, ::4, 1]
    result: npt.NDArray[np.float32] = np.hypot(np.diff(x), np.diff(y)).sum(axis=1)
    return result
