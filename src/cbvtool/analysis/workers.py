"""Worker processes that start fresh and do not run the main module again."""

from __future__ import annotations

import os
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from types import FrameType
from typing import Any

_SAFE_PATH = "PYTHONSAFEPATH"
_PATIENCE = 0.1  # seconds between two checks of `LoneWorker.wait`
_MASKS = hasattr(signal, "pthread_sigmask")  # not on Windows
_ENDING = {getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)}


class WorkerProcess(SpawnProcess):
    """A spawned process that does not import the main module.

    Workers do not need it, and it may be slow to import. A script that calls `cbvtool.analyze` without
    `if __name__ == "__main__":` would otherwise start itself again and again.
    """

    @staticmethod
    def _Popen(process_obj: Any) -> Any:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            with _no_modules_from_here(), _no_tracker():
                return SpawnProcess._Popen(process_obj)
        finally:
            sys.modules["__main__"] = main


class _WorkerContext(SpawnContext):
    Process = WorkerProcess


def lone_process(target: Callable[..., None], *arguments: object) -> tuple[WorkerProcess, Connection]:
    """A started process that runs `target(connection, *arguments)`, and the other end of that connection.

    For work that may crash or hang: the caller kills and joins the process, and closes the connection.
    """
    context = _WorkerContext()
    here, there = context.Pipe()
    process = context.Process(target=_run_alone, args=(target, there, *arguments), daemon=True)
    with interrupts_held_back():
        process.start()
    there.close()
    return process, here


class LoneWorker:
    """A separate process that does one piece of work after the other; call `end` afterwards.

    Raises OSError if no process can be started, and AssertionError inside a worker, which may not start processes.
    """

    def __init__(self) -> None:
        self._process, self._connection = lone_process(_serve)

    def begin(self, work: Callable[..., object], *arguments: object) -> None:
        """Let the process call `work(*arguments)`. Raises OSError if the process has ended."""
        self._connection.send((work, arguments))

    def wait(self, look: Callable[[], object]) -> None:
        """Wait until the work is done, calling `look` ten times a second.

        Raises what `look` raises, and EOFError or OSError if the process has ended.
        """
        while not self._connection.poll(_PATIENCE):
            look()
        self._connection.recv()

    def end(self) -> None:
        """Kill the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self._connection.close()


def _serve(connection: Connection) -> None:
    while True:
        work, arguments = connection.recv()
        work(*arguments)
        connection.send(None)


def _run_alone(target: Callable[..., None], connection: Connection, *arguments: object) -> None:
    _start()
    target(connection, *arguments)


@contextmanager
def _no_tracker() -> Iterator[None]:
    """Processes that are started meanwhile get no helper process that looks after shared memory: they share none."""
    before = resource_tracker.getfd
    nothing = os.open(os.devnull, os.O_RDONLY)
    resource_tracker.getfd = lambda: nothing
    try:
        yield
    finally:
        resource_tracker.getfd = before
        os.close(nothing)


@contextmanager
def _no_modules_from_here() -> Iterator[None]:
    """Processes that are started meanwhile look for no module in the working directory.

    A Python started with `-c`, as workers are, looks there first: standing in an untrusted repository, it would
    run a file `multiprocessing.py` of it.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Ctrl-C, and other signals that end the program, wait until this is left.

    Processes that are started meanwhile hear none before `_start`. A pool that is interrupted while it starts cannot be
    closed, and a Python that is just loading ends noisily.
    """
    came: list[tuple[int, FrameType | None]] = []
    main = threading.current_thread() is threading.main_thread()  # only there Python handles signals
    handlers = {
        number: signal.signal(number, lambda *arguments: came.append(arguments))
        for number in _ENDING
        if main and callable(signal.getsignal(number))
    }
    # What started processes inherit. For this one it is not enough: another thread may get the signal.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING) if _MASKS else None
    try:
        yield
    finally:
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came and callable(handler := handlers[came[0][0]]):
            handler(*came[0])


def _start() -> None:
    """Ctrl-C is the parent's to handle; nobody is left behind when the parent is killed; no crash leaves a file."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if _MASKS:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)
    with suppress(ImportError, OSError, ValueError):
        import resource  # not on Windows

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _end_with_parent_at_once()


def _end_with_parent_at_once() -> None:
    """Have the system end this process with its parent, where it can: no thread runs while a grammar is at work."""
    parent = parent_process()
    with suppress(ImportError, AttributeError, OSError, ValueError):
        import fcntl  # not on Windows

        # Only the parent holds the other end of this pipe; F_SETSIG exists on Linux alone.
        end = parent.sentinel  # type: ignore[union-attr]  # a worker has a parent
        fcntl.fcntl(end, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(end, fcntl.F_SETSIG, signal.SIGKILL)  # type: ignore[attr-defined,unused-ignore]  # as said
        fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_ASYNC)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
