"""The legends in the corners: what colours, heights and relations mean, in absolute values with their units (CBV-13).

Each stands on a card of the ground's colour, so that it stays legible when the view is zoomed in. A legend can be
clicked: `card_at` tells which one is under the pointer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import pairwise

import numpy as np

from cbvtool.asking.impact import Dependants
from cbvtool.geometry.camera import Box, Camera
from cbvtool.geometry.colors import BY_KIND, THEMES, Theme, gradient, relation_ends
from cbvtool.geometry.overlay.chips import (
    are_chips,
    chip_boxes,
    chip_words,
    color_sign,
    height_sign,
    relation_sign,
    words_room,
)
from cbvtool.geometry.overlay.labels import Measure, rough_width, shorten
from cbvtool.geometry.overlay.ticks import ticks
from cbvtool.geometry.picture import Color, Item, Picture, Polyline, Rect, Text
from cbvtool.geometry.scales import Legend
from cbvtool.geometry.scene.affected import SHOWN_STEPS
from cbvtool.geometry.scene.kinds import KindEntry, kind_entries
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.scene.thickness import Thickness
from cbvtool.geometry.state.view_state import THICKNESSES

MARGIN = 14.0  # px between a card and the edge of the picture
PAD = 10.0  # px between a card's edge and what is on it
LINE = 17.0  # px from line to line
CARD = 220.0  # px, width of a card; in a narrow picture a quarter of the picture's width, but at least NARROW
NARROW = 184.0  # px
SMALL, BODY, TITLE = 11.0, 12.0, 20.0  # px
BAR = 10.0  # px, height of the colour bar
TICK = 4.0  # px, length of a tick below it
GAP = 10.0  # px between two values below it
COLOR_CARD = 2 * PAD + 3 * LINE + BAR + TICK  # px, usual height of the card of colours
HEIGHT_CARD = 2 * PAD + LINE + 14.0  # px, height of the card of heights without the ruler
RELATION_CARD = (196.0, 2 * PAD + 2 * LINE + 4)  # px, width and height of the card of relations without thickness
THICK_LINES = LINE + 4  # px that thickness adds to its height
AGAINST = "against a rule"  # text for the colour of violations
STEPS = 49  # pieces of the colour bar
RULER = (26.0, 110.0)  # px: the height scale is never shorter or longer than this
STACKED = 0.45  # share of the height of a narrow picture that two cards may take together, one above the other
USUAL_RULER = 75.0  # px; in a small picture about a tenth of its height
SHALLOW = 12.0  # degrees of tilt below which heights cannot be seen
SHORT = {"linear": "", "log": "log", "quantile": "ranks"}  # word for a scale in a heading
BASE_WIDTH = 2.2  # px of a relation of usual thickness in the legend


def corners(width: int, height: int, scene: Scene | None = None) -> list[Box]:
    """(x, y, width, height) of the corners for the legends of heights, colours and relations, in their usual size.

    In a small picture, legends may cover each other or half of the disc. There, that of relations is left out first,
    then that of heights: its box is empty. A picture that is smaller still has chips.

    scene   its classes and thicknesses may make the legends larger
    """
    if folded(width, height, scene):
        return chip_boxes(width, height)
    wide = MARGIN + card_width(width)
    color, relation = _color_tall(scene), RELATION_CARD[1] + THICK_LINES + LINE * len(_kinds(scene))
    foot = _relations_foot(width, height, scene)
    heights = (width - wide, 0.0, wide, MARGIN + HEIGHT_CARD + usual_ruler(width, height))
    colors = (0.0, height - MARGIN - color, wide, MARGIN + color)
    right = width - MARGIN - RELATION_CARD[0]
    relations = (right, foot - relation, MARGIN + RELATION_CARD[0], height - foot + relation)
    if _overlap(heights, colors):
        heights = (float(width), 0.0, 0.0, 0.0)
    stacked = foot < height - MARGIN
    if _overlap(relations, heights) or height - foot + relation > (STACKED if stacked else 1.0) * height:
        relations = (float(width), float(height), 0.0, 0.0)
    return [heights, colors, relations]


def folded(width: int, height: int, scene: Scene | None = None) -> bool:
    """Whether the legends are chips: in a small picture, except while a legend is about an impact."""
    return are_chips(width, height) and (scene is None or scene.state.impact is None)


def _kinds(scene: Scene | None) -> tuple[KindEntry, ...]:
    """The kinds of relations that the legend lists, where they have colours of their own."""
    if scene is None or scene.drawn.relations != BY_KIND or scene.state.impact is not None:
        return ()
    return kind_entries(scene.graph.edges, scene.lifted, scene.state.theme)


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[0] + b[2] and b[0] < a[0] + a[2] and a[1] < b[1] + b[3] and b[1] < a[1] + a[3]


def usual_ruler(width: int, height: int) -> float:
    """About how many pixels the ruler of heights takes while the whole disc is in the picture."""
    return min(max(min(width, height) / 10, RULER[0]), USUAL_RULER)


def card_width(width: int) -> float:
    """Width in pixels of the cards of colours and heights, in a picture of that width."""
    return min(max(width / 4, NARROW), CARD)


def _color_tall(scene: Scene | None) -> float:
    if scene is not None and scene.state.impact is not None:
        return impact_tall(scene.state.impact)
    if scene is None or not scene.color_legend.by_class:
        return COLOR_CARD
    return _classes_tall(scene.color_legend)


def impact_tall(impact: Dependants) -> float:
    """Height in pixels of the card of an impact, which replaces that of colours."""
    steps = min(int(impact.distance.max(initial=1)), SHOWN_STEPS)
    return 2 * PAD + LINE * (2 + steps)


def _relations_foot(width: int, height: int, scene: Scene | None) -> float:
    """Lower edge of the card of relations: above the card of colours if both do not fit side by side."""
    narrow = width < 2 * MARGIN + card_width(width) + GAP + RELATION_CARD[0]
    return height - MARGIN - (_color_tall(scene) + GAP) * narrow


def legends(
    scene: Scene, width: int, height: int, *, camera: Camera | None = None, measure: Measure = rough_width
) -> dict[str, Picture]:
    """The legends that fit into the picture, by subject: `height`, `color`, `thickness`.

    The first item of each is its card.
    """
    if folded(width, height, scene):
        return _chips(scene, width, height, measure)
    found = {
        "height": height_legend(scene, width, height, camera=camera, measure=measure),
        "color": color_legend(scene, width, height, measure=measure),
        "thickness": relation_legend(scene, width, height, measure=measure),
    }
    room = (box[2] > 0 for box in corners(width, height, scene))
    return {name: picture for (name, picture), fits in zip(found.items(), room, strict=True) if fits}


def _chips(scene: Scene, width: int, height: int, measure: Measure) -> dict[str, Picture]:
    """The legends as chips: what each is about, with the values at the ends of its scale if they fit."""
    theme = THEMES[scene.state.theme]
    ends = relation_ends(theme, scene.drawn.relations)
    legend, hue, shown = scene.height_legend, scene.color_legend, int(scene.lifted.count.sum())
    said = {
        "height": (partial(height_sign, theme), _chip_texts(legend)),
        "color": (partial(color_sign, hue), _chip_texts(hue)),
        "thickness": (partial(relation_sign, ends), [f"{shown:,} relations", f"{shown:,}"]),
    }
    found = {}
    for (name, (sign, texts)), (x, y, wide, tall) in zip(said.items(), chip_boxes(width, height), strict=True):
        room = words_room(wide)
        fits = (text for text in texts if measure(text, SMALL, False) <= room)
        text = next(fits, shorten(texts[-1], room, SMALL, measure))
        wide = min(wide, wide - room + measure(text, SMALL, False))
        items = *card(theme, x, y, wide - 1, tall - 1), *sign(x, y), chip_words(theme, text, x, y)
        found[name] = Picture(width, height, items)
    return found


def _chip_texts(legend: Legend) -> list[str]:
    """Texts for the chip of a scale, the longest first: its metric with both end values, with the largest, alone."""
    if legend.by_class or math.isnan(legend.maximum):
        return [legend.label]
    if not legend.maximum > legend.minimum:
        return [f"{legend.label}, {_everywhere(legend)}", legend.label]
    most = legend.show(legend.maximum)
    least = legend.bare(legend.show(legend.minimum))
    return [f"{legend.label}, {least} to {most}", f"{legend.label}, {most}", legend.label]


def card_boxes(pictures: Mapping[str, Picture]) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of the cards, in px."""
    cards = [picture.items[0] for picture in pictures.values() if picture.items]
    return [(c.x, c.y, c.x + c.width, c.y + c.height) for c in cards if isinstance(c, Rect)]


