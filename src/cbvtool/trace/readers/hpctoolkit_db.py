"""`meta.db` and `profile.db` of HPCToolkit, version 4 (its FORMATS.md): contexts, functions, and sparse values.

Nodes are function-like contexts and entry points; lines, loops and instructions belong to the function around them. A
node's inclusive value is that of the scope "execution", its exclusive one the sum of "point" values of its contexts, or
that of the scope "function" where no points are kept. A thread that never was in a context has no value there.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from cbvtool.budget import Budget
from cbvtool.trace.making.profile_builder import NO_NODE, ProfileBuilder
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.readers.hpctoolkit_metric import split_metric
from cbvtool.trace.readers.source import UnreadableTrace

_MAGIC = b"HPCTOOLKIT"
_MAJOR = 4
_LONGEST_TEXT = 1 << 20
_LEAST_CONTEXT, _ENTRY = 32, 32  # bytes
_POINT, _EXECUTION = 1, 2  # types of propagation scopes
_VALUE = np.dtype([("metric", "<u2"), ("value", "<f8")])
_INDEX = np.dtype([("context", "<u4"), ("start", "<u8")])
BAD_PROFILES = "threads whose values are damaged"
UNKNOWN_CONTEXTS = "values of contexts that are not in the tree"


class _Bytes:
    """Numbers and texts at absolute places of a file. Raises UnreadableTrace outside of it."""

    def __init__(self, data: bytes, kind: bytes, name: str) -> None:
        if data[:10] != _MAGIC or data[10:14] != kind:
            raise UnreadableTrace(f"its {name} is not one of HPCToolkit")
        if len(data) < 16 or data[14] != _MAJOR:
            raise UnreadableTrace(f"its {name} is not of version {_MAJOR}, the only one that is read")
        self.data, self.name = data, name
        self._texts: dict[int, str] = {}

    def numbers(self, form: str, at: int) -> tuple[int, ...]:
        size = struct.calcsize("<" + form)
        if at < 0 or at + size > len(self.data):
            raise UnreadableTrace(f"its {self.name} is cut off or points outside of itself")
        return struct.unpack_from("<" + form, self.data, at)

    def text(self, at: int) -> str:
        found = self._texts.get(at)
        if found is None:
            end = self.data.find(b"\0", at, at + _LONGEST_TEXT) if 0 < at < len(self.data) else -1
            if end < 0:
                raise UnreadableTrace(f"a text of its {self.name} has no end")
            found = self._texts[at] = self.data[at:end].decode("utf-8", "replace")
        return found


@dataclass(frozen=True)
class _Measure:
    name: str
    unit: str
    factor: float
    scope: str  # "point", "function" or "execution"


def read(meta: bytes, profile: bytes, budget: Budget) -> Profile:
    """The profile by rank and thread. Raises UnreadableTrace, OverBudget."""
    tree, values = _Bytes(meta, b"meta", "meta.db"), _Bytes(profile, b"prof", "profile.db")
    made = ProfileBuilder("hpctoolkit", budget)
    general, names, metrics, contexts = (tree.numbers("QQ", at)[1] for at in (0x10, 0x20, 0x30, 0x40))
    made.describe(recorder="HPCToolkit", program=tree.text(tree.numbers("Q", general)[0]))
    measures = _measures(tree, metrics)
    owner, functions = _contexts(tree, contexts, made, budget)
    kinds = _kinds(tree, names)
    infos, count, size = values.numbers("QIB", values.numbers("QQ", 0x10)[1])
    if size < 0x2C or count * size > len(profile):
        raise UnreadableTrace("its profile.db is damaged")
    for number in range(count):
        budget.spend()
        at = infos + number * size
        try:
            block = values.numbers("QQI4xQ", at)
            tuple_at, flags = values.numbers("QI", at + 0x20)
            if flags & 1 == 0:
                place = _place(values, tuple_at, kinds)
                _add_values(values, block, owner, functions, measures, place, made)
        except UnreadableTrace:
            made.omissions[BAD_PROFILES] += 1
    return made.profile(sampled=True)


def _measures(tree: _Bytes, at: int) -> dict[int, _Measure]:
    """Number of the values -> what they are; only the scopes that are used here."""
    first, count, size, scope_size = tree.numbers("QIBB", at)
    if size < 0x20 or scope_size < 0x0A or count * size > len(tree.data):
        raise UnreadableTrace("the metrics of its meta.db are damaged")
    found: dict[int, _Measure] = {}
    for number in range(count):
        name_at, scopes, _, scope_count = tree.numbers("QQQH", first + number * size)
        name, unit, factor = split_metric(tree.text(name_at))
        of_metric: dict[str, int] = {}
        for place in range(scope_count):
            scope_at, number_of_values = tree.numbers("QH", scopes + place * scope_size)
            label_at, kind = tree.numbers("QB", scope_at)
            label = tree.text(label_at)
            scope = {_POINT: "point", _EXECUTION: "execution"}.get(kind, "function" if label == "function" else "")
            of_metric[scope] = number_of_values
        if "point" in of_metric:
            of_metric.pop("function", None)
        found |= {of: _Measure(name, unit, factor, scope) for scope, of in of_metric.items() if scope}
    return found


def _kinds(tree: _Bytes, at: int) -> list[str]:
    """Names of the kinds of identifiers: "NODE", "RANK", "THREAD", ..."""
    first, count = tree.numbers("QB", at)
    return [tree.text(tree.numbers("Q", first + 8 * number)[0]) for number in range(count)]


def _place(values: _Bytes, at: int, kinds: list[str]) -> tuple[int, int]:
    """Rank and thread of a profile; -1 for a thread that is not named."""
    (count,) = values.numbers("H", at)
    found: dict[str, int] = {}
    for number in range(count):
        kind, _, _, logical = values.numbers("BBHI", at + 8 + 16 * number)
        if kind < len(kinds):
            found.setdefault(kinds[kind], logical)
    return found.get("RANK", 0), found.get("THREAD", -1)


def _contexts(tree: _Bytes, at: int, made: ProfileBuilder, budget: Budget) -> tuple[dict[int, int], set[int]]:
    """Context -> the node that it belongs to; and the contexts that are nodes themselves."""
    first, count, size = tree.numbers("QHB", at)
    if size < _ENTRY:
        raise UnreadableTrace("the contexts of its meta.db are damaged")
    owner: dict[int, int] = {}
    nodes: set[int] = set()
    waiting: list[tuple[int, int, int, str, int]] = []  # place, end, node above, call site
    for number in range(count):
        length, children, context, _, name = tree.numbers("QQIH2xQ", first + number * size)
        owner[context] = made.node(made.function(tree.text(name)))
        nodes.add(context)
        waiting.append((children, children + length, owner[context], "", 0))
    most = len(tree.data) // _LEAST_CONTEXT + 1
    while waiting:
        here, end, above, file, line = waiting.pop()
        if here >= end:
            continue
        most -= 1
        if most < 0:
            raise UnreadableTrace("the contexts of its meta.db contain one another")
        if not most % 4096:
            budget.spend()
        length, children, context, flags, _, sort, words = tree.numbers("QQIBBBB", here)
        waiting.append((here + _LEAST_CONTEXT + 8 * words, end, above, file, line))
        at_function, at_file, own_line = _flex(tree, here + _LEAST_CONTEXT, flags, words)
        if at_file:
            file, line = tree.text(tree.numbers("I4xQ", at_file)[1]), own_line
        if sort == 0:
            above = owner[context] = made.node(_function(tree, at_function, made), above, file if line else "", line)
            nodes.add(context)
            file, line = "", 0
        else:
            owner[context] = above
        waiting.append((children, children + length, above, file, line))
    return owner, nodes


def _flex(tree: _Bytes, at: int, flags: int, words: int) -> tuple[int, int, int]:
    """Function and source file (0 = none) and line of a context."""
    if (flags & 1) + 2 * (flags >> 1 & 1) > words:
        raise UnreadableTrace("a context of its meta.db is damaged")
    function = 0
    if flags & 1:
        (function,) = tree.numbers("Q", at)
        at += 8
    file, line = tree.numbers("QI", at) if flags & 2 else (0, 0)
    return function, file, line


def _function(tree: _Bytes, at: int, made: ProfileBuilder) -> int:
    if not at:
        return made.function("<unknown function>")
    name, module, offset, file, line = tree.numbers("QQQQI", at)
    path = tree.text(tree.numbers("I4xQ", module)[1]) if module else ""
    where = tree.text(tree.numbers("I4xQ", file)[1]) if file else ""
    return made.function(tree.text(name) if name else f"<function at {offset:#x}>", path, where, line)


def _add_values(
    values: _Bytes,
    block: tuple[int, ...],
    owner: dict[int, int],
    nodes: set[int],
    measures: dict[int, _Measure],
    place: tuple[int, int],
    made: ProfileBuilder,
) -> None:
    """The values of one thread, summed by node."""
    count, at, contexts, indices = block
    if at + count * _VALUE.itemsize > len(values.data) or indices + contexts * _INDEX.itemsize > len(values.data):
        raise UnreadableTrace("values lie outside")
    value = np.frombuffer(values.data, _VALUE, count, at)
    index = np.frombuffer(values.data, _INDEX, contexts, indices)
    ends = [*index["start"].tolist(), count][1:]
    sums: dict[tuple[int, int], float] = defaultdict(float)
    been: dict[int, set[int]] = defaultdict(set)  # node -> metrics that it has an inclusive value of
    for context, begin, end in zip(index["context"].tolist(), index["start"].tolist(), ends, strict=True):
        if not begin <= end <= count:
            raise UnreadableTrace("values lie outside")
        node = owner.get(context, NO_NODE)
        if node == NO_NODE:
            made.omissions[UNKNOWN_CONTEXTS] += int(context != 0)  # 0 is the run as a whole
            continue
        for number, amount in value[begin:end].tolist():
            measure = measures.get(number)
            if measure is not None and (measure.scope == "point" or context in nodes):
                sums[node, number] += amount
                been[node].add(number)
    for (node, number), amount in sums.items():
        measure = measures[number]
        inclusive = measure.scope == "execution"
        made.add(node, measure.name, amount * measure.factor, unit=measure.unit, inclusive=inclusive, place=place)
    _add_zeros(made, been, measures, place)


def _add_zeros(
    made: ProfileBuilder, been: dict[int, set[int]], measures: dict[int, _Measure], place: tuple[int, int]
) -> None:
    """An exclusive zero where a thread has been, but only passed through."""
    partner = {
        one: other
        for one, measure in measures.items()
        for other, its in measures.items()
        if measure.scope == "execution" and its.scope != "execution" and its.name == measure.name
    }
    for node, numbers in been.items():
        for one, other in partner.items():
            if one in numbers and other not in numbers:
                made.add(node, measures[other].name, 0.0, unit=measures[other].unit, place=place)
