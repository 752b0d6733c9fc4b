"""Names on the ring: along it when the picture stands still, upright while it moves, fewer rather than smaller.

A name goes where it hides no data, in this order: on the flat part of its segment, on top of its block, and,
for the outermost ring, outside. If none of these places has room, or blocks hide all of them, the name is left out.
Outstanding segments are named first. If the block of such a segment is too small, its name stands outside the ring at
the end of a line that leads there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Box, Camera
from cbvtool.geometry.colors import THEMES, Theme
from cbvtool.geometry.overlay.importance import outstanding
from cbvtool.geometry.overlay.naming import counted_name, name_of, shared_start
from cbvtool.geometry.picking.pick import in_circle
from cbvtool.geometry.picture import Color, Item, Picture, Polyline, Text
from cbvtool.geometry.scene.rings import runs
from cbvtool.geometry.scene.scene import Scene

Points = npt.NDArray[np.float64]
IntColumn = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Measure = Callable[[str, float, bool], float]  # (text, size in pixels, bold) -> width in pixels

SIZES = (13.0, 12.0, 11.0)  # px: of the outermost ring, of the next, of all others
LARGER = 3.0  # px by which the names of neighbours are larger
MOST_LARGER = 40
ROOM_OVER = 22.0  # px of the inner radius for each name that stands over relations
SMALL = 11.0  # px: size of a name that does not fit at its usual size, or that is cut
SMALLEST = 9.5  # px: a name that does not fit at this size is left out
LINE = 1.2  # height of a line of text, as a factor on its size
PAD = 4.0  # px between a name and the edges of its segment
SHORTEST = 4  # letters that an abbreviated name must keep
MOST = 400  # names in a picture
MOST_MOVING = 40
OUTSIDE = 8.0  # px between the ring and the names outside
LONGEST_OUTSIDE = 150.0  # px
BEND = 1.2  # px by which a path may bend before a name is set letter by letter
SAMPLES = 33  # points of an arc
PLACES = (16, 12, 20, 8, 24)  # samples at which a name may be centred, best first: the middle of the segment
MOST_BLOCKS = 8192  # blocks that a line of sight is compared with, each about a pixel wide
SIGHT_PIECES = 16  # pieces of a line of sight over the ring
SIGHT_STEP = 6.0  # px between two lines of sight
LEADERS = (10.0, 24.0, 40.0, 58.0)  # px, lengths of the line from the ring to a name outside, tried in this order
LEADER_WIDE = 4.0  # px that names keep away from such a line
BESIDE = 7  # points of such a name that are tested: no segment may lie there
SWAYS = (0.0, 0.12, -0.12, 0.26, -0.26)  # radians by which such a line may lean
FLAT, OUTER_HALF, TOP = range(3)  # sorts of zones
DARK_INK, PALE_INK = (24, 28, 33, 255), (248, 249, 250, 255)  # on colours of the map


def rough_width(text: str, size: float, bold: bool = False) -> float:
    """Approximate width of `text` in pixels in a sans-serif font, for use without a font."""
    narrow, wide = "ijl.,:;'|!()[]frt ", "mwMW@%"
    em = sum(0.32 if c in narrow else 0.9 if c in wide else 0.7 if c.isupper() else 0.6 for c in text)
    return em * size * (1.07 if bold else 1.0)


@dataclass(frozen=True, eq=False)
class LabelPlace:
    """Where the name of an item stands: centred on `path`, float64[k, 2] pixels, in reading direction.

    ground   colour of the data it stands on; None = it stands on no data
    over     it stands over relations
    leader   float64[2, 2] line from the segment to a name that stands apart from it; None = there is none
    """

    item: int
    text: str
    size: float
    path: Points
    ground: Color | None = None
    over: bool = False
    leader: Points | None = None


def labels(  # noqa: PLR0913 - what is named, and how, is known to its callers alone
    scene: Scene,
    camera: Camera,
    width: int,
    height: int,
    moving: bool = False,
    *,
    measure: Measure = rough_width,
    lit: Mask | None = None,
    larger: Mask | None = None,
    clear: Sequence[Box] = (),
    asked: Mask | None = None,
) -> Picture:
    """Names of the segments, without overlaps: of outstanding segments, then outer rings, then large segments.

    measure   tells how wide the painter's font makes a text
    lit       bool[v] highlighted items; the names of the others are faded. None = nothing is highlighted
    larger    bool[v] items whose names are enlarged and come first; they may stand over relations if nowhere else is
              room
    clear     boxes that names keep out of while the picture stands still, such as legends
    asked     bool[v] items that were searched for: they are named before all others
    """
    theme = THEMES[scene.state.theme]
    if moving:
        return Picture(width, height, tuple(_upright(scene, camera, width, height, theme, measure)))
    lines, items = list[Item](), list[Text]()
    for place in find_places(scene, camera, width, height, measure, larger, clear, asked):
        faded = lit is not None and not lit[place.item]
        items += _along(scene, place, theme, measure, faded)
        if place.leader is not None:
            lines += _leader(place.leader, theme, faded)
    return Picture(width, height, (*lines, *items))


def find_places(
    scene: Scene,
    camera: Camera,
    width: int,
    height: int,
    measure: Measure = rough_width,
    larger: Mask | None = None,
    clear: Sequence[Box] = (),
    asked: Mask | None = None,
) -> list[LabelPlace]:
    """Places of all names that fit, the most important first; none covers another."""
    view = _View(scene, camera, width, height, measure)
    marked = outstanding(scene, height, asked)
    leads = set(marked.tolist())
    usual = _by_importance(scene, camera, height)
    order = np.concatenate((marked, usual[~np.isin(usual, marked)]))
    zones = _Zones(view, order)
    taken = _Taken(width, height, clear)
    over = _most_over(view)
    found: list[LabelPlace] = []
    first = np.empty(0, np.int64) if larger is None else _widest(scene, np.flatnonzero(larger))
    enlarged = set(first.tolist())
    for item in [*first.tolist(), *(item for item in order.tolist() if item not in enlarged)]:
        for place in _candidates(view, zones, item, larger=item in enlarged, leads=item in leads):
            if place.over and over == 0:
                break
            if taken.take(place.path, place.size, place.leader):
                found.append(place)
                over -= place.over
                break
        if len(found) >= MOST:
            break
    return found


def shorten(text: str, room: float, size: float, measure: Measure, start: int = 0) -> str:
    """`text`, cut with an ellipsis if it is wider than `room`; empty when too little of it would be left.

    start   number of leading letters that are left out first, because its neighbours begin with them, too
    """
    if measure(text, size, False) <= room:
        return text
    if start:  # the beginning alone would look like that of the neighbours
        return shorten("…" + text[start:], room, size, measure)
    for letters in range(len(text) - 1, SHORTEST - 1, -1):
        cut = text[:letters].rstrip("_.- ") + "…"
        if measure(cut, size, False) <= room:
            return cut
    return ""


def _widest(scene: Scene, items: IntColumn) -> IntColumn:
    """The widest of `items`, as many as are enlarged."""
    extent = (scene.layout.a1 - scene.layout.a0)[items]
    return items[np.argsort(-extent, kind="stable")][:MOST_LARGER]


# -- where ---------------------------------------------------------------------------------------------------


class _View:
    """A scene as a camera sees it, in pixels."""

    def __init__(self, scene: Scene, camera: Camera, width: int, height: int, measure: Measure) -> None:
        self.scene, self.camera, self.measure = scene, camera, measure
        self.width, self.height = width, height
        self.eye = np.asarray(camera.position, np.float64)
        self._band = float(scene.layout.band0), float(scene.layout.band1)
        skyline = _SKYLINES.get(scene)
        if skyline is None:
            skyline = _SKYLINES[scene] = _skyline(scene)
        self._start, self._table = skyline
        self._highest = float(self._table[0].max(initial=0.0))

    def pixels(self, points: Points) -> Points:
        """float64[..., 2] for float64[..., 3]."""
        flat, _ = self.camera.project(points.reshape(-1, 3), self.width, self.height)
        return flat.reshape(*points.shape[:-1], 2)

    def sees(self, points: Points) -> npt.NDArray[np.bool_]:
        """bool[...] for float64[..., 3]: no block of the ring hides these points of the plane or of a block's top.

        The part of a line of sight that is over the ring and lower than the highest block is cut into pieces. The lower
        end of each piece is compared with the highest block that the piece passes over.
        """
        shape = points.shape[:-1]
        start, way = points.reshape(-1, 3), self.eye - points.reshape(-1, 3)
        begin, end = in_circle(start[:, :2], way[:, :2], self._band[1])
        begin = np.maximum(begin, 0.0)
        below = (self._highest - start[:, 2]) / np.maximum(way[:, 2], 1e-9)
        end = np.minimum(end, np.clip(below, 0.0, 1.0))
        rows = np.flatnonzero(end > begin)
        at = begin[rows, None] + np.linspace(0, 1, SIGHT_PIECES + 1) * (end - begin)[rows, None]
        x, y, z = (start[rows, None, axis] + at * way[rows, None, axis] for axis in range(3))
        angle = np.unwrap(np.arctan2(x, y), axis=1)
        turns = np.floor(angle / (2 * np.pi)).astype(np.int64)
        leaf = np.searchsorted(self._start, angle - turns * (2 * np.pi), "right") - 1 + (turns + 1) * len(self._start)
        low, high = np.minimum(leaf[:, :-1], leaf[:, 1:]), np.maximum(leaf[:, :-1], leaf[:, 1:])
        in_hole = np.hypot(x, y) < self._band[0]
        hidden = z[:, :-1] < self._highest_of(low, high) - 1e-6
        hidden &= ~(in_hole[:, :-1] & in_hole[:, 1:])
        seen = np.ones(len(start), np.bool_)
        seen[rows] = ~np.logical_or.reduce(hidden, axis=1)
        return seen.reshape(shape)

    def _highest_of(self, first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]) -> Points:
        """The height of the highest block from leaf `first` to leaf `last`; leaf numbers run on over three turns."""
        first, last = (np.clip(leaf, 0, self._table.shape[1] - 1) for leaf in (first, last))
        row = np.frexp(last - first + 1)[1] - 1  # exponent of the largest power of two up to the number of leaves
        result: Points = np.maximum(self._table[row, first], self._table[row, last - 2**row + 1])
        return result


# Cache for each scene that is alive: the heights stay while the camera moves.
_SKYLINES: WeakKeyDictionary[Scene, tuple[Points, Points]] = WeakKeyDictionary()


def _skyline(scene: Scene) -> tuple[Points, Points]:
    """float64[k] angles at which blocks begin, and float64[r, 3 k]: row j has the maximum of each 2^j heights.

    A sparse table over three turns (Bender and Farach-Colton, "The LCA problem revisited", 2000, section 3). If there
    are more than `MOST_BLOCKS` leaves, neighbouring ones count as one block, as high as the highest of them.
    """
    leaves = np.flatnonzero(scene.tree.leaf)
    start: Points = scene.layout.a0[leaves]
    top: Points = scene.height[leaves]
    if len(leaves) > MOST_BLOCKS:
        width = 2 * np.pi / MOST_BLOCKS
        first, last = (
            np.clip((angle[leaves] / width).astype(np.int64), 0, MOST_BLOCKS - 1)
            for angle in (scene.layout.a0, scene.layout.a1)
        )
        count = last - first + 1
        start, blocks = np.linspace(0, 2 * np.pi, MOST_BLOCKS, endpoint=False), np.zeros(MOST_BLOCKS)
        np.maximum.at(blocks, runs(first, count), np.repeat(top, count))
        top = blocks
    rows = [np.tile(top, 3)]
    while 2 ** len(rows) <= len(rows[0]):
        half = 2 ** (len(rows) - 1)
        rows.append(np.append(np.maximum(rows[-1][:-half], rows[-1][half:]), np.zeros(half)))
    return start, np.stack(rows)


def _by_importance(scene: Scene, camera: Camera, height: int) -> IntColumn:
    """Items that are wide enough for a line of text in any direction: outer rings first, then by extent."""
    tree, layout = scene.tree, scene.layout
    extent = layout.a1 - layout.a0
    near = max(camera.distance - 1.0, 0.1)
    pixel = 2 * near * np.tan(np.radians(camera.fov) / 2) / max(height, 1)
    wide = np.flatnonzero((extent * layout.r1 > SMALLEST * pixel * 0.9) & (tree.level > 0))
    return wide[np.lexsort((-extent[wide], tree.level[wide]))]


class _Zones:
    """Where names may stand on segments: z zones.

    item       int64[z]; the zones of an item are consecutive, the better ones first: its flat part, the outer half
               of that (blocks may hide the inner half), the top of its block
    first      item -> its first zone
    arc        float64[z, SAMPLES, 2] pixels along the middle of the zone; reach: length of the arc up to each sample
    spoke      float64[z, len(PLACES), 2, 2] pixels across the zone at each place, from inside out
    clear      bool[z, len(PLACES)] the camera sees the arc at each place
    angle      float64[z, SAMPLES] along the arc; rows: float64[z, 2] radii that letters along the arc cover;
               across: float64[z, 5] radii that letters across the zone cover; height: float64[z]
    """

    def __init__(self, view: _View, items: IntColumn) -> None:
        tree, layout, height = view.scene.tree, view.scene.layout, view.scene.height
        leaf = tree.leaf[items]
        flat = items[~leaf | (layout.r1[items] > layout.band1 * (1 + 1e-6))]
        item = np.concatenate((flat, flat, items[leaf]))
        sort = np.repeat([FLAT, OUTER_HALF, TOP], (len(flat), len(flat), int(leaf.sum())))
        order = np.lexsort((sort, item))
        self.item, sort = item[order], sort[order]
        self.first = {int(i): int(z) for z, i in reversed(list(enumerate(self.item.tolist())))}
        r0 = np.where(tree.leaf[self.item] & (sort != TOP), layout.band1, layout.r0[self.item])
        r1 = np.where(sort == TOP, layout.band1, layout.r1[self.item])
        r0 = np.where(sort == OUTER_HALF, (r0 + r1) / 2, r0)
        z = np.where(sort == TOP, height[self.item], 0.0)
        share = np.linspace(0, 1, SAMPLES)
        a0, a1 = layout.a0[self.item], layout.a1[self.item]
        angle = a0[:, None] + share * (a1 - a0)[:, None]
        middle = _polar(angle, ((r0 + r1) / 2)[:, None], z[:, None])
        self.arc = view.pixels(middle)
        steps = np.hypot(*np.moveaxis(np.diff(self.arc, axis=1), -1, 0))
        self.reach = np.concatenate((np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)), axis=1)
        self.angle, self.height = angle, z
        self.rows = np.stack(((r0 + r1) / 2, r0 + 0.25 * (r1 - r0)), axis=1)  # middle and baseline of the letters
        self.across = np.linspace(r0, r1, 7, axis=1)[:, 1:-1]
        self.clear = view.sees(middle[:, PLACES])
        ends = np.stack((r0, r1), axis=1)[:, None, :]
        self.spoke = view.pixels(_polar(angle[:, PLACES][:, :, None], ends, z[:, None, None]))


def _candidates(
    view: _View, zones: _Zones, item: int, *, larger: bool = False, leads: bool = False
) -> Iterator[LabelPlace]:
    """Places for the name of an item, the best first; with `leads` also places outside, at the end of a line."""
    scene = view.scene
    level, name = int(scene.tree.level[item]), name_of(scene, item)
    size, counted = SIZES[min(level, len(SIZES)) - 1] + (LARGER if larger else 0.0), counted_name(scene, item)
    ground = _color(scene.color[item]) if scene.tree.leaf[item] else None
    row, cut = zones.first.get(item, len(zones.item)), list[LabelPlace]()
    while row < len(zones.item) and zones.item[row] == item:
        place = _inside(view, zones, row, counted, size) if counted else None
        if place is None or place[0] != counted:
            place = _inside(view, zones, row, name, size)
        if place is not None and (place[0] in (name, counted) or not leads):
            yield LabelPlace(item, *place, ground)
        elif place is not None:
            cut.append(LabelPlace(item, *place, ground))
        row += 1
    if leads:
        whole = counted if counted and view.measure(counted, size, False) <= LONGEST_OUTSIDE else name
        for text, tall, path, leader in _led(view, item, whole, size):
            yield LabelPlace(item, text, tall, path, leader=leader)
        yield from cut
    if level == 1:
        for tall in dict.fromkeys((size, SMALL)):
            place = _outside(view, item, name, tall)
            if place is not None:
                yield LabelPlace(item, *place)
    if larger and scene.tree.leaf[item]:
        yield LabelPlace(item, *_over_relations(view, item, name, size), over=True)


def _led(view: _View, item: int, name: str, size: float) -> Iterator[tuple[str, float, Points, Points]]:
    """(text, size, path, leader): level beside the ring, at the end of a line from the middle of the block's top."""
    layout, tree = view.scene.layout, view.scene.tree
    angle = np.array([(layout.a0[item] + layout.a1[item]) / 2])
    is_block = bool(tree.leaf[item])
    radius = np.array([layout.band1 if is_block else (layout.r0[item] + layout.r1[item]) / 2])
    foot = _polar(angle, radius, float(view.scene.height[item]) if is_block else 0.0)
    if not view.sees(foot)[0]:
        return
    start, rim, middle = view.pixels(np.stack((foot[0], _polar(angle, np.array([1.0]), 0.0)[0], np.zeros(3))))
    outward = (rim - middle) / max(float(np.hypot(*(rim - middle))), 1e-9)
    reach = max(float((rim - start) @ outward), 0.0)
    text = shorten(name, LONGEST_OUTSIDE, size, view.measure)
    if not text:
        return
    wide = view.measure(text, size, False)
    cos, sin = np.cos(SWAYS), np.sin(SWAYS)
    ways = np.stack((cos * outward[0] - sin * outward[1], sin * outward[0] + cos * outward[1]), axis=1)
    ends = (start + ways * (reach + np.array(LEADERS))[:, None, None]).reshape(-1, 2)  # of the shortest lines first
    ways = np.tile(ways, (len(LEADERS), 1))
    across = np.sign(ways[:, 0]) * (wide / 2 + PAD) * np.minimum(1.0, 2 * np.abs(ways[:, 0]))
    middle = ends + np.stack((across, ways[:, 1] * size * 0.7), axis=1)
    paths = middle[:, None] + np.array([(-wide / 2, 0.0), (wide / 2, 0.0)])
    for number in np.flatnonzero(_beside(view, paths)).tolist():
        yield text, size, paths[number], np.stack((start, ends[number]))


