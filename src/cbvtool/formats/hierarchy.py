"""A hierarchy for graphs that state none: from the separators in their ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_DEEPEST = 64  # levels; a longer id is one name
_LONGEST = 2048  # characters


@dataclass(frozen=True)
class Separators:
    """Where ids are cut, and what the containers and the leaves that come of it are called."""

    pattern: re.Pattern[str]
    container: str
    leaf: str


PATHS = Separators(re.compile(r"(?<=[^/\\:])(?:[/\\]+|::)(?=[^/\\:])"), "folder", "file")
FOLDERS = Separators(re.compile(r"(?<=[^/])/+(?=[^/])"), "folder", "file")
DOTS = Separators(re.compile(r"(?<=[^.])\.(?=[^.])"), "package", "node")


def separators(ids: Sequence[str]) -> Separators | None:
    """What most of `ids` are cut by: `/`, `\\` and `::`, or else dots; None when it is neither.

    Dots also stand before the endings of file names: they separate only where what follows the last dot is at least as
    varied as what stands before the first.
    """
    most = len(ids) / 2
    if sum(PATHS.pattern.search(node) is not None for node in ids) > most:
        return PATHS
    dotted = [node for node in ids if DOTS.pattern.search(node)]
    firsts, lasts = {node.partition(".")[0] for node in dotted}, {node.rpartition(".")[2] for node in dotted}
    return DOTS if len(dotted) > most and len(lasts) >= len(firsts) else None


def prefixes(node: str, cut: Separators) -> Iterator[tuple[str, str]]:
    """(id, name) of each level of `node`, the outermost first, itself last."""
    places = [] if len(node) > _LONGEST else list(cut.pattern.finditer(node))
    begin = 0
    for place in places[:_DEEPEST]:
        yield node[: place.start()], node[begin : place.start()]
        begin = place.end()
    yield node, node[begin:]
