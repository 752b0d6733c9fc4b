"""The pictures of the documentation, taken from the real window while it is used: make pictures [FOLDER].

Needs no display. Subjects are the last commit of this checkout, and the sample project for the drag.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ |= {"QT_QPA_PLATFORM": "offscreen", "QT_FONT_DPI": "96"}
HOME = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HOME / "src"))

from qtpy.QtCore import QEvent, QPoint, QSettings, Qt  # noqa: E402 - the platform is chosen above
from qtpy.QtGui import QMouseEvent  # noqa: E402

from cbvtool.session import Session  # noqa: E402
from cbvtool.view.application import application  # noqa: E402
from cbvtool.view.main_window import MainWindow  # noqa: E402
from cbvtool.view.sample import make_sample, sample_script  # noqa: E402
from cbvtool.view.settings import Settings  # noqa: E402

PATIENCE = 120.0  # seconds
FONT = 9.5  # points, as desktops have it; without a desktop Qt takes a larger one


class Photographer:
    """Uses the window as a hand would, and saves what it shows."""

    def __init__(self, out: Path, store: Path) -> None:
        self.out = out
        self.application = application()
        font = self.application.font()
        font.setPointSizeF(FONT)
        self.application.setFont(font)
        settings = Settings(QSettings(str(store), QSettings.Format.IniFormat))
        settings.reduced_motion = True
        self.window = MainWindow(Session(), settings)
        self.window.show()
        self.canvas, self.stage, self.session = self.window.canvas, self.window.canvas.stage, self.window.session

    def wait(self, ready: Callable[[], bool]) -> None:
        """Let the window work until `ready`."""
        end = time.monotonic() + PATIENCE
        while not ready():
            if time.monotonic() > end:
                raise SystemExit(f"The window does not get ready: {self.window.message.text or 'no message'}")
            self.application.processEvents()
            time.sleep(0.002)

    def open(self, path: Path) -> None:
        """Open a subject and wait for its picture."""
        done: list[int] = []
        self.stage.first_frame.connect(lambda: done.append(1))
        self.window.open(path)
        self.wait(lambda: bool(done) and self.stage.is_still)
        self.window.message.hide()

    def key(self, node: str) -> int:
        """Key of a node."""
        return self.session.graph.key_of[node]

    def mouse(self, kind: QEvent.Type, place: QPoint, *, down: bool) -> None:
        """Send one event of the left button, or of none."""
        moves = kind == QEvent.Type.MouseMove
        button = Qt.MouseButton.NoButton if moves else Qt.MouseButton.LeftButton
        buttons = Qt.MouseButton.LeftButton if down else Qt.MouseButton.NoButton
        spot = self.canvas.mapToGlobal(place)
        event = QMouseEvent(kind, place, spot, button, buttons, Qt.KeyboardModifier.NoModifier)
        self.application.sendEvent(self.canvas, event)

    def click(self, node: str, *, own: bool = False) -> None:
        """Click a segment."""
        place = self.stage.place_of(self.key(node), own=own)
        self.mouse(QEvent.Type.MouseButtonPress, place, down=True)
        self.mouse(QEvent.Type.MouseButtonRelease, place, down=False)

    def lift(self, node: str, onto: str, *, own: bool = False) -> QPoint:
        """Drag a segment onto a container, and hold it there."""
        start = self.stage.place_of(self.key(node), own=own)
        self.mouse(QEvent.Type.MouseButtonPress, start, down=True)
        self.mouse(QEvent.Type.MouseMove, start + QPoint(8, 8), down=True)
        end = self.stage.place_of(self.key(onto), own=True)
        for step in range(1, 9):
            self.mouse(QEvent.Type.MouseMove, start + (end - start) * (step / 8), down=True)
        return end

    def drop(self, place: QPoint) -> None:
        """Let go."""
        self.mouse(QEvent.Type.MouseButtonRelease, place, down=False)
        self.canvas.leaveEvent(None)

    def show_panel(self, name: str) -> None:
        """Bring a panel to the front."""
        self.window.show_panel(name)

    def take(self, name: str) -> None:
        """Save what the window shows as `name`.png."""
        self.wait(lambda: self.stage.is_still or not self.session.is_open)
        self.application.processEvents()
        file = self.out / f"{name}.png"
        if not self.window.grab().save(str(file), "PNG"):
            raise SystemExit(f"{file} cannot be written.")
        print(file)

    def close(self) -> None:
        """End, without a question."""
        while self.session.unsaved:
            self.session.undo()
        self.window.close()


def own_checkout(scratch: Path) -> Path:
    """The last commit of this checkout, in a folder of the project's name and without what lies about here."""
    folder = scratch / "cbvtool"
    subprocess.run(["git", "clone", "--quiet", str(HOME), str(folder)], check=True)
    return folder


def main(arguments: list[str]) -> int:
    """Take all pictures."""
    out = Path(arguments[0]) if arguments else HOME / "docs" / "images"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        os.environ |= {f"XDG_{name}_HOME": f"{scratch}/{name.lower()}" for name in ("CONFIG", "DATA", "CACHE")}
        script = sample_script()
        if script is None:
            raise SystemExit("The sample project is not there.")
        shop = make_sample(Path(scratch), script)
        hand = Photographer(out, Path(scratch) / "settings.ini")
        hand.take("start")

        hand.open(own_checkout(Path(scratch)))
        hand.take("overview")
        hand.session.restrict(hand.key("src/cbvtool"))
        hand.session.expand([hand.key("src/cbvtool/plan"), hand.key("src/cbvtool/geometry")])
        hand.click("src/cbvtool/plan", own=True)
        hand.take("expanded")

        hand.open(shop)
        hand.session.set_view(expanded=frozenset({hand.key("shop")}))
        end = hand.lift("shop/domain", "shop/services")
        hand.take("mid-drag")
        hand.drop(end)
        hand.session.expand([hand.key("shop/services")])
        hand.click("shop/domain")
        hand.take("after-drop")
        end = hand.lift("scripts", "shop/ui")
        hand.drop(end)
        hand.session.select(())
        hand.window.plan.show_places(1)
        hand.show_panel("plan")
        hand.take("tasks")
        hand.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