def _beside(view: _View, paths: Points) -> npt.NDArray[np.bool_]:
    """bool[k]: which level names, float64[k, 2, 2] from left to right, cover no segment."""
    share = np.linspace(0, 1, BESIDE)[:, None]
    spots = (paths[:, :1] * (1 - share) + paths[:, 1:] * share).reshape(-1, 2)
    found = view.camera.on_plane(spots, view.width, view.height)
    free: npt.NDArray[np.bool_] = ~(np.hypot(*found.T) <= 1.0)  # also True above the horizon, where `found` is NaN
    ground = np.flatnonzero(free & ~np.isnan(found[:, 0]))
    free[ground] = view.sees(np.column_stack((found[ground], np.zeros(len(ground)))))
    result: npt.NDArray[np.bool_] = np.logical_and.reduce(free.reshape(len(paths), BESIDE), axis=1)
    return result


def _over_relations(view: _View, item: int, name: str, size: float) -> tuple[str, float, Points]:
    """(text, size, path) of a name inside the ring that points away from the segment."""
    layout = view.scene.layout
    angle = np.full(2, (layout.a0[item] + layout.a1[item]) / 2)
    inner = float(layout.band0)
    start, end = view.pixels(_polar(angle, np.array([inner, 0.5 * inner]), 0.0))
    unit = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
    room = min(LONGEST_OUTSIDE, float(np.hypot(*(end - start))))
    top = view.pixels(_polar(angle[:1], np.array([inner]), view.scene.height[item]))[0]
    start = start + unit * max(float((top - start) @ unit), 0.0)  # its own block may hide the beginning
    alike = shared_start(view.scene, item, name)
    text = shorten(name, room, size, view.measure, alike) or _stub(name, alike)
    wide = view.measure(text, size, False)
    return text, size, _forward(np.stack((start + unit * PAD, start + unit * (PAD + wide))))


