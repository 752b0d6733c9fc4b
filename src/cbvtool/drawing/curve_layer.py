"""The relations, drawn once from above into a picture that the disc then carries as its texture.

They lie in one plane. So a frame costs the same while the camera moves, however many relations there are (design 7):
lines would cost their pixels in every frame, a texture costs them once for each change of the picture.
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

from cbvtool.drawing.gl import SMALL, offscreen_window, pixels_of, resize
from cbvtool.drawing.surface import Surface
from cbvtool.drawing.warming import compiled
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import RELATION_ALPHA, opacity_share
from cbvtool.geometry.scene.ink import Crowd, crowd
from cbvtool.geometry.scene.recoloring import recolor, recoloring
from cbvtool.geometry.scene.ribbons import hairlines, refined, ribbons

RIBBONS = 4000  # up to this number, curves are ribbons; more are hairlines, as nobody would see their taper
PORTION = 400  # ribbons drawn in one go at first: about a twentieth of a second in software
PORTIONS = (50, 3200)  # smallest and largest portion: in a window, its size adapts to the time below
PACE = 0.03
HAIRS = 4  # hairlines that take as long as one ribbon
HAIR_WIDTHS = (1.4, 2.2)  # factors of thickness from which on hairlines are two and three texels wide
PIXELS = (1024, 3072)  # smallest and largest side of the picture
STEP = 512  # sides are multiples of this, so that a small change of the view needs no other picture
BORDER = 1.05  # factor on the part of the plane that is drawn, because a texture repeats beyond its edge
OVERSAMPLING = 2.5  # texels for a pixel of the frame: mipmaps smooth the edges, which are not antialiased
GL_FUNC_ADD, GL_MIN, GL_MAX = 0x8006, 0x8007, 0x8008  # as OpenGL's headers number them
STRONG = 0.75  # strength of a relation's colour if crossings show the darkest colour
LEFT_OUT = 0.12  # opacity of relations that a filter leaves out
DISC = 1.0  # half the side of the square in which curves are counted: all of them lie in the ring
ALONE = 0.7  # share of its usual opacity that a curve keeps, among very many, where no other crosses it
STRONGEST = 0.95  # largest opacity of a relation: lower ones shine through

Color = tuple[int, int, int, int]


@dataclass(frozen=True)
class Window:
    """The part of the plane that the texture covers: a square around (x, y), and its side in pixels.

    thinner   factor on the width of the curves: in a close-up they are drawn thinner
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
    """A part of a frame, in pixels from the top left corner; `scale` pixels stand for one logical pixel."""

    left: int
    top: int
    width: int
    height: int
    scale: float = 1.0


