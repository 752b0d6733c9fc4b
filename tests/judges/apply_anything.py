"""Lets `plan apply` carry out random plans of all operations: each is carried out and holds, or is refused whole.

    python -m tests.judges.apply_anything [--count N] [--seed S] [--plain] [--log FOLDER] [--against FOLDER] [--javac]
        [--typescript PACKAGE] [--only NUMBER] REPOSITORY ...

Each REPOSITORY is a clone. A clone of it gets one more commit with what is rare (unless `--plain`): links to files and
folders, inside, outside and dangling, empty files, files that are not UTF-8, CRLF, names with spaces. N plans (40) of
1 to 6 steps are made of it, of every operation there is, on files, folders, packages and definitions, one node in
several steps; each is possible when it is made. A third of them are carried out with --keep-going. Of each is asked:

    carried out  the branch is there, the graph of imports is the planned one, Python compiles each file that it did
                 before, and each link leads to something that did; with --javac, javac finds no new error, with
                 --typescript (folder of that package) Node and TypeScript resolve all paths as before (`moves.py`)
    refused      there is one sentence, and neither a branch, nor a new object, nor a change in the folder
    error        anything else

What came of a plan is kept in FOLDER, one line of JSON each, with the trees of its commits. `--against` compares with
what another version of cbvtool kept for the same plans: what that carried out must be carried out to the same end.

Prints a row for each repository, every reason with how often it was given and a sample, and every fault. Exit status 1
if there is a fault.
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
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cbvtool.apply.applying import Applied, Wish, apply_plan
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.mining.versions import open_versions
from cbvtool.plan import Create, Extract, History, Merge, Move, Operation, Remove, Rename, Split, check, group
from cbvtool.plan.document import Document, Plan
from cbvtool.versions import analysed
from tests.judges.moves import Errors, compiled, is_aside, resolved

OUTCOMES = ("carried out", "refused", "in part", "error")
NAMES = ("core", "parts", "support", "base", "Inner", "kit", "common things", "shared", "areas", "zoë")
HEADER = (
    "| repository | plans | carried out | refused | in part (--keep-going) | errors | written although refused | "
    "wrong |\n| --- |" + " ---: |" * 7
)
_CONTAINERS = ("folder", "package")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plain", action="store_true", help="add nothing rare to the clones")
    parser.add_argument("--log", type=Path, help="keep what came of each plan there, and go on from it")
    parser.add_argument("--against", type=Path, help="what another version kept")
    parser.add_argument("--javac", action="store_true", help="let javac compile what is carried out")
    parser.add_argument("--typescript", type=Path, help="let Node and this TypeScript resolve what is carried out")
    parser.set_defaults(config=[])
    parser.add_argument("--only", type=int, help="this plan alone, with its steps")
    options = parser.parse_args(arguments)
    print(HEADER, flush=True)
    reasons: dict[str, list[str]] = defaultdict(list)
    faults: list[str] = []
    for repository in options.repository:
        with tempfile.TemporaryDirectory(prefix="judge-anything-") as work:
            for found in _Trial(repository.resolve(), Path(work), options).run():
                for reason in found["reasons"]:
                    reasons[_kind(reason)].append(f"{found['name']}: {reason}")
                faults += [f"{found['name']}: {fault}" for fault in found["faults"]]
    print("\n| refused | reason, names left out | a sample |\n| ---: | --- | --- |")
    for kind, listed in sorted(reasons.items(), key=lambda item: -len(item[1])):
        print(f"| {len(listed)} | {kind} | {listed[0]} |")
    print(*faults, sep="\n\n")
    return int(bool(faults))


class _Trial:
    """The plans of one repository."""

    def __init__(self, root: Path, work: Path, options: argparse.Namespace) -> None:
        self._name, self._options = root.name, options
        self._clone, self._cache = work / root.name, work / "cache"
        _git(work, "clone", "-q", str(root), str(self._clone))
        if not options.plain:
            _add_what_is_rare(self._clone, random.Random(f"{options.seed}:{root.name}"))
        with open_versions(self._clone) as versions:
            self._graph = analysed(versions, "HEAD", jobs=1, cache=self._cache).graph
        self._before = _compiled(self._clone)
        self._links = _leading_links(self._clone)
        self._errors = self._found(self._clone, {})
        self._state = _state(self._clone)

    def run(self) -> Iterator[dict[str, Any]]:
        """Prints the row; yields what came of each plan."""
        log = self._log(self._options.log)
        kept, others = _kept(log), _kept(self._log(self._options.against))
        count = Counter[str]()
        numbers = range(self._options.count) if self._options.only is None else [self._options.only]
        for number in numbers:
            found = kept.get(number) or self._tried(number)
            if log is not None and number not in kept and self._options.only is None:
                log.parent.mkdir(parents=True, exist_ok=True)
                with log.open("a") as file:
                    file.write(json.dumps(found) + "\n")
            other = others.get(number)
            if other is not None and other["outcome"] == "carried out" and other["trees"] != found["trees"]:
                found["faults"] = [*found["faults"], f"was carried out otherwise before: {found['reasons']}"]
            count += Counter({found["outcome"]: 1, "written": found["written"], "wrong": bool(found["faults"])})
            yield found
        cells = [self._name, len(numbers), *(count[name] for name in (*OUTCOMES, "written", "wrong"))]
        print("|", " | ".join(map(str, cells)), "|", flush=True)

    def _log(self, folder: Path | None) -> Path | None:
        kind = "plain" if self._options.plain else "rare"
        return None if folder is None else folder / f"{self._name}-{self._options.seed}-{kind}.jsonl"

    def _tried(self, number: int) -> dict[str, Any]:
        dice = random.Random(f"{self._options.seed}:{self._name}:{number}")
        history = _plan(self._graph, dice)
        keep_going, forward = dice.random() < 0.33, dice.random() < 0.1
        if self._options.only is not None:
            print(*history.operations, sep="\n")
        found: dict[str, Any] = {"number": number, "name": f"{self._name} {number}", "reasons": [], "faults": []}
        found |= {"trees": [], "written": 0, "steps": [str(one) for one in history.operations]}
        document = Document(self._clone, self._name, "", (Plan("Plan 1", history.done),))
        wish = Wish("carried", keep_going=keep_going, forward=forward, jobs=1, cache=self._cache)
        applied: Applied | None = None
        try:
            applied = apply_plan(document, document.plan, wish)
            reasons = [applied.stopped] if applied.stopped else [left.reason for left in applied.left_out]
        except InputError as error:
            reasons = [str(error)]
        except Exception:
            found["faults"].append(f"{history.operations}\n{traceback.format_exc()}")
            return found | {"outcome": "error"}
        found["reasons"] = reasons
        if applied is None or applied.stopped:
            found["written"] = int(_state(self._clone) != self._state)
            found["faults"] += ["written although refused"] if found["written"] else []
            found["faults"] += [f"no sentence: {reason}" for reason in reasons if not _is_sentence(reason)]
            return found | {"outcome": "refused"}
        found |= self._looked_at(applied)
        found["outcome"] = "in part" if applied.left_out else "carried out"
        return found

    def _found(self, folder: Path, back: dict[str, str]) -> Errors:
        """What compilers say of a state, by the paths before the plan."""
        there = {path: path for path in _listed(folder)} | back
        found = Errors()
        if self._options.javac:
            with tempfile.TemporaryDirectory(dir=self._clone.parent) as out:
                found += compiled(folder, Path(out) / "classes", there, "")
        if self._options.typescript:
            found += resolved(folder, there, self._options)
        return found

    def _looked_at(self, applied: Applied) -> dict[str, Any]:
        """The trees of the commits, and what is wrong with the last one."""
        faults = [] if applied.proof is not None and applied.proof.holds else ["the proof does not hold"]
        commits = _git(self._clone, "rev-list", "--reverse", "HEAD..carried").split()
        trees = [_git(self._clone, "rev-parse", f"{commit}^{{tree}}").strip() for commit in commits]
        with tempfile.TemporaryDirectory(dir=self._clone.parent) as folder:
            there = Path(folder) / "there"
            _git(self._clone, "worktree", "add", "-q", "--detach", str(there), "carried")
            back: dict[str, str | None] = {}
            for done in applied.done:
                back = {old: done.moved.get(new or "", new) for old, new in back.items()} | {
                    old: new for old, new in done.moved.items() if old not in back.values()
                }
            good = _compiled(there)
            faults += [f"Python compiles {path} no more" for path in self._before if not _is_there(path, back, good)]
            leading = _leading_links(there)
            faults += [f"the link {path} is broken" for path in self._links if not _is_there(path, back, leading)]
            new = self._found(there, {new: old for old, new in back.items() if new is not None})
            places = {path: back.get(path, path) for path, _ in [*self._errors, *new]}
            kept = {
                error: count
                for error, count in self._errors.items()
                if (there_now := places[error[0]]) is not None and not is_aside(there_now)
            }
            more = [error for error in sorted(new - self._errors) if error[1] != f"edges: {error[0]}"]  # not --forward
            faults += [f"new: {error}" for error in more[:3]]
            edges = Errors({error: count for error, count in kept.items() if error[1].startswith("edges")})
            faults += [f"lost: {edge}" for edge in sorted(edges - new)[:3]]
            _git(self._clone, "worktree", "remove", "--force", str(there))
        _git(self._clone, "branch", "-q", "-D", "carried")
        _git(self._clone, "reset", "-q", "--hard")
        self._state = _state(self._clone)
        return {"trees": trees, "faults": faults}


def _is_there(path: str, places: dict[str, str | None], found: set[str]) -> bool:
    """Whether a file is among those that are found, or is meant to be gone."""
    new = places.get(path, path)
    return new is None or new in found


def _is_sentence(text: str) -> bool:
    return (
        text.endswith(".")
        and "\n" not in text
        and not re.search(r"Error\b(?!\.)|Traceback|None\b(?! of)|plan:\w", text)
    )


def _kind(reason: str) -> str:
    """A reason without its names."""
    reason = re.sub(r"^Task \d+, .*?: (?=[^:]*)", "", reason)
    return re.sub(r"\S*[/.][\w(]\S*|\b\d[\d,]*\b", "…", reason)[:160]


def _kept(log: Path | None) -> dict[int, dict[str, Any]]:
    lines = log.read_text().splitlines() if log is not None and log.exists() else []
    return {found["number"]: found for line in lines if (found := json.loads(line))}


# -- plans -----------------------------------------------------------------------------------------------------------


def _plan(graph: Graph, dice: random.Random) -> History:
    """A plan of 1 to 6 steps, each possible when it is made."""
    history = History(graph)
    wanted = dice.choice((1, 1, 2, 3, 4, 6))
    touched: list[str] = []
    for number in range(200):
        made = _step(history.graph, dice, number, touched)
        if made is None or check(made, history.graph) is not None:
            continue
        history = history.do(group(history.graph, made))
        touched += _named(made)
        if len(history.done) >= wanted:
            break
    return history


def _named(operation: Operation) -> list[str]:
    match operation:
        case Create(node) | Rename(node):
            return [node]
        case Move(nodes, target):
            return [*nodes, target]
        case Merge(_, target) | Extract(_, _, target):
            return [target]
        case _:
            return []


def _step(graph: Graph, dice: random.Random, number: int, touched: list[str]) -> Operation | None:
    """One operation; now and then on what an earlier one named."""
    there = list(graph.key_of)
    by_kind: dict[str, list[str]] = defaultdict(list)
    for node in there:
        by_kind[graph.kind(graph.key_of[node])].append(node)
    files = by_kind["file"]
    holders = [node for kind in _CONTAINERS for node in by_kind[kind]] or [graph.ids[graph.root]]
    rest = [node for kind, nodes in by_kind.items() if kind not in ("file", "project", *_CONTAINERS) for node in nodes]
    again = [node for node in touched if node in graph.key_of]

    def some(*, definition: float = 0.06) -> str:
        if again and dice.random() < 0.3:
            return dice.choice(again)
        roll = dice.random()
        if rest and roll < definition:
            return dice.choice(rest)
        return dice.choice(holders if roll < 0.45 else files)

    def name(node: str) -> str:
        old = graph.names[graph.key_of[node]]
        roll = dice.random()
        if roll < 0.08:
            return old.swapcase()
        if roll < 0.2:  # what somebody else is called
            return graph.names[graph.key_of[dice.choice(files if "." in old else holders)]]
        return f"{dice.choice(NAMES)}{number}{''.join(re.findall(r'[.][^.]+$', old))}"

    match dice.choices(
        ("move", "rename", "remove", "merge", "create", "extract", "split", "files"), (24, 16, 18, 18, 10, 3, 2, 4)
    )[0]:
        case "move":
            nodes = tuple(dict.fromkeys(some() for _ in range(dice.choice((1, 1, 1, 2, 3)))))
            return Move(nodes, dice.choice([*holders, *(node for node in again if node in holders)]))
        case "rename":
            node = some()
            return Rename(node, name(node))
        case "remove":
            return Remove(tuple(dict.fromkeys(some() for _ in range(dice.choice((1, 1, 2))))))
        case "merge":
            return Merge(dice.choice(holders), dice.choice(holders))
        case "files":
            return Merge(dice.choice(files), dice.choice(files))
        case "create":
            kind = dice.choice(("folder", "package", "file", "file", "class"))
            parent = dice.choice(files) if kind == "class" else dice.choice(holders)
            ending = dice.choice((".py", ".js", ".ts", ".java", ".md", "")) if kind == "file" else ""
            return Create(f"plan:{number}", parent, f"{dice.choice(NAMES)}{number}{ending}", kind)
        case "extract":
            return Extract(dice.choice(holders), dice.choice(holders), dice.choice(holders))
        case "split":
            return Split(dice.choice(holders), dice.choice(holders), dice.choice(holders))
    return None


# -- folders ---------------------------------------------------------------------------------------------------------


def _git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=judge", "-c", "user.email=judge@localhost", "-c", "core.autocrlf=false")
    done = subprocess.run(
        ["git", *who, *arguments], cwd=folder, capture_output=True, check=True, env={**os.environ, "TZ": "UTC"}
    )
    return done.stdout.decode("utf-8", "surrogateescape")


def _listed(folder: Path) -> list[str]:
    return [path for path in _git(folder, "ls-files", "-z").split("\0") if path]


def _add_what_is_rare(clone: Path, dice: random.Random) -> None:
    """One more commit, with files and links that few repositories have."""
    paths = [path for path in _listed(clone) if not path.startswith(".")]
    folders = sorted({path.rpartition("/")[0] for path in paths} - {""})
    for number in range(12):
        folder = Path(dice.choice(folders))
        target = dice.choice(paths if number % 3 else folders)
        text = os.path.relpath(target, folder)
        text = dice.choice((text, text, text, "nowhere.txt", "/etc/hosts", "../" * 12 + "elsewhere"))
        link = clone / folder / f"link{number}{Path(target).suffix}"
        link.symlink_to(text)
    for number, (name, content) in enumerate(
        (
            ("empty.py", b""),
            ("empty.txt", b""),
            ("two words.py", b"x = 1\r\n"),
            ("two words.md", b"# Two\r\n"),
            ("latin.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n"),
            ("no_text.py", b"x = '\xe9'\n"),
            ("no_text.js", b"var x = '\xe9';\n"),
            ("zo\u00eb.py", b"x = 1\n"),
        )
    ):
        (
            clone / dice.choice(folders) / f"rare{number} {name}".replace(" ", "" if "words" not in name else " ")
        ).write_bytes(content)
    _git(clone, "add", "-A", "--force")
    _git(clone, "commit", "-q", "-m", "What is rare")


def _compiled(folder: Path) -> set[str]:
    """Paths of the Python files that compile."""
    found = set()
    for path in _listed(folder):
        file = folder / path
        if path.endswith((".py", ".pyi")) and file.is_file() and not file.is_symlink():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    compile(file.read_bytes(), path, "exec", dont_inherit=True)
            except (SyntaxError, ValueError):
                continue
            found.add(path)
    return found


def _leading_links(folder: Path) -> set[str]:
    """Paths of the links that lead to something."""
    return {path for path in _listed(folder) if (folder / path).is_symlink() and (folder / path).exists()}


def _state(clone: Path) -> tuple[str, ...]:
    """References, objects and the state of the folder."""
    objects = sorted(path.name for path in (clone / ".git" / "objects").rglob("*") if path.is_file())
    return _git(clone, "show-ref"), _git(clone, "status", "--porcelain"), " ".join(objects)


if __name__ == "__main__":
    sys.exit(main())
