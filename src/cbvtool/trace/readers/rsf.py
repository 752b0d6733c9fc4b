"""A trace in the Rigi Standard Format, as ExtraVis reads it (Holten et al. 2007, §3.1).

It holds parents and children, and calls with times.

`level PARENT CHILD` or `contain PARENT CHILD` is the hierarchy, `type NODE KIND` what a node is. A line
`call CALLER CALLEE TIME [END [THREAD]]` is a call; the verb may also be `calls`, `invoke` or `invokes`, times are whole
numbers (ns). Without an end, a call ends when its thread's next call shows that it is over: when the caller of that one
stands below it on the stack. That is a reading of the trace, not what was recorded, and is counted as such.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.table import Table
from cbvtool.trace.readers.content import whole_number
from cbvtool.trace.readers.lines import text_lines
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "rsf"
LABEL = "Rigi Standard Format with calls and times"
_WORD = re.compile(r'"([^"\n]*+)"|([^\s"]\S*+)')
_CALLS = {"call", "calls", "invoke", "invokes"}
_CONTAINS = {"level", "contain", "contains"}
_DEEPEST = 200  # containers around a node that are named
INFERRED = "calls whose end is not recorded: it is where the next call shows that they are over"
IMPLIED = "callers that no call had begun"
DAMAGED = "lines that are not understood"


def sniff(source: TraceSource) -> bool:
    """Text lines of three words and more, one of them a call with a time."""
    if b"\0" in source.head:
        return False
    said = [_words(line) for line in source.head.decode("utf-8", "replace").split("\n")[:-1] or [""]]
    said = [words for words in said if words and not words[0].startswith("#")]
    odd = sum(not 3 <= len(words) <= 6 for words in said)
    return odd * 10 <= len(said) and any(_is_call(words) for words in said)


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One trace. A node's containers are its module; the hierarchy is the table `hierarchy` (node, parent, kind)."""
    made = TraceBuilder(NAME, budget)
    parents: dict[str, str] = {}
    kinds: dict[str, str] = {}
    calls: list[tuple[str, str, int, int | None, int]] = []
    for number, line in enumerate(text_lines(source, budget, progress)):
        if not number % 4096:
            budget.spend(count=4096, size=4096 * 200)
        words = _words(line)
        if not words or words[0].startswith("#"):
            continue
        if words == ["."]:
            break
        verb = words[0].lower()
        if _is_call(words):
            times = [whole_number(word) for word in words[3:6]]
            if times[0] is None or None in times:
                made.omissions[DAMAGED] += 1
                continue
            numbers = [time for time in times if time is not None]
            end = numbers[1] if len(numbers) > 1 else None
            calls.append((words[1], words[2], numbers[0], end, numbers[2] if len(numbers) > 2 else 0))
        elif len(words) < 3:
            made.omissions[DAMAGED] += 1
        elif verb in _CONTAINS:
            parents.setdefault(words[2], words[1])
        elif verb == "type":
            kinds[words[1]] = words[2]
        else:
            made.omissions[f"relations `{verb[:40]}`"] += 1
    if not calls:
        raise UnreadableTrace("it has no call with a time")
    _add_calls(made, calls, parents)
    built = made.build()
    nodes = sorted({*parents, *parents.values(), *kinds})
    columns = (nodes, [parents.get(node, "") for node in nodes], [kinds.get(node, "") for node in nodes])
    texts = [np.array([made.pool.number(text) for text in column], np.uint32) for column in columns]
    hierarchy = Table(dict(zip(("node", "parent", "kind"), texts, strict=True)))
    return [made.trace(built, {"hierarchy": hierarchy})]


def _words(line: str) -> list[str]:
    if '"' in line:
        return [word[1] if word[2] is None else word[2] for word in _WORD.finditer(line)]
    return line.split()


def _is_call(words: list[str]) -> bool:
    return 4 <= len(words) <= 6 and words[0].lower() in _CALLS and whole_number(words[3]) is not None


def _add_calls(made: TraceBuilder, calls: list[tuple[str, str, int, int | None, int]], parents: dict[str, str]) -> None:
    """Spans where the end is known; begins and ends by a stack of nodes where it is not.

    A caller that is not running gets a call around all that it calls until another one of its kind begins.
    """
    calls.sort(key=lambda call: call[2])
    functions: dict[str, int] = {}
    stacks: dict[int, list[str]] = {}
    standing: Counter[tuple[int, str]] = Counter()  # how often a node is on the stack of a thread

    def function(node: str) -> int:
        if node not in functions:
            functions[node] = made.function(node, _module(node, parents))
        return functions[node]

    open_spans: dict[int, list[tuple[str, int]]] = {}
    spans: list[list[int]] = []  # thread, function, start, end
    implied: dict[int, tuple[str, list[int]]] = {}  # of each thread: a caller that no call began, and its span so far
    for caller, callee, start, end, thread in calls:
        row = made.thread(0, thread)
        if end is not None:
            around = open_spans.setdefault(thread, [])
            while around and around[-1][1] <= start and around[-1] != (caller, start):
                around.pop()
            if not any(node == caller for node, _ in around):
                around.clear()
                if thread not in implied or implied[thread][0] != caller:
                    made.repairs[IMPLIED] += 1
                    implied[thread] = caller, [row, function(caller), start, end]
                    spans.append(implied[thread][1])
                implied[thread][1][3] = max(implied[thread][1][3], end)
            around.append((callee, end))
            spans.append([row, function(callee), start, end])
            continue
        made.repairs[INFERRED] += 1
        stack = stacks.setdefault(thread, [])
        known = standing[thread, caller] > 0
        while stack and stack[-1] != caller:
            standing[thread, stack[-1]] -= 1
            made.end(row, start, function(stack.pop()))
        if not known:
            made.repairs[IMPLIED] += 1
        for node in (callee,) if known else (caller, callee):
            made.begin(row, function(node), start)
            stack.append(node)
            standing[thread, node] += 1
    for one in spans:
        made.span(*one)
    last = calls[-1][2]
    for thread, stack in stacks.items():
        while stack:
            made.end(made.thread(0, thread), last, function(stack.pop()))


def _module(node: str, parents: dict[str, str]) -> str:
    """The containers of a node, outermost first. A hierarchy that bites its tail is cut."""
    path: list[str] = []
    seen = {node}
    while (node := parents.get(node, "")) and node not in seen and len(path) < _DEEPEST:
        seen.add(node)
        path.append(node)
    return "/".join(reversed(path))
