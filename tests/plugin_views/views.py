"""Views that the interface was settled on: panes that are straight and bent, two traces, ten profiles, and faults."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cbvtool.api import (
    Areas,
    Bands,
    Bars,
    BoxShape,
    Columns,
    Copy,
    Cushion,
    EventKind,
    Hit,
    Input,
    Layout,
    Need,
    NeedProgress,
    OpenSource,
    Pane,
    Plot,
    Profile,
    Request,
    Rows,
    Say,
    SectorShape,
    SetFocus,
    SimpleView,
    SliderParameter,
    SwitchParameter,
    Tabs,
    Trace,
    ViewColumn,
    ViewContext,
    ViewEvent,
    ViewPart,
    Viewport,
    ViewTable,
    locate,
)
from cbvtool.budget import Budget
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.profile_builder import ProfileBuilder

# -- what they are shown --


def small_trace(program: str = "app.py", shift: int = 0) -> Trace:
    """main calls load and work; work calls load again; a second thread works. Times in ms, from `shift` on."""
    builder = TraceBuilder("test", Budget("The trace"))
    builder.describe(program=program)
    main, load, work = (
        builder.function(name, "app", "src/app.py", line) for line, name in enumerate(("main", "load", "work"), 1)
    )
    first, second = builder.thread(1, 1), builder.thread(1, 2)
    builder.name_thread(first, "MainThread")
    builder.name_thread(second, "Worker")
    ms = 1_000_000
    spans = (
        (first, main, 0, 100),
        (first, load, 10, 30),
        (first, work, 40, 90),
        (first, load, 50, 60),
        (second, work, 60, 95),
    )
    for thread, function, begin, end in spans:
        builder.span(thread, function, (begin + shift) * ms, (end + shift) * ms)
    return builder.trace(builder.build())


def small_profile(number: int) -> Profile:
    """main > work, whose own time grows by the number."""
    builder = ProfileBuilder("test", Budget("The profile"))
    builder.describe(program=f"run{number}")
    main = builder.node(builder.function("main", "app", "src/app.py", 1))
    work = builder.node(builder.function("work", "app", "src/app.py", 3), main)
    builder.add(main, "time", 10.0, unit="ns")
    builder.add(work, "time", 5.0 + number, unit="ns")
    return builder.profile()


def rows_of(trace: Trace, thread: int) -> slice:
    return slice(int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1]))


def bars_of(trace: Trace, thread: int, pane: str, name: str) -> Bars:
    """Time along x, depth along y: the same for a straight and a bent pane."""
    rows = rows_of(trace, thread)
    calls = trace.calls
    y = calls.depth[rows].astype(np.float64)
    color = np.full((len(y), 4), 200, np.uint8)
    item = np.arange(rows.start, rows.stop, dtype=np.int32)
    start, end = calls.start[rows].astype(np.float64), calls.end[rows].astype(np.float64)
    return Bars(
        name=name, pane=pane, x0=start, x1=end, y0=y, y1=y + 1, color=color, item=item, grab=True, shade=Cushion()
    )


# -- SyncTrace: panes that are straight or bent, with areas between them --


@dataclass(frozen=True)
class SyncState:
    """bent: of how many panes; radius: pixels, dragged by its handle; window: ns, None = as the focus says."""

    radius: float = 60.0
    window: tuple[float, float] | None = None


class SyncView(SimpleView[SyncState]):
    """A thread in a box above, the other one in a sector below; calls of one function are joined by areas across."""

    name, label, State = "twin", "Synchronous threads", SyncState
    parameters = (
        SwitchParameter("bent", "Bent", True),
        SliderParameter("theta", "Theta", 0.01, 10, 0, log=True, zero=True),
    )

    def panes(self, context: ViewContext, state: SyncState, viewport: Viewport) -> tuple[Pane, Pane]:
        span = context.focus.within(context.trace().span)
        x = state.window or (float(span[0]), float(span[1]))
        half = viewport.height / 2
        below: BoxShape | SectorShape = BoxShape(0, half, viewport.width, half)
        if context.values["bent"]:
            below = SectorShape(viewport.width / 2, half, state.radius, state.radius + 40, math.pi, 0)
        limit = (float(span[0]), float(span[1]))
        return (
            Pane("above", BoxShape(0, 0, viewport.width, half - 10), x, (0, 4), limit=limit),
            Pane("below", below, (float(span[0]), float(span[1])), (0, 4)),
        )

    def draw(self, context: ViewContext, state: SyncState, part: str, viewport: Viewport) -> Plot:
        trace = context.trace()
        panes = self.panes(context, state, viewport)
        bars = [context.memo(bars_of, trace, thread, pane.name, pane.name) for thread, pane in enumerate(panes)]
        pairs = self.pairs(trace)
        corners = []
        for one, other in pairs:
            for pane, row, (begin, end) in ((panes[0], one, (0, 1)), (panes[1], other, (1, 0))):
                times = (trace.calls.start[row], trace.calls.end[row])
                px, py = locate(pane, [float(times[begin]), float(times[end])], pane.y[1] if pane is panes[0] else 0.0)
                corners += [*zip(px, py, strict=True)]
        areas = Areas(
            name="across",
            points=np.array(corners, np.float64).reshape(-1, 2),
            ptr=4 * np.arange(len(pairs) + 1, dtype=np.int64),
            color=(90, 90, 200, 80),
            item=np.arange(len(pairs), dtype=np.int32),
        )
        at = viewport.width / 2 + state.radius
        handle = Bars(
            name="handle",
            x0=np.array([at - 4]),
            x1=np.array([at + 4]),
            y0=np.array([viewport.height / 2 - 4]),
            y1=np.array([viewport.height / 2 + 4]),
            color=(0, 0, 0, 255),
            item=np.array([0], np.int32),
            grab=True,
        )
        return Plot(panes, (areas, *bars, handle), input=("handle", "above", "below"))

    def pairs(self, trace: Trace) -> list[tuple[int, int]]:
        first, second = rows_of(trace, 0), rows_of(trace, 1)
        function = trace.calls.function
        return [
            (one, other)
            for one in range(first.start, first.stop)
            for other in range(second.start, second.stop)
            if function[one] == function[other]
        ]

    def on(self, context: ViewContext, state: SyncState, event: ViewEvent) -> tuple[SyncState, tuple[Request, ...]]:
        if event.kind is EventKind.RANGE and event.range is not None and event.pane == "above":
            window = (round(event.range.x[0]), round(event.range.x[1]))
            return replace(state, window=event.range.x), (SetFocus(replace(context.focus, window=window)),)
        if event.kind is EventKind.DRAG and event.start is not None and event.start.hit.layer == "handle":
            return replace(state, radius=max(10.0, state.radius + event.px - event.start.px)), ()
        return state, ()

    def tell(self, context: ViewContext, state: SyncState, part: str, hit: Hit) -> tuple[str, ...]:
        trace = context.trace()
        return (trace.functions.name[trace.calls.function[hit.item]],) if hit.layer in ("above", "below") else ()


# -- two traces, with bands between what matches, and a first result --


@dataclass(frozen=True)
class DiffState:
    """chosen: the match that was clicked."""

    chosen: int = -1


def matches(one: Trace, other: Trace, visible: int, *, progress: NeedProgress) -> np.ndarray:
    """int32[m, 2]: calls of equal functions, of the first `visible` calls at first."""
    found = list[tuple[int, int]]()
    for row in range(len(one.calls)):
        progress("Comparing calls", row, len(one.calls))
        if row == visible:
            progress.first(np.array(found, np.int32).reshape(-1, 2))
        same = np.flatnonzero(other.calls.function == one.calls.function[row])[:1]
        found += [(row, int(each)) for each in same]
    return np.array(found, np.int32).reshape(-1, 2)


class DiffView(SimpleView[DiffState]):
    """Two boxes one above the other, and a band for each call that both have."""

    name, label, State = "pairs", "Two traces", DiffState
    takes = (Input("trace", 2, 2),)

    def needs(self, context: ViewContext, state: DiffState) -> tuple[Need, ...]:
        return (Need("matches", "matching calls", matches, (context.trace(0), context.trace(1), 2)),)

    def draw(self, context: ViewContext, state: DiffState, part: str, viewport: Viewport) -> Plot:
        found = context.found.get("matches", np.empty((0, 2), np.int32))
        third = viewport.height / 3
        panes, layers = [], []
        for number, name in enumerate(("one", "two")):
            trace = context.trace(number)
            x = (float(trace.span[0]), float(trace.span[1]))
            panes.append(Pane(name, BoxShape(0, 2 * third * number, viewport.width, third), x, (0, 4)))
            layers.append(context.memo(bars_of, trace, 0, name, name))
        edges = []
        for number, pane in enumerate(panes):
            calls = context.trace(number).calls
            row, y = found[:, number], pane.y[1 - number]
            edges.append([np.stack(locate(pane, side[row].astype(float), y), 1) for side in (calls.start, calls.end)])
        left, right = (self.curves(edges[0][side], edges[1][side]) for side in (0, 1))
        ptr = 4 * np.arange(len(found) + 1, dtype=np.int64)
        item = np.arange(len(found), dtype=np.int32)
        bands = Bands(name="bands", left=left, right=right, ptr=ptr, color=(80, 120, 200, 120), item=item, tube=True)
        return Plot(tuple(panes), (*layers, bands))

    def curves(self, top: np.ndarray, bottom: np.ndarray) -> np.ndarray:
        """float[4m, 2]: a cubic piece each, which leaves and arrives upright."""
        middle = (top[:, 1] + bottom[:, 1]) / 2
        points = [top, np.stack([top[:, 0], middle], 1), np.stack([bottom[:, 0], middle], 1), bottom]
        return np.stack(points, 1).reshape(-1, 2)

    def on(self, context: ViewContext, state: DiffState, event: ViewEvent) -> tuple[DiffState, tuple[Request, ...]]:
        if event.kind is EventKind.CLICK and event.hit.layer == "bands":
            return DiffState(event.hit.item), (Say(f"Match {event.hit.item}"),)
        return state, ()


# -- ten profiles, in three parts with a table --


@dataclass(frozen=True)
class RunsState:
    """Which runs are ticked, and the function that was chosen."""

    runs: tuple[int, ...] = (0,)
    function: int = -1


class RunsView(SimpleView[RunsState]):
    """A table of the runs, a bar for each of them, and a flame of the first one that is ticked."""

    name, label, State = "runs", "Many runs", RunsState
    takes = (Input("profile", 1, None),)

    def layout(self, context: ViewContext, state: RunsState) -> Layout:
        table = ViewPart("runs", "table", title="Runs")
        return Columns(
            (Rows((table, ViewPart("bars", share=2.0))), Tabs((ViewPart("flame", title="Flame"),), share=3.0))
        )

    def own(self, context: ViewContext) -> np.ndarray:
        """float64[runs]"""
        profiles = [context.profile(number) for number in range(len(context.inputs))]
        return np.array([float(np.nansum(profile.metrics[0].mean)) for profile in profiles])

    def draw(self, context: ViewContext, state: RunsState, part: str, viewport: Viewport) -> Plot | ViewTable:
        own = self.own(context)
        item = np.arange(len(own), dtype=np.int32)
        if part == "runs":
            names = [context.profile(number).header.program for number in item.tolist()]
            columns = (ViewColumn("Run", names, kind="text"), ViewColumn("Own", own.astype(np.int64), "ns", "time"))
            return ViewTable(columns, item, marked=frozenset(state.runs))
        shape = BoxShape(0, 0, viewport.width, viewport.height)
        if part == "bars":
            pane = Pane("bars", shape, (0, float(own.max())), (0, len(own)), zoom="", pan="")
            y = item.astype(float)
            return Plot(
                (pane,),
                (Bars(name="bar", pane="bars", x0=y * 0, x1=own, y0=y, y1=y + 0.8, color=(9, 9, 9, 255), item=item),),
            )
        profile = context.profile(state.runs[0] if state.runs else 0)
        nodes = np.arange(len(profile), dtype=np.int32)
        pane = Pane("flame", shape, (0, 1), (0, 2))
        y = (profile.parent >= 0).astype(float)
        return Plot(
            (pane,),
            (
                Bars(
                    name="node",
                    pane="flame",
                    x0=y * 0,
                    x1=y * 0 + 1,
                    y0=y,
                    y1=y + 1,
                    color=(200, 90, 9, 255),
                    item=nodes,
                ),
            ),
        )

    def on(self, context: ViewContext, state: RunsState, event: ViewEvent) -> tuple[RunsState, tuple[Request, ...]]:
        if event.kind is EventKind.CHECK:
            runs = set(state.runs) ^ {event.hit.item}
            return replace(state, runs=tuple(sorted(runs))), ()
        if event.kind is EventKind.CLICK and event.part == "flame" and event.hit:
            profile = context.profile(state.runs[0])
            function = int(profile.function[event.hit.item])
            return replace(state, function=function), (
                OpenSource(file=profile.functions.file[function], line=int(profile.functions.line[function])),
                Copy(profile.functions.name[function]),
            )
        return state, ()


# -- faults --


@dataclass(frozen=True)
class FaultyState:
    value: int = 0
    names: tuple[str, ...] = field(default=())


class FaultyView(SimpleView[FaultyState]):
    """Fails where it is told to."""

    name, label, State = "faulty", "Faulty", FaultyState

    def __init__(self, *where: str) -> None:
        self.where = where

    def fail(self, where: str) -> None:
        if where in self.where:
            raise KeyError(f"no {where}")

    def start(self, context: ViewContext) -> FaultyState:
        self.fail("start")
        return FaultyState()

    def load(self, context: ViewContext, data: Any) -> FaultyState:
        self.fail("load")
        return super().load(context, data)

    def work(self, *, progress: NeedProgress) -> int:
        self.fail("work")
        return 1

    def needs(self, context: ViewContext, state: FaultyState) -> tuple[Need, ...]:
        self.fail("needs")
        return (Need("work", "the work", self.work, ()),)

    def layout(self, context: ViewContext, state: FaultyState) -> Layout:
        self.fail("layout")
        return ViewPart("main")

    def draw(self, context: ViewContext, state: FaultyState, part: str, viewport: Viewport) -> Plot:
        self.fail("draw")
        x = np.zeros(3)
        return Plot(
            (), (Bars(name="a", x0=x, x1=x[:2] if "sizes" in self.where else x, y0=x, y1=x, color=(0, 0, 0, 255)),)
        )

    def on(self, context: ViewContext, state: FaultyState, event: ViewEvent) -> tuple[FaultyState, tuple[Request, ...]]:
        self.fail("on")
        return replace(state, value=state.value + 1), ()

    def tell(self, context: ViewContext, state: FaultyState, part: str, hit: Hit) -> tuple[str, ...]:
        self.fail("tell")
        return ("told",)
