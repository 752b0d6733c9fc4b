"""The calls within the selected module, each below its caller, with the runs spread in each (CF-3; 004, 5.4.2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    Bars,
    BoxShape,
    Labels,
    ModuleHierarchy,
    Pane,
    Plot,
    Segments,
    ViewContext,
    Viewport,
    frames_around,
    function_title,
)

from .figures import Floats, RunSpread, differences, shares_of, signed, spread_of, written
from .furniture import SIDE, TOP, head
from .lasso import Longs
from .noise import BesideNoise, noise_in
from .palette import border_colors, box_ground, count_colors, difference_colors, noise_color, target_color
from .picture import WAITING, largest, sentence
from .preparing import FlowModel, fault_in, is_exclusive, model_in, second_of, selected_module, target_of
from .seen import hierarchy_in
from .state import CallFlowState

PART, CALLS = "icicle", "calls"
MOST_LEVELS = 200
_ROW, _STRIP = 24.0, 7.0  # logical pixels of a call, and of the bins in it
_ROOMY = 40.0  # pixels from which on a call shows its bins
_BINS = 12  # at most, as there is less room than in a box
_SIZE = 11.0
_LEAST = 0.7  # pixels of a call that is drawn
Layer = Bars | Labels | Segments


@dataclass(frozen=True, eq=False)
class CallPlaces:
    """Where the h calls lie, in parts of the whole width. x0, x1: float64[h]."""

    x0: Floats
    x1: Floats


def places_of(tree: ModuleHierarchy) -> CallPlaces:
    """As wide as the mean of all runs, of which a run that lacks it spent nothing, and never wider than the caller.

    Recursion through other modules may make calls take more than their caller, within which they are counted once:
    they are narrower then.
    """
    mean = np.maximum(np.nan_to_num(tree.inclusive), 0.0).mean(axis=0) if len(tree.inclusive) else np.zeros(len(tree))
    below = np.bincount(tree.parent + 1, mean, len(tree) + 1)  # of the callees of each; the first: of entry functions
    free = np.zeros(len(tree) + 1)
    scale = np.zeros(len(tree) + 1)
    scale[0] = 1.0 / below[0] if below[0] > 0 else 0.0
    x0, x1 = np.zeros(len(tree)), np.zeros(len(tree))
    for row, above in enumerate((tree.parent + 1).tolist()):
        wide = mean[row] * scale[above]
        x0[row], x1[row] = free[above], free[above] + wide
        free[above] += wide
        free[row + 1] = x0[row]
        scale[row + 1] = min(scale[above], wide / below[row + 1]) if below[row + 1] > 0 else 0.0
    return CallPlaces(x0, x1)


def draw_icicle(context: ViewContext, state: CallFlowState, viewport: Viewport) -> Plot:
    """Rows of calls, entry functions on top."""
    model, theme = model_in(context), context.theme
    if model is None:
        return sentence(theme, viewport, fault_in(context) or WAITING)
    tree = hierarchy_in(context, state, model)
    if not len(tree):
        return sentence(theme, viewport, "There is no call path.")
    levels = min(int(tree.depth.max()) + 1, MOST_LEVELS)
    pane = _pane(state, viewport, levels)
    spots = context.memo(places_of, tree)
    low, high = pane.x
    seen = (
        (spots.x1 - spots.x0 >= _LEAST * pixel_of(pane)) & (spots.x1 > low) & (spots.x0 < high) & (tree.depth < levels)
    )
    rows = np.flatnonzero(seen)
    mode = str(context.values["mode"])
    drawing = _Drawing(context, model, tree, spots, rows, pane)
    layers = drawing.difference() if mode == "difference" else drawing.spread(is_target=mode == "target")
    layers += [drawing.borders(), drawing.words(mode, viewport), *drawing.chosen(state)]
    ground = Bars(
        name="icicle ground",
        x0=np.zeros(1),
        x1=np.array([viewport.width]),
        y0=np.array([viewport.top]),
        y1=np.array([viewport.top + TOP]),
        color=theme.ground,
    )
    title = _title(context, state, model, tree, levels)
    return Plot(
        (pane,), (*layers, ground, *head(title, (), viewport, theme, viewport.top)), height=TOP + levels * _ROW + 4.0
    )


def _title(context: ViewContext, state: CallFlowState, model: FlowModel, tree: ModuleHierarchy, levels: int) -> str:
    module = selected_module(state, model)
    name = "All calls" if module < 0 else model.graph.name[module]
    paths = "1 call path" if len(tree) == 1 else f"{len(tree):,} call paths"
    said = f"{name}: {paths}, as wide as the mean of all runs"
    if context.values["mode"] == "target":
        lacks = int(np.isnan(tree.inclusive[target_of(context, model)]).sum())
        said += f"; the target lacks {lacks:,}" if lacks else "; the target has all"
    if context.values["mode"] == "difference":
        said += "; B minus A"
    if int(tree.depth.max()) >= levels:
        said += f"; {levels:,} levels are shown"
    return said


def _pane(state: CallFlowState, viewport: Viewport, levels: int) -> Pane:
    shape = BoxShape(SIDE, TOP, max(viewport.width - 2 * SIDE, 4.0), levels * _ROW)
    return Pane(CALLS, shape, state.inside or (0.0, 1.0), (0.0, float(levels)), "x", "x", (0.0, 1.0), (0.0, 1.0))


def pixel_of(pane: Pane) -> float:
    """Parts of the whole width that a pixel takes."""
    assert isinstance(pane.shape, BoxShape)
    return (pane.x[1] - pane.x[0]) / pane.shape.width


class _Drawing:
    """Layers of the calls that are seen."""

    def __init__(
        self, context: ViewContext, model: FlowModel, tree: ModuleHierarchy, spots: CallPlaces, rows: Longs, pane: Pane
    ) -> None:
        self.context, self.theme, self.model = context, context.theme, model
        self.tree, self.rows, self.seen = tree, rows, pane.x
        pixel = self.pixel = pixel_of(pane)
        gap = np.minimum(0.5 * pixel, (spots.x1[rows] - spots.x0[rows]) / 4)
        self.x0, self.x1 = spots.x0[rows] + gap, spots.x1[rows] - gap
        depth = tree.depth[rows].astype(np.float64)
        self.y0: Floats = depth + 1.0 / _ROW
        self.y1: Floats = depth + (1.0 - 1.0 / _ROW)
        self.exclusive = is_exclusive(context)
        self.values = (tree.exclusive if self.exclusive else tree.inclusive)[:, rows]

    def _bars(self, color: object, hollow: npt.NDArray[np.bool_]) -> Bars:
        fill = np.broadcast_to(np.asarray(color, np.uint8), (len(self.rows), 4)).copy()
        fill[hollow, 3] = 0
        return Bars(
            name=CALLS,
            pane=CALLS,
            x0=self.x0,
            x1=self.x1,
            y0=self.y0,
            y1=self.y1,
            color=fill,
            item=self.rows.astype(np.int32),
        )

    def spread(self, *, is_target: bool) -> list[Layer]:
        """Bins of the runs along each call, from its smallest value to its largest; the target's value in it."""
        theme = self.theme
        target = target_of(self.context, self.model)
        lacks = np.isnan(self.values[target]) & is_target
        found: list[Layer] = [self._bars(box_ground(theme), lacks)]
        bins = min(int(self.context.values["bins"]), _BINS)
        spread: RunSpread = spread_of(self.values, bins)
        roomy = (self.x1 - self.x0 >= _ROOMY * self.pixel) & ~lacks
        call, number = np.nonzero(spread.count * roomy[:, None])
        step = (self.x1 - self.x0)[call] / bins
        share = spread.count[call, number] / max(int(spread.count.max(initial=0)), 1)
        strip = _STRIP / _ROW
        found.append(
            Bars(
                name="call bins",
                pane=CALLS,
                x0=self.x0[call] + step * number,
                x1=self.x0[call] + step * (number + 1),
                y0=self.y1[call] - strip,
                y1=self.y1[call],
                color=count_colors(share, theme, is_target),
            )
        )
        if is_target:
            at = np.flatnonzero(roomy)
            x = shares_of(self.values[target], spread.low, spread.high)[at]
            inset = np.minimum(2.0 * self.pixel, (self.x1 - self.x0)[at] / 2)
            x = np.clip(self.x0[at] + x * (self.x1 - self.x0)[at], self.x0[at] + inset, self.x1[at] - inset)
            y0, y1 = self.y1[at] - strip - 2.0 / _ROW, self.y1[at]
            color = target_color(theme)
            found.append(Segments(name="call target", pane=CALLS, x0=x, x1=x, y0=y0, y1=y1, color=color, width=3.0))
        return found

    def difference(self) -> list[Layer]:
        """By what B spends more than A, below the names, which stay readable."""
        own = differences(self.values, target_of(self.context, self.model), second_of(self.context, self.model))
        color = difference_colors(own / largest(own), self.theme, str(self.context.values["colors"]))
        color[self.noise().is_noise[self.rows]] = noise_color(self.theme)
        lacks = np.isnan(own)
        at = np.flatnonzero(~lacks)
        strip = Bars(
            name="call differences",
            pane=CALLS,
            x0=self.x0[at],
            x1=self.x1[at],
            y0=self.y1[at] - _STRIP / _ROW,
            y1=self.y1[at],
            color=color[at],
        )
        return [self._bars(box_ground(self.theme), lacks), strip]

    def noise(self) -> BesideNoise:
        """Of all call paths, the differences that repeats have among themselves."""
        return noise_in(self.context, self.model, self.tree.exclusive if self.exclusive else self.tree.inclusive)

    def borders(self) -> Segments:
        """Round each call, by the most that it takes by itself in a run."""
        own = np.nan_to_num(np.fmax.reduce(self.tree.exclusive, axis=0))
        color = border_colors(own[self.rows] / max(float(own.max(initial=0.0)), 1e-300), self.theme)
        framed = frames_around(
            "call borders", self.x0, self.x1, self.y0, self.y1, (0, 0, 0, 255), pane=CALLS, width=1.3
        )
        return Segments(
            name=framed.name,
            pane=CALLS,
            x0=framed.x0,
            x1=framed.x1,
            y0=framed.y0,
            y1=framed.y1,
            color=np.tile(color, (4, 1)),
            width=1.3,
        )

    def words(self, mode: str, viewport: Viewport) -> Labels:
        """Names, as far as they fit, and values behind them where there is room for both."""
        left = np.maximum(self.x0, self.seen[0])
        room = (np.minimum(self.x1, self.seen[1]) - left) / self.pixel - 8.0
        rows = np.flatnonzero(room >= 14.0)
        functions = self.model.ensemble.functions
        names = [function_title(functions, int(self.tree.function[self.rows[row]])) for row in rows.tolist()]
        after = self._after(mode)
        both = [f"{name}{after[row]}" for name, row in zip(names, rows.tolist(), strict=True)]
        fits = np.array([viewport.measure(text, _SIZE, False) for text in both]) <= room[rows]
        middle = self.y0 + (1.0 - _STRIP / _ROW) / 2
        return Labels(
            name="call names",
            pane=CALLS,
            x=left[rows] + 4.0 * self.pixel,
            y=middle[rows],
            text=tuple(text if fit else name for text, name, fit in zip(both, names, fits.tolist(), strict=True)),
            color=self.theme.text,
            size=_SIZE,
            room=room[rows],
        )

    def _after(self, mode: str) -> list[str]:
        """What stands behind each name."""
        unit = self.model.ensemble.unit
        one, other = target_of(self.context, self.model), second_of(self.context, self.model)
        if mode == "target":
            own = [written(value, unit) for value in self.values[one].tolist()]
            return [f"  {text}" if text != "–" else "  not in this run" for text in own]
        if mode == "difference":
            own = differences(self.values, one, other).tolist()
            noise = self.noise().is_noise[self.rows].tolist()
            return [
                "  in neither" if np.isnan(value) else f"  {signed(value, unit)}{'  noise' * within}"
                for value, within in zip(own, noise, strict=True)
            ]
        return [""] * len(self.rows)

    def chosen(self, state: CallFlowState) -> list[Layer]:
        """The selected call path, framed."""
        if not 0 <= state.site < len(self.tree.of_node):
            return []
        at = np.flatnonzero(self.rows == self.tree.of_node[state.site])
        edges = self.x0[at], self.x1[at], self.y0[at], self.y1[at]
        return [frames_around("call selected", *edges, self.theme.accent, pane=CALLS, width=3.0)]
