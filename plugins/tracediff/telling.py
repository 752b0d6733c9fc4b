"""Words: the headline, the sentence where there is nothing to draw, tooltips."""

from __future__ import annotations

import numpy as np

from cbvtool.api import CallChange, Hit, Trace, ViewContext, duration, function_title, signed_duration, thread_title

from .changes import WORDS, changes_in, summary, told
from .difference import Amounts, Causes, Difference, amounts_in, cause_sentence, causes_in, difference_in, kind_of
from .identity import fault_in
from .matching import MOST_OF_ALL, Compared, Known, call_of, compared_in, tau_in
from .pair import Chosen, chosen_in, source_of, traces_of
from .state import LOWER, UPPER, TraceDiffState
from .visible import MOST, Drawn, known_at

WORKING = "Comparing calls …"
_CALLERS = 5  # of a call path that are told


def sentence(
    context: ViewContext, pair: tuple[Chosen, Chosen] | None, compared: Compared | None, known: Known | None
) -> str:
    """Why no match is drawn; "" where some are."""
    if pair is None:
        traces = traces_of(context)
        if context.values["own"] and any(len(trace.threads) for trace in traces):
            return "No thread of both calls code that is open. Take the tick off Only my code to see all calls."
        empty = [name for name, trace in zip("AB", (traces[0], traces[-1]), strict=True) if not len(trace.calls)]
        if len(traces) == 1 or traces[0] is traces[-1]:
            return "The trace holds no calls, so there is nothing to compare."
        return f"Trace {' and trace '.join(empty)} holds no calls, so there is nothing to compare."
    source = source_of(context, pair)
    for side, (trace, chosen) in enumerate(zip((source.upper, source.lower), pair, strict=True)):
        if trace.threads.ptr[chosen.thread] == trace.threads.ptr[chosen.thread + 1]:
            return f"{'AB'[side]}: {thread_title(trace.threads, chosen.thread)} made no call. Choose another thread."
    if compared is None or known is None:
        return why_failed(context) or WORKING
    if not compared.shares():
        return "The two threads have no function in common." + _hint(context)
    if not len(known) or not (known.group >= 0).any():
        if compared.early:
            return WORKING
        seen = " in view" if context.values["mode"] == "all" else ""
        less, nearer = f"by more than {tau_in(context):g}, but for the roots", " or zoom in" if seen else ""
        return f"No call of A{seen} is like one of B{seen} {less}. Lower the threshold τ{nearer}."
    return ""


def why_failed(context: ViewContext) -> str:
    """Why there is nothing to draw, where work failed or was cancelled; else ""."""
    said = next(iter(context.failed.values()), "")
    return said[:1].upper() + said[1:] + ("" if not said or said.endswith((".", "!", "?")) else ".")


def _hint(context: ViewContext) -> str:
    return " The table of threads offers others." if sum(len(trace.threads) for trace in traces_of(context)) > 2 else ""


def cautions(context: ViewContext, pair: tuple[Chosen, Chosen]) -> tuple[str, ...]:
    """What makes the two hard to compare, and what was done about it."""
    source = source_of(context, pair)
    one, other = source.upper, source.lower
    if one is other and pair[UPPER] == pair[LOWER]:
        return ("A and B are the same thread",)
    found = []
    sampled = [bool(trace.threads.sampled[chosen.thread]) for trace, chosen in zip((one, other), pair, strict=True)]
    if sampled[UPPER] != sampled[LOWER]:
        found.append(f"{'AB'[sampled.index(True)]} was sampled: its calls and their numbers are guesses")
    clocks = one.header.clock, other.header.clock
    if "samples" in clocks and clocks[UPPER] != clocks[LOWER]:
        found.append("one counts samples, the other time: lengths cannot be compared")
    elif "cpu" in clocks and clocks[UPPER] != clocks[LOWER]:
        found.append("one counts processor time, the other time by the clock")
    if source.renames:
        found.append(f"{_counted(len(source.renames), 'renamed file')} followed")
    if fault := fault_in(context):
        found.append(fault.rstrip("."))
    elif source.idle:
        found.append(f"{_counted(source.idle, 'pair')} of the table name no function of both")
    return tuple(found)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 'es' if what.endswith('ch') else 's'}"


