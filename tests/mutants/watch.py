"""A pytest plugin: limits the processor time of each test, and writes down which one runs and which one failed.

The file named by MUTANTS_LOG gets a line of JSON for each event. A test that takes more than MUTANTS_SECONDS of
processor time ends the process by SIGPROF.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

_LOG = Path(os.environ.get("MUTANTS_LOG", os.devnull))
_SECONDS = float(os.environ.get("MUTANTS_SECONDS", "0"))


def _note(event: str, name: str, reason: str = "") -> None:
    with _LOG.open("a", encoding="utf-8") as file:
        file.write(json.dumps([event, name, reason]) + "\n")


def pytest_runtest_logstart(nodeid: str) -> None:
    """Say which test begins; its limit begins, too."""
    _note("begins", nodeid)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, _SECONDS)


def pytest_runtest_logfinish() -> None:
    """No limit while pytest itself works."""
    signal.setitimer(signal.ITIMER_PROF, 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Say which test failed, in its own part or in its fixtures."""
    if report.failed:
        _note("failed", report.nodeid, _last_line(report))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Say which file cannot be loaded."""
    if report.failed:
        _note("failed", report.nodeid, _last_line(report))


def _last_line(report: pytest.TestReport | pytest.CollectReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    lines = (crash.message if crash is not None else str(report.longrepr)).strip().splitlines()
    return lines[0][:200] if lines else ""
