"""Random sequences of what people do to plans, and the watch that nothing is lost without a question.

    plan_sequences.py [--count 100] [--seed N] [--steps 40] [--apart 0.1]

One sequence has a subject, a few documents and up to three windows: real ones that are not shown, or processes of their
own. Windows are opened, plan, undo, save, are analysed again, go to another document, answer offers or not, begin,
branch, switch, rename and delete plans of their document, are closed, or killed: a window of this process as the system
does it (its lock is gone, its objects are, and nothing of its own runs), a process by SIGKILL, also in the midst of a
step. Questions are answered at random. Documents are renamed and deleted.

After each step every operation that was ever planned must be in a document, in a living window, in a copy that is
offered to who opens one of the documents or the subject, or among those that an answer gave up. At the end all windows
are killed, and what is then offered is read from new windows. Prints a line for each sequence; exit status 1, with the
seed and the steps, when an operation was lost.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar
from unittest import mock

HOME = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path[:0] = [str(HOME / "src"), str(HOME)]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PyQt5 import sip  # noqa: E402  # no other way to drop a window as a killed process does
from qtpy.QtCore import QCoreApplication, QEvent, QSettings  # noqa: E402 - the path is set above
from qtpy.QtTest import QTest  # noqa: E402
from qtpy.QtWidgets import QMessageBox  # noqa: E402

from cbvtool.analysis import folder as analysis_folder  # noqa: E402
from cbvtool.errors import InputError  # noqa: E402
from cbvtool.plan import Create, Group  # noqa: E402
from cbvtool.plan.document import ChangedOnDisk, Plan, read_document  # noqa: E402
from cbvtool.plan.recovery import RecoveryCopy, find_offered  # noqa: E402
from cbvtool.session import Session  # noqa: E402
from cbvtool.view.commands.documents import OVERWRITE, SAVE_AS  # noqa: E402
from cbvtool.view.toolkit.application import application  # noqa: E402
from cbvtool.view.toolkit.settings import Settings  # noqa: E402
from cbvtool.view.toolkit.worker import Worker  # noqa: E402
from cbvtool.view.window.main_window import MainWindow  # noqa: E402
from tests.view.plan_window import Driven  # noqa: E402

MOST_WINDOWS = 3
WITHIN = 60.0  # seconds for a window to come to rest
SOURCES = {
    "a/one.py": "import b.two\n",
    "a/more.py": "X = 1\n",
    "b/two.py": "from a import more\n",
    "c.py": "import a\n",
}


T = TypeVar("T")


class Lost(AssertionError):
    """An operation is nowhere, and nobody was asked."""


def operations(groups: Iterable[Group]) -> set[int]:
    """The numbers of the operations in steps of a plan."""
    found = (operation for group in groups for operation in group.operations)
    return {int(operation.name[1:]) for operation in found if isinstance(operation, Create)}


def operations_of(plans: Iterable[Plan]) -> set[int]:
    """The numbers of the operations in steps of any of these plans."""
    return {number for plan in plans for number in operations(plan.done)}


def held_by(file: Path) -> set[int]:
    """The operations in a document or copy."""
    return operations_of(read_document(file).plans)


def until(condition: Callable[[], bool]) -> None:
    """Let events be handled until something is so."""
    deadline = time.monotonic() + WITHIN
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError("a window does not come to rest")
        QTest.qWait(1)


class Shown:
    """A window of this process; questions are answered at random."""

    def __init__(self, world: World, path: Path) -> None:
        self.world = world
        settings = Settings(QSettings(str(world.folder / "settings.ini"), QSettings.Format.IniFormat))
        self.window = MainWindow(Session(), settings)
        self.window.opening.how = {"jobs": 1}
        documents, unsaved = self.window.documents, self.window.unsaved
        documents.ask_unsaved = self._ask_unsaved  # type: ignore[method-assign]  # somebody answers
        documents.ask_changed = self._ask_changed  # type: ignore[method-assign]
        documents.save_as = self._save_as  # type: ignore[method-assign]
        unsaved.ask_discard = self._ask_discard  # type: ignore[method-assign]
        self.undone: set[int] = set()
        self._write = self.session.save
        self.session.save = self._save
        self.open(path)

    @property
    def session(self) -> Session:
        return self.window.session

    @property
    def planned(self) -> set[int]:
        return operations_of(self.session.plan_choice.plans.plans) if self.session.history else set()

    @property
    def asks(self) -> bool:
        """Whether closing it asks."""
        return self.session.unsaved

    @property
    def offers(self) -> tuple[RecoveryCopy, ...]:
        return self.window.unsaved.bar.copies

    def rest(self) -> None:
        """Wait until everything is read, found and written."""
        unsaved, opening = self.window.unsaved, self.window.opening
        until(lambda: not opening.busy and unsaved.is_kept and not unsaved.is_looking)

    def open(self, path: Path) -> None:
        self.window.open(path)
        self.rest()

    def plan(self, number: int) -> None:
        assert self.session.create(self.session.graph.root, f"n{number}") is None

    def save(self) -> None:
        self.window.documents.save()

    def _save(self, file: Path, *, overwrite: bool = False) -> None:
        self._write(file, overwrite=overwrite)
        self.world.give_up(self.undone)  # whoever undoes a step and saves has said it

    def save_elsewhere(self) -> None:
        self._save_as()

    def again(self) -> None:
        self.window.documents.again()

    def kill(self) -> None:
        self.rest()
        if (lock := self.window.unsaved.own._lock) is not None:
            lock.release(remove=False)
        self.window.unsaved.own._lock = None
        for worker in self.window.findChildren(Worker):
            worker.stop()  # Qt would abort this process, which is not the one that was killed
        self.drop()

    def drop(self) -> None:
        sip.delete(self.window)
        QCoreApplication.sendPostedEvents(None, QEvent.DeferredDelete)

    def close(self) -> bool:
        closed = self.window.close()
        if closed:
            self.drop()
        return closed

    # -- answers

    def _ask_unsaved(self) -> int:
        buttons = QMessageBox.StandardButton
        answer = self.world.choose(buttons.Save, buttons.Save, buttons.Discard, buttons.Cancel, buttons.Cancel)
        if answer == buttons.Discard:
            self.world.give_up(self.planned, besides=self)
        return int(answer)

    def _ask_changed(self, change: ChangedOnDisk) -> str:
        answer = self.world.choose(OVERWRITE, SAVE_AS, SAVE_AS, "", "")
        if answer == OVERWRITE and not change.gone:
            self.world.give_up(held_by(change.file), without=change.file)
        return answer

    def _save_as(self) -> bool:
        file = self.world.choose(*self.world.all_documents)
        if self.world.choose(True, False, False):
            return False  # Cancel
        if file.exists():  # the dialog asks
            self.world.give_up(held_by(file), without=file)
        return self.window.documents._save(file, overwrite=True)

    def _ask_discard(self, copy: RecoveryCopy) -> bool:
        sure = self.world.choose(True, False)
        if sure and copy.path.exists():
            self.world.give_up(held_by(copy.path), without=copy.path)
        return sure


class Apart:
    """A window in a process of its own."""

    offers: tuple[RecoveryCopy, ...] = ()

    def __init__(self, world: World, path: Path) -> None:
        self.world, self.path = world, path
        self.driven = Driven(path)
        self.asks = False

    @property
    def planned(self) -> set[int]:
        return {int(name[1:]) for name in self.driven.state["created"]}

    def rest(self) -> None:
        """It is, when it has answered."""

    def plan(self, number: int) -> None:
        assert self.driven.tell("create", f"n{number}")["refused"] is None
        self.asks = True

    def save(self) -> None:
        file = self.path if self.path.suffix == ".cbv" else self.world.documents_folder / f"{self.world.next}.cbv"
        if self.driven.tell("save", str(file))["refused"] is None:
            self.path, self.asks = file, False

    def again(self) -> None:
        self.driven.tell("again")

    def kill(self) -> None:
        if self.world.choose(True, False):  # in the midst of a step, which may be kept or not
            self.driven.begin("create", f"n{self.world.number()}")
            time.sleep(self.world.random.random() * 0.05)
        self.driven.kill()


class World:
    """The subject, the documents and the windows of one sequence.

    apart   the share of windows that are processes of their own
    """

    def __init__(self, folder: Path, seed: int, apart: float) -> None:
        self.folder, self.random, self._apart = folder, random.Random(seed), apart
        self.subject, self.documents_folder = folder / "subject", folder / "documents"
        self.documents_folder.mkdir()
        for name, text in SOURCES.items():
            (self.subject / name).parent.mkdir(parents=True, exist_ok=True)
            (self.subject / name).write_text(text)
        self.windows: list[Shown | Apart] = []
        self.done: set[int] = set()
        self.given_up: set[int] = set()
        self.told: list[str] = []
        self.next = 0

    # -- chance

    def choose(self, *choices: T) -> T:
        return self.random.choice(choices)

    def number(self) -> int:
        """A number that no operation and no document has."""
        self.next += 1
        return self.next

    # -- what there is

    @property
    def all_documents(self) -> list[Path]:
        """Where plans may be saved: what is there, and two that may not be."""
        return sorted({*self.documents, self.documents_folder / "x.cbv", self.documents_folder / "y.cbv"})

    @property
    def documents(self) -> list[Path]:
        return sorted(self.documents_folder.glob("*.cbv"))

    def offered(self) -> dict[Path, set[int]]:
        """What is offered to who opens the subject or a document: copy -> its operations."""
        found: dict[Path, set[int]] = {}
        for path in (self.subject, *self.documents):
            saved = read_document(path) if path != self.subject else None
            for copy in find_offered(path, self.subject, saved):
                assert copy.document is not None, copy.fault
                found[copy.path] = operations_of(copy.document.plans)
        return found

    def give_up(self, numbers: set[int], *, without: Path | None = None, besides: Shown | None = None) -> None:
        """An answer gives up operations, as far as they are nowhere else where they would be asked about."""
        for file in self.documents:
            if file != without:
                numbers = numbers - held_by(file)
        for path, held in self.offered().items():
            if path != without:
                numbers = numbers - held
        for window in self.windows:
            if window is not besides and window.asks:
                numbers = numbers - window.planned
        self.given_up |= numbers

    def check(self) -> None:
        """Raises Lost."""
        held = set().union(*(held_by(file) for file in self.documents), *self.offered().values())
        held = held.union(*(window.planned for window in self.windows))
        if lost := self.done - self.given_up - held:
            raise Lost(f"lost: {sorted(lost)}")

    # -- what people do

    def step(self) -> None:
        """One thing that somebody does."""
        window = self.choose(*self.windows) if self.windows else None
        if window is None or (len(self.windows) < MOST_WINDOWS and self.random.random() < 0.15):
            self._tell("open a window", None)
            path = self.choose(self.subject, *self.documents)
            kind = Apart if self.random.random() < self._apart else Shown
            self.windows.append(kind(self, path))
            return
        deeds: list[tuple[int, Callable[[Shown | Apart], None]]] = [
            (16, self.plan),
            (3, self.save),
            (2, self.again),
            (4, self.kill),
            (1, self.rename),
            (1, self.delete),
        ]
        if isinstance(window, Shown):
            deeds += [(2, self.undo), (1, self.save_as), (1, self.go_elsewhere), (2, self.close)]
            deeds += [(1, self.begin_plan), (2, self.branch_plan), (2, self.switch_plan)]
            deeds += [(1, self.rename_plan), (1, self.delete_plan)]
            deeds += [(6, self.restore), (2, self.discard), (1, self.put_off)] if window.offers else []
        (deed,) = self.random.choices([deed for _, deed in deeds], [weight for weight, _ in deeds])
        self._tell(deed.__name__, window)
        deed(window)
        for other in self.windows:
            other.rest()

    def _tell(self, what: str, window: Shown | Apart | None) -> None:
        self.told.append(what if window is None else f"{what} (window {self.windows.index(window)})")

    def plan(self, window: Shown | Apart) -> None:
        number = self.number()
        window.plan(number)
        self.done.add(number)

    def undo(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        before = window.planned
        window.session.undo()
        window.undone |= before - window.planned
        self.give_up(before - window.planned)

    def begin_plan(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        window.session.plan_choice.new()

    def branch_plan(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        window.session.plan_choice.branch()

    def switch_plan(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        window.session.plan_choice.switch(self.choose(*window.session.plan_choice.plans.names))

    def rename_plan(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        plans = window.session.plan_choice
        plans.rename(self.choose(*plans.plans.names), f"Plan called {self.number()}")

    def delete_plan(self, window: Shown | Apart) -> None:
        """A plan that is not the only one."""
        assert isinstance(window, Shown)
        plans, before = window.session.plan_choice, window.planned
        if len(plans.plans.plans) > 1:
            plans.delete(self.choose(*plans.plans.names))
            window.undone |= before - window.planned
            self.give_up(before - window.planned)

    def save(self, window: Shown | Apart) -> None:
        window.save()

    def save_as(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        window.save_elsewhere()

    def again(self, window: Shown | Apart) -> None:
        window.again()

    def go_elsewhere(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        window.open(self.choose(self.subject, *self.documents))

    def restore(self, window: Shown | Apart) -> None:
        window_ = window
        assert isinstance(window_, Shown)
        window_.window.unsaved.restore(self.choose(*window_.offers))

    def discard(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        window.window.unsaved._ask_and_discard(self.choose(*window.offers))

    def put_off(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        window.window.unsaved.bar.hide()

    def kill(self, window: Shown | Apart) -> None:
        window.kill()
        self.windows.remove(window)

    def close(self, window: Shown | Apart) -> None:
        assert isinstance(window, Shown)
        if window.close():
            self.windows.remove(window)

    def rename(self, _window: Shown | Apart) -> None:
        if self.documents:
            self.choose(*self.documents).rename(self.documents_folder / f"{self.number()}.cbv")

    def delete(self, _window: Shown | Apart) -> None:
        if self.documents:
            file = self.choose(*self.documents)
            self.give_up(held_by(file), without=file)
            file.unlink()

    # -- the end

    def end(self) -> None:
        """All windows are killed; what is offered is read from new windows."""
        for window in list(self.windows):
            self.kill(window)
        self.check()
        offered: set[int] = set()
        for path in (self.subject, *self.documents):
            window = Shown(self, path)
            offered |= set().union(*(operations_of(c.document.plans) for c in window.offers if c.document is not None))
            window.kill()
        held = set().union(*(held_by(file) for file in self.documents))
        if lost := self.done - self.given_up - held - offered:
            raise Lost(f"not offered: {sorted(lost)}")

    def abandon(self) -> None:
        """After a failure: no process or window is left."""
        for window in self.windows:
            window.driven.kill() if isinstance(window, Apart) else window.kill()
        self.windows.clear()


def run(folder: Path, seed: int, steps: int, apart: float = 0.0) -> Counter[str]:
    """One sequence in an empty folder; how often what was done. Raises Lost."""
    world = World(folder, seed, apart)
    try:
        with mock.patch.object(analysis_folder, "FIRST_BYTES", 0):  # always in two stages
            for _ in range(steps):
                world.step()
                world.check()
            world.end()
    except (Lost, TimeoutError, AssertionError, InputError) as error:
        raise Lost(f"{error}\n  seed {seed}, the steps:\n  " + "\n  ".join(world.told)) from error
    finally:
        world.abandon()
    counted = Counter(told.partition(" (")[0] for told in world.told)
    counted["operations"], counted["given up"] = len(world.done), len(world.given_up)
    return counted


@contextmanager
def own_folder() -> Iterator[Path]:
    """A folder, with the settings and data of the user in it."""
    with tempfile.TemporaryDirectory() as name, mock.patch.dict(os.environ):
        for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
            os.environ[f"XDG_{kind}_HOME"] = f"{name}/{kind.lower()}"
        os.environ["CBVTOOL_CACHE"] = ""
        (Path(name) / "config").mkdir()
        yield Path(name)


def main() -> int:
    """Run sequences; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--apart", type=float, default=0.1, help="share of windows that are processes of their own")
    chosen = parser.parse_args()
    first = chosen.seed if chosen.seed is not None else random.SystemRandom().randrange(10**6)
    print(f"{chosen.count} sequences of {chosen.steps} steps from seed {first}", flush=True)
    total: Counter[str] = Counter()
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.mkdtemp(prefix="cbvtool-runtime-"))
    _qt = application()
    for seed in range(first, first + chosen.count):
        with own_folder() as folder:
            try:
                counted = run(folder, seed, chosen.steps, chosen.apart)
            except Lost as lost:
                print(lost, file=sys.stderr)
                return 1
        total += counted
        print(
            f"seed {seed}: {counted['operations']} operations, {counted['given up']} given up by an answer", flush=True
        )
    print(", ".join(f"{what} {count}" for what, count in total.most_common()))
    print(f"{chosen.count} sequences, nothing lost")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
