"""Drags with a trembling hand in the real window: does each end on the container that was aimed at (DND-1)?

    python -m tests.judges.aim [--count 50] [--seed 1] [--root ID] [--depth 2] [--shots FOLDER] [REPO ...]

Without REPO the sample project. A drag takes two seconds. The hand presses a random segment, waits until its gap has
closed, chooses a random place with at least 12 px of one container around it, goes there and stays, always up to 4 px
beside its way. What it aimed at and what the plan says afterwards is compared; then the step is undone, and the view
must be the one before. Prints a row for each picture and a line for each drag that missed.

Exit status 1 when one missed.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import cos, pi, sin
from pathlib import Path

from qtpy.QtCore import QEvent, QPoint, QPointF, QSettings, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication

from cbvtool.plan import Merge, Move
from cbvtool.session import Session
from cbvtool.session.dragging.gestures import gesture, target_at
from cbvtool.view.canvas.canvas import Canvas

NOISE = 4  # px beside the way, to each side
ACROSS = 12  # px of the aimed container around the place of rest, at least
WAY, REST = 55, 55  # moves of the mouse on the way and at its end
EVERY = 0.016  # s between two moves
LOOKED_AT = 1500  # random places among which the hand chooses
Place = tuple[int, int]


@dataclass(frozen=True)
class Attempt:
    """A drag. ids of what was held, aimed at, highlighted at the release, and where it went; empty = nowhere."""

    held: str
    aimed: str
    highlighted: str
    got: str
    said: str = ""

    @property
    def hit(self) -> bool:
        """Whether it ended where the hand aimed, and where the picture said."""
        return self.aimed == self.got == self.highlighted


class TremblingHand:
    """A hand on the mouse of one canvas. Events go to the canvas alone: the mouse of the screen is left in peace.

    pause   called after each event: lets the window work
    ready   returns once the given condition holds
    """

    def __init__(
        self,
        session: Session,
        canvas: Canvas,
        chance: random.Random,
        pause: Callable[[], None],
        ready: Callable[[Callable[[], bool]], None],
    ) -> None:
        self._session, self._canvas, self._chance = session, canvas, chance
        self._pause, self._ready = pause, ready
        self.mid_drag: Callable[[], None] = lambda: None  # called before the release

    def attempts(self, count: int) -> Iterator[Attempt]:
        """That many drags, each undone afterwards."""
        while count:
            if (found := self.attempt()) is not None:
                count -= 1
                yield found

    def attempt(self) -> Attempt | None:
        """A drag of a random segment to a random container; None = there was none for it, and nothing was changed."""
        session, canvas, graph = self._session, self._canvas, self._session.graph
        assert session.history is not None
        done, before = len(session.history.done), session.view
        spots = self._grouped(self._places(), canvas.stage.picking.key_at)
        spots.pop(graph.root, None)
        held = self._chance.choice([*spots])
        start = self._chance.choice(spots[held])
        said: list[str] = []
        listening = canvas.said.connect(said.append)
        try:
            aimed, highlighted = self._drag(start)
        finally:
            canvas.said.disconnect(listening)
        if aimed < 0:
            return None
        made = session.history.done[done:]
        got = {each.target if isinstance(each, Move | Merge) else "?" for step in made for each in step.operations}
        if made:
            session.undo()
            self._ready(lambda: len(session.history.done) == done and canvas.stage.is_still)
        if session.view.expanded != before.expanded:
            said.append("The undo left other containers open.")
            session.set_view(expanded=before.expanded)
        name = dict(enumerate(graph.ids))
        return Attempt(name[held], name[aimed], name.get(highlighted, ""), " ".join(sorted(got)), " ".join(said))

    def _drag(self, start: Place) -> tuple[int, int]:
        """(key of the container aimed at, -1 = none was large enough; key of the one highlighted at the release)."""
        session, canvas = self._session, self._canvas
        self._send(QEvent.Type.MouseButtonPress, start)
        self._send(QEvent.Type.MouseMove, (start[0] + 5, start[1] + 5))
        self._ready(lambda: session.view.drag is not None and canvas.stage.rests)
        aims = self._aims()
        if not aims:
            canvas.cancel_drag()
            self._send(QEvent.Type.MouseButtonRelease, start)
            return -1, -1
        aimed = self._chance.choice([*aims])
        end = self._chance.choice(aims[aimed])
        for step in range(1, WAY + REST + 1):
            share = min(1.0, step / WAY)
            share = share * share * (3 - 2 * share)
            x, y = (a + share * (b - a) + self._chance.randint(-NOISE, NOISE) for a, b in zip(start, end, strict=True))
            last = round(x), round(y)
            self._send(QEvent.Type.MouseMove, last)
        self.mid_drag()
        highlighted = -1 if session.view.drag is None else session.view.drag.target
        self._send(QEvent.Type.MouseButtonRelease, last)
        self._ready(lambda: session.view.drag is None and session.first_job is None and canvas.stage.is_still)
        return aimed, highlighted

    def _aims(self) -> dict[int, list[Place]]:
        """The containers that would take what is held, with places that have enough of them all around."""
        session = self._session
        drag, graph = session.view.drag, session.graph
        assert drag is not None
        known: dict[int, int] = {}

        def target(spot: QPoint) -> int:
            key = self._canvas.stage.picking.key_at(spot)
            if key >= 0 and key not in known:
                known[key] = target_at(drag, key, graph)
            return known.get(key, -1)

        found = self._grouped(self._places(), target)
        around = [(r * cos(a * pi / 8), r * sin(a * pi / 8)) for r in (3, ACROSS / 2) for a in range(16)]
        aims = dict[int, list[Place]]()
        for key, spots in found.items():
            would = gesture(replace(drag, target=key), graph, "plan:new")
            if would.at_home or would.refusal(graph) is not None:
                continue
            wide = [
                spot
                for spot in spots[:12]
                if all(target(QPoint(round(spot[0] + x), round(spot[1] + y))) == key for x, y in around)
            ]
            if wide:
                aims[key] = wide
        return aims

    def _places(self) -> list[Place]:
        """Random places of the canvas."""
        wide, tall = self._canvas.width(), self._canvas.height()
        return [(self._chance.randrange(wide), self._chance.randrange(tall)) for _ in range(LOOKED_AT)]

    def _grouped(self, places: list[Place], key_at: Callable[[QPoint], int]) -> dict[int, list[Place]]:
        """Places by the key that is seen there; those where a legend lies, or nothing, are left out."""
        found = dict[int, list[Place]]()
        picking = self._canvas.stage.picking
        for place in places:
            spot = QPoint(*place)
            if not picking.legend_at(spot) and (key := key_at(spot)) >= 0:
                found.setdefault(key, []).append(place)
        return found

    def _send(self, kind: QEvent.Type, place: Place) -> None:
        moves = kind == QEvent.Type.MouseMove
        button = Qt.MouseButton.NoButton if moves else Qt.MouseButton.LeftButton
        held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
        spot = QPoint(*place)
        there = QPointF(self._canvas.mapToGlobal(spot))
        event = QMouseEvent(kind, QPointF(spot), there, button, held, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(self._canvas, event)
        self._pause()


def judge(path: Path, root: str, depth: int, count: int, seed: int, shots: Path | None) -> list[Attempt]:
    """Drags in a real window that shows a code base."""
    from cbvtool.view.toolkit.application import application
    from cbvtool.view.toolkit.settings import Settings
    from cbvtool.view.window.main_window import MainWindow

    loop = application()  # lives as long as this function
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(QSettings(f"{folder}/aim.ini", QSettings.Format.IniFormat))
        window = MainWindow(Session(), settings)
        window.resize(1440, 900)
        window.reset_layout()
        window.show()
        session, stage = window.session, window.canvas.stage

        def ready(condition: Callable[[], bool]) -> None:
            while not condition():
                loop.processEvents()
                time.sleep(0.002)

        def pause() -> None:
            end = time.monotonic() + EVERY
            ready(lambda: time.monotonic() >= end)

        shown: list[int] = []
        stage.first_frame.connect(lambda: shown.append(1))
        window.open(path)
        ready(lambda: bool(shown) and stage.is_still and not window.opening.busy and not session.scene().pending)
        if root:
            session.restrict(session.graph.key_of[root])
        if depth:
            session.show_depth(depth)
        ready(lambda: stage.is_still)
        window.message.hide()
        hand = TremblingHand(session, window.canvas, random.Random(seed), pause, ready)
        made: list[Attempt] = []

        def keep() -> None:
            if shots is not None:
                shots.mkdir(parents=True, exist_ok=True)
                window.grab().save(str(shots / f"{path.name}-{len(made):02}.png"))

        hand.mid_drag = keep
        for each in hand.attempts(count):
            made.append(each)
            if not each.hit or each.said:
                went = f"went to {each.got or 'nowhere'}, highlighted {each.highlighted or 'nothing'}"
                print(f"  {len(made)}: {each.held} to {each.aimed}: {went} {each.said}".rstrip(), flush=True)
        window.leave()
        loop.processEvents()
        return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--root", default="", help="id of the node to which the picture is restricted")
    parser.add_argument("--depth", type=int, default=0, help="levels that are shown; 0 = those of the first picture")
    parser.add_argument("--shots", type=Path, help="folder for a picture of the window before each release")
    parser.add_argument("repos", nargs="*", type=Path, metavar="REPO")
    options = parser.parse_args()
    if not os.environ.get("DISPLAY"):
        print("No display: run it under xvfb-run.", file=sys.stderr)
        return 2
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for repo in options.repos or [_sample(Path(folder))]:
            made = judge(repo, options.root, options.depth, options.count, options.seed, options.shots)
            hits = sum(each.hit for each in made)
            missed += len(made) - hits
            print(f"| {repo.name} {options.root} | {hits} of {len(made)} |", flush=True)
    return int(missed > 0)


def _sample(folder: Path) -> Path:
    from cbvtool.view.window.sample import make_sample, sample_script

    script = sample_script()
    assert script is not None
    return make_sample(folder, script)


if __name__ == "__main__":
    sys.exit(main())
