"""Draws a scene offscreen with VTK and returns the pixels. Both the window and `render` draw with it."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image
from vtkmodules.vtkCommonCore import vtkCommand, vtkUnsignedCharArray
from vtkmodules.vtkRenderingCore import vtkRenderer

from cbvtool.bundling.fan_out import thinned
from cbvtool.drawing.curve_layer import PIXELS, CurveLayer, Part, Window, window_for
from cbvtool.drawing.emphasis import Emphasis
from cbvtool.drawing.gl import offscreen_window, pixels_of, resize
from cbvtool.drawing.over_everything import OverEverything
from cbvtool.drawing.shaders import FLAT, SMOOTH, TEXTURED, THROUGH
from cbvtool.drawing.surface import Surface
from cbvtool.drawing.warming import any_texture, compiled
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import FADED_CURVES, FADED_ITEMS, RELATION_ALPHA, THEMES, Theme, opacity_share
from cbvtool.geometry.overlay.legends import SHALLOW
from cbvtool.geometry.overlay.levels import level_lines
from cbvtool.geometry.scene.closed import Rims, collapsed, rims
from cbvtool.geometry.scene.coarse import Coarse, coarsen
from cbvtool.geometry.scene.layers import over_layers
from cbvtool.geometry.scene.ribbons import CURVE_WIDTH, refined, ribbons
from cbvtool.geometry.scene.rings import Mesh, ring_mesh, shades
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.scene.shadow import Shadow, contact_shadow

Frame = npt.NDArray[np.uint8]
Color = tuple[int, int, int, int]

# A still picture is drawn twice as large in each direction and averaged down. In software, this costs half as much as
# four multi-samples, and smooths the relations as well (docs/decisions/drawing.md).
FINE = 2
# `piece` draws a still frame in n * n parts, none larger than a moving frame; MANY_CUTS while many relations are
# highlighted.
CUTS, MANY_CUTS = 2, 4
LARGEST = 8192  # px, side of a window that every OpenGL can make
# If `PACES` frames of a movement in a row each take longer than `SLOW` seconds, the next ones have half the resolution
# until the picture stands still. With fewer than `MANY` pixels that would gain little.
PACES, SLOW, MANY = 3, 0.06, 1_000_000
SLIVER = 1.5  # px: neighbours thinner than this are drawn as one
DETAIL_STEP = 1.4  # factor by which the camera comes nearer before slivers are separated again
SOFT = 0.0012  # border of the ribbons that are drawn in the frame itself
# The most relations that are highlighted: FIRST_LIT while the picture moves or has just changed, MOST_LIT when it
# stands still. More would lie on top of each other, and make the window slow to respond.
FIRST_LIT, MOST_LIT = 400, 1_500
LIT_THROUGH = 0.4  # opacity of highlighted relations behind a wall
GLASS = 60  # alpha of blocks drawn as glass
NEAR_SIDE = 115.0  # degrees to both sides of the nearest point of the ring, where blocks may hide relations
HIDES = 1.6  # factor on the length that a block hides in the middle of the picture: near the camera it hides more
LEAST_HIDDEN = 0.01  # radii of the disc
PLANE_RADIUS = 1.045
_OPENGL = ("OpenGL version string", "OpenGL renderer string")  # names in VTK's report
TEXTURES = (64, 96)  # sides of the textures that warm up OpenGL
PLANE_SIDES = 180
PLANE_Z, DISC_Z, LIT_Z = -0.004, -0.002, 0.001  # far enough apart for each to hide the one below it


class Renderer:
    """One offscreen window that shows one scene.

    `show`, `highlight`, `follow`, `camera` and `set_theme` set what to draw; `frame` draws it, with one render of the
    window. `frames` counts the renders that VTK has begun.
    """

    def __init__(self, width: int = 1600, height: int = 1000, theme: str = "light") -> None:
        """Raises InputError where the machine has no OpenGL."""
        self._window = offscreen_window()
        self._renderer = vtkRenderer()
        self._renderer.SetUseOIT(False)
        self._window.AddRenderer(self._renderer)
        self._renderer.AddObserver(vtkCommand.StartEvent, self._count)
        self.frames = 0
        self._pixels = vtkUnsignedCharArray()
        self._in_pieces = np.empty((0, 0, 3), np.uint8)
        self.resize(width, height)

        self._paces: deque[float] = deque(maxlen=PACES)  # durations in seconds of the last frames of this movement
        self._view: Camera | None = None
        self._theme: Theme = THEMES[theme]
        self._scene: Scene | None = None
        self._emphasis = Emphasis()
        self._lit_of: Scene | None = None  # scene whose highlighted relations are drawn
        self._has_more_lit = False
        self._seen = 1.0  # share of the opacity of the relations, 0..1
        self._coarse: Coarse | None = None
        self._detail: int | None = None
        self._mesh: Mesh | None = None  # of the groups of `_coarse`, in the colours of the scene
        self._whole = CurveLayer()
        self._close_up: CurveLayer | None = None
        self._covered: tuple[CurveLayer, Window] | None = None

        self._ring = Surface(self._window, culled=True, program=FLAT)
        self._disc = Surface(self._window, program=TEXTURED)
        self._through = Surface(self._window, blended=True, hidden=True, program=THROUGH)
        self._through_of: tuple[object, ...] = ()  # inputs of its last shape
        self._has_through = False
        self._plane = Surface(self._window, program=FLAT)
        self._rims = Surface(self._window, program=FLAT)
        self._rims_of: Rims | None = None  # of collapsed containers that are wide enough to be seen
        self._shadow = Surface(self._window, blended=True, program=SMOOTH)
        self._shadow_of: Shadow | None = None
        self._lit = Surface(self._window, translucent=True)
        self._lit_through = Surface(self._window, translucent=True, hidden=True)
        self._lit_through.actor.GetProperty().SetOpacity(LIT_THROUGH)
        self._also_lit = Surface(self._window, translucent=True)  # relations that stand out in still frames only
        self._glass = Surface(self._window, culled=True, translucent=True)
        self._followed = Surface(self._window, translucent=True)
        self._levels = Surface(self._window)
        self._has_levels = False
        self._has_over = False
        self._levels_of: tuple[object, ...] = ()  # inputs of their last drawing
        # The ring first: then what it hides is not painted.
        for surface in (
            self._ring,
            self._rims,
            self._disc,
            self._plane,
            self._levels,
            self._through,
            self._shadow,
            self._lit_through,
            self._also_lit,
            self._lit,
            self._followed,
            self._glass,
        ):
            self._renderer.AddActor(surface.actor)
        self._over = OverEverything(self._window, self._renderer)
        self._paint_ground()

    def warm_up(self) -> Iterator[None]:
        """Let OpenGL compile what the first picture will need, in steps that each take no longer than a frame."""
        textured = [Surface(self._window, program=TEXTURED) for _ in TEXTURES]
        for side, surface in zip(TEXTURES, textured, strict=True):
            surface.actor.SetTexture(any_texture(side))
        yield from compiled(
            self._window,
            self._renderer,
            [Surface(self._window, culled=True, program=FLAT), *textured, Surface(self._window, translucent=True)],
            [Surface(self._window)],
        )
        yield from self._whole.warm_up()

    # -- what is shown -------------------------------------------------------------------------------------

    def set_theme(self, theme: str) -> None:
        """Take the colours of the ground from `theme`; all other colours come with the scene."""
        if self._take_theme(theme):
            self._draw_curves()
            self._draw_ring()
            self._draw_shadow()

    def _take_theme(self, theme: str) -> bool:
        """Paint the ground in `theme`. Returns whether the theme changed."""
        if THEMES[theme] is self._theme:
            return False
        self._theme = THEMES[theme]
        self._paint_ground()
        return True

    def show(self, scene: Scene) -> None:
        """Show `scene`; if only values of arrays changed, they are updated in place."""
        before, self._scene = self._scene, scene
        themed = self._take_theme(scene.state.theme)
        if before is None or before.tree is not scene.tree or before.lifted is not scene.lifted:
            self._emphasis = Emphasis()  # its rows are those of another scene
            self._emphasize_curves()
        if before is None or before.layout.band0 != scene.layout.band0:
            self._shape_disc(float(scene.layout.band0))
        if (
            before is None
            or themed
            or before.curves is not scene.curves
            or before.curve_color is not scene.curve_color
            or before.left_out is not scene.left_out
            or (before.thickness is not scene.thickness or before.drawn.blending != scene.drawn.blending)
        ):
            self._draw_curves(stay=before is not None and before.layout is scene.layout)
        if before is None or before.layout is not scene.layout or before.height is not scene.height:
            self._coarse = None
            self._shadow_of = None
        elif themed or before.color is not scene.color:
            self._draw_ring()
        if themed:
            self._draw_shadow()
        levels = (scene.height_legend, scene.layout.band1, scene.state.theme)
        if levels != self._levels_of:
            self._levels_of = levels
            self._shape_levels(scene)
        self._show_over()

    def forget(self) -> None:
        """Draw everything anew with the next scene, because drawing was interrupted by an exception."""
        self._scene = self._lit_of = None
        self._emphasis = Emphasis()
        self._coarse = self._mesh = self._rims_of = self._shadow_of = None
        self._covered, self._through_of, self._levels_of = None, (), ()

    def highlight(self, emphasis: Emphasis) -> None:
        """Highlight some segments and relations; the others fade."""
        before, self._emphasis = self._emphasis.relations, emphasis
        self._draw_ring()
        if emphasis.relations is None or emphasis.relations is not before or self._scene is not self._lit_of:
            self._emphasize_curves()
        self._show_over()

    def fade_relations(self, seen: float) -> None:
        """Show the relations at the share `seen`, 0..1, of their opacity, during a transition between scenes."""
        if seen != self._seen:
            self._seen = seen
            self._fade_disc()

    def follow(self, curves: npt.NDArray[np.float32] | None, color: npt.NDArray[np.uint8] | None = None) -> None:
        """Show the relations of the dragged nodes, float32[e, S, 3] with uint8[e, S, 4]; None = hide them."""
        if curves is None or color is None or not len(curves):
            self._followed.hide()
        else:
            _ribbon(self._followed, curves, color, np.ones(len(curves), np.float32))

    def camera(self, camera: Camera) -> None:
        """Draw the next frames as seen by `camera`."""
        self._view = camera
        vtk = self._renderer.GetActiveCamera()
        vtk.SetPosition(*camera.position)
        vtk.SetFocalPoint(*camera.focal_point)
        vtk.SetViewUp(*camera.up)
        vtk.SetViewAngle(camera.fov)
        far = camera.distance + 3.0
        vtk.SetClippingRange(max(camera.distance - 3.0, 0.002 * far), far)
        self._levels.actor.SetOrientation(0.0, 0.0, -camera.azimuth)
        self._levels.actor.SetVisibility(self._has_levels and camera.tilt >= SHALLOW)

    def drawn_with(self, item: int) -> npt.NDArray[np.int64]:
        """int64[g]: the items that are drawn as one segment with `item`, itself among them."""
        if self._coarse is None:
            return np.array([item])
        return np.flatnonzero(self._coarse.group == self._coarse.group[item])

    def resize(self, width: int, height: int) -> None:
        """Set the size of the next frames, in pixels."""
        self._size = (max(width, 1), max(height, 1))

    # -- drawing -------------------------------------------------------------------------------------------

    def frame(self, moving: bool = False, *, portion: bool = True) -> Frame:
        """uint8[h, w, 3], row 0 on top: the current picture.

        moving   draw fast: without smooth edges, at the current level of detail. Relations that are not drawn yet come
                 in portions, one with each frame. The frame may have half the size: the caller stretches it
        portion  draw such a portion first; False = the caller has called `draw_portion`
        """
        width, height = self._size
        if self._view is None:
            self.camera(Camera.fit(width, height))
        assert self._view is not None
        self._take_shape(moving)
        if self._scene is not None:
            self._cover_disc(self._scene, self._view, moving, portion=portion)
        if moving:
            return self._hasty()
        self._paces.clear()
        self._show_careful(True)
        fine = FINE if max(width, height) * FINE <= LARGEST else 1
        pixels = self._drawn(width * fine, height * fine)
        return np.ascontiguousarray(pixels if fine == 1 else np.asarray(Image.fromarray(pixels).reduce(fine)))

    def draw_portion(self) -> None:
        """Draw one portion of the relations that frames of a movement still lack."""
        if self._scene is not None and self._view is not None:
            layer = self._curve_layer(self._scene, self._view, moving=True)
            if not layer.restyled:
                layer.draw(one_portion=True)

    def catch_up(self) -> bool:
        """Draw one portion of the relations that a still frame needs. Returns whether there was one left to draw.

        A window calls this again and again, handling events in between, and draws the frame once nothing is left.
        """
        if self._scene is None or self._view is None:
            return False
        layer = self._curve_layer(self._scene, self._view, moving=False)
        if not layer.pending:
            return False
        layer.draw(one_portion=True, show_part=False)
        return True

    @property
    def pieces(self) -> int:
        """Number of pieces of the next still frame, for `piece`."""
        return self._cuts**2

    @property
    def _cuts(self) -> int:
        return MANY_CUTS if self._has_more_lit else CUTS

    def piece(self, number: int) -> Frame | None:
        """Draw piece 0, 1, ... `pieces` - 1 of a still `frame`; the last call returns the whole frame.

        Each piece takes about as long as a frame of a movement: a window draws one at a time and stays responsive.
        """
        width, height = self._size
        assert self._view is not None
        self._take_shape()
        if self._scene is not None:
            self._cover_disc(self._scene, self._view, moving=False)
        self._paces.clear()
        if self._in_pieces.shape != (height, width, 3):
            self._in_pieces = np.empty((height, width, 3), np.uint8)
        row, column = divmod(number, self._cuts)
        left, right = _share(width, column, self._cuts)
        top, bottom = _share(height, row, self._cuts)
        if left < right and top < bottom:
            self._in_pieces[top:bottom, left:right] = self._part(Part(left, top, right - left, bottom - top))
        return self._in_pieces.copy() if number == self.pieces - 1 else None

    def tile(self, part: Part) -> Frame:
        """uint8[height, width, 3]: a part of the frame, in the quality of a still one.

        Frames of any size can be put together from tiles; each tile draws its relations as sharply as its size allows.
        """
        if self._view is None:
            self.camera(Camera.fit(*self._size))
        assert self._view is not None
        self._take_shape()
        if self._scene is not None:
            self._cover_disc(self._scene, self._view, moving=False, part=part)
        self._levels.actor.GetProperty().SetLineWidth(part.scale)
        pixels = self._part(part)
        self._levels.actor.GetProperty().SetLineWidth(1.0)
        return pixels

    def _part(self, part: Part) -> Frame:
        """A part of the frame, drawn twice as large in each direction, and averaged down."""
        assert self._view is not None
        camera, (wide, tall) = self._renderer.GetActiveCamera(), self._size
        half = math.tan(math.radians(self._view.fov) / 2) * part.height / tall
        camera.SetViewAngle(math.degrees(2 * math.atan(half)))
        camera.SetWindowCenter(
            (2 * part.left + part.width - wide) / part.width, (tall - 2 * part.top - part.height) / part.height
        )
        self._show_careful(True)
        pixels = self._drawn(part.width * FINE, part.height * FINE)
        camera.SetWindowCenter(0.0, 0.0)
        camera.SetViewAngle(self._view.fov)
        return np.array(Image.fromarray(pixels).reduce(FINE))

    def set_ground(self, ground: Color) -> None:
        """Paint the background in that colour, until the theme changes."""
        self._renderer.SetBackground(*(channel / 255 for channel in ground[:3]))

    def _show_careful(self, still: bool) -> None:
        """Show surfaces that only still frames have time for, if the picture stands still."""
        self._also_lit.actor.SetVisibility(still and self._has_more_lit)
        self._through.actor.SetVisibility(still and self._has_through)
        self._lit_through.actor.SetVisibility(still and bool(self._lit.actor.GetVisibility()))

    def _hasty(self) -> Frame:
        """A frame of a movement: half as wide and high if the last ones of a large picture were all too slow."""
        width, height = self._size
        self._show_careful(False)
        if len(self._paces) == PACES and min(self._paces) > SLOW and width * height > MANY:
            return np.ascontiguousarray(self._drawn((width + 1) // 2, (height + 1) // 2))
        begin = perf_counter()
        pixels = np.ascontiguousarray(self._drawn(width, height))
        self._paces.append(perf_counter() - begin)
        return pixels

    def _drawn(self, width: int, height: int) -> Frame:
        """Render a picture of that size; row 0 on top. The next call overwrites the array."""
        resize(self._window, width, height)
        self._window.Render()
        self._window.GetPixelData(0, 0, width - 1, height - 1, 0, self._pixels, 0)
        return pixels_of(self._pixels).reshape(height, width, 3)[::-1]

    def opengl(self) -> str:
        """Version of OpenGL, and name of its renderer."""
        said = dict(line.split(": ", 1) for line in self._window.ReportCapabilities().splitlines() if ": " in line)
        return " ".join(said[name].strip() for name in _OPENGL if name in said) or "that says nothing about itself"

    def rest(self) -> None:
        """Free buffers that were not used since the last call."""
        self._whole.rest()
        unused = self._close_up is not None and not self._close_up.rest()
        if self._close_up is not None and unused and self._covered and self._covered[0] is self._whole:
            self._close_up.close()
            self._close_up = None

    def close(self) -> None:
        """Free the windows; the renderer cannot be used afterwards."""
        for layer in self._layers():
            layer.close()
        self._window.Finalize()

    # -- the ring ------------------------------------------------------------------------------------------

    def shape(self, moving: bool = False) -> bool:
        """Do one step of shaping the ring: into as many segments as the current camera can tell apart.

        moving   accept any existing shape

        Returns whether there was something to do. A frame does this by itself; in large scenes it is most of a frame's
        work.
        """
        scene, camera = self._scene, self._view
        if scene is None or camera is None:
            return False
        pixel = 2 * camera.distance * math.tan(math.radians(camera.fov) / 2) / self._size[1]
        sliver = SLIVER * pixel / float(scene.layout.band1)  # radians
        detail = round(math.log(sliver) / math.log(DETAIL_STEP))
        if self._coarse is None or not (moving or detail == self._detail):
            self._detail = detail
            self._coarse = coarsen(scene.tree, scene.layout, scene.height, DETAIL_STEP**detail)
            self._mesh = None
        elif self._mesh is None:
            shown = self._coarse.shown
            self._mesh = (
                scene.mesh
                if len(self._coarse.tree) == len(scene.tree)
                else ring_mesh(self._coarse.tree, self._coarse.layout, scene.height[shown], scene.color[shown])
            )
            self._rims_of = _rims(scene, self._coarse)
            self._draw_ring()
        elif self._shadow_of is None:
            self._shadow_of = contact_shadow(scene.tree, scene.layout, scene.height)
            self._draw_shadow()
        else:
            return False
        return True

    def _take_shape(self, moving: bool = False) -> None:
        while self.shape(moving):
            pass

    def _draw_ring(self) -> None:
        """Show the ring in its current colours.

        Blocks that hide something highlighted lie flat, with glass in their places.
        """
        if self._scene is None or self._coarse is None or self._mesh is None:
            return
        points, triangles, color = self._mesh.points, self._mesh.triangles, self._ring_color(self._scene)
        glass = self._emphasis.glass
        if glass is None or not glass.any():
            self._glass.hide()
        else:
            group = np.bincount(self._coarse.group, weights=glass) > 0
            used = group[self._mesh.point_item]
            number = np.cumsum(used, dtype=np.int32) - 1
            pale = color[used]
            pale[:, 3] = GLASS
            self._glass.set(points[used], number[triangles[group[self._mesh.triangle_item]]], pale)
            points = self._mesh.with_height(np.where(group, 0.0, self._scene.height[self._coarse.shown])).points
        self._ring.set(points, triangles, color)
        if self._rims_of is not None:
            faded = None
            if self._emphasis.items is not None:
                faded = ~self._emphasis.items
            color = self._rims_of.colors(self._theme, faded, FADED_ITEMS)
            self._rims.set(self._rims_of.points, self._rims_of.triangles, color)

    def _draw_shadow(self) -> None:
        if self._shadow_of is not None:
            shadow = self._shadow_of
            self._shadow.set(shadow.points, shadow.triangles, shadow.colors(self._theme))

    def _ring_color(self, scene: Scene) -> npt.NDArray[np.uint8]:
        """uint8[p, 4]: the colour of every point of the ring; segments fade while others are highlighted."""
        assert self._coarse is not None
        assert self._mesh is not None
        shaded = shades(scene.color[self._coarse.shown])
        if self._emphasis.items is not None:
            faded = np.bincount(self._coarse.group, weights=self._emphasis.items) == 0
            ground = np.array(self._theme.ground[:3])
            shaded[:, faded, :3] = np.rint(shaded[:, faded, :3] * (1 - FADED_ITEMS) + ground * FADED_ITEMS)
        return self._mesh.shown_in(shaded)

    def _shape_levels(self, scene: Scene) -> None:
        """Draw lines behind the ring at the values of the height scale."""
        arcs = level_lines(scene.height_legend, float(scene.layout.band1))
        self._has_levels = bool(len(arcs))
        if not self._has_levels:
            self._levels.hide()
            return
        count, samples = arcs.shape[:2]
        first = (np.arange(count)[:, None] * samples + np.arange(samples - 1)).ravel().astype(np.int32)
        color = np.tile(np.array(self._theme.level, np.uint8), (count * samples, 1))
        self._levels.set_lines(arcs.reshape(-1, 3), np.stack((first, first + 1), axis=1), color)
        if self._view is not None:
            self.camera(self._view)

    # -- the disc ------------------------------------------------------------------------------------------

    def _cover_disc(
        self, scene: Scene, camera: Camera, moving: bool, part: Part | None = None, *, portion: bool = True
    ) -> None:
        """Update the relations and put them on the disc as a texture: all of them, or a close-up of the visible part.

        While the camera moves, the picture of the whole disc is used without changes.
        """
        layer = self._curve_layer(scene, camera, moving, part)
        if portion and not (moving and layer.restyled and layer.pending):
            layer.draw(one_portion=moving)
        at = layer.shows
        if at is not None and (layer, at) != self._covered:
            self._covered = (layer, at)
            corner = np.array([at.x - at.half, at.y - at.half])
            for surface in (self._disc, self._through):
                surface.actor.SetTexture(layer.texture)
            self._disc.set_texture_coordinates((self._disc.mesh.points[:, :2] - corner) / (2 * at.half))
        if at is not None:
            self._shape_through(scene, camera, at)

    def _shape_through(self, scene: Scene, camera: Camera, at: Window) -> None:
        """Shape the part of the disc that near blocks may hide: drawing all of it makes a frame a tenth slower."""
        radius = float(scene.layout.band0)
        reach = HIDES * float(scene.height.max(initial=0.0)) * math.tan(math.radians(min(camera.tilt, 89.0)))
        wanted = (camera.azimuth, reach, radius, at)
        if wanted == self._through_of:
            return
        self._through_of = wanted
        self._has_through = reach >= LEAST_HIDDEN
        if not self._has_through:
            return
        points, triangles, color = _sector(camera.azimuth + 180.0, NEAR_SIDE, max(radius - reach, 0.0), radius, DISC_Z)
        self._through.set(points, triangles, color)
        corner = np.array([at.x - at.half, at.y - at.half])
        self._through.set_texture_coordinates((points[:, :2] - corner) / (2 * at.half))

    def _curve_layer(self, scene: Scene, camera: Camera, moving: bool, part: Part | None = None) -> CurveLayer:
        """The layer of relations for such a frame, set to the part of the plane that it needs."""
        radius = float(scene.layout.band0)
        wanted = window_for(camera, radius, *self._size, part)
        if (wanted.half != radius or wanted.x or wanted.y) and not moving:
            if self._close_up is None:
                self._close_up = CurveLayer()
                self._give_curves(self._close_up)
            self._close_up.cover(wanted)
            return self._close_up
        layer = self._whole
        if not moving:
            layer.cover(wanted)
        elif layer.pending or layer.window is None or layer.window.half != radius:
            layer.cover(Window(0.0, 0.0, radius, PIXELS[0]))  # a fast picture is better than a sharp one
        return layer

    def _show_over(self) -> None:
        """Show the over-layers of the scene; while relations are highlighted, only those among them."""
        layers = () if self._scene is None else over_layers(self._scene)
        if layers or self._has_over:
            self._over.show(self._scene, layers, self._emphasis.relations)
        self._has_over = bool(layers)

    def _shape_disc(self, radius: float) -> None:
        self._disc.set(*_flat_disc(radius, DISC_Z, (255, 255, 255, 255)))
        self._covered = None

    def _layers(self) -> list[CurveLayer]:
        return [layer for layer in (self._whole, self._close_up) if layer is not None]

    def _draw_curves(self, *, stay: bool = False) -> None:
        for layer in self._layers():
            self._give_curves(layer, stay=stay)

    def _give_curves(self, layer: CurveLayer, *, stay: bool = False) -> None:
        if self._scene is not None:
            scene = self._scene
            layer.blend(scene.drawn.blending, dark=scene.state.theme == "dark")
            layer.show(
                scene.curves,
                scene.curve_color,
                CURVE_WIDTH,
                self._theme.plane,
                scene.thickness.factor,
                scene.left_out,
                self._theme.muted,
                stay=stay,
            )

    def _emphasize_curves(self) -> None:
        """Fade the texture, and draw the highlighted relations over it."""
        chosen = self._emphasis.relations
        self._fade_disc()
        self._lit_of = self._scene
        self._has_more_lit = False
        if self._scene is None or chosen is None:
            self._lit.hide()
            self._lit_through.hide()
            return
        lifted = self._scene.curve_lifted
        rows = np.flatnonzero(chosen[lifted])
        rows = thinned(rows, lifted[rows], MOST_LIT)
        first = thinned(rows, lifted[rows], FIRST_LIT)
        width = math.sqrt(min(FIRST_LIT / max(len(rows), 1), 1.0))  # if there are many, each is thinner
        self._light(self._lit, self._scene, first, width)
        self._lit_through.show_of(self._lit)
        more = np.setdiff1d(rows, first, assume_unique=True)
        self._has_more_lit = len(more) > 0
        if len(more):
            self._light(self._also_lit, self._scene, more, width)

    @staticmethod
    def _light(surface: Surface, scene: Scene, rows: npt.NDArray[np.int64], width: float) -> None:
        """Draw these curves as highlighted ones, `width` times as wide as usual."""
        color = np.array(scene.curve_color[rows])
        color[:, :, 3] = 255
        _ribbon(surface, scene.curves[rows], color, scene.thickness.factor[rows] * np.float32(width))

    def _fade_disc(self) -> None:
        usual = RELATION_ALPHA * max(opacity_share(0 if self._scene is None else len(self._scene.curves)), 1.0)
        opacity = self._seen * (1.0 if self._emphasis.relations is None else FADED_CURVES / usual)
        for surface in (self._disc, self._through):
            surface.actor.GetProperty().SetOpacity(opacity)  # share of the curve; TEXTURED mixes it with the plane

    # -- the rest ------------------------------------------------------------------------------------------

    def _paint_ground(self) -> None:
        self._renderer.SetBackground(*(channel / 255 for channel in self._theme.ground[:3]))
        self._plane.set(*_flat_disc(PLANE_RADIUS, PLANE_Z, self._theme.plane))
        for surface in (self._disc, self._through):
            surface.actor.GetProperty().SetAmbientColor(*(channel / 255 for channel in self._theme.plane[:3]))

    def _count(self, *_: Any) -> None:
        self.frames += 1


def _rims(scene: Scene, coarse: Coarse) -> Rims:
    """The rims of the collapsed containers that are drawn as segments of their own."""
    alone = np.bincount(coarse.group)[coarse.group] == 1
    return rims(scene.layout, scene.height, np.flatnonzero(collapsed(scene.tree) & alone))


def _share(length: int, number: int, parts: int) -> tuple[int, int]:
    """(begin, end) in whole pixels of part `number` when `length` pixels are divided into `parts`."""
    step = -(-length // parts)
    return min(number * step, length), min((number + 1) * step, length)


def _ribbon(
    surface: Surface, curves: npt.NDArray[np.float32], color: npt.NDArray[np.uint8], thickness: npt.NDArray[np.float32]
) -> None:
    """Draw curves in the frame itself, just over the disc, `thickness` times (float32[e]) as wide as usual."""
    width = np.outer(thickness, CURVE_WIDTH).astype(np.float32)
    shape = ribbons(*refined(curves, color), width, soft=SOFT, tolerance=SOFT / 4)
    shape.points[:, 2] = LIT_Z
    surface.set(shape.points, shape.triangles, shape.color)


def _sector(
    middle: float, half: float, inner: float, outer: float, z: float
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """A part of an annulus, `half` degrees to both sides of the direction `middle`: points, triangles, colours."""
    angles = np.radians(np.linspace(middle - half, middle + half, PLANE_SIDES + 1))
    rims = [np.stack((np.sin(angles) * r, np.cos(angles) * r, np.full_like(angles, z)), axis=1) for r in (inner, outer)]
    first = np.arange(PLANE_SIDES, dtype=np.int32)
    far = first + PLANE_SIDES + 1
    triangles = np.concatenate((np.stack((first, first + 1, far), 1), np.stack((first + 1, far + 1, far), 1)))
    points = np.concatenate(rims).astype(np.float32)
    return points, triangles, np.full((len(points), 4), 255, np.uint8)


def _flat_disc(
    radius: float, z: float, color: Color
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
    """A disc as a fan: points, triangles, colours."""
    angles = np.linspace(0, 2 * np.pi, PLANE_SIDES, endpoint=False)
    rim = np.stack((np.cos(angles) * radius, np.sin(angles) * radius, np.full_like(angles, z)), axis=1)
    points = np.concatenate(([[0.0, 0.0, z]], rim)).astype(np.float32)
    number = np.arange(PLANE_SIDES, dtype=np.int32)
    triangles = np.stack((np.zeros_like(number), number + 1, (number + 1) % PLANE_SIDES + 1), axis=1)
    return points, triangles, np.tile(np.array(color, np.uint8), (len(points), 1))
