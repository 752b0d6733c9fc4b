"""RSF, the Rigi Standard Format: `verb subject object`, one a line.

`type` gives a node its kind, `level` and `contain` its container; a verb whose objects are numbers measures, one with a
known meaning (`file`, `lineno`, `name`, ...) describes, and every other one relates. Structured files (`"12!name"`) and
the fourth column of htmlrsf are understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from cbvtool.formats import attributes
from cbvtool.formats.attributes import metric_column, plain_number
from cbvtool.formats.content import Damaged, text_of
from cbvtool.formats.foreign import Foreign
from cbvtool.graph import Graph
from cbvtool.graph.records import edge_records, node_records

MARK = "# a graph of cbvtool"
_WORD = re.compile(r'"([^"\n]*+)"|([^\s"]\S*+)')
_NUMBER = re.compile(r"\d+!")
_MEANING = {word: role for role in ("name", "file", "line", "end_line") for word in attributes.NODE[role]}
_TYPE, _LEVEL = "type", "level"
_ROOT = "Root"  # what Rigi calls it
_QUOTED = re.compile(r"[^\w./\-]")
_UNSAYABLE = str.maketrans('"\n\r', "'  ")
_RESERVED = {_TYPE, _LEVEL, *_MEANING}
_SHOWN = 60  # characters


def read(data: bytes, name: str) -> Graph:
    """The graph in an RSF file, called `name`. Raises Damaged."""
    foreign = Foreign(name)
    triples = list(_triples(text_of(data)))
    if not triples:
        raise Damaged("it is empty")
    measuring = _measuring(triples)
    described: dict[int, dict[str, str]] = {}
    for verb, subject, thing in triples:
        key = _node(foreign, subject)
        if verb == _TYPE:
            foreign.add(_root(subject), kind=thing)
        elif verb == _LEVEL:
            foreign.contain(key, _node(foreign, thing))
        elif verb.lower() in _MEANING:
            described.setdefault(key, {})[_MEANING[verb.lower()]] = thing
        elif verb in measuring:
            described.setdefault(key, {})[verb] = thing
        else:
            foreign.relate(key, _node(foreign, thing), verb)
    for key, given in described.items():
        foreign.describe(key, given)
    return foreign.graph()


def _node(foreign: Foreign, text: str) -> int:
    """Key of a node; in structured files, what it is called stands behind its number."""
    node = _root(text)
    if node not in foreign and (number := _NUMBER.match(node)):
        return foreign.add(node, name=node[number.end() :])
    return foreign.key(node)


def _triples(text: str) -> Iterator[tuple[str, str, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line == ".":  # the end, to CrocoPat
            return
        words = [found[1] if found[2] is None else found[2] for found in _WORD.finditer(line)]
        if not 3 <= len(words) <= 4:
            raise Damaged(f"line {number:,} is not `verb subject object`: {line[:_SHOWN]!r}")
        yield words[0], words[1], words[2]


def _root(node: str) -> str:
    return "" if node == _ROOT else node


def _measuring(triples: list[tuple[str, str, str]]) -> set[str]:
    """The verbs whose objects are numbers, all of them, and no nodes; and those that say that they measure."""
    subjects = {subject for _, subject, _ in triples}
    other: set[str] = set()
    for verb, _, thing in triples:
        if verb not in other and (attributes.number(thing) is None or thing in subjects):
            other.add(verb)
    return {verb for verb, _, _ in triples if verb not in other or verb.startswith(attributes.METRIC_MARK)}


# -- writing -----------------------------------------------------------------------------------------------------


def text(graph: Graph) -> Iterator[str]:
    """The RSF text of `graph`, in pieces: nodes, their containers, places and values, and the kinds of relations."""
    yield f"{MARK}\n"
    taken = {*_RESERVED, *(kind.lower() for kind in graph.edges.kind_names)}
    if any(attributes.number(node) is not None for node in graph.ids):  # then a number may be a node
        taken.update(metric.lower() for metric in graph.values)
    columns = {metric: _word(metric_column(metric, taken)) for metric in graph.values}
    for node in node_records(graph):
        subject = _word(node["id"] or _ROOT)
        said = [f"{_TYPE} {subject} {_word(node['kind'])}", f"name {subject} {_word(node['name'])}"]
        if node["parent"] is not None:
            said.append(f"{_LEVEL} {_word(node['parent'] or _ROOT)} {subject}")
        if node["file"]:
            said.append(f"file {subject} {_word(node['file'])}")
        said += [f"{place} {subject} {node[place]}" for place in ("line", "end_line") if node[place]]
        said += [f"{columns[name]} {subject} {plain_number(value)}" for name, value in node["metrics"].items()]
        yield "\n".join(said) + "\n"
    for edge in edge_records(graph):
        kind = edge["kind"] + "_" if edge["kind"].lower() in _RESERVED else edge["kind"]
        yield f"{_word(kind)} {_word(edge['source'] or _ROOT)} {_word(edge['target'] or _ROOT)}\n"


def _word(text: str) -> str:
    """`text` as one word of RSF, which has no escapes: quotes become apostrophes, line breaks blanks."""
    return '"' + text.translate(_UNSAYABLE) + '"' if _QUOTED.search(text) or not text else text
