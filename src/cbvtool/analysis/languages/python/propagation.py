"""Propagation of bounded sets along a graph of constraints to its least fixed point.

This is the inclusion-based, flow-insensitive points-to analysis of Andersen (1994, "Program Analysis and
Specialization for the C Programming Language", chapter 4) with difference propagation (Pearce, Kelly and Hankin 2003),
as in PyCG (Salis et al. 2021) for Python. A node stands for a variable, an attribute, a result or an expression, and
has a set of values. An edge says that all values of one node are values of another. A rule runs once for each value of
a node; usually it adds edges. A node is made on demand and then *expanded*, which adds everything that it depends on.

Every transfer is monotone and the sets are bounded, so that there is one least fixed point: it does not depend on the
order of the work or of the requests. An edge passes each value at most once for each plane, and no set has more than
`MOST` values. So the work is linear in the graph, also in cycles, which therefore need not be collapsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Set as AbstractSet

MOST = 32  # most values of a node; a node with more counts as unknown
UNKNOWN = 0  # value that stands for too many values
NOTHING = 0  # node that never has a value

# Planes: how a value reaches a node. A lower plane includes the higher ones.
DIRECT, REGISTERED, GIVEN = range(3)  # GIVEN: by a parameter of the function itself

# How an edge changes the plane of a value.
SAME, NOT_DIRECT, AS_GIVEN, RETURN, RETURN_NOT_DIRECT, RETURN_GIVEN, STORE = range(7)
_DROPPED = 3
_PLANES = (
    (DIRECT, REGISTERED, GIVEN),
    (REGISTERED, REGISTERED, GIVEN),
    (GIVEN, GIVEN, GIVEN),
    (DIRECT, REGISTERED, _DROPPED),
    (REGISTERED, REGISTERED, _DROPPED),
    (GIVEN, GIVEN, _DROPPED),
    (DIRECT, REGISTERED, REGISTERED),
)

Rule = Callable[[int, int], None]  # called with a value and its plane
_NO_VALUES: dict[int, int] = {}


class Propagation:
    """Nodes with their values, and the queue of pending work.

    values  for each node: value -> its lowest plane. If UNKNOWN is among them, values of its plane and above are left
            out. Negative values are placeholders of parameters; only SAME edges pass them.
    grown   nodes that got values
    forgotten  number of nodes that `forget` has emptied
    """

    def __init__(self) -> None:
        self.values: list[dict[int, int]] = []
        self.grown: set[int] = set()
        self.forgotten = 0
        self._edges: list[list[int] | None] = []  # for each node: target * 8 + change of plane
        self._rules: list[list[tuple[int, Rule]] | None] = []  # for each node: (node that the rule adds to, rule)
        self._new: dict[int, dict[int, int]] = {}  # node -> values not passed on yet
        self._unexpanded: list[tuple[Callable[..., None], tuple[object, ...]]] = []
        self.node()  # NOTHING

    def node(self) -> int:
        """A new node."""
        self.values.append(_NO_VALUES)
        self._edges.append(None)
        self._rules.append(None)
        return len(self.values) - 1

    def later(self, expand: Callable[..., None], *arguments: object) -> None:
        """Queue a call for the next `run`, such as the expansion of a node: long chains then need no recursion."""
        self._unexpanded.append((expand, arguments))

    def add(self, node: int, value: int, plane: int = DIRECT) -> None:
        """Add `value` to the values of `node`."""
        known = self.values[node]
        if known is _NO_VALUES:
            known = self.values[node] = {}
        before = known.get(value, _DROPPED)
        if before <= plane or known.get(UNKNOWN, _DROPPED) <= plane:
            return
        known[value] = plane
        new = self._new.get(node)
        if new is None:
            new = self._new[node] = {}
        new[value] = plane
        if value == UNKNOWN:
            self._absorb(known, new, plane)
        elif len(known) > MOST:
            for limit in (DIRECT, REGISTERED, GIVEN):
                if sum(of <= limit for one, of in known.items() if one != UNKNOWN) > MOST:
                    known[UNKNOWN] = new[UNKNOWN] = limit
                    self._absorb(known, new, limit)
                    break

    @staticmethod
    def _absorb(known: dict[int, int], new: dict[int, int], limit: int) -> None:
        for value in [one for one, plane in known.items() if plane >= limit and one != UNKNOWN]:
            del known[value]
            new.pop(value, None)

    def edge(self, source: int, target: int, how: int = SAME) -> None:
        """Make all values of `source` values of `target`, too."""
        if source == NOTHING:
            return
        edges = self._edges[source]
        if edges is None:
            edges = self._edges[source] = []
        edges.append(target << 3 | how)
        for value, plane in list(self.values[source].items()):
            if value >= 0 or how == SAME:
                passed = _PLANES[how][plane]
                if passed != _DROPPED:
                    self.add(target, value, passed)

    def rule(self, source: int, node: int, rule: Rule) -> None:
        """Call `rule` for each value of `source`, and again when the value's plane becomes lower.

        node  the only node to which it adds values, edges and rules; NOTHING = none
        """
        rules = self._rules[source]
        if rules is None:
            rules = self._rules[source] = []
        rules.append((node, rule))
        if known := self.values[source]:
            self.later(_do, rule, list(known.items()))

    def following(self, nodes: Iterable[int]) -> set[int]:
        """These nodes, and all whose values follow from theirs."""
        found = set(nodes)
        todo = list(found)
        while todo:
            node = todo.pop()
            for after in (*(edge >> 3 for edge in self._edges[node] or ()), *(to for to, _ in self._rules[node] or ())):
                if after not in found:
                    found.add(after)
                    todo.append(after)
        found.discard(NOTHING)
        return found

    def forget(self, nodes: AbstractSet[int]) -> None:
        """Take away all values of `nodes`, which are all that follow from them (see `following`); none is used again.

        What other nodes pass to them is lost.
        """
        for node in nodes:
            self.values[node] = _NO_VALUES
            self._edges[node] = self._rules[node] = None
        self.forgotten += len(nodes)

    def run(self) -> None:
        """Process the queue until nothing changes."""
        unexpanded, todo = self._unexpanded, self._new
        while unexpanded or todo:
            while unexpanded:
                expand, arguments = unexpanded.pop()
                expand(*arguments)
            if todo:
                node, new = todo.popitem()
                self.grown.add(node)
                self._pass_on(node, new)

    def _pass_on(self, node: int, new: dict[int, int]) -> None:
        edges, rules = self._edges[node], self._rules[node]
        if edges:
            add = self.add
            for edge in edges:
                planes, target = _PLANES[edge & 7], edge >> 3
                for value, plane in new.items():
                    if value >= 0 or not edge & 7:
                        passed = planes[plane]
                        if passed != _DROPPED:
                            add(target, value, passed)
        if rules:
            items = list(new.items())
            for _, rule in list(rules):
                _do(rule, items)


def _do(rule: Rule, items: Iterable[tuple[int, int]]) -> None:
    for value, plane in items:
        rule(value, plane)
