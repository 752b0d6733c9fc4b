"""A trace of some functions alone: calls of others fold into the calls around them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from cbvtool.trace.model.table import NO_ROW, Table
from cbvtool.trace.model.trace import NO_CALL, Calls, Trace


@dataclass(frozen=True, eq=False)
class OwnCalls:
    """trace: k of the n calls of another one, with the same functions and threads; rows: uint32[k], theirs there."""

    trace: Trace
    rows: npt.NDArray[np.uint32]

    def row_here(self, row: int) -> int:
        """Of the other trace's call `row`; `NO_CALL` where it was left out."""
        at = int(np.searchsorted(self.rows, row))
        return at if row != NO_CALL and at < len(self.rows) and self.rows[at] == row else NO_CALL

    def row_there(self, row: int) -> int:
        """The other way round."""
        return NO_CALL if row == NO_CALL else int(self.rows[row])


def own_calls(trace: Trace, kept: npt.NDArray[np.bool_]) -> OwnCalls:
    """Leave out the calls of all functions but `kept`, bool[f]; what they called is then called by their caller.

    Depths and subtrees are those among the calls that stay. Of tables, those that say something of one call stay
    (arguments, returns, call sites), and instants and counters; the others join calls.
    """
    calls = trace.calls
    stays = kept[calls.function]
    rows = np.flatnonzero(stays)
    before = np.concatenate(([0], np.cumsum(stays)))
    # A call that stays is one level more for the rows behind it, up to the end of its subtree.
    end = calls.end_row[rows].astype(np.int64)
    level = np.bincount(rows + 1, minlength=len(calls) + 2) - np.bincount(end, minlength=len(calls) + 2)
    depth = np.cumsum(level)[rows]
    some = Calls(
        calls.function[rows],
        calls.start[rows],
        calls.end[rows],
        depth.astype(np.uint16) if calls.depth.itemsize == 2 else depth.astype(np.uint32),
        before[end].astype(np.uint32),
        None if calls.cpu is None else calls.cpu[rows],
    )
    creator = np.full(len(trace.threads), NO_CALL, np.int64)
    threads = replace(trace.threads, creator=creator, ptr=before[trace.threads.ptr].astype(np.int64))
    still_open = before[trace.open_rows[stays[trace.open_rows]]].astype(np.uint32)
    tables = {name: table for name, table in trace.tables.items() if name == "counters"}
    for name in ("arguments", "returns", "call_sites", "instants"):
        if len(table := trace.table(name)):
            tables[name] = _own_rows(table, stays, before, keep_all=name == "instants")
    return OwnCalls(
        replace(trace, calls=some, threads=threads, open_rows=still_open, tables=tables, path=None),
        rows.astype(np.uint32),
    )


def _own_rows(table: Table, stays: npt.NDArray[np.bool_], before: npt.NDArray[np.int64], *, keep_all: bool) -> Table:
    """A table with the new rows of its calls. keep_all: rows whose call is left out lose the call alone."""
    call = table["call"].astype(np.int64)
    known = call < len(stays)
    place = np.where(known, call, 0)
    own = known & stays[place] if len(stays) else known
    new = np.where(own, before[place], NO_ROW).astype(np.uint32)
    which = slice(None) if keep_all else own
    columns = {name: np.array(column[which]) for name, column in table.columns.items()}
    return Table(columns | {"call": new[which]})
