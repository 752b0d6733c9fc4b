"""The guards of tests/conftest.py: each is tripped once, and seen to fail the test that trips it."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

EVERYWHERE = """
import os, subprocess, sys, threading, time, warnings

def test_silent(): pass

def test_warning(): warnings.warn("old")

def test_forgotten_file(tmp_path): open(tmp_path / "a", "w")

def test_thread(): threading.Thread(target=time.sleep, args=(3600,), name="sleeper", daemon=True).start()

def test_thread_that_ends(): threading.Thread(target=time.sleep, args=(0.1,)).start()

kept = []
def test_child_process(): kept.append(subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE))

def test_end(): kept[0].communicate()

def test_folder(tmp_path): os.chdir(tmp_path)

def test_folder_of_the_test(tmp_path, monkeypatch): monkeypatch.chdir(tmp_path)
"""

ON_SCREEN = """
from qtpy.QtCore import QThread, qWarning
from qtpy.QtWidgets import QLabel, QMessageBox, QWidget
from vtkmodules.vtkCommonCore import vtkLogger
from vtkmodules.vtkFiltersCore import vtkContourFilter

kept = []

def test_silent(qtbot):
    label = QLabel("closed by qtbot")
    qtbot.addWidget(label)
    label.show()

def test_dropped_window(qapp): QLabel("nobody holds it").show()

def test_window(qapp):
    kept.append(QLabel("forgotten"))
    kept[0].show()

class Sleeper(QThread): pass

def test_thread(qapp):
    kept.append(Sleeper())
    kept[-1].start()

def test_end(qapp):
    kept[-1].quit()
    kept[-1].wait()

def test_qt_warning(qapp): qWarning("careful")

def test_question(qapp): QMessageBox(QMessageBox.Icon.Question, "cbvtool", "Save the plan?").exec_()

class Asking(QWidget):
    def closeEvent(self, event): QMessageBox(QMessageBox.Icon.Question, "cbvtool", "Save?").exec_()

def test_window_that_asks(qapp):
    kept.append(Asking())
    kept[-1].show()

def test_vtk_error(): vtkContourFilter().Update()

def test_vtk_log(): vtkLogger.Log(vtkLogger.VERBOSITY_WARNING, __file__, 1, "odd")
"""

Verdicts = dict[str, str]


@pytest.fixture
def judge(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Verdicts]:
    """Runs tests under our conftest and configuration: name -> why it failed, empty for one that passed."""

    def run(folder: str, tests: str) -> Verdicts:
        monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
        monkeypatch.setenv("XDG_RUNTIME_DIR", str(pytester.mkdir("runtime")))
        (pytester.path / "runtime").chmod(0o700)
        options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
        filters = "".join(f"\n    {line}" for line in options["filterwarnings"])
        pytester.makeini(f"[pytest]\nqt_log_level_fail = {options['qt_log_level_fail']}\nfilterwarnings ={filters}\n")
        patient = (ROOT / "tests" / "conftest.py").read_text()
        hasty = patient.replace("GRACE = 30.0 ", "GRACE = 1.0 ")
        assert hasty != patient
        pytester.makeconftest(hasty)
        (pytester.mkdir(folder) / "test_offenders.py").write_text(tests)
        result = pytester.runpytest_subprocess("-p", "no:xvfb", "-p", "no:cacheprovider", "-rA", "-vv")
        verdicts: Verdicts = {}
        for line in result.outlines[result.outlines.index(_summary(result.outlines)) :]:
            verdict, _, rest = line.partition(" ")
            if verdict in ("PASSED", "FAILED", "ERROR"):
                name, _, why = rest.partition("::")[2].partition(" - ")
                verdicts[name] = "" if verdict == "PASSED" else why or verdict
        return verdicts

    return run


def _summary(lines: list[str]) -> str:
    return next(line for line in lines if "short test summary info" in line)


def _agree(verdicts: Verdicts, expected: Verdicts) -> None:
    assert verdicts.keys() == expected.keys()
    for name, part in expected.items():
        assert (part in verdicts[name]) if part else (verdicts[name] == ""), f"{name}: {verdicts[name]!r}"


def test_everywhere(judge: Callable[[str, str], Verdicts]) -> None:
    """Warnings, unclosed files, threads and child processes left behind fail a test; a thread that ends does not."""
    ignored = "Exception ignored while finalizing file" if sys.version_info >= (3, 14) else "Exception ignored in:"
    expected = {
        "test_silent": "",
        "test_warning": "UserWarning: old",
        "test_forgotten_file": f"PytestUnraisableExceptionWarning: {ignored} <_io.FileIO",
        "test_thread": "left behind: thread 'sleeper'",
        "test_thread_that_ends": "",
        "test_child_process": "left behind: child process",
        "test_end": "",
        "test_folder": "and stayed there",
        "test_folder_of_the_test": "",
    }
    _agree(judge("graph", EVERYWHERE), expected)


def test_on_screen(judge: Callable[[str, str], Verdicts]) -> None:
    """Windows and QThreads left behind, Qt's warnings and whatever VTK says fail a test."""
    expected = {
        "test_silent": "",
        "test_dropped_window": "",
        "test_window": "left behind: window",
        "test_thread": "left behind: QThread",
        "test_end": "",
        "test_qt_warning": "FAILED",
        "test_question": "a message box waits for an answer: Save the plan?",
        "test_window_that_asks": "left behind: window",
        "test_vtk_error": "VTK logged: ERR| ",
        "test_vtk_log": "VTK logged: WARN| odd",
    }
    _agree(judge("view", ON_SCREEN), expected)


def test_vtk_output_window_alone(judge: Callable[[str, str], Verdicts]) -> None:
    """A message that reaches VTK's output window but not its logger fails a test, in any room that draws."""
    tests = """
        from vtkmodules.vtkCommonCore import vtkOutputWindow
        from cbvtool.drawing.gl import listen_to_vtk
        def test_window():
            listen_to_vtk()
            vtkOutputWindow.GetInstance().DisplayErrorText("broken")
    """
    _agree(judge("graph", tests.replace("\n        ", "\n")), {"test_window": "VTK said: broken"})


def test_settings_are_private(judge: Callable[[str, str], Verdicts], monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the folders, or the git configuration, of whoever runs it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", "/theirs")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/theirs/git")
    tests = """
        import os
        import platformdirs
        from qtpy.QtCore import QSettings
        def test_folders(): assert not platformdirs.user_config_dir("cbvtool").startswith("/theirs")
        def test_git(): assert os.environ["GIT_CONFIG_GLOBAL"] == os.devnull
        def test_qt(qapp, own_settings): assert QSettings("a", "b").fileName().startswith(str(own_settings))
        def test_qt_again(qapp, own_settings): assert QSettings("a", "b").fileName().startswith(str(own_settings))
    """
    names = ("test_folders", "test_git", "test_qt", "test_qt_again")
    _agree(judge("graph", tests.replace("\n        ", "\n")), dict.fromkeys(names, ""))
