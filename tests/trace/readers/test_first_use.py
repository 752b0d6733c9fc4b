"""The first import after an installation (TR-1): other processes compile, into a cache or for nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cbvtool.analysis import workers
from cbvtool.errors import Cancelled
from cbvtool.trace.readers.chrome import first_use
from cbvtool.trace.readers.chrome.scan import scan

_EVENTS = ",".join(
    [
        '{"ph":"X","pid":1,"tid":1,"ts":2,"dur":1,"name":"a"}',
        '{"ph":"X","pid":1,"tid":1,"ts":1,"dur":4,"name":"b"}',
        '{"ph":"B","pid":1,"tid":2,"ts":1,"name":"a"}',
        '{"ph":"E","pid":1,"tid":2,"ts":3,"name":"a"}',
    ]
)
# Reads a trace and prints what this process itself compiled, and the calls.
_READ = """
import sys
from pathlib import Path
from numba.core import event
import numba.core.dispatcher
class Noted(event.Listener):
    def on_start(self, started): print("compiled", started.data["dispatcher"].py_func.__name__)
    def on_end(self, ended): pass
event.register("numba:compile", Noted())
from cbvtool.trace.readers.registry import read_traces
calls = read_traces(Path(sys.argv[1]))[0].calls
print(calls.start.tolist(), calls.end.tolist(), calls.depth.tolist())
"""
_CALLS = "[1000, 2000, 1000] [5000, 3000, 3000] [0, 1, 0]"


def _ran(program: str, folder: Path, *arguments: str) -> list[str]:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-c", program, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.long
def test_an_import_with_an_empty_cache_compiles_nothing_in_its_own_process(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(f"[{_EVENTS}]")
    assert _ran(_READ, tmp_path, str(path)) == [_CALLS]
    kept = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nbc")}
    assert kept
    assert _ran(_READ, tmp_path, str(path)) == [_CALLS]
    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / "cache").rglob("*.nbc")} == kept
    is_missing = ("from cbvtool.trace.readers.chrome.scan import scan; print(scan.missing)", tmp_path)
    assert _ran(*is_missing) == ["False"]
    for index in (tmp_path / "cache").rglob("*.nbi"):
        os.utime(index, (0, 0))  # as after an update of cbvtool
    assert _ran(*is_missing) == ["True"]


def test_without_any_folder_for_a_cache_kernels_are_compiled_all_the_same(tmp_path: Path) -> None:
    program = """
import numba.core.caching, numpy as np
numba.core.caching.CacheImpl._locator_classes = []
from cbvtool.trace.making.matching import sizes_of_ended
size = np.zeros(2, np.uint32)
print(sizes_of_ended(np.array([2, 1]), np.array([3, 4]), size), size.tolist(), sizes_of_ended.missing)
"""
    assert _ran(program, tmp_path) == ["True [1, 2] False"]
    assert not (tmp_path / "cache").exists()


def test_cancel_ends_the_processes_that_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[tuple[Any, Any]] = []
    start = workers.lone_process

    def lone_process(*arguments: Any) -> tuple[Any, Any]:
        started.append(start(*arguments))
        return started[-1]

    def cancel(*_: object) -> None:
        raise Cancelled

    monkeypatch.setattr(workers, "lone_process", lone_process)
    monkeypatch.setattr(type(scan), "missing", True)
    with pytest.raises(Cancelled):
        first_use.compile_kernels(cancel)
    assert len(started) == 2
    assert all(process.exitcode is not None for process, _ in started)


def test_no_process_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(workers, "lone_process", refused)
    monkeypatch.setattr(type(scan), "missing", True)
    first_use.compile_kernels()  # the import compiles then
