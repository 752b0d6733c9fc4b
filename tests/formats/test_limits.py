"""Files that are small and ask for much: time and memory follow from what a file holds, and a budget ends the rest.

Sizes are small here, so that the tests are quick: before the mend each of these took time or memory with the square
of its size, or raised something else than InputError. `docs/formats.md` has the figures for the large ones.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cbvtool.errors import Cancelled, InputError
from cbvtool.formats import read_graph, write_graph
from cbvtool.formats.content import first_bytes, reading_budget
from cbvtool.formats.scip_messages import message_classes
from cbvtool.graph import GraphBuilder
from cbvtool.hierarchies import check
from cbvtool.plan.document import read_document
from cbvtool.project import open_project
from tests.formats.reading import read, relations
from tests.graph.compare import difference

GROUPS = " ".join(f"a{i}" for i in range(600)), " ".join(f"b{i}" for i in range(600))
DEFAULTS = "".join(f"<key id='k{i}' for='node' attr.name='m{i}'><default>1</default></key>" for i in range(900))
INNER = "".join(f"{{ a{i} b{i} -> " for i in range(700)) + "b" + " } -> c " * 700
ROOT_NODE = '{"id":"","parent":null,"name":"r","kind":"x"}'
MUCH = "which is too much for its size"


def own_graph(nodes: str, rest: str = "") -> str:
    return f'{{"format":"cbvtool-graph","version":1,"root":"a","nodes":[{nodes}],"edges":[]{rest}}}'


def own_nodes(count: int, kind: str = "x", metrics: bool = False, below: bool = False) -> str:
    rows = (
        {
            "id": str(i),
            "parent": str(i - 1) if i and below else "",
            "name": "",
            "kind": kind.replace("%d", str(i)),
            "metrics": {str(i): 1} if metrics else {},
        }
        for i in range(count)
    )
    return ",".join([ROOT_NODE, *map(json.dumps, rows)])


def steps(work: Callable[[], object]) -> int:
    """How many lines of Python `work` runs: a measure of time that no busy machine changes."""
    count = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def nested_rels(count: int) -> str:
    inside = "<rel><edge from='a' to='b'/><attr name='x'><int>1</int></attr>" * count + "</rel>" * count
    return f"<gxl><graph><node id='a'/><node id='b'/>{inside}</graph></gxl>"


def nested_ports(count: int) -> str:
    inside = "<port><edge source='a' target='b'/>" * count + "</port>" * count
    return f"<graphml><graph edgedefault='undirected'>{inside}</graph></graphml>"


def overloads(count: int) -> bytes:
    index: Any = message_classes()["Index"]()
    for number in range(count):
        document = index.documents.add(relative_path="a.py")
        symbol = f"s p p 1 f({number})."
        document.occurrences.add(range=[1, 0, 5], symbol=symbol, symbol_roles=1, enclosing_range=[1, 0, 9, 0])
    return index.SerializeToString()


def long_symbols(count: int) -> bytes:
    index: Any = message_classes()["Index"]()
    document = index.documents.add(relative_path="a.py")
    for number in range(1, count):
        document.occurrences.add(range=[1, 0, 5], symbol="s p p 1 " + "a#" * number, symbol_roles=1)
    return index.SerializeToString()


def joined(count: int) -> str:
    return "digraph { " + '"a" + ' * count + '"b" }'


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.gxl", nested_rels),
        ("a.graphml", nested_ports),
        ("a.scip", overloads),
        ("a.scip", long_symbols),
        ("a.dot", joined),
    ],
)
def test_twice_as_much_takes_twice_as_long(
    tmp_path: Path, name: str, content: Callable[[int], str | bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Elements inside one another, overloads, symbols of many parts, joined words: by the steps that are done."""
    small, large = (steps(lambda count=count: read(tmp_path, name, content(count))) for count in (100, 400))
    assert large < 6 * small, f"{small:,} steps, then {large:,}"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("groups.dot", f"digraph {{{{{GROUPS[0]}}} -> {{{GROUPS[1]}}}}}", MUCH),
        ("inner.dot", f"digraph {{ {INNER} }}", MUCH),
        (
            "defaults.graphml",
            f"<graphml>{DEFAULTS}<graph>" + "".join(f"<node id='{i}'/>" for i in range(900)) + "</graph></graphml>",
            MUCH,
        ),
        ("wide.csv", "id," + "a," * 2_100_000, "a row is longer than 4 MB"),
        ("lines.csv", 'id,"' + ("x" * 400 + '\n","') * 11_000, "a row is longer than 4 MB"),
        ("bomb.csv.gz", gzip.compress(b"a,b\n" * 3_000_000, mtime=0), "it unpacks to more than 64 times its size"),
        ("kinds.json", own_graph(own_nodes(33_000, kind="k%d")), "it has more than 32,767 kinds of nodes"),
        ("cells.json", own_graph(own_nodes(8_100, metrics=True)), "which is too much to hold"),
        ("levels.json", own_graph(own_nodes(5_000, below=True)), "is 5,000 levels deep, and 4,000 is the most"),
        # Python 3.14 reads what its stack has room for.
        ("deep.json", '{"format":"cbvtool-graph","x":' + "[" * 10**6 + "]" * 10**6 + "}", "it is nested too deeply"),
        ("odd.json", r'{"format":"cbvtool-graph","version":1,"\ud800":1}', "the name of a member is not text"),
        ("odd.json", own_graph(ROOT_NODE, r',"\ud800":1'), "the name of a member is not text"),
        ("odd.json", '{"format":"cbvtool-graph","a":"\\ud800"', "it is cut off"),
    ],
)
def test_one_sentence(tmp_path: Path, name: str, content: str | bytes, reason: str) -> None:
    measured = name in ("wide.csv", "bomb.csv.gz", "cells.json")  # measuring takes long
    if measured:
        tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            read(tmp_path, name, content)
        peak = tracemalloc.get_traced_memory()[1] if measured else 0
    finally:
        tracemalloc.stop()
    assert reason.lower() in str(caught.value).lower()
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 400
    assert peak < 150e6, f"{peak / 1e6:.0f} MB"


