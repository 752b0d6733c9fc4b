"""`experiment.xml` of HPCToolkit up to 2021, with the values of each rank and thread in `*.metric-db` beside it.

The tree has frames (PF), inlined procedures (Pr), loops (L), call sites (C) and statements (S). Nodes of the profile
are frames and inlined procedures: a node's exclusive value is the sum over its statements, also those in its loops, its
inclusive value the one that the file gives it. A metric-db is a header of 32 bytes, the last eight of which are the
numbers of elements and metrics (big-endian), then one row of doubles for each element, by its number `i`.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cbvtool.budget import Budget
from cbvtool.formats.content import Damaged
from cbvtool.formats.xml_events import parse
from cbvtool.trace.making.profile_builder import NO_NODE, ProfileBuilder
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.readers.content import decimal, whole_number
from cbvtool.trace.readers.hpctoolkit_metric import split_metric
from cbvtool.trace.readers.source import UnreadableTrace

_MAGIC = b"HPCPROF-metricdb"
_HEADER = 32
_PLACE = re.compile(r"-(\d{6})-(\d{3})-[0-9a-f]+-\d+-\d+\.metric-db$")
_SCOPES = {"PF", "Pr", "C", "L", "S"}
BAD_VALUES = "files of values (*.metric-db) that do not fit the tree"
DAMAGED = "damaged values"


@dataclass(frozen=True)
class _Metric:
    name: str
    unit: str
    factor: float
    inclusive: bool


def read(data: bytes, values: Iterable[tuple[str, bytes]], budget: Budget) -> Profile:
    """The profile. `values`: name and content of each metric-db. Raises UnreadableTrace, OverBudget."""
    made = ProfileBuilder("hpctoolkit", budget)
    tree = _Tree(made, budget)
    cut = False
    try:
        parse(data, tree, budget)
    except Damaged as error:
        if not len(made):
            raise UnreadableTrace(str(error)) from None
        made.repairs["an experiment.xml that is cut off or damaged: the part before is read"] += 1
        cut = True
    if not len(made):
        raise UnreadableTrace("it has no call path profile")
    placed = False
    for name, content in values:
        if tree.in_files:
            placed |= _read_values(tree, name, content)
    if not placed:
        tree.use_own_values()
    if cut:
        made.describe(parameters={"cut off": "yes"})
    made.describe(recorder="HPCToolkit", program=tree.program)
    return made.profile(sampled=True)


class _Tree:
    """Elements of the file as they come."""

    def __init__(self, made: ProfileBuilder, budget: Budget) -> None:
        self.made, self._budget = made, budget
        self.program = ""
        self.in_files: dict[int, _Metric] = {}  # column of a metric-db -> metric
        self._metrics: dict[str, _Metric] = {}
        self._names: dict[str, dict[str, str]] = {"LoadModule": {}, "File": {}, "Procedure": {}}
        self._stack: list[tuple[int, bool, str, int]] = []  # node, whether the element is one, file, line
        self.frames: list[tuple[int, int]] = []  # number of the element, node
        self.statements: list[tuple[int, int]] = []
        self._own: list[tuple[int, _Metric, float]] = []
        self._scope = ""
        self._elements = 0

    def start(self, name: str, given: dict[str, str], before: str) -> None:
        """An element begins."""
        self._elements += 1
        if not self._elements % 4096:
            self._budget.spend(count=4096, size=4096 * 100)
        if name in _SCOPES:
            self._scope = name
            self._begin(name, given)
        elif name == "M":
            self._value(given)
        elif name in self._names:
            self._names[name][given.get("i", "")] = given.get("n", "")
        elif name in ("Metric", "MetricDB"):
            label, unit, factor = split_metric(given.get("n", ""))
            metric = _Metric(label, unit, factor, given.get("t") == "inclusive")
            column = whole_number(given.get("db-id", ""))
            if name == "Metric":
                self._metrics[given.get("i", "")] = metric
            elif column is not None:
                self.in_files[column] = metric
        elif name == "Header":
            self.program = given.get("n", "")

    def end(self, name: str, text: str) -> None:
        """An element ends."""
        if name in _SCOPES:
            self._stack.pop()

    def _begin(self, name: str, given: dict[str, str]) -> None:
        above, _, file, site = self._stack[-1] if self._stack else (NO_NODE, False, "", 0)
        line = whole_number(given.get("l", "0").partition("-")[0]) or 0
        number = whole_number(given.get("i", ""))
        if name in ("PF", "Pr"):
            own_file = self._named("File", given.get("f", ""))
            module = self._named("LoadModule", given.get("lm", ""))
            function = self.made.function(self._named("Procedure", given.get("n", "")), module, own_file, line)
            node = self.made.node(function, above, file if site else "", site)
            if number is not None:
                self.frames.append((number, node))
            self._stack.append((node, True, own_file, 0))
            return
        if name == "S" and number is not None and above != NO_NODE:
            self.statements.append((number, above))
        self._stack.append((above, False, file, line if name == "C" else site))

    def _named(self, table: str, key: str) -> str:
        return self._names[table].get(key, key)

    def _value(self, given: dict[str, str]) -> None:
        metric, value = self._metrics.get(given.get("n", "")), decimal(given.get("v", ""))
        if metric is None or value is None:
            self.made.omissions[DAMAGED] += 1
        elif self._stack and self._stack[-1][0] != NO_NODE:
            node, is_node, _, _ = self._stack[-1]
            if is_node if metric.inclusive else self._scope == "S":
                self._own.append((node, metric, value))

    def use_own_values(self) -> None:
        """Take the values in the XML: sums over ranks as a rule."""
        for node, metric, value in self._own:
            self.made.add(node, metric.name, value * metric.factor, unit=metric.unit, inclusive=metric.inclusive)


def _read_values(tree: _Tree, name: str, content: bytes) -> bool:
    """Add the values of one rank and thread: none where it never was. False for a file that does not fit."""
    place = _PLACE.search(name)
    rows = _rows(content, len(tree.in_files))
    numbers = [number for number, _ in (*tree.frames, *tree.statements)]
    if place is None or rows is None or not numbers or min(numbers) < 1 or max(numbers) > len(rows):
        tree.made.omissions[BAD_VALUES] += 1
        return False
    where = int(place[1]), int(place[2])
    frame, node = np.array(tree.frames, np.int64).T
    inclusive_columns = [column for column, metric in tree.in_files.items() if metric.inclusive]
    if any(not 0 <= column < rows.shape[1] for column in tree.in_files):
        tree.made.omissions[BAD_VALUES] += 1
        return False
    been = np.zeros(len(tree.made), np.bool_)
    been[node] = (rows[frame - 1][:, inclusive_columns] != 0).any(axis=1) if inclusive_columns else True
    for column, metric in tree.in_files.items():
        sums: npt.NDArray[np.float64] = np.zeros(len(tree.made))
        if metric.inclusive:
            sums[node] = rows[frame - 1, column]
        elif tree.statements:
            statement, owner = np.array(tree.statements, np.int64).T
            np.add.at(sums, owner, rows[statement - 1, column])
        for at in np.flatnonzero(been).tolist():
            value = float(sums[at]) * metric.factor
            tree.made.add(at, metric.name, value, unit=metric.unit, inclusive=metric.inclusive, place=where)
    return True


def _rows(content: bytes, metrics: int) -> npt.NDArray[np.float64] | None:
    """float64[elements, metrics] of a metric-db; None for one that is none."""
    if len(content) < _HEADER or not content.startswith(_MAGIC):
        return None
    nodes, columns = struct.unpack(">II", content[_HEADER - 8 : _HEADER])
    if columns < metrics or columns == 0 or len(content) - _HEADER != nodes * columns * 8:
        return None
    return np.frombuffer(content, ">f8", offset=_HEADER).reshape(nodes, columns).astype(np.float64)
