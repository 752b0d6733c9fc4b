"""Judges what is dragged, in the background: the figures of the drop at the pointer, and the gain of other targets."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from qtpy.QtCore import QObject, QTimer

from cbvtool.assessment.comparing import work_of
from cbvtool.assessment.figures import Judgement
from cbvtool.assessment.figures import PlanWork as Price
from cbvtool.assessment.gains import gains
from cbvtool.assessment.judged import Judged
from cbvtool.assessment.local import Forks, fork_around, fork_of
from cbvtool.assessment.modules import heading
from cbvtool.assessment.prepared import PreparedGraph
from cbvtool.assessment.rows import FIRST, rows, told_here, with_pending_price
from cbvtool.geometry.scene.scene import Scene
from cbvtool.graph import Graph
from cbvtool.hierarchies.folders import PackageFolders
from cbvtool.plan import Group, History, Move, Operation, can_hold, check
from cbvtool.progress import Progress, checkpoint
from cbvtool.session import Session
from cbvtool.session.change import Change
from cbvtool.session.planning.steps import list_of_tasks
from cbvtool.view.canvas.canvas import Canvas
from cbvtool.view.toolkit.jobs import Jobs
from cbvtool.view.toolkit.settings import Settings
from cbvtool.words import one_line

MOST_TARGETS = 300  # that are tinted, the largest
MODULES, INSIDE = "Modules", "No module changes; here"
RESTS = 120  # milliseconds without another target, after which the places to change are counted
REST = 0.001  # seconds between two targets, in which the window's thread has the interpreter


class Judging(QObject):
    """Follows a drag of the session, and tells the canvas what to show. What is asked for last wins."""

    def __init__(self, session: Session, jobs: Jobs, settings: Settings, canvas: Canvas) -> None:
        super().__init__(canvas)
        self._session, self._jobs, self._settings, self._canvas = session, jobs, settings, canvas
        self._wanted: tuple[Judged, tuple[Operation, ...]] | None = None  # what was asked for last
        self._tinted: tuple[Judged, tuple[int, ...]] | None = None  # likewise
        self._failed: object = None  # the graph that could not be prepared for
        self._forks, self._forks_of_targets = Forks(), Forks()  # of steps that change no module; one for each job
        self._shown: tuple[Judgement, str, bool] | None = None  # on the card, without the price; whether at a fork
        self._price: tuple[History, Price] | None = None  # of the plan as it is
        self._rest = QTimer(self)  # of the pointer: then the places to change are counted, which reads the code
        self._rest.setSingleShot(True)
        self._rest.setInterval(RESTS)
        self._rest.timeout.connect(self._count)
        self._unsubscribe = session.subscribe(self._follow)

    def close(self) -> None:
        """Wait until the threads are gone."""
        self._unsubscribe()
        self._rest.stop()
        self._jobs.stop(self)

    def _follow(self, what: Change) -> None:
        if what in (Change.VIEW, Change.PLAN):
            self._next()

    def _next(self) -> None:
        session, card = self._session, self._canvas.judgement
        drag = session.view.drag if session.is_open else None
        if drag is None:
            if self._wanted is not None or self._tinted is not None:
                self._wanted = self._tinted = None
                for purpose in ("step", "price", "targets"):
                    self._jobs.drop(self, purpose)
            self._failed = self._shown = None
            self._rest.stop()
            card.clear()
            return
        ready = session.judging.ready
        if ready is None:
            self._prepare()
            return
        candidate = self._candidate()
        if self._wanted is None or self._wanted[0] is not ready or self._wanted[1] != candidate:
            self._wanted = ready, candidate
            self._judge(ready, candidate)
        if self._settings.tint_targets and self._tinted != (ready, drag.keys):
            self._tinted = ready, drag.keys
            self._look_for_targets(ready, drag.keys)

    def _candidate(self) -> tuple[Operation, ...]:
        """What a drop would record now; nothing where it is refused, or nothing would change."""
        candidate = self._session.candidate()
        return () if candidate.refusal or candidate.at_home else candidate.operations

    def _prepare(self) -> None:
        """Begin to prepare, unless that is under way, or failed."""
        preparing = self._session.judging.preparing()
        if preparing is None or self._jobs.is_busy(self) or self._failed is self._session.graph:
            return
        self._jobs.run(
            self, "Judging the plan", lambda _: preparing(), self._prepared, self._fail, cancelled=self._fail
        )

    def _prepared(self, found: Judged) -> None:
        self._session.judging.prepared(found)
        self._next()

    def _fail(self, why: str = "") -> None:
        self._failed = self._session.graph if self._session.is_open else None

    def _judge(self, ready: Judged, candidate: tuple[Operation, ...]) -> None:
        same = Judgement(ready.planned.figures, ready.planned.figures)
        self._jobs.drop(self, "price")
        if not candidate:
            self._jobs.drop(self, "step")
            self._show(ready, same)
            return
        self._canvas.judgement.await_rows()

        def work(_progress: Progress) -> tuple[Judged, Judgement | None]:
            at = self._forks.at(ready, fork_of(ready, candidate))
            return at, at.step(*candidate)

        def show(found: tuple[Judged, Judgement | None]) -> None:
            at, judgement = found
            self._show(at, judgement or same, inside=at is not ready)

        self._jobs.run(self, "Judging the move", work, show, lambda _: None, purpose="step", quiet=True)

    def _count(self) -> None:
        """Count the places to change of the plan, and of the plan with what a drop would record."""
        session = self._session
        history, wanted = session.history, self._wanted
        if history is None or wanted is None:
            return
        project, noted, operations = session.project, session.annotations, wanted[1]
        known = self._price[1] if self._price is not None and self._price[0] is history else None

        def work(_progress: Progress) -> tuple[Price, Price]:
            before = known or work_of(list_of_tasks(history, project, noted))
            after = history.do(Group("", operations)) if operations else None
            return before, before if after is None else work_of(list_of_tasks(after, project, noted))

        def show(found: tuple[Price, Price]) -> None:
            self._price = history, found[0]
            if self._wanted is wanted and self._shown is not None:
                judgement, words, inside = self._shown
                before, after = (
                    replace(side, work=price)
                    for side, price in zip((judgement.before, judgement.after), found, strict=True)
                )
                self._show_rows(Judgement(before, after), words, inside)

        self._jobs.run(self, "Counting places to change", work, show, lambda _: None, purpose="price", quiet=True)

    def _show_rows(self, judgement: Judgement, words: str, inside: bool) -> None:
        told = with_pending_price(rows(judgement))
        if not self._settings.more_figures:
            told = tuple(row for row in told if row.name in FIRST)
        self._canvas.judgement.show_rows(told_here(told) if inside else told, words)

    def _show(self, ready: Judged, judgement: Judgement, *, inside: bool = False) -> None:
        asked = ready.asked
        words = heading(asked.base, asked.modules, asked.root, fork=asked.fork, by_calls=asked.calls is not None)
        what = INSIDE if inside else MODULES
        if self._session.history is not None and self._session.history.done:
            what = f"By this step. {what}"
        self._shown = judgement, one_line(f"{what}: {words}"), inside
        self._show_rows(*self._shown)
        self._rest.start()

    def _look_for_targets(self, ready: Judged, keys: tuple[int, ...]) -> None:
        scene = self._canvas.stage.scene
        graph = ready.planned.graph
        if scene is None or scene.graph is not self._session.graph:
            return
        targets = containers(scene, keys)
        folder_of = {key: key for key in targets}
        if (where := self._session.hierarchy.folders) is not None:
            keys, folder_of = as_folders(where, keys, targets)

        def work(_progress: Progress) -> dict[int, float]:
            at = self._forks_of_targets.at(ready, fork_around(ready, keys))
            there = inside(at.planned, keys, list(folder_of.values()))
            gained = gains(at.planned, keys, there, fits(graph, keys), _breathe)
            return {key: gained[folder] for key, folder in folder_of.items() if folder in gained}

        self._jobs.run(
            self,
            "Judging possible targets",
            work,
            self._canvas.judgement.show_gains,
            lambda _: None,
            purpose="targets",
            quiet=True,
        )


def containers(scene: Scene, keys: Sequence[int]) -> list[int]:
    """Keys of the segments that may hold nodes of the kinds of `keys`, the largest first, at most MOST_TARGETS."""
    graph, tree, layout = scene.graph, scene.tree, scene.layout
    kinds = {graph.kind(key) for key in keys}
    holders = [all(can_hold(name, kind, graph) for kind in kinds) for name in graph.kind_names]
    items = np.flatnonzero(np.array(holders, np.bool_)[graph.kinds[tree.key]] & ~tree.slot)
    size = (layout.a1 - layout.a0)[items] * (layout.r1 - layout.r0)[items]
    most = items[np.argsort(-size, kind="stable")][:MOST_TARGETS]
    found: list[int] = tree.key[most[most > 0]].tolist()
    return found


def inside(prepared: PreparedGraph, keys: Sequence[int], targets: Sequence[int]) -> list[int]:
    """Targets at which `keys` still count: what leaves all modules leaves its relations, and every figure is better."""
    place = prepared.places
    counts = (place.level >= 0) & ~place.apart
    return [target for target in targets if counts[target]] if counts[list(keys)].all() else list(targets)


def as_folders(
    where: PackageFolders, keys: Sequence[int], targets: Iterable[int]
) -> tuple[tuple[int, ...], dict[int, int]]:
    """(what is held, as folders and files; target -> its folder), below the source root where what is held lies.

    A package has none where a drop would make it first: that is in no module yet.
    """
    held, roots = list[int](), list[int]()
    for key in keys:
        if where.is_group(key):
            root, folder = next(iter(where.of(where.outermost(key)).items()), (-1, -1))
        else:
            home = where.home(key)
            root, folder = -1 if home is None else home.root, key
        if folder >= 0:
            held.append(folder)
            roots.append(root)
    found = dict[int, int]()
    for key in targets:
        if not where.is_group(key):
            found[key] = key
        elif there := where.of(where.path_of(key)):
            found[key] = next((there[root] for root in roots if root in there), next(iter(there.values())))
    return tuple(held), found


def fits(graph: Graph, keys: Sequence[int]) -> Callable[[int], bool]:
    """Whether a target may hold nodes that are moved there."""
    return partial(_fits, graph, tuple(graph.ids[key] for key in keys))


def _fits(graph: Graph, nodes: tuple[str, ...], target: int) -> bool:
    return check(Move(nodes, graph.ids[target]), graph) is None


def _breathe() -> None:
    checkpoint()
    time.sleep(REST)