def test_half_a_pair_at_the_end_is_not_cut_off(tmp_path: Path) -> None:
    """msgspec takes it for a text that ends too early."""
    text = own_graph(ROOT_NODE)[:-1] + r',"x":"\ud800"}'
    assert len(read(tmp_path, "a.json", text)) == 1


@pytest.mark.parametrize("text", [r'{"\ud800":1}', r'{"format":"cbvtool-document","version":1,"\ud800":1}'])
def test_a_document_with_half_a_pair(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.cbv").write_text(text)
    with pytest.raises(InputError, match=r"is not a \.cbv document|the name of a member is not text"):
        read_document(tmp_path / "a.cbv")


def test_a_document_of_values_without_end(tmp_path: Path) -> None:
    (tmp_path / "a.cbv").write_text('{"x":[' + "[]," * 3_100_000 + "1]}")
    with pytest.raises(InputError, match=r"holds too much for a \.cbv document: more than 6,000,000 values"):
        read_document(tmp_path / "a.cbv")


# -- what is honest is read --------------------------------------------------------------------------------------------


def test_groups_of_an_honest_size_are_read(tmp_path: Path) -> None:
    ends = (" ".join(f"{x}{i}" for i in range(400)) for x in "ab")
    assert len(relations(read(tmp_path, "a.dot", f"digraph {{{{{next(ends)}}} -> {{{next(ends)}}}}}"))) == 160_000


def test_a_compressed_file_of_an_honest_size_is_read(tmp_path: Path) -> None:
    """Some megabytes may shrink to whatever they like."""
    content = gzip.compress(b"source,target\n" + b"core/order.py,core/page.py\n" * 50_000, 9)
    assert len(content) < 10_000
    assert len(read(tmp_path, "a.csv.gz", content)) == 4


@pytest.mark.parametrize("layout", ["ours", "another"])
def test_what_reading_json_takes_follows_from_its_nodes(tmp_path: Path, layout: str) -> None:
    """A million nodes and five million relations are to be read: in our layout the text is never there at once."""
    builder = GraphBuilder("big")
    keys = [builder.add_node(f"some/folder/file_{i}.py", "", f"file_{i}.py", "file") for i in range(1_000)]
    for i in range(15_000):
        places = [("some/folder/x.py", i % 900 + 1)]
        builder.add_edge(keys[i % 1_000], keys[(i * 7 + i // 1_000) % 1_000], f"kind {i // 1_000}", sites=places)
    graph = builder.freeze()
    file = tmp_path / "big.json"
    write_graph(graph, file)
    if layout == "another":
        file.write_text(json.dumps(json.loads(file.read_bytes())))
    tracemalloc.start()
    found = read_graph(file)[0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert difference(graph, found) == []
    assert peak < (4.5 if layout == "ours" else 9) * file.stat().st_size, f"{peak / file.stat().st_size:.1f} times"


def test_what_is_wrong_in_our_layout_is_told_as_in_any_other(tmp_path: Path) -> None:
    """Reading in pieces does not change the sentence: the place is that in the whole file."""
    builder = GraphBuilder("a")
    for number in range(5):
        builder.add_node(f"n{number}", "", "n", "file", line=1)
    file = tmp_path / "a.json"
    write_graph(builder.freeze(), file)
    file.write_text(file.read_text().replace('"id":"n3","parent":""', '"id":"n3","parent":1'))
    with pytest.raises(InputError, match=r"expected str \| null, got int - at \$\.nodes\[4\]\.parent"):
        read_graph(file)


# -- the user wants to stop --------------------------------------------------------------------------------------------

EDGES = "".join(f"<edge %s='a{i}' %t='b{i}'/>" for i in range(20_000))
MANY = {
    ".csv": "source,target\n" + "".join(f"a{i},b{i}\n" for i in range(20_000)),
    ".rsf": "".join(f"call a{i} b{i}\n" for i in range(20_000)),
    ".dot": "digraph {" + "".join(f"a{i} -> b{i};" for i in range(20_000)) + "}",
    ".graphml": f"<graphml><graph>{EDGES.replace('%s', 'source').replace('%t', 'target')}</graph></graphml>",
    ".gxl": f"<gxl><graph>{EDGES.replace('%s', 'from').replace('%t', 'to')}</graph></gxl>",
    ".json": own_graph(own_nodes(20_000)),
    ".scip": overloads(20_000),
}


@pytest.mark.parametrize("suffix", MANY)
def test_every_reader_can_be_cancelled(tmp_path: Path, suffix: str) -> None:
    """Progress is told while a file is read, more than once, and what it raises ends the reading."""
    file, content = tmp_path / f"a{suffix}", MANY[suffix]
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    told: list[int] = []

    def progress(what: str, done: int, total: int) -> None:
        told.append(done)
        if len(told) == 3:
            raise Cancelled

    with pytest.raises(Cancelled):
        open_project(file, progress=progress)
    assert told[-1] < 30_000


# -- special files -----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have names on POSIX systems")
@pytest.mark.timeout(30)
def test_nobody_waits_for_a_pipe(tmp_path: Path) -> None:
    for name in ("graph.json", "graph", "nodes.csv", "plan.cbv"):
        os.mkfifo(tmp_path / name)
    for name in ("graph.json", "graph"):
        with pytest.raises(InputError, match="cannot be read"):
            read_graph(tmp_path / name)
    with pytest.raises(InputError, match="cannot be read"):
        check(f"csv:{tmp_path / 'nodes.csv'}")
    with pytest.raises(InputError, match="is not a regular file"):
        read_document(tmp_path / "plan.cbv")
    with pytest.raises(OSError, match="it is not a file"):
        first_bytes(tmp_path / "graph")


def test_what_reading_may_cost_follows_from_the_file(tmp_path: Path) -> None:
    """At least a gigabyte, more for what is large itself, and never more than half of the machine."""
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(b"a")
    with large.open("wb") as file:
        file.truncate(10**13)  # takes no room on the disk
    assert reading_budget(small).size == 1.3e9
    assert 1.3e9 <= reading_budget(large).size < 10**13
