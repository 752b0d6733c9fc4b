"""Traces and profiles that cbvtool has written as a folder of Parquet files."""

from __future__ import annotations

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.trace.making.checking import faults
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace
from cbvtool.trace.store.parquet import is_parquet, read_parquet

NAME, LABEL = "parquet", "cbvtool's tables in Parquet"


def sniff(source: TraceSource) -> bool:
    """Whether the folder has the tables."""
    return source.is_folder and is_parquet(source.path)


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """The trace or profile, whose rows are checked."""
    part = read_parquet(source.path, budget, progress)
    if isinstance(part, Trace) and (fault := faults(part)):
        raise UnreadableTrace(fault)
    return [part]
