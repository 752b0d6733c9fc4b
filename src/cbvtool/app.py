"""The window application: puts session, plugins and window together."""

from __future__ import annotations

import gc
import logging
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cbvtool.errors import InputError

# Set to 1, the process prints the milliseconds from here to the first frame with a scene, and ends. For
# tests/benchmarks/bench_first_frame.py, which measures the whole process from outside.
TIME_FIRST_FRAME = "CBVTOOL_TIME_FIRST_FRAME"

_STARTED = time.perf_counter()


def main(
    path: Path | None = None,
    *,
    trace: Path | None = None,
    compare: str | None = None,
    follow: bool = False,
    verbose: bool = False,
    how: Mapping[str, Any] | None = None,
) -> int:
    """Open the window, with `path` (folder, graph file or plan) in it; returns when it is closed.

    A signal that ends it closes it without a question, and keeps what is not saved; the result is 128 and its number.

    trace  a recording to lay over it, or a folder of many; without `path` the functions of the first are the graph
    compare  a version of `path` to compare it with
    follow   what is saved in it is analysed by itself
    how   arguments for `open_project`, of all that is opened there

    Raises InputError when the window cannot be shown at all.
    """
    logging.basicConfig(level=logging.INFO if verbose else logging.CRITICAL, format="%(name)s: %(message)s")
    from cbvtool.view.toolkit.display import why_no_window

    if reason := why_no_window():
        raise InputError(reason)
    from cbvtool.view.toolkit.application import application, catch_exceptions

    qt = application()
    from cbvtool.extensions import discover
    from cbvtool.session import Session
    from cbvtool.session.traces.files import recordings_of
    from cbvtool.trace.readers.registry import use_readers
    from cbvtool.view.window.leaving import Leaving
    from cbvtool.view.window.main_window import MainWindow

    registry, problems = discover()
    use_readers(registry.readers.values())
    recordings = () if trace is None else recordings_of(trace)
    gc.freeze()  # modules stay: looking through all of them for garbage would stop the window for 40 ms now and then
    window = MainWindow(Session(registry.metrics))
    window.opening.how = how or {}
    window.offer_plugins(registry)
    undo = catch_exceptions(window.desk.say)
    leaving = Leaving(window.leave)
    if os.environ.get(TIME_FIRST_FRAME):
        window.canvas.stage.first_frame.connect(lambda: _report_first_frame(window.close))
    window.show()
    for problem in problems:
        window.desk.say(f"The {problem}")
    if compare is not None:
        window.versions.compare_next(compare)
    if follow:
        window.work_tree.switch()
    if path is not None:
        window.tracing.open_next(*recordings)
        window.open(path)
    elif recordings:
        window.tracing.open_files(recordings)
    try:
        return int(qt.exec_()) or leaving.status
    finally:
        leaving.undo()
        undo()


def _report_first_frame(close: Callable[[], object]) -> None:
    print(f"first frame after {(time.perf_counter() - _STARTED) * 1000:.0f} ms", flush=True)
    close()
