"""Coverage of nodes: lines of files, or functions that ran, and the share of them in each subtree."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cbvtool.graph import Graph
from cbvtool.trace.coverage.line_coverage import Coverage, FileCoverage
from cbvtool.trace.mapping.files import match_files
from cbvtool.trace.mapping.named_nodes import NamedNodes

CALLABLE = frozenset({"function", "section", "paragraph"})
_DEFINITION = re.compile(r"\s*(async\s+)?def\s")


@dataclass(frozen=True, eq=False)
class NodeCoverage:
    """What can be covered in each of n nodes itself, without those inside it, and how much of it is.

    covered, measured  int64[n]
    unit               "lines" or "functions"
    unmatched          path and reason of each file that is not in the graph
    """

    covered: npt.NDArray[np.int64]
    measured: npt.NDArray[np.int64]
    unit: str
    unmatched: tuple[tuple[str, str], ...] = ()

    def share(self, graph: Graph) -> npt.NDArray[np.float64]:
        """float64[n]: the covered share of each subtree, 0 to 1; NaN where nothing can be covered."""
        covered, measured = (graph.tree.subtree_sum(each.astype(np.float64)) for each in (self.covered, self.measured))
        share = np.full(len(graph), np.nan)
        np.divide(covered, measured, out=share, where=measured > 0)
        return share


def functions_entered(graph: Graph, calls: npt.NDArray[np.int64]) -> NodeCoverage:
    """Coverage by functions. calls: int64[n], of each node itself (`RunTime.calls`)."""
    kinds = np.array([name in CALLABLE for name in graph.kind_names], np.bool_)
    measured = kinds[graph.kinds] & (graph.tree.pos >= 0)
    return NodeCoverage((measured & (calls > 0)).astype(np.int64), measured.astype(np.int64), "functions")


def lines_covered(
    coverage: Coverage, graph: Graph, root: Path | str | None = None, text_of: Callable[[str], str | None] | None = None
) -> NodeCoverage:
    """Coverage by lines: each counts for the innermost node whose lines hold it.

    In Python the head of a function is run where it is defined, so its lines count for what is around it, as they do in
    coverage.py. Where it ends, the report says, or the source.

    root     where the code lies on this machine
    text_of  path in the graph -> source of the file, None = not there
    """
    nodes = NamedNodes(graph)
    above = coverage.sources[0].rstrip("/") + "/" if len(coverage.sources) == 1 else ""
    recorded = [each.path if _is_absolute(each.path) else above + each.path for each in coverage.files]
    found = match_files(recorded, nodes.key_of_path, None if root is None else str(root))
    number_of = {path: number for number, path in enumerate(graph.files)}
    covered, measured = np.zeros(len(graph), np.int64), np.zeros(len(graph), np.int64)
    unmatched = []
    heads = _Heads(nodes, text_of)
    for each, where in zip(coverage.files, found, strict=True):
        if where.path is None:
            unmatched.append((each.path, where.reason))
            continue
        file = number_of.get(where.path, -1)
        key = nodes.innermost(np.full(len(each.line), file, np.int32), each.line)
        if where.path.endswith((".py", ".pyw")):
            key = heads.outside(key, each, where.path)
        key = np.where(key >= 0, key, nodes.key_of_path[where.path])
        np.add.at(measured, key, 1)
        np.add.at(covered, key[each.hit], 1)
    return NodeCoverage(covered, measured, "lines", tuple(unmatched))


def _is_absolute(path: str) -> bool:
    return path.startswith(("/", "\\")) or path[1:3] in (":\\", ":/")


class _Heads:
    """Where the heads of functions end."""

    def __init__(self, nodes: NamedNodes, text_of: Callable[[str], str | None] | None) -> None:
        self._nodes = nodes
        self._text_of = text_of

    def outside(self, keys: npt.NDArray[np.int32], each: FileCoverage, path: str) -> npt.NDArray[np.int32]:
        """The nodes of lines, where that is a function in whose head a line stands: what is around it."""
        graph, text = self._nodes.graph, None
        if not len(each.starts) and self._text_of is not None:
            text = self._text_of(path)
        lines = None if text is None else text.splitlines()
        ends: dict[int, int] = {}
        result = keys.copy()
        for row, key in enumerate(keys.tolist()):
            while key >= 0 and graph.kind(key) in CALLABLE:
                if key not in ends:
                    ends[key] = _end_of_head(int(graph.line[key]), int(graph.end_line[key]), each.starts, lines)
                if each.line[row] > ends[key]:
                    break
                key = self._nodes.around[key]
            result[row] = key
        return result


def _end_of_head(line: int, end: int, starts: npt.NDArray[np.int32], lines: Sequence[str] | None) -> int:
    """The line of `def` of a function that begins on `line`, maybe with decorators, and ends on `end`."""
    if len(starts):
        place = int(np.searchsorted(starts, line))
        if place < len(starts) and starts[place] <= end:
            return int(starts[place])
    elif lines is not None:
        return next((n for n in range(line, min(end, len(lines)) + 1) if _DEFINITION.match(lines[n - 1])), line)
    return line