def _stub(name: str, alike: int) -> str:
    """A few letters of a name that has no room, beginning where it differs from its siblings."""
    end = alike + SHORTEST
    return name[alike:end] + "…" * (len(name) > end)


def _most_over(view: _View) -> int:
    """How many names may stand over relations; fewer on a small disc, where they would hide the relations."""
    middle, rim = view.pixels(np.array([(0.0, 0.0, 0.0), (float(view.scene.layout.band0), 0.0, 0.0)]))
    return int(np.clip(np.hypot(*(rim - middle)) / ROOM_OVER, 3, MOST_LARGER))


def _inside(view: _View, zones: _Zones, row: int, name: str, size: float) -> tuple[str, float, Points] | None:
    """(text, size, path): along the arc, else across the ring, else smaller, else abbreviated."""
    arc, reach = zones.arc[row], zones.reach[row]
    long = float(reach[-1])
    if long < SMALLEST:
        return None
    spots: list[tuple[int, float, float, float, float]] = []
    for number in np.flatnonzero(zones.clear[row]).tolist():
        sample = PLACES[number]
        inner, outer = zones.spoke[row, number]
        spoke = outer - inner
        along = arc[sample + 1] - arc[sample - 1]
        along = along / max(float(np.hypot(*along)), 1e-9)
        thick = abs(float(along[0] * spoke[1] - along[1] * spoke[0]))
        at = float(reach[sample])
        spots.append((number, at, 2 * min(at, long - at) - 2 * PAD, thick, float(np.hypot(*spoke))))
    for tall in dict.fromkeys((size, SMALL, SMALLEST)):
        wide = view.measure(name, tall, False)
        for _, at, room, thick, _ in spots:
            if thick >= tall * LINE and wide <= room and _in_sight(view, zones, row, at, wide):
                return name, tall, _piece(arc, reach, at, wide)
        if tall > SMALL:
            continue
        for number, _, room, thick, across in spots:
            if wide + 2 * PAD <= across and (room + 2 * PAD) * thick / max(across, 1e-9) >= tall * LINE:
                letters = _polar(zones.angle[row, PLACES[number]], zones.across[row], zones.height[row])
                if view.sees(letters).all():
                    inner, outer = zones.spoke[row, number]
                    return name, tall, _forward(_centred(inner, outer, wide))
    start = shared_start(view.scene, int(zones.item[row]), name) if spots else 0
    for tall in (SMALL, SMALLEST):
        for _, at, room, thick, _ in spots:
            text = shorten(name, room, tall, view.measure, start) if thick >= tall * LINE else ""
            wide = view.measure(text, tall, False)
            if text and _in_sight(view, zones, row, at, wide):
                return text, tall, _piece(arc, reach, at, wide)
    return None


