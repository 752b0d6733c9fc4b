"""RSF, the Rigi Standard Format: `verb subject object`, one on each line.

`type` gives a node its kind, `level` and `contain` its container. A verb whose objects are all numbers, and
not nodes, is a metric, a known verb (`file`, `lineno`, `name`, ...) an attribute, and every other verb a relation.
Structured files (`"12!name"`) and the fourth column of htmlrsf are supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from cbvtool.budget import Budget
from cbvtool.formats import attributes
from cbvtool.formats.attributes import metric_column, plain_number
from cbvtool.formats.content import Damaged, text_of
from cbvtool.formats.foreign import Foreign
from cbvtool.graph import Graph
from cbvtool.graph.records import edge_records, node_records

MARK = "# a graph of cbvtool"
_WORD = re.compile(r'"([^"\n]*+)"|([^\s"]\S*+)')
_LINE = re.compile(r"[^\n]*+\n|[^\n]++")
_NUMBER = re.compile(r"\d+!")
_MOST_WORDS = 5  # words of a line that are examined; valid lines have at most four
# Bytes of memory: of a stored text, of one line about a node, and of a described node.
_KEPT_SIZE, _SAID_SIZE, _SUBJECT_SIZE = 120, 80, 200
_LINES_AT_ONCE = 4096  # lines between two checks of the budget
_MEANING = {word: role for role in ("name", "file", "line", "end_line") for word in attributes.NODE[role]}
_TYPE, _LEVEL = "type", "level"
_ROOT = "Root"  # Rigi's name of the root
_QUOTED = re.compile(r"[^\w./\-]")
_UNSAYABLE = str.maketrans('"\n\r', "'  ")
_RESERVED = {_TYPE, _LEVEL, *_MEANING}
_SHOWN = 60  # characters


def read(data: bytes, name: str, budget: Budget) -> Graph:
    """The graph in an RSF file, called `name`. Raises Damaged and OverBudget."""
    foreign = Foreign(name, budget)
    text = text_of(data, budget)
    measuring = _measuring(text, budget)  # two passes over the text, so that its lines need not be stored
    described: dict[int, dict[str, str]] = {}
    for verb, subject, thing in _triples(text):
        key = _node(foreign, subject)
        if verb == _TYPE:
            foreign.add(_root(subject), kind=thing)
        elif verb == _LEVEL:
            foreign.contain(key, _node(foreign, thing))
        elif (role := _MEANING.get(verb.lower())) or verb in measuring:
            foreign.spend(0, _SAID_SIZE if key in described else _SAID_SIZE + _SUBJECT_SIZE)
            described.setdefault(key, {})[role or verb] = thing
        else:
            foreign.relate(key, _node(foreign, thing), verb)
    for key, given in described.items():
        foreign.describe(key, given)
    return foreign.graph()


def _node(foreign: Foreign, text: str) -> int:
    """Key of a node; in structured files, its name follows its number."""
    node = _root(text)
    if node not in foreign and (number := _NUMBER.match(node)):
        return foreign.add(node, name=node[number.end() :])
    return foreign.key(node)


def _triples(text: str) -> Iterator[tuple[str, str, str]]:
    for number, found in enumerate(_LINE.finditer(text), 1):
        line = found[0].strip()
        if not line or line.startswith("#"):
            continue
        if line == ".":  # CrocoPat's end mark
            return
        if '"' in line:
            words = [word[1] if word[2] is None else word[2] for word in islice(_WORD.finditer(line), _MOST_WORDS)]
        else:
            words = line.split(None, _MOST_WORDS)
        if not 3 <= len(words) <= 4:
            raise Damaged(f"line {number:,} is not `verb subject object`: {line[:_SHOWN]!r}")
        yield words[0], words[1], words[2]


def _root(node: str) -> str:
    return "" if node == _ROOT else node


def _measuring(text: str, budget: Budget) -> set[str]:
    """The verbs that are metrics: those whose objects are all numbers and not nodes, and those marked as metrics.

    Raises Damaged for a text without triples.
    """
    subjects: set[str] = set()
    numbers: dict[str, set[str]] = {}  # verb -> its objects, while all of them are numbers
    other: set[str] = set()
    held = kept = 0
    for count, (verb, subject, thing) in enumerate(_triples(text)):
        if not count % _LINES_AT_ONCE:  # the memory used here is freed at the end
            kept_now = _KEPT_SIZE * (len(subjects) + held + len(other))
            budget.spend(size=kept_now - kept)
            kept = kept_now
        subjects.add(subject)
        if verb in other:
            continue
        if attributes.number(thing) is None:
            other.add(verb)
            held -= len(numbers.pop(verb, ()))
            continue
        known = numbers.setdefault(verb, set())
        held += thing not in known
        known.add(thing)
    if not subjects:
        raise Damaged("it is empty")
    budget.spend(size=-kept)
    marked = {verb for verb in other if verb.startswith(attributes.METRIC_MARK)}
    measuring = {v for v, things in numbers.items() if v.startswith(attributes.METRIC_MARK) or not things & subjects}
    return marked | measuring


# -- writing -----------------------------------------------------------------------------------------------------


def text(graph: Graph) -> Iterator[str]:
    """The RSF text of `graph`, in pieces: nodes, their containers, places and values, and the kinds of relations."""
    yield f"{MARK}\n"
    taken = {*_RESERVED, *(kind.lower() for kind in graph.edges.kind_names)}
    if any(attributes.number(node) is not None for node in graph.ids):  # then a number may be the id of a node
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
    """`text` as one word of RSF, which has no escapes: quotes become apostrophes, and line breaks blanks."""
    return '"' + text.translate(_UNSAYABLE) + '"' if _QUOTED.search(text) or not text else text
