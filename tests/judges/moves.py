"""Carries random plans out on Java or JavaScript repositories; asks javac, or Node and TypeScript, what broke.

    python -m tests.judges.moves --code java [--count N] [--seed S] [--classpath JARS] [--only NUMBER] REPOSITORY ...
    python -m tests.judges.moves --code javascript --typescript PACKAGE [--config TSCONFIG] ... REPOSITORY ...

Each REPOSITORY is a checkout. For each, N plans (30) of 1 to 5 steps are made: files to other folders, folders too,
with other names too, new folders; of Java packages of one source folder. They are carried out in memory by
`cbvtool.apply`, and the result is written to a temporary folder. Tasks that cannot be carried out are left out, as with
--keep-going. What judges the result shares no code with cbvtool:

    java        javac compiles all files under `src` folders before and after, with what JARS there are. Without all
                of them it finds errors before as well; a plan is wrong if a file has an error that it had not
    javascript  Node resolves the relative paths of JavaScript, and TypeScript (PACKAGE is its folder) those of
                TypeScript, and aliases (`tests/judges/moves_child.mjs`): the set of (file, target) is the one before,
                moved, and no path leads nowhere that did not; TypeScript finds no new error in a TSCONFIG

The first task that is left out of a Java plan since members may be seen no more (where no type is known, a name alone
says so) is also carried out alone and by force: it should break something.

Prints a row for each repository, each plan that was applied and is wrong, and what tasks were left out for. Exit status
1 if an applied plan is wrong.
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
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from unittest.mock import patch

from cbvtool.analysis import analyze
from cbvtool.apply.carry import Result, carry_out
from cbvtool.apply.languages import is_implied, is_spliced
from cbvtool.apply.proof import compared
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph
from cbvtool.plan import Create, History, Move, Operation, Rename, check, group
from cbvtool.plan.lower import run
from cbvtool.plan.tasks import task_list

COLUMNS = ("plans", "tasks", "applied", "judged", "wrong", "equal", "broken", "works")
NAMES = ("core", "parts", "support", "base", "things", "inner", "kit", "common", "shared", "areas")
HEADER = (
    "| repository | files | plans | tasks | applied | plans with applied tasks | of these wrong | our graph equal | "
    "left out for what may be seen no more, forced: broken | works | seconds a plan |\n| --- |" + " ---: |" * 10
)
PLACES = ("file", "folder", "package")
CHILD = Path(__file__).with_name("moves_child.mjs")
_SUFFIXES = {"java": (".java",), "javascript": (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")}
Errors = Counter[tuple[str, str]]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--minutes", type=float, default=600.0, help="begin no plan of a repository after so long")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--code", choices=("java", "javascript"), required=True)
    parser.add_argument("--classpath", default="")
    parser.add_argument("--typescript", type=Path)
    parser.add_argument("--config", action="append", default=[], help="a tsconfig.json whose files are checked")
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
        self._work = Path(tempfile.mkdtemp(prefix="judge-moves-"))
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode()
        paths = [one for one in listed.split("\0") if (root / one).is_file() and not (root / one).is_symlink()]
        self._tree = FileTree(
            frozenset(paths), {path: (root / path).read_bytes() for path in paths if is_spliced(path)}
        )
        self._lines: list[str] = []
        self._before = self._errors(Result(self._tree, self._tree, {path: path for path in paths}))
        self._graph = self._analysed()

    def run(self) -> Counter[str]:
        """Prints the row, and what is wrong."""
        count = Counter[str]()
        numbers = range(self._options.count) if self._options.only is None else [self._options.only]
        seconds = 0.0
        started = time.monotonic()
        for number in numbers:
            if time.monotonic() - started > 60 * self._options.minutes:
                break
            history = _plan(
                self._graph,
                self._tree.paths,
                self._options.code,
                random.Random(f"{self._options.seed}:{self._root.name}:{number}"),
            )
            tasks = task_list(history).tasks
            count += Counter(plans=1, tasks=len(tasks))
            began = time.process_time()
            result = carry_out(self._graph, self._tree, tasks, keep_going=True)
            seconds += time.process_time() - began
            count += self._judged(number, result) + self._forced(number, result)
        if self._options.only is None:
            shutil.rmtree(self._work)
        else:
            print(self._work)
        files = sum(path.endswith(_SUFFIXES[self._options.code]) for path in self._tree.paths)
        cells = [self._root.name, files, *(count[name] for name in COLUMNS)]
        print("|", " | ".join(map(str, [*cells, f"{seconds / max(count['plans'], 1):.2f}"])), "|")
        print(*self._lines, sep="\n", flush=True)
        return count

    def _judged(self, number: int, result: Result) -> Counter[str]:
        if not result.carried:
            return Counter()
        there = self._errors(result)
        faults = there - self._before
        if self._options.code == "javascript":  # what leads nowhere any more is lost, too
            gone = self._before - there
            faults += Errors({key: count for key, count in gone.items() if key[1].startswith("edges")})
        titles = "; ".join(carried.task.title for carried in result.carried)
        if faults:
            self._lines.append(f"{number}: applied and wrong: {sorted(faults)[:3]} [{titles}]")
        planned = run(self._graph, [one for carried in result.carried for one in carried.task.primitives]).graph
        proof = compared(planned, self._analysed(), is_implied=is_implied)
        if not proof.holds:
            self._lines.append(f"{number}: our graph differs: -{proof.missing[:3]} +{proof.extra[:3]} [{titles}]")
        return Counter(applied=len(result.carried), judged=1, wrong=int(bool(faults)), equal=int(proof.holds))

    def _forced(self, number: int, result: Result) -> Counter[str]:
        self._lines += [f"{number}: left out: {left.task.title}: {left.reason}" for left in result.left_out]
        count = Counter[str]()
        for left in [left for left in result.left_out if " may use " in left.reason][:1]:
            with patch("cbvtool.apply.java.moving.must_stay_seen"):
                try:
                    forced = carry_out(self._graph, self._tree, [left.task])
                except Stopped:
                    continue
            faults = self._errors(forced) - self._before
            if not faults:
                self._lines.append(f"{number}: left out and works: {left.task.title}")
            count += Counter(broken=int(bool(faults)), works=int(not faults))
        return count

    def _analysed(self) -> Graph:
        return analyze(self._work / "code", cache=self._work / "cache", jobs=1, known_as=self._root.name)

    def _errors(self, result: Result) -> Errors:
        """What the judge says of the result: path as it was before the plan, and the error, or where a path leads."""
        folder, out = self._work / "code", self._work / "classes"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)
        for path, new in result.places.items():
            if new is not None and new not in result.tree.contents:
                (folder / new).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self._root / path, folder / new)
        for path, content in result.tree.contents.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
        back = {new: old for old, new in result.places.items() if new}
        if self._options.code == "java":
            return compiled(folder, out, back, self._options.classpath)
        return resolved(folder, back, self._options)


def compiled(folder: Path, out: Path, back: Mapping[str, str], classpath: str) -> Errors:
    """The errors of javac, (path, message); `back` gives the path before a plan, `out` is a folder for classes."""
    modules: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*.java")):
        name = path.relative_to(folder).as_posix()
        if name.endswith("module-info.java") or "/src/" not in f"/{name}":
            continue
        modules.setdefault(f"/{name}".partition("/src/")[0], []).append(name)
    errors = Errors()
    for module, files in sorted(modules.items()):
        listed = out.parent / "files"
        listed.write_text("\n".join(files))
        target = out / module.strip("/").replace("/", "_")
        target.mkdir(parents=True, exist_ok=True)
        before = ":".join([classpath, *map(str, sorted(out.iterdir()))])
        command = ["javac", "-proc:none", "-implicit:none", "-encoding", "UTF-8", "-nowarn", "-Xmaxerrs", "100000"]
        command += ["-XDshould-stop.ifError=FLOW", "-d", str(target), "-cp", before, f"@{listed}"]
        said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        for match in re.finditer(r"^([^\s:]+\.java):\d+: error: (.*)$", said.stderr, re.MULTILINE):
            error = back[match[1]], re.sub(r"(?:[a-z]\w*\.)+(?=[A-Z])|package [\w.]+", "", match[2])
            errors[error] = 1 if "does not exist" in error[1] else errors[error] + 1  # one import may become two
        if said.returncode and not errors:
            raise SystemExit(said.stderr)
    return errors


def resolved(folder: Path, back: Mapping[str, str], options: argparse.Namespace) -> Errors:
    """What Node and TypeScript find: (path, `edges: path` or an error); `back` gives the path before a plan."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    questions = {
        "folder": str(folder),
        "files": [name for name in names if name.endswith(_SUFFIXES["javascript"]) and not is_aside(name)],
        "packages": [name for name in names if name.rpartition("/")[2] == "package.json" and not is_aside(name)],
        "typescript": str(options.typescript.resolve()),
        "configs": options.config,
    }
    command = ["node", "--max-old-space-size=4096", str(CHILD)]
    said = subprocess.run(command, input=json.dumps(questions), stdout=subprocess.PIPE, text=True, check=True)
    found = Errors()
    for what, lines in json.loads(said.stdout).items():
        for line in lines:
            path, _, rest = line.partition("\t")
            found[back.get(path, path), f"{what}: {back.get(rest, rest)}"] += 1
    return found


