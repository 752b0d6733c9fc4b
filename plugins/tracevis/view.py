"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from cbvtool.api import (
    ChoiceParameter,
    Columns,
    Hit,
    Layout,
    Need,
    NumberParameter,
    Plot,
    Request,
    Rows,
    SimpleView,
    SliderParameter,
    SwitchParameter,
    Tabs,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    event_queue,
    levels_needs,
    merged_calls,
    state_of,
    thread_groups,
    window_figures,
)

from .about import part_of
from .activity import draw_activity
from .merged import draw_merged
from .overviews import draw_pattern, draw_structure, make_pattern
from .own_code import PREFIX, inward, outward, own_in, own_need
from .reacting import react
from .shown import SMALL, make_warp, order_of, theta_of, threads_of, warp_in
from .state import TraceVisState, usable
from .tables import functions_table, relations_table, threads_table
from .telling import tell_hit


class TraceVisView(SimpleView[TraceVisState]):
    """What each thread of a trace did along time."""

    name, label, State = "tracevis", "TraceVis: calls along time", TraceVisState
    parameters = (
        SwitchParameter("own", "Only my code", help="Calls of other code fold into the calls that made them"),
        SwitchParameter("fit", "All threads on one screen"),
        ChoiceParameter(
            "color",
            "Colour",
            (("function", "Function"), ("module", "Module"), ("duration", "Duration"), ("depth", "Stack depth")),
            "function",
        ),
        SliderParameter(
            "theta",
            "Compaction",
            0.001,
            10_000.0,
            0.0,
            log=True,
            zero=True,
            help="Long gaps shrink the more; 1 halves about the mean gap between two events, the left end is linear",
        ),
        ChoiceParameter(
            "order",
            "Threads by",
            (("start", "Start"), ("calls", "Calls"), ("time", "Time"), ("hand", "Hand")),
            "start",
            more=True,
        ),
        ChoiceParameter(
            "levels",
            "Deep threads",
            (("upper", "Upper levels first"), ("all", "All levels")),
            "upper",
            help="Where many threads are shown, a deep one gets less than half of the canvas at first",
            more=True,
        ),
        ChoiceParameter(
            "aggregates",
            "Merged calls",
            (("levels", "A bar for each level"), ("clusters", "One box")),
            "levels",
            more=True,
        ),
        SliderParameter(
            "threshold", "Narrowest bar", 1.0, 16.0, 1.0, unit="px", help="Narrower calls are merged", more=True
        ),
        NumberParameter("height", "Height of a level", 1, 40, 17, unit="px", more=True),
        SwitchParameter(
            "alike", "Equal threads once", help="Of threads that call the same as often, one is drawn", more=True
        ),
        SwitchParameter("counters", "Counters", True, help="Strips above the threads", more=True),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> TraceVisState:
        """A state from a document; see `usable`."""
        return usable(context.trace(), state_of(TraceVisState, data))

    def needs(self, context: ViewContext, state: TraceVisState) -> tuple[Need, ...]:
        """Calls by depth, events to warp time by, figures of the window, groups of threads, patterns."""
        first, own = own_need(context), own_in(context)
        context, state = inward(own, context, state)
        trace, threads = context.trace(), threads_of(context, state)
        part = part_of(context, state)
        needs = [
            Need("figures", "adding up functions", window_figures, (trace, part.window, part.threads, part.rows)),
            Need("pattern", "looking for patterns", make_pattern, (trace, threads, warp_in(context))),
        ]
        needs[:0] = levels_needs(trace, order_of(trace))
        if len(trace.calls) > SMALL:
            needs.append(Need("groups", "comparing threads", thread_groups, (trace,)))
        if state.merged:
            needs.append(Need("merged", "merging calls", merged_calls, (trace, part.window, part.threads, part.rows)))
        theta = theta_of(context)
        if theta > 0.0:
            needs.insert(0, Need("events", "merging events", event_queue, (trace, threads)))
            if (events := context.found.get("events")) is not None:
                needs.insert(0, Need("warp", "compacting time", make_warp, (events, theta)))
        if own is not None:
            needs = [replace(need, name=PREFIX + need.name) for need in needs]
        return (*first, *needs)

    def layout(self, context: ViewContext, state: TraceVisState) -> Layout:
        """Threads at the left; the activity view, and below it one of the overviews or tables."""
        below = Tabs(
            (
                ViewPart("structure", title="Overview"),
                ViewPart("pattern", title="Patterns"),
                ViewPart("functions", "table", title="Functions"),
                ViewPart("relations", "table", title="Callers and callees"),
            ),
            share=1.6,
        )
        right = Rows((ViewPart("activity", share=5.0), below), share=5.0)
        return Columns((ViewPart("threads", "table", title="Threads"), right))

    def draw(self, context: ViewContext, state: TraceVisState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of the parts."""
        context, state = inward(own_in(context), context, state)
        match part:
            case "threads":
                return threads_table(context, state)
            case "functions":
                return functions_table(context, state)
            case "relations":
                return relations_table(context)
            case "structure":
                return draw_structure(context, state, viewport)
            case "pattern":
                return draw_pattern(context, state, viewport)
        return draw_merged(context, state, viewport) if state.merged else draw_activity(context, state, viewport)

    def on(
        self, context: ViewContext, state: TraceVisState, event: ViewEvent
    ) -> tuple[TraceVisState, tuple[Request, ...]]:
        """See `reacting`."""
        own = own_in(context)
        around, inner = inward(own, context, state)
        return outward(own, state, inner, react(around, inner, event))

    def tell(self, context: ViewContext, state: TraceVisState, part: str, hit: Hit) -> tuple[str, ...]:
        """On the call under the pointer."""
        if part != "activity" or not hit:
            return ()
        context, state = inward(own_in(context), context, state)
        return tell_hit(context, state, hit)
