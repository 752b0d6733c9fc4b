"""What every test is held to: silence. A warning fails it (see pyproject.toml), and so does what stands here:

- an error or warning of VTK,
- a window, a thread or a child process that is still there when the test is over,
- another current folder than before.

And no test reads or writes the settings of whoever runs it. tests/test_guards.py trips each of these guards.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import importlib.util
import itertools
import logging
import multiprocessing
import os
import re
import shutil
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import none

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot
    from qtpy.QtCore import QThread
    from qtpy.QtWidgets import QWidget

    from cbvtool.plan.history import History
    from cbvtool.project import Project

# The tests run on machines that are busy with other things: no example is too slow. What decides whether a change
# lands (CI) tries the same examples every time; whoever looks for faults with `make properties` gets new ones.
_PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow], "print_blob": True}
settings.register_profile("quick", max_examples=30, derandomize=True, **_PATIENT)
settings.register_profile("brief", max_examples=10, derandomize=True, **_PATIENT)  # on another Python
settings.register_profile("long", max_examples=200, derandomize="CI" in os.environ, **_PATIENT)
# `make histories`: random plans on random graphs, as many as the specification asks for.
settings.register_profile("histories", max_examples=10_000, **_PATIENT)
settings.load_profile("quick")

# What a test finds is found by the test, not by the one before; those of the cache ask for one. Fixtures that live
# longer than a test come before its `own_settings`.
os.environ["CBVTOOL_CACHE"] = ""
# What was compiled once is kept, also where the environment says otherwise: the tests start Python hundreds of times,
# and to compile cbvtool takes longer than most of what they do.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# A shell has what it starts in the background ignore Ctrl-C, and so would all programs that the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The machine may be busy. Who waits for something goes on as soon as it is there, so patience costs nothing.
GRACE = 30.0  # seconds in which a thread or child process that was told to end may do so
PATIENCE = 60_000  # milliseconds for what a window is to do; pytest-qt would wait five seconds
SMALL = (1000, 700)  # pixels of a window, wide and high, whose test does not ask for `large`
SCREEN_ROOMS = {"view", "gui"}  # folders of tests in which VTK and Qt are at work


def pytest_configure(config: pytest.Config) -> None:
    """Say in one sentence what the tests of the window need, before they end the process one after the other."""
    if sys.platform.startswith("linux") and not shutil.which("Xvfb") and not os.environ.get("DISPLAY"):
        pytest.exit("The tests need an X server: install xvfb, xauth, xdotool and openbox, or set DISPLAY.", 2)


@given(none())
def _first_property(nothing: None) -> None:
    """Hypothesis registers the random generators of the process when the first property is tried."""


def pytest_collection_finish() -> None:
    """Freeze what the modules of the tests made: it is here to stay, so nobody need look through it after each test.

    Hypothesis looks for references to random generators when it registers them, and sees none that are frozen.
    """
    _first_property()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def own_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, caches and data of the program, and git's configuration, lie in a folder of the test's own."""
    home = tmp_path_factory.mktemp("home")
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    if "PyQt5.QtCore" in sys.modules:
        # Qt reads XDG_CONFIG_HOME once in a process.
        from qtpy.QtCore import QSettings

        for kind in (QSettings.NativeFormat, QSettings.IniFormat):
            QSettings.setPath(kind, QSettings.UserScope, str(home / "config"))
    return home


