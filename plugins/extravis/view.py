"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cbvtool.api import (
    ChoiceParameter,
    Columns,
    Hit,
    Input,
    Labels,
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
    state_of,
)

from .bundle import draw_bundle
from .hierarchy import LEVELS
from .highlight import EMPHASES
from .palette import MAPS
from .prepared import prepared_in
from .reacting import react
from .scene import Scene, needs_of, scene_in
from .sequence import draw_sequence
from .similar import similar_needs
from .state import ExtraVisState, usable
from .tables import draw_table
from .telling import tell_hit


class ExtraVisView(SimpleView[ExtraVisState]):
    """Calls as rows over the hierarchy, and bundled in a circle; of two traces side by side."""

    name, label, State = "extravis", "ExtraVis: calls one after the other", ExtraVisState
    takes = (Input("trace", 1, 2),)
    parameters = (
        SwitchParameter("own", "Only my code", True, help="Calls of other code fold into the calls that made them"),
        ChoiceParameter("columns", "Columns", LEVELS, "auto", help="A double click opens and closes single ones"),
        ChoiceParameter(
            "order",
            "Order",
            (("code", "As in the code"), ("calls", "By calls")),
            "code",
            help="By calls: within each container, what calls each other stands together",
        ),
        ChoiceParameter(
            "color",
            "Colour of curves",
            (("direction", "Direction"), ("time", "Time of the last call"), ("differs", "More in A or in B")),
            "direction",
        ),
        ChoiceParameter("emphasis", "Emphasis", EMPHASES, "none", help="What keeps its colours while the rest fades"),
        SliderParameter(
            "power",
            "Infrequent calls",
            -5.0,
            5.0,
            -1.0,
            help="p: below 0 rare calls show more in a row of pixels, 0 all alike, above 0 frequent ones",
        ),
        ChoiceParameter("rows", "Rows", (("all", "All calls"), ("window", "The part looked at")), "all", more=True),
        NumberParameter(
            "window", "Compared calls", 1, 501, 25, help="A call is rare among so many around it", more=True
        ),
        NumberParameter("rare", "Infrequent up to", 1, 1_000, 1, unit="calls", help="Of a pair in all", more=True),
        SliderParameter("similarity", "Similar from", 30.0, 100.0, 75.0, unit="%", more=True),
        ChoiceParameter(
            "traces",
            "Recordings",
            (("both", "Both, side by side"), ("first", "A alone"), ("second", "B alone")),
            "both",
            help="Where two are open",
            more=True,
        ),
        SwitchParameter("runs", "Repeated calls count once", False, help="When parts are compared", more=True),
        SliderParameter("bundling", "Bundling", 0.0, 1.0, 0.85, help="0 = straight lines", more=True),
        SwitchParameter(
            "minimum",
            "Minimum blending",
            False,
            more=True,
            help="Where curves cross the darker colour wins (on a dark ground the lighter one): shows opposite ones",
        ),
        SliderParameter("labels", "Size of names", 0.85, 2.5, 1.0, help="In the circle", more=True),
        ChoiceParameter("map", "Caller to callee", MAPS, "thesis", more=True),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> ExtraVisState:
        """A state from a document; see `usable`."""
        return usable(state_of(ExtraVisState, data))

    def needs(self, context: ViewContext, state: ExtraVisState) -> tuple[Need, ...]:
        """Calls in order, an order of leaves, rows of two traces, parts like the marked one."""
        found = needs_of(context, state)
        scene = scene_in(context, state)
        return found if scene is None else (*found, *similar_needs(context, state, scene))

    def layout(self, context: ViewContext, state: ExtraVisState) -> Layout:
        """Rows at the left; at the right the circle, with tables below."""
        tables = Tabs((ViewPart("pairs", "table", title="Pairs"), ViewPart("similar", "table", title="Similar parts")))
        aside = Rows((ViewPart("bundle", share=3.0), tables), share=1.0)
        return Columns((ViewPart("sequence", share=1.0 if len(context.inputs) == 1 else 1.4), aside))

    def draw(self, context: ViewContext, state: ExtraVisState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of the parts."""
        if part in {"pairs", "similar"}:
            return draw_table(context, state, part)
        scene = scene_in(context, state)
        why = _why_nothing(context, scene)
        if scene is None or why:
            return _sentence(context, viewport, why)
        return (
            draw_bundle(context, state, scene, viewport)
            if part == "bundle"
            else draw_sequence(context, state, scene, viewport)
        )

    def on(
        self, context: ViewContext, state: ExtraVisState, event: ViewEvent
    ) -> tuple[ExtraVisState, tuple[Request, ...]]:
        """See `reacting`."""
        return react(context, state, event)

    def tell(self, context: ViewContext, state: ExtraVisState, part: str, hit: Hit) -> tuple[str, ...]:
        """On what is under the pointer."""
        return tell_hit(context, state, part, hit)


def _why_nothing(context: ViewContext, scene: Scene | None) -> str:
    """Why there is nothing to draw, in a sentence; "" = there is something."""
    prepared = prepared_in(context)
    if scene is None or prepared is None:
        return "Aligning calls …" if prepared is not None else "Reading calls in order …"
    if any(len(each.sequence) for each in prepared):
        return "" if len(scene.icicle) and len(scene.pairs) else "No call is between columns that are shown."
    if all(len(each.trace.calls) == 0 for each in prepared):
        return "The trace holds no calls."
    if any(each.own is not None for each in prepared):
        return "No function of the open code calls another one; switch off “Only my code” to see all calls."
    calls = sum(len(each.trace.calls) for each in prepared)
    return (
        f"None of the {calls:,} calls was made by another one: there is no caller to draw."
        if calls > 1
        else ("The trace holds one call, and no caller of it.")
    )


def _sentence(context: ViewContext, viewport: Viewport, text: str) -> Plot:
    label = Labels(
        name="empty",
        x=np.array([viewport.width / 2]),
        y=np.array([viewport.height / 2]),
        text=(text,),
        color=context.theme.muted,
        anchor="center",
        size=13.0,
        room=np.array([max(viewport.width - 16.0, 1.0)]),
    )
    return Plot((), (label,))
