"""Traces that cbvtool has written: a folder, or a folder of such folders as `trace record --repeat` makes."""

from __future__ import annotations

import re

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.checking import faults
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace
from cbvtool.trace.store.folder import HEADER, is_trace_folder, open_folder

NAME, LABEL = "cbvtool", "cbvtool's own folder"
_NUMBER = re.compile(r"[1-9][0-9]{0,8}")


def sniff(source: TraceSource) -> bool:
    """Whether the folder has a header of ours, or the folder `1` in it does."""
    if HEADER in source.names:
        return is_trace_folder(source.path)
    return "1" in source.names and is_trace_folder(source.path / "1")


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """The trace or profile, or those of all runs by number; the rows of each are checked."""
    if HEADER in source.names:
        folders = [source.path]
    else:
        folders = [source.path / name for name in sorted(filter(_NUMBER.fullmatch, source.names), key=int)]
    parts: list[Part] = []
    for number, folder in enumerate(folders):
        progress("Opening the traces", number, len(folders))
        part = open_folder(folder)
        if isinstance(part, Trace):
            budget.spend(len(part.calls))
            if fault := faults(part):
                raise UnreadableTrace(fault)
        parts.append(part)
    return parts
