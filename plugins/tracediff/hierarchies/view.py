"""The view of two hierarchies: its parts, parameters and needs (TD-8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cbvtool.api import (
    ChoiceParameter,
    Columns,
    Hit,
    Input,
    Layout,
    Need,
    Plot,
    Request,
    SimpleView,
    SliderParameter,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    state_of,
)

from ..state import TraceDiffState, usable
from .changed import draw_changed
from .designs import design_needs
from .nodes import UNIFORM
from .picture import draw_designs
from .reacting import react
from .telling import tell_hit


class HierarchiesView(SimpleView[TraceDiffState]):
    """The code as it is against the plan or another version; or two graphs from files."""

    name, label, State = "hierarchies", "TraceDiff: two hierarchies compared", TraceDiffState
    takes = (Input("graph", 0, 2),)
    parameters = (
        ChoiceParameter(
            "width",
            "Widths",
            (
                (UNIFORM, "Uniform"),
                ("sloc", "Source lines"),
                ("complexity", "Cyclomatic complexity"),
                ("bytes", "File size"),
            ),
            UNIFORM,
            help="Uniform: every leaf is as wide as every other one",
        ),
        ChoiceParameter(
            "show",
            "Tubes",
            (("all", "All nodes of both"), ("changed", "What changed")),
            "all",
            help="What changed: nodes that were moved or renamed",
        ),
        SliderParameter("tube", "Line to tube", 0.0, 1.0, 1.0, help="How much of the width of its nodes a tube shows"),
        SliderParameter("lambda", "Waist", 0.0, 1.0, 0.25, help="λ: how much of its width a tube keeps in its middle"),
        SliderParameter("band", "Band", 0.1, 0.8, 0.4, help="How much of the height the bundles have"),
        SliderParameter("lines", "Lines under", 0.0, 32.0, 0.0, unit="px", help="Narrower tubes are lines", more=True),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> TraceDiffState:
        """A state from a document; see `usable`."""
        return usable((), state_of(TraceDiffState, data))

    def needs(self, context: ViewContext, state: TraceDiffState) -> tuple[Need, ...]:
        """Both hierarchies, where they are large."""
        return design_needs(context)

    def layout(self, context: ViewContext, state: TraceDiffState) -> Layout:
        """What changed at the left, the picture at the right."""
        return Columns((ViewPart("changes", "table", 1.0, "Changes"), ViewPart("main", share=3.2)))

    def draw(self, context: ViewContext, state: TraceDiffState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of both parts."""
        return draw_changed(context) if part == "changes" else draw_designs(context, state, viewport)

    def on(
        self, context: ViewContext, state: TraceDiffState, event: ViewEvent
    ) -> tuple[TraceDiffState, tuple[Request, ...]]:
        """See `reacting`."""
        return react(context, state, event)

    def tell(self, context: ViewContext, state: TraceDiffState, part: str, hit: Hit) -> tuple[str, ...]:
        """On what is under the pointer."""
        return tell_hit(context, hit) if part == "main" and hit else ()
