"""Circular imports that a plan would make, of the files that it moves and the classes and functions that it moves out.

An import that comes with the plan (a class that goes to another file is imported from there; importing a module runs
the packages around it) closes a circle if what is imported leads back to the importer. What takes effect only once a
function runs, or for a type checker alone, closes none today; an import that the plan adds is taken to stand at the top
of its file. Told are circles of languages in which they do harm: Python, JavaScript and TypeScript, and Go, whose
packages must have none.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from cbvtool.graph import Confidence, Graph, are_dependencies
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, Primitive
from cbvtool.plan.sites.code import NO_CODE
from cbvtool.plan.sites.planned import FileChange, PartChange, Planned
from cbvtool.plan.sites.text import suffix_of
from cbvtool.progress import checkpoint

Circle = tuple[str, ...]
_Pairs = dict[str, set[str]]  # importer -> what it imports

_HARMED = frozenset({"py", "pyi", "pyw", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "go"})
_MOST = 20  # circles that are told of one change


def new_circles(base: Graph, target: Graph, primitives: Sequence[Primitive]) -> Mapping[int, tuple[Circle, ...]]:
    """Index of a primitive -> the circles that it makes; those that make none are left out.

    A circle is the files on it (for Go: folders), each of which imports the next one and the last the first, by their
    paths as analysed, or as planned if the plan makes them. Of several ways around the shortest one is told.
    """
    planned = Planned(base, target, primitives, NO_CODE)
    finding = _Finding(planned)
    found: dict[int, tuple[Circle, ...]] = {}
    for cause, added, removed in finding.changes():
        checkpoint()
        circles = finding.circles(added, removed)
        if circles:
            found[cause] = tuple(dict.fromkeys((*found.get(cause, ()), *circles)))[:_MOST]
    return found


class _Finding:
    """What imports what before the plan, and the search for circles that it adds."""

    def __init__(self, planned: Planned) -> None:
        self._planned = planned
        self._imports = _imports(planned)
        self._goes = {
            key: part.new_file
            for part in planned.parts
            if part.leaves and part.new_file is not None
            for key in planned.base.subtree(part.key).tolist()
        }

    def changes(self) -> Iterable[tuple[int, set[tuple[str, str]], set[tuple[str, str]]]]:
        """(cause, pairs that import each other by the plan, pairs that do no more) of each change."""
        planned = self._planned
        for part in planned.parts:
            if part.leaves and part.new_file is not None and suffix_of(part.new_file) in _HARMED:
                yield part.cause, *self._of_part(part, part.new_file)
        for change in planned.files:
            if change.new is not None and suffix_of(change.new) in ("py", "pyi", "pyw"):
                yield change.cause, self._of_file(change, change.new), set()
        for index, primitive in enumerate(planned.primitives):
            if isinstance(primitive, AddEdge) and primitive.kind == "import" and not primitive.along:
                ends = [_place(planned, node) for node in (primitive.source, primitive.target)]
                if all(suffix_of(end) in _HARMED for end in ends):
                    yield index, {(_unit(ends[0]), _unit(ends[1]))}, set()

    def _of_part(self, part: PartChange, there: str) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        """A part that goes to the file `there`: its users import that one, and that one what it uses."""
        planned = self._planned
        inside = set(planned.base.subtree(part.key).tolist())
        used = [use for use in planned.uses_of(inside) if use.is_sure and use.source not in inside]
        uses = [use for use in planned.uses_by(inside) if use.is_sure and use.target not in inside]
        users = {self._goes.get(use.source, use.file) for use in used if not use.is_typing and use.kind != "import"}
        needed = {self._goes.get(use.target, planned.file_of(use.target)) for use in uses if not use.is_typing}
        added = {(_unit(file), _unit(there)) for file in users}
        added |= {(_unit(there), _unit(file)) for file in needed if suffix_of(file) in _HARMED}
        rest = [key for key in planned.base.subtree(planned.paths[part.file]).tolist() if key not in inside]
        rest = [key for key in rest if key not in self._goes]
        others = {use.file for use in planned.uses_of(rest) if use.kind != "import" and use.source not in self._goes}
        gone = {(_unit(file), _unit(part.file)) for file in users - others}
        return {pair for pair in added if pair[0] != pair[1]}, gone - added

    def _of_file(self, change: FileChange, new: str) -> set[tuple[str, str]]:
        """A file that goes into packages: who imports it runs these."""
        planned = self._planned
        around = {path for path in _packages(new) if path in planned.paths} - set(_packages(change.old))
        users = {use.file for use in planned.uses_of([change.key]) if use.is_sure and use.kind == "import"}
        return {(user, package) for user in users for package in around if package not in (*_packages(user), user)}

    def circles(self, added: set[tuple[str, str]], removed: set[tuple[str, str]]) -> list[Circle]:
        """The circles that are there with the pairs that come and without those that go, and were not there before."""
        imports = dict(self._imports)  # whose sets stay as they are
        imports.update({source: set(imports.get(source, ())) for source, _ in added | removed})
        for source, target in removed:
            imports[source].discard(target)
        for source, target in added:
            imports[source].add(target)
        found: dict[frozenset[str], Circle] = {}
        ways: dict[str, dict[str, str]] = {}
        for source, target in sorted(added - {pair for pair in added if pair[1] in self._imports.get(pair[0], ())}):
            if target not in ways:
                ways[target] = _ways(imports, target)
            if source in ways[target]:
                circle = _path(ways[target], target, source)
                found.setdefault(frozenset(circle), circle)
        return sorted(found.values(), key=lambda circle: (len(circle), circle))


def _ways(imports: Mapping[str, set[str]], start: str) -> dict[str, str]:
    """Each file that `start` leads to -> the one before it on a shortest way."""
    before = {start: ""}
    todo = deque([start])
    while todo:
        here = todo.popleft()
        for there in sorted(imports.get(here, ())):
            if there not in before:
                before[there] = here
                todo.append(there)
    return before


def _path(before: Mapping[str, str], start: str, end: str) -> Circle:
    path = [end]
    while path[-1] != start:
        path.append(before[path[-1]])
    return (path[0], *reversed(path[1:]))


def _imports(planned: Planned) -> _Pairs:
    """What imports what when it is loaded, for sure, as far as circles there do harm."""
    base = planned.base
    edges = base.edges
    rows = are_dependencies(edges, deferred=False, type_checking=False) & (edges.confidence != Confidence.GUESS)
    kinds = [row for row, kind in enumerate(edges.kind_names) if kind == "import"]
    found: _Pairs = defaultdict(set)
    for row in np.flatnonzero(rows & np.isin(edges.kind, kinds)).tolist():
        ends = [planned.file_of(int(end[row])) for end in (edges.source, edges.target)]
        if suffix_of(ends[0]) == "go" and not ends[1]:
            ends[1] = place(base, int(edges.target[row])) + "/.go"  # a package is a folder
        if all(suffix_of(end) in _HARMED for end in ends) and _unit(ends[0]) != _unit(ends[1]):
            found[_unit(ends[0])].add(_unit(ends[1]))
    return dict(found)


def _unit(file: str) -> str:
    """What circles are made of: the file, in Go its folder."""
    return file.rpartition("/")[0] if file.endswith(".go") else file


def _place(planned: Planned, node: str) -> str:
    """Path of the file of a node, as analysed, or as planned if the plan makes it."""
    key = planned.target.key_of.get(node, -1)
    if 0 <= key < len(planned.base):
        return planned.file_of(key)
    file = file_of(planned.target, key) if key >= 0 else -1
    return place(planned.target, file) if file >= 0 else ""


def _packages(path: str) -> list[str]:
    """The `__init__.py` of each folder around a file."""
    parts = path.split("/")[:-1]
    return ["/".join((*parts[:depth], "__init__.py")) for depth in range(1, len(parts) + 1)]