def is_aside(name: str) -> bool:
    """Whether Node and TypeScript are not asked about a file: what is made, downloaded or hidden."""
    parts = name.split("/")
    return bool({"node_modules", "dist", "website", "docs", "sandbox"} & set(parts)) or any(
        part.startswith(".") for part in parts
    )


def _plan(graph: Graph, paths: frozenset[str], code: str, dice: random.Random) -> History:
    """A plan of 1 to 5 steps, each possible when it is made, and no two files in one place after it."""
    history = History(graph)
    is_java = code == "java"
    root = _root if is_java else partial(_package, paths)
    keys = [key for key in range(len(graph)) if not is_java or "/src/" in f"/{graph.ids[key]}"]
    kinds = ("package",) if is_java else ("package", "folder")
    packages = [key for key in keys if graph.kind(key) in kinds and graph.ids[key] and not is_aside(graph.ids[key])]
    files = [
        key
        for key in keys
        if graph.kind(key) == "file"
        and int(graph.parent[key]) in packages
        and graph.names[key].endswith(_SUFFIXES[code])
    ]
    made: list[str] = []
    wanted = dice.randint(1, 5)
    for number in range(100):
        key = dice.choice(packages) if dice.random() < 0.25 else dice.choice(files)
        near = [graph.ids[one] for one in packages if root(graph, one) == root(graph, key)] + made
        name = f"{dice.choice(NAMES)}{number}"
        operation: Operation
        roll = dice.random()
        if roll < 0.15:
            operation = Create(f"plan:{number}", dice.choice(near), name, kinds[-1])
        elif roll < 0.45 and graph.kind(key) != "file":
            operation = Rename(graph.ids[key], name)
        elif roll < 0.35 and not is_java:
            operation = Rename(graph.ids[key], name + graph.names[key][graph.names[key].index(".", 1) :])
        else:
            operation = Move((graph.ids[key],), dice.choice(near))
        after = history.do(group(history.graph, operation)) if check(operation, history.graph) is None else history
        if after is not history and _is_clean(after.graph):
            history = after
            if isinstance(operation, Create):
                made.append(operation.node)
        if len(task_list(history).tasks) >= wanted:
            break
    return history


def _is_clean(graph: Graph) -> bool:
    here = [key for key in range(len(graph)) if graph.tree.pos[key] >= 0 and graph.kind(key) in PLACES]
    return max(Counter((int(graph.parent[key]), graph.names[key]) for key in here).values()) == 1


def _package(paths: frozenset[str], graph: Graph, key: int) -> str:
    """The folder of the package that a file or folder is in; empty = the top one."""
    folder = graph.ids[key].rpartition("/")[0] if graph.kind(key) == "file" else graph.ids[key]
    while folder and f"{folder}/package.json" not in paths:
        folder = folder.rpartition("/")[0]
    return folder


def _root(graph: Graph, key: int) -> str:
    return re.sub(r"(/src/[^/]+/[^/]+/).*", r"\1", f"/{graph.ids[key]}/")


if __name__ == "__main__":
    sys.exit(main())
