"""Resolving among processes, and that it does not matter who resolves what."""

from __future__ import annotations

import multiprocessing
import os
import random
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from cbvtool.analysis import analyze, dividing
from cbvtool.analysis.dividing import groups_of, resolved
from cbvtool.analysis.facts import CALL, FileFacts, Uses
from cbvtool.analysis.languages import DividedResolver, language_of, reader
from cbvtool.analysis.languages.java import names as java_names
from cbvtool.analysis.languages.python import names as python_names
from cbvtool.analysis.limits import NoProcess
from cbvtool.analysis.pool import Workers
from cbvtool.analysis.resolution import Folder
from cbvtool.errors import Cancelled
from tests.analysis.test_corpus import CORPUS

ABOVE = ("cbvtool", "analysis", "languages", "python")
SOURCE = Path(__file__).parents[2].joinpath("src", *ABOVE)

# A resolver whose every file calls the next one; the line tells whether another process found that.
# Above the files stands the number of the first process, and what befalls the others.
NEXT = """
import os, signal
from cbvtool.analysis.resolution import Resolution

class divided:
    def __init__(self, folder, facts):
        self.first, self.word = folder.above

    def rest(self):
        return Resolution(notes=["of all"])

    def relate(self, files):
        other = os.getpid() != int(self.first)
        if other and self.word == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        while self.word == "hang" and 5 in files:
            pass
        if self.word == "fault":
            raise KeyError("a mistake in the resolver")
        found = Resolution()
        for file in files:
            found.relations.add((file, -1), (file + 1, -1), "call", other)
        return found
"""

Subject = Callable[[str], tuple[str, Folder, dict[int, FileFacts]]]
posix = pytest.mark.skipif(sys.platform == "win32", reason="signals to oneself are another thing there")


