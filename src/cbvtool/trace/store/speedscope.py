"""A trace or profile as a file of speedscope (https://www.speedscope.app); what it cannot say is counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

import numpy as np

from cbvtool.errors import InputError
from cbvtool.progress import Progress, silent
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Functions, Trace

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = {"ns": "nanoseconds", "bytes": "bytes"}
_ROWS = 4096
_MOST_FRAMES = 50_000_000  # of all stacks: each is written whole


def speedscope(part: Trace | Profile, lost: Counter[str], progress: Progress = silent) -> Iterator[bytes]:
    """The text, piece by piece; `lost` is told how much the format cannot say, by kind.

    A thread of a trace is an evented profile, its times ns since the begin of the trace: numbers that JavaScript keeps.
    A metric of a profile is a sampled one: a stack and its value for each node.
    """
    yield f'{{"$schema":"{_SCHEMA}","exporter":"cbvtool","name":{json.dumps(part.header.program)},\n'.encode()
    yield b'"shared":{"frames":[\n'
    yield ",\n".join(_frames(part.functions)).encode()
    yield b']},\n"profiles":[\n'
    if isinstance(part, Trace):
        yield from _threads(part, lost, progress)
    else:
        yield from _metrics(part, lost, progress)
    yield b"]}\n"


def _frames(functions: Functions) -> Iterator[str]:
    for name, file, line in zip(functions.name, functions.file, functions.line.tolist(), strict=True):
        frame: dict[str, str | int] = {"name": name}
        if file:
            frame["file"] = file
        if line:
            frame["line"] = line
        yield json.dumps(frame, separators=(",", ":"))


def _threads(trace: Trace, lost: Counter[str], progress: Progress) -> Iterator[bytes]:
    for name, table in trace.tables.items():
        if len(table):
            lost[f"rows of {name}"] += len(table)
    if len(trace.open_rows):
        lost["open calls, which end with their thread there"] += len(trace.open_rows)
    if trace.calls.cpu is not None:
        lost["CPU times of calls"] += int((trace.calls.cpu >= 0).sum())
    if modules := sum(map(bool, trace.functions.module)):
        lost["modules of functions"] += modules
    if sampled := int(trace.threads.sampled.sum()):
        lost["threads whose calls come from samples, which look like calls there"] += sampled
    begin = trace.span[0]
    threads, done = trace.threads, 0
    for thread in range(len(threads)):
        name = threads.name[thread] or f"{int(threads.process[thread])}:{int(threads.id[thread])}"
        first, last = int(threads.first[thread]) - begin, int(threads.last[thread]) - begin
        yield (
            f'{"," if thread else ""}{{"type":"evented","name":{json.dumps(name)},"unit":"nanoseconds",'
            f'"startValue":{first},"endValue":{last},"events":[\n'
        ).encode()
        separator = ""
        for lines in _changes(trace, thread, begin):
            progress("Writing the trace: calls", done, len(trace.calls))
            yield (separator + ",\n".join(lines)).encode()
            separator, done = ",\n", done + len(lines) // 2
        yield b"]}\n"


def _changes(trace: Trace, thread: int, begin: int) -> Iterator[list[str]]:
    """Opened and closed frames of a thread, some thousands at a time."""
    calls, low, high = trace.calls, int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1])
    above: list[tuple[int, str]] = []
    for at in range(low, high, _ROWS):
        block = slice(at, min(at + _ROWS, high))
        columns = (calls.function[block], calls.start[block], calls.end[block], calls.end_row[block])
        lines = []
        for row, (function, start, end, end_row) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True), at
        ):
            while above and above[-1][0] <= row:
                lines.append(above.pop()[1])
            lines.append(f'{{"type":"O","frame":{function},"at":{start - begin}}}')
            above.append((end_row, f'{{"type":"C","frame":{function},"at":{end - begin}}}'))
        yield lines
    if above:
        yield [closed for _, closed in reversed(above)]


def _metrics(profile: Profile, lost: Counter[str], progress: Progress) -> Iterator[bytes]:
    alone = [metric for metric in profile.metrics if not metric.inclusive]
    if left := len(profile.metrics) - len(alone):
        lost["inclusive metrics"] += left
    if not alone:
        raise InputError("The profile has no metric without the values of callees, and speedscope shows no other.")
    heights = [0] * len(profile)
    for row, parent in enumerate(profile.parent.tolist()):
        heights[row] = heights[parent] + 1 if parent >= 0 else 1
    if sum(heights) > _MOST_FRAMES:
        raise InputError(f"The profile is too deep for speedscope: its stacks have {sum(heights):,} frames in all.")
    for number, metric in enumerate(alone):
        progress("Writing the profile: metrics", number, len(alone))
        rows = np.flatnonzero(~np.isnan(metric.mean) & (metric.mean > 0)).tolist()
        weights = [float(metric.mean[row]) for row in rows]
        if missing := len(profile) - len(rows):
            lost["nodes without a value above 0"] += missing
        if metric.by_place is not None:
            lost["values by rank and thread, of which the mean is written"] += metric.by_place.size
        said = {
            "type": "sampled",
            "name": metric.name,
            "unit": _UNITS.get(metric.unit, "none"),
            "startValue": 0,
            "endValue": sum(weights),
            "samples": [_stack(profile, row) for row in rows],
            "weights": weights,
        }
        yield (("," if number else "") + json.dumps(said, separators=(",", ":")) + "\n").encode()


def _stack(profile: Profile, row: int) -> list[int]:
    """The functions from the root to a node."""
    found = []
    while row >= 0:
        found.append(int(profile.function[row]))
        row = int(profile.parent[row])
    return found[::-1]
