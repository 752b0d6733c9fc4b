"""Propagation of bounded sets along a graph of constraints to its least fixed point.

This is the inclusion-based, flow-insensitive points-to analysis of Andersen (1994, "Program Analysis and
Specialization for the C Programming Language", chapter 4) with difference propagation (Pearce, Kelly and Hankin 2003),
as PyCG (Salis et al. 2021) has it for Python. A node stands for a variable, an attribute, a result or an expression and
has a set of values; an edge says that all values of one node are values of another; a rule does something once for each
value of a node, as a rule it adds edges. Nodes are made when somebody asks for them and *expanded* then, so that all
that they follow from is there.

Every transfer is monotone and the sets are bounded, so there is one least fixed point: it depends neither on the order
of the work nor on what was asked for first. An edge carries each value at most once for each plane, and no set has more
than `MOST` values: the work is linear in the graph, also in circles, which for that reason are not collapsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

MOST = 32  # values of one node; with more, nothing is known about it
UNKNOWN = 0  # the value that stands for too many others
NOTHING = 0  # the node that never has a value

# Planes: how a value comes to a node. A lower one covers the higher ones.
DIRECT, REGISTERED, GIVEN = range(3)  # GIVEN: by a parameter of the function itself

# What an edge does with the plane of a value.
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

Rule = Callable[[int, int], None]  # gets a value and its plane
_NO_VALUES: dict[int, int] = {}


class Propagation:
    """Nodes with their values, and what is still to be done.

    values  of each node: value -> its lowest plane. If UNKNOWN is among them, those of its plane and above are left
            out. Negative values stand for parameters; only SAME edges carry them.
    """

    def __init__(self) -> None:
        self.values: list[dict[int, int]] = []
        self._edges: list[list[int] | None] = []  # each target * 8 + what is done with the plane
        self._rules: list[list[Rule] | None] = []
        self._new: dict[int, dict[int, int]] = {}  # values that were not passed on yet, by node
        self._unexpanded: list[tuple[Callable[..., None], tuple[object, ...]]] = []
        self.node()  # NOTHING

    def node(self) -> int:
        """A new node."""
        self.values.append(_NO_VALUES)
        self._edges.append(None)
        self._rules.append(None)
        return len(self.values) - 1

    def later(self, expand: Callable[..., None], *arguments: object) -> None:
        """Do this with the next `run`, as to expand a new node: chains of any length need no stack."""
        self._unexpanded.append((expand, arguments))

    def add(self, node: int, value: int, plane: int = DIRECT) -> None:
        """`node` may be `value`."""
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
        """All values of `source` are values of `target`."""
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

    def rule(self, source: int, rule: Rule) -> None:
        """Do this for each value of `source`, again when its plane becomes lower."""
        rules = self._rules[source]
        if rules is None:
            rules = self._rules[source] = []
        rules.append(rule)
        if known := self.values[source]:
            self.later(_do, rule, list(known.items()))

    def run(self) -> None:
        """Until nothing changes any more."""
        unexpanded, todo = self._unexpanded, self._new
        while unexpanded or todo:
            while unexpanded:
                expand, arguments = unexpanded.pop()
                expand(*arguments)
            if todo:
                self._pass_on(*todo.popitem())

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
            for rule in list(rules):
                _do(rule, items)


def _do(rule: Rule, items: Iterable[tuple[int, int]]) -> None:
    for value, plane in items:
        rule(value, plane)
