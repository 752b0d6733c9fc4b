"""A view whose parts have usual answers, to begin with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Generic, TypeVar

from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plugin.events import ViewEvent
from cbvtool.plugin.parameters import Parameter
from cbvtool.plugin.parts import Layout, ViewPart, ViewTable
from cbvtool.plugin.requests import Request
from cbvtool.plugin.states import state_of
from cbvtool.plugin.view import Input, Need, ViewContext

S = TypeVar("S")


class SimpleView(Generic[S]):
    """A `PluginView` of one canvas, without slow work. A subclass says `name`, `label` and `State`, and draws.

    State  a frozen dataclass whose fields have defaults
    """

    name: str
    label: str
    State: ClassVar[type[Any]]
    version: int = 1
    takes: tuple[Input, ...] = (Input("trace"),)
    parameters: tuple[Parameter, ...] = ()

    def start(self, context: ViewContext) -> S:
        """The state with its defaults."""
        state: S = self.State()
        return state

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> S:
        """A state from a document, checked by the types of its fields; see `state_of`."""
        state: S = state_of(self.State, data)
        return state

    def needs(self, context: ViewContext, state: S) -> tuple[Need, ...]:
        """None."""
        return ()

    def layout(self, context: ViewContext, state: S) -> Layout:
        """One canvas, which is called main."""
        return ViewPart("main")

    def draw(self, context: ViewContext, state: S, part: str, viewport: Viewport) -> Plot | ViewTable:
        """See `PluginView`."""
        raise NotImplementedError

    def on(self, context: ViewContext, state: S, event: ViewEvent) -> tuple[S, tuple[Request, ...]]:
        """Nothing follows from anything."""
        return state, ()

    def tell(self, context: ViewContext, state: S, part: str, hit: Hit) -> tuple[str, ...]:
        """Nothing."""
        return ()
