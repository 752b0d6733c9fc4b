"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cbvtool.api import (
    ChoiceParameter,
    Columns,
    FileParameter,
    Hit,
    Input,
    Layout,
    Levels,
    Need,
    NeedProgress,
    Plot,
    Request,
    Rows,
    SimpleView,
    SliderParameter,
    SwitchParameter,
    Tabs,
    Trace,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    levels_of,
    state_of,
)

from .arranging import SMALL
from .changes import aligned_needs, is_aligned
from .comparison import draw_comparison, plain_sentence
from .difference import later_needs
from .difference_tables import draw_difference
from .identity import code_need
from .matching import match_needs, tau_needs
from .overview import draw_overview
from .own_code import fitting, inward, own_needs
from .pair import chosen_in, source_of, traces_of
from .reacting import react
from .state import TraceDiffState, usable
from .tables import draw_table
from .telling import tell_context, tell_hit
from .united import draw_union

WAITING = "Leaving out other code …"


class TraceDiffView(SimpleView[TraceDiffState]):
    """Where two threads are alike, and where they differ."""

    name, label, State = "diff", "TraceDiff: two runs compared", TraceDiffState
    takes = (Input("trace", 1, 2),)
    parameters = (
        SwitchParameter("own", "Only my code", help="Calls of other code fold into the calls that made them"),
        ChoiceParameter(
            "mode",
            "Matches",
            (("best", "Mutually best"), ("all", "All above τ"), ("aligned", "Aligned one to one")),
            "best",
            help="All above τ: among the calls that are seen. Aligned: by structure; bars tell what changed",
        ),
        SliderParameter(
            "tau", "τ", 0.1, 1.0, 0.2, help="Least similarity of a match: shared functions by all functions of both"
        ),
        ChoiceParameter(
            "color",
            "Colour",
            (
                ("permutation", "Moment in its group"),
                ("raw", "Moment in its thread"),
                ("position", "Place in the other"),
                ("group", "Group"),
                ("none", "One colour"),
            ),
            "permutation",
            help="Red: a match begins at another moment of its group. Place in the other: seen from where you point",
        ),
        SwitchParameter(
            "phases",
            "Open large groups",
            True,
            more=True,
            help="A group of more than half of all matches shows its inner groups",
        ),
        SwitchParameter("strength", "Similarity", True, help="Weak matches are pale, strong ones shine", more=True),
        SliderParameter("tube", "Line to tube", 0.0, 1.0, 1.0, help="How much of the length of its calls a tube shows"),
        SliderParameter("lambda", "Waist", 0.0, 1.0, 0.25, help="λ: how much of its width a tube keeps in its middle"),
        SliderParameter("band", "Band", 0.1, 0.8, 0.4, help="How much of the height the bundles have"),
        SliderParameter("lines", "Lines under", 0.0, 32.0, 0.0, unit="px", help="Narrower tubes are lines", more=True),
        SwitchParameter("normal", "Same length", help="Times of A are scaled, as if both threads took as long"),
        ChoiceParameter(
            "rows",
            "Rows",
            (("functions", "Functions"), ("paths", "Call paths")),
            "functions",
            help="What the tables of longer and shorter calls list",
        ),
        ChoiceParameter(
            "change",
            "Both in one",
            (("own", "Self time"), ("total", "Total time")),
            "own",
            help="The change that its colours and figures show: without what is called, or with it",
            more=True,
        ),
        SliderParameter(
            "least",
            "Least change",
            0.001,
            10_000.0,
            0.0,
            unit="ms",
            log=True,
            zero=True,
            more=True,
            help="Rows of the tables of longer and shorter calls have at least this change of self time",
        ),
        SliderParameter(
            "share",
            "Least share",
            0.001,
            50.0,
            0.0,
            unit="%",
            log=True,
            zero=True,
            more=True,
            help="The same, as a share of the longer thread",
        ),
        FileParameter(
            "same",
            "Same functions",
            (".csv",),
            more=True,
            help="CSV, columns reference,test: what A and what B call a function; with a path where needed: a.py::old",
        ),
        SwitchParameter("sum", "Sum of similarities", False, help="In the overview, in place of their mean", more=True),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> TraceDiffState:
        """A state from a document; see `usable`."""
        return usable(traces_of(context), state_of(TraceDiffState, data))

    def needs(self, context: ViewContext, state: TraceDiffState) -> tuple[Need, ...]:
        """Calls by depth, the best match of each, and groups."""
        first, inner = own_needs(context), inward(context)
        pair = None if inner is None else chosen_in(inner, state)
        if inner is None or pair is None:
            return first
        context = inner
        source = source_of(context, pair)
        needs: list[Need] = [*first]
        for side, (trace, chosen) in enumerate(zip((source.upper, source.lower), pair, strict=True)):
            if len(trace.calls) > SMALL:
                needs.append(Need(f"levels {side}", "sorting calls by depth", sorted_calls, (trace, chosen.thread)))
        if all(
            trace.threads.ptr[chosen.thread] < trace.threads.ptr[chosen.thread + 1]
            for trace, chosen in zip((source.upper, source.lower), pair, strict=True)
        ):
            by_change = aligned_needs(context, state.dropped)
            grouping = by_change if is_aligned(context) else tau_needs(context, state.dropped)
            needs += match_needs(context, pair, grouping)
            needs += later_needs(context, pair)
        needs += code_need(context, source.upper, source.lower)
        return tuple({need.name: need for need in needs}.values())

    def layout(self, context: ViewContext, state: TraceDiffState) -> Layout:
        """Tables at the left; the overview, and the comparison below it."""
        tables = Tabs(
            (
                ViewPart("groups", "table", title="Groups"),
                ViewPart("slower", "table", title="B takes longer"),
                ViewPart("faster", "table", title="B takes less"),
                ViewPart("pairs", "table", title="Pairs"),
                ViewPart("upper", "table", title="Thread A"),
                ViewPart("lower", "table", title="Thread B"),
                ViewPart("functions", "table", title="Only in one"),
            ),
            share=1.4,
        )
        pictures = Tabs((ViewPart("main", title="Side by side"), ViewPart("union", title="Both in one")), share=3.2)
        right = Rows((ViewPart("overview", share=1.0), pictures), share=4.5)
        return Columns((tables, right))

    def draw(self, context: ViewContext, state: TraceDiffState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of the parts."""
        inner = inward(context)
        if inner is None:
            empty = ViewTable((), np.empty(0, np.int32), empty=WAITING)
            return plain_sentence(context, viewport, WAITING) if part in {"main", "overview", "union"} else empty
        context, state = inner, fitting(inner, state)
        if part == "main":
            return draw_comparison(context, state, viewport)
        if part == "union":
            return draw_union(context, state, viewport)
        if part in {"slower", "faster"}:
            return draw_difference(context, state, part)
        return draw_overview(context, state, viewport) if part == "overview" else draw_table(context, state, part)

    def on(
        self, context: ViewContext, state: TraceDiffState, event: ViewEvent
    ) -> tuple[TraceDiffState, tuple[Request, ...]]:
        """See `reacting`."""
        inner = inward(context)
        if inner is None:
            return state, ()
        fit = fitting(inner, state)
        after, requests = react(inner, fit, event)
        return state if after is fit else after, requests

    def tell(self, context: ViewContext, state: TraceDiffState, part: str, hit: Hit) -> tuple[str, ...]:
        """On what is under the pointer."""
        inner = inward(context)
        if inner is None or not hit or part not in {"main", "union"}:
            return ()
        told = tell_context if part == "union" else tell_hit
        return told(inner, fitting(inner, state), hit)


def sorted_calls(trace: Trace, thread: int, *, progress: NeedProgress) -> tuple[tuple[int, int], Levels]:
    """The calls of a thread by depth, with what they are of."""
    return (id(trace), thread), levels_of(trace, progress, (thread,))
