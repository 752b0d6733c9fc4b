"""What stands around the ring: title, legends, and the lines of a tooltip. Labels on the ring are in `labels`.

Everything is a Picture in logical pixels, for any painter. Legends stand in the corners, which the ring leaves
free, on cards of the ground's colour, so that they stay legible when the view is zoomed in.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.camera import Box, Camera
from cbvtool.geometry.colors import THEMES, Theme, gradient
from cbvtool.geometry.labels import Measure, labels, rough_width, shorten
from cbvtool.geometry.picture import Color, Item, Picture, Polyline, Rect, Text
from cbvtool.geometry.scales import Legend
from cbvtool.geometry.scene import Scene, item_values
from cbvtool.words import one_line

__all__ = [
    "Measure", "color_legend", "height_legend", "labels", "relation_legend", "rough_width", "title", "tooltip_lines",
]  # fmt: skip

IntColumn = npt.NDArray[np.int32]

MARGIN = 14.0  # px between a card and the edge of the picture
PAD = 10.0  # px between a card's edge and what is on it
LINE = 17.0  # px from line to line
CARD = 220.0  # px, width of a card
SMALL, BODY, TITLE = 11.0, 12.0, 20.0  # px
BAR = 10.0  # px, height of the colour bar
COLOR_CARD = 2 * PAD + 3 * LINE + BAR  # px, height of the tallest one
HEIGHT_CARD = 2 * PAD + LINE + 14.0 + 75.0  # px, with a ruler of usual length
RELATION_CARD = (172.0, 2 * PAD + 2 * LINE + 4)  # px, width and height
STEPS = 49  # pieces of the colour bar
RULER = (26.0, 110.0)  # px: the height scale is never shorter or longer than this
SHALLOW = 12.0  # degrees of tilt below which heights cannot be seen


def title(
    scene: Scene, width: int, height: int, name: str = "", *, commit: str = "", measure: Measure = rough_width
) -> Picture:
    """Top left: the subject, and how much of it there is.

    name     of the subject; empty = the name of the graph
    commit   id of the commit that is shown, if any
    """
    theme = THEMES[scene.state.theme]
    graph = scene.graph
    files = sum(
        int(np.count_nonzero(graph.kinds == row)) for row, kind in enumerate(graph.kind_names) if kind == "file"
    )
    facts = [_counted(files, "file"), _counted(len(graph.edges), "relation")]
    if commit:
        facts.append(f"commit {commit[:10]}")
    x, y = MARGIN + PAD, MARGIN + PAD + TITLE / 2
    heading = shorten(one_line(name or graph.name), width * 0.4, TITLE, measure)
    items: list[Item] = [
        Text(heading, x, y, TITLE, theme.text, "left", bold=True),
        Text("  ·  ".join(facts), x, y + 24, BODY, theme.muted, "left"),
    ]
    if scene.state.root != graph.root:
        items.append(Text(f"Only {one_line(graph.path(scene.state.root))}", x, y + 42, BODY, theme.muted, "left"))
    return Picture(width, height, tuple(items))


def corners(width: int, height: int) -> list[Box]:
    """(x, y, width, height) of the corners that the legends take, as large as they usually become."""
    wide = MARGIN + CARD
    return [
        (width - wide, 0.0, wide, MARGIN + HEIGHT_CARD),
        (0.0, height - MARGIN - COLOR_CARD, wide, MARGIN + COLOR_CARD),
        (width - MARGIN - RELATION_CARD[0], height - MARGIN - RELATION_CARD[1], MARGIN + RELATION_CARD[0],
         MARGIN + RELATION_CARD[1]),
    ]  # fmt: skip


def color_legend(scene: Scene, width: int, height: int, *, measure: Measure = rough_width) -> Picture:
    """Bottom left: the colour bar with the values at its ends, and what the grey of a leaf means."""
    theme, legend = THEMES[scene.state.theme], scene.color_legend
    lines = 3 if legend.missing else 2
    tall = 2 * PAD + LINE * lines + BAR
    x, y = MARGIN, height - MARGIN - tall
    items = _card(theme, x, y, CARD, tall)
    x, y, wide = x + PAD, y + PAD, CARD - 2 * PAD
    items += _heading("Colour", legend, x, y + LINE / 2, wide, theme, measure)
    y += LINE + 3
    piece = wide / STEPS
    for step in range(STEPS):
        color = _color_at(legend, (step + 0.5) / STEPS)
        left, right = round(x + step * piece), round(x + (step + 1) * piece)
        items.append(Rect(left, y, right - left, BAR, color))
    y += BAR + LINE / 2
    low, high = _ends(legend)
    items.append(Text(low, x, y, SMALL, theme.muted, "left"))
    items.append(Text(high, x + wide, y, SMALL, theme.muted, "right"))
    if legend.missing:
        y += LINE
        items.append(Rect(x, y - 5, 10, 10, theme.missing, theme.line, 2.0))
        items.append(Text(f"not measured ({legend.missing:,})", x + 16, y, SMALL, theme.muted, "left"))
    return Picture(width, height, tuple(items))


def height_legend(
    scene: Scene, width: int, height: int, *, camera: Camera | None = None, measure: Measure = rough_width
) -> Picture:
    """Top right: a ruler with absolute values.

    camera   with it, the ruler is as long as a block of its height looks in the middle of the picture
    """
    theme, legend = THEMES[scene.state.theme], scene.height_legend
    span = legend.maximum - legend.minimum
    long = _ruler_length(legend, camera, width, height)
    tall = 2 * PAD + LINE + (long + 14 if span > 0 else LINE)
    x, y = width - MARGIN - CARD, MARGIN
    items = _card(theme, x, y, CARD, tall)
    x, y, wide = x + PAD, y + PAD, CARD - 2 * PAD
    items += _heading("Height", legend, x, y + LINE / 2, wide, theme, measure)
    if not span > 0:
        text = "not measured" if math.isnan(span) else f"{legend.metric.show(legend.maximum)} everywhere"
        items.append(Text(text, x, y + 1.5 * LINE, SMALL, theme.muted, "left"))
        return Picture(width, height, tuple(items))
    foot = y + LINE + 8 + long
    items += _block(theme, x + 3, foot, 20.0, long)
    counted = bool(legend.unit) and legend.minimum.is_integer() and legend.maximum.is_integer()
    for value in nice_values(legend.minimum, legend.maximum, max(2, int(long // 15)), 1.0 if counted else 0.0):
        at = foot - long * (value - legend.minimum) / span
        items.append(Polyline(((x + 32, at), (x + 38, at)), theme.muted, 1.0))
        items.append(Text(legend.metric.show(value), x + 44, at, SMALL, theme.muted, "left"))
    return Picture(width, height, tuple(items))


def relation_legend(scene: Scene, width: int, height: int, *, measure: Measure = rough_width) -> Picture:
    """Bottom right: what the colour and the taper of a relation mean."""
    theme = THEMES[scene.state.theme]
    shown = f"{int(scene.lifted.count.sum()):,} shown"
    wide, tall = RELATION_CARD
    wide = max(wide, 2 * PAD + measure("Relations", BODY, True) + 16 + measure(shown, SMALL, False))  # millions
    x, y = width - MARGIN - wide, height - MARGIN - tall
    items = _card(theme, x, y, wide, tall)
    x, y, wide = x + PAD, y + PAD, wide - 2 * PAD
    items.append(Text("Relations", x, y + LINE / 2, BODY, theme.text, "left", bold=True))
    items.append(Text(shown, x + wide, y + LINE / 2, SMALL, theme.muted, "right"))
    y += LINE + 4 + LINE / 2
    start, end = x + measure("user", SMALL, False) + 8, x + wide - measure("used", SMALL, False) - 8
    items.append(Text("user", x, y, SMALL, theme.muted, "left"))
    items.append(Text("used", x + wide, y, SMALL, theme.muted, "right"))
    pieces = 24
    shades = gradient(theme.user, theme.used, pieces)
    for number in range(pieces):
        left, right = (start + (end - start) * share / pieces for share in (number, number + 1))
        half = 3.5 + (1.2 - 3.5) * (number + 0.5) / pieces
        red, green, blue = (round(float(channel)) for channel in shades[number])
        items.append(Rect(round(left), y - half, round(right) - round(left), 2 * half, (red, green, blue, 255)))
    return Picture(width, height, tuple(items))


def tooltip_lines(scene: Scene, item: int) -> list[str]:
    """What a tooltip says of an item: its path, its sort and place, and the absolute values with their units."""
    graph, tree = scene.graph, scene.tree
    key = int(tree.key[item])
    slot = bool(tree.slot[item])
    lines = [one_line(graph.path(key)) + (" (module)" if slot else "")]
    sort = graph.kind(key)
    if slot:
        sort = f"what {one_line(graph.names[key])} holds itself"
    elif graph.file[key] >= 0 and sort not in ("folder", "package", "project"):
        place = graph.files[graph.file[key]]
        sort = f"{sort} · {place}" + (f":{graph.line[key]}" if graph.line[key] > 0 else "")
    lines.append(sort[:1].upper() + sort[1:])
    mapping = scene.drawn
    for name in dict.fromkeys((mapping.angle, mapping.height, mapping.color)):
        if scene.values.takes_long(name):
            continue  # it is being measured
        metric = scene.values.metrics[name]
        value = item_values(graph, tree, scene.values[name], metric)[item]
        lines.append(f"{metric.label}: {metric.show(float(value))}")
    inside = slice(item, int(tree.end[item]))
    users = _crossing(scene.lifted.target, scene.lifted.source, inside, scene.lifted.count)
    used = _crossing(scene.lifted.source, scene.lifted.target, inside, scene.lifted.count)
    lines.append(f"Uses {_counted(used, 'relation')}, used by {_counted(users, 'relation')}")
    return lines


def nice_values(minimum: float, maximum: float, most: int, least_step: float = 0.0) -> list[float]:
    """About `most` round values from `minimum` up to a larger `maximum`, both of which are among them.

    Steps are 1, 2 or 5 times a power of ten, and not below `least_step`; a round value that would stand too near
    to an end gives way.
    """
    span = maximum - minimum
    step = max(10.0 ** math.floor(math.log10(span / most)), least_step)
    while span / step > most - 1:
        for factor in (2.0, 2.5, 2.0):  # 1 -> 2 -> 5 -> 10
            step *= factor
            if span / step <= most - 1:
                break
    first = math.ceil(minimum / step + 1e-9)
    round_ones = [step * number for number in range(first, math.floor(maximum / step) + 1)]
    between = [value for value in round_ones if minimum + 0.6 * step < value < maximum - 0.6 * step]
    return [minimum, *between, maximum]


def _ruler_length(legend: Legend, camera: Camera | None, width: int, height: int) -> float:
    """Pixels that the tallest block spans in the middle of the picture, within the limits of the ruler."""
    shortest, longest = RULER
    if camera is None or camera.tilt < SHALLOW:
        return (shortest + longest) / 2
    foot = (*camera.center, 0.0)
    pixels, _ = camera.project(np.array([foot, (*camera.center, legend.tallest)]), width, height)
    long = float(np.hypot(*(pixels[1] - pixels[0])))
    return min(max(long, shortest), longest)


def _block(theme: Theme, x: float, foot: float, wide: float, long: float) -> list[Item]:
    """A block of the ring as an icon: front, side and top."""
    base, deep = theme.missing, 5.0
    top = foot - long
    side = ((x + wide, foot), (x + wide + deep, foot - deep), (x + wide + deep, top - deep), (x + wide, top))
    lid = ((x, top), (x + deep, top - deep), (x + wide + deep, top - deep), (x + wide, top))
    clear = (0, 0, 0, 0)
    return [
        Polyline(((x, foot), (x + wide, foot), (x + wide, top), (x, top)), clear, fill=_darker(base, 0.84)),
        Polyline(side, clear, fill=_darker(base, 0.66)),
        Polyline(lid, clear, fill=base),
    ]


def _darker(color: Color, share: float) -> Color:
    red, green, blue, alpha = color
    return round(red * share), round(green * share), round(blue * share), alpha


def _card(theme: Theme, x: float, y: float, width: float, height: float) -> list[Item]:
    return [Rect(round(x) + 0.5, round(y) + 0.5, width, height, (*theme.ground[:3], 225), (*theme.line[:3], 160), 6.0)]


def _heading(
    what: str, legend: Legend, x: float, y: float, wide: float, theme: Theme, measure: Measure
) -> list[Item]:  # fmt: skip
    gap = measure(what + "  ", BODY, True)
    return [
        Text(what, x, y, BODY, theme.text, "left", bold=True),
        Text(shorten(legend.label, wide - gap, BODY, measure), x + gap, y, BODY, theme.text, "left"),
    ]


def _ends(legend: Legend) -> tuple[str, str]:
    if math.isnan(legend.maximum):
        return "not measured", ""
    if legend.maximum == legend.minimum:
        return f"{legend.metric.show(legend.minimum)} everywhere", ""
    return legend.metric.show(legend.minimum), legend.metric.show(legend.maximum)


def _color_at(legend: Legend, share: float) -> Color:
    """The colour of the gradient there, straight between its stops."""
    at = [place for place, _ in legend.stops]
    channels = [float(np.interp(share, at, [color[c] for _, color in legend.stops])) for c in range(3)]
    return round(channels[0]), round(channels[1]), round(channels[2]), 255


def _crossing(end: IntColumn, other: IntColumn, inside: slice, count: npt.NDArray[np.int64]) -> int:
    """Relations with one end among the items of `inside` and the other outside."""
    here = (end >= inside.start) & (end < inside.stop)
    there = (other >= inside.start) & (other < inside.stop)
    return int(count[here & ~there].sum())


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}" + ("" if count == 1 else "s")