def _in_sight(view: _View, zones: _Zones, row: int, middle: float, length: float) -> bool:
    """Whether no block stands before a text of that length around `middle`, in pixels along the arc of a zone."""
    at = np.linspace(middle - length / 2, middle + length / 2, max(4, int(length / SIGHT_STEP)))
    angle = np.interp(at, zones.reach[row], zones.angle[row])
    return bool(view.sees(_polar(angle, zones.rows[row][:, None], zones.height[row])).all())


def _outside(view: _View, item: int, name: str, size: float) -> tuple[str, float, Points] | None:
    """(text, size, path) outside the ring: along it if the segment is wide enough, else pointing away from it."""
    layout = view.scene.layout
    a0, a1 = float(layout.a0[item]), float(layout.a1[item])
    angle = (a0 + a1) / 2
    rim = view.pixels(_polar(np.array([angle, angle]), np.array([1.0, 1.02]), 0.0))
    pixel = 0.02 / max(float(np.hypot(*(rim[1] - rim[0]))), 1e-9)
    radius = 1.0 + OUTSIDE * pixel
    if not view.sees(_polar(np.array([angle]), np.array([radius]), 0.0))[0]:
        return None
    arc = view.pixels(_polar(np.linspace(a0, a1, SAMPLES), np.array(radius + size * pixel / 2), 0.0))
    reach = _reach(arc)
    wide = view.measure(name, size, False)
    if wide + 2 * PAD <= reach[-1]:
        return name, size, _piece(arc, reach, float(reach[-1]) / 2, wide)
    text = shorten(name, LONGEST_OUTSIDE, size, view.measure, shared_start(view.scene, item, name))
    if reach[-1] < size or not text:
        return None
    wide = view.measure(text, size, False)
    start, end = view.pixels(_polar(np.array([angle, angle]), np.array([radius, radius + 2 * wide * pixel]), 0.0))
    unit = (end - start) / max(float(np.hypot(*(end - start))), 1e-9)
    return text, size, _forward(np.stack((start, start + unit * wide)))


