"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cbvtool.api import (
    GROUPINGS,
    ChoiceParameter,
    FileParameter,
    Hit,
    Layout,
    Need,
    NumberParameter,
    Plot,
    Request,
    Rows,
    SimpleView,
    SwitchParameter,
    Tabs,
    TextParameter,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    state_of,
)

from .picture import draw_picture
from .preparing import preparing
from .quality import draw_quality
from .reacting import react
from .state import OcelotlState, usable
from .tables import draw_table
from .telling import tell_hit


class OcelotlView(SimpleView[OcelotlState]):
    """Resources along time, simplified as far as it loses little."""

    name, label, State = "ocelotl", "Ocelotl: resources along time", OcelotlState
    parameters = (
        NumberParameter("step", "Partition", 0, 20_000, 0, help="Of the list, from the finest (1); 0 = first picture"),
        ChoiceParameter(
            "states",
            "States",
            (*GROUPINGS, ("recorded", "Recorded states")),
            "function",
            help="What calls are grouped by: the innermost one counts",
        ),
        ChoiceParameter(
            "amount", "Amount", (("time", "Time"), ("calls", "Calls begun"), ("counters", "Counters")), "time"
        ),
        NumberParameter("slices", "Slices", 2, 1000, 100, help="Into which the time shown is cut"),
        SwitchParameter("ratio", "Two states as a ratio", True, more=True),
        SwitchParameter("marks", "Mark findings", True, more=True, help="Frames around the first three"),
        NumberParameter("least", "Least height", 1, 40, 3, unit="px", more=True, help="What is lower is drawn as one"),
        TextParameter(
            "groups",
            "Groups by name",
            more=True,
            help="Regular expressions with blanks between them: what each finds in a name is a group, outermost first",
        ),
        FileParameter("table", "Groups of a table", (".csv",), more=True, help="Name of a resource, then its groups"),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> OcelotlState:
        """A state from a document; see `usable`."""
        return usable(context.trace(), state_of(OcelotlState, data))

    def needs(self, context: ViewContext, state: OcelotlState) -> tuple[Need, ...]:
        """The model and its partitions."""
        return preparing(context, state)

    def layout(self, context: ViewContext, state: OcelotlState) -> Layout:
        """The picture over the list of partitions and tables."""
        below = Tabs(
            (
                ViewPart("findings", "table", title="Findings"),
                ViewPart("quality", title="Partitions"),
                ViewPart("statistics", "table", title="Statistics"),
                ViewPart("resources", "table", title="Resources"),
            ),
            share=2.0,
        )
        return Rows((ViewPart("main", share=4.0), below))

    def draw(self, context: ViewContext, state: OcelotlState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of the parts."""
        if part == "main":
            return draw_picture(context, state, viewport)
        if part == "quality":
            return draw_quality(context, viewport)
        return draw_table(context, state, part)

    def on(
        self, context: ViewContext, state: OcelotlState, event: ViewEvent
    ) -> tuple[OcelotlState, tuple[Request, ...]]:
        """See `reacting`."""
        return react(context, state, event)

    def tell(self, context: ViewContext, state: OcelotlState, part: str, hit: Hit) -> tuple[str, ...]:
        """On what is under the pointer."""
        return tell_hit(context, state, hit) if part == "main" and hit else ()
