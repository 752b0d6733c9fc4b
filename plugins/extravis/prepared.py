"""What does not depend on columns: the calls of each trace in order."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    NO_NODE,
    CallSequence,
    Need,
    NeedProgress,
    NodeMap,
    OwnCalls,
    Progress,
    Trace,
    ViewContext,
    call_sequence,
    common_functions,
    own_calls,
)

AT_ONCE = 30_000  # calls: so few are prepared without a worker


@dataclass(frozen=True, eq=False)
class Prepared:
    """The calls of a trace, or those of the open code alone.

    number    of the trace among the inputs
    own       None where all calls are shown
    sequence  of its rows
    node      int32[f]  of each function; -1 = none
    """

    trace: Trace
    number: int
    own: OwnCalls | None
    sequence: CallSequence
    node: npt.NDArray[np.int32]

    def row(self, place: int) -> int:
        """The row of a call in the recording, by its place in the sequence."""
        row = int(self.sequence.row[place])
        return row if self.own is None else self.own.row_there(row)

    def place(self, row: int) -> int:
        """The other way round; -1 = it is not in the sequence."""
        here = row if self.own is None else self.own.row_here(row)
        return -1 if here < 0 else self.sequence.place_of(here)

    def functions(self, place: int) -> tuple[int, int]:
        """Rows of caller and callee."""
        pair = int(self.sequence.pair[place])
        return int(self.sequence.caller[pair]), int(self.sequence.callee[pair])


def chosen_inputs(context: ViewContext) -> tuple[int, ...]:
    """Which of the traces are shown."""
    if len(context.inputs) < 2 or context.values["traces"] == "both":
        return tuple(range(len(context.inputs)))
    return (int(context.values["traces"] == "second"),)


def preparing(context: ViewContext) -> tuple[Need, ...]:
    """One for each trace that is large and whose functions are known."""
    found = []
    for number in chosen_inputs(context):
        of = _inputs(context, number)
        if of is not None and len(of[0].calls) > AT_ONCE:
            found.append(Need(f"calls{number}", "reading calls in order", make_prepared, of))
    return tuple(found)


def prepared_in(context: ViewContext) -> tuple[Prepared, ...] | None:
    """Of each trace; None while one of them is being made."""
    found = []
    for number in chosen_inputs(context):
        of = _inputs(context, number)
        if of is None:
            return None
        made = context.memo(_prepared, *of) if len(of[0].calls) <= AT_ONCE else context.found.get(f"calls{number}")
        if made is None:
            return None
        found.append(made)
    if len(found) == 2:
        found[1] = context.memo(_on_common_nodes, found[0], found[1])
    return tuple(found)


def _on_common_nodes(one: Prepared, other: Prepared) -> Prepared:
    """The second trace, with the nodes of the functions that both have: the same columns stand for both (TD-12)."""
    common = common_functions(one.trace.functions, other.trace.functions)
    node_of = np.full(common.count, NO_NODE, np.int32)
    node_of[common.of_reference] = one.node
    node = np.where(node_of[common.of_test] != NO_NODE, node_of[common.of_test], other.node).astype(np.int32)
    return replace(other, node=node)


def _inputs(context: ViewContext, number: int) -> tuple[Trace, int, NodeMap, frozenset[int] | None, bool] | None:
    known = context.maps[number]
    if known is None:
        return None
    threads = context.focus.threads if context.focus.trace == number else None
    return context.trace(number), number, known, threads, bool(context.values["own"])


def make_prepared(
    trace: Trace, number: int, known: NodeMap, threads: frozenset[int] | None, own: bool, progress: NeedProgress
) -> Prepared:
    """`_prepared`, as a need."""
    return _prepared(trace, number, known, threads, own, progress)


def _prepared(
    trace: Trace,
    number: int,
    known: NodeMap,
    threads: frozenset[int] | None,
    own: bool,
    progress: Progress = lambda *_: None,
) -> Prepared:
    some = own_calls(trace, known.node != NO_NODE) if own and known.mapped.any() and not known.mapped.all() else None
    shown = trace if some is None else some.trace
    return Prepared(trace, number, some, call_sequence(shown, threads, progress), known.node)