def headline(context: ViewContext, compared: Compared | None, known: Known | None, drawn: Drawn | None) -> str:
    """How alike the two are, and how much of it is drawn."""
    if context.failed and (compared is None or known is None):
        return "Not compared"
    if compared is None:
        return WORKING
    if known is None or drawn is None:
        return "Grouping matches …"
    words = list(cautions(context, compared.pair))
    groups = len(np.unique(known.group[drawn.match]))
    words.append(_counted(drawn.total, "match") + " in view")
    if context.values["mode"] == "all" and len(known) >= MOST_OF_ALL:
        words[-1] = f"more than {MOST_OF_ALL:,} matches in view"
    if len(drawn) == MOST:
        words[-1] += f", {MOST:,} drawn" if context.values["mode"] == "aligned" else f", the {MOST:,} strongest drawn"
    elif len(drawn) < drawn.total:
        words[-1] += f" as {_counted(len(drawn), 'tube')}"
    if compared.early:
        words[-1] += ", of the longest calls so far"
    words.append(_counted(groups, "group"))
    changes = changes_in(context, compared.pair)
    if changes is not None and not changes.occurring:
        words.insert(0, summary(changes))
    return " · ".join(words)


def ratio_words(context: ViewContext, pair: tuple[Chosen, Chosen]) -> str:
    """How long B takes, for its title; empty where that says nothing."""
    compared = compared_in(context, pair)
    if compared is None or (pair[UPPER] == pair[LOWER] and compared.source.upper is compared.source.lower):
        return ""
    ratio = compared.length[LOWER] / compared.length[UPPER]
    return f", {ratio:.2f} × as long as A" if ratio < 10 else f", {ratio:,.0f} × as long as A"


def call_words(trace: Trace, row: int) -> tuple[str, ...]:
    """Function and length of a call."""
    calls = trace.calls
    function = int(calls.function[row])
    inner = int(calls.end_row[row]) - row - 1
    module = trace.functions.module[function]
    return (
        function_title(trace.functions, function),
        f"{duration(int(calls.end[row] - calls.start[row]))}, {inner:,} call{'' if inner == 1 else 's'} within"
        + (f", {module}" if module else ""),
    )


def tell_hit(context: ViewContext, state: TraceDiffState, hit: Hit) -> tuple[str, ...]:
    """On the call or the match under the pointer."""
    pair = chosen_in(context, state)
    if pair is None:
        return ()
    source, compared = source_of(context, pair), compared_in(context, pair)
    if hit.layer.startswith("tubes"):
        known = known_at(context, state, state.size)
        return (
            () if compared is None or known is None or hit.item >= len(known) else tell_match(compared, known, hit.item)
        )
    if not hit.layer.startswith("bars "):
        return ()
    side = UPPER if hit.layer.endswith("upper") else LOWER
    trace = (source.upper, source.lower)[side]
    row = state.call if state.side == side and state.call >= 0 else hit.item
    lines = list(call_words(trace, row))
    common, other = source.common_of(side), source.common_of(LOWER if side == UPPER else UPPER)
    if int(common[trace.calls.function[row]]) not in other:
        lines.append(
            f"{'BA'[side]} never calls this function" if trace is not source.lower else "Not in the other thread"
        )
    changes = changes_in(context, pair)
    if changes is not None:
        place = changes.compared.trees[side].row(row)
        lines.append(told(changes, side, place))
        partner = changes.partner(side, place)
        if partner >= 0 and (call := call_of(changes.compared, 1 - side, partner)) >= 0:
            lines.append(_against(trace, row, (source.upper, source.lower)[1 - side], call))
    elif compared is not None:
        tree = compared.trees[side]
        best = int(compared.best(side)[tree.row(row)])
        partner = call_of(compared, 1 - side, best) if best >= 0 else -1
        if partner >= 0:
            theirs = (source.upper, source.lower)[1 - side]
            alike = float(compared.similarity(side)[tree.row(row)])
            lines.append(f"Most like {call_words(theirs, partner)[0]} in {'BA'[side]}, similarity {alike:.2f}")
            lines.append(_against(trace, row, theirs, partner))
        else:
            lines.append(f"Nothing in {'BA'[side]} is like it")
    difference = difference_in(context, pair)
    if difference is not None:
        path = difference.context_of(side, row)
        lines += [
            f"All of this path: {line}" for line in path_words(difference, amounts_in(context, difference), path)[:2]
        ]
        causes = causes_in(context, difference)
        if isinstance(causes, Causes):
            lines.append(cause_sentence(causes, path))
    return tuple(lines)


