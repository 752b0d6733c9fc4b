"""Random sequences of what people do to a picture and a plan, with frames drawn between every two steps.

    frame_sequences.py [--count 300] [--seed N] [--steps 10] [--subject FOLDER | --layout NAME]

A sequence has a subject and a real window, and sometimes a second view in it. Nodes are created, grouped, moved,
renamed, removed, merged, split and pulled out; steps are undone, done again and travelled; proposals are shown and
taken; plans are begun, branched, switched, deleted and compared; what there was before is shown; and meanwhile the
picture is opened, closed, restricted, filtered, searched, pointed at and shown in another hierarchy. After each step
quick frames are drawn at many points of the glide, then quick and smooth ones of the picture at rest; some glides are
left on the way.

After each step no exception has reached anybody, none has ended work beside the window, no sentence tells of one, and
names are painted. Without a subject the sequences go round the six layouts of `tests/layouts.py`. Prints a line for
each sequence; exit status 1 when one of them failed, with its seed, its steps and the traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import logging
import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from types import TracebackType
from typing import TypeVar
from unittest import mock

HOME = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(HOME / "src"), str(HOME)]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np  # noqa: E402
from qtpy.QtCore import QSettings, QTimer, QVariantAnimation  # noqa: E402
from qtpy.QtWidgets import QApplication, QMessageBox  # noqa: E402

from cbvtool.drawing.renderer import Renderer  # noqa: E402
from cbvtool.errors import InputError  # noqa: E402
from cbvtool.findings.finding import Examined  # noqa: E402
from cbvtool.geometry.picture import Text  # noqa: E402
from cbvtool.geometry.state.view_state import Mapping, RelationFilter  # noqa: E402
from cbvtool.hierarchies import FOLDERS  # noqa: E402
from cbvtool.plan import can_hold, can_merge  # noqa: E402
from cbvtool.project import Project, open_project  # noqa: E402
from cbvtool.proposals.belongs import places  # noqa: E402
from cbvtool.proposals.clusters import clusters  # noqa: E402
from cbvtool.proposals.proposal import Proposal  # noqa: E402
from cbvtool.rules import Rules  # noqa: E402
from cbvtool.session import Session  # noqa: E402
from cbvtool.versions import plans_compared  # noqa: E402
from cbvtool.view.canvas.stage import Stage  # noqa: E402
from cbvtool.view.panels.proposals_panel import ProposalsPanel  # noqa: E402
from cbvtool.view.toolkit.application import application, failures  # noqa: E402
from cbvtool.view.toolkit.settings import Settings  # noqa: E402
from cbvtool.view.window.main_window import MainWindow  # noqa: E402
from cbvtool.view.window.second_view import SECOND_VIEW  # noqa: E402
from tests.layouts import LAYOUTS  # noqa: E402

SIZE = (900, 640)  # px of the window: small, because OpenGL draws in software
ON_THE_WAY = (0.0, 0.2, 0.45, 0.55, 0.95)  # shares of the time of a glide at which a frame is drawn
MOST_EVENTS = 400  # of the picture's clock until it must be still
WITHIN = 60.0  # seconds within which work in the background ends

T = TypeVar("T")


class Broken(AssertionError):
    """An exception reached somebody, or names are gone."""


class World:
    """A window on a subject, and what is done in it. The same seed does the same."""

    def __init__(self, project: Project, folder: Path, seed: int) -> None:
        self.random = random.Random(seed)
        self.told: list[str] = []
        self._caught: list[str] = []
        settings = Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
        settings.reduced_motion = True  # until the picture is there
        self.window = MainWindow(Session(), settings)
        self.window.documents.ask_unsaved = lambda: int(  # type: ignore[method-assign]  # somebody answers
            QMessageBox.StandardButton.Discard
        )
        self.window.resize(*SIZE)
        self.window.show()
        until(lambda: self.window.canvas.stage.renderer is not None)
        self.session.open(project)
        until(lambda: self.window.canvas.stage.shown is not None)
        if self.random.random() < 0.2:
            self.window.desk.toggle(SECOND_VIEW)
            until(lambda: all(stage.shown is not None for stage in self.stages))
        self.settle()
        settings.reduced_motion = False

    @property
    def session(self) -> Session:
        return self.window.session

    @property
    def stages(self) -> list[Stage]:
        return [place.stage for place in self.window.desk.places]

    def choose(self, *things: T) -> T:
        return self.random.choice(things)

    # -- frames

    def caught(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """An exception that nobody handled."""
        self._caught.append("".join(traceback.format_exception(kind, error, trace)))

    def failed(self, record: logging.LogRecord) -> None:
        """An exception that the window has caught: work beside it ended by it."""
        if record.exc_info and record.exc_info[1] is not None:
            self._caught.append("".join(traceback.format_exception(record.exc_info[1])))

    def draw(self) -> None:
        """A frame of each view, as Qt asks for it."""
        for place in self.window.desk.places:
            place.canvas.grab()
        self.check()

    def glide(self, shares: Sequence[float]) -> None:
        """A frame at each of these shares of the time of what moves."""
        for share in shares:
            for moving in self._moving():
                moving.pause()
                moving.setCurrentTime(round(share * moving.duration()))
            self.draw()

    def _moving(self) -> list[QVariantAnimation]:
        stopped = QVariantAnimation.State.Stopped
        found = (each for stage in self.stages for each in stage.findChildren(QVariantAnimation))
        return [moving for moving in found if moving.state() != stopped]

    def settle(self) -> None:
        """What moves arrives, and the picture becomes as good as it gets, with its names."""
        self._arrive()
        QApplication.processEvents()
        self.draw()
        for _ in range(MOST_EVENTS):
            self._arrive()
            waiting = [stage for stage in self.stages if not stage.is_still]
            if not waiting and not self.session.is_late:
                break
            for stage in waiting:
                idle = stage.findChild(QTimer, "idle")
                assert isinstance(idle, QTimer)
                idle.timeout.emit()
            if self.session.is_late:
                QApplication.processEvents()
        else:
            raise Broken("the picture does not become still")
        self.draw()
        self.see_names()

    def _arrive(self) -> None:
        for moving in self._moving():
            if moving.state() == QVariantAnimation.State.Paused:
                moving.resume()
            moving.setCurrentTime(moving.duration())

    def see_names(self) -> None:
        """Names of nodes are laid out and painted."""
        for stage in self.stages:
            if stage.scene is not None and len(stage.scene.tree) == 1:
                continue  # the root alone, which is not drawn: nothing is planned, and only changes are shown
            names, image = stage.text.names, stage.text.image
            named = names is not None and any(isinstance(item, Text) and item.key >= 0 for item in names.items)
            if not named or image is None or not _has_ink(stage):
                raise Broken("no name is painted")

    def check(self) -> None:
        """Raises Broken."""
        if self._caught:
            raise Broken(self._caught[0])
        if "inside cbvtool" in self.window.message.text:
            raise Broken(self.window.message.text)

    # -- what people do

    def step(self) -> None:
        """One thing that somebody does, and the frames after it."""
        deeds: list[tuple[int, Callable[[], object]]] = [
            (6, self.create),
            (5, self.group),
            (6, self.move),
            (3, self.rename),
            (3, self.remove),
            (3, self.merge),
            (3, self.split),
            (3, self.pull_out),
            (6, self.undo),
            (5, self.redo),
            (2, self.travel),
            (2, self.show_proposal),
            (3, self.take_proposal),
            (2, self.begin_plan),
            (2, self.branch_plan),
            (4, self.switch_plan),
            (1, self.delete_plan),
            (2, self.compare_plans),
            (3, self.before_or_after),
            (2, self.leave_a_drag),
            (3, self.open_or_close),
            (2, self.look_elsewhere),
            (2, self.point),
            (2, self.search),
            (2, self.filter),
            (2, self.style),
            (1, self.regroup),
        ]
        (deed,) = self.random.choices([deed for _, deed in deeds], [weight for weight, _ in deeds])
        self.told.append(deed.__name__)
        with contextlib.suppress(InputError):  # a refusal
            deed()
        QApplication.processEvents()
        self.check()
        if self.random.random() < 0.2:
            self.glide(ON_THE_WAY[: self.random.randrange(1, len(ON_THE_WAY))])  # the next step comes meanwhile
            return
        self.glide(ON_THE_WAY)
        self.settle()

    def _nodes(self, *kinds: str, below: int = -1) -> list[int]:
        """Keys of nodes that are there, all of them or those of some kinds, in the order of their keys."""
        graph = self.session.graph
        keys = np.sort(graph.tree.order)
        found = [key for key in keys.tolist() if key != graph.root and (not kinds or graph.kind(key) in kinds)]
        return found if below < 0 else [key for key in found if graph.is_below(key, below)]

    def _some(self, *kinds: str, most: int = 1) -> list[int]:
        keys = self._nodes(*kinds)
        return self.random.sample(keys, min(len(keys), self.random.randint(1, most)))

    def _plannable(self) -> bool:
        """Planning works in the hierarchy of folders, while no versions are compared and the target is shown."""
        if self.session.view.hierarchy:
            self.session.show_in(FOLDERS)
        if self.session.versions.compared is not None:
            self.session.versions.end()
        if self.session.view.before:
            self.session.show_before(False)
        return True

    def _name(self) -> str:
        return f"{self.choose('part', 'made', 'Thing', 'new')}{self.random.randrange(10**6)}"

    def create(self) -> None:
        self._plannable()
        kind = self.choose("folder", "folder", "file")
        above = self.choose(self.session.graph.root, *self._nodes("folder", "package"))
        self.session.create(above, self._name(), kind)

    def group(self) -> None:
        """As N does, through the drag and its question."""
        self._plannable()
        session = self.session
        if keys := session.topmost(self._some("file", most=3)):
            session.begin_drag(keys)
            session.drag_over(int(session.graph.parent[keys[0]]), fresh=True)
            self.draw()
            session.dragging.answer(name=self._name())
            session.drop()

    def move(self) -> None:
        """By dragging, over some containers, or by command."""
        self._plannable()
        session, graph = self.session, self.session.graph
        keys = session.topmost(self._some("file", "folder", "function", "class", most=3))
        targets = [key for key in self._nodes() if can_hold(graph.kind(key), graph.kind(keys[0]), graph)]
        if not targets or self.random.random() < 0.5:
            session.move(keys, self.choose(graph.root, *targets))
            return
        session.begin_drag(keys)
        self.glide(ON_THE_WAY[::2])
        for _ in range(self.random.randrange(1, 4)):
            over = self.choose(*targets)
            session.drag_over(over)
            if self.random.random() < 0.3:
                session.dragging.open_closed(over)
            self.window.canvas.stage.tint({key: self.random.uniform(-1, 1) for key in targets[:20]})
            self.glide(ON_THE_WAY[::3])
        session.drop()
        self.draw()
        self.window.canvas.stage.tint({})

    def rename(self) -> None:
        self._plannable()
        (key,) = self._some()
        self.session.rename(key, self._name())

    def remove(self) -> None:
        self._plannable()
        keys = self._some("file", "function", "class", most=2)
        self.session.select(keys)
        self.draw()
        self.session.remove(keys)

    def merge(self) -> None:
        self._plannable()
        graph = self.session.graph
        (key,) = self._some("file", "folder", "package")
        others = [other for other in self._nodes() if other != key and can_merge(graph.kind(key), graph.kind(other))]
        if others:
            self.session.merge(key, self.choose(*others))

    def split(self) -> None:
        """A relation is held in its middle, and led over something new."""
        self._plannable()
        session = self.session
        user, used = self._related()
        session.dragging.begin_split(user, used)
        self.glide(ON_THE_WAY[::3])
        session.drag_over(self.choose(*self._nodes("folder", "package")), fresh=self.random.random() < 0.5)
        session.dragging.answer(act=self.choose("invert", "route"), name=self._name())
        self.draw()
        session.drop()

    def pull_out(self) -> None:
        self._plannable()
        session = self.session
        user, used = self._related()
        session.dragging.begin_pull(*self.choose((user, used), (used, user)))
        self.glide(ON_THE_WAY[::3])
        session.drag_over(self.choose(*self._nodes()))
        session.drop()

    def _related(self) -> tuple[int, int]:
        """Two files, one of which uses the other."""
        graph = self.session.graph
        pairs = set[tuple[int, int]]()
        for ends in zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True):
            user, used = (self._file_of(key) for key in ends)
            if user >= 0 and used >= 0 and user != used:
                pairs.add((user, used))
        return self.choose(*sorted(pairs))

    def _file_of(self, key: int) -> int:
        graph = self.session.graph
        while key >= 0 and graph.kind(key) != "file":
            key = int(graph.parent[key])
        return key

    def leave_a_drag(self) -> None:
        """A drag that Esc or an undo ends."""
        self._plannable()
        session = self.session
        session.begin_drag(self._some(most=2))
        targets = self._nodes("folder", "package")
        session.drag_over(self.choose(*targets))
        self.window.canvas.stage.tint(dict.fromkeys(targets, 0.5))
        self.glide(ON_THE_WAY[::2])
        if self.random.random() < 0.5:
            session.undo()
        else:
            session.cancel_drag()
        self.draw()
        self.window.canvas.stage.tint({})

    def undo(self) -> None:
        for _ in range(self.random.choice((1, 1, 1, 3))):
            self.session.undo()

    def redo(self) -> None:
        for _ in range(self.random.choice((1, 1, 1, 3))):
            self.session.redo()

    def travel(self) -> None:
        assert self.session.history is not None
        self.session.travel(self.random.randrange(len(self.session.history.done) + 2))

    def _proposed(self) -> list[Proposal]:
        """What the program proposes for a folder or for some files."""
        examined = Examined(self.session.graph, None, Rules())
        if self.random.random() < 0.5:
            folders = self._nodes("folder", "package")
            return list(clusters(examined, self.choose(*folders), self.session.history))
        return list(places(examined, tuple(self._some("file", most=2))))

    def show_proposal(self) -> None:
        self._plannable()
        if found := self._proposed():
            self.window.desk.panel(ProposalsPanel).show_proposal(self.choose(*found))

    def take_proposal(self) -> None:
        self._plannable()
        if found := self._proposed():
            one = self.choose(*found)
            self.window.desk.panel(ProposalsPanel).show_proposal(one)
            self.glide(ON_THE_WAY[::3])
            self.window.desk.panel(ProposalsPanel).take(one)

    def begin_plan(self) -> None:
        self.session.plan_choice.new()

    def branch_plan(self) -> None:
        self.session.plan_choice.branch()

    def switch_plan(self) -> None:
        self.session.plan_choice.switch(self.choose(*self.session.plan_choice.plans.names))

    def delete_plan(self) -> None:
        plans = self.session.plan_choice
        if len(plans.plans.plans) > 1:
            plans.delete(self.choose(*plans.plans.names))

    def compare_plans(self) -> None:
        """Two plans, or the plan with what there is, one over the other."""
        session = self.session
        if session.versions.compared is not None:
            session.versions.end()
            return
        names = session.plan_choice.plans.names
        base, before, after = session.side_by_side.targets(self.choose(*names), self.choose(*names))()
        session.versions.show(plans_compared(base, before, after, "A"))

    def before_or_after(self) -> None:
        self.session.show_before(not self.session.view.before)

    def open_or_close(self) -> None:
        session = self.session
        (key,) = self._some("folder", "package", "file")
        act = self.choose(session.toggle, lambda _: session.show_files(), lambda _: session.show_depth(3))
        act(key)

    def look_elsewhere(self) -> None:
        session = self.session
        folders = self._nodes("folder", "package")
        match self.random.randrange(5):
            case 0 if folders:
                session.restrict(self.choose(*folders))
            case 1:
                session.hide(self._some("file", most=2))
            case 2:
                session.go_back()
            case 3:
                session.go_forward()
            case _:
                session.set_view(root=session.graph.root, hidden=frozenset(), only="")

    def point(self) -> None:
        """At a node or a relation, or select some."""
        session, stage = self.session, self.window.canvas.stage
        match self.random.randrange(3):
            case 0:
                session.set_view(hovered=self._some()[0])
            case 1 if stage.scene is not None and len(stage.scene.lifted.source):
                stage.light(self.random.randrange(len(stage.scene.lifted.source)))
            case _:
                session.select(self._some(most=3))

    def search(self) -> None:
        self.window.canvas.stage.show_matches(frozenset(self._some(most=9)))

    def filter(self) -> None:
        session = self.session
        match self.random.randrange(4):
            case 0:
                session.set_view(only=self.choose("", "kind:file", "sloc > 5", "base"))
            case 1:
                mode = self.choose("all", "direct", "indirect")
                session.set_view(filter=RelationFilter(mode=mode), selected=tuple(self._some(most=2)))
            case 2:
                session.set_view(filter=RelationFilter(crossing=True))
            case _:
                session.set_view(filter=RelationFilter())

    def style(self) -> None:
        session = self.session
        match self.random.randrange(5):
            case 0:
                session.set_view(theme=self.choose("light", "dark"))
            case 1:
                metrics = ("sloc", "fan_in", "fan_out", "complexity")
                session.set_view(mapping=Mapping(height=self.choose(*metrics), color=self.choose(*metrics)))
            case 2:
                session.set_view(planned=not session.view.planned)
            case 3:
                session.set_view(changes_only=not session.view.changes_only)
            case _:
                session.set_view(beta=self.choose(0.3, 0.85))

    def regroup(self) -> None:
        session = self.session
        if session.versions.compared is None:
            session.show_in(FOLDERS if session.view.hierarchy else self.choose("packages", "languages"))

    # -- the end

    def close(self) -> None:
        """Close the window, and wait until it is gone."""
        self.window.close()
        self.window.deleteLater()
        QApplication.processEvents()


def _has_ink(stage: Stage) -> bool:
    """Whether something is painted in the text layer where a name is."""
    image, names = stage.text.image, stage.text.names
    assert image is not None
    assert names is not None
    ratio = image.devicePixelRatio()
    for item in names.items:
        if isinstance(item, Text) and item.key >= 0:
            x, y = round(item.x * ratio), round(item.y * ratio)
            around = ((x + dx, y + dy) for dx in range(-8, 9) for dy in range(-6, 7))
            if any(image.valid(*place) and image.pixelColor(*place).alpha() for place in around):
                return True
    return False


def until(condition: Callable[[], bool]) -> None:
    """Let events be handled until something is so."""
    deadline = time.monotonic() + WITHIN
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("a window does not come to rest")
        QApplication.processEvents()


@contextlib.contextmanager
def _exceptions_told(world: World) -> Iterator[None]:
    handler = logging.Handler(logging.ERROR)
    with mock.patch.object(sys, "excepthook", world.caught), mock.patch.object(handler, "emit", world.failed):
        failures.addHandler(handler)
        try:
            yield
        finally:
            failures.removeHandler(handler)


def run(project: Project, folder: Path, seed: int, steps: int) -> Counter[str]:
    """One sequence on a subject; settings lie in `folder`. How often what was done. Raises Broken."""
    world = World(project, folder, seed)
    try:
        with _exceptions_told(world):
            world.session.show_files()
            for _ in range(steps):
                world.step()
            world.settle()
    except Exception as error:
        told = "\n  ".join(world.told)
        why = "".join(traceback.format_exception(error))
        raise Broken(f"{why}\n  seed {seed}, the steps:\n  {told}") from error
    finally:
        world.close()
    return Counter(world.told)


@contextlib.contextmanager
def quick_windows() -> Iterator[None]:
    """Windows whose first frame compiles what it needs, and whose jobs compile in their own threads."""
    with (
        mock.patch.object(Renderer, "warm_up", return_value=iter(())),
        mock.patch("cbvtool.view.toolkit.worker.compiled_elsewhere", return_value=contextlib.nullcontext()),
    ):
        yield


def subjects(folder: Path, names: Sequence[str] = tuple(LAYOUTS)) -> dict[str, Project]:
    """Layouts by name, made in `folder` and analysed."""
    found = {}
    for name in names:
        there = folder / name.replace(" ", "-")
        there.mkdir()
        LAYOUTS[name](there)
        found[name] = open_project(there, jobs=1)
    return found


def main() -> int:
    """Run sequences; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--subject", type=Path, default=None, help="a folder in place of the layouts")
    parser.add_argument("--layout", choices=LAYOUTS, action="append", help="some of the layouts only")
    chosen = parser.parse_args()
    first = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"{chosen.count} sequences of {chosen.steps} steps from seed {first}", flush=True)
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))
    total, failed, begun = Counter[str](), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as name, mock.patch.dict(os.environ), quick_windows():
        for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = f"{name}/{kind.lower()}"
        _qt = application()
        if chosen.subject is not None:
            given = {str(chosen.subject): open_project(chosen.subject, jobs=1)}
        else:
            given = subjects(Path(name), chosen.layout or tuple(LAYOUTS))
        for number, (called, project) in enumerate(islice(cycle(given.items()), chosen.count)):
            seed = first + number
            try:
                total += run(project, Path(name), seed, chosen.steps)
                print(f"seed {seed}, {called}: nothing broke", flush=True)
            except Broken as broken:
                failed += 1
                print(f"seed {seed}, {called}: BROKEN\n{broken}", flush=True)
            gc.collect()
    print(", ".join(f"{what} {count}" for what, count in total.most_common()))
    took = time.monotonic() - begun
    print(f"{chosen.count} sequences, {failed} broken, {took:.0f} s")
    return bool(failed)


if __name__ == "__main__":
    raise SystemExit(main())
