"""A newcomer's questions, from opening to the answer: make bench-newcomer REPO="git=FOLDER spring=FOLDER django=FOLDER"

Each opens the real window on a checkout of which nothing is kept, on any display, and clicks with real events as soon
as there is something to click on:

git     which complex files changed most, who depends on them?   Findings; Who depends on it? below the first hot spot
spring  which modules form a cycle, through which imports, what is the cheapest cut?   Findings; the first cycle
django  what may this file not use, and which line breaks it?   Rules; the place (a rules file states three layers)

Printed: the seconds from the start of the program to the first picture and to the answer of each click, with the load
of the machine and the processor time until then. A click comes a second after what it is about could be read.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from qtpy.QtCore import QPoint, QSettings, Qt
from qtpy.QtGui import QTextCursor
from qtpy.QtTest import QTest
from qtpy.QtWidgets import QApplication, QTabBar, QTextBrowser, QWidget

STARTED = time.perf_counter()
READ = 1.0  # seconds before each click
PATIENCE = 600.0  # seconds


def main(arguments: list[str]) -> int:
    """Answer one question in this process, or each of several in a process of its own; 1 when one has no answer."""
    if len(arguments) != 1:
        return max(
            (os.spawnv(os.P_WAIT, sys.executable, [sys.executable, __file__, one]) for one in arguments), default=2
        )
    name, _, folder = arguments[0].partition("=")
    with tempfile.TemporaryDirectory() as kept:
        for place in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            os.environ[place] = kept
        return answered(name, Path(folder), Path(kept))


def answered(name: str, folder: Path, kept: Path) -> int:
    """Open the window, and click until the question has its answer."""
    from cbvtool.session import Session
    from cbvtool.view.panels.findings_panel import FindingsPanel
    from cbvtool.view.panels.impact_panel import ImpactPanel
    from cbvtool.view.panels.rules_panel import RulesPanel
    from cbvtool.view.panels.source_panel import SourcePanel
    from cbvtool.view.toolkit.application import application
    from cbvtool.view.toolkit.settings import Settings
    from cbvtool.view.window.main_window import MainWindow

    loop = application()
    window = MainWindow(Session(), Settings(QSettings(str(kept / "settings.ini"), QSettings.Format.IniFormat)))
    window.resize(1440, 900)
    window.show()
    window.open(folder)

    def wait(what: str, ready: Callable[[], bool]) -> None:
        until = time.perf_counter() + PATIENCE
        while not ready():
            loop.processEvents()
            time.sleep(0.005)
            if time.perf_counter() > until:
                raise TimeoutError(what)
        seconds = time.perf_counter() - STARTED
        print(
            f"{name}: {what}: {seconds:.0f} s, load {os.getloadavg()[0]:.0f}, processors {processor_time():.0f} s",
            flush=True,
        )
        until = time.perf_counter() + READ
        while time.perf_counter() < until:
            loop.processEvents()

    findings, rules = window.desk.panel(FindingsPanel), window.desk.panel(RulesPanel)
    canvas, session = window.canvas, window.session
    wait("first picture", lambda: session.is_open and canvas.stage.scene is not None and canvas.stage.is_still)
    if name == "django":
        wait("the violation is counted", lambda: "(" in rules.windowTitle())
        click_tab(window, rules.windowTitle())
        wait("1 click: what it may not use", lambda: rules.is_seen)
        click_link(rules.text, "choices.py:")
        source = window.desk.panel(SourcePanel)
        wait("2 clicks: the line", lambda: source.is_seen and bool(source.view.toPlainText()))
    else:
        click_tab(window, "Findings")
        wanted, text = ("hot-spot", "Who depends on it?") if name == "git" else ("cycle", " packages ")
        wait(f"1 click: the first {wanted}", lambda: any(one.kind == wanted for one in findings.listed))
        click_link(findings.text, text)
        if name == "git":
            impact = window.desk.panel(ImpactPanel)
            wait("2 clicks: its dependants", lambda: impact.answer is not None)
        else:
            wait("2 clicks: the cut in the picture", lambda: session.view.path is not None and canvas.stage.is_still)
    window.grab().save(str(Path(tempfile.gettempdir()) / f"newcomer-{name}.png"))
    window.leave()
    QApplication.processEvents()
    return 0


def processor_time() -> float:
    """Seconds of all processors that this process and its workers have taken so far (Linux)."""
    total, mine = 0.0, {os.getpid()}
    rows = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            rows.append((int(stat.parent.name), stat.read_text().rpartition(")")[2].split()))
        except OSError:
            continue  # it has ended
    for pid, fields in sorted(rows):  # a child has a larger number than its parent
        if pid in mine or int(fields[1]) in mine:
            mine.add(pid)
            total += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return total


def click_tab(window: QWidget, text: str) -> None:
    """A click on the tab of a panel."""
    for tabs in window.findChildren(QTabBar):
        for at in range(tabs.count()):
            if tabs.tabText(at) == text and tabs.isVisible():
                click_at(tabs, tabs.tabRect(at).center())
                return
    raise LookupError(f"there is no tab {text}")


def click_at(widget: QWidget, place: QPoint) -> None:
    """A click with the left button."""
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place)  # type: ignore[call-overload]  # a wrong stub


def click_link(browser: QTextBrowser, text: str) -> None:
    """A click on the first link that says `text`."""
    document = browser.document()
    assert document is not None
    cursor = document.find(text)
    cursor.setPosition(cursor.selectionStart() + 2)
    browser.setTextCursor(cursor)
    browser.ensureCursorVisible()
    at = browser.cursorRect(QTextCursor(cursor)).center()
    viewport = browser.viewport()
    assert viewport is not None
    assert browser.anchorAt(at), text
    click_at(viewport, QPoint(at))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
