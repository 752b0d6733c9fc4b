"""GraphML (http://graphml.graphdrawing.org): as NetworkX, igraph, Gephi and yEd write it, nested or not.

The output is nested and contains everything in the graph except history and report. Groups are marked as yEd does,
which NetworkX supports as well, so that both read all nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cbvtool.budget import Budget
from cbvtool.formats.attributes import metric_column, plain_number, sites_text
from cbvtool.formats.content import Damaged
from cbvtool.formats.foreign import Foreign
from cbvtool.formats.xml_events import DEFAULT_SIZE, OWNER_SIZE, escaped, parse, unescaped
from cbvtool.graph import NO_PARENT, Graph, When
from cbvtool.graph.records import WHEN, NodeRecord, edge_records, node_records

MARK = "<!-- a graph of cbvtool -->"
_LABELS = {"NodeLabel", "EdgeLabel"}  # yEd displays these texts
_OWNERS = {"graph", "node", "edge", "port", "hyperedge"}  # elements with attributes
_NODE_KEYS = {"label": "string", "kind": "string", "file": "string", "line": "int", "end_line": "int"}
_EDGE_KEYS = {"kind": "string", "weight": "double", "confidence": "string", "when": "string", "sites": "string"}


def read(data: bytes, name: str, budget: Budget) -> Graph:
    """The graph in a GraphML file; `name` is used if the root has none. Raises Damaged and OverBudget."""
    reader = _Reader(name, budget)
    parse(data, reader, budget)
    return reader.finished()


class _Key(NamedTuple):
    name: str
    owner: str
    default: list[str]


class _Owner(NamedTuple):
    element: str
    given: dict[str, str]  # attributes in its start tag
    attributes: dict[str, str]  # attributes in its <data> elements
    size: int  # bytes of memory, until it ends
    node: int = -1


class _Reader:
    def __init__(self, name: str, budget: Budget) -> None:
        self._foreign = Foreign(name, budget)
        self._keys: dict[str, _Key] = {}
        self._owners: list[_Owner] = []
        self._modes: list[str | None] = []  # edgedefault of each open graph element
        self._inside: list[int] = []  # keys of the open nodes
        self._data = ""  # key of the open <data> element
        self._key: _Key | None = None
        self._defaults: dict[str, dict[str, str]] = {}
        self._is_graphml = self._in_label = False
        self._undirected = self._hyperedges = 0

    def finished(self) -> Graph:
        """The graph; call it after the last element of the file."""
        self._foreign.note(self._undirected, "relation has", "relations have", "no direction: shown as written")
        self._foreign.note(self._hyperedges, "relation", "relations", "of more than two nodes left out")
        return self._foreign.graph()

    def start(self, name: str, given: dict[str, str], before: str) -> None:
        """See `xml_events.Handler`."""
        if not self._is_graphml:
            if name != "graphml":
                raise Damaged(f"its root element is {name[:40]!r}, not 'graphml'")
            self._is_graphml = True
        elif self._in_label:  # yEd puts formatting after the text
            self._end_label(before)
        elif name in _LABELS:
            self._in_label = True
        elif name == "data":
            self._data = given.get("key", "")
        elif name == "key":
            self._key = _Key(given.get("attr.name", ""), given.get("for", "all"), [])
            self._keys[given.get("id", "")] = self._key
        elif name in _OWNERS:
            self._begin(name, given)

    def _begin(self, name: str, given: dict[str, str]) -> None:
        node = -1
        if name == "node":
            if "id" not in given:
                raise Damaged("a node has no id")
            above = self._inside[-1] if self._inside else NO_PARENT
            node = self._foreign.add(unescaped(given["id"]), parent=above, once=True)
            self._inside.append(node)
        elif name == "graph":
            self._modes.append(given.get("edgedefault"))
        defaults = self._defaults.get(name, {})
        size = OWNER_SIZE + DEFAULT_SIZE * len(defaults)
        self._foreign.spend(len(defaults), size)
        self._owners.append(_Owner(name, given, dict(defaults), size, node))

    def end(self, name: str, text: str) -> None:
        """See `xml_events.Handler`."""
        if name == "data":
            key = self._keys.get(self._data)
            column = self._data if key is None else key.name
            if column and text and self._owners:
                self._owners[-1].attributes[unescaped(column)] = unescaped(text.strip())
            self._data = ""
        elif name in _LABELS:
            self._end_label(text)
        elif name == "default":
            if self._key is not None:
                self._key.default.append(unescaped(text.strip()))
        elif name == "key":
            self._end_key()
        elif name in _OWNERS and self._owners:
            self._end_owner(self._owners.pop())

    def _end_label(self, text: str) -> None:
        if self._in_label and self._owners and text.strip():
            self._owners[-1].attributes.setdefault("label", " ".join(text.split()))
        self._in_label = False

    def _end_key(self) -> None:
        if self._key is not None and self._key.name and self._key.default:
            for owner in ("node", "edge") if self._key.owner == "all" else (self._key.owner,):
                self._defaults.setdefault(owner, {})[unescaped(self._key.name)] = self._key.default[0]
        self._key = None

    def _end_owner(self, owner: _Owner) -> None:
        self._foreign.spend(0, -owner.size)
        if owner.element == "graph":
            self._modes.pop()
        if owner.element == "node":
            self._inside.pop()
            self._foreign.describe(owner.node, owner.attributes)
        elif owner.element == "edge":
            self._end_edge(owner)
        elif owner.element == "hyperedge":
            self._hyperedges += 1
        elif owner.element == "graph" and not self._owners and "name" in owner.attributes:
            self._foreign.name = owner.attributes["name"]

    def _end_edge(self, edge: _Owner) -> None:
        try:
            source, target = (self._foreign.key(unescaped(edge.given[end])) for end in ("source", "target"))
        except KeyError as error:
            raise Damaged(f"a relation has no {error.args[0]}") from None
        undirected = bool(self._modes) and self._modes[-1] == "undirected"
        directed = edge.given.get("directed", "false" if undirected else "true")
        self._undirected += directed == "false"
        self._foreign.relate_by(source, target, edge.attributes)


# -- writing -----------------------------------------------------------------------------------------------------


def text(graph: Graph) -> Iterator[str]:
    """The GraphML text of `graph`, in pieces."""
    metrics = {metric: f"m{row}" for row, metric in enumerate(sorted(graph.values))}
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n{MARK}\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    yield '<key id="name" for="graph" attr.name="name" attr.type="string"/>\n'
    for name, kind in _NODE_KEYS.items():
        yield f'<key id="n_{name}" for="node" attr.name="{name}" attr.type="{kind}"/>\n'
    for metric, key in metrics.items():
        yield f'<key id="{key}" for="node" attr.name="{escaped(metric_column(metric))}" attr.type="double"/>\n'
    for name, kind in _EDGE_KEYS.items():
        yield f'<key id="e_{name}" for="edge" attr.name="{name}" attr.type="{kind}"/>\n'
    yield f'<graph edgedefault="directed">\n<data key="name">{escaped(graph.name)}</data>\n'
    yield from _nodes(graph, metrics)
    yield from _edges(graph)
    yield "</graph>\n</graphml>\n"


def _nodes(graph: Graph, metrics: dict[str, str]) -> Iterator[str]:
    inner = {graph.ids[key] for key in set(graph.parent.tolist()) if key >= 0}
    around: list[str] = []
    for node in node_records(graph):
        while around and around[-1] != node["parent"]:
            around.pop()
            yield "</graph></node>\n"
        group = node["id"] in inner
        mark = ' yfiles.foldertype="group"' if group else ""
        yield f'<node id="{escaped(node["id"])}"{mark}>{_data(node, metrics)}'
        if group:
            around.append(node["id"])
            yield '<graph edgedefault="directed">\n'
        else:
            yield "</node>\n"
    yield "</graph></node>\n" * len(around)


def _data(node: NodeRecord, metrics: dict[str, str]) -> str:
    said = {
        "label": node["name"],
        "kind": node["kind"],
        "file": node["file"],
        "line": str(node["line"] or ""),
        "end_line": str(node["end_line"] or ""),
    }
    return "".join(
        [f'<data key="n_{name}">{escaped(value)}</data>' for name, value in said.items() if value]
        + [f'<data key="{metrics[name]}">{plain_number(value)}</data>' for name, value in node["metrics"].items()]
    )


def _edges(graph: Graph) -> Iterator[str]:
    for edge in edge_records(graph):
        said = {
            "kind": edge["kind"],
            "weight": plain_number(edge["weight"]),
            "confidence": edge["confidence"],
            "when": "" if edge["when"] == WHEN[When.ALWAYS] else edge["when"],
            "sites": sites_text(edge["sites"]),
        }
        data = "".join(f'<data key="e_{name}">{escaped(value)}</data>' for name, value in said.items() if value)
        yield f'<edge source="{escaped(edge["source"])}" target="{escaped(edge["target"])}">{data}</edge>\n'
