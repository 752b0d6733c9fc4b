"""The line of progress that a person sees on a terminal: what it says, and how often."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from types import SimpleNamespace

import pytest

from cbvtool.cli import output


class Terminal(io.StringIO):
    """A standard error that a person looks at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Thirty columns wide."""
    monkeypatch.setenv("COLUMNS", "31")
    return Terminal()


def shown(terminal: Terminal) -> list[str]:
    """The lines that were drawn one over the other; each one fills the width, so that it hides the last one."""
    lines = [line for line in terminal.getvalue().split("\r") if line]
    assert {len(line) for line in lines} <= {30}
    return [line.rstrip() for line in lines]


def at(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    monkeypatch.setattr(output, "time", SimpleNamespace(monotonic=lambda: seconds))


def test_progress_is_drawn_at_most_so_often(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first report at once, then those that come when the time since the last line drawn has passed."""
    monkeypatch.setattr(output, "_REDRAW", 0.25)
    with redirect_stderr(terminal), output.progress() as show:
        for seconds in (10.0, 10.125, 10.25, 10.375, 10.4375, 10.5, 12.0):
            at(monkeypatch, seconds)
            show("Reading", int(1000 * (seconds - 10)), 2000)
    assert shown(terminal) == [
        "Reading 0 of 2,000",
        "Reading 250 of 2,000",
        "Reading 500 of 2,000",
        "Reading 2,000 of 2,000",
        "",
    ]


@pytest.mark.parametrize(
    ("done", "total", "line"),
    [(3, 0, "Reading 3"), (0, 0, "Reading"), (0, 7, "Reading 0 of 7"), (7, 7, "Reading 7 of 7")],
)
def test_what_is_not_known_is_not_said(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, done: int, total: int, line: str
) -> None:
    at(monkeypatch, 10.0)
    with redirect_stderr(terminal), output.progress() as show:
        show("Reading", done, total)
    assert shown(terminal) == [line, ""]


def test_a_long_line_is_cut(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line break would leave the old line standing."""
    at(monkeypatch, 10.0)
    with redirect_stderr(terminal), output.progress() as show:
        show("Reading a\nfolder with a very long name", 1, 2)
    assert shown(terminal)[0].startswith("Reading a")
    assert "\n" not in terminal.getvalue()


def test_the_line_goes_when_the_work_fails(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, 10.0)

    def work() -> None:
        with output.progress() as show:
            show("Reading", 1, 0)
            raise ZeroDivisionError

    with redirect_stderr(terminal), pytest.raises(ZeroDivisionError):
        work()
    assert shown(terminal) == ["Reading 1", ""]
