"""Kernels compiled by another process while the window stays free.

Numba's compiler is written in Python: in a thread of this process it would hold the interpreter for seconds, and with
it the window. What the other process compiles it keeps in the cache, from which this one loads it in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock

from cbvtool.analysis.workers import LoneWorker
from cbvtool.extensions import file_of_plugin, import_module
from cbvtool.progress import Progress, checkpoint
from cbvtool.trace.kernels import NotCompiled, UncompiledCall, not_compiled_here, was_tried

COMPILING = "Compiling what draws and reckons, once after the installation"


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
        self._worker: LoneWorker | None = None
        self._lock = Lock()  # threads that this one waits for may ask, too

    def compile(self, call: UncompiledCall) -> None:
        """Have it compiled, or tried. Raises what `progress` raises."""
        with self._lock:
            with suppress(OSError, EOFError, AssertionError):  # there is no process: whoever calls the kernel compiles
                self._worker = self._worker or LoneWorker()
                self._worker.begin(_compile, call, file_of_plugin(call.module))
                self._worker.wait(self._look)
            was_tried(call)

    def _look(self) -> None:
        self._progress(COMPILING, 0, 0)
        checkpoint()

    def close(self) -> None:
        """End the process."""
        if self._worker is not None:
            self._worker.end()


def _compile(call: UncompiledCall, file: str) -> None:
    with suppress(Exception):  # whoever calls the kernel finds out
        getattr(import_module(call.module, file), call.name).compile_for(call.types)
