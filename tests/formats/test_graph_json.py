"""Graph JSON: nothing is lost, what is written fits the schema, what is damaged is refused."""

import gzip
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.formats import read_graph, write_graph
from cbvtool.formats.graph_json import graph_text
from cbvtool.graph import REMOVED, Graph, GraphBuilder, Report, Skipped, When
from tests.graph.compare import difference
from tests.graph.strategies import graphs, names

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "docs" / "graph.schema.json").read_text())


@st.composite
def histories(draw: st.DrawFn) -> dict[str, Any]:
    """Columns that keep the promises of `mining.changes.Changes`."""
    authors = draw(st.lists(names, min_size=1, max_size=3))
    paths = draw(st.lists(names, min_size=1, max_size=3))
    times = sorted(draw(st.lists(st.integers(-(2**40), 2**40), max_size=5)))
    touch = st.tuples(st.integers(0, max(len(times) - 1, 0)), st.integers(0, len(paths) - 1))
    touches = sorted(draw(st.lists(touch, max_size=5 if times else 0)))
    author = st.integers(0, len(authors) - 1)
    return {
        "head": draw(names),
        "shallow": draw(st.booleans()),
        "shas": [f"{row:040x}" for row in range(len(times))],
        "times": times,
        "authors": authors,
        "author_of": draw(st.lists(author, min_size=len(times), max_size=len(times))),
        "paths": paths,
        "touch_commit": [commit for commit, _ in touches],
        "touch_path": [path for _, path in touches],
        "notes": [],
        **({"author_names": [name.upper() for name in authors]} if draw(st.booleans()) else {}),
    }


def example() -> Graph:
    """A graph with something of everything."""
    builder = GraphBuilder("shop")
    builder.add_node("core", "", "core", "package")
    order = builder.add_node(
        "core/order.py",
        "core",
        "order.py",
        "file",
        file="core/order.py",
        line=1,
        end_line=40,
        values={"sloc": 4, "share": 0.25},
    )
    main = builder.add_node("main.py", "", "main.py", "file", file="main.py", line=1, end_line=9)
    builder.add_edge(main, order, "import", weight=2, when=When.DEFERRED, sites=[("main.py", 1), ("main.py", 7)])
    return builder.freeze(Report(2, (Skipped("logo.png", "binary"),), ("main.py",), ("no history",)))


HISTORY = {
    "head": "f" * 40,
    "shallow": False,
    "shas": ["a" * 40, "f" * 40],
    "times": [5, 6],
    "authors": ["ann", "ben"],
    "author_of": [0, 1],
    "paths": ["main.py"],
    "touch_commit": [0, 1],
    "touch_path": [0, 0],
    "notes": [],
}


@given(graph=graphs(), history=st.none() | histories(), ending=st.sampled_from([".json", ".json.gz"]))
def test_saving_and_loading_loses_nothing(
    tmp_path_factory: pytest.TempPathFactory, graph: Graph, history: dict[str, Any] | None, ending: str
) -> None:
    """Save then load; odd names, removed nodes, report and history included."""
    path = tmp_path_factory.mktemp("graph") / f"graph{ending}"
    write_graph(graph, path, history)
    loaded, loaded_history = read_graph(path)
    assert difference(graph, loaded) == []
    assert loaded.report == graph.report
    assert loaded_history == history
    assert REMOVED not in loaded.parent
    assert loaded.parent[0] == -1


@given(graphs(), st.none() | histories())
def test_what_is_written_fits_the_schema(graph: Graph, history: dict[str, Any] | None) -> None:
    """The format is documented with a JSON schema."""
    jsonschema.validate(json.loads(b"".join(graph_text(graph, history))), SCHEMA)


@given(graphs(), st.data())
def test_one_graph_is_always_one_text(graph: Graph, data: st.DataObject) -> None:
    """A graph diffs well: the order of relations in memory does not show, nor does a round trip."""
    text = b"".join(graph_text(graph))
    rows = np.array(data.draw(st.permutations(range(len(graph.edges)))), np.int64)
    assert b"".join(graph_text(graph.with_(edges=graph.edges.take(rows)))) == text


