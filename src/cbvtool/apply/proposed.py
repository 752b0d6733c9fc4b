"""What a person is told before a plan is carried out: how its tests are run, what is rewritten, what is run."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from cbvtool.analysis.languages import LANGUAGES, language_of
from cbvtool.apply.languages import language_of as moved_as
from cbvtool.apply.source import is_python
from cbvtool.graph import Graph
from cbvtool.plan.task import Task
from cbvtool.regular_file import Unreadable, read_bytes

_PYTHON = "python -m pytest -q"
_JVM = frozenset({"Java", "Kotlin", "Scala"})
_SCRIPTS = frozenset({"JavaScript", "TypeScript"})
_LARGEST = 1_000_000  # bytes of a manifest that is read
_NO_TESTS = "no test specified"  # what `npm init` writes in place of tests


@dataclass(frozen=True)
class Proposed:
    """What is said before a plan is carried out.

    tests      command of the shell that usually runs the tests; empty = nobody knows
    rewritten  one sentence: in which languages of the plan imports are rewritten, and in which they are not
    consent    what of the project is run, if that command is given
    """

    tests: str
    rewritten: str
    consent: str


def proposed(folder: Path, graph: Graph, tasks: Iterable[Task]) -> Proposed:
    """What to say of a plan for the code in `folder`, which is `graph` as it was analysed."""
    files = [key for key in range(len(graph)) if graph.kind(key) == "file"]
    touched = _languages(_touched(graph, tasks))
    there = _languages(graph.ids[key] for key in files)
    has_python = any(is_python(graph.ids[key]) for key in files)
    return Proposed(usual_tests(folder, touched or there), _rewritten(touched), _consent(has_python))


def usual_tests(folder: Path, languages: Collection[str]) -> str:
    """The command that usually runs the tests of the project in a folder, by its manifests; empty = none is known.

    languages  names of those that the tests are about, the most important first: their command goes first
    """
    there = [(of, command) for of, command in _commands(folder) if command]
    if "Python" in languages:
        there.append((frozenset({"Python"}), _PYTHON))
    wanted = (command for language in languages for of, command in there if language in of)
    return next(wanted, there[0][1] if there else "")


def _commands(folder: Path) -> Iterable[tuple[frozenset[str], str]]:
    """(languages, command) of each manifest that lies in a folder."""
    names = frozenset(os.listdir(folder)) if folder.is_dir() else frozenset[str]()
    if "pom.xml" in names:
        yield _JVM, f"{'./mvnw' if 'mvnw' in names else 'mvn'} -q test"
    if names & {"build.gradle", "build.gradle.kts"}:
        yield _JVM, f"{'./gradlew' if 'gradlew' in names else 'gradle'} test"
    if "go.mod" in names:
        yield frozenset({"Go"}), "go test ./..."
    if "Cargo.toml" in names:
        yield frozenset({"Rust"}), "cargo test"
    if "package.json" in names and _has_test_script(folder / "package.json"):
        yield _SCRIPTS, "npm test"


def _has_test_script(manifest: Path) -> bool:
    try:
        scripts = json.loads(read_bytes(str(manifest), _LARGEST)).get("scripts")
    except (Unreadable, ValueError, AttributeError, RecursionError):
        return False
    script = scripts.get("test") if isinstance(scripts, dict) else None
    return isinstance(script, str) and bool(script.strip()) and _NO_TESTS not in script


def _touched(graph: Graph, tasks: Iterable[Task]) -> Iterable[str]:
    """Paths of the files that tasks are about: what they move, rename or remove, and where something must change."""
    for task in tasks:
        for node in task.nodes:
            if node in graph.key_of:
                yield from (graph.ids[key] for key in graph.subtree(graph.key_of[node]).tolist())
        yield from (site.file for site in task.must)


def _languages(paths: Iterable[str]) -> list[str]:
    """Names of the languages of files, those of most files first."""
    counts = Counter(language.name for path in paths if (language := language_of(path)) is not None)
    return sorted(counts, key=lambda name: (-counts[name], name))


def _rewritten(touched: Collection[str]) -> str:
    done = [name for name in touched if _is_rewritten(name)]
    left = [name for name in touched if name not in done]
    said = [f"Imports of {_listed(done)} are rewritten."] if done else []
    if left:
        said.append(f"Imports of {_listed(left)} are not rewritten: a file that others name cannot be moved.")
    return " ".join(said)


def _is_rewritten(language: str) -> bool:
    names = [f"a{suffix}" for one in LANGUAGES if one.name == language for suffix in one.suffixes]
    return any(is_python(name) or moved_as(name) is not None for name in names)


def _consent(has_python: bool) -> str:
    what = "each Python module is imported, and this command is run" if has_python else "this command is run"
    return f"Runs code of the project, in the copy: {what}. Empty: nothing is run."


def _listed(names: Collection[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
