"""Where does this belong? Files of public repositories are moved to random other packages, and the origin is asked for.

    python -m tests.judges.belongs --count 200 CLONE...

A file counts that is code, has a relation with another, is no `__init__.py` or `package-info.java` (which say what a
package is), and does not lie alone in its package: an empty package has nothing by which it could be known.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path

import numpy as np

from cbvtool.asking.impact import is_test
from cbvtool.findings.finding import Examined
from cbvtool.graph import Graph
from cbvtool.metrics.structure.users import of_kinds
from cbvtool.mining.changes import Changes
from cbvtool.plan import Move, replay
from cbvtool.project import open_project
from cbvtool.proposals.belongs import belongs
from cbvtool.proposals.relatedness import Relatedness
from cbvtool.rules import dependencies, files

PACKAGE_FILES = ("__init__.py", "package-info.java", "module-info.java")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2026)
    chosen = parser.parse_args()
    print("| repository | which files | history | moved | origin first | among three |\n|---|---|---|---|---|---|")
    for clone in chosen.clones:
        project = open_project(clone)
        for tests in (False, True):
            for changes in (project.changes, None):
                first, three, count = tried(project.graph, changes, tests, chosen.count, chosen.seed)
                which, history = ("with tests" if tests else "without tests"), ("no" if changes is None else "yes")
                shares = (f"{100 * found / max(1, count):.0f} %" for found in (first, three))
                print(f"| {clone.name} | {which} | {history} | {count} | {' | '.join(shares)} |", flush=True)


def tried(graph: Graph, changes: Changes | None, tests: bool, count: int, seed: int) -> tuple[int, int, int]:
    """(origins named first, named among three, files moved)."""
    examined, dice = Examined(graph, changes, tests=tests), random.Random(seed)
    found = candidates(examined)
    dice.shuffle(found)
    first = three = 0
    # What is near does not ask where the file lies; that it may be worked out once is tried on the first ten.
    related = Relatedness(examined)
    marked = is_test(graph)
    places = {sort: np.unique(graph.parent[examined.files[marked[examined.files] == sort]]) for sort in (False, True)}
    for number, key in enumerate(found[:count]):
        origin = int(graph.parent[key])
        others = places[bool(marked[key])]
        target = int(dice.choice(others[others != origin].tolist()))
        moved = replay(graph, [Move((graph.ids[key],), graph.ids[target])])
        assert moved.parent[key] == target
        after = Examined(moved, changes, tests=tests)
        named = [place.target for place in belongs(after, (key,), related, 3)]
        if number < 10:
            assert named == [place.target for place in belongs(after, (key,), most=3)]
        first += named[:1] == [origin]
        three += origin in named
    return first, three, min(count, len(found))


def candidates(examined: Examined) -> list[int]:
    """Keys of the files that may be moved."""
    graph, file = examined.graph, files(examined.graph)
    edges, kept = graph.edges, dependencies(graph, type_checking=True)
    source, target = file[edges.source[kept]], file[edges.target[kept]]
    related = np.zeros(len(graph), np.bool_)
    related[np.concatenate((source, target))[np.tile(source != target, 2)]] = True
    marked = is_test(graph)
    inside = np.zeros((2, len(graph)), np.int64)
    for sort in (0, 1):
        np.add.at(inside[sort], graph.parent[examined.files[marked[examined.files] == sort]], 1)
    is_file = of_kinds(graph, ("file",))
    return [
        key
        for key in examined.files.tolist()
        if is_file[key]
        and related[key]
        and graph.names[key] not in PACKAGE_FILES
        and inside[int(marked[key])][graph.parent[key]] >= 2
    ]


if __name__ == "__main__":
    main()
