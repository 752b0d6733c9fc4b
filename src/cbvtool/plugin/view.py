"""The interface of views: what they are given, and what they answer. A view is pure: state in, state out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ParamSpec, Protocol, TypeVar

from cbvtool.geometry.colors import Theme
from cbvtool.graph import Graph
from cbvtool.plots.plot import Hit, Plot, Viewport
from cbvtool.plugin.events import ViewEvent
from cbvtool.plugin.parameters import Parameter, Value
from cbvtool.plugin.parts import Layout, ViewTable
from cbvtool.plugin.requests import OpenSource, Request
from cbvtool.progress import Progress
from cbvtool.trace.compare.runs.causes import ChangedCode
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.focus import Focus
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


@dataclass(frozen=True)
class Input:
    """What a view is opened on: from `least` to `most` (None = any number of) traces, profiles or graphs.

    A view that can do without a graph (`least` 0) opens on the design that is shown, without a recording as well.
    """

    kind: str  # "trace" | "profile" | "graph"
    least: int = 1
    most: int | None = 1


class ViewMemo(Protocol):
    """Keeps results of pure functions while their arguments stay the same: `memo(function, *args)`."""

    def __call__(self, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
        """`function(*args)`, computed anew only when an argument is another one: arrays and other values that cannot
        be hashed are compared by `is`, numbers and texts by `==`.
        """


@dataclass(frozen=True, eq=False)
class CodeChanges:
    """What differs between the sources at two commits.

    functions  those with changed lines, by file and name
    renames    files that were renamed: old -> new path
    """

    functions: tuple[ChangedCode, ...]
    renames: Mapping[str, str]


class SubjectCode(Protocol):
    """Reads the subject, within a budget. What is not known is empty."""

    def text(self, file: str, commit: str = "") -> str:
        """The text of a file of the subject, as it is now or at a commit; "" if it cannot be had."""

    def changed(self, old: str, new: str, progress: Progress) -> CodeChanges:
        """What differs between two commits of the repository around it. Slow: for a need. Raises InputError."""


class NeedProgress(Protocol):
    """What the work of a need is told by, and tells. Calling it may raise `Cancelled`."""

    def __call__(self, what: str, done: int, total: int) -> None:
        """So many of so many are done; total 0 = unknown."""

    def first(self, value: Any) -> None:
        """Hand a first result over, which is shown until the whole one is there."""


@dataclass(frozen=True)
class Need:
    """Slow work that the host does on another thread, with progress and Cancel; the latest one of a name wins.

    name  under which the result stands in `ViewContext.found`; while it is made, the former one stays there
    what  for people: "matching calls"
    make  called as make(*of, progress=...); progress.first(value) hands a first result over
    of    its arguments; made anew when one is another: arrays and traces compared by `is`, numbers and texts by `==`
    """

    name: str
    what: str
    make: Callable[..., Any]
    of: tuple[object, ...]


@dataclass(frozen=True, eq=False)
class ViewContext:
    """What a view may look at.

    graph     the target design in the hierarchy that is shown; without a repository one made from the inputs
    inputs    traces, profiles or graphs, as many as the view takes
    maps      for each input, function -> node of `graph`; None for graphs, and while the map is being made
    selected  keys of nodes; hovered: a key, -1 = none
    focus     shared by all views that follow
    values    of the parameters, by name
    found     results of needs, by name; absent while none is there
    memo      see `ViewMemo`
    code      None without a subject
    viewports for what each canvas was drawn last, by the name of its part; empty before
    against_rules  (caller, callee), keys of nodes: calls that break a rule or pass over a layer, where rules apply to
              run-time calls (TR-3)
    names     of the files of the inputs, without ending; empty = not known
    failed    why needs could not be made, by name: a sentence each
    before    what `graph` is compared with, in the keys of `graph`: the design as it is, another version, or the first
              of two graphs that were opened; what one of both lacks has the parent REMOVED there. None = nothing
    before_name  what people call it; empty = as the first input is called
    """

    graph: Graph
    inputs: tuple[Trace | Profile | Graph, ...]
    maps: tuple[NodeMap | None, ...]
    focus: Focus
    values: Mapping[str, Value]
    found: Mapping[str, Any]
    theme: Theme
    memo: ViewMemo
    selected: tuple[int, ...] = ()
    hovered: int = -1
    code: SubjectCode | None = None
    viewports: Mapping[str, Viewport] = field(default_factory=dict)
    against_rules: tuple[tuple[int, int], ...] = ()
    names: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    before: Graph | None = None
    before_name: str = ""

    def trace(self, number: int = 0) -> Trace:
        """An input that is a trace. Raises TypeError for another one."""
        found = self.inputs[number]
        if not isinstance(found, Trace):
            raise TypeError(f"input {number} is no trace")
        return found

    def profile(self, number: int = 0) -> Profile:
        """An input that is a profile. Raises TypeError for another one."""
        found = self.inputs[number]
        if not isinstance(found, Profile):
            raise TypeError(f"input {number} is no profile")
        return found

    def nodes(self, function: int, number: int = 0) -> tuple[int, ...]:
        """The key of the node of a function of an input; none where it has none, or that is not known yet."""
        known = self.maps[number]
        return () if known is None or known.node[function] == NO_NODE else (int(known.node[function]),)

    def source(self, function: int) -> OpenSource:
        """Asks for the source of a function of the first input, a trace: its node's, or the recorded place."""
        nodes, functions = self.nodes(function), self.trace().functions
        return (
            OpenSource(nodes[0]) if nodes else OpenSource(-1, functions.file[function], int(functions.line[function]))
        )


class PluginView(Protocol[S]):
    """A view. `S`, its state, is a frozen dataclass of plain values (numbers, texts, tuples): documents keep it."""

    @property
    def name(self) -> str:
        """In documents and on the command line."""

    @property
    def label(self) -> str:
        """For people."""

    @property
    def version(self) -> int:
        """Of its state."""

    @property
    def takes(self) -> tuple[Input, ...]:
        """Its inputs."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What users can set."""

    def start(self, context: ViewContext) -> S:
        """The state in which it opens."""

    def load(self, context: ViewContext, data: Mapping[str, Any]) -> S:
        """A state from a document: untrusted. Raises ValueError if it cannot be used; then the view starts afresh."""

    def needs(self, context: ViewContext, state: S) -> tuple[Need, ...]:
        """Slow work without which it cannot (fully) draw."""

    def layout(self, context: ViewContext, state: S) -> Layout:
        """Its parts."""

    def draw(self, context: ViewContext, state: S, part: str, viewport: Viewport) -> Plot | ViewTable:
        """One of them. Fast: heavy layers come from `context.memo`, so that they are the same objects as before."""

    def on(self, context: ViewContext, state: S, event: ViewEvent) -> tuple[S, tuple[Request, ...]]:
        """What follows from an event. The same state object: nothing is drawn anew."""

    def tell(self, context: ViewContext, state: S, part: str, hit: Hit) -> tuple[str, ...]:
        """Lines of the tooltip; the first one is shown in the status bar as well."""
