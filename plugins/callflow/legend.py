"""The legend: the scale of counts, of differences, and of borders; where on an axis the largest value lies."""

from __future__ import annotations

import numpy as np

from cbvtool.api import Bars, Labels, Segments, Theme, ViewContext, Viewport

from .figures import RunSpread, differences, signed, written
from .frame import LEGEND
from .noise import noise_in
from .palette import Colors, border_colors, count_colors, difference_colors, noise_color, target_color
from .preparing import FlowModel, highest, second_of, target_of
from .state import CallFlowState

_STEPS, _WIDE, _SIZE = 24, 90.0, 11.0


class _Line:
    """Pieces from left to right."""

    def __init__(self, viewport: Viewport, theme: Theme) -> None:
        self.viewport, self.theme = viewport, theme
        self.x, self.y = 8.0, viewport.height - LEGEND / 2
        self.layers: list[Bars | Labels | Segments] = []

    def text(self, text: str, after: float = 6.0) -> None:
        """Left out where it does not fit."""
        wide = self.viewport.measure(text, _SIZE, False)
        if self.x + wide <= self.viewport.width:
            self.layers.append(
                Labels(
                    name=f"legend {len(self.layers)}",
                    x=np.array([self.x]),
                    y=np.array([self.y]),
                    text=(text,),
                    color=self.theme.muted,
                    size=_SIZE,
                )
            )
        self.x += wide + after

    def ramp(self, colors: Colors) -> None:
        """A scale of colours."""
        if self.x + _WIDE <= self.viewport.width:
            x = self.x + np.arange(len(colors)) * (_WIDE / len(colors))
            self.layers.append(
                Bars(
                    name=f"legend {len(self.layers)}",
                    x0=x,
                    x1=x + _WIDE / len(colors),
                    y0=x * 0 + self.y - 5.0,
                    y1=x * 0 + self.y + 5.0,
                    color=colors,
                )
            )
        self.x += _WIDE + 6.0

    def swatch(self, color: tuple[int, int, int, int]) -> None:
        """A small hatched box."""
        x, y = np.array([self.x]), np.array([self.y])
        for pattern in ("", "hatched"):
            name = f"legend {len(self.layers)}"
            self.layers.append(Bars(name=name, x0=x, x1=x + 18.0, y0=y - 5.0, y1=y + 5.0, color=color, pattern=pattern))
        self.x += 24.0

    def stroke(self, color: tuple[int, int, int, int]) -> None:
        """A piece of a line."""
        begin, y = np.array([self.x]), np.array([self.y])
        self.layers.append(
            Segments(name=f"legend {len(self.layers)}", x0=begin, x1=begin + 20.0, y0=y, y1=y, color=color, width=3.0)
        )
        self.x += 26.0


def draw_legend(
    context: ViewContext, state: CallFlowState, model: FlowModel, spread: RunSpread, viewport: Viewport
) -> list[Bars | Labels | Segments]:
    """One line at the bottom."""
    theme, unit, mode = context.theme, model.ensemble.unit, context.values["mode"]
    line = _Line(viewport, theme)
    zero = np.zeros(1)
    ground = Bars(
        name="legend ground",
        x0=zero,
        x1=zero + viewport.width,
        y0=zero + viewport.height - LEGEND,
        y1=zero + viewport.height,
        color=theme.plane,
    )
    steps = (np.arange(_STEPS) + 0.5) / _STEPS
    if mode == "difference":
        exclusive = bool(context.values["value"] == "exclusive")
        own = differences(model.values(exclusive), target_of(context, model), second_of(context, model))
        most = float(np.abs(np.nan_to_num(own)).max(initial=0.0))
        line.text(f"B minus A   {signed(-most, unit)}")
        line.ramp(difference_colors(2 * steps - 1, theme, str(context.values["colors"])))
        line.text(f"{signed(most, unit)}", 18.0)
        noise = noise_in(context, model, model.values(exclusive))
        if noise.is_known:
            line.swatch(noise_color(theme))
            line.text("grey: within the noise of repeats", 18.0)
        else:
            line.text("no repeats: noise is not known", 18.0)
    else:
        most_runs = int(spread.count.max(initial=0))
        if mode == "target":
            line.stroke(target_color(theme))
            line.text("target run", 18.0)
        line.text("runs in a bin   1")
        line.ramp(count_colors(np.maximum(steps, 1 / max(most_runs, 1)), theme, mode == "target" or bool(state.runs)))
        line.text(f"{most_runs:,}", 18.0)
        if state.runs:
            line.text(f"right half: {len(state.runs):,} selected runs alone", 18.0)
    line.text("border: most by itself   0")
    line.ramp(border_colors(steps, theme))
    line.text(written(float(np.nan_to_num(highest(model.graph.exclusive)).max(initial=0.0)), unit), 18.0)
    if mode != "difference":
        line.text("in a box: the slowest run on top" if unit == "ns" else "in a box: the largest value on top", 18.0)
    line.text("height: the most of all runs", 18.0)
    if not np.isnan(model.graph.within).all():
        line.text("loop: calls itself")
    return [ground, *line.layers]