class _Taken:
    """The occupied parts of the picture: names as circles along their text, and boxes such as legends."""

    def __init__(self, width: int, height: int, clear: Sequence[Box] = ()) -> None:
        self._size = np.array([width, height], np.float64)
        boxes = np.array(clear, np.float64).reshape(-1, 1, 4)
        self._from, self._to = boxes[..., :2], boxes[..., :2] + boxes[..., 2:]
        self._count = 0
        self._centers = np.empty((256, 2))
        self._radius = np.empty(256)

    def take(self, path: Points, size: float, leader: Points | None = None) -> bool:
        """Take the place of a name and of the line to it if both are free and inside the picture.

        Returns whether they were.
        """
        line = None if leader is None else _dotted(leader, LEADER_WIDE)
        if line is not None and self._covers(line, LEADER_WIDE / 2):
            return False
        centers = _dotted(path, size)
        if (centers < size / 2).any() or (centers > self._size - size / 2).any():
            return False
        if ((centers > self._from - size / 2) & (centers < self._to + size / 2)).all(axis=2).any():
            return False
        if self._covers(centers, size / 2):
            return False
        self._add(centers, size / 2)
        if line is not None:
            self._add(line, LEADER_WIDE / 2)
        return True

    def _covers(self, centers: Points, radius: float) -> bool:
        away = ((self._centers[: self._count, None] - centers[None]) ** 2).sum(axis=2)
        return bool((away < ((self._radius[: self._count, None] + radius) * 1.1) ** 2).any())

    def _add(self, centers: Points, radius: float) -> None:
        end = self._count + len(centers)
        if end > len(self._radius):
            self._centers = np.concatenate((self._centers, np.empty((end, 2))))
            self._radius = np.concatenate((self._radius, np.empty(end)))
        self._centers[self._count : end] = centers
        self._radius[self._count : end] = radius
        self._count = end


