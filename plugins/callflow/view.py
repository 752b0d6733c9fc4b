"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cbvtool.api import (
    ChoiceParameter,
    FileParameter,
    Hit,
    Input,
    Layout,
    Need,
    NumberParameter,
    Plot,
    Request,
    Rows,
    SimpleView,
    Tabs,
    TextParameter,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    state_of,
)

from .explaining import explaining
from .palette import RED_GREEN, SAFE
from .picture import draw_picture
from .preparing import preparing
from .reacting import react
from .spreading import draw_spread
from .state import CallFlowState, usable
from .tables import draw_table
from .tables_of_runs import PARTS
from .telling import tell_hit


class CallFlowView(SimpleView[CallFlowState]):
    """Modules of a program as boxes, with all runs inside; one run against them, or two against each other."""

    name, label, State = "callflow", "CallFlow: many runs", CallFlowState
    takes = (Input("trace", 0, None), Input("profile", 0, None))
    parameters = (
        ChoiceParameter(
            "mode",
            "Mode",
            (("summary", "All runs"), ("target", "Target run"), ("difference", "B minus A")),
            "summary",
            help="All runs; one of them over the others; or the difference of two  (M)",
        ),
        NumberParameter("target", "Target, A", 1, 10_000, 1, help="Number of the run in the table  ([ and ])"),
        NumberParameter("second", "B", 1, 10_000, 2, help="Number of the run that A is compared with; or tick it"),
        ChoiceParameter(
            "modules",
            "Boxes",
            (("module", "Modules"), ("file", "Files"), ("package", "Packages"), ("function", "Functions")),
            "module",
        ),
        ChoiceParameter(
            "value",
            "Value",
            (("inclusive", "With what it calls"), ("exclusive", "By itself")),
            "inclusive",
            help="What is spread inside boxes",
        ),
        NumberParameter("bins", "Bins", 2, 100, 20, help="Into which the values of a box are sorted", more=True),
        FileParameter(
            "table",
            "Boxes of a table",
            (".json",),
            more=True,
            help='JSON: {"name of a box": ["function", "pattern*", ...]}, or a configuration of CallFlow',
        ),
        TextParameter(
            "along",
            "Order of runs",
            more=True,
            help="Parameter, such as commit; equal ones are repeats. Empty = the first number that differs",
        ),
        TextParameter("metric", "Metric", more=True, help="Name; empty = time"),
        ChoiceParameter(
            "colors", "Colours of B minus A", ((SAFE, "Blue and orange"), (RED_GREEN, "Green and red")), SAFE, more=True
        ),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> CallFlowState:
        """A state from a document; see `usable`."""
        return usable(state_of(CallFlowState, data))

    def needs(self, context: ViewContext, state: CallFlowState) -> tuple[Need, ...]:
        """The ensemble, then its modules and their places; then what explains the runs."""
        return (*preparing(context), *explaining(context, state))

    def layout(self, context: ViewContext, state: CallFlowState) -> Layout:
        """The picture over tables of runs and call paths."""
        below = Tabs(
            (
                ViewPart("runs", "table", title="Runs"),
                ViewPart("sites", "table", title="Call paths"),
                *PARTS,
                ViewPart("spread", title="Histogram of runs"),
            ),
            share=1.7,
        )
        return Rows((ViewPart("main", share=4.0), below))

    def draw(self, context: ViewContext, state: CallFlowState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of the parts."""
        if part == "main":
            return draw_picture(context, state, viewport)
        return draw_spread(context, state, viewport) if part == "spread" else draw_table(context, state, part)

    def on(
        self, context: ViewContext, state: CallFlowState, event: ViewEvent
    ) -> tuple[CallFlowState, tuple[Request, ...]]:
        """See `reacting`."""
        return react(context, state, event)

    def tell(self, context: ViewContext, state: CallFlowState, part: str, hit: Hit) -> tuple[str, ...]:
        """On what is under the pointer."""
        return tell_hit(context, state, part, hit)
