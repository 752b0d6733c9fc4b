"""Runs work on a thread of its own, which the calling thread can stop anywhere in its Python code."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from cbvtool.analysis.cost import cost_of
from cbvtool.analysis.limits import MEMORY, too_long, too_much_memory

_TICK = 0.1  # seconds between two checks
_AGAIN = 0.2  # seconds between two attempts to stop the thread
_GRACE = 2.0  # seconds after which a thread that does not stop (in one long C call) is abandoned
_UNWATCHED = 1.0  # seconds before memory is checked for the first time
_T = TypeVar("_T")


class TooMuch(Exception):
    """The work was stopped: it exceeded a limit. The text is the reason."""


class _Stop(SystemExit):
    """Ends a thread silently, anywhere in its Python code."""


def attended(work: Callable[[], _T], attend: Callable[[], object], seconds: float) -> _T:
    """The result of `work`, which runs on another thread; its exceptions are raised here, too.

    `work` may be stopped anywhere in its Python code, so it must not change state that has to stay consistent.

    attend   called on this thread every tenth of a second; an exception from it ends the work
    seconds  limit of processor time. Raises `TooMuch` if the work exceeds it, or takes too much memory
    """
    outcome: list[tuple[bool, object]] = []
    stopped = threading.Event()

    def run() -> None:
        with suppress(_Stop):
            try:
                outcome.append((True, work()))
            except _Stop:
                stopped.set()
            except BaseException as error:
                outcome.append((False, error))

    thread = threading.Thread(target=run, name="resolving", daemon=True)
    began, first = time.monotonic(), 0
    thread.start()
    try:
        while True:
            thread.join(_TICK)
            if not thread.is_alive():
                break
            attend()
            if _spent(thread, began) > seconds:
                raise TooMuch(too_long(seconds))
            if time.monotonic() - began > _UNWATCHED:
                cost = cost_of(os.getpid())
                memory = cost.memory if cost else 0
                first = first or memory
                if memory - first > MEMORY:
                    raise TooMuch(too_much_memory())
    except BaseException:
        _end(thread, stopped)
        raise
    (well, result), *_ = outcome
    if well:
        return result  # type: ignore[return-value]  # of `call`, since it went well
    assert isinstance(result, BaseException)
    raise result


def _end(thread: threading.Thread, stopped: threading.Event) -> None:
    """Raise `_Stop` in the thread until the thread has ended, or the work has noticed it."""
    import ctypes  # seldom needed

    deadline = time.monotonic() + _GRACE
    while thread.is_alive() and time.monotonic() < deadline:
        assert thread.ident is not None
        if not stopped.is_set():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_Stop))
        thread.join(_AGAIN)


def _spent(thread: threading.Thread, began: float) -> float:
    """Seconds of processor time of a thread; where the system does not report that, the seconds since `began`."""
    try:
        assert thread.ident is not None
        return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    except (AttributeError, OSError):  # OSError: the thread has ended
        return time.monotonic() - began