def _dotted(path: Points, size: float) -> Points:
    """float64[k, 2]: points along a path, at most `size` apart."""
    reach = _reach(path)
    at = np.linspace(0, reach[-1], max(2, int(np.ceil(reach[-1] / size)) + 1))
    return np.stack([np.interp(at, reach, path[:, axis]) for axis in (0, 1)], axis=1)


# -- how -----------------------------------------------------------------------------------------------------


def _along(scene: Scene, place: LabelPlace, theme: Theme, measure: Measure, faded: bool) -> list[Text]:
    """The name along its path; letter by letter where the path bends too much for a straight one."""
    key = int(scene.tree.key[place.item])
    color, halo = _ink(place.ground, theme, bool(scene.tree.slot[place.item]), faded)
    if place.over:
        halo = theme.halo
    path, reach = place.path, _reach(place.path)
    chord = path[-1] - path[0]
    angle = float(np.degrees(np.arctan2(chord[1], chord[0])))
    if _bend(path) < BEND or len(place.text) < 4:
        x, y = _at(path, reach, 0.5)
        return [Text(place.text, x, y, place.size, color, "center", angle, False, halo, key)]
    widths = [measure(place.text[:letters], place.size, False) for letters in range(len(place.text) + 1)]
    letters: list[Text] = []
    for number, letter in enumerate(place.text):
        share = (widths[number] + widths[number + 1]) / 2 / max(widths[-1], 1e-9)
        x, y = _at(path, reach, share)
        turn = _turn(path, reach, share)
        letters.append(Text(letter, x, y, place.size, color, "center", turn, False, None, key))
    if halo is None:
        return letters
    # All halos are painted before all letters. Otherwise a halo would cover part of the letter before it.
    under = [Text(t.text, t.x, t.y, t.size, halo, t.anchor, t.angle, False, halo, key) for t in letters]
    return under + letters


