"""Kernels compiled by another process while the window stays free.

Numba's compiler is written in Python: in a thread of this process it would hold the interpreter for seconds, and with
it the window. What the other process compiles it keeps in the cache, from which this one loads it in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any

from cbvtool.analysis.workers import lone_process
from cbvtool.extensions import file_of_plugin, import_module
from cbvtool.progress import Progress, checkpoint
from cbvtool.trace.kernels import NotCompiled, UncompiledCall, not_compiled_here, was_tried

COMPILING = "Compiling what draws and reckons, once after the installation"
_PATIENCE = 0.1  # seconds between two looks whether the user cancels


@contextmanager
def compiled_elsewhere(progress: Progress) -> Iterator[None]:
    """Within this, kernels that this thread calls are compiled by another process, for which it waits.

    Raises what `progress` raises. Where no process can be started, the kernels are compiled here.
    """
    compiler = _Compiler(progress)
    try:
        with not_compiled_here(lambda missing: compiler.compile(missing.call)):
            yield
    finally:
        compiler.close()


@contextmanager
def nothing_compiled() -> Iterator[None]:
    """Within this, a kernel that were to be compiled raises `NotCompiled`: for the thread of the window."""

    def refuse(missing: NotCompiled) -> None:
        raise missing

    with not_compiled_here(refuse):
        yield


class _Compiler:
    """Another process that compiles kernels, started for the first of them."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._other: tuple[Any, Any] | None = None  # process, connection to it
        self._lock = Lock()  # threads that this one waits for may ask, too

    def compile(self, call: UncompiledCall) -> None:
        """Have it compiled, or tried. Raises what `progress` raises."""
        with (
            self._lock,
            suppress(OSError, EOFError, AssertionError),
        ):  # the last one: a worker process may have no workers
            if self._other is None:
                self._other = lone_process(_serve)
            _, connection = self._other
            connection.send((call, file_of_plugin(call.module)))
            while not connection.poll(_PATIENCE):
                self._progress(COMPILING, 0, 0)
                checkpoint()
            connection.recv()
        was_tried(call)

    def close(self) -> None:
        """End the process."""
        if self._other is not None:
            process, connection = self._other
            process.kill()
            process.join()
            connection.close()
        self._other = None


def _serve(connection: Any) -> None:
    while True:
        call, file = connection.recv()
        with suppress(Exception):  # whoever calls the kernel finds out
            getattr(import_module(call.module, file), call.name).compile_for(call.types)
        connection.send(True)
