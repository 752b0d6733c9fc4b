"""The view: its parts, parameters and needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cbvtool.api import (
    ChoiceParameter,
    Columns,
    Hit,
    Layout,
    Need,
    Plot,
    Request,
    SimpleView,
    SwitchParameter,
    Tabs,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    levels_needs,
    state_of,
)

from .estimates import estimate_needs
from .more_curves import more_needs
from .pairs import make_known
from .picture import draw_picture
from .reacting import react
from .state import SyncState, usable
from .tables import draw_table
from .telling import tell_hit
from .threads import main_first


class SyncTraceView(SimpleView[SyncState]):
    """Which thread waits for which."""

    name, label, State = "sync", "SyncTrace: who waits for whom", SyncState
    parameters = (
        SwitchParameter("curves", "Curves", True, help="From each wait to the release that ended it"),
        ChoiceParameter(
            "color",
            "Curves by",
            (("thread", "Thread that waits"), ("object", "Object")),
            "thread",
            help="By object: grey where one thread alone waits for it; pointing at a wait compares the others with it",
        ),
        ChoiceParameter(
            "rule",
            "A wait ends by",
            (
                ("default", "The last release by another thread within it"),
                ("literal", "The release that ends last, of any thread"),
            ),
            "default",
            help="Which release counts as the one that ended a wait",
        ),
    )

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> SyncState:
        """A state from a document; see `usable`."""
        return usable(context.trace(), state_of(SyncState, data))

    def needs(self, context: ViewContext, state: SyncState) -> tuple[Need, ...]:
        """Calls by depth, and the waits with their releases."""
        trace = context.trace()
        waits = Need("waits", "matching waits", make_known, (trace, str(context.values["rule"])))
        return (
            *levels_needs(trace, main_first(trace)),
            waits,
            *more_needs(context, state),
            *estimate_needs(context, state),
        )

    def layout(self, context: ViewContext, state: SyncState) -> Layout:
        """Tables at the left, the picture beside them."""
        tables = Tabs(
            (
                ViewPart("threads", "table", title="Threads"),
                ViewPart("totals", "table", title="Who for whom"),
                ViewPart("waits", "table", title="Longest waits"),
                ViewPart("objects", "table", title="Objects"),
                ViewPart("path", "table", title="Critical path"),
                ViewPart("what-if", "table", title="What if"),
                ViewPart("estimate", "table", title="Estimate"),
            )
        )
        return Columns((tables, ViewPart("main", share=2.5)))

    def draw(self, context: ViewContext, state: SyncState, part: str, viewport: Viewport) -> Plot | ViewTable:
        """The picture, or one of the tables."""
        return draw_picture(context, state, viewport) if part == "main" else draw_table(context, state, part)

    def on(self, context: ViewContext, state: SyncState, event: ViewEvent) -> tuple[SyncState, tuple[Request, ...]]:
        """See `reacting`."""
        return react(context, state, event)

    def tell(self, context: ViewContext, state: SyncState, part: str, hit: Hit) -> tuple[str, ...]:
        """On what is under the pointer."""
        return tell_hit(context, state, hit) if part == "main" and hit else ()