def _leader(line: Points, theme: Theme, faded: bool) -> list[Item]:
    """The line to a name, with a halo, so that it is seen over data."""
    points = tuple((float(x), float(y)) for x, y in line)
    if faded:
        return [Polyline(points, (*theme.muted[:3], 90), 1.0)]
    return [Polyline(points, theme.halo, 3.0), Polyline(points, theme.muted, 1.0)]


def _upright(scene: Scene, camera: Camera, width: int, height: int, theme: Theme, measure: Measure) -> Iterator[Text]:
    """The most important names, upright in the middle of their segments; cheap, for every frame of a movement."""
    tree, layout = scene.tree, scene.layout
    marked, usual = outstanding(scene, height), _by_importance(scene, camera, height)
    items = np.concatenate((marked, usual[~np.isin(usual, marked)]))[: 4 * MOST_MOVING]
    view = _View(scene, camera, width, height, measure)
    leaf = tree.leaf[items]
    inner = np.where(leaf, layout.band1, layout.r0[items])
    on_top = leaf & (layout.r1[items] <= layout.band1 * (1 + 1e-6))
    middle = np.stack(((inner + layout.r1[items]) / 2, np.full(len(items), (layout.band0 + layout.band1) / 2)), axis=1)
    z = np.stack((np.zeros(len(items)), scene.height[items]), axis=1)
    share = np.array([0.5, 0.3, 0.7])
    angle = layout.a0[items, None] + share * (layout.a1 - layout.a0)[items, None]
    points = _polar(angle[:, None, :], middle[:, :, None], z[:, :, None])  # on the flat part, and on top of the block
    seen = view.pixels(points)
    room = np.hypot(*np.moveaxis(seen[:, :, 2] - seen[:, :, 1], -1, 0)) / (share[2] - share[1])
    clear = view.sees(points[:, :, 0])
    clear[:, 0] &= ~on_top
    clear[:, 1] &= leaf
    boxes = np.empty((0, 4))
    for row, item in enumerate(items.tolist()):
        name = name_of(scene, item)
        size = SIZES[min(int(tree.level[item]), len(SIZES)) - 1]
        spot = 0 if clear[row, 0] else 1
        x, y = (float(value) for value in seen[row, spot, 0])
        wide = measure(name, size, False)
        if not clear[row, spot] or (wide > room[row, spot] and tree.level[item] > 1):
            continue
        box = np.array([x - wide / 2, y - size * 0.6, x + wide / 2, y + size * 0.6])
        hit = (boxes[:, 0] < box[2]) & (boxes[:, 2] > box[0]) & (boxes[:, 1] < box[3]) & (boxes[:, 3] > box[1])
        if hit.any() or box[0] < 0 or box[1] < 0 or box[2] > width or box[3] > height:
            continue
        boxes = np.concatenate((boxes, box[None]))
        yield Text(name, x, y, size, theme.text, "center", 0.0, False, theme.halo, int(tree.key[item]))
        if len(boxes) >= MOST_MOVING:
            break


