"""Evaluates a query on a graph: nodes by name, place, kind and measure, best matches first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from cbvtool.asking.expression import (
    All,
    Among,
    Amount,
    Any,
    Arithmetic,
    Comparison,
    Day,
    Kind,
    Measure,
    Name,
    Negative,
    Not,
    Number,
    Path,
    PatternTerm,
    Query,
    QueryError,
    WordTerm,
    amounts,
    ignores_case,
    measures,
    parse,
)
from cbvtool.asking.names import SAME, WORD, DistinctNames, Levels, Mask
from cbvtool.budget import Budget
from cbvtool.graph import Graph
from cbvtool.graph.graph import KIND_ORDER
from cbvtool.matching import Lines, compiled
from cbvtool.metrics.metric import Column, Metric

IntColumn = npt.NDArray[np.int32]
# Limit in seconds for the regular expressions of a query: a thousand times what ordinary ones take.
LONGEST_SEARCH = 5.0
_SEPARATORS = re.compile(r"/|::")
LETTERS = re.compile(r"[a-z0-9_]+")
_MORE_SEPARATORS = re.compile(r"/|::|\.|#|->")


@dataclass(frozen=True, eq=False)
class Matches:
    """k matches.

    keys    int32[k]  best first
    metric  the first amount in the query, which determines the order, else the first class in it; empty if there is
            none
    """

    keys: IntColumn
    metric: str = ""


def search(
    graph: Graph, query: Query, values: Mapping[str, Column], cancel: Callable[[], object] | None = None
) -> Matches:
    """All nodes that match.

    Nodes with the most of the first amount come first (for `<`: the least); else the best names.

    values   float64[n] by key for each metric of the query; a missing value matches no comparison
    cancel   called repeatedly during a search for regular expressions; raises `Cancelled` to stop

    Raises OverBudget if the regular expressions of the query take longer than `LONGEST_SEARCH` in total.
    """
    matching = _Matching(graph, values, cancel=cancel)
    keys = np.flatnonzero(matching.mask(query) & _findable(graph)).astype(np.int32)
    metric = next(amounts(query), "")
    rank = _rank(graph) if matching.level.any() else graph.tree.pos
    order: tuple[npt.NDArray[np.generic], ...] = (rank[keys], -matching.level[keys].astype(np.int16))
    if metric:
        column = values[metric][keys]
        order = (*order, column if _rising(query) else -column)  # NaN comes last
    return Matches(keys[np.lexsort(order)], metric or next(measures(query), ""))


def kept(graph: Graph, query: Query, values: Mapping[str, Column], cancel: Callable[[], object] | None = None) -> Mask:
    """bool[n]: nodes that a filter keeps: matches, their ancestors, and the content of matches.

    A node inside a match is kept unless its own measures contradict the query, or the query excludes it with "not":
    `sloc >= 50` keeps only the longer functions of long files. If the query names the kinds to be measured, measures of
    other kinds do not count: `kind:file and sloc >= 50` keeps long files with all their content.

    Raises OverBudget if its regular expressions take longer than `LONGEST_SEARCH`, and any exception of `cancel`, which
    is called repeatedly meanwhile.
    """
    alone = _Matching(graph, values, cancel=cancel)
    judged = [alone.mask(part) for part in (query.parts if isinstance(query, All) else (query,)) if _is_kind(part)]
    within = _Matching(graph, values, inherit=True, texts=alone.texts, judged=_all(judged) if judged else None)
    found = alone.mask(query) | within.mask(query)
    return _with_ancestors(graph, found & _findable(graph))


def hidden_by(
    graph: Graph, query: Query, values: Mapping[str, Column], cancel: Callable[[], object] | None = None
) -> frozenset[int]:
    """Keys of the topmost nodes that a filter hides. Raises the same as `kept`."""
    left_out = _findable(graph) & ~kept(graph, query, values, cancel)
    keys = np.flatnonzero(left_out)
    return frozenset(keys[~left_out[graph.parent[keys]]].tolist())


def _is_kind(part: Query) -> bool:
    """Whether a part of a query restricts the kinds of nodes."""
    return isinstance(part, Kind) or (isinstance(part, Among) and part.metric == "kind")


def filter_of(text: str, metrics: Mapping[str, Metric]) -> tuple[Query | None, tuple[str, ...]]:
    """The query of a filter, and the metrics that it needs; None if it is empty or not valid."""
    try:
        query = parse(text, metrics)
    except QueryError:
        return None, ()
    return query, () if query is None else tuple(dict.fromkeys(measures(query)))


def _findable(graph: Graph) -> Mask:
    """bool[n]: all nodes except the root and removed ones."""
    return graph.parent >= 0


@lru_cache(maxsize=2)  # graphs are values compared by identity
def _rank(graph: Graph) -> IntColumn:
    """int32[n]: rank among names that match equally well: shorter names first, then by kind, then outer nodes first."""
    order = {kind: row for row, kind in enumerate(KIND_ORDER)}
    kind = np.array([order.get(name, len(order)) for name in graph.kind_names], np.int32)[graph.kinds]
    rank = np.empty(len(graph), np.int32)
    rank[np.lexsort((graph.tree.pos, graph.tree.depth, kind, DistinctNames.of(graph.names).length))] = np.arange(
        len(graph)
    )
    return rank


@lru_cache(maxsize=2)  # moving nodes does not change ids
def _lines(ids: tuple[str, ...]) -> Lines:
    return Lines(ids)


class _Matching:
    """Evaluates queries; `level` uint8[n] is how well names matched the words.

    inherit   content of a match by name, kind or path matches, too, and a missing value in a file is taken from the
              node around it
    judged    bool[n]: with `inherit`, only these nodes are measured; nodes inside one of them get its result. None =
              all
    """

    def __init__(
        self,
        graph: Graph,
        values: Mapping[str, Column],
        *,
        inherit: bool = False,
        texts: dict[Query, Mask] | None = None,
        judged: Mask | None = None,
        cancel: Callable[[], object] | None = None,
    ) -> None:
        self.cancel = cancel
        self.budget: Budget | None = None  # shared by all regular expressions of the query
        self.graph, self.values, self.inherit, self.judged = graph, values, inherit, judged
        self.texts = {} if texts is None else texts  # results for parts of the query other than comparisons
        self.level: Levels = np.zeros(len(graph), np.uint8)

    def mask(self, query: Query) -> Mask:
        """bool[n]: nodes that match."""
        match query:
            case Not(part):
                return ~self.mask(part)
            case All(parts):
                return _all([self.mask(part) for part in parts])
            case Any(parts):
                return ~_all([~self.mask(part) for part in parts])
            case Comparison(signs, sides):
                with np.errstate(all="ignore"):
                    amounts = [self.amount(side) for side in sides]
                    pairs = zip(signs, amounts, amounts[1:], strict=False)
                    return np.broadcast_to(_all([_compared(*pair) for pair in pairs]), len(self.graph))
            case Among(name, _, other, rows):
                assert rows is not None, "the query was read for no subject"
                column = self.column(name)
                result: Mask = (np.isin(column, list(rows)) != other) & ~np.isnan(column)
                return result
            case _:
                found = self.texts[query] = self.texts[query] if query in self.texts else self.text(query)
                return _with_descendants(self.graph, found) if self.inherit else found

    def text(self, query: WordTerm | Name | PatternTerm | Kind | Path) -> Mask:
        """bool[n]: nodes that match by name, kind and path."""
        match query:
            case WordTerm(text):
                level = word_levels(self.graph, text)
                self.level = np.maximum(self.level, level)
                return level > 0
            case Name(text):
                return DistinctNames.of(self.graph.names).holding(text)
            case PatternTerm(text, path):
                # Letters only, as when the user begins to type: half of all names may match.
                if not path and LETTERS.fullmatch(text):
                    return DistinctNames.of(self.graph.names).holding(text)
                self.budget = self.budget or Budget("", seconds=LONGEST_SEARCH, cancel=self.cancel)
                self.budget.work = f"The search for /{text}/"
                pattern = compiled(text, ignore_case=ignores_case(text))
                if not path:
                    return DistinctNames.of(self.graph.names).matching(pattern, self.budget)
                found = np.zeros(len(self.graph), np.bool_)
                found[pattern.rows(_lines(self.graph.ids), self.budget.spend)] = True
                return found
            case Kind(text):
                wanted = tuple(word.casefold() for word in text.split(",") if word)
                rows = [row for row, kind in enumerate(self.graph.kind_names) if kind.casefold().startswith(wanted)]
                return np.isin(self.graph.kinds, rows)
            case Path(text):
                return _with_descendants(self.graph, _chain(self.graph, _SEPARATORS.split(text), begin=True))

    def column(self, name: str) -> Column:
        """float64[n]: the values of a metric."""
        column = self.values[name]
        if not self.inherit:
            return column
        if self.judged is None:
            return _filled_down(self.graph, column, _inside_files(self.graph))
        inside = _with_descendants(self.graph, self.judged) & ~self.judged
        return _filled_down(self.graph, np.where(self.judged, column, np.nan), inside)

    def amount(self, part: Amount) -> Column:
        """float64[n], or one number for all."""
        match part:
            case Number(value):
                return np.float64(value)  # type: ignore[return-value]  # stands for a column
            case Day():
                return np.float64(part.value)  # type: ignore[return-value]  # as above
            case Measure(name):
                return self.column(name)
            case Negative(inner):
                return -self.amount(inner)
            case Arithmetic(sign, left, right):
                a, b = self.amount(left), self.amount(right)
                if sign == "/":
                    return np.where(np.equal(b, 0), np.nan, np.divide(a, b))
                return {"+": np.add, "-": np.subtract, "*": np.multiply}[sign](a, b)


def _all(masks: list[Mask]) -> Mask:
    result = masks[0]
    for mask in masks[1:]:
        result = result & mask
    return result


def _compared(sign: str, left: Column, right: Column) -> Mask:
    """Whether the comparison holds; False for missing values."""
    compare = {
        "<": np.less,
        "<=": np.less_equal,
        ">": np.greater,
        ">=": np.greater_equal,
        "==": np.equal,
        "!=": np.not_equal,
    }[sign]
    result: Mask = compare(left, right) & ~np.isnan(left) & ~np.isnan(right)
    return result


def _rising(query: Query) -> bool:
    """Whether the query asks for small values of the first metric."""
    match query:
        case Comparison(signs, sides) if any(True for side in sides for _ in amounts(side)):
            first = next(row for row, side in enumerate(sides) if any(True for _ in amounts(side)))
            sign = signs[min(first, len(signs) - 1)]
            return sign in ("<", "<=") if first < len(signs) else sign in (">", ">=")
        case Not(part):
            return not _rising(part)
        case All(parts) | Any(parts):
            return next((_rising(part) for part in parts if any(True for _ in amounts(part))), False)
        case _:
            return False


def word_levels(graph: Graph, text: str) -> Levels:
    """uint8[n]: how well each node matches all words of `text`, 0 = no match.

    At least one word must match the name, the others a part of the path. Left-out and mistyped letters count only if
    nothing matches without them. A word with `/`, `::` or `.` in it may match a piece of the path.
    """
    best = np.zeros(len(graph), np.uint8)
    if (key := graph.key_of.get(text)) is not None:
        best[key] = SAME
        return best
    each = [_level(graph, word) for word in text.split()]
    for level in each:
        best = np.maximum(best, level)
    if len(each) > 1:
        for level in each:
            best[~_with_descendants(graph, level > 0)] = 0
    return best


def _level(graph: Graph, word: str) -> Levels:
    names, there = DistinctNames.of(graph.names), _findable(graph)
    level = names.fit(word)[names.name_of]
    for separators in (_SEPARATORS, _MORE_SEPARATORS):
        parts = separators.split(word)
        if len(parts) > 1 and any(parts) and not level[there].any():
            level = np.where(_chain(graph, parts, begin=False), np.uint8(WORD), np.uint8(0))
    return level if level[there].any() else names.roughly(word)[names.name_of]


def _chain(graph: Graph, parts: list[str], *, begin: bool) -> Mask:
    """bool[n]: nodes whose name matches the last part, whose parent matches the part before, and so on, ignoring case.

    The last name may continue after its part; without `begin`, the first name may begin before its part. `**` stands
    for any number of nodes.
    """
    names, parent = DistinctNames.of(graph.names), graph.parent
    found: Mask | None = None
    last = len(parts) - 1
    for row, part in enumerate(parts):
        if row < last and part in ("", "**"):  # empty: the path begins with a separator, or has two in a row
            found = None if found is None else _with_descendants(graph, found)
            continue
        own = names.like(part, begin=begin or found is not None, end=row < last)
        found = own if found is None else own & found[parent] & (parent >= 0)
    assert found is not None
    return found & _findable(graph)


def _inside_files(graph: Graph) -> Mask:
    """bool[n]: nodes inside files. An unmeasured file must not take the value of its folder."""
    file = np.array([kind == "file" for kind in graph.kind_names], np.bool_)[graph.kinds]
    return _with_descendants(graph, file) & ~file


def _filled_down(graph: Graph, column: Column, inside: Mask) -> Column:
    """float64[n]: the values; a missing one of a node in `inside` is taken from the closest node around it."""
    result, tree = np.array(column, np.float64), graph.tree
    by_depth = tree.order[np.argsort(tree.depth[tree.order], kind="stable")]
    for keys in np.split(by_depth, np.flatnonzero(np.diff(tree.depth[by_depth])) + 1)[1:]:
        empty = keys[np.isnan(result[keys]) & inside[keys]]
        result[empty] = result[tree.parent[empty]]
    return result


def _with_descendants(graph: Graph, mask: Mask) -> Mask:
    """bool[n]: the nodes of `mask` and all below them."""
    return graph.tree.below(np.flatnonzero(mask))


def _with_ancestors(graph: Graph, mask: Mask) -> Mask:
    """bool[n]: the nodes of `mask` and all above them."""
    return graph.tree.subtree_sum(mask.astype(np.float64)) > 0
