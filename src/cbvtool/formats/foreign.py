"""Builds a Graph from a file of another program, whose nodes and relations come in any order, with gaps, repeatedly."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.formats import attributes
from cbvtool.formats.content import Damaged
from cbvtool.formats.hierarchy import prefixes, separators
from cbvtool.graph import NO_PARENT, Confidence, Edges, Graph, Report, When
from cbvtool.graph.records import CONFIDENCE, WHEN

ROOT = 0  # key of the root
_MOST_LEVELS = 1_000
_MOST_KINDS = 1_000
_MOST_METRICS = 200
_MOST_CELLS = 50_000_000  # measured values, gaps included
# Peak memory in bytes for one item of each sort while the graph is built (measured, rounded up).
_NODE_SIZE, _PLACE_SIZE, _RELATION_SIZE, _SITE_SIZE, _VALUE_SIZE, _METRIC_SIZE = 600, 200, 130, 60, 20, 400
_SPENT_AT_ONCE, _SIZE_AT_ONCE = 4096, 2**20  # amounts collected before the budget is checked
_LARGEST_WEIGHT = float(np.finfo(np.float32).max)
_SHOWN, _LONGEST_NAME = 4, 80  # nodes of a cycle listed in a message, and characters of a name
_RELATION, _LEAF, _GROUP, _ROOT_KIND, _OTHER = "reference", "node", "group", "project", "other"

_CONFIDENCE_OF = {text: int(member) for member, text in CONFIDENCE.items()}
_WHEN_OF = {text: int(member) for member, text in WHEN.items()}


class Foreign:
    """Collects nodes and relations by id; `graph` creates the Graph, with notes on everything that did not fit.

    The root, with id `""` and key 0, exists from the start. Memory is proportional to the number of items added.

    name        default name of the root (`self.name`, or a name given for the root, replaces it)
    budget      limit for reading: each node, relation and value counts, with its memory
    structured  the file states its hierarchy, even if no node has a container: do not infer one

    Every method that adds something may raise OverBudget.
    """

    def __init__(self, name: str, budget: Budget, structured: bool = False) -> None:
        self.budget = budget
        self._owed_count = self._owed_size = 0  # collected, but not yet reported to the budget
        self.name = ""
        self._fallback = name
        self.structured = structured
        self.notes: list[str] = []
        self._key: dict[str, int] = {}
        self._names: list[str] = []
        self._kind: list[str] = []
        self._parent = array("i")
        self._said = bytearray()  # nodes that the file describes, not only names as ends of relations
        self._place: dict[int, tuple[str, int, int]] = {}
        # Metric -> keys, values; the last value of a node counts.
        self._values: dict[str, tuple[array[int], array[float]]] = {}
        self._left_out: Counter[str] = Counter()
        self._ends = array("i")  # source and target of each relation, alternating
        self._edge_kinds: dict[str, int] = {}
        self._edge_kind = array("i")
        self._weight = array("d")
        self._marks = bytearray()  # confidence and `when` of each relation, alternating
        self._site_edge, self._site_file, self._site_line = array("i"), array("i"), array("i")
        self._files: dict[str, int] = {}
        self._repeated = self._elsewhere = 0
        self.key("")

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, node: str) -> bool:
        return node in self._key

    def spend(self, count: int, size: int) -> None:
        """Record `count` items with `size` bytes in total."""
        self._owed_count += count
        self._owed_size += size
        if self._owed_count >= _SPENT_AT_ONCE or self._owed_size >= _SIZE_AT_ONCE:
            self._settle()

    def check(self, count: int) -> None:
        """Raise OverBudget if `count` further relations would be too many, before any is created."""
        self._settle()
        budget = self.budget
        if budget.spent_count + count > budget.count or budget.spent_size + count * _RELATION_SIZE > budget.size:
            budget.spend(count, count * _RELATION_SIZE)

    def _settle(self) -> None:
        count, size = self._owed_count, self._owed_size
        self._owed_count = self._owed_size = 0
        self.budget.spend(count, size)

    def key(self, node: str) -> int:
        """Key of the node with this id; an unknown one is added without any attributes."""
        key = self._key.get(node)
        if key is None:
            self.spend(1, _NODE_SIZE + len(node))
            key = self._key[node] = len(self._names)
            self._names.append("")
            self._kind.append("")
            self._parent.append(NO_PARENT)
            self._said.append(False)
        return key

    def add(self, node: str, *, name: str = "", kind: str = "", parent: int = NO_PARENT, once: bool = False) -> int:
        """Describe a node; empty arguments do not change it. Returns its key.

        parent  key of its container
        once   an id occurs once in this format: a repetition causes a note
        """
        key = self.key(node)
        if once and self._said[key]:
            self._repeated += key != ROOT
        self._said[key] = True
        if name:
            self._names[key] = name
        if kind:
            self._kind[key] = kind
        if parent != NO_PARENT:
            self.contain(parent, key)
        return key

    def contain(self, container: int, content: int) -> None:
        """Put a node into a container; the first one given counts."""
        if content in (ROOT, container):  # in org charts, people at the top often report to themselves
            return
        if self._parent[content] == NO_PARENT:
            self._parent[content] = container
        elif self._parent[content] != container:
            self._elsewhere += 1

    def move(self, container: int, content: int) -> None:
        """Put a node into a container, even if it has another one."""
        self._parent[content] = container

    def parent(self, key: int) -> int:
        """Key of the container of a node; NO_PARENT if none was given yet."""
        return self._parent[key]

    def place(self, key: int, file: str, line: int = 0, end_line: int = 0) -> None:
        """Set the position of a node in the source; lines are 1-based, 0 = not known."""
        if key not in self._place:
            self.spend(0, _PLACE_SIZE)
        self._place[key] = file, line, end_line

    def measure(self, key: int, metric: str, value: float) -> None:
        """Set a measured value of a node."""
        self.spend(1, _VALUE_SIZE)
        column = self._values.get(metric)
        if column is None:
            self.spend(0, _METRIC_SIZE)
            column = self._values[metric] = array("i"), array("d")
        column[0].append(key)
        column[1].append(value)

    def describe(self, key: int, given: Mapping[str, str]) -> None:
        """Describe a node by its attributes; each has the meaning of its name (see `attributes`)."""
        self._said[key] = True
        self.spend(len(given), 0)
        said = attributes.node_roles(given)
        self._names[key] = said.get("name") or self._names[key]
        self._kind[key] = said.get("kind") or self._kind[key]
        if parent := said.get("parent"):
            self.contain(self.key(parent), key)
        if said.keys() & {"file", "line", "end_line"}:
            lines = (attributes.whole(said.get(name, "")) for name in ("line", "end_line"))
            self.place(key, said.get("file", ""), *lines)
        for name, text in given.items():
            metric = attributes.metric_name(name)
            if metric is None or not text:
                continue
            value = attributes.number(text)
            if value is None:
                if name not in self._left_out:
                    self.spend(0, _METRIC_SIZE)
                self._left_out[name] += 1
            else:
                self.measure(key, metric, value)

    def relate(
        self,
        source: int,
        target: int,
        kind: str = "",
        weight: float | None = None,
        confidence: str = "",
        when: str = "",
        sites: Iterable[tuple[str, int]] = (),
    ) -> None:
        """Add a relation between two keys; several of the same kind become one, with the sum of the weights."""
        row = len(self._weight)
        self.spend(1, _RELATION_SIZE)
        self._ends.extend((source, target))
        kind = kind or _RELATION
        if kind not in self._edge_kinds:
            self.spend(0, _METRIC_SIZE)
        self._edge_kind.append(self._edge_kinds.setdefault(kind, len(self._edge_kinds)))
        self._weight.append(1.0 if weight is None else weight)
        self._marks.append(_CONFIDENCE_OF.get(confidence, Confidence.EXACT))
        self._marks.append(_WHEN_OF.get(when, When.ALWAYS))
        for file, line in sites:
            self.spend(1, _SITE_SIZE)
            self._site_edge.append(row)
            self._site_file.append(self._files.setdefault(file, len(self._files)))
            self._site_line.append(line)

    def relate_by(self, source: int, target: int, given: Mapping[str, str]) -> None:
        """Add a relation with the attributes `given`."""
        self.relate_as(source, target, len(given), attributes.edge_roles(given))

    def relate_as(self, source: int, target: int, told: int, said: Mapping[str, str]) -> None:
        """Add a relation with `told` attributes in the file; `said` are their roles (`edge_roles`)."""
        self.spend(told, 0)
        weight = said.get("weight")
        self.relate(
            source,
            target,
            said.get("kind", ""),
            None if weight is None else attributes.number(weight),
            said.get("confidence", ""),
            said.get("when", ""),
            attributes.sites(said.get("sites", "")),
        )

    def graph(self) -> Graph:
        """The graph of everything added. Raises Damaged if the containers form a cycle or are nested too deeply."""
        if len(self) == 1 and not self._said[ROOT] and not self._weight:
            raise Damaged("it holds no node")
        self._settle()
        unsaid = self._said.count(0, ROOT + 1)
        if unsaid and unsaid < len(self) - 1:  # an edge list describes no nodes at all
            self.note(unsaid, "node is only named", "nodes are only named", "by others, and told nothing else about")
        self.note(self._repeated, "node is there", "nodes are there", "more than once: what is said was put together")
        kept = self._hierarchy()
        self.note(
            self._elsewhere, "node has", "nodes have", "more than one container: the first one that is named counts"
        )
        parent = np.array(self._parent, np.int32)
        parent[1:][parent[1:] == NO_PARENT] = ROOT
        _check_tree(parent, tuple(self._key))
        self._name_kinds(parent)
        kinds: dict[str, int] = {}
        place = np.full((len(self), 3), (-1, 0, 0), np.int32)
        for key, (file, line, end_line) in self._place.items():
            place[key] = self._files.setdefault(file, len(self._files)) if file else -1, line, end_line
        values = self._columns()
        edges = self._edges(kept)
        for name, times in self._left_out.most_common(5):
            self.note(times, "text", "texts", f"of the attribute {name[:_LONGEST_NAME]!r} left out: values are numbers")
        name = self.name or self._names[ROOT] or self._fallback
        self._names[ROOT] = self._names[ROOT] or name
        return Graph(
            name=name,
            ids=tuple(self._key),
            names=tuple(shown or node for shown, node in zip(self._names, self._key, strict=True)),
            kinds=np.array([kinds.setdefault(kind, len(kinds)) for kind in self._kind], np.int16),
            kind_names=tuple(kinds),
            parent=parent,
            file=place[:, 0],
            line=place[:, 1],
            end_line=place[:, 2],
            files=tuple(self._files),
            values=values,
            edges=edges,
            report=Report(files=self._kind.count("file"), notes=tuple(self.notes)),
        )

    def note(self, count: int, one: str, many: str, what: str) -> None:
        """Add a note about `count` items, if `count` is not 0."""
        if count:
            self.notes.append(f"{count:,} {one if count == 1 else many} {what}.")

    def _hierarchy(self) -> npt.NDArray[np.bool_]:
        """If no container is given, infer them from relations that state some, else ids. bool[m]: relations kept."""
        kind = np.array(self._edge_kind, np.int32)
        kept = np.ones(len(kind), np.bool_)
        if self.structured or any(parent != NO_PARENT for parent in self._parent):
            return kept
        words = {number: name.lower().replace(" ", "_") for name, number in self._edge_kinds.items()}
        downward = {number for number, word in words.items() if word in attributes.CONTAINS}
        upward = {number for number, word in words.items() if word in attributes.CONTAINED}
        telling = np.flatnonzero(np.isin(kind, list(downward | upward)))
        if len(telling):
            kept[telling] = False
            for row in telling.tolist():
                a, b = self._ends[2 * row : 2 * row + 2]
                self.contain(*((a, b) if self._edge_kind[row] in downward else (b, a)))
            return kept
        ids = list(self._key)[1:]
        if cut := separators(ids):
            for node in ids:
                self._file_under(node, list(prefixes(node, cut)), cut.container)
            inner = set(self._parent)
            for key in range(1, len(self)):
                self._kind[key] = self._kind[key] or (cut.container if key in inner else cut.leaf)
        return kept

    def _file_under(self, node: str, levels: Sequence[tuple[str, str]], container: str) -> None:
        above = ROOT
        for level, name in levels:
            key = self.key(level)
            self._names[key] = self._names[key] or name
            if self._parent[key] == NO_PARENT:
                self._parent[key] = above
            above = key

    def _name_kinds(self, parent: npt.NDArray[np.int32]) -> None:
        """Give every node a kind, with no more kinds than a column can hold."""
        inner = np.zeros(len(self), np.bool_)
        inner[parent[1:]] = True
        self._kind[ROOT] = self._kind[ROOT] or _ROOT_KIND
        for key, kind in enumerate(self._kind):
            if not kind:
                self._kind[key] = _GROUP if inner[key] else _LEAF
        counts = Counter(self._kind)
        if len(counts) > _MOST_KINDS:
            common = set(_common(counts))
            self._kind = [kind if kind in common else _OTHER for kind in self._kind]
            self.notes.append(f"There are more than {_MOST_KINDS:,} kinds of nodes: the rare ones are left out.")

    def _columns(self) -> dict[str, npt.NDArray[np.float64]]:
        """float64[n] for each metric; if there are too many, for those with most values."""
        most = max(1, min(_MOST_METRICS, _MOST_CELLS // len(self)))
        if len(self._values) > most:
            self.notes.append(f"There are {len(self._values):,} metrics: the {most} most measured ones are kept.")
        measured = sorted(self._values, key=lambda name: -len(self._values[name][0]))[:most]
        columns = {}
        for name in measured:
            keys, values = self._values[name]
            column = np.full(len(self), np.nan)
            column[np.array(keys)] = np.array(values)
            column.flags.writeable = False  # so that the graph need not copy it
            columns[name] = column
        return columns

    def _edges(self, kept: npt.NDArray[np.bool_]) -> Edges:
        """One edge for each (source, target, kind): summed weights, highest confidence, earliest `when`, all sites."""
        rows = np.flatnonzero(kept)
        if not len(rows):
            return Edges.empty()
        ends = np.array(self._ends, np.int32).reshape(-1, 2)[rows]
        kind, names = self._edge_kind_column(rows)
        order = np.lexsort((kind, ends[:, 1], ends[:, 0]))
        key = np.column_stack((ends, kind))[order]
        begins = np.flatnonzero(np.append(True, (key[1:] != key[:-1]).any(axis=1)))
        with np.errstate(over="ignore"):  # an infinite sum becomes the largest weight
            weight = np.add.reduceat(np.array(self._weight)[rows][order], begins)
        marks = np.minimum.reduceat(np.frombuffer(self._marks, np.uint8).reshape(-1, 2)[rows][order], begins)
        edge_of = np.full(len(kept), -1, np.int64)
        edge_of[rows[order]] = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(order))))
        site_edge = edge_of[np.array(self._site_edge, np.int64)]
        by_edge = np.argsort(site_edge, kind="stable")[np.count_nonzero(site_edge < 0) :]
        counts = np.bincount(site_edge[by_edge], minlength=len(begins))
        return Edges(
            key[begins, 0],
            key[begins, 1],
            key[begins, 2].astype(np.int16),
            np.clip(weight, -_LARGEST_WEIGHT, _LARGEST_WEIGHT).astype(np.float32),
            marks[:, 0],
            marks[:, 1],
            np.concatenate(([0], np.cumsum(counts))),
            np.array(self._site_file, np.int32)[by_edge],
            np.array(self._site_line, np.int32)[by_edge],
            tuple(names),
        )

    def _edge_kind_column(self, rows: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], list[str]]:
        """(int32[m] index of the kind, names of the kinds) for the relations in `rows`."""
        kind = np.array(self._edge_kind, np.int32)[rows]
        names = list(self._edge_kinds)
        counts = np.bincount(kind, minlength=len(names)).tolist()
        present = {name: count for name, count in zip(names, counts, strict=True) if count}
        common = _common(present)
        if len(present) > _MOST_KINDS:
            self.notes.append(f"There are more than {_MOST_KINDS:,} kinds of relations: the rare ones are left out.")
        numbers = {name: number for number, name in enumerate(common)}
        renumbered = np.array([numbers.get(name, numbers.get(_OTHER, 0)) for name in names], np.int32)
        return renumbered[kind], list(common)


def _common(counts: Mapping[str, int]) -> list[str]:
    """The kinds to keep: all, or the most frequent ones and a name for the others."""
    if len(counts) <= _MOST_KINDS:
        return list(counts)
    return [*sorted(counts, key=lambda kind: -counts[kind])[:_MOST_KINDS], _OTHER]


def _check_tree(parent: npt.NDArray[np.int32], ids: Sequence[str]) -> None:
    """Check, by pointer doubling, that all nodes are below the root, and not too deep. Raises Damaged."""
    above, depth = parent.copy(), np.ones(len(parent), np.int64)
    above[ROOT], depth[ROOT] = ROOT, 0
    for _ in range(len(parent).bit_length()):
        depth += depth[above]
        above = above[above]
    lost = np.flatnonzero(above != ROOT)
    if len(lost):
        raise Damaged(f"its hierarchy goes in a circle: {_circle(parent, int(lost[0]), ids)}")
    if depth.max() > _MOST_LEVELS:
        raise Damaged(f"its hierarchy is {depth.max():,} levels deep, and {_MOST_LEVELS:,} is the most")


def _circle(parent: npt.NDArray[np.int32], start: int, ids: Sequence[str]) -> str:
    seen: dict[int, int] = {}
    while start not in seen:
        seen[start] = len(seen)
        start = int(parent[start])
    circle = [ids[key] for key in list(seen)[seen[start] :]]
    shown = circle if len(circle) <= _SHOWN else [*circle[:_SHOWN], "..."]
    return " in ".join(f"{node[:_LONGEST_NAME]!r}" if node != "..." else node for node in [*shown, circle[0]])