def _ink(ground: Color | None, theme: Theme, quiet: bool, faded: bool) -> tuple[Color, Color | None]:
    """(colour of the letters, of the halo) on a ground: dark on pale colours of the map, pale on dark ones."""
    if faded:
        return (*theme.muted[:3], 150), None
    if ground is None:
        return theme.muted if quiet else theme.text, None
    light = 0.299 * ground[0] + 0.587 * ground[1] + 0.114 * ground[2]
    return (DARK_INK if light > 125 else PALE_INK), (*ground[:3], 200)


def names_on(picture: Picture, before: Scene, after: Scene) -> Picture:
    """The names of a picture made of `before`, in inks for the colours of `after`; both have the same items."""
    item_of = {key: item for item, key in enumerate(before.tree.key.tolist())}
    theme = THEMES[before.state.theme]
    items: list[Item] = []
    for each in picture.items:
        if isinstance(each, Text) and each.key >= 0:
            item = item_of[each.key]
            was, now = (_ink(_color(scene.color[item]), theme, False, False) for scene in (before, after))
            inks = dict(zip(was, now, strict=True))
            if each.halo == was[1] or (each.halo is None and each.color == was[0]):
                each = replace(
                    each, color=inks.get(each.color) or each.color, halo=inks[each.halo] if each.halo else None
                )
        items.append(each)
    return replace(picture, items=tuple(items))


# -- small geometry ------------------------------------------------------------------------------------------


def _polar(angle: Points, radius: Points, z: Points | float) -> Points:
    """float64[..., 3] points at these angles (clockwise from 12 o'clock), radii and heights, broadcast together."""
    x, y, z = np.broadcast_arrays(np.sin(angle) * radius, np.cos(angle) * radius, z)
    return np.stack((x, y, z), axis=-1)


def _reach(path: Points) -> Points:
    """float64[k]: length of the path up to each of its points."""
    steps = np.hypot(*np.diff(path, axis=0).T)
    return np.concatenate(([0.0], np.cumsum(steps)))


def _at(path: Points, reach: Points, share: float) -> tuple[float, float]:
    at = share * reach[-1]
    return float(np.interp(at, reach, path[:, 0])), float(np.interp(at, reach, path[:, 1]))


def _turn(path: Points, reach: Points, share: float) -> float:
    """Degrees, clockwise, of the direction of the path at `share` of its length."""
    at = share * reach[-1]
    row = int(np.clip(np.searchsorted(reach, at), 1, len(path) - 1))
    low, high = max(row - 2, 0), min(row + 1, len(path) - 1)
    x, y = path[high] - path[low]
    return float(np.degrees(np.arctan2(y, x)))


def _piece(arc: Points, reach: Points, middle: float, length: float) -> Points:
    """float64[17, 2]: the part of an arc of that length around `middle`, in reading direction."""
    at = np.linspace(middle - length / 2, middle + length / 2, 17)
    return _forward(np.stack([np.interp(at, reach, arc[:, axis]) for axis in (0, 1)], axis=1))


def _centred(inner: Points, outer: Points, length: float) -> Points:
    """float64[2, 2]: a straight path of that length around the middle between two points."""
    middle, step = (inner + outer) / 2, outer - inner
    unit = step / max(float(np.hypot(*step)), 1e-9)
    return np.stack((middle - unit * length / 2, middle + unit * length / 2))


def _forward(path: Points) -> Points:
    """The path, reversed if necessary, so that text on it is not upside down; a vertical one runs upwards."""
    x, y = path[-1] - path[0]
    upright = x > 1e-3 * abs(y) or (abs(x) <= 1e-3 * abs(y) and y < 0)
    return path if upright else path[::-1]


def _bend(path: Points) -> float:
    """Pixels between the middle of the path and that of its chord."""
    middle = path[len(path) // 2]
    return float(np.hypot(*(middle - (path[0] + path[-1]) / 2))) if len(path) > 2 else 0.0


def _color(color: npt.NDArray[np.uint8]) -> Color:
    red, green, blue, alpha = color.tolist()
    return red, green, blue, alpha
