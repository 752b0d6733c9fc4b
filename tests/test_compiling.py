"""Compiled loops are made by another process while the window goes on (the event loop is never held)."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import pytest

from cbvtool.analysis.workers import LoneWorker
from cbvtool.compiling import compiled_elsewhere, nothing_compiled
from cbvtool.errors import Cancelled
from cbvtool.progress import silent
from cbvtool.trace.kernels import NotCompiled, as_here, have_compiled
from tests.uncompiled import Uncompiled
from tests.uncompiled import sums as sums


def test_a_window_is_told_and_another_process_compiles(sums: Uncompiled) -> None:
    """The thread of the window gets `NotCompiled`, which no plugin takes for a fault; afterwards it loads the code."""
    with nothing_compiled():
        with pytest.raises(NotCompiled) as missing:
            sums.module.two_more(3)
        assert not isinstance(missing.value, Exception)
        with compiled_elsewhere(silent):
            have_compiled(missing.value)
        assert sums.module.two_more(3) == 5
    with compiled_elsewhere(silent):
        assert as_here(sums.module.two_more)(0.5) == 2.5  # of another type
    assert not sums.made_here
    assert sums.module.one_more(1) == 2  # outside it is compiled where it is called


def test_what_cannot_be_compiled_fails_where_it_is_called(sums: Uncompiled) -> None:
    """The other process keeps silent; the reason is Numba's."""
    with compiled_elsewhere(silent), pytest.raises(numba.TypingError, match="no_such_attribute"):
        sums.module.no_code(1)


def test_waiting_for_it_can_be_cancelled(sums: Uncompiled) -> None:
    """`progress` is asked while the other process works; it is ended, and the loop is left for the next time."""

    def stop(*_told: object) -> None:
        raise Cancelled

    with pytest.raises(Cancelled), compiled_elsewhere(stop):
        sums.module.two_more(3)
    with nothing_compiled(), pytest.raises(NotCompiled):
        sums.module.two_more(3)


def test_where_no_process_starts_it_is_compiled_here(sums: Uncompiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker process may have no workers of its own; a system may be out of processes."""

    def refuse(*_arguments: object) -> None:
        raise OSError

    monkeypatch.setattr("cbvtool.analysis.workers.lone_process", refuse)
    with compiled_elsewhere(silent):
        assert sums.module.two_more(3) == 5
    assert sums.made_here == ["two_more", "one_more"]


def test_with_another_numba_kernels_are_compiled_where_they_are_called(sums: Uncompiled) -> None:
    """What is asked has no public name in Numba, and may go away."""
    sums.module.one_more._ask_first(object())
    with nothing_compiled(), pytest.raises(NotCompiled):
        sums.module.one_more(3)


def test_two_jobs_take_turns_and_compile_a_loop_once(sums: Uncompiled, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two processes that keep code of one loop at once would lose one of Numba's entries."""
    asked, work = list[str](), LoneWorker.begin

    def begin(worker: LoneWorker, function: Callable[..., object], *arguments: Any) -> None:
        asked.append(arguments[0].name)
        work(worker, function, *arguments)

    monkeypatch.setattr(LoneWorker, "begin", begin)

    def job(value: float) -> float:
        with compiled_elsewhere(silent):
            return sums.module.one_more(value)

    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(job, (1, 2, 0.5))) == [2, 3, 1.5]
    assert (asked, sums.made_here) == (["one_more"] * 2, [])
