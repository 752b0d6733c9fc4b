"""Carries random plans out on repositories, and asks Python itself whether anything broke.

    python -m tests.judges.apply [--count N] [--seed S] [--python PYTHON] REPOSITORY ...

Each REPOSITORY is a checkout of a Python project, PYTHON an interpreter that has what the project needs (the project
itself need not be there). For each, N plans (50) of 1 to 20 moves and renames of modules and packages are made, to any
folder that can be imported, new packages too, and carried out in memory by `cbvtool.apply`; the result is written to a
temporary folder. What judges it shares no code with cbvtool (`tests/judges/apply_child.py`, which runs under PYTHON):

    imports   every module that could be imported, in a process of its own, before any other of the project, still can
    names     every import statement of every scope binds the same object, by the name of its home, moved names mapped;
              so does every dotted name that begins with an imported module
    graph     the set of (importing file, imported file) of those is the one before, moved; our own graph is compared
              as `plan apply` does

A plan that is stopped is also carried out by force, without any prediction: it should break something. Where the
rewriting itself has no answer (a name that is taken, say) nothing can be forced; that is counted apart.

Prints a row for each repository, and each plan that was applied and is wrong, or was stopped and works. Exit status 1
if an applied plan is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from cbvtool.analysis import analyze
from cbvtool.apply.carry import carry_out, misled_edges
from cbvtool.apply.moving import FileTree
from cbvtool.apply.proof import compared
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph
from cbvtool.plan import Create, History, Move, Operation, Rename, check, group
from cbvtool.plan.tasks import task_list

CHILD = Path(__file__).with_name("apply_child.py")
NAMES = ("core", "parts", "support", "base", "things", "inner", "kit", "common", "shared", "areas")
SKIPPED = (
    "tests",
    "test",
    "docs",
    "doc",
    "examples",
    "benchmarks",
    "testing",
    "scripts",
    "tools",
    ".github",
    "conformance",
)
HEADER = (
    "| repository | modules | plans | tasks | applied | applied and wrong | stopped | "
    "of these forced: broken | works | cannot be forced | our graph equal | seconds a plan |\n| --- |" + " ---: |" * 11
)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", type=int, help="this plan alone, and keep its folder")
    options = parser.parse_args(arguments)
    print(HEADER, flush=True)
    wrong = False
    for repository in options.repository:
        wrong |= bool(_repository(repository.resolve(), options)["wrong"])
    return int(wrong)


def _repository(root: Path, options: argparse.Namespace) -> Counter[str]:
    tree = _tree(root)
    work = Path(tempfile.mkdtemp(prefix="judge-apply-"))
    before_folder = work / "before"
    _write(tree, root, {path: path for path in tree.paths}, tree, before_folder)
    graph = analyze(before_folder, cache=False, jobs=1)
    before = _asked(before_folder, options.python, {}, work)
    count: Counter[str] = Counter()
    lines = []
    for number in range(options.count) if options.only is None else [options.only]:
        dice = random.Random(f"{options.seed}:{root.name}:{number}")
        history = _plan(graph, dice)
        tasks = task_list(history).tasks
        if not tasks:
            continue
        count["plans"] += 1
        count["tasks"] += len(tasks)
        began = time.process_time()
        reason, result = "", None
        try:
            result = carry_out(graph, tree, tasks)
        except Stopped as stopped:
            reason = stopped.reason
        count["milliseconds"] += round(1000 * (time.process_time() - began))
        if result is None:
            count["stopped"] += 1
            try:
                result = carry_out(graph, tree, tasks, force=True)
            except Stopped:
                count["unforced"] += 1
                continue
        after_folder = work / "after"
        shutil.rmtree(after_folder, ignore_errors=True)
        _write(result.tree, root, result.places, tree, after_folder)
        faults = _faults(before, _asked(after_folder, options.python, result.places, work))
        titles = "; ".join(task.title for task in tasks)
        if reason:
            count["broken" if faults else "works"] += 1
            if not faults:
                lines.append(f"stopped and works: {root.name} {number}: {reason} [{titles}]")
            continue
        count["applied"] += 1
        if faults:
            count["wrong"] += 1
            lines.append(f"applied and wrong: {root.name} {number}: {faults[0]} ({len(faults)}) [{titles}]")
        proof = compared(history.graph, analyze(after_folder, cache=False, jobs=1), misled_edges(result))
        count["equal"] += proof.holds
        if not proof.holds:
            lines.append(f"our graph differs: {root.name} {number}: -{proof.missing[:3]} +{proof.extra[:3]} [{titles}]")
    if options.only is None:
        shutil.rmtree(work)
    else:
        print(work)
    names = ("plans", "tasks", "applied", "wrong", "stopped", "broken", "works", "unforced", "equal")
    seconds = count["milliseconds"] / 1000 / max(count["plans"], 1)
    cells = [root.name, len(before["imported"]), *(count[name] for name in names), f"{seconds:.2f}"]
    print("|", " | ".join(map(str, cells)), "|")
    print(*lines, sep="\n", flush=True)
    return count


# -- plans -----------------------------------------------------------------------------------------------------------


def _plan(graph: Graph, dice: random.Random) -> History:
    """A plan of 1 to 20 steps, each possible when it is made."""
    history = History(graph)
    packages = [
        key for key in range(len(graph)) if _in_library(graph, key) and graph.kind(key) in ("package", "folder")
    ]
    packages = [key for key in packages if _is_importable(graph, key)]
    modules = [
        key
        for key in range(len(graph))
        if _in_library(graph, key)
        and graph.kind(key) == "file"
        and graph.names[key].endswith(".py")
        and graph.names[key] not in ("__init__.py", "__main__.py", "conftest.py", "setup.py")
        and int(graph.parent[key]) in packages
    ]
    inner = [key for key in packages if int(graph.parent[key]) in packages]
    made: list[str] = []
    for number in range(dice.randint(1, 20)):
        holders = [graph.ids[key] for key in packages] + made
        key = dice.choice(inner) if inner and dice.random() < 0.15 else dice.choice(modules)
        operation: Operation
        roll = dice.random()
        if roll < 0.1:
            operation = Create(f"plan:{number}", dice.choice(holders), f"{dice.choice(NAMES)}{number}", "package")
        elif roll < 0.35:
            suffix = ".py" if graph.kind(key) == "file" else ""
            operation = Rename(graph.ids[key], f"{dice.choice(NAMES)}_{number}{suffix}")
        else:
            operation = Move((graph.ids[key],), dice.choice(holders))
        if check(operation, history.graph) is None:
            history = history.do(group(history.graph, operation))
            if isinstance(operation, Create):
                made.append(operation.node)
    return history


def _in_library(graph: Graph, key: int) -> bool:
    return not any(part in SKIPPED for part in graph.ids[key].split("/"))


def _is_importable(graph: Graph, key: int) -> bool:
    """Whether a folder is a package, or lies in one."""
    return any(graph.kind(one) == "package" for one in (key, *graph.ancestors(key)))


# -- folders ---------------------------------------------------------------------------------------------------------


def _tree(root: Path) -> FileTree:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode()
    paths = [path for path in listed.split("\0") if path and (root / path).is_file() and not (root / path).is_symlink()]
    return FileTree(frozenset(paths), {path: (root / path).read_bytes() for path in paths if is_python(path)})


def _write(tree: FileTree, root: Path, places: Mapping[str, str | None], before: FileTree, folder: Path) -> None:
    for path in before.paths:
        new = places[path]
        if new is not None and new not in tree.contents:
            (folder / new).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, folder / new)
    for path, content in tree.contents.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)


# -- the judge -------------------------------------------------------------------------------------------------------


def _asked(folder: Path, python: str, places: Mapping[str, str | None], work: Path) -> dict[str, list[str]]:
    """What the child says of a folder, every path as it was before the plan."""
    back = {new: old for old, new in places.items() if new is not None}
    questions = work / "questions.json"
    questions.write_text(json.dumps({"back": back, "skipped": SKIPPED}))
    done = subprocess.run(
        [python, str(CHILD), str(folder), str(questions)], capture_output=True, text=True, timeout=600, cwd=work
    )
    if done.returncode:
        raise SystemExit(f"The judge failed in {folder}:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def _faults(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> list[str]:
    found = [f"cannot be imported: {path}" for path in sorted(set(before["imported"]) - set(after["imported"]))]
    found += list(_missing("name", Counter(before["names"]), Counter(after["names"])))
    found += list(_missing("dotted name", Counter(before["dotted"]), Counter(after["dotted"])))
    lost = set(before["graph"]) - set(after["graph"])
    return found + [f"no longer imports: {edge}" for edge in sorted(lost)]


def _missing(what: str, before: Counter[str], after: Counter[str]) -> Iterator[str]:
    yield from (f"{what} leads elsewhere: {one}" for one in sorted(before - after))


if __name__ == "__main__":
    sys.exit(main())