def test_members_are_those_of_the_issue() -> None:
    """The members by name, and only what is documented beside them."""
    written = json.loads(b"".join(graph_text(example(), HISTORY)))
    assert list(written) == ["format", "version", "root", "nodes", "edges", "report", "history"]
    assert (written["format"], written["version"], written["root"]) == ("cbvtool-graph", 1, "shop")
    assert written["nodes"] == [
        {
            "id": "",
            "parent": None,
            "name": "shop",
            "kind": "project",
            "file": None,
            "line": None,
            "end_line": None,
            "metrics": {},
        },
        {
            "id": "core",
            "parent": "",
            "name": "core",
            "kind": "package",
            "file": None,
            "line": None,
            "end_line": None,
            "metrics": {},
        },
        {
            "id": "core/order.py",
            "parent": "core",
            "name": "order.py",
            "kind": "file",
            "file": "core/order.py",
            "line": 1,
            "end_line": 40,
            "metrics": {"share": 0.25, "sloc": 4},
        },
        {
            "id": "main.py",
            "parent": "",
            "name": "main.py",
            "kind": "file",
            "file": "main.py",
            "line": 1,
            "end_line": 9,
            "metrics": {},
        },
    ]
    assert written["edges"] == [
        {
            "source": "main.py",
            "target": "core/order.py",
            "kind": "import",
            "weight": 2,
            "confidence": "exact",
            "when": "deferred",
            "sites": [["main.py", 1], ["main.py", 7]],
        }
    ]
    assert written["report"] == {
        "files": 2,
        "skipped": [{"path": "logo.png", "reason": "binary"}],
        "parse_errors": ["main.py"],
        "notes": ["no history"],
    }
    assert written["history"] == HISTORY


def test_the_example_in_the_documentation_is_a_graph(tmp_path: Path) -> None:
    """Docs/formats.md shows what is read."""
    text = (ROOT / "docs" / "formats.md").read_text()
    shown = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert shown is not None
    (tmp_path / "graph.json").write_text(shown[1])
    graph, _ = read_graph(tmp_path / "graph.json")
    assert b"".join(graph_text(graph)).decode() == shown[1]
    jsonschema.validate(json.loads(shown[1]), SCHEMA)


def test_text_is_made_piece_by_piece() -> None:
    """Design 3: JSON is streamed: no piece holds a good part of a large graph."""
    builder = GraphBuilder("large")
    keys = [builder.add_node(f"f{i}", "", f"f{i}", "file") for i in range(20_000)]
    for a, b in pairwise(keys):
        builder.add_edge(a, b, "import")
    sizes = [len(piece) for piece in graph_text(builder.freeze(), {"times": list(range(50_000))})]
    assert max(sizes) < sum(sizes) / 10


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    """docs/formats.md: what other programs leave out is filled in, unknown members are ignored."""
    nodes: list[dict[str, str | None]] = [{"id": "x", "parent": "", "name": "x", "kind": "file", "color": "red"}]
    nodes.append({"id": "", "parent": None, "name": "r", "kind": "project"})
    edges = [{"source": "x", "target": "", "kind": "call"}]
    text = json.dumps({"format": "cbvtool-graph", "version": 1, "root": "r", "nodes": nodes, "edges": edges, "x": 1})
    (tmp_path / "graph.json").write_text("\ufeff" + text)
    graph, history = read_graph(tmp_path / "graph.json")
    assert (graph.ids, graph.root, history) == (("", "x"), 0, None)
    assert (graph.edges.weight.tolist(), graph.edges.confidence.tolist(), graph.edges.when.tolist()) == ([1], [0], [0])
    assert graph.report == Report()


Change = Callable[[dict[str, Any]], object]