def card_at(pictures: Mapping[str, Picture], x: float, y: float) -> str:
    """Subject of the legend whose card is at (x, y); empty = none."""
    for name, picture in pictures.items():
        card = picture.items[0]
        if isinstance(card, Rect) and 0 <= x - card.x <= card.width and 0 <= y - card.y <= card.height:
            return name
    return ""


def color_legend(scene: Scene, width: int, height: int, *, measure: Measure = rough_width) -> Picture:
    """Bottom left: the colour bar with values, or the classes with their counts; and what the grey of a leaf means."""
    theme, legend = THEMES[scene.state.theme], scene.color_legend
    if legend.by_class:
        return _class_legend(legend, theme, width, height, measure)
    spread = legend.maximum > legend.minimum
    tall = 2 * PAD + LINE * (3 if legend.missing else 2) + BAR + (TICK if spread else 0.0)
    x, y = MARGIN, height - MARGIN - tall
    wide = card_width(width)
    items = card(theme, x, y, wide, tall)
    x, y, wide = x + PAD, y + PAD, wide - 2 * PAD
    items += _heading("Colour", legend, x, y + LINE / 2, wide, theme, measure)
    y += LINE + 3
    for (left, long), share in zip(_pieces(x, x + wide, STEPS), (np.arange(STEPS) + 0.5) / STEPS, strict=True):
        items.append(Rect(left, y, long, BAR, _color_at(legend, float(share) * spread)))
    y += BAR
    if spread:
        items += _bar_values(legend, x, y, wide, theme, measure)
        y += TICK
    else:
        items.append(Text(_everywhere(legend), x, y + LINE / 2, SMALL, theme.muted, "left"))
    y += LINE / 2
    items += _missing(legend, theme, x, y + LINE)
    return Picture(width, height, tuple(items))


