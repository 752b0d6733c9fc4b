"""The text of `perf script`: one sampled trace for each event that was recorded."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.stacks import StackSamples
from cbvtool.trace.readers.lines import head_lines, text_lines
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.sampled.frame_names import frame_name
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "perf-script"
LABEL = "perf script"

# comm, pid/tid or tid, [cpu], flags, time, period, event, the rest: a frame if there is no call chain, or what a
# tracepoint says.
_SAMPLE = re.compile(
    r"(?P<comm>\S.*?)\s+(?:(?P<pid>-?\d+)/)?(?P<tid>-?\d+)\s+(?:\[(?P<cpu>\d+)\]\s+)?(?:[.\w]{4,6}\s+)?"
    r"(?P<seconds>\d+)\.(?P<decimals>\d+):\s+(?:(?P<period>\d+)\s+)?(?P<event>\S+?):(?:\s+(?P<rest>.*))?$"
)
_FRAME = re.compile(r"\s*(?P<ip>[0-9a-fA-F]+)\s+(?P<name>.*?)(?:\s+\((?P<module>[^()]*(?:\([^()]*\))?)\))?\s*$")
_GAP = re.compile(r"\s{3,}")  # no column's width counts, and the patterns above are cubic in a gap
_CLOCKS = ("cpu-clock", "task-clock")  # their periods are ns
_NO_SAMPLE = "lines outside a sample"
_NO_FRAME = "lines of a call chain that are no frame"
_NO_STACK = "samples without a stack"
_MOST_DIGITS = 18  # of seconds and of periods: they fit 64 bits


@dataclass
class _Event:
    """The samples of one event, by row of thread."""

    builder: TraceBuilder
    samples: dict[int, StackSamples] = field(default_factory=dict)


@dataclass
class _Sample:
    event: str
    process: int
    thread: int
    comm: str
    time: int
    period: int
    frames: list[tuple[str, str]] = field(default_factory=list)


def sniff(source: TraceSource) -> bool:
    """Whether one of the first lines is that of a sample, and a frame stands below or behind it."""
    if source.is_folder:
        return False
    lines = [_GAP.sub("  ", line) for line in head_lines(source)[:1000]]
    for number, line in enumerate(lines):
        sample = _SAMPLE.match(line)
        if sample:
            below = lines[number + 1] if number + 1 < len(lines) else ""
            return bool(_FRAME.match(sample["rest"] or "") or (below[:1].isspace() and _FRAME.match(below)))
    return False


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """A trace for each event; its threads are sampled, and named as the last of their samples says.

    A thread without a process is one of process 0: `perf script` prints thread numbers alone unless asked.
    """
    events: dict[str, _Event] = {}
    header: dict[str, str] = {}
    omissions: Counter[str] = Counter()
    sample: _Sample | None = None
    for line in text_lines(source, budget, progress):
        line = _GAP.sub("  ", line)
        if line.startswith("#"):
            name, _, value = line[1:].partition(":")
            if value and len(header) < 100:
                header[name.strip()] = value.strip()
        elif not line.strip():
            _keep(sample, events, omissions, budget)
            sample = None
        elif line[0].isspace() and sample is not None:
            if frame := _frame(line):
                sample.frames.append(frame)
                budget.spend(count=1)
            else:
                omissions[_NO_FRAME] += 1
        else:
            _keep(sample, events, omissions, budget)
            sample = _sample(line.strip())
            if sample is None:
                omissions[_NO_SAMPLE] += 1
    _keep(sample, events, omissions, budget)
    if not events:
        raise UnreadableTrace("no sample in it has a stack")
    traces: list[Part] = []
    for name, event in events.items():
        _describe(event.builder, header, name)
        if not traces:  # what is left out belongs to the file, not to one of its events
            event.builder.omissions.update(omissions)
        for thread, samples in event.samples.items():
            samples.hand_to(event.builder, thread)
        traces.append(event.builder.trace(event.builder.build()))
    return traces


def _sample(line: str) -> _Sample | None:
    found = _SAMPLE.match(line)
    if found is None or max(len(found["seconds"]), len(found["tid"]), len(found["pid"] or "")) > _MOST_DIGITS:
        return None
    decimals = found["decimals"][:9].ljust(9, "0")
    period = found["period"] or "0"
    clock = found["event"].split(":")[0] in _CLOCKS
    frame = _frame(found["rest"] or "")
    return _Sample(
        found["event"],
        int(found["pid"] or 0),
        int(found["tid"]),
        found["comm"],
        int(found["seconds"][-10:]) * 10**9 + int(decimals),
        int(period) if clock and len(period) <= _MOST_DIGITS else 0,
        [frame] if frame else [],
    )


def _frame(line: str) -> tuple[str, str] | None:
    """(name, module) of a frame; an address without a symbol is [unknown] of its file."""
    found = _FRAME.match(line)
    if found is None or not found["name"]:
        return None
    name, package = frame_name(found["name"])
    return name, package or (found["module"] or "")


def _keep(sample: _Sample | None, events: dict[str, _Event], omissions: Counter[str], budget: Budget) -> None:
    if sample is None:
        return
    if not sample.frames:
        omissions[_NO_STACK] += 1
        return
    event = events.get(sample.event)
    if event is None:
        event = events[sample.event] = _Event(TraceBuilder(NAME, budget))
    thread = event.builder.thread(sample.process, sample.thread)
    event.builder.name_thread(thread, sample.comm)
    if sample.process == sample.thread:
        event.builder.name_thread(thread, process_name=sample.comm)
    samples = event.samples.get(thread)
    if samples is None:
        samples = event.samples[thread] = StackSamples(budget)
    functions = [event.builder.function(name, module) for name, module in reversed(sample.frames)]
    samples.add(sample.time, functions, sample.period)


def _describe(builder: TraceBuilder, header: dict[str, str], event: str) -> None:
    command = header.get("cmdline", "")
    builder.describe(
        program=command.split(" ")[0],
        arguments=tuple(command.split(" ")[1:]),
        machine=", ".join(filter(None, (header.get("hostname"), header.get("cpudesc"), header.get("os release")))),
        clock="monotonic",
        recorder=f"perf {header.get('perf version', '')}".strip(),
        parameters={"event": event},
    )
