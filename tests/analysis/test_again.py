"""After an edit only what it changes is resolved again, and the graph is the one from nothing."""

from __future__ import annotations

import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cbvtool.analysis import again, analyze, cache, dividing
from cbvtool.analysis.cache import FILE, open_cache
from cbvtool.analysis.dividing import groups_of
from cbvtool.analysis.facts import FileFacts
from cbvtool.analysis.languages import DividedResolver, reader
from cbvtool.analysis.languages.java import names as java_names
from cbvtool.analysis.languages.python import names as python_names
from cbvtool.analysis.languages.python.values import World
from cbvtool.analysis.pool import Outcomes, read_all
from cbvtool.analysis.resolution import Folder, Resolution
from cbvtool.graph import Graph
from tests.analysis.test_corpus import CORPUS
from tests.analysis.test_dividing import SOURCE, facts_below
from tests.graph.compare import same_graph

SUBJECTS = {
    ".java": (CORPUS / "java", "class Added { int added(String s) { return s.length(); } }\n"),
    ".py": (Path(__file__).parents[2] / "sample_projects" / "shop", "def added(value):\n    return value.total()\n"),
}


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def resolved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The files that are resolved, by their rows; they come in small groups."""
    monkeypatch.setattr(dividing, "GROUP", 300)
    files: list[int] = []
    for module in (java_names, python_names):

        def relate(self: object, group: Sequence[int], plain: Callable = module._Files.relate) -> Resolution:
            files.extend(group)
            return plain(self, group)

        monkeypatch.setattr(module._Files, "relate", relate)
    return files


def copied(suffix: str, tmp_path: Path) -> Path:
    return Path(shutil.copytree(SUBJECTS[suffix][0], tmp_path / "root"))


def same(one: Graph, other: Graph) -> bool:
    return same_graph(one, other) and one.ids == other.ids and one.report == other.report


def ends(graph: Graph) -> list[tuple[str, str]]:
    edges = graph.edges
    return sorted((graph.ids[one], graph.ids[two]) for one, two in zip(edges.source, edges.target, strict=True))


@pytest.mark.parametrize(
    ("root", "language", "names"), [(SOURCE, "Python", python_names), (CORPUS / "java", "Java", java_names)]
)
def test_what_others_offer_is_enough(
    root: Path, language: str, names: DividedResolver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a group leads to follows from its own facts and what the others offer: all else may be taken from them."""
    monkeypatch.setattr(dividing, "GROUP", 300)
    folder, facts = facts_below(root, language)
    offered = {row: reader(f".{language.lower()}.reader").offered(found) for row, found in facts.items()}
    assert all(len(offered[row].uses) <= len(found.uses) for row, found in facts.items())
    assert sum(len(one.uses) for one in offered.values()) < 0.8 * sum(len(one.uses) for one in facts.values())
    whole = names.divided(folder, facts)
    related = 0
    for group in random.Random(7).sample(groups_of(facts), 6):
        found = names.divided(folder, offered | {row: facts[row] for row in group}).relate(group)
        assert found == whole.relate(group) or found.relations.columns == whole.relate(group).relations.columns
        assert found.outside == whole.relate(group).outside
        related += len(found.relations)
    assert related > 100


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_functions_are_given_is_worked_out_once(
    jobs: int, tmp_path: Path, kept: Path, resolved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What all files have in common is kept as long as they offer the same, whoever worked it out; not if damaged."""
    root = copied(".py", tmp_path)
    analyze(root, cache=kept, jobs=jobs)
    times: list[int] = []
    plain = World.give_arguments
    monkeypatch.setattr(World, "give_arguments", lambda self: times.append(1) or plain(self))
    for text, expected in (("print(0)\n", 0), ("def more(x):\n    x.total()\n\n\nmore(more)\n", 1), ("print(1)\n", 0)):
        with (root / "shop" / "__init__.py").open("a") as file:
            file.write(text)
        del times[:]
        graph = analyze(root, cache=kept, jobs=1)
        assert len(times) == expected
        assert same(graph, analyze(root, jobs=1))
    with closing(sqlite3.connect(kept / FILE)) as connection, connection:
        connection.execute("update relations set data = ?", (zlib.compress(b"\xc1"),))
        connection.execute("update folders set key = x''")
    assert same(analyze(root, cache=kept, jobs=1), graph)


_TAKING = """class First:
    def go(self):
        pass


class Second:
    def go(self):
        pass


def take_one(thing):
    thing.go()


def take_other(thing):
    thing.go()
"""
_GIVING = """from taking import First, Second, take_one, take_other


def give():
    one = First()
    take_one(one)
    one = Second()
    other = Second()
    other = First()
    take_other(other)
    other = 0
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_functions_are_given_is_known_where_lines_move(
    jobs: int, tmp_path: Path, kept: Path, resolved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """NEW-24: which assignment an argument means is kept, not its line, which remarks move to other assignments."""
    monkeypatch.setattr(dividing, "INLINE_USES", 0)
    monkeypatch.setattr(dividing, "GROUP", 1)
    root = tmp_path / "root"
    root.mkdir()
    (root / "taking.py").write_text(_TAKING)
    giving = root / "giving.py"
    giving.write_text("# a remark\n" * 4 + _GIVING)
    analyze(root, cache=kept, jobs=jobs)
    times: list[int] = []
    plain = World.give_arguments
    monkeypatch.setattr(World, "give_arguments", lambda self: times.append(1) or plain(self))
    for remarks in (5, 8, 0):
        giving.write_text("# a remark\n" * remarks + _GIVING)
        (root / "taking.py").write_text(f"{_TAKING}# {remarks}\n")  # whose relations follow from what was given
        del times[:]
        graph = analyze(root, cache=kept, jobs=1)
        assert times == []
        assert same(graph, analyze(root, jobs=1)), remarks


_ANNOTATED = """class First:
    def go(self, way):
        pass


class Second:
    def go(self, way):
        pass


def take(thing: First):
    thing.go(thing)


take(Second())
"""


def test_an_annotation_goes_before_what_is_given(tmp_path: Path, kept: Path) -> None:
    """NEW-24: also where the parameter was asked for before it is given something, which is so from nothing alone."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "one.py").write_text(_ANNOTATED)
    analyze(root, cache=kept, jobs=1)
    (root / "one.py").write_text(f"{_ANNOTATED}# a remark\n")
    fresh = analyze(root, jobs=1)
    assert same(analyze(root, cache=kept, jobs=1), fresh)
    called = [target for source, target in ends(fresh) if source == "one.py::take"]
    assert called == ["one.py::First", "one.py::First.go"]


@pytest.mark.parametrize("suffix", SUBJECTS)
def test_an_edit_inside_a_function_touches_one_group(
    suffix: str, tmp_path: Path, kept: Path, resolved: list[int]
) -> None:
    """Another call in front of a `return`."""
    root = copied(suffix, tmp_path)
    analyze(root, cache=kept, jobs=1)
    every = len(resolved)
    edited = next(path for path in sorted(root.rglob(f"*{suffix}")) if "        return " in path.read_text())
    before, _, after = edited.read_text().partition("        return ")
    edited.write_text(f"{before}        {'print(0)' if suffix == '.py' else 'hashCode();'}\n        return {after}")
    del resolved[:]
    graph = analyze(root, cache=kept, jobs=1)
    assert 0 < len(resolved) < every / 2
    del resolved[:]
    assert same(graph, analyze(root, jobs=1))
    assert len(resolved) == every


def test_keys_of_relations(kept: Path) -> None:
    """All that they follow from: the resolver, paths, settings, what all offer, all facts of the group; no more."""
    plain = Folder(("a",), ["x", "y"], lambda path: None)
    facts = {row: FileFacts(1, offered=b"1") for row in range(2)}

    def keys(
        name: str = "r", folder: Folder = plain, other: bytes = b"1", contents: tuple[bytes, ...] = (b"1", b"2")
    ) -> list[bytes]:
        with open_cache(kept) as opened:
            family = again.Earlier(opened, "root", dict(enumerate(contents))).family(
                name, folder, facts | {1: facts[1]._replace(offered=other)}, [[0], [1]]
            )
        return [] if family is None else [*family.keys, family.shared]

    first = keys()
    assert len(set(first)) == 3
    assert keys(folder=replace(plain, root="elsewhere")) == first
    for others in (
        keys(name="s"),
        keys(other=b"2"),
        keys(folder=replace(plain, above=("b",))),
        keys(folder=replace(plain, paths=["x", "z"])),
        keys(folder=replace(plain, include_paths=("i",))),
        keys(folder=replace(plain, source_roots=("i",))),
        keys(folder=replace(plain, linked={"z": 1})),
    ):
        assert set(others).isdisjoint(first)
    edited = keys(contents=(b"1", b"3"))
    assert [one == two for one, two in zip(first, edited, strict=True)] == [True, False, True]
    assert keys(other=b"") == keys(contents=(b"1",)) == []


class Editor:
    """Edits what lies below a folder as somebody might."""

    def __init__(self, root: Path, suffix: str, seed: int) -> None:
        self.root, self.suffix, self.random = root, suffix, random.Random(seed)

    def edit(self) -> str:
        """Do something; the result says what."""
        files = sorted(self.root.rglob(f"*{self.suffix}"))
        what = self.random.choice(
            (
                self.line_again,
                self.line_away,
                self.lines_swapped,
                self.comment,
                self.name_elsewhere,
                self.word_renamed,
                self.more,
                self.copy,
                self.remove,
                self.rename,
                self.configure,
            )
        )
        path = self.random.choice(files)
        what(path)
        return f"{what.__name__} {path.relative_to(self.root)}"

    def _change(self, path: Path, change: Callable[[list[str]], object]) -> None:
        lines = path.read_text(errors="replace").splitlines(keepends=True) or ["\n"]
        change(lines)
        path.write_text("".join(lines))

    def line_again(self, path: Path) -> None:
        row = self.random.random()
        self._change(path, lambda lines: lines.insert(int(row * len(lines)), lines[int(row * len(lines))]))

    def line_away(self, path: Path) -> None:
        self._change(path, lambda lines: lines.pop(self.random.randrange(len(lines))))

    def lines_swapped(self, path: Path) -> None:
        def swap(lines: list[str]) -> None:
            row = self.random.randrange(len(lines))
            lines[row - 1], lines[row] = lines[row], lines[row - 1]

        self._change(path, swap)

    def comment(self, path: Path) -> None:
        mark = "#" if self.suffix == ".py" else "//"
        self._change(path, lambda lines: lines.insert(self.random.randrange(len(lines)), f"{mark} changed\n"))

    def name_elsewhere(self, path: Path) -> None:
        """A line of another file."""
        other = self.random.choice(sorted(self.root.rglob(f"*{self.suffix}")))
        line = self.random.choice(other.read_text(errors="replace").splitlines(keepends=True) or ["\n"])
        self._change(path, lambda lines: lines.insert(self.random.randrange(len(lines)), line))

    def word_renamed(self, path: Path) -> None:
        words = [word for word in path.read_text(errors="replace").split() if word.isidentifier()] or ["x"]
        word, text = self.random.choice(words), path.read_text(errors="replace")
        path.write_text(text.replace(word, self.random.choice(words)))

    def more(self, path: Path) -> None:
        self._change(path, lambda lines: lines.append(SUBJECTS[self.suffix][1]))

    def copy(self, path: Path) -> None:
        shutil.copy(path, path.with_name(f"A{self.random.randrange(99)}{path.name}"))

    def remove(self, path: Path) -> None:
        path.unlink()

    def rename(self, path: Path) -> None:
        path.rename(path.with_name(f"{path.stem}X{self.suffix}"))

    def configure(self, path: Path) -> None:
        roots = self.random.sample(sorted(one.name for one in self.root.iterdir() if one.is_dir()), 1)
        (self.root / "cbvtool.toml").write_text(f"[analysis]\nsource_roots = {roots}\n")


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("suffix", SUBJECTS)
def test_after_any_edits_the_graph_is_that_from_nothing(
    suffix: str, seed: int, tmp_path: Path, kept: Path, resolved: list[int]
) -> None:
    """Bodies, signatures, files added and removed, settings."""
    root = copied(suffix, tmp_path)
    editor = Editor(root, suffix, seed)
    done = again_from_nothing = 0
    for _ in range(15):
        told = [editor.edit() for _ in range(editor.random.choice((1, 1, 2)))]
        del resolved[:]
        graph = analyze(root, cache=kept, jobs=1)
        done += len(resolved)
        del resolved[:]
        assert same(graph, analyze(root, jobs=1)), told
        again_from_nothing += len(resolved)
    assert done < again_from_nothing


def test_only_what_the_last_analysis_asked_for_is_kept(
    tmp_path: Path, kept: Path, resolved: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounded: what an edit makes stale is forgotten, of that folder alone."""

    def rows() -> dict[bytes, int]:
        with closing(sqlite3.connect(kept / FILE)) as connection, connection:
            return dict(connection.execute("select root, count(*) from relations group by root"))

    root = copied(".java", tmp_path)
    other = Path(shutil.copytree(SOURCE.parents[2] / "graph", tmp_path / "other"))
    analyze(root, cache=kept, jobs=1)
    analyze(other, cache=kept, jobs=1)
    before = rows()
    assert len(before) == 2
    editor = Editor(root, ".java", 3)
    for _ in range(3):
        editor.more(sorted(root.rglob("*.java"))[5])
        analyze(root, cache=kept, jobs=1)
        analyze(root, cache=kept, jobs=1, config=None)
    assert rows().keys() == before.keys()
    assert all(abs(rows()[name] - before[name]) < 3 for name in before)
    monkeypatch.setattr(cache, "SIZE_LIMIT", 20_000)
    editor.more(sorted(root.rglob("*.java"))[5])
    analyze(root, cache=kept, jobs=1)
    assert sum(rows().values()) < sum(before.values())


@pytest.mark.parametrize("data", [b"", b"\0", again._pack(Resolution())[:-1]])
def test_damaged_relations_are_found_again(data: bytes, tmp_path: Path, kept: Path, resolved: list[int]) -> None:
    """Never fatal."""
    root = copied(".java", tmp_path)
    plain = analyze(root, cache=kept, jobs=1)
    every = len(resolved)
    with closing(sqlite3.connect(kept / FILE)) as connection, connection:
        connection.execute("update relations set data = ?", (data,))
        connection.execute("update folders set key = x''")
    del resolved[:]
    assert same(analyze(root, cache=kept, jobs=1), plain)
    assert len(resolved) == every
    with closing(sqlite3.connect(kept / FILE)) as connection, connection:
        connection.execute("update folders set key = x''")
    del resolved[:]
    assert same(analyze(root, cache=kept, jobs=1), plain)
    assert resolved == []


@pytest.mark.parametrize("is_kept", [False, True])
def test_what_is_offered_is_worked_out_for_a_cache_alone(
    is_kept: bool, tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It tells which relations still hold next time: with nothing kept it would be work for nobody."""
    root = copied(".py", tmp_path)
    seen: list[bytes] = []

    def read(*arguments: Any, **named: Any) -> Outcomes:  # as `read_all`
        for row, outcome in read_all(*arguments, **named):
            assert isinstance(outcome.facts, FileFacts)
            seen.append(outcome.facts.offered)
            yield row, outcome

    monkeypatch.setattr("cbvtool.analysis.folder.read_all", read)
    analyze(root, cache=kept if is_kept else False, jobs=1)
    assert len(seen) > 3
    assert all(bool(offered) == is_kept for offered in seen)
