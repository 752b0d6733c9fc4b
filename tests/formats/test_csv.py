"""CSV: lists of relations, tables of nodes, and what spreadsheets make of them."""

from __future__ import annotations

import csv
import re
from itertools import pairwise
from pathlib import Path

import pytest

from cbvtool.errors import InputError
from cbvtool.formats import outputs, read_graph, write_graph
from cbvtool.graph import GraphBuilder
from tests.formats.reading import kinds, labels, read, relations, tree, values
from tests.graph.compare import difference


@pytest.mark.parametrize(
    "content",
    [
        "source,target,weight\na,b,2\nb,c,1\n",
        "Source;Target;Weight\r\na;b;2\r\nb;c;1\r\n",
        "weight\tto\tfrom\n2\tb\ta\n1\tc\tb\n",
        "a,b,2\nb,c,1\n",
        "user|uses|times\na|b|2\nb|c|1\n",
        '"source","target","weight"\n"a","b",2\n\n"b","c",1\n',
        "\ufeffsource,target,weight\na , b, 2\nb,c,1\n",
        "source,target\na,b\na,b\nb,c\n",
    ],
    ids=["comma", "semicolon", "tabulator", "no header", "unknown header", "quotes", "mark and blanks", "repeated"],
)
def test_lists_of_relations(tmp_path: Path, content: str) -> None:
    """Delimiter, header and columns are found out."""
    graph = read(tmp_path, "deps.csv", content)
    assert relations(graph) == {("a", "b", "reference"): 2, ("b", "c", "reference"): 1}
    assert graph.name == "deps"
    assert graph.report.notes == ()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    """What spreadsheets write on Windows, too."""
    assert relations(read(tmp_path, "a.csv", "source,target\nMüller,Größe\n".encode(encoding))) == {
        ("Müller", "Größe", "reference"): 1
    }


def test_an_org_chart(tmp_path: Path) -> None:
    """A table of nodes alone, with decimal commas; who reports to themselves reports to nobody."""
    text = "id;name;manager;salary\n1;Ada;1;300\n2;Bo;1;200,5\n3;Cy;2;100\n"
    graph = read(tmp_path, "org.csv", text)
    assert tree(graph) == {"1": "", "2": "1", "3": "2"}
    assert labels(graph) == {"1": "Ada", "2": "Bo", "3": "Cy"}
    assert values(graph, "salary") == {"1": 300, "2": 200.5, "3": 100}
    assert len(graph.edges) == 0


@pytest.mark.parametrize(
    ("opened", "beside"),
    [
        ("edges.csv", "nodes.csv"),
        ("nodes.csv", "edges.csv"),
        ("edges.csv", "metrics.csv"),
        ("shop.csv", "shop.nodes.csv"),
        ("shop.csv", "shop-metrics.csv"),
        ("shop.nodes.csv", "shop.csv"),
        ("shop-relations.csv", "shop-nodes.csv"),
        ("shop_metrics.csv", "shop_edges.csv"),
    ],
)
def test_the_table_beside(tmp_path: Path, opened: str, beside: str) -> None:
    """Either of the two can be opened."""
    tables = {
        "edges": "source,target,kind\nsrc/a,src/b,call\n",
        "nodes": "path,loc,kind\nsrc/a,10,program\nsrc/b,20,\n",
    }
    for name in (opened, beside):
        is_nodes = "nodes" in name or "metrics" in name
        (tmp_path / name).write_text(tables["nodes" if is_nodes else "edges"])
    graph = read_graph(tmp_path / opened)[0]
    assert relations(graph) == {("src/a", "src/b", "call"): 1}
    assert values(graph, "loc") == {"src/a": 10, "src/b": 20}
    assert kinds(graph) == {"src": "folder", "src/a": "program", "src/b": "file"}


