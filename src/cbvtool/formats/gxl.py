"""GXL, the Graph Exchange Language (https://www.gupro.de/GXL/): nested graphs, typed nodes and relations."""

from __future__ import annotations

from typing import NamedTuple

from cbvtool.budget import Budget
from cbvtool.formats.content import Damaged
from cbvtool.formats.foreign import Foreign
from cbvtool.formats.xml_events import OWNER_SIZE, parse
from cbvtool.graph import NO_PARENT, Graph

_SIMPLE = {"string", "int", "float", "bool", "enum", "locator"}
_COMPOSITE = {"set", "bag", "seq", "tup"}
_SCHEMA = "gxl-1.0"  # the type of graphs that describe types


def read(data: bytes, name: str, budget: Budget) -> Graph:
    """The graph in a GXL file, called `name`. Raises Damaged and OverBudget."""
    reader = _Reader(name, budget)
    parse(data, reader, budget)
    return reader.finished()


class _Owner(NamedTuple):
    element: str
    given: dict[str, str]  # what its start tag says
    attributes: dict[str, str]  # what its <attr> and <type> say
    node: int = -1


class _Reader:
    def __init__(self, name: str, budget: Budget) -> None:
        self._foreign = Foreign(name, budget)
        self._owners: list[_Owner] = []  # open graph, node, edge and rel elements, innermost last
        self._modes: list[str | None] = []  # edgemode of each open graph element
        self._inside: list[int] = []  # keys of the open nodes
        self._attribute = ""
        self._depth = 0  # of sets and sequences, whose members are left out
        self._is_gxl = False
        self._schema = 0  # how many open graphs describe types
        self._undirected = self._hyperedges = 0

    def finished(self) -> Graph:
        """The graph; call it after the last element of the file."""
        self._foreign.note(self._undirected, "relation has", "relations have", "no direction: shown as written")
        self._foreign.note(self._hyperedges, "relation", "relations", "of more than two nodes left out")
        return self._foreign.graph()

    def start(self, name: str, given: dict[str, str], before: str) -> None:
        """See `xml_events.Handler`."""
        if not self._is_gxl:
            if name != "gxl":
                raise Damaged(f"its root element is {name[:40]!r}, not 'gxl'")
            self._is_gxl = True
        elif name in ("graph", "edge", "rel"):
            self._foreign.spend(0, OWNER_SIZE)
            self._owners.append(_Owner(name, given, {}))
            if name == "graph":
                self._modes.append(given.get("edgemode"))
        elif name == "node":
            self._begin_node(given)
        elif name == "type" and self._owners:
            self._set(self._owners[-1], "type", _link(given).rpartition("#")[2])
        elif name == "attr":
            self._attribute = given.get("name", "")
        elif name in _COMPOSITE:
            self._depth += 1
        elif name == "locator" and not self._depth:
            self._tell(_link(given))

    def _begin_node(self, given: dict[str, str]) -> None:
        if "id" not in given:
            raise Damaged("a node has no id")
        node = -1
        if not self._in_schema():
            above = self._inside[-1] if self._inside else NO_PARENT
            node = self._foreign.add(given["id"], parent=above, once=True)
            self._inside.append(node)
        self._owners.append(_Owner("node", given, {}, node))

    def _set(self, owner: _Owner, name: str, value: str) -> None:
        if owner.element == "graph" and name == "type":
            self._schema += (value == _SCHEMA) - (owner.attributes.get(name) == _SCHEMA)
        owner.attributes[name] = value

    def _in_schema(self) -> bool:
        """Whether an open graph describes types. GXL writes the type of a graph before its nodes."""
        return self._schema > 0

    def end(self, name: str, text: str) -> None:
        """See `xml_events.Handler`."""
        if name in _COMPOSITE:
            self._depth -= 1
        elif name in _SIMPLE and name != "locator" and not self._depth:
            self._tell(text.strip())
        elif name == "attr":
            self._attribute = ""
        elif name in ("graph", "node", "edge", "rel") and self._owners:
            self._end_owner(self._owners.pop())

    def _tell(self, value: str) -> None:
        if self._attribute and value and self._owners:
            self._set(self._owners[-1], self._attribute, value)

    def _end_owner(self, owner: _Owner) -> None:
        self._foreign.spend(0, -OWNER_SIZE)
        if owner.element == "graph":
            self._modes.pop()
            self._schema -= owner.attributes.get("type") == _SCHEMA
        elif owner.node >= 0:
            self._inside.pop()
            self._foreign.describe(owner.node, owner.attributes)
        elif owner.element == "rel":
            self._hyperedges += 1
        elif owner.element == "edge" and not self._in_schema():
            self._end_edge(owner)

    def _end_edge(self, edge: _Owner) -> None:
        try:
            source, target = (self._foreign.key(edge.given[end]) for end in ("from", "to"))
        except KeyError as error:
            raise Damaged(f"a relation does not say where it goes {error.args[0]}") from None
        undirected = bool(self._modes) and self._modes[-1] == "undirected"
        self._undirected += edge.given.get("isdirected", "false" if undirected else "true") == "false"
        self._foreign.relate_by(source, target, edge.attributes)


def _link(given: dict[str, str]) -> str:
    """What `xlink:href` says, whatever prefix the file has for XLink."""
    return next((text for name, text in given.items() if name.rpartition(":")[2] == "href"), "")
