"""Cards about the filter of relations, a path and an impact: what they leave out of the picture, what they found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from cbvtool.asking.impact import Dependants
from cbvtool.asking.shown_relations import ShownRelations
from cbvtool.geometry.camera import Box
from cbvtool.geometry.colors import THEMES, Theme
from cbvtool.geometry.overlay.labels import Measure, rough_width, shorten
from cbvtool.geometry.overlay.legends import (
    BODY,
    CARD,
    LINE,
    MARGIN,
    PAD,
    RELATION_CARD,
    SMALL,
    card,
    card_width,
    corners,
    impact_tall,
)
from cbvtool.geometry.overlay.plan_marks import badge
from cbvtool.geometry.picture import Item, Picture, Polyline, Rect, Text
from cbvtool.geometry.scene.affected import SHOWN_STEPS, step_color
from cbvtool.geometry.scene.planned import SORT_OF, WORDS, PlannedChanges, Sort
from cbvtool.geometry.scene.scene import Scene
from cbvtool.geometry.state.view_state import NEAREST, RelationFilter
from cbvtool.graph import Confidence
from cbvtool.words import one_line

GAP = 8.0  # px between two cards
LOW = 560  # px: in a lower picture, the card of a version has one row for all sorts of changes
ALL_COUNTS = "counts"  # the sign of this row
# Rows of the card of a plan after a first step.
USUAL_ROWS = [("rim", "1 moved"), ("ghost", "where it was"), ("", "scales as before the plan")]


def filter_words(chosen: RelationFilter) -> list[str]:
    """What the filter lets through, one phrase for each of its parts; empty if it lets everything through."""
    direction = {"both": "", "in": ", incoming", "out": ", outgoing"}[chosen.direction]
    words = []
    if chosen.mode == "selection":
        words.append(f"only of the selection{direction}")
    elif chosen.mode == "indirect":
        steps = f"to {chosen.depth:,} steps" if chosen.depth else "any number of steps"
        words.append(f"of the selection, {steps}{direction}")
    elif direction:
        words.append(f"highlights{direction} only")
    words += ["only in cycles"] if chosen.cycles else []
    words += ["only violations"] if chosen.violations else []
    words += {Confidence.EXACT: ["only exact"], Confidence.RESOLVED: ["no guesses"]}.get(
        Confidence(chosen.confidence), []
    )
    words += [f"distance {chosen.distance} or more"] if chosen.distance > NEAREST else []
    words += ["crossing ones emphasised"] if chosen.crossing else []
    return words


def with_answers(
    legends: Mapping[str, Picture], scene: Scene, width: int, height: int, *, measure: Measure = rough_width
) -> dict[str, Picture]:
    """The `legends` of a scene, with a card for its filter or path, and one for its plan.

    The card of an impact replaces that of the colours.
    """
    result = dict(legends)
    if scene.state.impact is not None:
        result["color"] = impact_legend(scene, scene.state.impact, width, height, measure=measure)
    below = legends["thickness"].items[0] if "thickness" in legends else None
    foot = below.y if isinstance(below, Rect) else height - MARGIN + GAP
    if (chosen := filter_legend(scene, width, height, foot=foot, measure=measure)) is not None:
        result["filter"] = chosen
        foot -= GAP + _tall(chosen)
    if scene.plan is not None:
        result["plan"] = plan_legend(scene, scene.plan, width, height, foot=foot, measure=measure)
    return result


def _tall(picture: Picture) -> float:
    below = picture.items[0]
    return below.height if isinstance(below, Rect) else 0.0


def plan_rows(scene: Scene, plan: PlannedChanges) -> list[tuple[str, str]]:
    """Rows (sign, text) of the card of the plan; the sign is a word of `WORDS`, `rim`, `ghost`, or empty."""
    before, rows = scene.state.before, list[tuple[str, str]]()
    if scene.state.planned:
        if plan.version:
            rows += [(WORDS[sort], text) for sort, text in plan.rows()]
        elif summary := plan.summary():
            rows.append(("rim", summary))
        if scene.ghosts is not None and len(scene.ghosts):
            rows.append(("ghost", "where it will be" if before else "where it was"))
        if plan.version:
            rows.append(("" if before else "rim", f"{int(plan.fresh.sum()):,} relations added"))
            rows.append(("rim" if before else "", f"{int(plan.gone.sum()):,} relations removed"))
    if before:
        rows.append(("", f"{one_line(plan.version)} is shown" if plan.version else "what there was before"))
    elif scene.height_legend.axis.pinned or scene.color_legend.axis.pinned:
        rows.append(("", f"scales as in {one_line(plan.version)}" if plan.version else "scales as before the plan"))
    return rows


def plan_legend(
    scene: Scene, plan: PlannedChanges, width: int, height: int, *, foot: float, measure: Measure = rough_width
) -> Picture:
    """Bottom right, above the cards that begin at `foot` (pixels): what the marks of the plan mean."""
    theme, rows = THEMES[scene.state.theme], _fitting(plan_rows(scene, plan), height)
    wide, tall = _answer_size([text for _, text in rows] or [""], len(rows), measure)
    wide = min(wide + 16, CARD + 60)
    x, y = width - MARGIN - wide, foot - GAP - tall
    items = card(theme, x, y, wide, tall)
    x, y = x + PAD, y + PAD + LINE / 2
    heading = "Before the plan" if scene.state.before else "Plan"
    if plan.version:
        heading = shorten(f"Since {one_line(plan.version)}", wide - 2 * PAD, BODY, measure)
    items.append(Text(heading, x, y, BODY, theme.text, "left", bold=True))
    for sign, text in rows:
        y += LINE
        if sign == ALL_COUNTS:
            items += _counts(text, x, y, theme, measure)
            continue
        if sign == "rim" and "relations" in text:
            items.append(Polyline(((x, y), (x + 11, y)), theme.accent, 2.2))
        elif sign in SORT_OF:
            items += badge(SORT_OF[sign], x + 5.5, y, theme)
        elif sign:
            box = ((x, y - 5), (x + 11, y - 5), (x + 11, y + 5), (x, y + 5), (x, y - 5))
            items.append(Polyline(box, theme.accent, 1.6, dashed=sign == "ghost"))
        line = shorten(text, wide - 2 * PAD - 16 * bool(sign), SMALL, measure)
        items.append(Text(line, x + 16 * bool(sign), y, SMALL, theme.muted, "left"))
    return Picture(width, height, tuple(items))


def _fitting(rows: list[tuple[str, str]], height: int) -> list[tuple[str, str]]:
    """The rows; in a low picture one row holds all counts of changed nodes, and self-explaining rows are left out."""
    if height >= LOW or not any(sign in SORT_OF for sign, _ in rows):
        return rows
    counts = "   ".join(f"{text.split()[0]}:{SORT_OF[sign].value}" for sign, text in rows if sign in SORT_OF)
    return [(ALL_COUNTS, counts), *(row for row in rows if row[0] not in SORT_OF and "relations" in row[1])]


def _counts(text: str, x: float, y: float, theme: Theme, measure: Measure) -> Iterator[Item]:
    """The badge of each sort of change with its count, side by side."""
    for part in text.split("   "):
        number, sort = part.split(":")
        yield from badge(Sort(int(sort)), x + 5.5, y, theme)
        yield Text(number, x + 14, y, SMALL, theme.muted, "left")
        x += 20 + measure(number, SMALL, False)


def kept_clear(
    scene: Scene, width: int, height: int, *, measure: Measure = rough_width, plans: bool = False
) -> list[Box]:
    """(x, y, width, height) of the corners that legends and answers take, wherever the pointer is.

    plans   keep the place for the card of a plan, too, while nothing is planned
    """
    boxes = corners(width, height, scene)
    state = scene.state
    passes = isinstance(state.path, ShownRelations) and state.path.passing  # the picture stays in place
    lines = [] if passes else _answer(scene)
    if lines:
        more = 1 + (state.path is None and state.filter.mode != "all")  # one line each: what is hidden, what to do
        wide, tall = _answer_size(lines, len(lines) + more, measure)
        foot = boxes[-1][1] if boxes[-1][2] else height - MARGIN + GAP
        boxes.append((width - MARGIN - wide, foot - GAP - tall, wide + MARGIN, tall + GAP))
    if scene.plan is not None or plans:
        rows = USUAL_ROWS if scene.plan is None else _fitting(plan_rows(scene, scene.plan), height)
        wide, tall = _answer_size([text for _, text in rows] or [""], len(rows), measure)
        foot = boxes[-1][1] if boxes[-1][2] else height - MARGIN + GAP
        boxes.append((width - MARGIN - wide - 16, foot - GAP - tall, wide + MARGIN + 16, tall + GAP))
    return boxes


def told_by_legends(scene: Scene) -> tuple[object, ...]:
    """The values that the legends depend on: if equal, two scenes of one size have the same legends."""
    state = scene.state
    return (
        scene.graph,
        scene.color_legend,
        scene.height_legend,
        scene.thickness,
        scene.lifted,
        scene.total,
        scene.drawn.relations,
        state.theme,
        state.filter,
        state.path,
        state.impact,
        scene.plan,
        state.planned,
        state.before,
        scene.ghosts is not None and len(scene.ghosts) > 0,
        _asks_for_nodes(scene),
    )


def filter_legend(
    scene: Scene, width: int, height: int, *, foot: float, measure: Measure = rough_width
) -> Picture | None:
    """Bottom right, above the cards that begin at `foot` (pixels): how many relations are left out. None = no card."""
    theme, path = THEMES[scene.state.theme], scene.state.path
    words = _answer(scene)
    if not words:
        return None
    shown = int(scene.lifted.count.sum())
    lines = [*words, *([f"{scene.total - shown:,} of {scene.total:,} left out"] if shown < scene.total else [])]
    if _asks_for_nodes(scene):
        lines.append("select or point at something")
    heading = path.heading if isinstance(path, ShownRelations) else "Path" if path is not None else "Filter"
    wide, tall = _answer_size(lines, len(lines), measure)
    x, y = width - MARGIN - wide, foot - GAP - tall
    items = card(theme, x, y, wide, tall)
    x, y = x + PAD, y + PAD + LINE / 2
    items.append(Text(heading, x, y, BODY, theme.text, "left", bold=True))
    for number, line in enumerate(lines, 1):
        text = shorten(line, wide - 2 * PAD, SMALL, measure)
        items.append(Text(text, x, y + number * LINE, SMALL, theme.muted, "left"))
    return Picture(width, height, tuple(items))


def _answer(scene: Scene) -> list[str]:
    """Lines of the card above that of relations, about a path or the filter; empty = there is no card."""
    path, chosen = scene.state.path, scene.state.filter
    if isinstance(path, ShownRelations):
        return list(path.lines)
    if path is not None:
        ends = [one_line(scene.graph.names[key]) for key in (path.source, path.target)]
        chains = f"{len(path.chains):,} of {path.total:,} chains" if path.total > 1 else "1 chain"
        return [f"{ends[0]} → {ends[1]}", f"{chains}, {path.length:,} relation{'' if path.length == 1 else 's'} long"]
    return filter_words(chosen)[1 if scene.state.impact is not None and chosen.mode != "all" else 0 :]


def _answer_size(lines: list[str], count: int, measure: Measure) -> tuple[float, float]:
    """Width and height in pixels of a card with `count` lines below its heading."""
    wide = max(RELATION_CARD[0], 2 * PAD + max(measure(line, SMALL, False) for line in lines))
    return min(wide, CARD + 60), 2 * PAD + LINE * (1 + count)


def _asks_for_nodes(scene: Scene) -> bool:
    """Whether the filter shows the relations of some nodes, but nothing is selected or under the pointer."""
    state = scene.state
    return state.filter.mode != "all" and state.path is None and not state.selected and state.hovered < 0


def impact_legend(
    scene: Scene, impact: Dependants, width: int, height: int, *, measure: Measure = rough_width
) -> Picture:
    """Bottom left, in place of the colour bar: how many nodes a change affects, by distance."""
    theme = THEMES[scene.state.theme]
    count = np.bincount(np.minimum(impact.distance, SHOWN_STEPS), minlength=2)
    names = [one_line(scene.graph.names[key]) for key in impact.changed]
    what = names[0] if len(names) == 1 else f"{len(names):,} nodes"
    rows = [(0, "changes")]
    for step in range(1, len(count)):
        far = "direct" if step == 1 else f"{step} steps away"
        more = " or more" if step == SHOWN_STEPS and int(impact.distance.max()) > SHOWN_STEPS else ""
        rows.append((step, f"{far}{more}: {int(count[step]):,}"))
    tall = impact_tall(impact)
    x, y = MARGIN, height - MARGIN - tall
    wide = card_width(width)
    items = card(theme, x, y, wide, tall)
    x, y = x + PAD, y + PAD + LINE / 2
    heading = shorten(f"Affected by {what}", wide - 2 * PAD, BODY, measure)
    items.append(Text(heading, x, y, BODY, theme.text, "left", bold=True))
    for step, text in rows:
        y += LINE
        items.append(Rect(x, y - 5, 10, 10, step_color(theme, step), theme.line, 2.0))
        items.append(Text(text, x + 16, y, SMALL, theme.muted, "left"))
    return Picture(width, height, tuple(items))
