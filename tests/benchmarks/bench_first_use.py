"""The first use of views after an installation: make bench-first-use TRACE=...

With an empty cache of compiled code, each recording is opened in a window, and each view of a single recording on it:
seconds until that is shown and nothing runs, loops that the window's own process compiled, and the longest time between
two rounds of the event loop, by the clock and by processor time of the window's thread (see bench_loop).
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numba
from numba.core import dispatcher
from qtpy.QtWidgets import QApplication

from cbvtool.extensions import discover
from cbvtool.session import Session
from cbvtool.view.window.main_window import MainWindow
from tests.benchmarks.bench_loop import Rounds

ROOT = Path(__file__).parents[2]
PATIENCE = 600.0  # seconds


def newly_installed(folder: str) -> None:
    """Nothing was compiled for this process, or set by a user."""
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = f"{folder}/{name.lower()}"
    os.environ["NUMBA_CACHE_DIR"] = f"{folder}/compiled"
    numba.config.reload_config()


def noted_compiling() -> list[str]:
    """Grows by the name of each loop that this process compiles."""
    compiler: Any = vars(dispatcher)["_FunctionCompiler"]
    compile_here, names = compiler.compile, list[str]()

    def noted(self: Any, *arguments: Any) -> Any:
        names.append(self.py_func.__name__)
        return compile_here(self, *arguments)

    compiler.compile = noted
    return names


class Watch:
    """Prints a row for each thing that is done."""

    def __init__(self, application: QApplication) -> None:
        self._application, self._rounds, self._compiled = application, Rounds(), noted_compiling()

    def until(self, what: str, act: Callable[[], object], ready: Callable[[], bool]) -> None:
        self._rounds.times.clear()
        self._compiled.clear()
        began = time.perf_counter()
        act()
        quiet = 0
        while quiet < 100 and time.perf_counter() - began < PATIENCE:
            self._application.processEvents()
            time.sleep(0.001)
            quiet = quiet + 1 if ready() else 0
        took = time.perf_counter() - began
        processor, clock = (1000 * max(column) for column in zip(*self._rounds.times, strict=True))
        print(f"| {what} | {took:.1f} | {len(self._compiled)} | {clock:.0f} | {processor:.0f} |", flush=True)

    def end(self) -> None:
        self._rounds.over.set()


def open_recording(window: MainWindow, path: Path) -> None:
    """As `cbvtool open --trace` does, or beside what is open."""
    if window.session.is_open:
        window.tracing.open_file(path)
    else:
        window.tracing.open_next(path)
        window.opening.open_trace(path)


def main(paths: list[Path]) -> None:
    """Print a table."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    registry, _ = discover([ROOT / "plugins"], [])
    window = MainWindow(Session(registry.metrics))
    window.offer_plugins(registry)
    window.resize(1280, 800)
    window.show()
    watch = Watch(application)
    print("| | seconds | compiled here | longest wait, ms by the clock | of the processor |")
    print("| --- | ---: | ---: | ---: | ---: |")
    traces, docks = window.session.traces, window.plugin_docks
    for number, path in enumerate(paths, 1):

        def opened(number: int = number) -> bool:
            return len(traces.opened) >= number and not window.jobs.running

        watch.until(path.name, partial(open_recording, window, path), opened)
        for name, view in registry.views.items():
            if [(each.kind, each.least) for each in view.takes] != [("trace", 1)]:
                continue

            def shown() -> bool:
                return not window.jobs.running and all(dock.panel.prepared for dock in docks.docks.values())

            watch.until(f"{path.name}: {view.label}", partial(docks.open, name), shown)
            for dock in [*docks.docks.values()]:
                dock.close()
    watch.end()
    window.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="cbvtool-first-use-") as folder:
        newly_installed(folder)
        main([Path(argument) for argument in sys.argv[1:]])
