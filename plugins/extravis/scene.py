"""What is shown, before any pointer: columns, the identity and weight of each call, the rows of one or two traces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    GAP,
    Graph,
    Icicle,
    Identities,
    IdentityFigures,
    Need,
    NeedProgress,
    RowAlignment,
    ViewContext,
    aligned_rows,
    call_repeats,
    call_weights,
    icicle,
    identity_figures,
    leaf_order,
    shared_identities,
)

from .hierarchy import closed_nodes
from .prepared import AT_ONCE, Prepared, prepared_in, preparing
from .state import ExtraVisState, Part

Rows = npt.NDArray[np.int64]
MOST_ORDERED = 400  # columns that are put in order without a worker


@dataclass(frozen=True, eq=False)
class Columns:
    """Columns, and the identities of the calls of each trace over them."""

    prepared: tuple[Prepared, ...]
    icicle: Icicle
    identities: tuple[Identities, ...]


@dataclass(frozen=True, eq=False)
class Lane:
    """The rows of one trace.

    place     int64[l]  place in its sequence of each row, `GAP`; None = the row itself
    identity  int32[l]  of each row, -1 = a gap
    weight    float64[l]
    """

    place: Rows | None
    identity: npt.NDArray[np.int32]
    weight: npt.NDArray[np.float64]

    def at(self, row: int) -> int:
        """The place in the sequence of a row, `GAP` where it has none."""
        if not 0 <= row < len(self.identity):
            return GAP
        return row if self.place is None else int(self.place[row])

    def places(self, low: int, high: int) -> tuple[int, int]:
        """The places `first:last` of the rows `low:high`."""
        if self.place is None:
            return low, high
        some = self.place[low:high]
        some = some[some != GAP]
        return (int(some[0]), int(some[-1]) + 1) if len(some) else (0, 0)

    def rows(self, first: int, last: int) -> tuple[int, int]:
        """The rows from place `first` up to the one before `last`."""
        if self.place is None or last <= first:
            return first, last
        found = np.flatnonzero(self.place != GAP)
        last = min(last, len(found))
        return (int(found[first]), int(found[last - 1]) + 1) if first < last else (0, 0)


@dataclass(frozen=True, eq=False)
class Scene:
    """All of it. alignment: None for one trace; length: rows."""

    columns: Columns
    lanes: tuple[Lane, ...]
    alignment: RowAlignment | None

    @property
    def length(self) -> int:
        """Rows."""
        return len(self.lanes[0].identity)

    @property
    def icicle(self) -> Icicle:
        """The columns."""
        return self.columns.icicle

    @property
    def pairs(self) -> Identities:
        """Columns of each identity, the same for all lanes."""
        return self.columns.identities[0]


def needs_of(context: ViewContext, state: ExtraVisState) -> tuple[Need, ...]:
    """Calls in order; an order of leaves; rows of two traces."""
    found = list(preparing(context))
    prepared = prepared_in(context)
    if prepared is None:
        return tuple(found)
    plain = _plain(context, state, prepared)
    if plain is not None and context.values["order"] == "calls" and len(plain.icicle) > MOST_ORDERED:
        found.append(Need("order", "ordering leaves", make_order, (plain,)))
    columns = columns_in(context, state)
    if columns is not None and len(prepared) == 2 and not _few(prepared):
        found.append(Need("rows", "aligning calls", make_rows, (columns,)))
    return tuple(found)


def columns_in(context: ViewContext, state: ExtraVisState) -> Columns | None:
    """None while calls are being read, or leaves ordered."""
    prepared = prepared_in(context)
    if prepared is None:
        return None
    plain = _plain(context, state, prepared)
    if context.values["order"] != "calls":
        return plain
    if len(plain.icicle) <= MOST_ORDERED:
        return context.memo(_reordered, plain, context.graph, context.memo(_order_of, plain))
    order = context.found.get("order")
    if order is None or len(order) != len(plain.icicle):
        return plain
    return context.memo(_reordered, plain, context.graph, order)


def scene_in(context: ViewContext, state: ExtraVisState) -> Scene | None:
    """None while it is being made."""
    columns = columns_in(context, state)
    if columns is None:
        return None
    window, power = int(context.values["window"]), float(context.values["power"])
    if len(columns.prepared) == 1:
        return context.memo(_scene, columns, context.memo(_repeats, columns, window), window, power, None)
    alignment = context.memo(_rows_of, columns) if _few(columns.prepared) else context.found.get("rows")
    if alignment is None or not _fits(columns, alignment):
        return None
    return context.memo(_scene, columns, context.memo(_repeats, columns, window), window, power, alignment)


def make_order(columns: Columns, progress: NeedProgress) -> Rows:
    """A place for each column, as a need."""
    return _order_of(columns, progress)


def make_rows(columns: Columns, progress: NeedProgress) -> RowAlignment:
    """The rows of two traces, as a need."""
    one, other = columns.identities
    return aligned_rows(one.of_call, other.of_call, progress)


def shown_rows(context: ViewContext, state: ExtraVisState, scene: Scene) -> Part:
    """The rows that the sequence view shows."""
    if state.shown is not None and state.shown[0] < scene.length:
        return state.shown[0], min(state.shown[1], float(scene.length))
    if context.values["rows"] == "window":
        low, high = part_in(context, state, scene)
        if high > low:
            return float(low), float(high)
    return 0.0, float(max(scene.length, 1))


def part_in(context: ViewContext, state: ExtraVisState, scene: Scene) -> tuple[int, int]:
    """The rows that are looked at: those chosen here, or those that begin in the window that all views share."""
    window = context.focus.window
    if window is None:
        return 0, scene.length
    if window == state.told and state.part is not None:
        return min(state.part[0], scene.length), min(state.part[1], scene.length)
    here = [lane for lane, each in enumerate(scene.columns.prepared) if each.number == context.focus.trace]
    number = here[0] if here else 0
    first, last = scene.columns.prepared[number].sequence.within(window)
    return scene.lanes[number].rows(first, last)


def part_figures_in(context: ViewContext, state: ExtraVisState, scene: Scene, number: int = 0) -> IdentityFigures:
    """Figures of the calls of a trace that are looked at."""
    low, high = scene.lanes[number].places(*part_in(context, state, scene))
    return context.memo(identity_figures, scene.columns.identities[number], low, high)


def whole_figures(context: ViewContext, scene: Scene, number: int = 0) -> IdentityFigures:
    """Figures of all calls of a trace."""
    known = scene.columns.identities[number]
    return context.memo(identity_figures, known, 0, len(known.of_call))


def _few(prepared: tuple[Prepared, ...]) -> bool:
    return sum(len(each.sequence) for each in prepared) <= AT_ONCE // 10


def _fits(columns: Columns, alignment: RowAlignment) -> bool:
    """Whether an alignment is of these sequences; while a new one is made, the former one may be of other calls."""
    counts = [int((side != GAP).sum()) for side in (alignment.a, alignment.b)]
    return counts == [len(each.of_call) for each in columns.identities]


def _plain(context: ViewContext, state: ExtraVisState, prepared: tuple[Prepared, ...]) -> Columns:
    return context.memo(_columns, prepared, context.graph, str(context.values["columns"]), state.toggled)


def _columns(prepared: tuple[Prepared, ...], graph: Graph, level: str, toggled: tuple[str, ...]) -> Columns:
    calls, elsewhere = np.zeros(len(graph)), False
    for each in prepared:
        count = np.bincount(each.sequence.pair, minlength=len(each.sequence.caller)).astype(np.float64)
        for end in (each.sequence.caller, each.sequence.callee):
            node = each.node[end]
            calls += np.bincount(node[node >= 0], weights=count[node >= 0], minlength=len(graph))
            elsewhere |= bool((node < 0).any())
    closed = closed_nodes(graph, level, calls, toggled)
    return _over(prepared, icicle(graph, calls > 0, closed, None, elsewhere))


def _over(prepared: tuple[Prepared, ...], shown: Icicle) -> Columns:
    found = shared_identities(
        tuple(each.sequence for each in prepared), tuple(shown.of_functions(each.node) for each in prepared)
    )
    return Columns(prepared, shown, found)


def _order_of(columns: Columns, progress: NeedProgress | None = None) -> Rows:
    count = sum(np.bincount(each.of_call[each.of_call >= 0], minlength=len(each)) for each in columns.identities)
    pairs = columns.identities[0]
    if progress is None:
        return leaf_order(columns.icicle, pairs.caller, pairs.callee, np.asarray(count))
    return leaf_order(columns.icicle, pairs.caller, pairs.callee, np.asarray(count), progress)


def _reordered(columns: Columns, graph: Graph, place: Rows) -> Columns:
    """The same columns in another order of siblings. place: int64[k] of each column."""
    shown = columns.icicle
    rank = np.zeros(len(graph), np.int64)
    boxes = np.flatnonzero((shown.key >= 0) & ~shown.own)
    for box in boxes.tolist():
        rank[shown.key[box]] = place[shown.first[box] : shown.last[box]].min()
    called, closed = np.zeros(len(graph), np.bool_), np.zeros(len(graph), np.bool_)
    leaves = shown.column[shown.key[shown.column] >= 0]
    called[shown.key[leaves]] = True
    closed[shown.key[shown.closed]] = True
    made = icicle(graph, called, closed, rank, shown.elsewhere >= 0)
    # What is closed has no called node left inside: it is closed still, and stands for all in it.
    now = {(int(made.key[box]), bool(made.own[box])): column for column, box in enumerate(made.column.tolist())}
    moved = np.array([now[int(shown.key[box]), bool(shown.own[box])] for box in shown.column.tolist()], np.int64)
    of_node = np.where(shown.of_node >= 0, moved[np.maximum(shown.of_node, 0)] if len(moved) else -1, -1)
    is_closed = np.zeros(len(made.key), np.bool_)
    is_closed[np.isin(made.key, shown.key[shown.closed]) & ~made.own] = True
    ordered = Icicle(
        made.key,
        made.parent,
        made.depth,
        made.first,
        made.last,
        is_closed,
        made.own,
        made.column,
        of_node,
        made.elsewhere,
    )
    return _over(columns.prepared, ordered)


def _rows_of(columns: Columns) -> RowAlignment:
    one, other = columns.identities
    return aligned_rows(one.of_call, other.of_call)


def _repeats(columns: Columns, window: int) -> tuple[npt.NDArray[np.int32], ...]:
    """Of each trace; they stay where p changes."""
    return tuple(call_repeats(each.of_call, window) for each in columns.identities)


def _scene(
    columns: Columns,
    repeated: tuple[npt.NDArray[np.int32], ...],
    window: int,
    power: float,
    alignment: RowAlignment | None,
) -> Scene:
    lanes = []
    for number, each in enumerate(columns.identities):
        weight = call_weights(each.of_call, window, power, repeated[number])
        if alignment is None:
            lanes.append(Lane(None, each.of_call, weight))
            continue
        place = alignment.b if number else alignment.a
        known = place != GAP
        identity, weights = np.full(len(place), -1, np.int32), np.ones(len(place))
        identity[known], weights[known] = each.of_call[place[known]], weight[place[known]]
        lanes.append(Lane(place, identity, weights))
    return Scene(columns, tuple(lanes), alignment)
