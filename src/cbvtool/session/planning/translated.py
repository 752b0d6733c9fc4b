"""What is planned in a hierarchy of packages, said in folders: pure functions from operations to operations.

Files and definitions are the same nodes in both graphs. A package is a folder, or one folder below each of several
source roots (`src/main/java`, `src/test/java`): what is done to it is done to all of them. What goes into a package
goes to its folder below the source root where it lies already; if there is no such folder, it is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from cbvtool.graph import Graph
from cbvtool.hierarchies.classes import OTHER, GroupPath
from cbvtool.hierarchies.folders import PackageFolders
from cbvtool.hierarchies.workspace import MANIFESTS
from cbvtool.plan import (
    CONTAINERS,
    Create,
    Extract,
    Merge,
    Move,
    Operation,
    Refused,
    Remove,
    Rename,
    Split,
    check_all,
    clash_of,
    pulled_out,
    refusal_of,
    split_relations,
    with_nodes,
)
from cbvtool.plan.naming.language_names import package_refusal
from cbvtool.plan.operations import creations, nodes_of

_DOTTED = frozenset({"java", "jvm", "python"})  # languages in which a dot stands between a package and one in it
_NEW = "plan:new/"  # begins what stands for the ids of folders that are made on the way


@dataclass(frozen=True)
class FolderPlace:
    """A folder where something could go.

    root    id of its source root, by which it is chosen
    path    of the folder
    is_new  it would be made
    """

    root: str
    path: str
    is_new: bool


@dataclass(frozen=True)
class FolderOperations:
    """Operations on folders.

    made    what stands for the ids of folders that they make beside those that were asked for
    places  where it could go, where the source root does not decide; the first is taken unless another is chosen
    """

    operations: tuple[Operation, ...]
    made: tuple[str, ...] = ()
    places: tuple[FolderPlace, ...] = ()

    def named(self, ids: Iterable[str]) -> tuple[Operation, ...]:
        """The operations with ids of their own for the folders that they make."""
        return named(self.operations, self.made, ids)


def named(operations: Iterable[Operation], made: Sequence[str], ids: Iterable[str]) -> tuple[Operation, ...]:
    """The operations with `ids` in place of what stands for the nodes that they make."""
    given = dict(zip(made, ids, strict=False))
    return tuple(with_nodes(operation, given) for operation in operations)


def translated(operations: Sequence[Operation], where: PackageFolders, place: str = "") -> FolderOperations:
    """Operations on the regrouped graph, as operations on that of folders.

    place  id of the source root that was chosen among `places`; empty = the first

    Operations about folders, as proposals may be, stay as they are. Raises Refused for what cannot be said in folders,
    or cannot be done.
    """
    shown, folders = where.grouped, where.folders
    made = creations(operations)
    nodes = [node for operation in operations for node in nodes_of(operation) if node not in made]
    if any(_is_hidden(node, shown, folders) for node in nodes):
        return FolderOperations(tuple(operations))
    if refusal := check_all(operations, shown):
        raise Refused(refusal)
    translation = _Translation(where, place)
    for operation in operations:
        _must_be_free(operation, where)
        translation.add(operation)
    found = translation.finished()
    if refusal := refusal_of(found.operations, folders):
        raise Refused(refusal)
    return found


def no_place_for_files(package: GroupPath) -> str:
    """Why no file can be put into a package, in one sentence; empty = it can."""
    if package == (OTHER,):
        return "What lies in no package has no folder of its own: plan that in the folders."
    return "" if package else "The top level holds packages only: put it into one of them."


def _is_hidden(node: str, shown: Graph, folders: Graph) -> bool:
    """Whether a node is a folder, which the hierarchy of packages does not show."""
    key, other = folders.key_of.get(node, -1), shown.key_of.get(node, -1)
    return key >= 0 and key != folders.root and (other < 0 or (shown.parent[other] < 0))


def _must_be_free(operation: Operation, where: PackageFolders) -> None:
    """Packages of one name in one package would become one: that is a merge. Files have folders of their own."""
    shown = where.grouped
    match operation:
        case Move():
            groups = tuple(node for node in operation.nodes if where.is_group(shown.key_of[node]))
            reason = clash_of(replace(operation, nodes=groups), shown) if groups else None
        case Create():
            reason = clash_of(operation, shown) if operation.kind in CONTAINERS else None
        case Rename(node):
            reason = clash_of(operation, shown) if where.is_group(shown.key_of[node]) else None
        case Remove() | Merge() | Split() | Extract():
            reason = None
        case _:
            assert_never(operation)
    if reason:
        raise Refused(reason)


class _Translation:
    def __init__(self, where: PackageFolders, place: str) -> None:
        self._where = where
        self._shown, self._folders = where.grouped, where.folders
        self._place = where.folders.key_of.get(place, -1)
        self._operations: list[Operation] = []
        self._made: list[str] = []
        self._places: tuple[FolderPlace, ...] = ()
        self._new: dict[str, GroupPath] = {}  # packages that were asked for, by the id of their creation
        self._inside: set[str] = set()  # ids of files and definitions that were asked for
        self._taken: dict[GroupPath, str] = {}  # those of them whose id has become that of a folder
        self._there: dict[tuple[int, GroupPath], str] = {}  # (source root, path below it) -> id of a folder made here

    def finished(self) -> FolderOperations:
        """All of it. A package that nothing went into is made where its neighbours are."""
        for node, path in self._new.items():
            if path not in self._taken:
                self._folder_below(self._usual_root(path[:-1]), path, node)
        return FolderOperations(tuple(self._operations), tuple(self._made), self._places)

    def add(self, operation: Operation) -> None:
        """Translate the next operation."""
        match operation:
            case Move(nodes, target):
                self._move(nodes, target)
            case Create():
                self._create(operation)
            case Remove(nodes):
                self._operations.append(Remove(tuple(one for node in nodes for one in self._whole(node, "removed"))))
            case Rename(node, name):
                self._rename(node, name)
            case Merge(source, target):
                self._merge(source, target)
            case Split():
                self._split(operation)
            case Extract(container, partner, target):
                self._move(pulled_out(container, partner, self._shown), target)
            case _:
                assert_never(operation)

    # -- operations

    def _move(self, nodes: Sequence[str], target: str) -> None:
        package = self._package(target)
        if package is None:
            self._operations.append(Move(tuple(one for node in nodes for one in self._whole(node, "moved")), target))
            return
        going: dict[str, list[str]] = {}
        for node in nodes:
            key = self._shown.key_of[node]
            if self._where.is_group(key):
                for root, folder in self._folders_of(key, "moved").items():
                    into = self._folder_below(self._root_for(root, package), package)
                    going.setdefault(into, []).append(self._folders.ids[folder])
            elif self._shown.ids[int(self._shown.parent[key])] != target:
                going.setdefault(self._folder_for(key, package), []).append(node)
        self._operations += [Move(tuple(moved), into) for into, moved in going.items()]

    def _create(self, operation: Create) -> None:
        package = self._package(operation.parent)
        if package is not None and operation.kind in CONTAINERS:
            self._new[operation.node] = (*package, *self._new_parts(package, operation.name))
            return
        self._inside.add(operation.node)
        if package is None:
            self._operations.append(operation)
        elif not package:
            raise Refused("The top level holds packages only: make it in one of them.")
        else:
            parent = self._folder_below(self._usual_root(package), package)
            self._operations.append(replace(operation, parent=parent))

    def _new_parts(self, package: GroupPath, name: str) -> GroupPath:
        """The packages that a new one is made of, by its name: one in another where a dot stands between packages."""
        language = self._language_in(package)
        parts = tuple(name.split(".")) if language in _DOTTED else (name,)
        if not all(parts):
            raise Refused(f"{name} is no name of a package: something must stand before and after each dot.")
        refused = (package_refusal(part, language) for part in parts)
        if reason := next((reason for reason in refused if reason), ""):
            raise Refused(reason)
        if self._where.of((*package, *parts)):
            raise Refused(f"There is a package {'.'.join((*package, *parts))} already.")
        return parts

    def _language_in(self, package: GroupPath) -> str:
        """The language of what is made in a package, by its folder or that of one around it.

        At the top level it is that of most packages there: files that lie in none may be in another one.
        """
        where = self._where
        for number in range(len(package), 0, -1):
            if folders := where.of(package[:number]):
                return where.names.language(next(iter(folders.values())))
        groups = [key for key in self._shown.children(self._shown.root).tolist() if where.is_group(key)]
        homes = [next(iter(where.of(where.outermost(key)).values()), -1) for key in groups]
        counts = Counter(where.names.language(home) for home in homes if home >= 0)
        return max(counts, key=lambda language: (counts[language], language), default="")

    def _rename(self, node: str, name: str) -> None:
        key = self._shown.key_of[node]
        if not self._where.is_group(key):
            self._must_be_file(key, "renamed")
            self._operations.append(Rename(node, name))
            return
        outer, path = self._where.outermost(key), self._where.path_of(key)
        old = path[len(outer) - 1 :]
        new: GroupPath = (name,)
        if len(old) > 1:
            new = tuple(name.split("."))
            if len(new) != len(old):
                raise Refused(f"{self._shown.names[key]} is {len(old)} folders: give it a name of {len(old)} parts.")
        folders = self._folders_of(key, "renamed")
        language = self._where.names.language(next(iter(folders.values())))
        if language in _DOTTED and any("." in part for part in new):
            raise Refused(package_refusal(name, language))
        for number, (before, after) in enumerate(zip(old, new, strict=True)):
            if before != after:
                found = self._where.of(path[: len(outer) + number]).values()
                self._operations += [Rename(self._folders.ids[folder], after) for folder in found]

    def _merge(self, source: str, target: str) -> None:
        key, package = self._shown.key_of[source], self._package(target)
        if package is None or not self._where.is_group(key):
            self._must_be_file(key, "merged")
            self._operations.append(Merge(source, target))
            return
        path = self._where.path_of(key)
        tops = self._folders_of(key, "merged")
        for root, folder in self._where.of(path).items():
            into = self._folder_below(self._root_for(root, package), package)
            self._operations.append(Merge(self._folders.ids[folder], into))
            if (top := tops[root]) != folder and not self._files_beside(top, folder):
                self._operations.append(Remove((self._folders.ids[top],)))

    def _split(self, split: Split) -> None:
        via, package = split.via, self._package(split.via)
        sources, targets = self._ends(split.source), self._ends(split.target)
        pairs = [(one, other) for one in sources for other in targets if self._depends(one, other)]
        if package is not None:
            if refused := no_place_for_files(package):
                raise Refused(refused)
            homes = [self._where.home(self._folders.key_of[node]) for pair in pairs for node in reversed(pair)]
            roots = [home.root for home in homes if home is not None and home.root in self._where.of(package)]
            root = roots[0] if roots else self._usual_root(package)
            via = self._folder_below(root, package)
        self._operations += [replace(split, source=one, target=other, via=via) for one, other in pairs]

    def _ends(self, node: str) -> tuple[str, ...]:
        """The folders of a package, or the node itself."""
        key = self._shown.key_of[node]
        if not self._where.is_group(key):
            return (node,)
        return tuple(self._folders.ids[folder] for folder in self._where.of(self._where.outermost(key)).values())

    def _depends(self, one: str, other: str) -> bool:
        try:
            return bool(split_relations(one, other, self._folders))
        except Refused:
            return False

    # -- packages and folders

    def _package(self, node: str) -> GroupPath | None:
        """The path of a package that something goes into; None = the node is none. Raises Refused for no place."""
        if node in self._new or node in self._inside:
            return self._new.get(node)
        key = self._shown.key_of[node]
        if not self._where.is_group(key):
            if self._shown.kind(key) in CONTAINERS:
                raise Refused(f"{self._shown.names[key]} stands for a folder that holds no package.")
            return None
        path = self._where.path_of(key)
        if path == (OTHER,):
            raise Refused(no_place_for_files(path))
        return path

    def _whole(self, node: str, what: str) -> tuple[str, ...]:
        """The folders of a package, or the node itself."""
        key = self._shown.key_of[node]
        if not self._where.is_group(key):
            self._must_be_file(key, what)
            return (node,)
        return tuple(self._folders.ids[folder] for folder in self._folders_of(key, what).values())

    def _must_be_file(self, key: int, what: str) -> None:
        name = self._shown.names[key]
        if self._shown.kind(key) in CONTAINERS:
            raise Refused(f"{name} is the folder of its package: the package can be {what}.")
        if name in MANIFESTS and self._shown.kind(key) == "file" and self._where.home(key) is not None:
            raise Refused(f"{name} makes its folder a package: the package can be {what}.")

    def _folders_of(self, key: int, what: str) -> dict[int, int]:
        """Source root -> outermost folder of a package. Raises Refused where a folder is not the package's own."""
        name, path = self._shown.names[key], self._where.outermost(key)
        if path == (OTHER,):
            raise Refused(f"{name} is no package, so it cannot be {what}.")
        found = self._where.of(path)
        if not found or self._folders.root in found.values():
            raise Refused(f"{name} is the folder of the whole project, which cannot be {what}.")
        return found

    def _files_beside(self, top: int, folder: int) -> bool:
        graph = self._folders
        return any(graph.kind(key) == "file" and not graph.is_below(key, folder) for key in graph.subtree(top).tolist())

    def _folder_for(self, key: int, package: GroupPath) -> str:
        """The folder that a file goes to when it is put into a package."""
        self._must_be_file(key, "moved")
        name, home = self._folders.names[key], self._where.home(key)
        if refused := no_place_for_files(package):
            raise Refused(refused)
        root = self._usual_root(package) if home is None else self._root_for(home.root, package)
        inside = () if home is None else home.inside
        into = self._folder_below(root, (*package, *inside), package=package)
        there = self._where.of(package).get(root)
        if there is not None and (found := self._where.names.of_file(there, name)) != package:
            place = self._where.names.place(there) or self._folders.name
            which = "no package" if found == (OTHER,) else f"the package {'.'.join(found)}"
            raise Refused(f"{name} would be in {which} if it lay in {place}.")
        return into

    def _root_for(self, root: int, package: GroupPath) -> int:
        """The source root below which something goes from `root`: the same, unless the package lies below others."""
        there = self._where.of(package)
        if root in there or package in self._new.values():
            return root
        tests = self._where.is_test(root)
        others = [one for one in there if self._where.is_test(one) == tests]
        return self._asked([root, *others], package) if others else root

    def _usual_root(self, package: GroupPath) -> int:
        """The source root of what comes from none."""
        near = next(path for n in range(len(package), -1, -1) if self._where.of(path := package[:n]) or not path)
        return self._asked(list(self._where.of(near)) or [self._folders.root], package)

    def _asked(self, roots: list[int], package: GroupPath) -> int:
        """The one of several source roots that is chosen; they are told, to choose from."""
        if len(roots) > 1 and not self._places:
            self._places = tuple(self._place_of(root, package) for root in roots)
        if self._place < 0 or self._place in roots:
            return self._place if self._place in roots else roots[0]
        above = self._folders.ancestors(self._place)
        return max(roots, key=lambda root: len(set(above) & set(self._folders.ancestors(root))))

    def _place_of(self, root: int, package: GroupPath) -> FolderPlace:
        """The folder of a package below a source root, for people."""
        found = self._where.of(package).get(root)
        path = "/".join((self._where.names.place(root), *package)).lstrip("/")
        known = "" if found is None else self._where.names.place(found) or self._folders.name
        return FolderPlace(self._folders.ids[root], known or path, found is None)

    def _folder_below(self, root: int, path: GroupPath, node: str = "", package: GroupPath | None = None) -> str:
        """Id of the folder `path` below a source root; it is made where it is not there.

        node     its id if it is made
        package  the part of `path` that is a package, if not all
        """
        package = path if package is None else package
        found = self._where.of(package).get(root)
        if found is None and (root, path) in self._there:
            return self._there[root, path]
        key, known = (root, 0) if found is None else (found, len(package))
        if found is None:
            for number in range(len(package) - 1, 0, -1):
                if (above := self._where.of(package[:number]).get(root)) is not None:
                    key, known = above, number
                    break
        parent = self._folders.ids[key]
        for number in range(known, len(path)):
            here = path[: number + 1]
            name = path[number]
            same = [
                child
                for child in (self._folders.children(key).tolist() if key >= 0 else ())
                if self._folders.names[child] == name and self._folders.kind(child) in CONTAINERS
            ]
            if same:
                key, parent = same[0], self._folders.ids[same[0]]
                continue
            key = -1
            if (root, here) not in self._there:
                new = node if node and here == path else self._next_id(here)
                self._operations.append(Create(new, parent, name, "package" if number < len(package) else "folder"))
                self._there[root, here] = new
            parent = self._there[root, here]
        return parent

    def _next_id(self, path: GroupPath) -> str:
        """The id of a folder to be made: that of the package that was asked for, or what stands for another one."""
        asked = next((node for node, made in self._new.items() if made == path and path not in self._taken), None)
        if asked is not None:
            self._taken[path] = asked
            return asked
        self._made.append(f"{_NEW}{len(self._made)}")
        return self._made[-1]