def test_two_files_are_written(tmp_path: Path) -> None:
    graph = read(tmp_path, "deps.csv", "source,target\na,b\n")
    write_graph(graph, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "source,target,kind,weight,confidence,when\na,b,reference,1,exact,\n"
    assert (tmp_path / "out.nodes.csv").read_text().splitlines()[0] == "id,label,parent,kind,file,line,end_line"
    assert outputs(tmp_path / "edges.csv.gz") == [tmp_path / "nodes.csv.gz", tmp_path / "edges.csv.gz"]


def test_rows_without_ends_are_counted(tmp_path: Path) -> None:
    graph = read(tmp_path, "a.csv", "source,target\na,b\n,b\nc\n")
    assert graph.report.notes == ("2 rows are left out: they do not name two nodes.",)


def test_gephi_says_directed_and_means_no_kind(tmp_path: Path) -> None:
    graph = read(tmp_path, "a.csv", "Source,Target,Type,Id,Label,Weight\n1,2,Directed,0,uses,2.5\n")
    assert relations(graph) == {("1", "2", "uses"): 2.5}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("source,target\na/b,a/c\n", {"a": "", "a/b": "a", "a/c": "a"}),
        ("source,target\na\\b,c\\d\n", {"a": "", "a\\b": "a", "c": "", "c\\d": "c"}),
        ("source,target\nx::y,x::y::z\n", {"x": "", "x::y": "x", "x::y::z": "x::y"}),
        ("source,target\ncom.A,com.B\n", {"com": "", "com.A": "com", "com.B": "com"}),
        ("source,target\na.py,b.py\nb.py,c.py\n", {"a.py": "", "b.py": "", "c.py": ""}),
        ("source,target\na,b\nb,c/d\n", {"a": "", "b": "", "c/d": ""}),
        ("source,target\n/a/b,/a//c\n", {"/a": "", "/a/b": "/a", "/a//c": "/a"}),
    ],
)
def test_a_hierarchy_from_separators(tmp_path: Path, content: str, expected: dict[str, str]) -> None:
    """`/`, `\\`, `::` or dots, if most ids have them; endings of file names are none."""
    assert tree(read(tmp_path, "a.csv", content)) == expected


def test_a_flat_graph_is_flat(tmp_path: Path) -> None:
    graph = read(tmp_path, "a.csv", "source,target\na,b\n")
    assert tree(graph) == {"a": "", "b": ""}
    assert kinds(graph) == {"a": "node", "b": "node"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "it is empty"),
        ("\n\n", "it is empty"),
        ("just\nwords\n", "it has one column"),
        ("source,target\n", "it holds no node"),
        (b"a,b\0\n", "it is not text"),
        ("source,target\n" + '"' + "x" * 200_000 + '",b\n', "it is not CSV (field larger than field limit"),
        ("id,parent\na,b\nb,a\n", "its hierarchy goes in a circle: 'a' in 'b' in 'a'"),
    ],
)
def test_what_is_no_csv_is_refused(tmp_path: Path, content: str | bytes, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "bad.csv", content)
    assert reason in str(caught.value)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.csv'} cannot be read as CSV: ")


ODD = (
    "=cmd|calc!A0",
    "@SUM(1)",
    "+1",
    "-1",
    "'=x",
    "''",
    "'",
    " =x",
    "\t@x",
    "\x1b[31mred",
    "_x001B_",
    "_x0041",
    "\x00",
    "\x85=x",
    "'\x1b",
)


def test_formulas_and_orders_are_guarded_and_come_back(tmp_path: Path) -> None:
    """Names of files may be formulas to a spreadsheet, or orders to a terminal; what we wrote is read as it was."""
    builder = GraphBuilder("=root")
    keys = [builder.add_node(name, "", f"{name}n", "=kind", file=name, values={"=m": -2.5}) for name in ODD]
    for source, target in pairwise(keys):
        builder.add_edge(source, target, "@call", weight=-1.5)
    graph = builder.freeze()
    write_graph(graph, tmp_path / "a.csv")
    assert difference(graph, read_graph(tmp_path / "a.csv")[0]) == []
    for name in ("a.csv", "a.nodes.csv"):
        text = (tmp_path / name).read_text()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
        cells = [cell for row in csv.reader(text.splitlines()) for cell in row]
        risky = {cell for cell in cells if cell.lstrip()[:1] in ("=", "+", "-", "@") and cell}
        assert risky <= {"-1.5", "-2.5"}  # numbers
    assert "'=cmd|calc!A0" in cells
    assert "_x001B_[31mred" in cells


def test_apostrophes_of_others_stay(tmp_path: Path) -> None:
    """Only in tables with exactly our columns they are ours."""
    graph = read(tmp_path, "a.csv", "source,target\n'=a,b_x0041_\n")
    assert set(relations(graph)) == {("'=a", "b_x0041_", "reference")}
