"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cbvtool.api import (
    ChoiceParameter,
    Hit,
    Labels,
    Layout,
    Need,
    NumberParameter,
    Plot,
    Request,
    Rows,
    SimpleView,
    SwitchParameter,
    Tabs,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    state_of,
)

from .activity import BARS, FOCUS, activity_layers, pane_of, ruler_layers
from .coloring import linked
from .focus import focused
from .legend import INPUT, legend_layers
from .metrics import METRICS
from .overview import draw_overview
from .reacting import react
from .scene import preparing, scene_in
from .state import ViewFusionState, usable
from .structure import CELLS, frames, structure_layers
from .tables import files_table, threads_table
from .telling import tell_hit


class ViewFusionView(SimpleView[ViewFusionState]):
    """The calls of a thread over the code that they belong to."""

    name, label, State = "fusion", "ViewFusion: calls over the code", ViewFusionState
    parameters = (
        SwitchParameter("own", "Only my code", True, help="Calls of other code fold into the calls that made them"),
        ChoiceParameter(
            "threads",
            "Values over",
            (("shown", "The thread shown"), ("all", "All threads")),
            "shown",
            help="Whose calls count for values of code; the pointer's focus is of the thread shown",
        ),
        ChoiceParameter("color", "Colour", METRICS, "package", help="Of calls and code in focus; around it, of calls"),
        ChoiceParameter(
            "link", "Colours for", (("inside", "What is in focus"), ("outside", "What is around the focus")), "inside"
        ),
        ChoiceParameter(
            "cells", "Colour of code", METRICS, "time", help="Where colours are for what is around the focus"
        ),
        SwitchParameter("self", "Own time", help="Time without the calls below"),
        ChoiceParameter(
            "per", "Values of", (("file", "Files"), ("cell", "Cells")), "file", help="Cells are functions where shown"
        ),
        ChoiceParameter("area", "Area", (("lines", "Lines of code"), ("files", "The same for each file")), "lines"),
        NumberParameter("level", "Level of packages", 0, 12, 0, help="0 = the first at which several are called"),
        NumberParameter("height", "Height of a level", 1, 40, 16, unit="px", help="Deep stacks have lower levels"),
        ChoiceParameter("map", "Colour map", (("ember", "Yellow to red"), ("thesis", "Green to red")), "ember"),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> ViewFusionState:
        """A state from a document; see `usable`."""
        return usable(context.trace(), state_of(ViewFusionState, data))

    def needs(self, context: ViewContext, state: ViewFusionState) -> tuple[Need, ...]:
        """Calls by depth, the cells of the code."""
        return preparing(context, state)

    def layout(self, context: ViewContext, state: ViewFusionState) -> Layout:
        """Calls over code; below, an overview and tables."""
        below = Tabs(
            (
                ViewPart("overview", title="Overview"),
                ViewPart("files", "table", title="Files"),
                ViewPart("threads", "table", title="Threads"),
            ),
            share=1.0,
        )
        return Rows((ViewPart("fusion", share=7.0), below))

    def draw(self, context: ViewContext, state: ViewFusionState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of the parts."""
        match part:
            case "overview":
                return draw_overview(context, state, viewport)
            case "files":
                return files_table(context, state)
            case "threads":
                return threads_table(context, state)
        return draw_fusion(context, state, viewport)

    def on(
        self, context: ViewContext, state: ViewFusionState, event: ViewEvent
    ) -> tuple[ViewFusionState, tuple[Request, ...]]:
        """See `reacting`."""
        return react(context, state, event)

    def tell(self, context: ViewContext, state: ViewFusionState, part: str, hit: Hit) -> tuple[str, ...]:
        """On the call or the cell under the pointer."""
        return tell_hit(context, state, hit) if part == "fusion" and hit else ()


def draw_fusion(context: ViewContext, state: ViewFusionState, viewport: Viewport) -> Plot:
    """Calls over code (VF-1)."""
    scene = scene_in(context, state, viewport)
    if scene is None:
        say = "Laying calls over the code …" if len(context.trace().threads) else "The trace holds no calls."
        text = Labels(
            name="empty",
            x=np.array([viewport.width / 2]),
            y=np.array([viewport.height / 2]),
            text=(say,),
            color=context.theme.muted,
            anchor="center",
            size=13.0,
        )
        return Plot((), (text,))
    focus = focused(context, state, scene)
    colors = linked(context, scene, focus)
    layers = (
        *structure_layers(context, scene, colors.cells, colors.far),
        *activity_layers(context, state, scene, focus, colors),
        *frames(context, scene, focus),
        *ruler_layers(context, state, scene),
        *legend_layers(context, state, scene, focus, colors, viewport),
    )
    return Plot((pane_of(scene),), layers, (INPUT, CELLS) if state.code else (INPUT, FOCUS, BARS))
