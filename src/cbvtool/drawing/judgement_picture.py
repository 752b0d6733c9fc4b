"""The judgement of a drop, painted during a drag: a card of figures at the pointer, and possible targets tinted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cbvtool.assessment.rows import FigureRow, stands_first
from cbvtool.geometry.camera import Camera
from cbvtool.geometry.colors import Theme
from cbvtool.geometry.overlay.outlines import faces
from cbvtool.geometry.picture import Color, Item, Picture, Polyline, Rect, Text
from cbvtool.geometry.scene.scene import Scene

Measure = Callable[[str, float, bool], float]  # pixels that a text takes, of this height, bold or not

SIZE, LINE, PAD, HEADING = 12.0, 16.0, 8.0, 11.0  # pixels
WIDEST = 340.0  # px of a card whose heading is longer than its figures
KEPT = 30  # letters of such a heading that stay at its beginning
GAP = 10.0  # pixels between columns
AWAY = 6.0  # pixels to the caption of the drag
ARROW = "→"
SIGNS = 24  # targets that bear a sign; the largest segments
SIGN_ROOM = 16.0  # pixels that a segment must be wide and deep to bear one
SIGN_SIZE = 19.0
FAINTEST, STRONGEST = 0.4, 0.9  # share of the tint in a segment's colour, for the smallest and the largest gain
FADED = 0.55  # share of the background in the colour of segments that are no targets


def card_picture(
    rows: Sequence[FigureRow],
    heading: str,
    caption: Rect | None,
    pointer: tuple[float, float],
    size: tuple[int, int],
    theme: Theme,
    measure: Measure,
    *,
    stale: bool = False,
) -> Picture:
    """A table of figures below the `caption` of a drag, or above it if there is no room below.

    Every figure keeps its line whatever the target is, so that nothing jumps. Unchanged figures are faint; a changed
    one has a sign beside its colour, unless it is a cost. A rule parts the figures that stand first from the others.

    stale   the figures are those of the previous target, until those of this one are computed: all are faint
    """
    if not rows:
        return Picture(*size)
    name = max(measure(row.name, SIZE, False) for row in rows)
    before, after = (max(measure(text, SIZE, True) for text in column) for column in _columns(rows))
    arrow, sign = measure(ARROW, SIZE, False), measure("+", SIZE + 1, True)
    table = PAD + name + GAP + before + 5 + arrow + 5 + after + GAP + sign + PAD
    heading = _middle_out(heading, max(table, WIDEST) - 2 * PAD, measure)
    width = max(table, PAD * 2 + measure(heading, HEADING, False))
    others = sum(not stands_first(row) for row in rows)
    height = LINE * (len(rows) + 1) + 2 * PAD - 3 + (PAD if 0 < others < len(rows) else 0)
    left, top = _place(caption, pointer, (width, height), size)
    items: list[Item] = [Rect(left, top, width, height, (*theme.ground[:3], 240), theme.line, 5.0)]
    y = top + PAD + LINE / 2 - 2
    items.append(Text(heading, left + PAD, y, HEADING, theme.muted, "left"))
    right = left + width - PAD - sign - GAP  # end of the column `after`
    for number, row in enumerate(rows):
        y += LINE
        if number and not stands_first(row) and stands_first(rows[number - 1]):
            items.append(Polyline(((left + PAD, y - LINE / 2 + 2), (left + width - PAD, y - LINE / 2 + 2)), theme.line))
            y += PAD
        changed = row.before != row.after and not stale
        color = _color(row, theme) if changed else theme.muted
        items.append(Text(row.name, left + PAD, y, SIZE, theme.text if changed else theme.muted, "left"))
        if row.before != row.after:
            items.append(Text(row.before, right - after - arrow - 10, y, SIZE, theme.muted, "right"))
            items.append(Text(ARROW, right - after - 5 - arrow / 2, y, SIZE, theme.muted))
        items.append(Text(row.after, right, y, SIZE, color, "right", bold=changed))
        if changed and not row.cost:
            items.append(Text(row.sign, right + GAP + sign / 2, y, SIZE + 1, color, bold=True))
    return Picture(*size, tuple(items))


def _middle_out(text: str, room: float, measure: Measure) -> str:
    """A heading without as much of its middle as makes it fit: what it is about, and where the path ends, stay."""
    keep, cut = min(len(text) // 3, KEPT), text
    for begin in range(keep + 1, len(text)):
        if measure(cut, HEADING, False) <= room:
            break
        cut = f"{text[:keep].rstrip()}…{text[begin:]}"
    return cut


def _columns(rows: Sequence[FigureRow]) -> tuple[list[str], list[str]]:
    return [row.before for row in rows], [row.after for row in rows]


def _color(row: FigureRow, theme: Theme) -> Color:
    if row.cost:
        return theme.text
    return theme.better if row.verdict == "better" else theme.worse


def _place(
    caption: Rect | None, pointer: tuple[float, float], card: tuple[float, float], size: tuple[int, int]
) -> tuple[float, float]:
    """Left and top of a card of size `card` in a picture of size `size`."""
    if caption is None:
        caption = Rect(pointer[0] + 18, pointer[1] + 18, 0, 0, (0, 0, 0, 0))
    left = caption.x
    if left < pointer[0]:  # the caption stands to the left of the pointer
        left = caption.x + caption.width - card[0]
    below, above = caption.y + caption.height + AWAY, caption.y - AWAY - card[1]
    top = below if below + card[1] + 4 <= size[1] or above < 4 else above
    return max(4.0, min(left, size[0] - card[0] - 4)), max(4.0, min(top, size[1] - card[1] - 4))


def tinted(scene: Scene, gains: Mapping[int, float], theme: Theme) -> Scene:
    """The same scene with possible targets tinted in the colour of better or worse.

    gains   key of a target -> gain, -1 to 1: the larger, the stronger the tint. Targets without gain or loss fade, as
            do all other segments
    """
    color = np.array(scene.color)
    pale = color[:, :3] * (1 - FADED) + np.array(theme.plane[:3]) * FADED
    items, gain = _targets(scene, gains)
    aim = np.where(gain[:, None] > 0, theme.better[:3], theme.worse[:3])
    pale[items] += (aim - pale[items]) * (FAINTEST + (STRONGEST - FAINTEST) * np.abs(gain))[:, None]
    color[:, :3] = np.rint(pale)
    return replace(scene, color=color)


def signs_picture(
    scene: Scene, gains: Mapping[int, float], camera: Camera, size: tuple[int, int], theme: Theme
) -> Picture:
    """`+` and `−` on the largest of the tinted targets."""
    layout = scene.layout
    items, gain = _targets(scene, gains)
    extent = (layout.a1 - layout.a0)[items]
    largest = np.argsort(-extent, kind="stable")[:SIGNS]
    if not len(largest):
        return Picture(*size)
    spots = []
    for item in items[largest].tolist():
        face = faces(scene, item)[0]
        # Beside the name, which stands in the middle: at the inner edge of a block, near the first edge of a flat
        # segment.
        along, across = (0.5, 0.22) if scene.tree.leaf[item] else (0.1, 0.5)
        angle, radius = face.a0 + along * (face.a1 - face.a0), face.r0 + across * (face.r1 - face.r0)
        far = radius + min(face.r1 - face.r0, (face.a1 - face.a0) * radius)
        spots += [(np.sin(angle) * r, np.cos(angle) * r, face.z) for r in (radius, far)]
    pixels = np.asarray(camera.project(np.array(spots), *size)[0])[:, :2]
    room = np.hypot(*(pixels[1::2] - pixels[::2]).T)
    halo = (*theme.ground[:3], 235)
    signs = [
        Text("+" if g > 0 else "−", x, y, SIGN_SIZE, theme.better if g > 0 else theme.worse, bold=True, halo=halo)
        for (x, y), g, wide in zip(pixels[::2].tolist(), gain[largest].tolist(), room.tolist(), strict=True)
        if wide >= SIGN_ROOM
    ]
    return Picture(*size, tuple(signs))


def _targets(scene: Scene, gains: Mapping[int, float]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """int64[k] items of the targets with a gain or loss that have a segment of their own; float64[k] gain of each."""
    gain_of = np.zeros(len(scene.graph))
    known = [(key, gain) for key, gain in gains.items() if key < len(gain_of)]
    if known:
        keys, values = zip(*known, strict=True)
        gain_of[list(keys)] = values
    gain = np.where(scene.tree.slot, 0.0, gain_of[scene.tree.key])
    gain[0] = 0.0  # the root is not drawn
    items = np.flatnonzero(gain)
    return items, gain[items]
