"""What a task must not ask for: kinds of work that are done by hand, files that stay, names that no file can have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import assert_never

from cbvtool.apply.languages import are_rewritten, is_spliced
from cbvtool.apply.places import DEFINITIONS
from cbvtool.apply.python.relocation import INIT
from cbvtool.apply.source import is_python
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import EXTERNAL, REMOVED, Graph
from cbvtool.plan.containment import CONTAINERS
from cbvtool.plan.place import file_of, place
from cbvtool.plan.primitives import AddEdge, CreateNode, CutEdge, MoveTo, RemoveNode, RenameNode
from cbvtool.plan.task import Task
from cbvtool.rules import dependencies

_FILES = CONTAINERS | {"file"}
_BY_PLACE = frozenset(
    {INIT, "__main__.py", "conftest.py", "setup.py"}
)  # Python, pip and pytest find them by their places
_LONGEST = 255  # bytes of a name, as most file systems have it
_GITS_OWN = frozenset({".git", "git~1"})
_WORDS = {MoveTo: ("move", "moved"), RenameNode: ("rename", "renamed"), RemoveNode: ("remove", "removed")}


def check_task(base: Graph, target: Graph, task: Task, more: Sequence[RemoveNode], paths: Iterable[str]) -> None:
    """Raise Stopped for a task about something else than files and folders, or about files that must stay.

    target  the graph after all tasks
    more    what is removed with it
    paths   of all files of the repository
    """
    is_merge = task.kind == "merge"
    if is_merge:
        _check_merge(base, task)
    for primitive in (*task.primitives, *more):
        match primitive:
            case AddEdge() | CutEdge():
                if not is_merge:
                    raise Stopped("It changes relations between files, which is done by hand.")
            case CreateNode(_, _, name, kind):
                if kind not in _FILES:
                    raise Stopped(f"It makes {_a(kind)}, {name}, which is done by hand.")
                _check_name(name)
            case MoveTo(node) | RenameNode(node) | RemoveNode(node):
                if node in base.key_of:
                    key = base.key_of[node]
                    leaves = is_merge and target.parent[base.parent[key]] == REMOVED
                    _check_node(base, key, primitive, with_folder=leaves)
                    _must_be_known(base, key, paths)
            case _:
                assert_never(primitive)


def _check_merge(base: Graph, task: Task) -> None:
    for one in task.primitives:
        if isinstance(one, RemoveNode) and base.kind(base.key_of[one.node]) not in CONTAINERS:
            what = "file" if base.kind(base.key_of[one.node]) == "file" else "definition"
            raise Stopped(f"{task.before} and {task.after} would become one {what}: join their code by hand.")


def _check_node(base: Graph, key: int, primitive: MoveTo | RenameNode | RemoveNode, *, with_folder: bool) -> None:
    kind, path, name = base.kind(key), place(base, key), base.names[key]
    if isinstance(primitive, RenameNode) and kind in DEFINITIONS:
        return
    do, done = _WORDS[type(primitive)]
    if kind == EXTERNAL:
        raise Stopped(f"{name} lies outside the project, so it cannot be {done}.")
    if kind not in _FILES:
        raise Stopped(f"{path} is {_a(kind)}: {do} it by hand.")
    if kind == "file" and name in _BY_PLACE and not with_folder:
        raise Stopped(f"{path} is found by its name and place, so it cannot be {done} alone.", path)
    if isinstance(primitive, RenameNode):
        _check_name(primitive.name)
        if primitive.name in _BY_PLACE:
            raise Stopped(f"{path} cannot be called {primitive.name}, which has a meaning of its own.", path)
        old, new = PurePosixPath(name).suffix, PurePosixPath(primitive.name).suffix
        if kind == "file" and old != new and (old.casefold() != new.casefold() or is_spliced(name)):
            raise Stopped(f"{path} would be a file of another kind as {primitive.name}.", path)


def _check_name(name: str) -> None:
    """Raise Stopped for a name that no file in a repository can have."""
    if name.casefold() in _GITS_OWN:
        raise Stopped(f"Nothing can be called {name}, for that name is git's own.")
    if any("\ud800" <= sign <= "\udfff" for sign in name):
        raise Stopped(f"The name {name!a} is not valid text: choose another one.")
    if len(name.encode()) > _LONGEST:
        raise Stopped(f"The name {name[:20]}... is too long for a file.")


def _must_be_known(base: Graph, key: int, paths: Iterable[str]) -> None:
    """Raise Stopped for a file or folder whose path git has otherwise, since it is not valid text."""
    if base.kind(key) not in _FILES:
        return
    node = base.ids[key]
    if not any(path == node or path.startswith(f"{node}/") for path in paths):
        raise Stopped(f"The path of {node} is not UTF-8: rename it by hand first.", node)


def _a(kind: str) -> str:
    return f"{'an' if kind[:1] in 'aeiou' else 'a'} {kind}"


def check_languages(base: Graph, places: Mapping[str, str | None]) -> None:
    """Raise Stopped for files whose languages are not rewritten: one that is removed while another one uses it.

    And for one that moves away from what it uses, or is used by.
    """
    edges = base.edges
    rows = dependencies(base, type_checking=True)
    moving: dict[int, str] = {}
    for path, new in places.items():
        if path != new and not is_python(path) and path in base.key_of:
            for key in base.subtree(base.key_of[path]).tolist():
                moving[key] = path
    if not moving:
        return
    for source, target in zip(edges.source[rows].tolist(), edges.target[rows].tolist(), strict=True):
        path = moving.get(source) or moving.get(target, "")
        importer, imported = file_of(base, source), file_of(base, target)
        if not path or importer < 0 or imported < 0:  # what is outside of the folder stays where it is
            continue
        user, used = base.ids[importer], base.ids[imported]
        if places.get(user, user) is None or are_rewritten(user, used):
            continue
        if places.get(used, used) is None:
            raise Stopped(f"{user} uses {used}, which would be gone.", used)
        raise Stopped(
            f"{path} cannot be moved with what names it, for that is not done in its language: move it by hand.", path
        )
