"""The classes that a member may belong to, and the expressions that stand for one of them."""

from __future__ import annotations

import ast
import builtins
from collections import defaultdict
from collections.abc import Callable

import numpy as np

from cbvtool.apply.python.importing import BoundTo
from cbvtool.apply.python.scan import Binding, NameScope
from cbvtool.apply.python.spaces import Spaces
from cbvtool.apply.renames.by_text import computed_names, own_names
from cbvtool.apply.renames.occurrences import LexicalScope, WordFile
from cbvtool.apply.renames.target import RenamedDefinition, last_name
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Confidence, Graph
from cbvtool.plan.place import file_of, place

_PLAIN_BASES = frozenset(
    {"ABC", "Enum", "Flag", "Generic", "IntEnum", "IntFlag", "NamedTuple", "StrEnum", "TypedDict", "object"}
)
# What code elsewhere calls on whatever it is given: files, mappings, threads, handlers.
_WORDS = """
acquire append cancel clear close copy count default emit extend fileno filter flush format get handle index insert
isatty items join keys next open pop read readable readline readlines release remove reset run seek send set setdefault
sort start stop tell throw truncate update values writable write writelines
"""
_PROTOCOLS = frozenset(_WORDS.split())
_Class = tuple[str, ast.ClassDef]


class ClassFamily:
    """A class with all that inherit from it, and all that these inherit from.

    Raises Stopped if one of them has the member, too, or may have it from elsewhere.
    """

    def __init__(self, graph: Graph, target: RenamedDefinition, read: Callable[[str], WordFile | None]) -> None:
        self._target, self._read = target, read
        self._graph = graph
        self._above: dict[int, list[int]] = defaultdict(list)  # class -> what it inherits
        self._under: dict[int, list[tuple[int, bool]]] = defaultdict(
            list
        )  # class -> who inherits it, and whether surely
        self._read_inheritance()
        owner = int(graph.parent[target.key])
        keys = self._related(owner)
        self._nodes: dict[int, _Class] = {key: self._node(key) for key in sorted(keys)}
        self._ids = {id(node) for _, node in self._nodes.values()}
        self._owner = self._nodes[owner][1]
        self._below = {id(self._nodes[key][1]) for key in self._descendants(owner)}
        for key, (path, node) in self._nodes.items():
            self._check(key, path, node, is_owner=key == owner)
        self._check_protocols()
        if target.old in _PROTOCOLS:
            raise Stopped(
                f"{target.said}: code elsewhere may call it by this name, as it does of other classes.", target.path
            )

    def has(self, path: str, file: WordFile, scope: LexicalScope, value: ast.expr, spaces: Spaces) -> bool | None:
        """Whether an attribute of `value` is the member; None = nobody knows."""
        if isinstance(value, ast.Call) and last_name(value.func) == "super" and not value.args:
            around = next((other.node for other in scope.around() if other.kind == "class"), None)
            if around is self._owner:
                return None
            return id(around) in self._below if id(around) in self._ids else False
        if not isinstance(value, ast.Name | ast.Attribute):
            return None
        if isinstance(value, ast.Name):
            holder = scope.binding(value.id)
            if holder is None:
                return None
            if (found := _own_class(holder, value.id)) is not None:
                return id(found) in self._ids
            if holder.kind == "module" and holder.bound[value.id] == 1:
                return self._by_name(path, file, value.id, spaces)
        return None

    def _by_name(self, path: str, file: WordFile, name: str, spaces: Spaces) -> bool | None:
        """Whether a name of a module stands for one of the classes; None = for no class that is known."""
        found = file.definitions((name,))
        if found:
            return id(found[0]) in self._ids if isinstance(found[0], ast.ClassDef) else None
        for node, parent in file.scoped.parents.items():
            if (
                isinstance(node, ast.alias)
                and isinstance(parent, ast.ImportFrom)
                and (node.asname or node.name) == name
            ):
                value = spaces.taken(path, Binding(parent, node, NameScope("module"))).value
                return None if value is None or not value.name else self._imported(value, spaces)
        return None

    def _imported(self, value: BoundTo, spaces: Spaces) -> bool | None:
        path = spaces.modules.file.get(value.module)
        file = self._read(path) if path is not None else None
        found = file.definitions((value.name,)) if file is not None else []
        if len(found) != 1 or not isinstance(found[0], ast.ClassDef):
            return None
        return id(found[0]) in self._ids

    # -- what the graph says

    def _read_inheritance(self) -> None:
        edges = self._graph.edges
        kind = edges.kind_names.index("inherit") if "inherit" in edges.kind_names else -1
        for row in np.flatnonzero(edges.kind == kind).tolist():
            source, target = int(edges.source[row]), int(edges.target[row])
            self._above[source].append(target)
            self._under[target].append((source, int(edges.confidence[row]) != int(Confidence.GUESS)))

    def _descendants(self, owner: int) -> set[int]:
        found, todo = {owner}, [owner]
        while todo:
            for source, is_sure in self._under[todo.pop()]:
                if not is_sure:
                    raise Stopped(f"{self._target.said}: it is a guess which classes inherit it.", self._target.path)
                if source not in found:
                    found.add(source)
                    todo.append(source)
        return found

    def _related(self, owner: int) -> set[int]:
        found = self._descendants(owner)
        todo = list(found)
        while todo:
            for target in self._above[todo.pop()]:
                if target not in found and self._graph.kind(target) == "class":
                    found.add(target)
                    todo.append(target)
        return found

    def _check_protocols(self) -> None:
        """Raise Stopped if a protocol asks for the member: classes need not inherit it to be meant by it."""
        graph, target = self._graph, self._target
        for key in [key for key, name in enumerate(graph.names) if name == target.old and key != target.key]:
            owner = int(graph.parent[key])
            path = place(graph, file_of(graph, owner)) if graph.kind(owner) == "class" else ""
            file = self._read(path) if path else None
            names = tuple(place(graph, owner).partition("::")[2].split("."))
            for node in file.definitions(names) if file is not None else ():
                bases = node.bases if isinstance(node, ast.ClassDef) else []
                if any(last_name(one.value if isinstance(one, ast.Subscript) else one) == "Protocol" for one in bases):
                    raise Stopped(f"{target.said}: the protocol {node.name} in {path} has it, too.", target.path)

    def _node(self, key: int) -> _Class:
        """(path, definition) of a class of the graph."""
        graph, target = self._graph, self._target
        said = place(graph, key)
        path = place(graph, file_of(graph, key))
        file = self._read(path)
        names = tuple(said.partition("::")[2].split("."))
        nodes = file.definitions(names) if file is not None else []
        if len(nodes) != 1 or not isinstance(nodes[0], ast.ClassDef):
            raise Stopped(f"{target.said}: {said}, of the same family, is not found in the text.", target.path)
        return path, nodes[0]

    def _check(self, key: int, path: str, node: ast.ClassDef, *, is_owner: bool) -> None:
        """Raise Stopped if a class of the family has the member, too, or bases that nobody knows."""
        target = self._target
        file = self._read(path)
        assert file is not None
        scope = file.scoped.inside[node]
        names = (target.new,) if is_owner else (target.old, target.new)
        for name in names:
            if scope.bound[name]:
                raise Stopped(
                    f"{target.said}: {node.name} in {path}, of the same family, has {name}, too.", target.path
                )
        for one in computed_names(file.source):
            around = file.scoped.scope[one.of]
            if one.start or not isinstance(one.of, ast.Name):
                continue
            holder = around.binding(one.of.id)
            if holder is not None and _own_class(holder, one.of.id) is node:
                raise Stopped(f"{target.said}: {node.name} asks itself for computed names at {path}:{one.line}.", path)
        if node.keywords:
            raise Stopped(
                f"{target.said}: {node.name} in {path} has a metaclass or arguments that may use the name.", path
            )
        known = sum(above in self._nodes for above in self._above[key])
        for base in node.bases:
            name = last_name(base.value if isinstance(base, ast.Subscript) else base)
            there = getattr(builtins, name, None)
            if name in _PLAIN_BASES:
                continue
            if isinstance(there, type) and not hasattr(there, target.old) and not hasattr(there, target.new):
                continue
            known -= 1
            if known < 0:
                raise Stopped(f"{target.said}: the base {name} of {node.name} in {path} may have it, too.", target.path)


