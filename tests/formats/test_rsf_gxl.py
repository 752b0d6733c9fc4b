"""RSF and GXL."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.formats import rsf
from tests.formats.reading import kinds, labels, read, relations, tree, values


def test_unstructured_rsf(tmp_path: Path) -> None:
    """The example of Rigi's manual, with a hierarchy and with quotes."""
    graph = read(
        tmp_path,
        "list.rsf",
        """# of the manual
type main Function
type List Data
type "list module" Subsystem
call main printf
call   main\tlistcreate
call main listcreate
data listcreate List

contain "list module" listcreate
level "list module" List
file listcreate "list.c"
lineno listcreate 10
complexity main 7
complexity listcreate 2.5
""",
    )
    assert kinds(graph) == {
        "main": "Function",
        "List": "Data",
        "list module": "Subsystem",
        "printf": "node",
        "listcreate": "node",
    }
    assert tree(graph)["List"] == "list module"
    assert relations(graph)["main", "listcreate", "call"] == 2
    key = graph.key_of["listcreate"]
    assert (graph.files[graph.file[key]], graph.line[key]) == ("list.c", 10)
    assert values(graph, "complexity") == {"main": 7, "listcreate": 2.5}


def test_contain_is_the_hierarchy_unless_level_is(tmp_path: Path) -> None:
    graph = read(tmp_path, "a.rsf", "contain sys a\ncontain sys b\ncall a b\n")
    assert tree(graph) == {"sys": "", "a": "sys", "b": "sys"}
    assert relations(graph) == {("a", "b", "call"): 1}


def test_structured_rsf_and_the_fourth_column(tmp_path: Path) -> None:
    """Node ids carry the name behind a `!`; htmlrsf adds where it stands; a dot ends it, to CrocoPat."""
    graph = read(tmp_path, "a.rsf", 'call 1!main "2!print it" "main.c:3"\ncall 2!print 1!main\n.\nnonsense\n')
    assert labels(graph) == {"1!main": "main", "2!print it": "print it", "2!print": "print"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("# nothing\n", "it is empty"),
        ("call a b\ncall a\n", "line 2 is not `verb subject object`: 'call a'"),
        ("level a b\nlevel b a\n", "its hierarchy goes in a circle"),
    ],
)
def test_what_is_no_rsf_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "bad.rsf", content)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.rsf'} cannot be read as RSF: {reason}")


GXL = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE gxl SYSTEM "http://www.gupro.de/GXL/gxl-1.0.dtd">
<gxl xmlns:xlink="http://www.w3.org/1999/xlink">
<graph id="schema" edgeids="true"><type xlink:href="http://www.gupro.de/GXL/gxl-1.0.gxl#gxl-1.0" xlink:type="simple"/>
  <node id="Proc"><type xlink:href="http://www.gupro.de/GXL/gxl-1.0.gxl#NodeClass"/></node></graph>
<graph id="g" edgemode="directed"><type xlink:href="schema.gxl#schema"/>
  <node id="p"><type xlink:href="#Proc"/>
    <attr name="name"><string> main </string></attr><attr name="line"><int>12</int></attr>
    <attr name="loc"><int>40</int></attr><attr name="hot"><bool>true</bool></attr>
    <attr name="tags"><set><string>one</string><string>two</string></set></attr>
    <attr name="file"><locator xlink:href="main.c"/></attr>
    <graph id="inside"><node id="q"><type xlink:href="#Var"/></node></graph>
  </node>
  <node id="r"/>
  <edge id="e" from="p" to="q"><type xlink:href="#refs"/><attr name="weight"><int>3</int></attr></edge>
  <edge from="r" to="elsewhere" isdirected="false"/>
  <rel><relend target="p"/><relend target="q"/><relend target="r"/></rel>
</graph></gxl>
"""


def test_gxl(tmp_path: Path) -> None:
    """Types, nested graphs, attributes; a schema, sets and relations of three nodes are left out."""
    graph = read(tmp_path, "a.gxl", GXL)
    assert tree(graph) == {"p": "", "q": "p", "r": "", "elsewhere": ""}
    assert kinds(graph) == {"p": "Proc", "q": "Var", "r": "node", "elsewhere": "node"}
    assert labels(graph) == {"p": "main"}
    assert (values(graph, "loc"), values(graph, "hot")) == ({"p": 40}, {"p": 1})
    assert set(graph.values) == {"loc", "hot"}
    key = graph.key_of["p"]
    assert (graph.files[graph.file[key]], graph.line[key]) == ("main.c", 12)
    assert relations(graph) == {("p", "q", "refs"): 3, ("r", "elsewhere", "reference"): 1}
    assert graph.report.notes == (
        "1 relation has no direction: shown as written.",
        "1 relation of more than two nodes left out.",
        "1 node is only named by others, and told nothing else about.",
    )


def test_containment_edges_are_the_hierarchy_of_a_flat_file(tmp_path: Path) -> None:
    """Bauhaus and Columbus nest by relations: from the container, or (`Enclosing`) to it."""
    text = """<gxl><graph id="g"><node id="f"/><node id="c"/><node id="m"/>
      <edge from="f" to="c"><type href="#Contains"/></edge><edge from="m" to="c"><type href="#Enclosing"/></edge>
      <edge from="m" to="c"><type href="#call"/></edge></graph></gxl>"""
    graph = read(tmp_path, "a.gxl", text)
    assert tree(graph) == {"f": "", "c": "f", "m": "c"}
    assert relations(graph) == {("m", "c", "call"): 1}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("<graphml/>", "its root element is 'graphml', not 'gxl'"),
        ("<gxl><graph><node/></graph></gxl>", "a node has no id"),
        ("<gxl><graph><edge from='a'/></graph></gxl>", "a relation does not say where it goes to"),
        ("<gxl><graph>", "it is not XML (no element found"),
    ],
)
def test_what_is_no_gxl_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "bad.gxl", content)
    assert str(caught.value).startswith(f"{tmp_path / 'bad.gxl'} cannot be read as GXL: {reason}")


@given(line=st.text(alphabet=st.sampled_from("ab1\t\x0b\x1f\xa0\u2003 .!"), max_size=20))
def test_words_without_quotes_are_those_with_quotes(line: str) -> None:
    """The short way for lines that hold no quote finds the same words."""
    assert line.split(None, 5)[:5] == [word[2] for word in islice(rsf._WORD.finditer(line), 5)]
