"""Work on a thread of its own that the caller's can stop, wherever its Python code is."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from cbvtool.analysis.cost import cost_of
from cbvtool.analysis.limits import MEMORY, too_long, too_much_memory

_TICK = 0.1  # seconds between two looks
_AGAIN = 0.2  # and between two attempts to stop it
_GRACE = 2.0  # seconds after which work that does not stop (in one long call of C) is left to itself
_UNWATCHED = 1.0  # seconds before anybody looks how much memory it takes
_T = TypeVar("_T")


class TooMuch(Exception):
    """The work was stopped: it exceeded a limit. The text is the reason."""


class _Stop(SystemExit):
    """Ends a thread without a word, wherever its Python code is."""


def attended(work: Callable[[], _T], attend: Callable[[], object], seconds: float) -> _T:
    """What `work` returns or raises; it runs on another thread, and touches nothing that has to be left in order.

    attend   called on this thread every tenth of a second; what it raises ends the work
    seconds  of processor time that it may take; raises `TooMuch` for more, and for too much memory
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
    """Raise `_Stop` in the thread until it has ended, or has heard it."""
    import ctypes  # seldom needed

    deadline = time.monotonic() + _GRACE
    while thread.is_alive() and time.monotonic() < deadline:
        assert thread.ident is not None
        if not stopped.is_set():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(_Stop))
        thread.join(_AGAIN)


def _spent(thread: threading.Thread, began: float) -> float:
    """Seconds of processor time that a thread has taken; where the system does not tell, those since it began."""
    try:
        assert thread.ident is not None
        return time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    except (AttributeError, OSError):  # OSError: it has ended
        return time.monotonic() - began
