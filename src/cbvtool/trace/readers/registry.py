"""The readers, and the reading of a file whose format nobody names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from cbvtool.budget import Budget
from cbvtool.errors import InputError
from cbvtool.progress import Progress, silent
from cbvtool.trace.readers import (
    caliper,
    callgrind,
    chrome,
    gprof,
    hpctoolkit,
    kieker,
    parquet_folder,
    pstats,
    recording,
    rsf,
    speedscope,
    stored,
)
from cbvtool.trace.readers.paje import dump as pj_dump
from cbvtool.trace.readers.paje import trace_file as paje
from cbvtool.trace.readers.reader import Part, TraceReader
from cbvtool.trace.readers.sampled import collapsed, perf_script, v8_cpu_profile
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace
from cbvtool.trace.readers.uftrace import reader as uftrace

# In the order in which they are asked: the ones with the surest marks first.
READERS: Sequence[TraceReader] = (
    stored,
    recording,
    parquet_folder,
    uftrace,
    kieker,
    hpctoolkit,
    caliper,
    pstats,
    speedscope,
    v8_cpu_profile,
    chrome,
    paje,
    pj_dump,
    callgrind,
    gprof,
    perf_script,
    rsf,
    collapsed,
)

_of_plugins: tuple[TraceReader, ...] = ()  # asked after all others

MOST_EVENTS = 200_000_000
MOST_SECONDS = 3_600.0


def read_traces(path: Path, progress: Progress = silent, budget: Budget | None = None) -> list[Part]:
    """The traces and profiles in a file or folder. Raises InputError in one sentence, and Cancelled."""
    budget = budget or Budget(f"Reading {path.name}", seconds=MOST_SECONDS, count=MOST_EVENTS, things="events")
    source = TraceSource(path)
    try:
        reader = reader_of(source)
        if reader is None:
            raise InputError(f"{path} is in no format of traces that cbvtool reads; `cbvtool trace --help` lists them.")
        return reader.read(source, budget, progress)
    except UnreadableTrace as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error


def reader_of(source: TraceSource) -> TraceReader | None:
    """The first reader that knows the content."""
    return next((reader for reader in (*READERS, *_of_plugins) if reader.sniff(source)), None)


def use_readers(readers: Iterable[TraceReader]) -> None:
    """Ask these readers, which are those of plugins, where no built-in one knows the content; for the whole process."""
    global _of_plugins
    _of_plugins = tuple(readers)
