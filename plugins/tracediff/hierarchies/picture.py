"""The picture: two mirrored icicle plots of nodes, and tubes between those that both hierarchies have (TD-8)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import Bars, CallChange, Labels, Plot, Raster, Segments, Theme, ViewContext, Viewport

from ..arranging import HEADER, LEGEND, PANES, Plane, icicle_plane
from ..changes import COLORS, kind_colors
from ..comparison import band_layers, bar_labels, lit_tube, plain_sentence, plane_bars, sentence_layers, tube_raster
from ..legend import Key, Measure, legend_ground, legend_keys, legend_texts
from ..palette import Colors, grey_of, mixed, with_strength
from ..state import LOWER, UPPER, TraceDiffState, Window
from ..tubes import Tubes
from ..visible import MOST, Drawn, drawn_of
from .designs import Designs, designs_in, width_in
from .nodes import UNIFORM

Layer = Bars | Labels | Raster | Segments
NO_PAIR = (
    "There is one hierarchy alone. In the window this view compares the plan, or a version, with the code as it is."
)
REGROUPED = "Nodes are grouped otherwise than in folders: choose the hierarchy of folders to compare."
ORDER = (CallChange.REMOVED, CallChange.INSERTED, CallChange.MOVED, CallChange.RENAMED)
WORDS = {
    CallChange.REMOVED: "only in A",
    CallChange.INSERTED: "only in B",
    CallChange.MOVED: "moved",
    CallChange.RENAMED: "renamed",
}
_CARRIED = 0.5  # of the way to the ground: what was moved with the container around it
_FADED = 0.45  # of the way to the ground: tubes of what stays where it is
_COARSE = 0.5  # device pixels a logical one while the picture moves


def draw_designs(context: ViewContext, state: TraceDiffState, viewport: Viewport) -> Plot:
    """Both hierarchies with what lies between them, or the sentence that says why there is nothing."""
    designs = designs_in(context)
    if designs is None:
        return plain_sentence(context, viewport, why_nothing(context))
    planes = planes_of(context, state, designs, viewport)
    drawn = drawn_in(context, designs, planes)
    theme, size = context.theme, (viewport.width, viewport.height)
    scale = _COARSE if viewport.moving else viewport.scale
    layers: list[Layer] = [
        *context.memo(band_layers, viewport.width, planes[0].side.edge, planes[1].side.edge, theme),
        context.memo(_tubes, designs, drawn, theme, size, scale),
    ]
    for side in (UPPER, LOWER):
        layers.append(context.memo(_bars, designs, planes[side], side, theme))
        layers.append(context.memo(bar_labels, designs.nodes[side].trace, planes[side], side, "nodes", theme))
    if (drawn.match == state.match).any():
        layers.append(context.memo(lit_tube, drawn, state.match, theme.accent, size, viewport.scale))
    for side in (UPPER, LOWER):
        rows = [state.call] if state.side == side and state.call >= 0 else []
        rows += [] if state.chosen is None or state.chosen[0] != side else [state.chosen[1]]
        layers += [_frame(planes[side], side, row, theme, number) for number, row in enumerate(rows)]
    headings = names_of(context)
    for side in (UPPER, LOWER):
        cut = planes[side].deepest - planes[side].levels
        layers.append(context.memo(_heading, headings[side], side, len(designs.nodes[side]), cut, size, theme))
    layers += context.memo(_legend, headline(context, designs, drawn), size, theme, viewport.measure)
    if context.values["show"] == "changed" and not len(drawn):
        layers += sentence_layers("No node in view was moved or renamed.", viewport, theme)
    order = [name for name in ("tubes lit", "bars upper", "bars lower", "tubes") if any(name == e.name for e in layers)]
    return Plot((planes[0].pane, planes[1].pane), tuple(layers), input=tuple(order))


def why_nothing(context: ViewContext) -> str:
    """Why there is no picture, in a sentence."""
    if context.before is not None:
        return "Arranging both hierarchies …"
    return NO_PAIR if context.inputs or not context.graph.files else REGROUPED


def names_of(context: ViewContext) -> tuple[str, str]:
    """What both are called."""
    if len(context.names) == 2:
        return context.names[0], context.names[1]
    return context.before_name or "before", "what is shown now"


def planes_of(context: ViewContext, state: TraceDiffState, designs: Designs, viewport: Viewport) -> tuple[Plane, Plane]:
    """Both sides on a canvas."""
    one, other = (
        context.memo(
            icicle_plane,
            designs.nodes[side].trace,
            designs.nodes[side].levels,
            0,
            side,
            window_of(state, designs, side),
            designs.whole,
            (state.upper[side], state.lower[side]),
            (viewport.width, viewport.height),
            float(context.values["band"]),
        )
        for side in (UPPER, LOWER)
    )
    return one, other


def window_of(state: TraceDiffState, designs: Designs, side: int) -> Window:
    """What is shown of a side."""
    return state.windows[side] or designs.whole


def drawn_in(context: ViewContext, designs: Designs, planes: tuple[Plane, Plane]) -> Drawn:
    """The tubes that are drawn: of all nodes in view, or of those that changed."""
    values = context.values
    drawn = context.memo(
        drawn_of,
        designs,
        designs.known,
        *planes,
        float(values["lambda"]),
        float(values["tube"]),
        float(values["lines"]),
    )
    return context.memo(_changed_alone, designs, drawn) if values["show"] == "changed" else drawn


def _kinds_of(designs: Designs, drawn: Drawn) -> npt.NDArray[np.uint8]:
    kinds: npt.NDArray[np.uint8] = designs.kinds[LOWER][designs.known.rows[drawn.match, LOWER]]
    return kinds


def _changed_alone(designs: Designs, drawn: Drawn) -> Drawn:
    which = np.flatnonzero(_kinds_of(designs, drawn) != CallChange.UNCHANGED)
    tubes = drawn.tubes
    few = Tubes(tubes.middle[which], tubes.half[which], tubes.depth[which], tubes.length[which])
    return Drawn(drawn.match[which], drawn.bar[which], drawn.wide[which], few, drawn.total)


def _tubes(designs: Designs, drawn: Drawn, theme: Theme, size: tuple[float, float], scale: float) -> Raster:
    kinds = _kinds_of(designs, drawn)
    colors = np.full((len(drawn), 4), 255, np.uint8)
    colors[:, :3] = np.rint(grey_of(theme))
    colors = mixed(colors, theme.ground, np.full(len(drawn), _FADED))
    carried = designs.carried[LOWER][designs.known.rows[drawn.match, LOWER]]
    colors[carried] = _carried_color(theme)
    for each in ORDER:
        colors[kinds == each] = COLORS[each]
    return tube_raster("tubes", drawn, *with_strength(colors, drawn.wide, _strong(designs, drawn)), size, scale)


def _strong(designs: Designs, drawn: Drawn) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = designs.known.similarity[drawn.match]
    return found


def _carried_color(theme: Theme) -> tuple[int, int, int, int]:
    one = mixed(np.array([COLORS[CallChange.MOVED]], np.uint8), theme.ground, _CARRIED)[0].tolist()
    return one[0], one[1], one[2], 255


def _bars(designs: Designs, plane: Plane, side: int, theme: Theme) -> Bars:
    bars, tree = plane.bars, designs.trees[side]
    two = ((58, 64, 72, 255), (70, 77, 86, 255)) if theme.is_dark else ((222, 225, 228, 255), (208, 212, 217, 255))
    quiet: Colors = np.array(two, np.uint8)[bars.depth % 2]
    quiet[designs.carried[side][bars.row]] = _carried_color(theme)
    color = kind_colors(tree, designs.kinds[side], plane, quiet)
    return replace(plane_bars(plane, side, color), outline=theme.ground)


def _frame(plane: Plane, side: int, row: int, theme: Theme, number: int) -> Segments:
    """A frame around the node that is pointed at, or was clicked."""
    bars, tops = plane.bars, plane.tops
    which = np.flatnonzero(bars.row == row)[:1]
    x0, x1 = bars.x0[which], bars.x1[which]
    y0, y1 = tops[bars.depth[which]], tops[bars.depth[which] + 1]
    return Segments(
        name=f"frame {PANES[side]} {number}",
        pane=plane.pane.name,
        x0=np.concatenate((x0, x0, x0, x1)),
        x1=np.concatenate((x1, x1, x0, x1)),
        y0=np.concatenate((y0, y1, y0, y0)),
        y1=np.concatenate((y0, y1, y1, y1)),
        color=theme.accent,
        width=2.0,
    )


def _heading(name: str, side: int, nodes: int, cut: int, size: tuple[float, float], theme: Theme) -> Labels:
    top = 0.0 if side == UPPER else size[1] - LEGEND - HEADER
    text = f"{'AB'[side]}   {name}   {nodes:,} node{'' if nodes == 1 else 's'}"
    if cut > 0:
        text += f", {cut:,} inner levels have no room"
    return Labels(
        name=f"name {PANES[side]}",
        x=np.array([8.0]),
        y=np.array([top + HEADER / 2]),
        text=(text,),
        color=theme.text,
        size=12.0,
        bold=True,
        room=np.array([max(size[0] - 16, 1.0)]),
    )


def headline(context: ViewContext, designs: Designs, drawn: Drawn) -> str:
    """What differs, and how much of it is drawn."""
    said = [f"{designs.count(each):,} {WORDS[each]}" for each in ORDER if designs.count(each)]
    words = [", ".join(said) or "Both hierarchies are the same"]
    words.append(f"{drawn.total:,} of both in view")
    if len(drawn) == MOST:
        words[-1] += f", {MOST:,} drawn, changes first"
    width = width_in(context)
    if width == UNIFORM and context.values["width"] != UNIFORM:
        words.append("nothing is measured: every leaf is as wide")
    return " · ".join(words)


def _legend(headline: str, size: tuple[float, float], theme: Theme, wide: Measure) -> tuple[Bars | Labels, ...]:
    right = size[0] - 8 - min(wide(headline, 11.0, True), size[0] * 0.6)
    keys: list[Key] = [(WORDS[each], COLORS[each], None) for each in ORDER]
    keys.insert(3, ("moved with its container", _carried_color(theme), None))
    found: list[Bars | Labels] = [legend_ground(size, theme)]
    texts: list[tuple[float, str]] = []
    x = legend_keys(keys, 8.0, right, size[1] - LEGEND / 2, found, texts, wide)
    return (*found, *legend_texts(texts, headline, size, x, theme))
