"""Reader of the Chrome Trace Event format, which Chromium, viztracer, uftrace, Hermes, Perfetto and many others write.

"Trace Event Format", Google: object or array of events, packed or not, ended or not. What it says of time stays exact.
"""

from __future__ import annotations

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.readers.chrome.content import documents
from cbvtool.trace.readers.chrome.first_use import compile_kernels
from cbvtool.trace.readers.chrome.parts import trace_of
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "chrome"
LABEL = "Chrome Trace Event (JSON)"


def sniff(source: TraceSource) -> bool:
    """Whether the content is JSON with trace events."""
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not head.startswith((b"[", b"{")):
        return False
    return b'"traceEvents"' in head or b'"ph"' in head


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """The traces in it. Raises UnreadableTrace, OverBudget, Cancelled."""
    compile_kernels(progress)
    traces: list[Part] = []
    for document in documents(source, budget, progress):
        trace = trace_of(document, budget)
        if trace is not None:
            traces.append(trace)
    if not traces:
        raise UnreadableTrace("there are no trace events in it")
    return traces
