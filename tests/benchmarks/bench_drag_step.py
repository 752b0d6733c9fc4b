"""What a step of a drag costs in two checkouts of cbvtool, alternated in one run:

    bench_drag_step.py BEFORE [--moves 200] REPO ...

Both judge the same moves of files and folders, modules being packages: milliseconds of processor time of the thread,
median, p95 and longest, and the ratio of the medians, after / before. Then, in this checkout alone, by the modules that
are found, with the fork of steps that change no module: the share of steps within 100 ms.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("repos", nargs="+", type=Path, metavar="REPO")
    parser.add_argument("--moves", type=int, default=200)
    options = parser.parse_args()
    heads = ("repository", "steps", "before: p50, p95, longest, ms", "after", "ratio", "found", "within 100 ms")
    print(f"| {' | '.join(heads)} |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for repo in options.repos:
        pair = [_child(checkout, repo, "packages") for checkout in (options.before, HERE)]
        found = _child(HERE, repo, "found")
        taken: list[list[float]] = [[], [], []]
        for number in range(options.moves):
            order = (0, 1) if number % 2 else (1, 0)
            for side in order:
                taken[side].append(_ask(pair[side], number))
            taken[2].append(_ask(found, number))
        for child in (*pair, found):
            child.stdin.close()
            child.wait()
        ratio = np.median(taken[1]) / np.median(taken[0])
        within = np.mean(np.array(taken[2]) <= 100)
        columns = [f"{np.median(one):.1f}, {np.percentile(one, 95):.1f}, {max(one):.1f}" for one in taken]
        row = (repo.name, f"{options.moves:,}", columns[0], columns[1], f"{ratio:.2f}", columns[2], f"{within:.1%}")
        print(f"| {' | '.join(row)} |", flush=True)


def _child(checkout: Path, repo: Path, modules: str) -> Any:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(checkout / "src"), str(checkout)))}
    child = subprocess.Popen(
        [sys.executable, str(Path(__file__)), "--child", str(repo), modules],
        cwd=checkout,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    if child.stdout.readline().strip() != "ready":
        raise SystemExit(f"{checkout}: {repo} could not be prepared")
    return child


def _ask(child: Any, number: int) -> float:
    child.stdin.write(f"{number}\n")
    child.stdin.flush()
    return float(json.loads(child.stdout.readline()))


def _serve(repo: str, modules: str) -> None:
    """Judge the move with the number that comes in, and say how many milliseconds that took."""
    from cbvtool.plan import Move
    from cbvtool.project import open_project
    from cbvtool.rules import Rules

    room = "cbvtool.assessment" if (Path.cwd() / "src/cbvtool/assessment").is_dir() else "cbvtool.plan.judgement"
    judging, ways = import_module(f"{room}.judged"), import_module(f"{room}.modules")
    project = open_project(Path(repo))
    graph = project.graph
    choice = ways.ModuleChoice(modules)
    ready = judging.judged(judging.Asked(graph, graph, project.changes, Rules(), choice, graph.root))
    chance = random.Random(3)
    folders = [key for key in graph.tree.order.tolist() if graph.kind(key) in ("folder", "package")]
    pools = [[key for key in graph.tree.order.tolist() if graph.kind(key) == "file"], folders]
    moves: list[Move] = []
    while len(moves) < 2_000:
        key, target = chance.choice(pools[len(moves) % 2]), chance.choice(folders)
        if not graph.is_below(target, key) and graph.parent[key] != target:
            moves.append(Move((graph.ids[key],), graph.ids[target]))
    local = import_module(f"{room}.local") if modules == "found" else None
    forks = None if local is None else local.Forks()
    print("ready", flush=True)
    for line in sys.stdin:
        move = moves[int(line)]
        begun = time.thread_time()
        at = ready if forks is None or local is None else forks.at(ready, local.fork_of(ready, (move,)))
        at.step(move)
        print(json.dumps(1000 * (time.thread_time() - begun)), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--child":
        _serve(*sys.argv[2:])
    else:
        main()