def _against(trace: Trace, row: int, other: Trace, partner: int) -> str:
    mine, theirs = (int(each.calls.end[at] - each.calls.start[at]) for each, at in ((trace, row), (other, partner)))
    own, alone = own_time(trace, row), own_time(other, partner)
    return f"{duration(mine)} here, {duration(theirs)} there; by itself {duration(own)} and {duration(alone)}"


def own_time(trace: Trace, row: int) -> int:
    """ns of a call without the calls that it makes."""
    calls = trace.calls
    below = slice(row + 1, int(calls.end_row[row]))
    direct = calls.depth[below] == int(calls.depth[row]) + 1
    inner = calls.end[below][direct] - calls.start[below][direct]
    return int(calls.end[row] - calls.start[row] - inner.sum())


def tell_context(context: ViewContext, state: TraceDiffState, hit: Hit) -> tuple[str, ...]:
    """On the call path under the pointer in the picture of both in one."""
    pair = chosen_in(context, state)
    difference = difference_in(context, pair) if pair is not None else None
    if difference is None or not 0 < hit.item < len(difference.union):
        return ()
    row, union = hit.item, difference.union
    change = kind_of(difference, row)
    found, amounts = causes_in(context, difference), amounts_in(context, difference)
    name = difference.name(row)
    lines = [f"{difference.name(row, UPPER)} → {name}" if change is CallChange.RENAMED else name]
    lines += path_words(difference, amounts, row)
    if change is not CallChange.UNCHANGED:
        lines.append(WORDS[change].capitalize())
    above = [difference.name(each) for each in union.above(int(union.parent[row]))][-_CALLERS:]
    if above:
        lines.append(f"Called by {' › '.join(above)}")
    if isinstance(found, Causes):
        lines.append(cause_sentence(found, row))
    return tuple(lines)


def path_words(difference: Difference, amounts: Amounts, row: int) -> list[str]:
    """How often a call path is taken, and its self and total time, in A and B."""
    calls = difference.union.calls[:, row].tolist()
    found = [f"{calls[UPPER]:,} call{'' if calls[UPPER] == 1 else 's'} in A, {calls[LOWER]:,} in B"]
    for what, values in (("Self", amounts.own[:, row]), ("Total", amounts.total[:, row])):
        one, other = values.tolist()
        found.append(f"{what} {duration(one)} in A, {duration(other)} in B: {signed_duration(other - one)}")
    return found


def tell_match(compared: Compared, known: Known, match: int) -> tuple[str, ...]:
    """Both calls of a match, how alike they are, and of which group."""
    rows = known.rows[match]
    calls = [call_of(compared, side, int(rows[side])) for side in (UPPER, LOWER)]
    traces = (compared.source.upper, compared.source.lower)
    lines = [
        f"{'AB'[side]}: " + (", ".join(call_words(traces[side], calls[side])) if calls[side] >= 0 else "all its roots")
        for side in (UPPER, LOWER)
    ]
    lines.append(f"Similarity {known.similarity[match]:.2f}")
    group = int(known.group[match])
    if group >= 0:
        size = int((known.group == group).sum())
        is_root = int(known.root[group]) == match
        lines.append(
            f"{'Root match of a group' if is_root else 'In a group'} of {size:,} match{'' if size == 1 else 'es'}"
        )
    starts = [float(compared.trees[side].start[rows[side]]) for side in (UPPER, LOWER)]
    away = starts[LOWER] - starts[UPPER]
    if away:
        lines.append(f"In B {duration(round(abs(away)))} {'later' if away > 0 else 'earlier'} after the roots began")
    return tuple(lines)