class CurveLayer:
    """A picture of planar curves that VTK uses as a texture; it includes the ground, so it is opaque."""

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
        self.texture.SetMaximumAnisotropicFiltering(1)  # higher values cost half a frame and make no visible difference
        self.texture.SetInputData(self._image)
        self._curves = np.empty((0, 2, 3), np.float32)
        self._color = np.empty((0, 2, 4), np.uint8)
        self._ground: Color = (0, 0, 0, 255)
        self._extreme = False
        self._sorted = True
        self._left_out: npt.NDArray[np.float32] | None = None
        self._grey: Color = (0, 0, 0, 0)
        self._width = (0.0, 0.0)
        self._thickness = np.empty(0, np.float32)
        self._published = False  # whether the texture shows these curves, or some of them
        self._stays = False  # whether the texture may stay until all is drawn
        self._shows: Window | None = None  # the part of the plane that the texture shows
        self.restyled = False  # only colours or widths changed: the old drawing may be shown meanwhile
        self._long_first: npt.NDArray[np.int64] | None = None  # rows by length; None = not sorted yet
        self._order = np.empty(0, np.int64)  # rows in the order of drawing
        self._crowd: Crowd | None = None  # density of the curves; None = not computed yet
        self._ends: list[int] = []  # where the hairlines of each width end
        self._at: Window | None = None
        self._done = 0
        self._shown = False  # whether the texture shows everything drawn so far
        self._at_once = PORTION  # size of the next portion, in ribbons
        self._used = False  # whether it drew since the last call of `rest`

    @property
    def window(self) -> Window | None:
        """The part of the plane that the image shows, or will show when it is drawn."""
        return self._at

    @property
    def shows(self) -> Window | None:
        """The part of the plane that the texture shows now; None = nothing was drawn yet."""
        return self._shows

    @property
    def pending(self) -> bool:
        """Whether some curves are not drawn, or drawn but not shown yet."""
        return self._at is not None and (self._done < len(self._curves) or self._done < 0 or not self._shown)

    def show(
        self,
        curves: npt.NDArray[np.float32],
        color: npt.NDArray[np.uint8],
        width: tuple[float, float],
        ground: Color,
        thickness: npt.NDArray[np.float32] | None = None,
        left_out: npt.NDArray[np.float32] | None = None,
        grey: Color = (128, 128, 128, 255),
        *,
        stay: bool = False,
    ) -> None:
        """Take other curves, float32[e, S, 3] with colours uint8[e, S, 4].

        width      of the curves, at their first and last sample
        thickness  float32[e]: factor on the width of each curve; None = 1
        left_out   float32[k, S, 3]: further curves, drawn faintly in `grey` below all others; None = none
        stay       show the old curves until all new ones are drawn; for a ring that did not change
        """
        if curves is not self._curves:
            self._long_first = self._crowd = None
        self.restyled = self._published and curves is self._curves
        if self.restyled:
            self.restyled = self._recolor(color, ground)
        self._left_out, self._grey = left_out, grey
        self._published = self.restyled
        self._stays = self._stays and (stay or self.restyled)
        self._curves, self._color = curves, color
        self._thickness = np.ones(len(curves), np.float32) if thickness is None else thickness
        self._sorted = False  # only once they are drawn, because the call that shows them is busy enough
        self._width, self._ground = width, ground
        self._done = -1

    def _recolor(self, color: npt.NDArray[np.uint8], ground: Color) -> bool:
        """Change the colours of the texture without drawing it, if possible. Returns whether it may stay in view."""
        if color is self._color and ground == self._ground:
            return True
        matrix = None if self._extreme else recoloring(self._color, self._ground, color, ground)
        if matrix is None:
            return ground == self._ground
        recolor(pixels_of(self._pixels).reshape(-1, 3), matrix, self._ground, ground)
        self._pixels.Modified()
        self._image.Modified()
        return True

    def blend(self, blending: str, *, dark: bool) -> None:
        """How crossing curves mix: `minimum` takes the darkest value of each channel, on dark ground the lightest.

        Then both directions show in every bundle (EX-4), because curves drawn later do not cover earlier ones.
        """
        self._extreme = blending == "minimum"
        equation = (GL_MAX if dark else GL_MIN) if self._extreme else GL_FUNC_ADD
        window: Any = self._window  # an OpenGL window, as made by `offscreen_window`, has a state
        window.GetState().vtkglBlendEquation(equation)

    def cover(self, window: Window) -> None:
        """Make the image show this part of the plane."""
        if window != self._at:
            self._at = window
            self._done = -1

    def draw(self, *, one_portion: bool = False, show_part: bool = True) -> None:
        """Draw the pending curves, portion by portion.

        one_portion  draw one portion only. The texture stays as it was until all is drawn (look-and-feel: speed must
                     not lie). If it shows nothing of this scene, it shows an even sample of the curves meanwhile, drawn
                     as strongly as a small number of curves is
        show_part    allow such a sample. If False, or while the texture stays, no sample is drawn, and allocating and
                     showing a picture take a call each
        """
        if not self.pending or self._at is None:
            return
        self._used = True
        if not self._sorted:
            self._sort()
        if one_portion and show_part and len(self._curves) > self._sample:
            self._stays &= self._shows is not None and self._shows.half == self._at.half
            if self._done < 0 and not self._stays:
                self._preview(self._at)
                return
            show_part = False
        if self._done < 0:
            self._begin(self._at)
            self._draw_left_out(self._at)
            if not show_part:  # allocating a large picture takes as long as drawing a portion
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

    @property
    def _sample(self) -> int:
        """Number of curves in a preview: as many as in a first portion."""
        return PORTION * (1 if len(self._curves) <= RIBBONS else HAIRS)

    def _preview(self, at: Window) -> None:
        """Let the texture show an even sample of the curves as a preview; all of them are still pending."""
        self._begin(at)
        self._draw_left_out(at)
        rows = self._order[np.linspace(0, len(self._order) - 1, self._sample).astype(np.int64)]
        color = self._color[rows]
        if not self._extreme:
            strong = color[:, :, 3] * np.float32(max(opacity_share(len(rows)), 1.0))
            color[:, :, 3] = np.minimum(strong, 255 * STRONGEST)
        self._surface.actor.GetProperty().SetLineWidth(at.hair)
        self._surface.set_lines(*hairlines(self._curves[rows], color, at.half / at.pixels))
        self._render()
        self._publish(at)
        self._published, self._shown, self._done = False, False, -1

    def _draw_left_out(self, at: Window) -> None:
        """Draw the faint curves that a filter leaves out, on empty ground."""
        if self._left_out is None or not len(self._left_out):
            self._surface.hide()
        else:
            color = np.empty((*self._left_out.shape[:2], 4), np.uint8)
            color[:] = (*self._grey[:3], round(255 * LEFT_OUT))
            self._surface.actor.GetProperty().SetLineWidth(at.hair)
            self._surface.set_lines(*hairlines(self._left_out, color, at.half / at.pixels))
        self._render()

    def _draw_portion(self, at: Window, *, one: bool) -> None:
        """Draw the next portion; `one`: of the size that keeps a window responsive."""
        per_pixel = 2 * at.half / at.pixels
        thinner = at.thinner * math.sqrt(opacity_share(len(self._curves)))
        # A ribbon thinner than a pixel would have gaps.
        width = np.maximum(thinner * np.outer(self._thickness, self._width), per_pixel).astype(np.float32)
        fat = len(self._curves) <= RIBBONS
        thicker = 1 + sum(end <= self._done for end in self._ends)
        if self._done in self._ends:  # wider hairlines take much longer than those that set the pace
            self._at_once = min(self._at_once, PORTION // 4)
        portion = (self._at_once if one else PORTION) * (1 if fat else HAIRS) // thicker
        if one and self._done == 0:
            portion = PORTION // thicker  # the user waits for the first frame after a change
        begin = perf_counter()
        end = min([self._done + portion, len(self._curves), *(end for end in self._ends if end > self._done)])
        part = slice(self._done, end)
        if fat:
            fine = refined(*self._portion(part, at))
            shape = ribbons(*fine, width[self._order[part]], tolerance=per_pixel / 2)
            self._surface.set(shape.points, shape.triangles, shape.color)
        else:
            self._surface.actor.GetProperty().SetLineWidth(at.hair * thicker)
            self._surface.set_lines(*hairlines(*self._portion(part, at), per_pixel / 2))
        self._render()
        if one:
            self._window.WaitForCompletion()  # otherwise OpenGL queues, and the last portion takes the time of all
        if one and end == self._done + portion:
            self._keep_pace(perf_counter() - begin)
        self._done, self._shown = end, False

    def _render(self) -> None:
        self._window.Render()
        self._renderer.PreserveColorBufferOn()

    def _keep_pace(self, seconds: float) -> None:
        """Adapt the size of the next portion to the time that the last one took."""
        smallest, largest = PORTIONS
        change = min(max(PACE / max(seconds, 1e-3), 0.5), 2.0)
        self._at_once = min(max(round(self._at_once * change), smallest), largest)

    def rest(self) -> bool:
        """Free the window for drawing if it was not used since the last call; it is made anew when needed.

        Returns whether it was used.
        """
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

    def _portion(self, part: slice, at: Window) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint8]]:
        """The curves and colours of a part of the drawing order, paler among many curves and where curves crowd."""
        rows = self._order[part]
        curves, color = self._curves[rows], self._color[rows]
        if self._extreme:  # this blending ignores opacity, so that faint curves get a colour nearer to the ground
            share = np.minimum(color[:, :, 3:] / (255 * RELATION_ALPHA), 1.0) * STRONG
            color[:, :, :3] = np.rint(color[:, :, :3] * share + np.array(self._ground[:3]) * (1 - share))
            color[:, :, 3] = 255
            return curves, color
        if self._crowd is None:
            self._crowd = crowd(self._curves, DISC)
        count = len(self._curves)
        alone = max(opacity_share(count), ALONE) * RELATION_ALPHA
        own = color[:, :, 3] * np.float32(
            1 / (255 * RELATION_ALPHA)
        )  # factor for relations that are to be stronger, or fainter
        ink = self._crowd.opacity(curves, self._seen_width(at), alone) * own
        color[:, :, 3] = np.rint(255 * np.minimum(ink, STRONGEST))
        return curves, color

    def _seen_width(self, at: Window) -> float:
        """Approximate width of the curves in the picture, in radii of the disc; for hairlines, one pixel."""
        per_pixel = 2 * at.half / at.pixels
        if len(self._curves) > RIBBONS:
            return per_pixel * at.hair
        return max(at.thinner * math.sqrt(opacity_share(len(self._curves))) * sum(self._width) / 2, per_pixel)

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
        self._published = self._shown = self._stays = True
        self._shows = at
        self._window.GetPixelData(0, 0, at.pixels - 1, at.pixels - 1, 0, self._pixels, 0)
        self._image.SetDimensions(at.pixels, at.pixels, 1)
        self._image.GetPointData().SetScalars(self._pixels)
        self._pixels.Modified()
        self._image.Modified()


