"""The relations, drawn once from above into a picture that the disc then carries as its texture.

They lie in one plane, so that however many there are, a frame costs the same while the camera moves (design 7):
lines cost their pixels in every frame, a texture costs them once for each change of what is shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from vtkmodules.vtkCommonCore import vtkUnsignedCharArray
from vtkmodules.vtkCommonDataModel import vtkImageData
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkTexture

from cbvtool.drawing.gl import SMALL, offscreen_window, resize
from cbvtool.drawing.surface import Surface
from cbvtool.drawing.warming import compiled
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import RELATION_ALPHA, opacity_share
from cbvtool.geometry.scene.ribbons import hairlines, refined, ribbons

RIBBONS = 4000  # so many curves are ribbons; more of them are hairlines, whose taper nobody would see
PORTION = 400  # ribbons drawn in one go at first: about a twentieth of a second in software
PORTIONS = (50, 3200)  # the smallest and the largest: a portion in a window shall take so many seconds
PACE = 0.03
HAIRS = 4  # hairlines in the time of one ribbon
HAIR_WIDTHS = (1.4, 2.2)  # factors of thickness from which on hairlines are two and three texels wide
PIXELS = (1024, 3072)  # smallest and largest side of the picture
STEP = 512  # sides are multiples of this, so that a small change of the view needs no other picture
BORDER = 1.05  # of what a part shows: beyond its edge a texture would begin anew
OVERSAMPLING = 2.5  # texels for a pixel of the frame: mipmaps smooth the edges, which are drawn hard
GL_FUNC_ADD, GL_MIN, GL_MAX = 0x8006, 0x8007, 0x8008  # as OpenGL's headers number them
STRONG = 0.75  # of a relation's colour where crossings show the darkest

Color = tuple[int, int, int, int]


@dataclass(frozen=True)
class Window:
    """The part of the plane that the texture covers: a square around (x, y), and its side in pixels.

    thinner   factor on the width of the curves: seen from near, they need not be as wide as they are
    hair      width of a hairline, in pixels of the picture
    """

    x: float
    y: float
    half: float
    pixels: int
    thinner: float = 1.0
    hair: float = 1.0


@dataclass(frozen=True)
class Part:
    """A part of a frame, in pixels from the top left corner; `scale` pixels are what usually is one."""

    left: int
    top: int
    width: int
    height: int
    scale: float = 1.0


class CurveLayer:
    """An image of planar curves, which VTK can use as a texture; the ground is part of it, so it is opaque."""

    def __init__(self) -> None:
        self._window = offscreen_window(depth=False)
        self._renderer = vtkRenderer()
        self._renderer.SetUseOIT(False)
        self._window.AddRenderer(self._renderer)
        self._camera = self._renderer.GetActiveCamera()
        self._camera.ParallelProjectionOn()
        self._surface = Surface(self._window, translucent=True)
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
        self._extreme = False
        self._sorted = True
        self._width = (0.0, 0.0)
        self._thickness = np.empty(0, np.float32)
        self._published = False  # the texture shows these curves, or some of them
        self.restyled = False  # the same curves in other colours or widths: what was drawn may be seen meanwhile
        self._long_first: npt.NDArray[np.int64] | None = None  # rows by length; None = not sorted yet
        self._order = np.empty(0, np.int64)  # in which they are drawn
        self._ends: list[int] = []  # where the hairlines of each width end
        self._at: Window | None = None
        self._done = 0
        self._shown = False  # the texture shows all that is drawn
        self._at_once = PORTION  # ribbons
        self._used = False  # since the last call of `rest`

    @property
    def window(self) -> Window | None:
        """The part of the plane that the image shows."""
        return self._at

    @property
    def pending(self) -> bool:
        """Whether there are curves that are not drawn, or not shown yet."""
        return self._at is not None and (self._done < len(self._curves) or self._done < 0 or not self._shown)

    def show(
        self,
        curves: npt.NDArray[np.float32],
        color: npt.NDArray[np.uint8],
        width: tuple[float, float],
        ground: Color,
        thickness: npt.NDArray[np.float32] | None = None,
    ) -> None:
        """Take other curves, float32[e, S, 3] with colours uint8[e, S, 4].

        width      at their first and last sample
        thickness  float32[e]: factor on that of each; None = 1
        """
        if curves is not self._curves:
            self._long_first = None
        self.restyled = self._published and curves is self._curves and ground == self._ground
        self._published = self.restyled
        self._curves, self._color = curves, color
        self._thickness = np.ones(len(curves), np.float32) if thickness is None else thickness
        self._sorted = False  # once they are drawn: whoever shows them has enough to do
        self._width, self._ground = width, ground
        self._done = -1

    def blend(self, blending: str, *, dark: bool) -> None:
        """What is seen where curves cross: with `minimum` the darkest of each channel, on dark ground the lightest.

        Opposite directions then show in every bundle (EX-4): what is drawn last does not cover the others.
        """
        self._extreme = blending == "minimum"
        equation = (GL_MAX if dark else GL_MIN) if self._extreme else GL_FUNC_ADD
        window: Any = self._window  # one that draws with OpenGL, as `offscreen_window` makes them, has a state
        window.GetState().vtkglBlendEquation(equation)

    def cover(self, window: Window) -> None:
        """Make the image show this part of the plane."""
        if window != self._at:
            self._at = window
            self._done = -1

    def draw(self, *, one_portion: bool = False, show_part: bool = True) -> None:
        """Draw what is pending, portion by portion.

        one_portion  leave the rest pending after the first one
        show_part    the texture shows what is drawn so far; else it stays as it was until all is drawn, and making
                     room for that, and showing it, are calls of their own
        """
        if not self.pending or self._at is None:
            return
        self._used = True
        if not self._sorted:
            self._sort()
        if self._done < 0:
            self._begin(self._at)
            if not show_part:  # memory for a large picture takes as long as a portion
                self._surface.hide()
                self._render()
                return
        elif self._done == len(self._curves):
            self._publish(self._at)
            return
        while True:
            self._draw_portion(self._at, one=one_portion)
            if self._done == len(self._curves) or one_portion:
                break
        if show_part:
            self._publish(self._at)

    def _draw_portion(self, at: Window, *, one: bool) -> None:
        """Draw the next curves; `one`: as many as a window has time for."""
        per_pixel = 2 * at.half / at.pixels
        thinner = at.thinner * math.sqrt(opacity_share(len(self._curves)))
        # A ribbon thinner than a pixel would be drawn with holes.
        width = np.maximum(thinner * np.outer(self._thickness, self._width), per_pixel).astype(np.float32)
        fat = len(self._curves) <= RIBBONS
        thicker = 1 + sum(end <= self._done for end in self._ends)
        if self._done in self._ends:  # wider ones take much longer than those that the pace is of
            self._at_once = min(self._at_once, PORTION // 4)
        portion = (self._at_once if one else PORTION) * (1 if fat else HAIRS) // thicker
        if one and self._done == 0:
            portion = PORTION // thicker  # whoever has changed something waits for this frame
        begin = perf_counter()
        end = min([self._done + portion, len(self._curves), *(end for end in self._ends if end > self._done)])
        part = slice(self._done, end)
        if fat:
            fine = refined(*self._portion(part))
            shape = ribbons(*fine, width[self._order[part]], tolerance=per_pixel / 2)
            self._surface.set(shape.points, shape.triangles, shape.color)
        else:
            self._surface.actor.GetProperty().SetLineWidth(at.hair * thicker)
            self._surface.set_lines(*hairlines(*self._portion(part), per_pixel / 2))
        self._render()
        if one:
            self._window.WaitForCompletion()  # else it is the last portion that takes the time of all
        if one and end == self._done + portion:
            self._keep_pace(perf_counter() - begin)
        self._done, self._shown = end, False

    def _render(self) -> None:
        self._window.Render()
        self._renderer.PreserveColorBufferOn()

    def _keep_pace(self, seconds: float) -> None:
        """The next portion is larger or smaller, as the last one took so long."""
        smallest, largest = PORTIONS
        change = min(max(PACE / max(seconds, 1e-3), 0.5), 2.0)
        self._at_once = min(max(round(self._at_once * change), smallest), largest)

    def rest(self) -> bool:
        """Free what it draws in (the next drawing makes it anew), unless that was used since the last call; whether."""
        used, self._used = self._used, False
        if not used and not self.pending and self._window.GetSize() != SMALL:
            resize(self._window, *SMALL)
            self._window.Render()
        return used

    def warm_up(self) -> Iterator[None]:
        """Let OpenGL compile what the first picture will need, step by step."""
        ribbon, hairline = Surface(self._window, translucent=True), Surface(self._window, translucent=True)
        yield from compiled(self._window, self._renderer, [ribbon], [hairline])

    def close(self) -> None:
        """Free the window."""
        self._window.Finalize()

    def _sort(self) -> None:
        # Long ones first: short ones are seen on top of them. Hairlines of one width are drawn together.
        if self._long_first is None:
            self._long_first = np.argsort(-_length(self._curves))
        hair = np.searchsorted(HAIR_WIDTHS, self._thickness, "right") * (len(self._curves) > RIBBONS)
        hair = hair.astype(np.uint8)
        self._order = self._long_first[np.argsort(hair[self._long_first], kind="stable")]
        self._ends = np.cumsum(np.bincount(hair, minlength=len(HAIR_WIDTHS) + 1))[:-1].tolist()
        self._sorted = True

    def _portion(self, part: slice) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint8]]:
        """Curves and colours of a part of the order in which they are drawn, paler among many."""
        rows = self._order[part]
        color = self._color[rows]
        if self._extreme:  # opacity has no say in it: what is not to stand out is nearer to the ground
            share = np.minimum(color[:, :, 3:] / (255 * RELATION_ALPHA), 1.0) * STRONG
            color[:, :, :3] = np.rint(color[:, :, :3] * share + np.array(self._ground[:3]) * (1 - share))
            color[:, :, 3] = 255
        else:
            color[:, :, 3] = np.round(color[:, :, 3] * opacity_share(len(self._order)))
        return self._curves[rows], color

    def _begin(self, at: Window) -> None:
        self._done, self._shown = 0, False
        fat = len(self._curves) <= RIBBONS
        self._at_once = min(self._at_once, PORTION if fat else PORTION // 2)  # the last were short, the first are long
        resize(self._window, at.pixels, at.pixels)
        self._renderer.PreserveColorBufferOff()
        self._renderer.SetBackground(*(channel / 255 for channel in self._ground[:3]))
        self._camera.SetPosition(at.x, at.y, 1.0)
        self._camera.SetFocalPoint(at.x, at.y, 0.0)
        self._camera.SetViewUp(0.0, 1.0, 0.0)
        self._camera.SetParallelScale(at.half)
        self._camera.SetClippingRange(0.1, 2.0)

    def _publish(self, at: Window) -> None:
        self._published = self._shown = True
        self._window.GetPixelData(0, 0, at.pixels - 1, at.pixels - 1, 0, self._pixels, 0)
        self._image.SetDimensions(at.pixels, at.pixels, 1)
        self._image.GetPointData().SetScalars(self._pixels)
        self._pixels.Modified()
        self._image.Modified()


def window_for(camera: Camera, radius: float, width: int, height: int, part: Part | None = None) -> Window:
    """What the picture must show for a frame of width x height pixels: the whole disc, or, near it, what is seen.

    part  that alone is wanted. All parts of a frame get pictures in which curves look alike
    """
    pixel = 2 * camera.distance * math.tan(math.radians(camera.fov) / 2) / height  # length of a pixel on the disc
    smallest, largest = PIXELS
    whole = OVERSAMPLING * 2 * radius / pixel
    if part is not None:
        return _window_of_part(camera, radius, width, height, part, whole, pixel)
    if whole > largest:
        seen = _seen(camera, radius, width, height, Part(0, 0, width, height))
        if seen is not None and seen[2] < radius:
            side = OVERSAMPLING * 2 * seen[2] / pixel
            return Window(*seen, _rounded(min(max(side, smallest), largest)), math.sqrt(seen[2] / radius))
    return Window(0.0, 0.0, radius, _rounded(min(max(whole, smallest), largest)))


def _window_of_part(
    camera: Camera, radius: float, width: int, height: int, part: Part, whole: float, pixel: float
) -> Window:
    """As `window_for`; `whole`: pixels that the whole disc needs, `pixel`: length of one of the frame on the disc."""
    smallest, largest = PIXELS
    everything = _seen(camera, radius, width, height, Part(0, 0, width, height))
    thinner = 1.0 if everything is None else math.sqrt(min(everything[2] / radius, 1.0))
    seen = _seen(camera, radius, width, height, part)
    if whole <= largest or seen is None:
        return Window(0.0, 0.0, radius, _rounded(min(max(whole, smallest), largest)), thinner, part.scale)
    half = seen[2] * BORDER
    side = _rounded(min(OVERSAMPLING * 2 * half / pixel, largest))
    half = max(side * pixel / OVERSAMPLING / 2, half)  # so that a pixel is as long in the pictures of all parts
    return Window(seen[0], seen[1], half, side, thinner, part.scale)


def _rounded(side: float) -> int:
    return math.ceil(side / STEP) * STEP


def _seen(camera: Camera, radius: float, width: int, height: int, part: Part) -> tuple[float, float, float] | None:
    """Middle and half side of a square around what part of a frame shows of the disc; None = up to the horizon."""
    across, down = (part.left, part.left + part.width), (part.top, part.top + part.height)
    corners = [camera.on_disc(x, y, width, height) for x in across for y in down]
    if any(corner is None for corner in corners):
        return None
    spots = np.clip(np.array(corners, np.float64), -radius, radius)
    low, high = spots.min(axis=0), spots.max(axis=0)
    half = float((high - low).max()) / 2
    x, y = (low + high) / 2
    return float(x), float(y), max(half, 1e-3)


def _length(curves: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """float32[e]: about how long the curves are: along every fourth sample, which is enough to sort them."""
    step = np.diff(curves[:, ::4, :2], axis=1)
    result: npt.NDArray[np.float32] = np.sqrt((step * step).sum(axis=2)).sum(axis=1)
    return result
