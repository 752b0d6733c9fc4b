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
from cbvtool.trace.kernels import NotCompiled, UncompiledCall, is_tried, not_compiled_here, note_tried

COMPILING = "Compiling what draws and reckons, once after the installation"
_PATIENCE = 0.1  # seconds between two looks whether the user cancels
# One process at a time: of two that keep code of one kernel for different types at once, Numba's index would lose one.
_turn = Lock()


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

    def compile(self, call: UncompiledCall) -> None:
        """Have it compiled, or tried. Raises what `progress` raises."""
        while not _turn.acquire(timeout=_PATIENCE):
            self._look()
        try:
            if is_tried(call):  # by another job, while this one waited
                return
            with suppress(OSError, EOFError, AssertionError):  # there is no process: whoever calls the kernel compiles
                self._worker = self._worker or LoneWorker()
                self._worker.begin(_compile, call, file_of_plugin(call.module))
                self._worker.wait(self._look)
            note_tried(call)
        finally:
            _turn.release()

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