@pytest.fixture(scope="session", autouse=True)
def _shaders(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Mesa keeps compiled shaders for the whole session, not in each test's own cache: a third of a first frame.

    And it does not make them faster than they are: that takes longer than to draw the few frames of a test.
    """
    os.environ["MESA_SHADER_CACHE_DIR"] = str(tmp_path_factory.mktemp("shaders"))
    os.environ.setdefault("GALLIVM_PERF", "nopt")


@pytest.fixture(autouse=True)
def _compiled_here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of windows compile in their own threads: one process for each job that finds something would take longer."""
    if _on_screen(request) and "compiled_elsewhere" not in request.fixturenames:
        monkeypatch.setattr(
            "cbvtool.view.toolkit.worker.compiled_elsewhere", lambda _progress: contextlib.nullcontext()
        )


@pytest.fixture
def compiled_elsewhere() -> None:
    """Jobs of windows have kernels compiled by another process, as they do for users."""


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The sample project, with its history; made and analysed once for all tests of windows."""
    from cbvtool.project import open_project
    from cbvtool.view.window.sample import make_sample, sample_script

    script = sample_script()
    assert script is not None
    return open_project(make_sample(tmp_path_factory.mktemp("sample"), script), jobs=1)


@pytest.fixture
def large() -> None:
    """The window is as large as a user's: for tests that need room around the disc, or many names."""


@pytest.fixture
def shrink(request: pytest.FixtureRequest) -> Callable[[QWidget], None]:
    """Makes a window small before it is shown, unless the test asks for `large`.

    OpenGL draws in software: a smooth frame of a window that fills most of the screen takes three times as long.
    """
    return lambda window: None if "large" in request.fixturenames else window.resize(*SMALL)


@pytest.fixture
def qtbot(qtbot: QtBot) -> QtBot:
    """A patient one."""
    for wait in (qtbot.waitUntil, qtbot.waitSignal, qtbot.waitSignals, qtbot.waitExposed, qtbot.waitActive):
        setattr(qtbot, wait.__name__, functools.partial(wait, timeout=PATIENCE))
    return qtbot


@pytest.fixture(autouse=True)
def no_vtk_errors(request: pytest.FixtureRequest) -> Iterator[None]:
    """What VTK has to complain about fails the test. cbvtool writes it to its log; other code may get around that."""
    if _on_screen(request):
        from vtkmodules.vtkCommonCore import vtkLogger

        from cbvtool.drawing.gl import listen_to_vtk

        listen_to_vtk()
        vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_WARNING)  # see pytest_runtest_makereport
    complaints: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: complaints.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger("cbvtool.vtk")
    log.addHandler(handler)
    yield
    log.removeHandler(handler)
    if complaints:
        pytest.fail(f"VTK said: {'; '.join(complaints)}", pytrace=False)


