"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cbvtool.api import (
    ChoiceParameter,
    Columns,
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

from . import box_plots, icicle, parallel, run_map, scatter, spreading
from .box_plots import draw_box_plots
from .explaining import explaining
from .icicle import draw_icicle
from .palette import RED_GREEN, SAFE
from .parallel import draw_parallel
from .picture import draw_picture
from .preparing import UnitedRuns, preparing
from .reacting import react
from .run_map import draw_map, map_runs
from .scatter import asked_for, draw_scatter, second_metric
from .spreading import draw_spread
from .state import CallFlowState, usable
from .tables import draw_table
from .tables_of_runs import PARTS
from .telling import tell_hit

_CANVASES = {
    "main": draw_picture,
    icicle.PART: draw_icicle,
    box_plots.PART: draw_box_plots,
    spreading.PART: draw_spread,
    scatter.PART: draw_scatter,
    run_map.PART: draw_map,
    parallel.PART: draw_parallel,
}


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
        NumberParameter(
            "target", "Target, A", 1, 10_000, 1, help="Number of the run in the table, for both other modes  ([ and ])"
        ),
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
        NumberParameter(
            "least",
            "Boxes from",
            0,
            50,
            0,
            unit="%",
            help="Of the longest run, by Value; smaller boxes become one",
            more=True,
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
        TextParameter(
            "other", "Metric upward in the scatter plot", more=True, help="Name; empty = inclusive against exclusive"
        ),
        ChoiceParameter("over", "Box plots over", box_plots.OVER, "runs", more=True),
        ChoiceParameter("histogram", "Histogram of", spreading.OF, "runs", more=True),
        ChoiceParameter(
            "map", "Map of runs by", run_map.MAPS, "trees", more=True, help="What runs that lie near each other share"
        ),
        ChoiceParameter(
            "colors", "Colours of B minus A", ((SAFE, "Blue and orange"), (RED_GREEN, "Green and red")), SAFE, more=True
        ),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> CallFlowState:
        """A state from a document; see `usable`."""
        return usable(state_of(CallFlowState, data))

    def needs(self, context: ViewContext, state: CallFlowState) -> tuple[Need, ...]:
        """The ensemble, then modules, places and what explains the runs; a map and a second metric once asked for."""
        needs = [*preparing(context, state), *explaining(context, state)]
        runs: UnitedRuns | None = context.found.get("runs")
        if runs is None or runs.ensemble is None:
            return tuple(needs)
        if run_map.PART in context.viewports:
            asked = (runs.ensemble, str(context.values["map"]))
            needs.append(Need(run_map.PART, "drawing a map of the runs", map_runs, asked))
        if (second := asked_for(context, state)) is not None:
            needs.append(Need("second", "reading the second metric", second_metric, second))
        return tuple(needs)

    def layout(self, context: ViewContext, state: CallFlowState) -> Layout:
        """The picture over tables of runs and call paths, and the linked views beside them."""
        tables = Tabs((ViewPart("runs", "table", title="Runs"), ViewPart("sites", "table", title="Call paths"), *PARTS))
        linked = Tabs(
            (
                ViewPart(icicle.PART, title="Inside"),
                ViewPart(box_plots.PART, title="Box plots"),
                ViewPart(spreading.PART, title="Histogram"),
                ViewPart(scatter.PART, title="Scatter plot"),
                ViewPart(run_map.PART, title="Map of runs"),
                ViewPart(parallel.PART, title="Parameters"),
            )
        )
        return Rows((ViewPart("main", share=3.2), Columns((tables, linked), share=2.0)))

    def draw(self, context: ViewContext, state: CallFlowState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of the parts."""
        draw = _CANVASES.get(part)
        return draw_table(context, state, part) if draw is None else draw(context, state, viewport)

    def on(
        self, context: ViewContext, state: CallFlowState, event: ViewEvent
    ) -> tuple[CallFlowState, tuple[Request, ...]]:
        """See `reacting`."""
        return react(context, state, event)

    def tell(self, context: ViewContext, state: CallFlowState, part: str, hit: Hit) -> tuple[str, ...]:
        """On what is under the pointer."""
        return tell_hit(context, state, part, hit)