def window_for(camera: Camera, radius: float, width: int, height: int, part: Part | None = None) -> Window:
    """The part of the plane for a frame of width x height pixels: the whole disc, or, in a close-up, its visible part.

    part  the part of the frame that is wanted. Curves look alike in the pictures of all parts of a frame
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
    """As `window_for`. `whole`: pixels for the whole disc; `pixel`: length on the disc of a pixel of the frame."""
    smallest, largest = PIXELS
    everything = _seen(camera, radius, width, height, Part(0, 0, width, height))
    thinner = 1.0 if everything is None else math.sqrt(min(everything[2] / radius, 1.0))
    seen = _seen(camera, radius, width, height, part)
    if whole <= largest or seen is None:
        return Window(0.0, 0.0, radius, _rounded(min(max(whole, smallest), largest)), thinner, part.scale)
    half = seen[2] * BORDER
    side = _rounded(min(OVERSAMPLING * 2 * half / pixel, largest))
    half = max(side * pixel / OVERSAMPLING / 2, half)  # so that all parts have pixels of the same length
    return Window(seen[0], seen[1], half, side, thinner, part.scale)


def _rounded(side: float) -> int:
    return math.ceil(side / STEP) * STEP


def _seen(camera: Camera, radius: float, width: int, height: int, part: Part) -> tuple[float, float, float] | None:
    """Middle and half side of a square around the visible disc in a part of a frame; None = it reaches the horizon."""
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
