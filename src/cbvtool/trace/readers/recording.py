"""Read what `cbvtool trace record` writes: a folder with a file for each thread."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from cbvtool.budget import Budget
from cbvtool.progress import Progress
from cbvtool.regular_file import Unreadable, read_beginning
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.reader import Part
from cbvtool.trace.readers.recorded.calls import last_calls, recorded_calls
from cbvtool.trace.readers.recorded.processes import RecordedProcess, processes_of
from cbvtool.trace.readers.recorded.tables import with_tables
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

NAME = "recording"
LABEL = "Recording of cbvtool"
HEADER = "recording.json"
_MOST_HEADER = 1_000_000  # bytes


def sniff(source: TraceSource) -> bool:
    """Whether it is the folder of a recording, or of repeated ones."""
    if not source.is_folder:
        return False
    return HEADER in source.names or (source.path / "1" / HEADER).is_file()


def read(source: TraceSource, budget: Budget, progress: Progress) -> list[Part]:
    """One trace for each run. Raises UnreadableTrace where no process left anything."""
    if HEADER in source.names:
        return [_read_run(source.path, budget, progress)]
    runs = sorted((name for name in source.names if name.isdecimal() and len(name) < 10), key=int)
    return [_read_run(source.path / name, budget, progress) for name in runs if (source.path / name / HEADER).is_file()]


def _read_run(folder: Path, budget: Budget, progress: Progress) -> Trace:
    builder = TraceBuilder(NAME, budget)
    about = _header(folder)
    processes = processes_of(folder, builder, budget)
    if not processes:
        raise UnreadableTrace("no process was recorded into it")
    _describe(builder, about, processes)
    threads = [(process, thread) for process in processes for thread in process.threads.values() if thread.files]
    made, extras = recorded_calls(threads, processes, builder, budget, progress)
    seconds = about.get("last")
    if isinstance(seconds, int | float) and 0 < seconds < 1e9 and len(made.calls):
        made, extras = last_calls(made, extras, int(seconds * 1e9), builder)
    places = {process.stem: place for place, process in enumerate(processes)}
    numbers = np.array([(places[process.stem], thread.number) for process, thread in threads], np.int64).reshape(-1, 2)
    return with_tables(builder, processes, made, extras, numbers, about.get("sampled") is True)


def _header(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_beginning(str(folder / HEADER), _MOST_HEADER))
    except (Unreadable, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _describe(builder: TraceBuilder, about: Mapping[str, Any], processes: list[RecordedProcess]) -> None:
    first = processes[0]
    arguments = about.get("arguments")
    parameters = {
        name: str(about[name])
        for name in ("last", "limit", "sample")
        if isinstance(about.get(name), int | float) and about[name]
    }
    if first.cost:
        parameters["overhead_ns_per_call"] = str(first.cost)
    builder.describe(
        program=str(about.get("program") or ""),
        arguments=tuple(map(str, arguments)) if isinstance(arguments, list) else (),
        commit=str(about.get("commit") or ""),
        dirty=about["dirty"] if isinstance(about.get("dirty"), bool) else None,
        hash_seed=str(about.get("hash_seed") or ""),
        run=about["run"] if type(about.get("run")) is int else 0,
        machine=str(about.get("machine") or ""),
        clock="monotonic",
        began=first.unix,
        recorder=f"cbvtool recorder, Python {first.python}",
        parameters=parameters,
    )
