"""Formats by ending, by content, and from the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cbvtool.cli import main
from cbvtool.errors import InputError
from cbvtool.formats import format_of, read_graph, write_graph
from cbvtool.formats.registry import FORMATS
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.project import open_project
from tests.formats.reading import SAMPLES
from tests.formats.test_rsf_gxl import GXL
from tests.graph.compare import difference

WRITABLE = [known.suffixes[0] for known in FORMATS if known.write]


def example() -> Graph:
    builder = GraphBuilder("shop")
    builder.add_node("core", "", "core", "package")
    order = builder.add_node("core/order.py", "core", "order.py", "file", file="core/order.py", values={"sloc": 4})
    page = builder.add_node("page.py", "", "page.py", "file", file="page.py", values={"sloc": 2})
    builder.add_edge(page, order, "import")
    return builder.freeze()


@pytest.mark.parametrize("suffix", WRITABLE)
@pytest.mark.parametrize("packed", ["", ".gz"])
def test_every_ending_there_and_back(tmp_path: Path, suffix: str, packed: str) -> None:
    file = tmp_path / f"shop{suffix}{packed}"
    write_graph(example(), file)
    assert file.read_bytes().startswith(b"\x1f\x8b") == bool(packed)
    assert difference(example(), read_graph(file)[0]) == []


@pytest.mark.parametrize("suffix", WRITABLE)
def test_the_content_tells_where_the_ending_does_not(tmp_path: Path, suffix: str) -> None:
    write_graph(example(), tmp_path / f"shop{suffix}")
    for name in ("shop", "shop.txt", "shop.SAVED"):
        (tmp_path / f"shop{suffix}").replace(tmp_path / name)
        known = format_of(tmp_path / name)
        assert known is not None
        assert known.suffixes[0] == suffix
        (tmp_path / name).replace(tmp_path / f"shop{suffix}")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (GXL.encode(), "GXL"),
        (b"// made by hand\n/* twice */ strict  digraph G\n{ a }", "DOT"),
        (b"<?xml version='1.0'?>\n<!-- a -->\n<graphml:graphml/>", "GraphML"),
        (b"From\tSource\tTarget\n", "CSV"),
        (b"# rigi\n\ntype main Function\n", "RSF"),
        ((SAMPLES / "scip-typescript" / "index.scip").read_bytes(), "SCIP"),
        (b"import os\n", None),
        (b"graph = {}\n", None),
        (b"digraph\n", None),
        (b"<html/>", None),
        (b"source code, target practice\n", None),
        (b"type Order struct {\n", None),
        (b"", None),
    ],
)
def test_beginnings(tmp_path: Path, content: bytes, name: str | None) -> None:
    (tmp_path / "file").write_bytes(content)
    known = format_of(tmp_path / "file")
    assert (known and known.name) == name


def test_a_file_that_is_no_graph_is_no_project(tmp_path: Path) -> None:
    (tmp_path / "graph.py").write_text("graph = {}\n")
    with pytest.raises(InputError, match="is a file and no saved graph: open the folder that it lies in"):
        open_project(tmp_path / "graph.py")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("graph.txt", b"graph = {}", "is not a graph in a format that cbvtool knows."),
        ("graph.json", b"[]", "cannot be read as a graph: "),
        ("graph.graphml", b"<graph", "cannot be read as GraphML: "),
        ("graph.dot.gz", b"\x1f\x8b\x08", "cannot be read as DOT: the compressed file is cut off."),
        ("none.json", None, "cannot be read: No such file or directory."),
        ("none", None, "cannot be read: No such file or directory."),
        ("folder.json", "folder", "cannot be read: it is not a file."),
    ],
)
def test_whatever_is_wrong_is_said_of_the_file_by_its_path(
    tmp_path: Path, name: str, content: bytes | str | None, reason: str
) -> None:
    """The sentence begins with the path: where several files are read, nothing else tells which one it is about."""
    file = tmp_path / name
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content is not None:
        file.mkdir()
    with pytest.raises(InputError) as error:
        read_graph(file)
    assert str(error.value).startswith(f"{file} {reason}")


def test_what_would_cost_too_much_is_said_of_the_file_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cbvtool.formats.content._MORE_THINGS", -10_000_000)
    write_graph(example(), tmp_path / "shop.rsf")
    with pytest.raises(InputError) as error:
        read_graph(tmp_path / "shop.rsf")
    assert str(error.value).startswith(f"{tmp_path / 'shop.rsf'} cannot be read as RSF: it stands for more than ")


def test_analyze_converts(tmp_path: Path) -> None:
    """From an index to GraphML, to two tables, and back: nothing is lost."""
    index = SAMPLES / "scip-python" / "index.scip"
    for source, target in ((index, "a.graphml"), (tmp_path / "a.graphml", "a.csv"), (tmp_path / "a.csv", "a.dot.gz")):
        assert main(["analyze", str(source), "-o", str(tmp_path / target)]) == 0
    assert (tmp_path / "a.nodes.csv").is_file()
    first, last = read_graph(index)[0], read_graph(tmp_path / "a.dot.gz")[0]
    bare = [re.sub(r"sites .*", "", line) for line in difference(first, last)]
    assert all(line.endswith(" has ") for line in bare), bare


def test_notes_are_in_the_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.csv").write_text("source,target\na,b\nc\n")
    assert main(["analyze", str(tmp_path / "a.csv")]) == 0
    assert "note          1 row is left out: they do not name two nodes." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("graph.gxl", "GXL is only read; there are .json, .graphml, .dot, .csv, .rsf"),
        ("index.scip.gz", "SCIP is only read"),
        ("mine.csv", "exists already and holds no graph"),
        ("out.csv", "out.nodes.csv exists already and holds no graph"),
        ("mine.dot", "exists already and holds no graph"),
    ],
)
def test_what_is_not_written(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str) -> None:
    """A slip of -o costs no file of the user's, nor one beside it."""
    (tmp_path / "mine.csv").write_text("person,phone\nann,1\n")
    (tmp_path / "out.nodes.csv").write_text("person,phone\nann,1\n")
    (tmp_path / "mine.dot").write_text("digraph { a }")
    write_graph(example(), tmp_path / "shop.json")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert main(["analyze", str(tmp_path / "shop.json"), "-o", str(tmp_path / name)]) == 2
    assert reason in capsys.readouterr().err
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("suffix", WRITABLE)
def test_a_graph_may_replace_a_graph(tmp_path: Path, suffix: str) -> None:
    """Of the same format, or of another one that cbvtool has written."""
    write_graph(example(), tmp_path / "shop.json")
    write_graph(example(), tmp_path / f"out{suffix}")
    for _ in range(2):
        assert main(["analyze", str(tmp_path / "shop.json"), "-o", str(tmp_path / f"out{suffix}")]) == 0
