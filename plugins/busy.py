"""Which functions a trace spends its time in: one bar each, the longest first. The example of docs/plugins.md."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cbvtool import api

API = "0.2"
__version__ = "1.0"


def times(trace: api.Trace, focus: api.Focus) -> np.ndarray[Any, Any]:
    """float64[f], ns: how long the calls of each function took in the part that is looked at."""
    calls, (first, last) = trace.calls, focus.within(trace.span)
    length = np.maximum(np.minimum(calls.end, last) - np.maximum(calls.start, first), 0)
    for thread in () if focus.threads is None else set(range(len(trace.threads))) - focus.threads:
        length[trace.threads.ptr[thread] : trace.threads.ptr[thread + 1]] = 0
    return np.bincount(calls.function, length, len(trace.functions))


@dataclass(frozen=True)
class BusyState:
    """The function that was clicked."""

    function: int = api.NO_FUNCTION


class BusyView(api.SimpleView[BusyState]):
    """One bar for each function of one trace."""

    name, label, State = "busy", "Busy functions", BusyState
    parameters = (api.NumberParameter("rows", "Functions", 1, 100, 20),)

    def ranked(self, context: api.ViewContext) -> tuple[list[int], list[float]]:
        """Functions, and their times in ns: the longest first."""
        time = context.memo(times, context.trace(), replace(context.focus, function=-1))
        order = np.argsort(-time, kind="stable")[: int(context.values["rows"])]
        return order[time[order] > 0].tolist(), time[order[time[order] > 0]].tolist()

    def draw(self, context: api.ViewContext, state: BusyState, part: str, viewport: api.Viewport) -> api.Plot:
        """Bars from the left, with names on them."""
        functions, time = self.ranked(context)
        shape, y = api.BoxShape(0, 0, viewport.width, viewport.height), np.arange(float(len(functions)))
        pane = api.Pane("rows", shape, (0, max(time, default=1)), (0, max(len(time), 1)), zoom="", pan="")
        theme, item = context.theme, np.array(functions, np.int32)
        color = np.where((item == state.function)[:, None], theme.accent, theme.other).astype(np.uint8)
        x1 = np.array(time)
        bars = api.Bars(name="bars", pane="rows", x0=0 * y, x1=x1, y0=y + 0.1, y1=y + 0.9, color=color, item=item)
        names = [context.trace().functions.name[row] for row in functions]
        labels = api.Labels(name="names", pane="rows", x=0 * y, y=y + 0.5, text=names, color=theme.text)
        return api.Plot((pane,), (bars, labels))

    def on(
        self, context: api.ViewContext, state: BusyState, event: api.ViewEvent
    ) -> tuple[BusyState, tuple[api.Request, ...]]:
        """A click selects a function here, in the other views, and its node in the 3D view."""
        if event.kind is not api.EventKind.CLICK or not event.hit:
            return state, ()
        focus = api.SetFocus(replace(context.focus, function=event.hit.item))
        return BusyState(event.hit.item), (focus, api.SelectNodes(context.nodes(event.hit.item)))

    def tell(self, context: api.ViewContext, state: BusyState, part: str, hit: api.Hit) -> tuple[str, ...]:
        """Name and time."""
        time = dict(zip(*self.ranked(context), strict=True))
        return (context.trace().functions.name[hit.item], api.duration(time[hit.item])) if hit.item in time else ()


def register(registry: api.Registry) -> None:
    """Offer it."""
    registry.add_view(BusyView())
