"""Judges renames of functions and classes on public Python repositories, by jedi and by the repositories' own tests.

    python -m tests.judges.renames [--count N] [--seed N] [--tests COMMAND] --python INTERPRETER CLONE ...

Of each clone N random functions, classes and methods outside of its tests get other names, each on its own. What is
refused is counted by its reason. For what is renamed, jedi (which INTERPRETER has) is asked about every place of the
old name: one that it takes for the definition, and that was not changed, is *missed*; one that was changed, and that it
takes for something else, is *wrong*. With --tests all renames that can be are carried out one after the other, and
COMMAND is run by a shell in a copy with them, and in one without: what it says at the end is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.renames.renaming import RenamedTree, renamed
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph
from cbvtool.plan.lower import run
from cbvtool.plan.primitives import RenameNode
from cbvtool.project import open_project

NOT_CODE = re.compile(r"^(?:tests?|testing|examples?|docs?|t|scripts?|benchmarks?)/|/tests?/|(?:^|/)(?:test_|conftest)")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tests", default="", help="command of the shell")
    parser.add_argument("--python", required=True, help="interpreter that has jedi")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    print("| repository | asked | renamed | places | jedi agrees | does not know | missed | wrong |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    bad = 0
    for clone in options.clones:
        bad += judge(clone.resolve(), options)
    return int(bad > 0)


def judge(clone: Path, options: argparse.Namespace) -> int:
    """Judge one clone; how many renames jedi objects to."""
    graph = open_project(clone, cache=False).graph
    tree = tree_of(clone)
    keys = [key for key in range(len(graph)) if is_candidate(graph, key)]
    random.Random(options.seed).shuffle(keys)
    keys = keys[: options.count]
    done: list[tuple[int, str, RenamedTree]] = []
    reasons = Counter[str]()
    for key in keys:
        try:
            done.append((key, new_name(graph.names[key]), renamed(tree, graph, key, new_name(graph.names[key]))))
        except Stopped as stopped:
            reasons[kind_of(stopped.reason)] += 1
            if options.verbose:
                print(f"  refused {graph.ids[key]}: {stopped.reason}")
    places = agreed = unknown = missed = wrong = bad = 0
    with subprocess.Popen(
        [options.python, Path(__file__).with_name("rename_child.py"), clone],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for key, _, found in done:
            question = question_of(graph, key, tree, found)
            child.stdin.write(json.dumps(question) + "\n")
            child.stdin.flush()
            answer = json.loads(child.stdout.readline())
            places += len(question["changed"])
            agreed, unknown = agreed + answer["agreed"], unknown + answer["unknown"]
            missed, wrong = missed + len(answer["missed"]), wrong + len(answer["wrong"])
            bad += bool(answer["missed"] or answer["wrong"])
            if answer["missed"] or answer["wrong"]:
                print(f"  {graph.ids[key]}: missed {answer['missed']}, wrong {answer['wrong']}", flush=True)
        child.stdin.close()
    print(f"| {clone.name} | {len(keys)} | {len(done)} | {places} | {agreed} | {unknown} | {missed} | {wrong} |")
    for reason, count in reasons.most_common():
        print(f"  {count} refused: {reason}", flush=True)
    if options.tests:
        tests(clone, graph, tree, [(key, new) for key, new, _ in done], options.tests)
    return bad


def tree_of(clone: Path) -> FileTree:
    listed = subprocess.run(["git", "-C", clone, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    paths = [path for path in listed.split("\0") if path and (clone / path).is_file()]
    return FileTree(frozenset(paths), {path: (clone / path).read_bytes() for path in paths if is_python(path)})


def is_candidate(graph: Graph, key: int) -> bool:
    path, _, names = graph.ids[key].partition("::")
    is_special = graph.names[key].startswith("__") and graph.names[key].endswith("__")
    return bool(names) and graph.kind(key) in ("function", "class") and not NOT_CODE.search(path) and not is_special


def new_name(old: str) -> str:
    return f"{old}_renamed" if old.islower() else f"{old}Renamed"


def kind_of(reason: str) -> str:
    """The reason without what it is about."""
    return re.sub(r"\S*[/.:_]\S*|\b[A-Z]\w+", "…", reason)


def question_of(graph: Graph, key: int, tree: FileTree, found: RenamedTree) -> dict[str, Any]:
    old = graph.names[key]
    changed: list[tuple[str, int, int]] = []
    for path, numbers in found.places.items():
        starts = list(matches(tree.contents[path].decode(), old))
        changed += [(path, *starts[number]) for number in sorted(numbers)]
    path = graph.ids[key].partition("::")[0]
    line = int(graph.line[key])
    rows = [place[1] for place in changed if place[0] == path and place[1] >= line]
    return {"path": path, "line": min(rows), "old": old, "changed": changed}


def matches(text: str, word: str) -> Iterator[tuple[int, int]]:
    """(line, column) of each place where the word stands."""
    for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text):
        yield text.count("\n", 0, match.start()) + 1, match.start() - text.rfind("\n", 0, match.start()) - 1


def tests(clone: Path, graph: Graph, tree: FileTree, wanted: list[tuple[int, str]], command: str) -> None:
    """Run the tests with all these renames, and without."""
    done, now, before = 0, tree, list[RenameNode]()
    for key, new in wanted:
        state = run(graph, before).graph
        try:
            now = renamed(now, state, key, new).tree
        except Stopped as stopped:
            print(f"  not together with the others: {graph.ids[key]}: {stopped.reason}")
            continue
        before.append(RenameNode(graph.ids[key], new))
        done += 1
    for name, files in ((f"with {done} renames", now), ("without", tree)):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "clone", "-q", clone, folder], check=True)
            for path, content in files.contents.items():
                (Path(folder) / path).write_bytes(content)
            root = Path(folder)
            roots = [str(root / "src"), str(root)]
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(roots)}
            said = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True)
            print(f"  tests {name}: {' / '.join(said.stdout.strip().splitlines()[-12:])}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
