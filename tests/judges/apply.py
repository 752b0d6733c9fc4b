"""Carries random plans out on repositories, and asks Python itself whether anything broke.

    python -m tests.judges.apply [--count N] [--seed S] [--python PYTHON] [--log FOLDER] [--by-hand] [--rope PYTHON]
        REPOSITORY ...

Each REPOSITORY is a checkout of a Python project, PYTHON an interpreter that has what the project needs (the project
itself need not be there). For each, N plans (50) of 1 to 20 moves and renames of modules and packages are made, to any
folder that can be imported, new packages too, and carried out in memory by `cbvtool.apply`; the result is written to a
temporary folder. What judges it shares no code with cbvtool (`tests/judges/apply_child.py`, which runs under PYTHON):

    imports   every module that could be imported, in a process of its own, before any other of the project, still can
    names     every import statement of every scope binds the same object, by the name of its home, moved names mapped;
              so does every dotted name that begins with an imported module; and what a package calls by the name of
              a module is still that module, as `import a.b as c` takes it
    graph     the set of (importing file, imported file) of both is the one before, moved: none lost, none new; our own
              graph is compared as `plan apply` does

A plan that is stopped is also carried out by force, without any prediction: it should break something. Where the
rewriting itself has no answer (a name that is taken, say) nothing can be forced; that is counted apart.

With --rope, rope carries the same steps out instead, under an interpreter that has it (`tests/judges/apply_rope.py`):
those of the plans that `plan apply` carries out, judged in the same way.

What came of a plan is kept in FOLDER, one line of JSON each, and not asked again.

Prints a row for each repository, and each plan that was applied and is wrong, or was stopped and works. Exit status 1
if an applied plan is wrong.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cbvtool.analysis import analyze
from cbvtool.apply.carry import carry_out, misled_edges
from cbvtool.apply.proof import compared
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph
from cbvtool.plan import Create, History, Move, Operation, Rename, check, group
from cbvtool.plan.lower import run
from cbvtool.plan.place import place
from cbvtool.plan.primitives import CreateNode, MoveTo, Primitive, RenameNode
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import task_list

CHILD = Path(__file__).with_name("apply_child.py")
ROPE = Path(__file__).with_name("apply_rope.py")
BY_HAND = Path(__file__).with_name("apply_by_hand.json")
COLUMNS = ("plans", "tasks", "applied", "wrong", "stopped", "broken", "works", "unforced", "equal", "milliseconds")
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
    "typing_tests",
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
    parser.add_argument("--log", type=Path, help="keep what came of each plan there, and go on from it")
    parser.add_argument("--by-hand", action="store_true", help="the plans of apply_by_hand.json")
    parser.add_argument("--rope", help="an interpreter that has rope: let it carry the plans out")
    parser.add_argument("--only", type=int, help="this plan alone, and keep its folder")
    options = parser.parse_args(arguments)
    print(HEADER, flush=True)
    wrong = False
    for repository in options.repository:
        wrong |= bool(_Trial(repository.resolve(), options).run()["wrong"])
    return int(wrong)


class _Trial:
    """The plans of one repository."""

    def __init__(self, root: Path, options: argparse.Namespace) -> None:
        self._root, self._options = root, options
        self._work = Path(tempfile.mkdtemp(prefix="judge-apply-"))
        self._tree = _tree(root)
        folder = self._work / "before"
        _write(self._tree, root, {path: path for path in self._tree.paths}, self._tree, folder)
        self._graph = self._analysed(folder)
        self._judge = _Judge(options.python, self._work)
        self._before = self._judge.asked(folder, {})

    def run(self) -> Counter[str]:
        """Prints the row, and what is wrong."""
        options, count = self._options, Counter[str]()
        kept = {} if options.log is None else _kept(options.log / self._log_name)
        lines = []
        by_hand = json.loads(BY_HAND.read_text()).get(self._root.name, []) if options.by_hand else []
        numbers = range(len(by_hand) if options.by_hand else options.count)
        for number in numbers if options.only is None else [options.only]:
            found = kept.get(number)
            if found is None:
                if options.by_hand:
                    history = _written_plan(self._graph, by_hand[number])
                else:
                    history = _plan(self._graph, random.Random(f"{options.seed}:{self._root.name}:{number}"))
                found = self._tried(history)
                if options.log is not None and options.only is None:
                    options.log.mkdir(parents=True, exist_ok=True)
                    with (options.log / self._log_name).open("a") as file:
                        file.write(json.dumps({"number": number} | found) + "\n")
            if found["tasks"]:
                count += Counter({name: found.get(name, 0) for name in COLUMNS} | {"plans": 1})
                lines += [f"{self._root.name} {number}: {text}" for text in found["lines"]]
        self._judge.end()
        if options.only is None:
            shutil.rmtree(self._work)
        else:
            print(self._work)
        seconds = count["milliseconds"] / 1000 / max(count["plans"], 1)
        cells = [self._root.name, len(self._before["imported"]), *(count[name] for name in COLUMNS[:-1])]
        print("|", " | ".join(map(str, [*cells, f"{seconds:.2f}"])), "|")
        print(*lines, sep="\n" if lines else "", end="\n" if lines else "", flush=True)
        return count

    @property
    def _log_name(self) -> str:
        by = "-rope" if self._options.rope else ""
        return f"{self._root.name}-{'hand' if self._options.by_hand else self._options.seed}{by}.jsonl"

    def _tried(self, history: History) -> dict[str, Any]:
        """What comes of one plan: figures by the names of the columns, and lines about what is wrong."""
        tasks = task_list(history).tasks
        found: dict[str, Any] = {"tasks": len(tasks), "lines": []}
        if not tasks:
            return found
        titles = "; ".join(task.title for task in tasks)
        if self._options.rope:
            return found | self._by_rope(tasks)
        began = time.process_time()
        result = None
        try:
            result = carry_out(self._graph, self._tree, tasks)
        except Stopped as stopped:
            found |= {"stopped": 1, "reason": stopped.reason}
        found["milliseconds"] = round(1000 * (time.process_time() - began))
        if result is None:
            try:
                result = carry_out(self._graph, self._tree, tasks, force=True)
            except Stopped as stopped:
                return found | {"unforced": 1, "reason": stopped.reason, "lines": [f"not forced: {stopped.reason}"]}
        folder = self._work / "after"
        shutil.rmtree(folder, ignore_errors=True)
        _write(result.tree, self._root, result.places, self._tree, folder)
        after = self._judge.asked(folder, result.places)
        faults = _faults(self._before, after)
        if "stopped" in found:
            if not faults:
                found["lines"].append(f"stopped and works: {found['reason']} [{titles}]")
            return found | {"broken" if faults else "works": 1, "faults": faults[:5]}
        found["applied"] = 1
        if faults:
            found |= {"wrong": 1, "faults": faults[:5]}
            found["lines"].append(f"applied and wrong: {faults[0]} ({len(faults)}) [{titles}]")
        proof = compared(history.graph, self._analysed(folder), misled_edges(result))
        found["equal"] = int(proof.holds)
        if not proof.holds:
            found["lines"].append(f"our graph differs: -{proof.missing[:3]} +{proof.extra[:3]} [{titles}]")
        return found

    def _by_rope(self, tasks: Sequence[Task]) -> dict[str, Any]:
        """The same of rope, for plans that can be carried out."""
        try:
            places = carry_out(self._graph, self._tree, tasks).places
        except Stopped:
            return {"tasks": 0}
        folder = self._work / "after"
        shutil.rmtree(folder, ignore_errors=True)
        _write(self._tree, self._root, {path: path for path in self._tree.paths}, self._tree, folder)
        steps = json.dumps(_steps(self._graph, tasks))
        began = time.monotonic()
        command = [self._options.rope, str(ROPE), str(folder), steps]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1_800)
        found = {"milliseconds": round(1000 * (time.monotonic() - began))}
        if done.returncode:
            return found | {"stopped": 1, "lines": [f"rope stops: {(done.stdout or done.stderr)[-300:].strip()}"]}
        try:
            faults = _faults(_without_locals(self._before), _without_locals(self._judge.asked(folder, places)))
        except SystemExit:
            faults = ["nobody can look at the result"]
        if faults:
            return found | {"applied": 1, "wrong": 1, "lines": [f"rope: {faults[0]} ({len(faults)})"]}
        return found | {"applied": 1}

    def _analysed(self, folder: Path) -> Graph:
        return analyze(folder, cache=self._work / "cache", jobs=1, known_as=self._root.name)


def _kept(log: Path) -> dict[int, dict[str, Any]]:
    lines = log.read_text().splitlines() if log.exists() else []
    return {found["number"]: found for line in lines if (found := json.loads(line))}


# -- plans -----------------------------------------------------------------------------------------------------------


def _plan(graph: Graph, dice: random.Random) -> History:
    """A plan of 1 to 20 steps, each possible when it is made; in the end no two files have one place."""
    history = clean = History(graph)
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
            if _is_clean(history.graph):
                clean = history
    return clean if task_list(clean).tasks else _plan(graph, dice)


def _steps(graph: Graph, tasks: Sequence[Task]) -> list[tuple[str, str, str]]:
    """What `apply_rope` is to do: each step with paths as they are then."""
    steps: list[tuple[str, str, str]] = []
    done: list[Primitive] = []
    now = graph
    for primitive in (one for task in tasks for one in task.primitives):
        match primitive:
            case CreateNode(_, parent, name):
                steps.append(("package", place(now, now.key_of[parent]), name))
            case MoveTo(node, parent):
                steps.append(("move", place(now, now.key_of[node]), place(now, now.key_of[parent])))
            case RenameNode(node, name):
                steps.append(("rename", place(now, now.key_of[node]), name))
        done.append(primitive)
        now = run(graph, done).graph
    return steps


def _is_clean(graph: Graph) -> bool:
    """Whether no folder holds two nodes of one name."""
    folders = {int(graph.parent[key]) for key in range(len(graph)) if graph.kind(key) in ("file", "folder", "package")}
    for folder in folders - {-1}:
        names = Counter(
            graph.names[key].removesuffix(".py") for key in graph.children(folder).tolist() if graph.tree.pos[key] >= 0
        )
        if any(count > 1 for count in names.values()):
            return False
    return True


def _written_plan(graph: Graph, steps: list[list[str]]) -> History:
    """The plan of ["package", FOLDER, NAME], ["move", TARGET, PATH ...] and ["rename", PATH, NAME].

    Paths are those of today; that of a new package is FOLDER/NAME.
    """
    history, made = History(graph), dict[str, str]()
    for number, (what, first, *rest) in enumerate(steps):
        operation: Operation
        if what == "package":
            operation = Create(f"plan:{number}", made.get(first, first), rest[0], "package")
            made[f"{first}/{rest[0]}"] = operation.node
        elif what == "move":
            operation = Move(tuple(rest), made.get(first, first))
        else:
            operation = Rename(first, rest[0])
        if (refusal := check(operation, history.graph)) is not None:
            raise SystemExit(f"{what} {first} {rest}: {refusal}")
        history = history.do(group(history.graph, operation))
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
    paths = [path for path in paths if is_python(path) or not set(path.split("/")[:-1]) & set(SKIPPED)]
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


class _Judge:
    """The child, which answers about one folder after the other."""

    def __init__(self, python: str, work: Path) -> None:
        self._work = work
        self._child = subprocess.Popen(
            [python, str(CHILD)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=work, text=True
        )

    def asked(self, folder: Path, places: Mapping[str, str | None]) -> dict[str, list[str]]:
        """What it says of a folder, every path as it was before the plan."""
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        bytecode = self._work / "bytecode"
        shutil.rmtree(bytecode, ignore_errors=True)
        back = {new: old for old, new in places.items() if new is not None}
        questions = {"folder": str(folder.resolve()), "back": back, "skipped": SKIPPED, "bytecode": str(bytecode)}
        self._child.stdin.write(json.dumps(questions) + "\n")
        self._child.stdin.flush()
        answer = self._child.stdout.readline()
        if not answer or answer == "null\n":
            raise SystemExit(f"The judge failed in {folder}.")
        return json.loads(answer)

    def end(self) -> None:
        """Let the child end."""
        self._child.communicate()


def _faults(before: Mapping[str, list[str]], after: Mapping[str, list[str]]) -> list[str]:
    found = [f"cannot be imported: {path}" for path in sorted(set(before["imported"]) - set(after["imported"]))]
    found += list(_missing("name", Counter(before["names"]), Counter(after["names"])))
    found += list(_missing("dotted name", Counter(before["dotted"]), Counter(after["dotted"])))
    edges, there = set(before["graph"]), set(after["graph"])
    found += [f"no longer imports: {edge}" for edge in sorted(edges - there)]
    return found + [f"imports anew: {edge}" for edge in sorted(there - edges)]


def _without_locals(said: Mapping[str, list[str]]) -> dict[str, list[str]]:
    """Without the names that import statements bind: rope renames all uses of them, too."""
    return {**said, "names": [re.sub(r": \S+ = ", ": ", name, count=1) for name in said["names"]]}


def _missing(what: str, before: Counter[str], after: Counter[str]) -> Iterator[str]:
    yield from (f"{what} leads elsewhere: {one}" for one in sorted(before - after))


if __name__ == "__main__":
    sys.exit(main())
