"""Tables: what takes longer in B, and what takes less, by function or by call path (TD-11, TD-14)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from cbvtool.api import CallChange, ViewColumn, ViewContext, ViewTable

from .changes import WORDS
from .difference import Amounts, Causes, Difference, amounts_in, cause_words, causes_in, difference_in
from .pair import chosen_in
from .state import LOWER, UPPER, TraceDiffState

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Rows = tuple[tuple[ViewColumn, ...], npt.NDArray[np.int32], int]
_MOST = 10_000
_CALLERS = 4  # of a call path that are told
_MS = 1e6
_NONE = np.empty(0, np.int32)


def draw_difference(context: ViewContext, state: TraceDiffState, part: str) -> ViewTable:
    """What takes longer (part "slower"), or less ("faster"), most first."""
    pair = chosen_in(context, state)
    if pair is None:
        return ViewTable((), _NONE, empty="There is nothing to compare.")
    difference = difference_in(context, pair)
    if difference is None:
        return ViewTable((), _NONE, empty="Comparing calls …")
    causes = causes_in(context, difference)
    columns, item, more = context.memo(
        _table,
        difference,
        amounts_in(context, difference),
        causes if isinstance(causes, Causes) else None,
        part == "slower",
        bool(context.values["rows"] == "paths"),
        least_change(context, difference),
    )
    chosen = -1 if state.chosen is None else difference.context_of(*state.chosen)
    what = "longer" if part == "slower" else "less"
    empty = f"Nothing takes {what} in B" + (
        ", by the least change that is set." if least_change(context, difference) else "."
    )
    return ViewTable(columns, item, more=more, selected=frozenset({chosen} & set(item.tolist())), empty=empty)


def least_change(context: ViewContext, difference: Difference) -> float:
    """ns of self time by which a row must differ."""
    share = float(context.values["share"]) / 100.0
    return max(float(context.values["least"]) * _MS, share * float(difference.union.total[:, 0].max()))


def _table(
    difference: Difference, amounts: Amounts, causes: Causes | None, slower: bool, paths: bool, least: float
) -> Rows:
    union, functions = difference.union, difference.functions
    if paths:
        place = np.arange(1, len(union))
        calls, own, total = union.calls[:, 1:], amounts.own[:, 1:], amounts.total[:, 1:]
    else:
        scale = np.array([[amounts.factor], [1.0]])
        place, calls, own, total = functions.place, functions.calls, functions.own * scale, functions.total * scale
    by = own[LOWER] - own[UPPER]
    rows = np.flatnonzero((by > 0 if slower else by < 0) & (np.abs(by) >= least))
    rows = rows[np.argsort(-np.abs(by[rows]), kind="stable")]
    more, rows = max(len(rows) - _MOST, 0), rows[:_MOST]
    place, calls, own, total, by = place[rows], calls[:, rows], own[:, rows], total[:, rows], by[rows]
    where = place.tolist()
    columns = [
        ViewColumn("Function", [difference.name(row) for row in where], kind="text"),
        ViewColumn("Self", by, kind="change", help="Change of the time without what it calls, from A to B"),
        ViewColumn("Total", total[LOWER] - total[UPPER], kind="change", help="Change with what it calls"),
    ]
    if causes is not None:
        words = [cause_words(causes, row) for row in where]
        columns.append(ViewColumn("Cause", words, kind="text", help="What was changed between the commits of both"))
    columns += [
        ViewColumn("Calls A", calls[UPPER]),
        ViewColumn("Calls B", calls[LOWER]),
        ViewColumn("What", _what(difference, calls, where if paths else None), kind="text"),
        ViewColumn("Self A", own[UPPER], kind="time"),
        ViewColumn("Self B", own[LOWER], kind="time"),
        ViewColumn("Total A", total[UPPER], kind="time"),
        ViewColumn("Total B", total[LOWER], kind="time"),
        ViewColumn("Called by" if paths else "Most by", [callers(difference, row) for row in where], kind="text"),
    ]
    return tuple(columns), place.astype(np.int32), more


def _what(difference: Difference, calls: Ints, contexts: list[int] | None) -> list[str]:
    """What became of each row: words for call paths that changed, else how often it is called."""
    counts: list[str] = np.select(
        [calls[UPPER] == 0, calls[LOWER] == 0, calls[LOWER] > calls[UPPER], calls[LOWER] < calls[UPPER]],
        ["only in B", "only in A", "more calls", "fewer calls"],
        "",
    ).tolist()
    if contexts is None:
        return counts
    kinds = [CallChange(int(difference.union.kind[row])) for row in contexts]
    return [WORDS.get(kind) or count for kind, count in zip(kinds, counts, strict=True)]


def callers(difference: Difference, row: int) -> str:
    """The nearest callers of a context, the outermost first."""
    above = difference.union.above(int(difference.union.parent[row]))
    names = [difference.name(each) for each in above[-_CALLERS:]]
    return " › ".join((["…"] if len(above) > _CALLERS else []) + names)
