"""Names that a person gives to what a plan makes, renames or moves, and that the language of the code does not have.

Only where it is beyond doubt: what could be carried out is refused nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import assert_never

from cbvtool.graph import Graph
from cbvtool.hierarchies.packages import package_names
from cbvtool.plan.containment import CONTAINERS, PARTS
from cbvtool.plan.lower import Refused, split_relations
from cbvtool.plan.naming.language_names import is_java_name, is_python_name, package_refusal
from cbvtool.plan.operations import Create, Extract, Merge, Move, Operation, Remove, Rename, Split
from cbvtool.plan.place import file_of

_INIT = "__init__.py"
_MADE = "plan:"  # begins the ids of what a plan makes
_JAVA, _JVM = ".java", (".java", ".kt", ".kts", ".scala", ".groovy")
_SAYS = frozenset({"module-info", "package-info"})  # files of Java that hold no type


def name_refusal(operation: Operation, graph: Graph) -> str:
    """Why a name that an operation gives cannot be one, in one sentence; empty = it can.

    graph  in the hierarchy of folders
    """
    match operation:
        case Create(_, parent, name, kind):
            key = graph.key_of.get(parent)
            return "" if key is None else _new(graph, key, name, kind)
        case Rename(node, name):
            key = graph.key_of.get(node)
            return "" if key is None or name == _today(graph, key) else _renamed(graph, key, name)
        case Move(nodes, target):
            return _moved(graph, [graph.key_of[node] for node in nodes if node in graph.key_of], target)
        case Split(_, _, via, _, name):
            key = graph.key_of.get(via)
            if key is None or graph.kind(key) not in CONTAINERS or (name and not name.endswith(_JAVA)):
                return ""
            return SplitPlaces(operation, graph).refusal(key, name)
        case Remove() | Merge() | Extract():
            return ""
        case _:
            assert_never(operation)


class SplitPlaces:
    """Where the new file of a split can lie, as far as its language says: in no package of Java nothing sees it."""

    def __init__(self, split: Split, graph: Graph) -> None:
        self._graph, self._names = graph, package_names(graph)
        try:
            pairs = split_relations(split.source, split.target, graph)
        except Refused:  # that is told by others
            pairs = []
        files = {file_of(graph, key) for user, used, _ in pairs for key in (user, used)} - {-1}
        homes = {int(graph.parent[file]) for file in files if graph.names[file].endswith(_JAVA)}
        self._homes = [home for home in homes if self._outer(home) < self._depth(home)]  # of files in packages

    def refusal(self, folder: int, name: str = "") -> str:
        """Why the new file cannot lie in a folder, in one sentence; empty = it can."""
        if not any(self._is_outside(folder, home) for home in self._homes):
            return ""
        return (
            f"{name or 'The new file'} would be in no package there, so nothing in a package of Java could import it."
        )

    def _is_outside(self, folder: int, home: int) -> bool:
        """Whether a folder is beyond doubt none of a package, by that of a file in one."""
        names = self._names
        if names.below_sources(home):
            return not names.below_sources(folder)
        around = (home, *self._graph.ancestors(home))
        return folder in around and self._depth(folder) <= self._outer(home)

    def _outer(self, home: int) -> int:
        return self._names.outer_folders(home)

    def _depth(self, folder: int) -> int:
        place = self._names.place(folder)
        return place.count("/") + 1 if place else 0


def holds_java(graph: Graph, key: int) -> bool:
    """Whether a file of Java is, or lies in, this."""
    return any(graph.kind(one) == "file" and graph.names[one].endswith(_JAVA) for one in graph.subtree(key).tolist())


def _new(graph: Graph, parent: int, name: str, kind: str) -> str:
    if kind == "package":
        return package_refusal(name, package_names(graph).language(parent))
    if kind == "file":
        stem = name.removesuffix(_JAVA)
        return "" if stem == name or stem in _SAYS or is_java_name(stem) else _no_name(name, stem, "Java")
    return _definition(graph, parent, name) if kind in PARTS else ""


def _renamed(graph: Graph, key: int, name: str) -> str:
    kind, old = graph.kind(key), graph.names[key]
    if kind in PARTS:
        return _definition(graph, key, name)
    if kind == "file":
        stem, new = PurePosixPath(old).stem, PurePosixPath(name).stem
        if old.endswith(_JAVA) and name.endswith(_JAVA):
            types = {graph.names[child] for child in graph.children(key).tolist()}
            return _no_name(name, new, "Java") if stem in types and not is_java_name(new) else ""
        is_python = old.endswith(".py") and name.endswith(".py")
        return _python(graph, key, new, name) if is_python and not _has_package(graph, key, stem) else ""
    return _folder(graph, key, name) if kind in CONTAINERS and graph.parent[key] >= 0 else ""


def _folder(graph: Graph, folder: int, name: str) -> str:
    names = package_names(graph)
    files = [key for key in graph.subtree(folder).tolist() if graph.kind(key) == "file"]
    if not files:
        return package_refusal(name, names.language(folder)) if graph.kind(folder) == "package" else ""
    depth = names.place(folder).count("/")
    jvm = [key for key in files if graph.names[key].endswith(_JVM)]
    inside = {int(graph.parent[key]): graph.names[key].endswith(_JAVA) for key in jvm}
    inside |= {int(graph.parent[key]): True for key in jvm if graph.names[key].endswith(_JAVA)}
    found = {is_java for home, is_java in inside.items() if 0 <= names.outer_folders(home) <= depth}
    if found and (refused := package_refusal(name, "java" if True in found else "jvm")):
        return refused
    has_init = any(graph.names[child] == _INIT for child in graph.children(folder).tolist())
    return _python(graph, folder, name, name) if has_init else ""


def _python(graph: Graph, key: int, word: str, name: str) -> str:
    """Python: what imports can name today must be one that they can name; a script may be called anything."""
    today = _today(graph, key)
    was = today.removesuffix(".py") if graph.kind(key) == "file" else today
    if is_python_name(word) or not was.isidentifier():
        return ""
    if graph.kind(key) == "file":
        return _no_name(name, word, "Python")
    return package_refusal(name, "python")


def _moved(graph: Graph, keys: Sequence[int], target: str) -> str:
    """Java: what moves into a folder is in the package of that name."""
    into = graph.key_of.get(target)
    if into is None or graph.kind(into) not in CONTAINERS:
        return ""
    names = package_names(graph)
    if names.is_source_root(into):
        files = [key for key in keys if graph.kind(key) == "file" and graph.names[key].endswith(_JAVA)]
        lost = [key for key in files if graph.ids[key].rpartition("/")[0] != names.place(into)]
        said = "would be in no package there, so nothing in a package could import it."
        return f"{graph.names[lost[0]]} {said}" if lost else ""
    words = names.below_sources(into).split("/")
    bad = next((word for word in words if word and not is_java_name(word)), "")
    if not bad or not any(holds_java(graph, key) for key in keys):
        return ""
    return f"{bad} can be no package: that is no name in Java."


def _definition(graph: Graph, key: int, name: str) -> str:
    file = file_of(graph, key)
    ending = PurePosixPath(graph.names[file]).suffix if file >= 0 else ""
    if ending in (".py", ".pyi") and not is_python_name(name):
        return _no_name(name, name, "Python")
    return _no_name(name, name, "Java") if ending == _JAVA and not is_java_name(name) else ""


def _no_name(name: str, word: str, language: str) -> str:
    return f"{name} cannot be the name: {word} is no name in {language}."


def _today(graph: Graph, key: int) -> str:
    """What a node is called in the code as it is; empty = a plan made it."""
    node = graph.ids[key]
    return "" if node.startswith(_MADE) else node.rpartition("/")[2]


def _has_package(graph: Graph, file: int, stem: str) -> bool:
    """Whether a package beside a module has its name, so that no import means the module."""
    beside = [key for key in graph.children(int(graph.parent[file])).tolist() if graph.names[key] == stem]
    return any(graph.names[child] == _INIT for key in beside for child in graph.children(key).tolist())