@pytest.fixture
def subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Subject:
    (tmp_path / "of_tests").mkdir()
    (tmp_path / "of_tests" / "next_one.py").write_text(NEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(dividing, "GROUP", 10)
    uses = Uses.pack([(-1, CALL, "f", "", 1)] * 5)
    facts = {row: FileFacts(1, uses=uses) for row in range(30)}
    return lambda word: ("of_tests.next_one", Folder((str(os.getpid()), word), [], str.encode), facts)


def quiet(done: int, total: int) -> None:
    pass


@pytest.fixture
def workers() -> Iterator[Workers]:
    with Workers(2) as found:
        yield found


def test_processes_resolve(subject: Subject, workers: Workers) -> None:
    """All that can be divided is found elsewhere, in the order of the files, the rest here."""
    found = resolved(subject(""), workers, quiet)
    assert [(one.source.file, one.target.file) for one in found.relations] == [(row, row + 1) for row in range(30)]
    assert {one.line for one in found.relations} == {1}
    assert found.notes == ["of all"]


def test_one_process_resolves_the_same(subject: Subject) -> None:
    with Workers(1) as alone:
        found = resolved(subject(""), alone, quiet)
    assert [(one.source.file, one.line) for one in found.relations] == [(row, 0) for row in range(30)]


@posix
def test_what_a_dying_worker_loses_is_resolved_here(
    subject: Subject, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed worker costs no relation."""
    monkeypatch.setattr(dividing, "GROUP", 250)  # three groups: each costs two workers
    found = resolved(subject("killed"), workers, quiet)
    assert [(one.source.file, one.line) for one in found.relations] == [(row, 0) for row in range(30)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_takes_too_long_is_told(subject: Subject, jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A group of files that hangs the resolver is stopped; its relations are missing."""
    monkeypatch.setattr(dividing, "resolve_seconds", lambda uses: 1.0)
    name, folder, facts = subject("hang")
    with Workers(jobs) as some:
        found = resolved(
            (name, Folder(folder.above, [f"{row}.x" for row in range(30)], str.encode), facts), some, quiet
        )
    of_all, missing = found.notes
    assert (of_all, missing[:23]) == ("of all", "The relations of '5.x' ")
    assert missing.endswith("are missing: to resolve them takes more than 1 seconds.")
    files = [one.source.file for one in found.relations]
    assert files == (list(range(5)) if jobs == 1 else [row for row in range(30) if row != 5])
    assert multiprocessing.active_children() == []


def test_without_processes_all_is_resolved_here(subject: Subject, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no process can be started, or nothing be written for them."""

    def refused(*arguments: object) -> None:
        raise NoProcess

    monkeypatch.setattr(Workers, "start", refused)
    with Workers(2) as poor:
        assert len(resolved(subject(""), poor, quiet).relations) == 30


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_fault_of_the_resolver_is_told(subject: Subject, jobs: int) -> None:
    with Workers(jobs) as some, pytest.raises(KeyError, match="a mistake in the resolver"):
        resolved(subject("fault"), some, quiet)
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_cancel(subject: Subject, jobs: int) -> None:
    """What progress raises stops the work, between one group and the next."""
    seen: list[int] = []

    def stop(done: int, total: int) -> None:
        seen.append(done)
        if done:
            raise Cancelled

    with Workers(jobs) as some, pytest.raises(Cancelled):
        resolved(subject(""), some, stop)
    assert 0 < seen[-1] < 30 or jobs == 2
    assert multiprocessing.active_children() == []


@cache
def facts_below(root: Path, language: str) -> tuple[Folder, dict[int, FileFacts]]:
    """All files of that language below `root`, as if it was one program."""
    files = sorted(path for path in root.rglob("*") if (known := language_of(path.name)) and known.name == language)
    paths = [str(path.relative_to(root)) for path in files]
    folder = Folder(ABOVE, paths, lambda path: None)
    read = reader(f".{language.lower()}.reader").read_facts
    return folder, {row: read(path.read_bytes(), path.name) for row, path in enumerate(files)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("root", "language", "names"), [(SOURCE, "Python", python_names), (CORPUS / "java", "Java", java_names)]
)
def test_a_group_is_resolved_as_if_alone(
    root: Path, language: str, names: DividedResolver, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found in some files does not depend on what was asked before."""
    monkeypatch.setattr(dividing, "GROUP", 300)
    folder, facts = facts_below(root, language)
    groups = groups_of(facts)
    assert len(groups) > 5
    alone = [names.divided(folder, facts).relate(group) for group in groups[:4]]
    together = names.divided(folder, facts)
    order = list(range(len(groups)))
    random.Random(seed).shuffle(order)
    found = {row: together.relate(groups[row]) for row in order}
    assert sum(len(one.relations) for one in alone) > 0
    assert [found[row].relations.columns for row in range(4)] == [one.relations.columns for one in alone]
    assert [found[row].outside for row in range(4)] == [one.outside for one in alone]


def test_groups_hold_every_file_once() -> None:
    """In order, each about as large, and none of them empty."""
    for sizes in ([], [0], [9000, 0, 1], [1] * 1000, [4000] * 3):
        facts = {
            row * 2: FileFacts(1, uses=Uses.pack([(-1, CALL, "f", "", 1)] * size)) for row, size in enumerate(sizes)
        }
        groups = groups_of(facts)
        assert [row for group in groups for row in group] == list(facts)
        assert all(groups)
        assert len(groups) <= 1 + 2 * sum(size + 20 for size in sizes) // dividing.GROUP


@pytest.mark.parametrize("folder", [SOURCE, CORPUS / "java"])
def test_graphs_of_many_groups_are_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Identical graphs for one, two and three processes."""
    monkeypatch.setattr(dividing, "GROUP", 300)
    one, *others = [analyze(folder, jobs=jobs) for jobs in (1, 2, 3)]
    for other in others:
        assert other.ids == one.ids
        for column in ("source", "target", "kind", "weight", "confidence", "when", "site_line"):
            assert getattr(other.edges, column).tobytes() == getattr(one.edges, column).tobytes()
