"""What judging a plan costs while something is dragged: make bench-planning, or

    python tests/benchmarks/bench_planning.py [--moves 300] [--seconds 8] [--drag 2000x10000] [REPO ...]

judgement    every figure after a move of a file, or of a folder, to another folder: milliseconds of processor time / of
             the clock, p50, p95, longest. On a made-up project of 10,000 files with 50,000 relations, and on each REPO
             (a folder, or a file of a graph), the packages directly in its widest one as layers, cycles forbidden.
             Beside it: what is prepared once for a drag, and the rules found from nothing.
drag         the real window, in this process, without a screen, takes events of the mouse: a file is carried around for
             some seconds. Pictures a second, the longest time in which the window took no event (by its thread / by the
             clock), and how long a judgement took meanwhile. On a made-up project of 2,000 nodes with 10,000 relations,
             and on each REPO.

Others that use the processors make the clock longer; processor time is that of the thread that works.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from qtpy.QtCore import QEvent, QPoint, QPointF, Qt
from qtpy.QtGui import QMouseEvent
from qtpy.QtWidgets import QApplication

from cbvtool.assessment.after import judge_change
from cbvtool.assessment.change import moving
from cbvtool.assessment.judged import Judged
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.assessment.prepared import PreparedGraph, coupled, prepare
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.project import Project, open_project
from cbvtool.rules import Rules, violations
from cbvtool.view.toolkit.application import application
from tests.benchmarks.bench_view import Watch, watched

FOLDERS = ("folder", "package")
EVERY = 1 / 60  # seconds between two moves of the mouse
Times = list[tuple[float, float]]  # seconds of processor time, and of the clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--moves", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--drag", default="2000x10000")
    parser.add_argument("repos", nargs="*", type=Path, metavar="REPO")
    options = parser.parse_args()
    projects = [open_project(repo) for repo in options.repos]
    made_up = made(10_000, 50_000, random.Random(1))
    print("| judgement, milliseconds of processor time / of the clock | p50 | p95 | longest |\n|---|---:|---:|---:|")
    judge(f"{len(files(made_up)):,} files, {len(made_up.edges):,} relations", made_up, None, options.moves)
    for project in projects:
        judge(project.name, project.graph, project, options.moves)
    nodes, relations = map(int, options.drag.split("x"))
    small = made(nodes * 9 // 10, relations, random.Random(2))
    loop = application()
    columns = ("drag", "pictures a second", "processor ms each", "longest pause, ms", "judgement p50", "p95", "longest")
    print(f"\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}")
    drag(f"{len(small):,} nodes, {len(small.edges):,} relations", small, None, loop, options.seconds)
    for project in projects:
        drag(project.name, project.graph, project, loop, options.seconds)
    print(f"\n{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the end.")


def made(count: int, relations: int, chance: random.Random) -> Graph:
    """A project of `count` files in a tenth as many folders, two and three deep, most relations near."""
    builder = GraphBuilder("made up")
    folders: list[str] = []
    for number in range(max(20, count // 10)):
        above = chance.choice(folders[: max(1, count // 200)]) if number >= 20 else ""
        folders.append(f"{above}/d{number}".lstrip("/"))
        builder.add_node(folders[-1], above, f"d{number}", "folder")
    names: list[str] = []
    for number in range(count):
        above = folders[number * len(folders) // count]
        names.append(f"{above}/f{number}.py")
        builder.add_node(names[-1], above, f"f{number}.py", "file", file=names[-1], values={"sloc": 100.0})
    known: set[tuple[int, int]] = set()
    while len(known) < relations:
        user = chance.randrange(count)
        near = chance.random() < 0.7
        used = (user + chance.randint(-30, 30)) % count if near else chance.randrange(count)
        if user != used and (user, used) not in known:
            known.add((user, used))
            sites = [(names[user], len(known) % 90 + 1)]
            builder.add_edge(builder.key(names[user]), builder.key(names[used]), "import", sites=sites)
    return builder.freeze()


def files(graph: Graph) -> list[int]:
    return of_kinds(graph, ("file",))


def of_kinds(graph: Graph, kinds: tuple[str, ...]) -> list[int]:
    return [key for key in graph.tree.order.tolist() if graph.kind(key) in kinds]


def rules_of(graph: Graph) -> Rules:
    """The packages directly in the widest of the containers as layers, cycles forbidden."""
    inner = {
        key: [k for k in graph.children(key).tolist() if graph.kind(k) in FOLDERS] for key in graph.tree.order.tolist()
    }
    widest = max(inner, key=lambda key: len(inner[key]))
    return Rules(tuple(graph.ids[key] for key in inner[widest]), (), True)


def judge(name: str, graph: Graph, project: Project | None, moves: int) -> None:
    """Rows of the table about one project."""
    rules, chance = rules_of(graph), random.Random(3)
    together = coupled(graph, None if project is None else project.changes)
    made: list[PreparedGraph] = []
    once = [
        timed(lambda: made.append(prepare(graph, graph, rules, ModuleChoice("layers"), coupled=together)))
        for _ in range(5)
    ]
    folders = of_kinds(graph, FOLDERS)
    for what, pool in (("a file", files(graph)), ("a folder", folders)):
        taken: Times = []
        while len(taken) < moves:
            key, target = chance.choice(pool), chance.choice(folders)
            if graph.is_below(target, key) or graph.parent[key] == target:
                continue
            taken.append(timed(lambda key=key, target=target: judge_change(made[0], moving([key], target))))  # type: ignore[misc]
        print(f"| {name}: {what} moves | {figures(taken)} |")
    print(f"| {name}: prepared once | {figures(once)} |")
    listed = figures([timed(lambda: violations(graph, rules))])
    print(f"| {name}: rules from nothing, {made[0].figures.violations:,} violations | {listed} |")


def timed(work: Callable[[], object]) -> tuple[float, float]:
    processor, clock = time.thread_time(), time.perf_counter()
    work()
    return time.thread_time() - processor, time.perf_counter() - clock


def figures(taken: Times) -> str:
    """p50 | p95 | longest."""
    columns = 1000 * np.array(taken)
    rows = [np.percentile(columns, share, axis=0) for share in (50, 95, 100)]
    return " | ".join(f"{processor:,.1f} / {clock:,.1f}" for processor, clock in rows)


def drag(name: str, graph: Graph, project: Project | None, loop: QApplication, seconds: float) -> None:
    """A row of the table about a real drag."""
    watch, _ = watched(graph, loop, 1600, 1000)
    session, canvas = watch.window.session, watch.window.canvas
    if project is not None:
        session.open(project)
    session.rules = rules_of(graph)
    widest = graph.key_of[session.rules.layers[0]]
    session.restrict(int(graph.parent[widest]))
    session.set_view(modules=ModuleChoice("layers"))
    if project is None:
        session.show_files()
    else:
        session.show_depth(2)
    watch.settle()
    canvas.stage.toggle_top()
    watch.settle()
    taken: Times = []
    step = Judged.step

    def judged(self: Judged, operation: object) -> object:
        found: list[object] = []
        taken.append(timed(lambda: found.append(step(self, operation))))  # type: ignore[arg-type]  # passed on
        return found[0]

    Judged.step = judged  # type: ignore[method-assign, assignment]  # the window need not know that it is watched
    try:
        rate, each, pause = carried(watch, seconds)
    finally:
        Judged.step = step  # type: ignore[method-assign]
        canvas.cancel_drag()
        watch.close()
    print(f"| {name} | {rate:.1f} | {each:.1f} | {pause[0]:,.1f} / {pause[1]:,.1f} | {figures(taken)} |")


def carried(watch: Watch, seconds: float) -> tuple[float, float, tuple[float, float]]:
    """Carry a segment around: pictures a second, milliseconds of the processor for each, the longest pause."""
    canvas, stage = watch.window.canvas, watch.window.canvas.stage
    scene = stage.scene
    assert scene is not None
    leaves = [
        i
        for i in np.flatnonzero(scene.tree.leaf).tolist()
        if scene.graph.kind(int(scene.tree.key[i])) in ("file", "package", "folder")
    ]
    item = leaves[len(leaves) // 3]
    start = stage.picking.place_of(int(scene.tree.key[item]))
    send(canvas, QEvent.Type.MouseButtonPress, start)
    send(canvas, QEvent.Type.MouseMove, start + QPoint(9, 0))
    watch.until(lambda: watch.window.session.view.drag is not None)
    watch.until(lambda: bool(canvas.judgement.rows) and bool(canvas.judgement.gains))
    watch.pauses.clear()
    painted, begin, moves = watch.painted, time.perf_counter(), 0
    worked = time.process_time()
    middle, radius = QPointF(canvas.width() / 2, canvas.height() / 2), 0.42 * canvas.height()
    while (now := time.perf_counter() - begin) < seconds:
        if now >= moves * EVERY:
            moves += 1
            angle = now * 0.7
            depth = radius * (0.92 + 0.08 * np.sin(now * 5))
            place = QPointF(middle.x() + depth * np.sin(angle), middle.y() - depth * np.cos(angle)).toPoint()
            send(canvas, QEvent.Type.MouseMove, place)
        before = len(watch.pauses)
        watch.until(lambda before=before: len(watch.pauses) > before)  # type: ignore[misc]
    processor, clock = zip(*watch.pauses, strict=True)
    pictures = watch.painted - painted
    each = 1000 * (time.process_time() - worked) / max(1, pictures)
    return pictures / (time.perf_counter() - begin), each, (1000 * max(processor), 1000 * max(clock))


def send(canvas: object, kind: QEvent.Type, place: QPoint) -> None:
    """An event of the mouse with its left button held."""
    button = Qt.MouseButton.LeftButton if kind != QEvent.Type.MouseMove else Qt.MouseButton.NoButton
    at = QPointF(place)
    QApplication.postEvent(
        canvas,  # type: ignore[arg-type]
        QMouseEvent(kind, at, at, button, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier),
    )


if __name__ == "__main__":
    main()