def _pieces(start: float, end: float, count: int) -> list[tuple[float, float]]:
    """(left, length) of the pieces of a bar; each piece overlaps the next one.

    Otherwise the ground would shine through between them on a screen whose pixels are not those of the picture.
    """
    edges = [round(start + (end - start) * number / count) for number in range(count + 1)]
    return [(left, min(right + 1, edges[-1]) - left) for left, right in pairwise(edges)]


def _bar_values(legend: Legend, x: float, y: float, wide: float, theme: Theme, measure: Measure) -> list[Item]:
    """Values below the bar, as many as fit, and arrows if values lie beyond the ends.

    If only two values or one fit with their units, and more fit without, only the last of the scale has its unit.
    """
    items: list[Item] = []
    written = _values_with_room(legend, x, wide, measure)
    fewer = written if len(written) > 2 else _values_with_room(legend, x, wide, measure, units=False)
    for text, at, left in fewer if len(fewer) > len(written) else written:
        items.append(Polyline(((at, y), (at, y + TICK)), theme.muted, 1.0))
        items.append(Text(text, left, y + TICK + LINE / 2, SMALL, theme.muted, "left"))
    for beyond, at, way in ((legend.axis.below, x, -1.0), (legend.axis.above, x + wide, 1.0)):
        if beyond:
            tip = ((at, y - BAR), (at + way * BAR / 2, y - BAR / 2), (at, y))
            items.append(Polyline(tip, (0, 0, 0, 0), fill=_color_at(legend, max(way, 0.0))))
    return items


def _values_with_room(
    legend: Legend, x: float, wide: float, measure: Measure, *, units: bool = True
) -> list[tuple[str, float, float]]:
    """(text, position of its tick, left edge of the text) of the values that fit side by side.

    The end values come first.

    units   all values show their unit, else only the last one of the scale
    """
    found: list[tuple[str, float, float]] = []
    places = ticks(legend, 5)
    for value, share in [places[-1], places[0], *places[1:-1]]:
        text, at = legend.show(value), x + share * wide
        text = text if units or share == 1.0 else legend.bare(text)
        long = measure(text, SMALL, False)
        left = min(max(at - long / 2, x), x + wide - long)
        if all(
            left >= begin + measure(other, SMALL, False) + GAP or left + long + GAP <= begin
            for other, _, begin in found
        ):
            found.append((text, at, left))
    return found