@pytest.fixture(autouse=True)
def no_questions(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message box that waits for an answer fails the test at once. One that answers it asks for `real_boxes`."""
    if not _on_screen(request) or "real_boxes" in request.fixturenames:
        return
    from qtpy.QtWidgets import QMessageBox

    def refuse(box: QMessageBox) -> int:
        pytest.fail(f"a message box waits for an answer: {box.text()}", pytrace=False)

    for name in ("exec", "exec_"):
        monkeypatch.setattr(QMessageBox, name, refuse)


@pytest.fixture
def real_boxes() -> None:
    """Message boxes wait for an answer, which the test gives."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """What VTK's logger wrote past its output window fails the test as well."""
    report = yield
    logged = re.findall(r"(?:ERR|WARN)\|.*", report.capstderr)
    if call.when == "call" and report.passed and logged:
        report.outcome, report.longrepr = "failed", f"VTK logged: {logged[0]}"
    return report


@pytest.fixture
def monkeypatch(same_folder: None, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Is undone before `same_folder` looks where the process is."""
    return monkeypatch


@pytest.fixture(autouse=True)
def same_folder() -> Iterator[None]:
    """The process stays in the folder it works in; `monkeypatch.chdir` goes to another one for the test alone."""
    here = os.getcwd()
    yield
    there = os.getcwd()
    if there != here:
        os.chdir(here)
        pytest.fail(f"went to the folder {there} and stayed there", pytrace=False)


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """No window, thread or child process outlives the test."""
    threads, children, windows = _threads(), _children(), _windows()
    _qt_threads()  # from here on it sees who starts one
    yield
    left = [f"window {window!r}" for window in _left_windows(windows)]
    deadline = time.monotonic() + GRACE
    while True:
        running = [f"thread {thread.name!r}" for thread in _threads() - threads]
        running += [f"child process {pid} ({command})" for pid, command in _children().items() if pid not in children]
        running += _qt_threads() if _on_screen(request) else []
        if not running or time.monotonic() > deadline:
            break
        time.sleep(0.02)
    if left + running:
        pytest.fail(f"left behind: {', '.join(left + running)}", pytrace=False)


def _threads() -> set[threading.Thread]:
    """Python's own threads. Those of Qt leave an entry behind that never ends (a dummy): see `_qt_threads`."""
    return {thread for thread in threading.enumerate() if not isinstance(thread, threading._DummyThread)}


def _on_screen(request: pytest.FixtureRequest) -> bool:
    return not SCREEN_ROOMS.isdisjoint(request.path.parts)


def _windows() -> list[object]:
    """Widgets without a parent, if there is a Qt application at all."""
    if "PyQt5.QtWidgets" not in sys.modules:
        return []
    from qtpy.QtWidgets import QApplication

    return list(QApplication.topLevelWidgets()) if QApplication.instance() is not None else []


def _left_windows(before: list[object]) -> list[object]:
    """Windows that were not there before, once Qt and Python have thrown away what nobody needs; they are deleted."""
    if not _windows():
        return []
    from qtpy.QtCore import QCoreApplication, QEvent

    def new() -> list[object]:
        QCoreApplication.sendPostedEvents(None, QEvent.DeferredDelete)
        return [window for window in _windows() if window not in before]

    if new():
        gc.collect()
    left = new()
    for window in left:
        window.hide()  # to close it could ask whether to save a plan
        window.deleteLater()
    return left


def _qt_threads() -> list[str]:
    """Running QThreads, and work in Qt's own thread pool."""
    if "PyQt5.QtCore" not in sys.modules:
        return []
    from qtpy.QtCore import QThread, QThreadPool

    def runs(thread: QThread) -> bool:
        try:
            return thread.isRunning()
        except RuntimeError:  # its C++ side has been deleted
            return False

    busy = QThreadPool.globalInstance().activeThreadCount()
    return [f"QThread {thread!r}" for thread in _started(QThread) if runs(thread)] + (
        [f"{busy} tasks in Qt's thread pool"] if busy else []
    )


@functools.cache
def _started(kind: type[QThread]) -> weakref.WeakSet[QThread]:
    """The QThreads that anybody starts from now on. To look for them among all objects takes longer than most tests."""
    found: weakref.WeakSet[QThread] = weakref.WeakSet()
    start = kind.start

    def noted(thread: QThread, *arguments: object) -> None:
        found.add(thread)
        start(thread, *arguments)

    kind.start = noted
    return found


def _children() -> dict[int, str]:
    """Process id and command of each child process but multiprocessing's own helpers, which live on by design."""
    found = {child.pid or 0: child.name for child in multiprocessing.active_children()}
    for task in Path("/proc/self/task").glob("*/children"):  # Linux knows those started in other ways, too
        try:
            pids = task.read_text().split()
        except OSError:  # the thread has ended meanwhile
            continue
        for pid in pids:
            try:
                command = Path("/proc", pid, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if not re.search(r"resource_tracker|forkserver", command):
                found[int(pid)] = command.strip() or "ended, but nobody asked how"
    return found


@pytest.fixture(scope="session", autouse=True)
def _numbered_ids() -> Iterator[None]:
    """New nodes are called `plan:1`, `plan:2`, ... so that tests can name them; test_history.py draws lots."""
    if importlib.util.find_spec("tests") is None:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cbvtool.plan.history._words", lambda: map(str, itertools.count(1)))
        yield


MOST_LINTED = 3_000  # nodes of a graph whose task lists are looked through


@pytest.fixture(scope="session", autouse=True)
def _lint_tasks() -> Iterator[None]:
    """Look through every task list that any test makes; see `tests/plan/task_lint.py`."""
    if importlib.util.find_spec("tests") is None:  # test_guards.py tries this file in a folder of its own
        yield
        return
    from cbvtool.plan import tasks as module
    from tests.plan.task_lint import faults

    made = module.task_list

    @functools.wraps(made)
    def looked_through(history: History, *arguments: Any, **named: Any) -> module.TaskList:  # Any: what task_list takes
        found = made(history, *arguments, **named)
        if len(history.base) <= MOST_LINTED and (told := faults(found, history)):
            raise AssertionError("the task list has faults:\n" + "\n".join(told))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "task_list", looked_through)
        yield
