"""The view from above as vector graphics: sectors, tapered curves and the text around them (SVG, PDF)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.bundling.fan_out import thinned
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import FADED_CURVES, FADED_ITEMS, THEMES, opacity_share
from cbvtool.geometry.overlay import furniture
from cbvtool.geometry.overlay.answer_legends import with_answers
from cbvtool.geometry.overlay.item_facts import ItemFacts, item_facts
from cbvtool.geometry.overlay.labels import Measure, rough_width
from cbvtool.geometry.overlay.legends import MARGIN, PAD, SMALL
from cbvtool.geometry.overlay.plan_marks import plan_marks
from cbvtool.geometry.picture import Color, Picture, Text
from cbvtool.geometry.scene.ribbons import CURVE_WIDTH, sideways
from cbvtool.geometry.scene.rings import drawn_items
from cbvtool.geometry.scene.scene import Scene, in_one_gradient

Points = npt.NDArray[np.float64]
Column = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int32]
Colors = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]

MOST_CURVES = 20_000  # viewers are slow with files that have more
PIECES = 10  # cubic Bezier pieces of a curve
STOPS = 9  # colours along a relation
PLANE_RADIUS = 1.045  # radius of the disc under everything; that of the ring is 1


@dataclass(frozen=True, eq=False)
class Sectors:
    """p segments of the ring. Angles in radians clockwise from 12 o'clock, radii in pixels.

    item  int32[p] of the visible tree; a0, a1, r0, r1  float64[p]; color  uint8[p, 4]
    """

    item: IntColumn
    a0: Column
    a1: Column
    r0: Column
    r1: Column
    color: Colors


@dataclass(frozen=True, eq=False)
class Tapers:
    """c relations as closed shapes, narrower toward the dependency, in pixels.

    left, right  float64[c, 3 * PIECES + 1, 2]: control points of the cubic Beziers along both borders, from the
                 dependant to the dependency
    opacity      float64[c] 0..1
    stops        colours from the dependant to the dependency, evenly spread along the straight line between the ends
    """

    left: Points
    right: Points
    opacity: Column
    stops: tuple[Color, ...]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def axis(self) -> Points:
        """float64[c, 2, 2]: the two ends of each relation, at least a pixel apart."""
        ends = np.stack((self.left[:, 0] + self.right[:, 0], self.left[:, -1] + self.right[:, -1]), axis=1) / 2
        apart = np.hypot(*(ends[:, 1] - ends[:, 0]).T)
        ends[apart < 1, 1] = ends[apart < 1, 0] + (1.0, 0.0)
        return ends


@dataclass(frozen=True, eq=False)
class Flat:
    """The drawing, painted in this order: ground, disc, sectors, relations, `words`. y points down.

    ground          colour of the background; None = transparent
    center, radius  of the ring, in pixels; disc: its colour
    facts           texts about the items, for formats that can show them
    words           names, and title and legends if they are wanted
    subject, commit, note   name of the subject, its commit, and a note on what was left out
    """

    width: int
    height: int
    ground: Color | None
    center: tuple[float, float]
    radius: float
    disc: Color
    sectors: Sectors
    tapers: Tapers
    facts: ItemFacts
    words: Picture
    subject: str
    commit: str
    note: str

    @property
    def disc_radius(self) -> float:
        """Radius of the disc in pixels."""
        return PLANE_RADIUS * self.radius


def flat(  # noqa: PLR0913 - one for each option of `cbvtool render`
    scene: Scene,
    *,
    size: tuple[int, int] = (1600, 1000),
    title: str = "",
    commit: str = "",
    legends: bool = True,
    heading: bool = True,
    transparent: bool = False,
    measure: Measure = rough_width,
    items: Mask | None = None,
    relations: Mask | None = None,
    most: int = MOST_CURVES,
) -> Flat:
    """The drawing of `scene` from straight above; it has no legend of heights, because they cannot be seen from there.

    size       pixels
    title      name of the subject; empty = the name of the graph. commit: id of the commit that is shown
    legends    include them; heading: include the title
    items      bool[v] highlighted items, the others are faded; relations: likewise bool[lifted]; None = nothing fades
    most       largest number of curves; the note says what was left out
    """
    scene = in_one_gradient(scene)
    width, height = size
    scene = replace(scene, height=np.zeros_like(scene.height))
    clear = furniture.corners(width, height, scene)[1:] if legends else []
    camera = Camera().fitted(width, height, clear=clear)
    (x, y), (_, rim) = camera.project(np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), width, height)[0].tolist()
    radius = y - rim
    theme = THEMES[scene.state.theme]
    tapers, note = _tapers(scene, relations, most, (x, y), radius)
    words = furniture.labels(scene, camera, width, height, measure=measure, lit=items)
    words = plan_marks(scene, camera, width, height, measure=measure) + words
    if heading:
        words += furniture.title(scene, width, height, title, commit=commit, measure=measure)
    if legends:
        cards = furniture.legends(scene, width, height, camera=camera, measure=measure)
        del cards["height"]
        words = sum(with_answers(cards, scene, width, height, measure=measure).values(), words)
    if note and (heading or legends):
        line = Text(note, width - MARGIN - PAD, MARGIN + PAD, SMALL, theme.muted, "right")
        words += Picture(width, height, (line,))
    return Flat(
        width,
        height,
        None if transparent else theme.ground,
        (x, y),
        radius,
        theme.plane,
        _sectors(scene, items, radius),
        tapers,
        item_facts(scene),
        words,
        title or scene.graph.name,
        commit,
        note,
    )


def _sectors(scene: Scene, lit: Mask | None, radius: float) -> Sectors:
    layout, item = scene.layout, drawn_items(scene.tree)
    color = scene.color[item].copy()
    if lit is not None:
        ground = np.array(THEMES[scene.state.theme].ground[:3])
        faded = ~lit[item]
        color[faded, :3] = np.rint(color[faded, :3] * (1 - FADED_ITEMS) + ground * FADED_ITEMS)
    return Sectors(item, layout.a0[item], layout.a1[item], layout.r0[item] * radius, layout.r1[item] * radius, color)


def _tapers(
    scene: Scene, lit: Mask | None, most: int, center: tuple[float, float], radius: float
) -> tuple[Tapers, str]:
    """(the relations, a note on what was left out). Highlighted relations come last, so that they cover the others."""
    count = len(scene.curves)
    rows = thinned(np.arange(count), scene.curve_lifted, most)
    note = "" if len(rows) == count else f"{len(rows):,} of {count:,} curves drawn, evenly chosen"
    alpha = np.minimum(scene.curve_color[rows, 0, 3] / 255 * opacity_share(count), 1.0)
    if lit is not None:
        stands_out = lit[scene.curve_lifted[rows]]
        alpha = np.where(stands_out, 1.0, FADED_CURVES)
        order = np.argsort(stands_out, kind="stable")
        rows, alpha = rows[order], alpha[order]
    paths = beziers(scene.curves[rows], PIECES)
    across = sideways(paths[:, ::3].astype(np.float32)).astype(np.float64)
    thinner = np.sqrt(opacity_share(count))
    half = thinner * np.outer(scene.thickness.factor[rows], np.linspace(*CURVE_WIDTH, PIECES + 1)) / 2
    shift = np.repeat(across * half[:, :, None], 3, axis=1)[:, 1:-1]  # a knot and its two handles get the same shift
    flip = np.array([radius, -radius])
    middle = np.asarray(center)
    shades = np.rint(np.linspace(0, scene.curve_color.shape[1] - 1, STOPS)).astype(int)
    stops = tuple(_opaque(color) for color in scene.curve_color[0, shades].tolist()) if count else ()
    return Tapers(middle + (paths + shift) * flip, middle + (paths - shift) * flip, alpha, stops), note


def beziers(curves: npt.NDArray[np.float32], pieces: int) -> Points:
    """float64[e, 3 * pieces + 1, 2]: control points of cubic Beziers through samples of planar curves.

    curves  float32[e, S, 3]; the directions at the knots are those of the neighbouring samples
    """
    samples = curves.shape[1]
    at = np.rint(np.linspace(0, samples - 1, pieces + 1)).astype(int)
    xy = curves[:, :, :2].astype(np.float64)
    speed = np.gradient(xy, axis=1, edge_order=2)[:, at]
    gap = np.diff(at)[:, None] / 3
    result = np.empty((len(curves), 3 * pieces + 1, 2))
    result[:, ::3] = xy[:, at]
    result[:, 1::3] = result[:, :-1:3] + speed[:, :-1] * gap
    result[:, 2::3] = result[:, 3::3] - speed[:, 1:] * gap
    return result


def _opaque(color: list[int]) -> Color:
    return color[0], color[1], color[2], 255
