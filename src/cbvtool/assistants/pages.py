"""Answers of bounded size: a page of a list, and how nodes and relations are told."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import numpy as np
from msgspec import Meta

from cbvtool.asking.listing import SURE
from cbvtool.errors import InputError
from cbvtool.graph import Confidence, Graph, When
from cbvtool.graph.records import WHEN

MOST_ROWS = 200  # of a page
MOST_CHARACTERS = 40_000  # of the rows of a page, as JSON
SHOWN_PLACES = 5  # of a relation, or of a row of another kind
LONGEST_ID = 4_096  # characters

Answer = dict[str, Any]
Limit = Annotated[int, Meta(ge=1, le=MOST_ROWS, description=f"rows of a page, at most {MOST_ROWS}")]
Offset = Annotated[int, Meta(ge=0, le=2**31, description="rows to pass over: `next` of the page before")]
NodeId = Annotated[
    str, Meta(min_length=1, max_length=LONGEST_ID, description="id of a node, such as src/a.py::Class.f, or its end")
]
T = TypeVar("T")


def page(rows: Sequence[T], offset: int, limit: int, as_data: Callable[[T], Answer], name: str) -> Answer:
    """`total`, the rows under `name`, and `next` where there are more: the offset of the page after this one."""
    shown: list[Answer] = []
    size = 0
    for row in rows[offset : offset + limit]:
        data = as_data(row)
        size += len(json.dumps(data))
        if shown and size > MOST_CHARACTERS:
            break
        shown.append(data)
    end = offset + len(shown)
    return {"total": len(rows), name: shown, **({"next": end} if shown and end < len(rows) else {})}


def some(values: Sequence[Any], most: int, name: str) -> Answer:
    """The first ones under `name`, and how many there are where these are not all."""
    return {name: list(values[:most]), **({f"{name}_total": len(values)} if len(values) > most else {})}


def node_data(graph: Graph, key: int) -> Answer:
    """What identifies a node, and where it stands."""
    data: Answer = {"id": graph.ids[key], "kind": graph.kind(key)}
    if graph.line[key] and graph.file[key] >= 0:
        data["place"] = f"{graph.files[graph.file[key]]}:{graph.line[key]}"
        data["end_line"] = int(graph.end_line[key])
    return data


def relation_data(graph: Graph, row: int) -> Answer:
    """A relation, row of `graph.edges`, with its confidence and its places."""
    edges = graph.edges
    when = When(int(edges.when[row]))
    places = [f"{graph.files[file]}:{line}" for file, line in edges.sites(row)]
    return {
        "source": graph.ids[int(edges.source[row])],
        "target": graph.ids[int(edges.target[row])],
        "kind": edges.kind_names[int(edges.kind[row])],
        "confidence": SURE[Confidence(int(edges.confidence[row]))],
        **({} if when == When.ALWAYS else {"when": WHEN[when]}),
        **some(places, SHOWN_PLACES, "places"),
    }


def place_words(sites: Sequence[tuple[str, int]]) -> list[str]:
    """`file:line` of each, each once."""
    return list(dict.fromkeys(f"{file}:{line}" if line else file for file, line in sites if file))


def relation_kinds(graph: Graph, kinds: Sequence[str]) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """bool[m]: relations of these kinds, all without any. Raises InputError for a kind that there is not."""
    names = graph.edges.kind_names
    if unknown := [kind for kind in kinds if kind not in names]:
        raise InputError(f"There are no relations of the kind {unknown[0]!r}; there are {', '.join(names) or 'none'}.")
    wanted = np.array([not kinds or name in kinds for name in names] or [True], np.bool_)
    return wanted[graph.edges.kind] if len(graph.edges) else np.zeros(0, np.bool_)
