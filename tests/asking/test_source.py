"""Reading the source behind a node, its sites and its colours (NEW-10)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cbvtool.asking.highlight import ROLES, lexed, units
from cbvtool.asking.source import LONGEST_LINE, path_inside, place_of, qualified_name, read_source, sites_in, words_of
from cbvtool.errors import InputError
from cbvtool.graph import Graph, GraphBuilder


def graph() -> Graph:
    """A Python package, a Java class and a C file; app.py uses both others on line 2."""
    builder = GraphBuilder("p")
    builder.add_node("src", "", "src", "folder")
    for path, name in (
        ("src/app.py", "run"),
        ("src/__init__.py", "Api.start"),
        ("src/main/java/de/A.java", "A.go"),
        ("redis.c", "main"),
    ):
        builder.add_node(path, "src" if path.startswith("src/a") else "", path.rpartition("/")[2], "file", file=path)
        builder.add_node(f"{path}::{name}", path, name.rpartition(".")[2], "function", file=path, line=2, end_line=4)
    app = builder.key("src/app.py::run")
    builder.add_edge(app, builder.key("redis.c"), "call", sites=[("src/app.py", 2), ("src/app.py", 3)])
    builder.add_edge(app, builder.key("src/main/java/de/A.java"), "call", sites=[("src/app.py", 2), ("redis.c", 1)])
    return builder.freeze()


@pytest.mark.parametrize("file", ["../secret", "/etc/passwd", "a/../../secret", "way/out", "a\0b"])
def test_nothing_outside_the_folder_is_read(tmp_path: Path, file: str) -> None:
    """Neither by dots nor through a symbolic link."""
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "out").write_text("secret")
    (root / "way").symlink_to(tmp_path)
    with pytest.raises(InputError, match="leads out of the folder root"):
        read_source(root, file)
    with pytest.raises(InputError):
        path_inside(root, file)


def test_a_link_as_the_file_itself_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
    with pytest.raises(InputError, match="cannot be read"):
        read_source(tmp_path, "link.py")


@pytest.mark.parametrize(
    ("data", "name", "said"),
    [
        (b"\0\1\2", "a.bin", "a.bin is binary"),
        (b"x" * 5_000_001, "big.c", "big.c is larger than 5 MB"),
        (None, "gone.py", "gone.py is not there any more"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, data: bytes | None, name: str, said: str) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_source(tmp_path, name)


@pytest.mark.parametrize(
    ("data", "name", "text"),
    [
        ("ä = 1\r\n".encode(), "a.py", "ä = 1\n"),
        ("# coding: latin-1\nä".encode("latin-1"), "b.py", "# coding: latin-1\nä"),
        ("ä".encode("utf-16"), "c.txt", "ä"),
        (b"\xef\xbb\xbfx", "d.js", "x"),
        ("/* ä */".encode("latin-1"), "e.c", "/* ä */"),
        (b"", "f.c", ""),
    ],
)
def test_encodings_are_those_of_the_analysis(tmp_path: Path, data: bytes, name: str, text: str) -> None:
    (tmp_path / name).write_bytes(data)
    assert read_source(tmp_path, name).text == text


def test_a_changed_file_is_told(tmp_path: Path) -> None:
    """By its size, or by the time of its last change; without either nothing is known."""
    file = tmp_path / "a.py"
    file.write_text("1234")
    os.utime(file, (1_000, 1_000))
    assert not read_source(tmp_path, "a.py").changed
    assert not read_source(tmp_path, "a.py", 4, 1_001).changed
    assert read_source(tmp_path, "a.py", 5, 1_001).changed
    assert read_source(tmp_path, "a.py", 4, 900).changed


def test_endless_lines_are_cut(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("a\n" + "x" * 100_000 + "\nb")
    lines = read_source(tmp_path, "a.js").text.split("\n")
    assert lines[0] == "a"
    assert lines[2] == "b"
    assert len(lines[1]) < LONGEST_LINE + 10


def test_places_and_sites() -> None:
    found = graph()
    key = found.key_of["src/app.py::run"]
    place = place_of(found, key)
    assert place is not None
    assert (found.files[place.file], place.line, place.end_line) == ("src/app.py", 2, 4)
    assert place_of(found, found.key_of["src"]) is None
    app, redis = found.files.index("src/app.py"), found.files.index("redis.c")
    ends = {line: {found.ids[found.edges.target[row]] for row in rows} for line, rows in sites_in(found, app).items()}
    assert ends == {2: {"redis.c", "src/main/java/de/A.java"}, 3: {"redis.c"}}
    assert list(sites_in(found, redis)) == [1]
    calls = found.edges.target == found.key_of["redis.c"]
    assert sites_in(found, redis, calls) == {}


def test_names_as_source_text_has_them() -> None:
    found = graph()
    names = {node: qualified_name(found, key) for node, key in found.key_of.items()}
    assert names["src/app.py::run"] == "app.run"
    assert names["src/__init__.py::Api.start"] == "src.Api.start" or names["src/__init__.py::Api.start"] == "Api.start"
    assert names["src/main/java/de/A.java::A.go"] == "de.A.go"
    assert names["redis.c::main"] == "main"
    assert names["redis.c"] == "redis.c"
    assert {"A", "A.java"} <= words_of(found, found.key_of["src/main/java/de/A.java"])


@pytest.mark.parametrize(
    ("file", "text", "wanted"),
    [
        ("a.py", "def f():\n  return 'x'  # y", {("def", "keyword"), ("f", "name"), ("x", "text"), ("# y", "comment")}),
        ("a.c", "#include <a.h>\nint x = 3; /* y\n z */", {("int", "type"), ("3", "number"), (" z */", "comment")}),
        ("a.ts", 'const s = "\U0001f600"; // n', {("const", "keyword"), ("// n", "comment")}),
        ("a.unknown", "def f", set()),
    ],
)
def test_parts_have_their_roles(file: str, text: str, wanted: set[tuple[str, str]]) -> None:
    """Places are counted as text fields count: in UTF-16 units."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    found = {
        (lines[line][2 * span.start : 2 * (span.start + span.length)].decode("utf-16-le"), ROLES[span.role])
        for portion in lexed(text, file)
        for line, spans in portion.items()
        for span in spans
    }
    assert wanted <= found
    assert bool(found) == bool(wanted)
    assert units("a\U0001f600") == 3


def test_a_long_file_comes_in_portions() -> None:
    """So that its beginning has colours before its end is known."""
    portions = list(lexed("x = 1  # y\n" * 2_000, "a.py"))
    assert len(portions) > 3
    lines = [line for portion in portions for line in portion]
    assert lines == list(range(2_000))
