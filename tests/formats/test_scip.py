"""SCIP indexes, as two indexers make them; see samples/README.md for the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.formats import read_graph
from cbvtool.formats.scip_messages import message_classes
from cbvtool.formats.scip_symbols import parsed
from cbvtool.graph import EXTERNAL
from tests.formats.reading import SAMPLES, kinds, labels, read, relations, tree

PYTHON = SAMPLES / "scip-python" / "index.scip"
TYPESCRIPT = SAMPLES / "scip-typescript" / "index.scip"


def test_an_index_of_scip_python() -> None:
    """Descriptors give the tree, definitions that enclose a reference its source, relationships inheritance."""
    graph = read_graph(PYTHON)[0]
    model, main = "shop/model.py", "shop/main.py"
    assert graph.name == "shop"
    assert tree(graph) == {
        "shop": "",
        "shop/__init__.py": "shop",
        main: "shop",
        model: "shop",
        f"{main}::run": main,
        f"{main}::run.inner": f"{main}::run",
        f"{model}::Item": model,
        f"{model}::Item.total": f"{model}::Item",
        f"{model}::Item.text": f"{model}::Item",
        f"{model}::Book": model,
        f"{model}::Book.total": f"{model}::Book",
        f"{model}::make": model,
        "external": "",
        "external:python python-stdlib": "external",
    }
    found = relations(graph)
    assert {(a, b) for a, b, kind in found if kind == "inherit"} == {
        (f"{model}::Book", f"{model}::Item"),
        (f"{model}::Book.total", f"{model}::Item.total"),
    }
    assert {(a, b) for a, b, kind in found if kind == "call"} == {
        (f"{main}::run", f"{main}::run.inner"),
        (f"{main}::run.inner", f"{model}::Item.total"),
        (f"{model}::Book.total", f"{model}::Item.total"),
    }
    assert {(a, b) for a, b, kind in found if kind == "import"} == {
        (main, model),
        (main, "external:python python-stdlib"),
        (model, "external:python python-stdlib"),
    }
    assert (f"{main}::run", f"{model}::Item", "type-use") in found
    key = graph.key_of[f"{model}::Book"]
    assert (graph.files[graph.file[key]], graph.line[key], graph.end_line[key]) == (model, 16, 18)
    assert kinds(graph)["external:python python-stdlib"] == EXTERNAL


def test_sites_are_lines_of_the_source() -> None:
    graph = read_graph(PYTHON)[0]
    edges, names = graph.edges, graph.ids
    sites = {
        (names[edges.source[row]], names[edges.target[row]]): [
            (graph.files[file], line) for file, line in edges.sites(row)
        ]
        for row in range(len(edges))
        if edges.kind_names[edges.kind[row]] == "call"
    }
    source = (PYTHON.parent / "shop" / "main.py").read_text().splitlines()
    ((file, line),) = sites["shop/main.py::run.inner", "shop/model.py::Item.total"]
    assert file == "shop/main.py"
    assert "item.total(RATE)" in source[line - 1]


def test_an_index_of_scip_typescript() -> None:
    graph = read_graph(TYPESCRIPT)[0]
    model, main = "src/model.ts", "src/main.ts"
    assert labels(graph)[f"{model}::Circle.<constructor>"] == "<constructor>"
    found = relations(graph)
    assert {(a, b) for a, b, kind in found if kind == "inherit"} == {
        (f"{model}::Circle", f"{model}::Shape"),
        (f"{model}::Circle.area", f"{model}::Shape.area"),
        (f"{model}::Disc", f"{model}::Circle"),
        (f"{model}::Disc", f"{model}::Shape"),
    }
    assert found[f"{main}::main", f"{model}::Circle.<constructor>", "instantiate"] == 1
    assert found[f"{model}::Circle.area", f"{model}::helper", "call"] == 1
    assert found[main, model, "import"] == 1
    assert (model, "external:npm typescript", "import") in found
    assert graph.report.notes == ()


def test_an_index_is_known_by_its_content(tmp_path: Path) -> None:
    graph = read(tmp_path, "dump.bin", PYTHON.read_bytes())
    assert graph.name == "shop"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("local 12", None),
        ("a b", None),
        ("s m p v ", None),
        ("s m p v no-suffix", None),
        ("s . . . a/B#c().", ("", ("a", "B", "c"), ("/", "#", "()."))),
        ("s npm react 18 `x``y`/f(+1).", ("npm react", ("x`y", "f"), ("/", "()."))),
        ("s m two  words 1 T#[X]", ("m two words", ("T", ""), ("#", ""))),
        ("s m p v C#f().(x)", ("m p", ("C", "f", ""), ("#", "().", ""))),
        ("s m p v m:x!y.", ("m p", ("m", "x", "y"), (":", "!", "."))),
    ],
)
def test_symbols(text: str, expected: tuple[str, tuple[str, ...], tuple[str, ...]] | None) -> None:
    """The grammar of `scip.proto`."""
    symbol = parsed(text)
    assert (symbol and (symbol.package, symbol.names, symbol.sorts)) == expected


def test_odd_indexes_are_read_as_far_as_they_go(tmp_path: Path) -> None:
    """Paths that leave the folder, ranges that are none, symbols that follow no rule, a definition in two files."""
    index = message_classes()["Index"]()
    for path in ("../../etc/passwd", "/b//c.py", ""):
        document = index.documents.add(relative_path=path)
        document.occurrences.add(symbol="s m p v A#", symbol_roles=1, range=[1, 2, 3], enclosing_range=[-1, 0, 9, 0])
        document.occurrences.add(symbol="s m p v A#", range=[])
        document.occurrences.add(symbol="nonsense", range=[5, 1, 2])
        document.occurrences.add(symbol="s m p v A#f().", symbol_roles=1, range=[-5, 0, 2**31 - 1, 1])
        document.occurrences.add(symbol="s m q v B#", range=[2, 2, 3])
    graph = read(tmp_path, "odd.scip", index.SerializeToString())
    assert tree(graph)["etc/passwd::A"] == "etc/passwd"
    assert tree(graph)["b/c.py::A.f"] == "b/c.py::A"
    assert graph.report.notes == ("3 references are left out: nothing says what they mean.",)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it holds no node"),
        (b"\xff\xff", "it is not a SCIP index"),
        (PYTHON.read_bytes()[:-7], "or it is cut off"),
    ],
)
def test_what_is_no_index_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "bad.scip", content)
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.scip'} cannot be read as SCIP: ")
