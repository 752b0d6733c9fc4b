"""Which two threads are compared: chosen by the user, or proposed by name and by the functions they call (TD-1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.api import (
    CommonFunctions,
    Functions,
    Trace,
    ViewContext,
    common_functions,
    is_main,
    is_named,
    thread_title,
)

from .identity import Pairs, renames_in, table_in
from .state import LOWER, UPPER, TraceDiffState

Ints = npt.NDArray[np.int64]
MOST_PROPOSED = 100
_LONGEST = 48  # letters of a program and its arguments
_MOST_COMPARED = 300  # threads of a trace that are looked at, those with the most calls


@dataclass(frozen=True)
class Chosen:
    """A thread of one of the inputs."""

    number: int
    thread: int


@dataclass(frozen=True, eq=False)
class Proposal:
    """A thread and its partner, with how many of the functions that either calls both call (0..1), and why it is it."""

    upper: Chosen
    lower: Chosen
    shared: float
    why: str


class Source:
    """The traces of a view. No dataclass: the memo would count their arrays as part of what it keeps.

    renames  files that were renamed from A to B; table: the user's pairs of functions
    idle     so many pairs of the table name no function of A, or none of B
    """

    def __init__(self, upper: Trace, lower: Trace, renames: Pairs = (), table: Pairs = ()) -> None:
        self.upper, self.lower, self.renames = upper, lower, renames
        one, other = upper.functions, lower.functions
        self.common: CommonFunctions = common_functions(one, other, dict(renames), dict(table))
        self.idle = sum(not (_has(one, old) and _has(other, new)) for old, new in table)

    def common_of(self, side: int) -> Ints:
        """int64[f]: the common id of each function of a side."""
        return self.common.of_reference if side == UPPER else self.common.of_test


def _has(functions: Functions, name: str) -> bool:
    return any(is_named(functions, row, name) for row in range(len(functions)))


def traces_of(context: ViewContext) -> tuple[Trace, ...]:
    """All inputs."""
    return tuple(context.trace(number) for number in range(len(context.inputs)))


def proposals(context: ViewContext) -> tuple[Proposal, ...]:
    """Threads of the first trace with their partners: first where most is alike, in functions and in calls."""
    traces = traces_of(context)
    return context.memo(_proposals, renames_in(context, traces[0], traces[-1]), table_in(context), *traces)


def chosen_in(context: ViewContext, state: TraceDiffState) -> tuple[Chosen, Chosen] | None:
    """The two threads; None where no thread made a call."""
    if state.threads is not None:
        (one, thread), (other, partner) = state.threads
        return Chosen(one, thread), Chosen(other, partner)
    found = proposals(context)
    return (found[0].upper, found[0].lower) if found else None


def source_of(context: ViewContext, pair: tuple[Chosen, Chosen]) -> Source:
    """The traces of two threads, and which function is which."""
    upper, lower = context.trace(pair[UPPER].number), context.trace(pair[LOWER].number)
    return context.memo(Source, upper, lower, renames_in(context, upper, lower), table_in(context))


def name_of(trace: Trace, thread: int) -> str:
    """Program with its arguments, by which runs differ, and thread."""
    program = trace.header.program.replace("\\", "/").rpartition("/")[2]
    words = list(trace.header.arguments)
    if program.startswith("python") and words:
        words = _without_switches(words)
    elif program:
        words = [program, *words]
    what = " ".join(words) or "a recording"
    what = what if len(what) <= _LONGEST else what[: _LONGEST - 1] + "…"
    run = f", run {trace.header.run:,}" if trace.header.run else ""
    return f"{what}{run} · {thread_title(trace.threads, thread)}"


def _without_switches(words: list[str]) -> list[str]:
    """What Python was asked to run: without `-m`, and without switches such as `-B` before it."""
    for place, word in enumerate(words):
        if word == "-m":
            return words[place + 1 :] or words
        if not word.startswith("-") or word in {"-", "-c"}:
            return words[place:]
    return words


def names_in(context: ViewContext, pair: tuple[Chosen, Chosen]) -> tuple[str, str]:
    """What both threads are called; of two with one name the file comes first, which tells them apart."""
    one, other = (name_of(context.trace(chosen.number), chosen.thread) for chosen in pair)
    if one == other and len(context.names) == len(context.inputs):
        files = [context.names[chosen.number] for chosen in pair]
        if files[UPPER] != files[LOWER]:
            return f"{files[UPPER]}: {one}", f"{files[LOWER]}: {other}"
    return one, other


def busiest(trace: Trace) -> Ints:
    """The threads that made calls, the one with the most first; main threads before others with as many."""
    count = np.diff(trace.threads.ptr)
    main = np.array([is_main(trace.threads, row) for row in range(len(trace.threads))], np.bool_)
    order = np.lexsort((np.arange(len(count)), ~main, -count)) if len(count) else np.zeros(0, np.int64)
    found: Ints = order[count[order] > 0][:_MOST_COMPARED]
    return found


def _called(trace: Trace, thread: int, common: Ints) -> Ints:
    low, high = trace.threads.ptr[thread : thread + 2]
    used = np.flatnonzero(np.bincount(trace.calls.function[low:high], minlength=len(trace.functions)))
    return np.unique(common[used])


def shared_part(one: Ints, other: Ints) -> float:
    """How many of the functions in either of two sets are in both."""
    both = len(np.intersect1d(one, other, assume_unique=True))
    return both / max(len(one) + len(other) - both, 1)


def _proposals(renames: Pairs, table: Pairs, *traces: Trace) -> tuple[Proposal, ...]:
    upper, lower = traces[0], traces[-1]
    source = Source(upper, lower, renames, table)
    alone = upper is lower
    theirs = [(row, _called(lower, row, source.common.of_test)) for row in busiest(lower).tolist()]
    if not theirs:
        return ()
    names: dict[str, list[int]] = {}
    for row, _ in theirs:
        names.setdefault(lower.threads.name[row], []).append(row)
    found: list[Proposal] = []
    for row in busiest(upper).tolist()[:MOST_PROPOSED]:
        mine = _called(upper, row, source.common.of_reference)
        others = [each for each in theirs if not alone or each[0] != row]
        if not others:
            others = theirs
        parts = {other: shared_part(mine, functions) for other, functions in others}
        name = upper.threads.name[row]
        alike = [other for other in names.get(name, []) if other in parts] if name and not alone else []
        best = max(parts, key=lambda other: parts[other])
        if alike:
            best = max(alike, key=lambda other: parts[other])
        why = "same name" if alike else "the same thread" if alone and best == row else "most functions shared"
        found.append(Proposal(Chosen(0, row), Chosen(len(traces) - 1, best), parts[best], why))
    calls = np.diff(upper.threads.ptr), np.diff(lower.threads.ptr)
    found.sort(key=lambda each: -each.shared * min(calls[0][each.upper.thread], calls[1][each.lower.thread]))
    return tuple(found)