def _class_legend(legend: Legend, theme: Theme, width: int, height: int, measure: Measure) -> Picture:
    tall = _classes_tall(legend)
    x, y = MARGIN, height - MARGIN - tall
    wide = card_width(width)
    items = card(theme, x, y, wide, tall)
    x, y, wide = x + PAD, y + PAD, wide - 2 * PAD
    items += _heading("Colour", legend, x, y + LINE / 2, wide, theme, measure)
    y += LINE / 2 + 3
    for entry in legend.classes:
        y += LINE
        count = f"{entry.count:,}"
        room = wide - 16 - measure(count, SMALL, False) - GAP
        items.append(Rect(x, y - 5, 10, 10, entry.color, theme.line, 2.0))
        items.append(Text(shorten(entry.name, room, SMALL, measure), x + 16, y, SMALL, theme.text, "left"))
        items.append(Text(count, x + wide, y, SMALL, theme.muted, "right"))
    items += _missing(legend, theme, x, y + LINE)
    return Picture(width, height, tuple(items))


def _classes_tall(legend: Legend) -> float:
    return 2 * PAD + LINE * (1 + len(legend.classes) + bool(legend.missing)) + 3


def _everywhere(legend: Legend) -> str:
    """The text for a scale without extent: the one value that all have."""
    shown = legend.metric.show(legend.maximum)
    if math.isnan(legend.maximum):
        return shown
    return f"{shown} where measured" if legend.missing else f"{shown} everywhere"


def _missing(legend: Legend, theme: Theme, x: float, y: float) -> list[Item]:
    if not legend.missing:
        return []
    return [
        Rect(x, y - 5, 10, 10, theme.missing, theme.line, 2.0),
        Text(f"{legend.metric.missing} ({legend.missing:,})", x + 16, y, SMALL, theme.muted, "left"),
    ]


