"""A real window in a process of its own, to be killed: plan_window.py PATH opens a folder or a plan.

It is not shown, so nothing is drawn. Each line on stdin is a command, whose answer is one line of JSON:

    move NODE TARGET        plan a move
    create NAME             plan a folder at the top
    save FILE               save the plan there, or again; if somebody else has changed it, do not
    again                   F5
    restore                 take the first offer
    state                   nothing

Answers come when the copy of what is unsaved has been written: {"done": labels of steps,
"created": names of what all plans create, "refused": why not or null}.
`Driven` is the other end.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HOME = Path(__file__).resolve().parents[2]


class Driven:
    """A window in a process of its own. Its settings and data are where the environment says."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(HOME / "src")},
        )
        self.state = self._answer()

    def tell(self, *words: str) -> dict[str, Any]:
        """Give a command and wait until it is done."""
        self.begin(*words)
        self.state = self._answer()
        return self.state

    def begin(self, *words: str) -> None:
        """Give a command, whatever becomes of it."""
        assert self.process.stdin is not None
        self.process.stdin.write("\t".join(words) + "\n")
        self.process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, "the window has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer

    def kill(self) -> None:
        """SIGKILL: nothing of its own runs any more."""
        self.process.kill()
        self.process.wait(60)
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()


def main() -> None:
    from qtpy.QtCore import QSettings, QSocketNotifier
    from qtpy.QtTest import QTest
    from qtpy.QtWidgets import QApplication, QPushButton

    from cbvtool.plan import Create
    from cbvtool.plan.document import read_document
    from cbvtool.session import Session
    from cbvtool.view.toolkit.application import application
    from cbvtool.view.toolkit.settings import Settings
    from cbvtool.view.window.main_window import MainWindow

    qt = application()
    settings = Settings(QSettings(os.environ["XDG_CONFIG_HOME"] + "/driven.ini", QSettings.Format.IniFormat))
    window = MainWindow(Session(), settings)
    window.opening.how = {"jobs": 1}
    session = window.session
    copies = Path(os.environ["XDG_DATA_HOME"]) / "cbvtool" / "recovery"

    def until(condition: Callable[[], bool]) -> None:
        while not condition():
            QTest.qWait(20)

    def is_kept() -> bool:
        """Whether what is planned here is in the file, or in a copy."""
        assert session.history is not None
        if not session.unsaved:
            return True
        return any(read_document(copy).plan.done == session.history.done for copy in copies.glob("*.cbv"))

    def offers() -> list[QPushButton]:
        return [button for button in window.findChildren(QPushButton) if button.text().startswith("Restore")]

    def carry_out(words: list[str]) -> str | None:
        match words:
            case ["move", node, target]:
                key_of = session.graph.key_of
                return session.move([key_of[node]], key_of[target])
            case ["create", name]:
                return session.create(session.graph.root, name)
            case ["save", file]:
                return None if window.documents._save(Path(file)) else "not saved"
            case ["again"]:
                project = session.project
                window.documents.again()
                until(lambda: session.project is not project)
            case ["restore"]:
                until(lambda: bool(offers()))
                offers()[0].click()
        return None

    def answer(refused: str | None) -> None:
        until(lambda: not window.opening.busy and is_kept())
        assert session.history is not None
        done = [step.label for step in session.history.done]
        steps = [step for plan in session.plan_choice.plans.plans for step in plan.done]
        operations = dict.fromkeys(each for step in steps for each in step.operations)
        created = [operation.name for operation in operations if isinstance(operation, Create)]
        print(json.dumps({"done": done, "created": created, "refused": refused}), flush=True)

    def listen() -> None:
        notifier.setEnabled(False)
        line = sys.stdin.readline()
        if not line:  # whoever drives it is gone
            os._exit(0)
        answer(carry_out(line.rstrip("\n").split("\t")))
        notifier.setEnabled(True)

    window.documents.ask_changed = lambda change: ""
    window.open(Path(sys.argv[1]))
    until(lambda: session.is_open and not window.opening.busy)
    answer(None)
    notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)
    notifier.activated.connect(listen)
    QApplication.setQuitOnLastWindowClosed(False)
    qt.exec_()


if __name__ == "__main__":
    main()