def _damaged(change: Change) -> bytes:
    data = json.loads(b"".join(graph_text(example(), HISTORY)))
    change(data)
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d.update(format="gexf"), 'not a cbvtool graph (it does not say "format": "cbvtool-graph")'),
        (lambda d: d.pop("format"), "not a cbvtool graph"),
        (lambda d: d.update(version=2), "its version is 2, and this cbvtool reads up to 1: update cbvtool"),
        (lambda d: d.update(version=2, nodes="elsewhere"), "its version is 2"),
        (lambda d: d.update(version="1"), "its version is '1', not a number from 1 up"),
        (lambda d: d.update(version=0), "its version is '0', not a number from 1 up"),
        (lambda d: d.update(version=True), "its version is 'True', not a number from 1 up"),
        (lambda d: d.pop("nodes"), "missing required field nodes"),
        (lambda d: d.update(nodes=[]), "0 nodes"),
        (lambda d: d["nodes"].pop(0), "0 nodes"),
        (lambda d: d["nodes"][1].update(parent=None), "2 nodes"),
        (lambda d: d["nodes"][0].update(id="."), "the id of the root is not empty but '.'"),
        (lambda d: d["nodes"][3].update(id="core"), "two nodes have the id 'core'"),
        (lambda d: d["nodes"][3].update(parent="nowhere"), "parent 'nowhere' of the node 'main.py' is not there"),
        (lambda d: d["nodes"][1].update(parent="core/order.py"), "their parents form a cycle"),
        (lambda d: d["nodes"][1].update(parent="core"), "their parents form a cycle"),
        (lambda d: d["nodes"][2].update(line="1"), "expected int | null, got str - at $.nodes[2].line"),
        (lambda d: d["nodes"][2].update(line=0), "at $.nodes[2].line"),
        (lambda d: d["nodes"][2].update(line=2**31), "at $.nodes[2].line"),
        (lambda d: d["nodes"][2]["metrics"].update(sloc=None), "expected float, got null - at $.nodes[2].metrics"),
        (lambda d: d["edges"][0].update(target="gone"), "'main.py' -> 'gone' ends at 'gone', which is not there"),
        (lambda d: d["edges"].append(d["edges"][0]), "import relation 'main.py' -> 'core/order.py' is there twice"),
        (lambda d: d["edges"][0].update(confidence="sure"), "invalid enum value 'sure'"),
        (lambda d: d["edges"][0].update(sites=[["main.py"]]), "at $.edges[0].sites[0]"),
        (lambda d: d["edges"][0].update(weight=1e39), "at $.edges[0].weight"),
        (lambda d: d["history"].update(times=[5]), "history column times has 1 rows, not 2"),
        (lambda d: d["history"].update(author_names=["Ann"]), "history column author_names does not fit authors"),
        (lambda d: d["history"].update(times=[6, 5]), "history column times is not ascending"),
        (lambda d: d["history"].update(touch_path=[0, 1]), "history column touch_path points past the end of paths"),
        (lambda d: d["history"].update(author_of=[0, -1]), "at $.history.author_of[1]"),
    ],
)
def test_what_is_no_graph_is_refused(tmp_path: Path, change: Change, reason: str) -> None:
    """One sentence naming the file and the reason; the file stays as it is."""
    path = tmp_path / "graph.json"
    path.write_bytes(damaged := _damaged(change))
    with pytest.raises(InputError) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path} cannot be read as a graph: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"import os\n", "it is not JSON"),
        (b"[1, 2]", "expected object, got array"),
        (b"\xff\xfe{\x00}\x00", "it is not JSON"),
        (b'{"format": "\xff"}', "it is not UTF-8 text"),
        (b"[" * 100_000, "expected object, got array"),
        (b'{"format":' + b"[" * 100_000, "it is nested too deeply"),
        (b"\x1f\x8b" + b"garbage" * 9, "the compressed file is damaged"),
        (gzip.compress(b"".join(graph_text(example())), mtime=0)[:-20], "the compressed file is cut off"),
        (gzip.compress(b"".join(graph_text(example())), mtime=0)[:-8] + b"\0" * 8, "the compressed file is damaged"),
        (gzip.compress(b"x", mtime=0), "it is not JSON"),
        (b'{"format":"cbvtool-graph","version":1,"root":"\\udc80","nodes":[],"edges":[]}', "0 nodes"),
        (b'{"format":"cbvtool-graph","version":9,"root":"\\udc80","nodes":1,"edges":[]}', "its version is 9"),
        (b'{"format":"\\udc80","version":1} x', "it is not JSON"),
        (b'{"format":"cbvtool-graph","version":1,"root":"\\udc80","nodes":[],"edges":[],"x":NaN}', "it is not JSON"),
    ],
)
def test_what_is_no_json_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    """A truncated file, binary garbage, another format."""
    path = tmp_path / "graph.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(reason)):
        read_graph(path)


@given(data=st.data())
def test_a_file_cut_off_anywhere_is_refused(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """A truncated file."""
    text = b"".join(graph_text(example(), HISTORY))
    path = tmp_path_factory.mktemp("graph") / "graph.json"
    path.write_bytes(text[: data.draw(st.integers(0, len(text.rstrip()) - 1))])
    with pytest.raises(InputError, match=r"it is (cut off|empty|not JSON)"):
        read_graph(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    """A missing path."""
    with pytest.raises(InputError, match=r"graph\.json cannot be read: No such file or directory\."):
        read_graph(tmp_path / "graph.json")


def test_an_infinite_value_is_not_written(tmp_path: Path) -> None:
    """JSON has no infinity; better no file than one that nobody can read."""
    graph = example().with_(values={"odd": np.array([0, 1, np.inf, 2])})
    with pytest.raises(ValueError, match="infinite"):
        write_graph(graph, tmp_path / "graph.json")
    assert list(tmp_path.iterdir()) == []
