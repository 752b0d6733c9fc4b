"""From the tasks of a plan to where every file goes, task by task."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from cbvtool.apply.python.modules import ModuleTree
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.python.relocation import INIT
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import REMOVED, Graph
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.lower import run
from cbvtool.plan.place import place
from cbvtool.plan.primitives import AddEdge, CutEdge, MoveTo, Primitive, RenameNode

DEFINITIONS = frozenset({"class", "function"})  # kinds of nodes that can get another name inside of files


@dataclass(frozen=True, eq=False)
class FilePlaces:
    """Where the files of a repository are after some tasks.

    new     old path -> new path, None = it is gone
    joined  path today of an `__init__.py` that gives way, since its package becomes one with another one -> new path of
            that one's
    """

    new: Mapping[str, str | None]
    joined: Mapping[str, str]


def state(base: Graph, primitives: Sequence[Primitive], *, last: bool) -> Graph:
    """The graph after these primitives.

    last  no task follows; else what has the place of something that has still to leave gets a temporary name

    Raises Stopped if they need a task that is left out.
    """
    wanted = [one for one in dict.fromkeys(primitives) if not isinstance(one, AddEdge | CutEdge)]
    try:
        graph = run(base, wanted).graph
    except ValueError as error:  # a primitive does not fit
        raise Stopped("It builds on a task that is left out.") from error
    if last:
        return graph
    names = list[RenameNode]()
    for node in dict.fromkeys(one.node for one in wanted if isinstance(one, MoveTo | RenameNode)):
        key = graph.key_of.get(node)
        if key is None or graph.names[key] == INIT:  # two of these become one, or have no place for good
            continue
        same = [
            other for other in graph.children(int(graph.parent[key])).tolist() if graph.names[other] == graph.names[key]
        ]
        if len(same) > 1 and not any(graph.ids[other] in {one.node for one in names} for other in same):
            path = PurePosixPath(graph.names[key])
            names.append(RenameNode(node, f"{path.stem}_meanwhile{path.suffix}"))
    return run(base, [*wanted, *names]).graph if names else graph


def file_places(base: Graph, graph: Graph, tree: FileTree) -> FilePlaces:
    """Where each file of the repository is in `graph`, which is `base` after some steps.

    A file that the graph does not know (a link, or what the settings exclude) goes with the folder that it lies in, or
    with what that holds where the folder is dissolved. Raises Stopped where nobody can say where that is.

    tree  the files before
    """
    folders: dict[str, str | None] = {}
    found: dict[str, str | None] = {}
    for path in tree.paths:
        if path in base.key_of and base.kind(base.key_of[path]) == "file":
            found[path] = _place(graph, base.key_of[path])
            continue
        above, _, name = path.rpartition("/")
        rest = name
        while above and above not in base.key_of:
            above, _, folder = above.rpartition("/")
            rest = f"{folder}/{rest}"
        if above not in folders:
            folders[above] = _folder_place(base, graph, base.key_of[above], path) if above else ""
        new = folders[above]
        found[path] = None if new is None else f"{new}/{rest}" if new else rest
    for path, new in found.items():
        if new == INIT != path and not _says_something(tree, path):  # the top folder is no package
            found[path] = None
    joined = _joined(base, graph, tree, found)
    return FilePlaces({path: None if path in joined else new for path, new in found.items()}, joined)


def _folder_place(base: Graph, graph: Graph, key: int, path: str) -> str | None:
    """Where the file at `path`, which the graph does not know, finds the folder that it lies in; None = it is gone."""
    if graph.parent[key] != REMOVED:
        return place(graph, key)
    above = {int(graph.parent[child]) for child in base.children(key).tolist()} - {REMOVED}
    if len(above) > 1:
        raise Stopped(f"{path} lies in a folder whose content goes to several places: move it by hand first.", path)
    return _above(graph, above.pop()) if above else None


def _above(graph: Graph, key: int) -> str:
    return "" if key == graph.root else place(graph, key)


def _joined(base: Graph, graph: Graph, tree: FileTree, found: Mapping[str, str | None]) -> dict[str, str]:
    """The `__init__.py` files without a statement in them that would have the place of another one, see `FilePlaces`.

    Of two that say nothing the one stays whose package does.
    """
    together: dict[str, list[str]] = {}
    for path, new in found.items():
        if new is not None and path.rpartition("/")[2] == INIT:
            together.setdefault(new, []).append(path)
    joined = dict[str, str]()
    for new, paths in together.items():
        if len(paths) < 2:
            continue
        best = min(paths, key=lambda path: (not _says_something(tree, path), _is_moved(base, graph, path), path))
        joined |= {path: new for path in paths if path != best and not _says_something(tree, path)}
    return joined


def _is_moved(base: Graph, graph: Graph, path: str) -> bool:
    key = base.key_of.get(path)
    return key is not None and graph.parent[key] != base.parent[key]


def _says_something(tree: FileTree, path: str) -> bool:
    """Whether a Python file has more than comments and a text."""
    source = tree.read(path)
    return source is None or not all(
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in source.tree.body
    )


def must_have_places(base: Graph, graph: Graph, places: FilePlaces) -> None:
    """Raise Stopped where two files would have one place in the end, or a file that of a folder.

    graph  that after all tasks; on the way there files get names of their own
    """
    old_of: dict[str, str] = {}
    for path, new in sorted(places.new.items(), key=lambda item: (item[0] != item[1], item[0])):
        if new is not None and (other := old_of.setdefault(new, path)) != path:
            raise Stopped(f"{path} cannot become {new}: that name is taken by {other}.", path)
    for new in made_files(graph, base):
        if new in old_of:
            raise Stopped(f"{new} cannot be made: that name is taken by {old_of[new] or 'another new file'}.")
        old_of[new] = ""
    folders = {new[:at]: new for new in old_of for at, sign in enumerate(new) if sign == "/"}
    for new, path in old_of.items():
        if new in folders:
            inside = old_of[folders[new]] or folders[new]
            raise Stopped(f"{path or new} and the folder of {inside} would both be {new}: rename one of them.", path)


def made_along(before: Graph, after: Graph, files: Iterable[str]) -> dict[str, str | None]:
    """Where files go that the plan made in the state `before`: path there -> path in the state `after`, None = gone.

    They go with their own node, or with the folder that they lie in.
    """
    listed = list(files)
    if not listed:
        return {}
    kinds = CONTAINERS | {"file"}
    keys = {place(before, key): key for key in before.key_of.values() if before.kind(key) in kinds}
    found: dict[str, str | None] = {}
    for path in listed:
        above, rest = path, ""
        while above and above not in keys:
            above, _, name = above.rpartition("/")
            rest = f"/{name}{rest}"
        new = _place(after, keys[above]) if above else ""
        found[path] = None if new is None else (new + rest).lstrip("/")
    return found


def _place(graph: Graph, key: int) -> str | None:
    return None if graph.parent[key] == REMOVED else place(graph, key)


def made_packages(graph: Graph, base: Graph) -> list[str]:
    """FilePlaces of the packages that the plan makes."""
    return [place(graph, key) for key in _made(graph, base, "package")]


def made_files(graph: Graph, base: Graph) -> list[str]:
    """FilePlaces of the files that the plan makes."""
    return [place(graph, key) for key in _made(graph, base, "file")]


def bare_packages(graph: Graph, base: Graph, places: FilePlaces) -> frozenset[str]:
    """Ids of the packages of Python that the plan makes, and puts no file into; `graph` is that after all tasks."""
    files = [*(new for new in places.new.values() if new is not None), *made_files(graph, base)]
    full = {new[:at] for new in files for at, sign in enumerate(new) if sign == "/"}
    packages = ModuleTree(files).packages
    around = {"/".join(folder) for package in packages for folder in (package, package[:-1])}
    found = set[str]()
    for key in _made(graph, base, "package"):
        here = place(graph, key)
        if here not in full and here.rpartition("/")[0] in around:
            found.add(graph.ids[key])
            around.add(here)
    return frozenset(found)


def _made(graph: Graph, base: Graph, kind: str) -> list[int]:
    return [key for key in range(len(base), len(graph)) if graph.kind(key) == kind and graph.parent[key] != REMOVED]