def height_legend(
    scene: Scene, width: int, height: int, *, camera: Camera | None = None, measure: Measure = rough_width
) -> Picture:
    """Top right: a ruler with absolute values.

    camera   if given, the ruler is as long as a block of the same height looks in the middle of the picture
    """
    theme, legend = THEMES[scene.state.theme], scene.height_legend
    span = legend.maximum - legend.minimum
    long = _ruler_length(legend, camera, width, height)
    tall = 2 * PAD + LINE + (long + 14 if span > 0 else LINE)
    wide = card_width(width)
    x, y = width - MARGIN - wide, MARGIN
    items = card(theme, x, y, wide, tall)
    x, y, wide = x + PAD, y + PAD, wide - 2 * PAD
    items += _heading("Height", legend, x, y + LINE / 2, wide, theme, measure)
    if not span > 0:
        said = shorten(f"{_everywhere(legend)}, drawn flat", wide, SMALL, measure)
        items.append(Text(said, x, y + 1.5 * LINE, SMALL, theme.muted, "left"))
        return Picture(width, height, tuple(items))
    foot = y + LINE + 8 + long
    items += _block(theme, x + 3, foot, 20.0, long)
    for value, share in ticks(legend, max(2, int(long // 15))):
        at = foot - long * share
        items.append(Polyline(((x + 32, at), (x + 38, at)), theme.muted, 1.0))
        items.append(Text(legend.show(value), x + 44, at, SMALL, theme.muted, "left"))
    return Picture(width, height, tuple(items))


def relation_legend(scene: Scene, width: int, height: int, *, measure: Measure = rough_width) -> Picture:
    """Bottom right: what the colour, the taper and the thickness of a relation mean."""
    theme, thick = THEMES[scene.state.theme], scene.thickness
    shown = f"{int(scene.lifted.count.sum()):,} shown"
    wide, tall = RELATION_CARD
    room = measure(shown, SMALL, False)
    against = measure(AGAINST, SMALL, False) + 32 if scene.violating is not None and scene.violating.any() else 0.0
    wide = max(wide, 2 * PAD + measure("Relations", BODY, True) + 16 + room + against)  # room for a count in millions
    kinds = _kinds(scene)
    tall += THICK_LINES * (thick.most > thick.least) + LINE * len(kinds)
    x, y = width - MARGIN - wide, _relations_foot(width, height, scene) - tall
    items = card(theme, x, y, wide, tall)
    x, y, wide = x + PAD, y + PAD, wide - 2 * PAD
    items.append(Text("Relations", x, y + LINE / 2, BODY, theme.text, "left", bold=True))
    items.append(Text(shown, x + wide, y + LINE / 2, SMALL, theme.muted, "right"))
    if against:
        left = x + wide - room - against + 4
        items.append(Rect(left, y + LINE / 2 - 1.5, 12, 3, theme.warning))
        items.append(Text(AGAINST, left + 16, y + LINE / 2, SMALL, theme.muted, "left"))
    for entry in kinds:
        y += LINE
        count = f"{entry.count:,}"
        name = shorten(entry.name, wide - 22 - measure(count, SMALL, False) - GAP, SMALL, measure)
        items.append(Rect(x, y + LINE / 2 - 1.5, 14, 3, entry.color))
        items.append(Text(name, x + 22, y + LINE / 2, SMALL, theme.text, "left"))
        items.append(Text(count, x + wide, y + LINE / 2, SMALL, theme.muted, "right"))
    y += LINE + 4 + LINE / 2
    start, end = x + measure("user", SMALL, False) + 8, x + wide - measure("used", SMALL, False) - 8
    items.append(Text("user", x, y, SMALL, theme.muted, "left"))
    items.append(Text("used", x + wide, y, SMALL, theme.muted, "right"))
    pieces = 24
    ends = relation_ends(theme, scene.drawn.relations)
    if scene.state.impact is not None:  # the colour shows the step, the taper the direction
        ends = theme.affected, theme.affected
    elif kinds:
        ends = theme.line, theme.muted
    shades = gradient(*ends, pieces)
    for number, (left, long) in enumerate(_pieces(start, end, pieces)):
        half = 3.5 + (1.2 - 3.5) * (number + 0.5) / pieces
        red, green, blue = (round(float(channel)) for channel in shades[number])
        items.append(Rect(left, y - half, long, 2 * half, (red, green, blue, 255)))
    if thick.most > thick.least:
        items += _thicknesses(thick, x, y + THICK_LINES, wide, theme, measure)
    return Picture(width, height, tuple(items))


def _thicknesses(thick: Thickness, x: float, y: float, wide: float, theme: Theme, measure: Measure) -> list[Item]:
    """Strokes as thick as relations of the least, a middle and the largest amount, with the amounts."""
    middle = math.sqrt(thick.least * thick.most)
    amounts = dict.fromkeys((thick.least, float(f"{middle:.0e}"), thick.most))
    texts = [f"{amount:,.3g}" if amount < 1000 else f"{amount:,.0f}" for amount in amounts]
    name = {"count": "merged", "calls": "calls", "time": "ms"}.get(thick.name, THICKNESSES[thick.name].lower())
    items: list[Item] = [Text(name, x, y, SMALL, theme.muted, "left")]
    right = x + wide
    for amount, text in reversed(list(zip(amounts, texts, strict=True))):
        long = measure(text, SMALL, False)
        tall = BASE_WIDTH * float(thick.of(amount))
        items.append(Text(text, right, y, SMALL, theme.muted, "right"))
        items.append(Rect(right - long - 18, y - tall / 2, 14, tall, theme.muted))
        right -= long + 18 + GAP
    return items


def _ruler_length(legend: Legend, camera: Camera | None, width: int, height: int) -> float:
    """Length in pixels of the tallest block in the middle of the picture, within the limits of the ruler."""
    shortest, longest = RULER
    if camera is None or camera.tilt < SHALLOW:
        return usual_ruler(width, height)
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


def card(theme: Theme, x: float, y: float, width: float, height: float) -> list[Item]:
    """A card in the colour of the ground, on which a legend stands."""
    return [Rect(round(x) + 0.5, round(y) + 0.5, width, height, (*theme.ground[:3], 225), (*theme.line[:3], 160), 6.0)]


def _heading(what: str, legend: Legend, x: float, y: float, wide: float, theme: Theme, measure: Measure) -> list[Item]:
    scale = SHORT[legend.axis.kind]
    room = wide - (measure(scale, SMALL, False) + GAP if scale else 0.0)
    gap = measure(what + "  ", BODY, True)
    items: list[Item] = [Text(scale, x + wide, y, SMALL, theme.muted, "right")] if scale else []
    if (
        gap + measure(legend.label, BODY, False) > room >= measure(legend.label, BODY, False)
    ):  # the label alone says enough
        bold = room >= measure(legend.label, BODY, True)
        return [Text(legend.label, x, y, BODY, theme.text, "left", bold=bold), *items]
    label = shorten(legend.label, room - gap, BODY, measure)
    return [
        Text(what, x, y, BODY, theme.text, "left", bold=True),
        Text(label, x + gap, y, BODY, theme.text, "left"),
        *items,
    ]


def _color_at(legend: Legend, share: float) -> Color:
    """The colour of the gradient at `share`, interpolated linearly between its stops."""
    at = [place for place, _ in legend.stops]
    channels = [float(np.interp(share, at, [color[c] for _, color in legend.stops])) for c in range(3)]
    return round(channels[0]), round(channels[1]), round(channels[2]), 255
