"""The Qt application, set up once per process. An uncaught exception becomes a message, not an abort."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Callable
from types import TracebackType

from qtpy.QtCore import Qt
from qtpy.QtWidgets import QApplication, QStyleFactory

from cbvtool.view.toolkit.display import prefer_wayland
from cbvtool.view.toolkit.memory import give_back

log = logging.getLogger(__name__)
# What went wrong inside cbvtool, apart from the log, for whoever keeps it for a bug report.
failures = logging.getLogger("cbvtool.failures")
failures.setLevel(logging.ERROR)
failures.propagate = False
failures.addHandler(logging.NullHandler())


def application(arguments: list[str] | None = None) -> QApplication:
    """The application of this process, made on the first call. Ask `why_no_window` before."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    if prefer_wayland():
        os.environ["QT_QPA_PLATFORM"] = "wayland"
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_EnableHighDpiScaling)
    QApplication.setAttribute(Qt.ApplicationAttribute.AA_UseHighDpiPixmaps)
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    made = QApplication(arguments or ["cbvtool"])
    made.setApplicationName("cbvtool")
    made.setOrganizationName("cbvtool")
    made.setStyle(QStyleFactory.create("Fusion"))
    give_back(made)
    return made


def catch_exceptions(say: Callable[[str], None]) -> Callable[[], None]:
    """Report to `say` every exception that reaches Qt; without a hook, PyQt ends the process. Call the result to undo.

    The traceback goes to the log, which `--verbose` shows, and to `failures`.
    """
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            before(kind, error, trace)
            return
        for each in (log, failures):
            each.error("not handled", exc_info=(kind, error, trace))
        # Python keeps the last traceback, and its frames may hold a painter; a painter that outlives its widget crashes
        # Qt.
        traceback.clear_frames(trace)
        sys.last_traceback = None
        say(
            f"Something went wrong inside cbvtool ({kind.__name__}: {error}): your plan is kept; save it to be safe, "
            "and report what Help > Copy diagnostics copies."
        )

    sys.excepthook = hook

    def undo() -> None:
        sys.excepthook = before

    return undo
