"""The cache of facts and graphs. Whatever is wrong with it, the analysis is right."""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest

from cbvtool.analysis import analyze, cache, folder, pool
from cbvtool.analysis.cache import FILE, VARIABLE, Cache, Stamp, default_folder, facts_key, fingerprint, open_cache
from cbvtool.analysis.facts import CALL, Definition, FileFacts, Import, Measures, Uses
from cbvtool.analysis.languages import LANGUAGES, Language, reader
from cbvtool.analysis.marks import Loose, Namespace, Replacing, VisibleEverywhere
from cbvtool.errors import Cancelled
from cbvtool.graph import Graph
from cbvtool.graph.pack import pack, unpack
from cbvtool.regular_file import Unreadable
from tests.graph.compare import same_graph

FACTS = FileFacts(
    9,
    Measures(sloc=8, nl3_lines=1, complexity=2),
    definitions=(
        Definition(-1, "C", "class", 1, 9, Measures(sloc=1)),
        Definition(0, "f", "function", 2, 9, Measures(sloc=7, nl3_lines=1, complexity=3), type="t"),
    ),
    imports=(Import("a.b", 1, ("x", "*"), 3, optional=True, aliases=("y", "")), Import("c", 0, None, 4)),
    uses=Uses.pack([(1, CALL, "self.g", "", 5), (1, CALL, "h", "", 6)]),
    syntax_error=True,
    package="p",
    marks=(Namespace("a.b", 1, 9), Replacing(0, (("x", "y"),)), VisibleEverywhere(), Loose(1)),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with sources whose last change was long enough ago."""
    made = tmp_path / "root"
    made.mkdir()
    for i in range(6):
        (made / f"f{i}.py").write_text(f"import f{(i + 1) % 6}\n\n\ndef g{i}():\n    pass\n")
    return made


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of this file system ticks often enough: no test waits two seconds."""
    monkeypatch.setattr(folder, "_SETTLED", 0)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are parsed."""
    names: list[str] = []

    def counting(name: str) -> object:
        class Counting:
            @staticmethod
            def read_facts(data: bytes, name: str = "") -> FileFacts:
                names.append(name)
                return module.read_facts(data, name)

        module = reader(name)
        return Counting

    monkeypatch.setattr(pool, "reader", counting)
    return names


def touch_later(path: Path, text: str | None = None) -> None:
    """Write `text`, or just touch, so that the time of the change is another one for sure."""
    if text is not None:
        path.write_text(text)
    later = path.stat().st_mtime_ns + 1_000_000
    os.utime(path, ns=(later, later))


def test_what_did_not_change_is_not_read_again(root: Path, kept: Path, parsed: list[str]) -> None:
    """The graph is the same, its report too, and nothing is parsed."""
    time.sleep(0.02)  # until the clock has ticked
    first = analyze(root, cache=kept)
    assert len(parsed) == 6
    again = analyze(root, cache=kept)
    assert len(parsed) == 6
    assert same_graph(first, again)
    assert first.report == again.report
    assert same_graph(first, analyze(root))


def test_only_what_changed_is_read_again(root: Path, kept: Path, parsed: list[str]) -> None:
    """Re-analysis touches only what changed; files added and removed are seen."""
    analyze(root, cache=kept)
    del parsed[:]
    touch_later(root / "f2.py", "import f5\nclass New: pass\n")
    (root / "f3.py").unlink()
    (root / "more.py").write_text("import f2\n")
    changed = analyze(root, cache=kept)
    assert sorted(parsed) == ["f2.py", "more.py"]
    assert same_graph(changed, analyze(root))
    assert changed.key_of["f2.py::New"]


def test_content_counts_not_the_time(root: Path, kept: Path, parsed: list[str]) -> None:
    """The key is the content: what is checked out anew, or lies elsewhere, is known."""
    analyze(root, cache=kept)
    del parsed[:]
    for path in root.iterdir():
        touch_later(path)
    analyze(root, cache=kept)
    analyze(root.rename(root.with_name("root2")), cache=kept)
    assert parsed == []


def test_same_size_and_time_is_another_file(root: Path, kept: Path) -> None:
    """What somebody changed, and dated back, is seen: the system dates the change of the date."""
    time.sleep(0.02)
    analyze(root, cache=kept)
    before = (root / "f0.py").stat()
    (root / "f0.py").write_text("import f2\n\n\ndef g0():\n    pass\n")
    os.utime(root / "f0.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (root / "f0.py").stat().st_size == before.st_size
    assert same_graph(analyze(root, cache=kept), analyze(root))


def test_a_fresh_file_is_not_trusted(root: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file may change twice within one tick of the clock: how it looks is remembered only later."""
    monkeypatch.setattr(folder, "_SETTLED", 3_600_000_000_000)
    analyze(root, cache=kept)
    with open_cache(kept) as opened:
        assert opened.stamps(str(root)) == {}
        assert opened.holds_facts


def test_settings_and_program_are_part_of_the_key(
    root: Path, kept: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other settings, another graph; another program or grammar, other facts."""
    time.sleep(0.02)
    analyze(root, cache=kept)
    (root.parent / "other.toml").write_text('[analysis]\nexclude = ["f1.py"]\n')
    assert "f1.py" not in analyze(root, cache=kept, config=root.parent / "other.toml").ids
    assert len(parsed) == 6
    monkeypatch.setattr(cache, "fingerprint", lambda: b"another")
    monkeypatch.setattr(folder, "fingerprint", lambda: b"another")
    analyze(root, cache=kept)
    assert len(parsed) == 12


def test_reasons_are_kept_as_well(tmp_path: Path, kept: Path, parsed: list[str]) -> None:
    """A file that cannot be parsed is not tried again, and the reason stays."""
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "bad.py").write_bytes(b"x = 1\0")
    time.sleep(0.02)
    reports = [analyze(tmp_path / "root", cache=kept).report for _ in range(2)]
    assert reports[0] == reports[1]
    assert reports[0].skipped[0].reason == "is binary (holds NUL bytes)"
    assert parsed == ["bad.py"]


def test_what_was_read_before_a_cancel_is_kept(root: Path, kept: Path, parsed: list[str]) -> None:
    """Cancel keeps what is there."""

    def stop(what: str, done: int, total: int) -> None:
        if done == 4:
            raise Cancelled

    with pytest.raises(Cancelled):
        analyze(root, cache=kept, progress=stop)
    assert len(parsed) == 4
    analyze(root, cache=kept)
    assert len(parsed) == 6


# -- damage ------------------------------------------------------------------------------------------------------


def empty(file: Path) -> None:
    file.write_bytes(b"")


def garbage(file: Path) -> None:
    file.write_bytes(os.urandom(5000))


def cut_off(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def overwritten(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[2000:-1000] = b"\xa5" * (len(data) - 3000)
    file.write_bytes(data)


def other_tables(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("create table facts (wrong integer)")
        connection.execute(f"pragma user_version = {cache._LAYOUT}")
    connection.close()


def older(file: Path) -> None:
    file.unlink()
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("create table facts (old integer)")
    connection.close()


def lying(file: Path) -> None:
    """Well-formed rows whose contents are not."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("update facts set data = x'00'")
        connection.execute("update folders set stamps = x'00', graph = x'00'")
    connection.close()


@pytest.mark.parametrize("damage", [empty, garbage, cut_off, overwritten, other_tables, older, lying])
def test_a_damaged_cache_is_made_anew(root: Path, kept: Path, damage: Callable[[Path], None]) -> None:
    """A broken cache is rebuilt, never fatal; the one after that is whole again."""
    plain = analyze(root, cache=kept)
    damage(kept / FILE)
    touch_later(root / "f1.py")
    mended = analyze(root, cache=kept)
    assert same_graph(mended, plain)
    told = [note for note in mended.report.notes if "cache" in note]
    assert len(told) <= 1
    assert all("was damaged" in note and note.endswith("is made anew.") for note in told)
    again = analyze(root, cache=kept)
    assert same_graph(again, plain)
    assert again.report == plain.report


def test_a_locked_cache_is_done_without(root: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits too long for another process goes on without, and says so; nothing is thrown away."""
    monkeypatch.setattr(cache, "_PATIENCE", 0.05)
    analyze(root, cache=kept)
    touch_later(root / "f1.py")
    other = sqlite3.connect(kept / FILE)
    other.execute("begin exclusive")
    graph = analyze(root, cache=kept)
    other.rollback()
    other.close()
    assert same_graph(graph, analyze(root))
    (told,) = [note for note in graph.report.notes if "cache" in note]
    assert told.endswith("is not used: database is locked.")
    with open_cache(kept) as opened:
        assert opened.holds_facts


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX system")
def test_a_place_where_nothing_can_be_written(root: Path, tmp_path: Path) -> None:
    """An impossible folder costs a note."""
    (tmp_path / "file").write_text("")
    graph = analyze(root, cache=tmp_path / "file" / "below")
    assert same_graph(graph, analyze(root))
    (told,) = [note for note in graph.report.notes if "cache" in note]
    assert told.endswith("is not used: Not a directory.")


def test_two_at_once(root: Path, kept: Path) -> None:
    """Safe against two processes: both find the right graph, and neither hurts the other."""
    graphs: list[Graph] = []
    threads = [threading.Thread(target=lambda: graphs.append(analyze(root, cache=kept, jobs=1))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    plain = analyze(root)
    assert len(graphs) == 8
    assert all(same_graph(graph, plain) and graph.report == plain.report for graph in graphs)


# -- the parts ---------------------------------------------------------------------------------------------------


def test_facts_come_back_as_they_were(kept: Path) -> None:
    """All of the facts, whichever; also an outcome without any."""
    with open_cache(kept) as opened:
        opened.add_facts(b"1", FACTS)
        opened.add_facts(b"2", "is minified")
        opened.add_facts(b"3", FACTS._replace(package="\udc80"))  # is no text: not kept, not fatal
    with open_cache(kept) as opened:
        assert opened.facts([b"1", b"2", b"3", b"4"]) == {b"1": FACTS, b"2": "is minified"}
        assert opened.notes == []


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_facts_of_every_language_come_back(language: Language, kept: Path) -> None:
    """What a reader finds has the types that it promises: the cache takes nothing else."""
    folders = [folder for folder in (Path(__file__).parents[1] / "corpus").iterdir() if folder.is_dir()]
    sources = [path for folder in folders for path in folder.rglob(f"*{language.suffixes[0]}")][:40]
    module = reader(language.reader)
    found = {}
    for path in sources:
        with suppress(Unreadable):
            found[str(path).encode()] = module.read_facts(path.read_bytes(), path.name)
    with open_cache(kept) as opened:
        for key, facts in found.items():
            opened.add_facts(key, facts)
    with open_cache(kept) as opened:
        assert opened.facts(found) == found


def test_key_of_facts() -> None:
    """Content, reader, the name that readers are told, program and grammar."""
    keys = {
        facts_key(*parts)
        for parts in (
            ("a", "x.h", b"1"),
            ("b", "x.h", b"1"),
            ("a", "y.h", b"1"),
            ("a", "x.h", b"2"),
            ("a", "\udc80.h", b"1"),
        )
    }
    assert len(keys) == 5
    assert len(fingerprint()) == 16


def test_a_graph_comes_back_as_it_was(root: Path) -> None:
    """All columns, values, edges with their sites, and the report."""
    graph = analyze(root)
    again = unpack(pack(graph))
    assert same_graph(graph, again)
    assert (again.ids, again.files, again.kind_names, again.report) == (
        graph.ids,
        graph.files,
        graph.kind_names,
        graph.report,
    )
    for damaged in (b"", b"x", pack(graph)[:-9]):
        with pytest.raises(ValueError):  # noqa: PT011 - the reason is zlib's
            unpack(damaged)


def test_stamps_and_odd_names(kept: Path) -> None:
    """Names that are no text are kept as the system spells them."""
    stamps = {"a/\udce9.py": Stamp(1, 2, 3, 2**63, b"x" * 16), "b": Stamp(0, -5, 0, 0, b"")}
    with open_cache(kept) as opened:
        opened.keep("/ro\udcffot", stamps)
        assert opened.stamps("/ro\udcffot") == stamps
        assert opened.stamps("/other") == {}
        assert opened.graph("/ro\udcffot", b"") is None


def test_the_size_is_bounded(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What nobody used for longest leaves first."""
    monkeypatch.setattr(cache, "SIZE_LIMIT", 200_000)
    names = [f"{i:06}".encode() for i in range(300)]

    def fill(day: int, keys: list[bytes]) -> None:
        with open_cache(kept) as opened:
            opened._today = day
            for key in keys:
                opened.add_facts(key, os.urandom(500).hex())

    fill(1, names[:200])
    with open_cache(kept) as opened:
        opened._today = 2
        used = names[:20]
        assert len(opened.facts(used)) == 20  # used again: young again
    fill(3, names[200:])
    assert (kept / FILE).stat().st_size < 400_000
    with open_cache(kept) as opened:
        left = set(opened.facts(names))
    assert set(names[200:]) <= left
    assert set(used) <= left
    assert len(left) < 280


def test_where_it_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own_settings: Path) -> None:
    """The user's cache folder, or what the environment says; empty is nowhere."""
    monkeypatch.setenv(VARIABLE, str(tmp_path / "said"))
    assert default_folder() == tmp_path / "said"
    monkeypatch.setenv(VARIABLE, "")
    assert default_folder() is None
    monkeypatch.delenv(VARIABLE)
    assert default_folder() is not None
    if sys.platform == "linux":
        assert default_folder() == own_settings / "cache" / "cbvtool"


def test_nothing_is_written_unless_asked(root: Path, own_settings: Path) -> None:
    """The library keeps nothing behind anyone's back; no cache is no cache."""
    analyze(root)
    assert not (own_settings / "cache").exists()
    nowhere = Cache(None)
    nowhere.add_facts(b"1", FACTS)
    nowhere.keep("/", {})
    assert nowhere.facts([b"1"]) == {}
    assert not nowhere.holds_facts
    nowhere.close()