def check_own_name(graph: Graph, target: RenamedDefinition, read: Callable[[str], WordFile | None]) -> None:
    """Raise Stopped for a class that asks for its own name, or inherits one that does."""
    edges = graph.edges
    kind = edges.kind_names.index("inherit") if "inherit" in edges.kind_names else -1
    found, todo = {target.key}, [target.key]
    while todo:
        key = todo.pop()
        path = place(graph, file_of(graph, key))
        file = read(path) if graph.kind(key) == "class" else None
        for node in (
            file.definitions(tuple(place(graph, key).partition("::")[2].split("."))) if file is not None else ()
        ):
            for line in own_names(node) if isinstance(node, ast.ClassDef) else ():
                raise Stopped(f"{target.said}: {path}:{line} asks for the name of the class.", target.path)
        above = edges.target[(edges.source == key) & (edges.kind == kind)].tolist()
        todo += [other for other in above if other not in found]
        found.update(above)


def _own_class(holder: LexicalScope, name: str) -> ast.ClassDef | None:
    """The class that `name` is an instance of, or the class itself: the first parameter of one of its methods."""
    node, above = holder.node, holder.above
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or above is None or above.kind != "class":
        return None
    arguments = [*node.args.posonlyargs, *node.args.args]
    if not arguments or arguments[0].arg != name or holder.bound[name] != 1:
        return None
    if any(last_name(decorator) == "staticmethod" for decorator in node.decorator_list):
        return None
    assert isinstance(above.node, ast.ClassDef)
    return above.node
