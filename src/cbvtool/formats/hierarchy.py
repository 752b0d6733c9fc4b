"""Infers a hierarchy from separators in ids, for graphs that state none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_DEEPEST = 64  # separators; the rest of a deeper id is one name
_LONGEST = 2048  # characters; a longer id is one name


@dataclass(frozen=True)
class Separators:
    """Separators of ids, and the kinds of the resulting containers and leaves."""

    pattern: re.Pattern[str]
    container: str
    leaf: str


PATHS = Separators(re.compile(r"(?<=[^/\\:])(?:[/\\]+|::)(?=[^/\\:])"), "folder", "file")
FOLDERS = Separators(re.compile(r"(?<=[^/])/+(?=[^/])"), "folder", "file")
DOTS = Separators(re.compile(r"(?<=[^.])\.(?=[^.])"), "package", "node")


def separators(ids: Sequence[str]) -> Separators | None:
    """The separators in most of `ids`: `/`, `\\` and `::`, or else dots; None if neither.

    Dots also precede suffixes of file names. So they count as separators only if the texts after the last dot are at
    least as varied as those before the first.
    """
    most = len(ids) / 2
    if sum(PATHS.pattern.search(node) is not None for node in ids) > most:
        return PATHS
    dotted = [node for node in ids if DOTS.pattern.search(node)]
    firsts, lasts = {node.partition(".")[0] for node in dotted}, {node.rpartition(".")[2] for node in dotted}
    return DOTS if len(dotted) > most and len(lasts) >= len(firsts) else None


def prefixes(node: str, cut: Separators) -> Iterator[tuple[str, str]]:
    """(id, name) of each level of `node`, outermost first, the node itself last."""
    places = [] if len(node) > _LONGEST else list(cut.pattern.finditer(node))
    begin = 0
    for place in places[:_DEEPEST]:
        yield node[: place.start()], node[begin : place.start()]
        begin = place.end()
    yield node, node[begin:]
