"""The tasks of a plan, carried out one by one on the contents of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from cbvtool.apply.checks import check_languages, check_task
from cbvtool.apply.languages import is_spliced, relocated
from cbvtool.apply.places import (
    bare_packages,
    file_places,
    made_along,
    made_files,
    made_packages,
    must_have_places,
    state,
)
from cbvtool.apply.python.importing import Imports
from cbvtool.apply.python.modules import Module, ModuleTree, dotted, module_of
from cbvtool.apply.python.moving import FileTree, Moved, must_mean_what_it_did
from cbvtool.apply.python.relocation import INIT
from cbvtool.apply.python.spaces import misleading
from cbvtool.apply.removals import removed_with
from cbvtool.apply.renames.carrying import of_definitions, rename
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import REMOVED, Graph
from cbvtool.plan.place import place
from cbvtool.plan.primitives import Primitive, RemoveNode, RenameNode
from cbvtool.plan.task import Task
from cbvtool.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class Carried:
    """A task that is carried out.

    before  the tree before
    moved   what it did to the tree
    graph   the graph with the places that files have then
    more    what was removed with it
    """

    task: Task
    before: FileTree
    moved: Moved
    graph: Graph
    more: tuple[RemoveNode, ...] = ()

    @property
    def primitives(self) -> tuple[Primitive, ...]:
        """What it did."""
        return (*self.task.primitives, *self.more)


@dataclass(frozen=True)
class OmittedTask:
    """A task that cannot be carried out, and why."""

    task: Task
    reason: str


@dataclass(frozen=True, eq=False)
class Result:
    """What came of the tasks of a plan.

    start     the tree before
    tree      the tree after the last of them
    places    old path -> path in `tree`, None = gone
    joined    see `FilePlaces`
    carried   tasks that are carried out, in their order
    left_out  tasks that are not
    named     the tree before, where functions and classes have their new names; None = they have no others
    """

    start: FileTree
    tree: FileTree
    places: Mapping[str, str | None]
    joined: Mapping[str, str] = field(default_factory=dict)
    carried: tuple[Carried, ...] = ()
    left_out: tuple[OmittedTask, ...] = field(default=())
    named: FileTree | None = None

    @property
    def primitives(self) -> list[Primitive]:
        """All that was done, each once: what one task removes with its own a later one would remove."""
        return list(dict.fromkeys(one for carried in self.carried for one in carried.primitives))

    def new(self, module: Module) -> Module | None:
        """What a module is called afterwards; None = it is gone."""
        path = next((f for f in _files_of(module) if f in self.places), None)
        new = self.places[path] if path is not None else None
        return module_of(new) if new else None


def carry_out(
    base: Graph,
    tree: FileTree,
    tasks: Sequence[Task],
    *,
    keep_going: bool = False,
    force: bool = False,
    progress: Progress = silent,
) -> Result:
    """Carry out the tasks on a tree, whose graph is `base`.

    keep_going  leave out tasks that cannot be carried out, and what builds on them
    force       predict nothing, for trials of what is predicted

    Raises Stopped, with the first task that cannot be, and the first import that would fail.
    """
    try:
        _must_have_places(base, tree, tasks)
        result = _all(base, tree, tasks, keep_going=False, progress=progress)
        if not force:
            _must_hold(result)
    except Stopped:
        if not keep_going:
            raise
        result = _all(base, tree, tasks, keep_going=True, progress=progress)
    return result


def _all(base: Graph, tree: FileTree, tasks: Sequence[Task], *, keep_going: bool, progress: Progress) -> Result:
    whole = _whole(base, tree, tasks)
    result = Result(tree, tree, {path: path for path in tree.paths})
    failing = _failing(tree) if keep_going else frozenset[Module]()
    for index, task in enumerate(tasks):
        progress("Carrying out the tasks", index, len(tasks))
        try:
            after = _one(base, result, task, whole, last=index == len(tasks) - 1)
            if keep_going:
                _must_hold(after, failing)
        except Stopped as stopped:
            if not keep_going:
                raise Stopped(f"Task {task.number}, {task.title}: {stopped.reason}", stopped.file) from stopped
            after = replace(result, left_out=(*result.left_out, OmittedTask(task, stopped.reason)))
        result = after
    return result


@dataclass(frozen=True, eq=False)
class _Whole:
    """What all tasks together come to.

    graph    the graph after them
    bare     packages that they make and put no file into
    with_it  number of a task -> what later ones remove, and has to go with what it removes
    """

    graph: Graph
    bare: frozenset[str]
    with_it: Mapping[int, tuple[RemoveNode, ...]]


def _whole(base: Graph, tree: FileTree, tasks: Sequence[Task]) -> _Whole:
    graph = state(base, [primitive for task in tasks for primitive in task.primitives], last=True)
    try:
        bare = bare_packages(graph, base, file_places(base, graph, tree))
    except Stopped:  # it is the task that is at fault that says so
        bare = frozenset()
    return _Whole(graph, bare, removed_with(base, tasks))


def _must_have_places(base: Graph, tree: FileTree, tasks: Sequence[Task]) -> None:
    """Raise Stopped where two files would have one place in the end; on the way there they get names of their own."""
    graph = state(base, [primitive for task in tasks for primitive in task.primitives], last=True)
    must_have_places(base, graph, file_places(base, graph, tree))


def _one(base: Graph, result: Result, task: Task, whole: _Whole, *, last: bool) -> Result:
    more = whole.with_it.get(task.number, ())
    check_task(base, whole.graph, task, more, result.start.paths)
    done = result.primitives
    if definitions := of_definitions(base, task.primitives):
        return _renamed(base, result, task, of_definitions(base, done), definitions)
    graph = state(base, [*done, *task.primitives, *more], last=last)
    _must_be_meant(base, graph, whole.graph)
    places = file_places(base, graph, result.start)
    steps = {now: places.new[path] for path, now in result.places.items() if now is not None}
    known = set(steps)
    steps |= made_along(_graph(base, result), graph, (path for path in result.tree.paths if path not in known))
    check_languages(base, places.new)
    bare = [place(graph, graph.key_of[node]) for node in whole.bare if node in graph.key_of]
    made = {*made_files(graph, base), *(f"{folder}/{INIT}" for folder in bare)} - set(steps.values())
    joined = {now: places.joined[path] for path, now in result.places.items() if now and path in places.joined}
    moved = relocated(_with_files(result.tree, made), steps, made_packages(graph, base), joined)
    carried = Carried(task, result.tree, moved, graph, more)
    return replace(result, tree=moved.tree, places=places.new, joined=places.joined, carried=(*result.carried, carried))


def _graph(base: Graph, result: Result) -> Graph:
    return result.carried[-1].graph if result.carried else base


def _must_be_meant(base: Graph, graph: Graph, whole: Graph) -> None:
    """Raise Stopped where something is gone that is not by the whole plan: what takes it away was left out."""
    count = len(base)
    if ((graph.parent[:count] == REMOVED) & (whole.parent[:count] != REMOVED)).any():
        raise Stopped("It builds on a task that is left out.")


def _renamed(
    base: Graph, result: Result, task: Task, before: Sequence[RenameNode], wanted: Sequence[RenameNode]
) -> Result:
    """The task gives functions or classes other names, and does nothing else."""
    if len(wanted) != len(task.primitives):
        raise Stopped("It renames what it changes otherwise, too, which is done by hand.")
    for number, one in enumerate(wanted):
        named = result.named or result.start
        named, moved = rename(base, named, result.tree, result.places, [*before, *wanted[:number]], one)
        carried = (*result.carried, Carried(task, result.tree, moved, _graph(base, result)))
        result = replace(
            result, named=named, tree=named if result.tree is result.start else moved.tree, carried=carried
        )
    return result


def _with_files(tree: FileTree, made: Set[str]) -> FileTree:
    """The tree with these empty files, as far as they are new."""
    new = made - tree.paths
    if not new:
        return tree
    return tree.changed(tree.paths | new, dict(tree.contents) | {path: b"" for path in new if is_spliced(path)})


def _must_hold(result: Result, failing: frozenset[Module] | None = None) -> None:
    """Raise Stopped for an import that would fail, and for a name that would lead elsewhere."""
    _must_import(result, failing)
    must_mean_what_it_did(result.named or result.start, result.tree, result.places, result.joined)


def _must_import(result: Result, failing: frozenset[Module] | None = None) -> None:
    """Raise Stopped for a module that could be imported first before, and could not afterwards.

    failing  those that cannot be today; None = they are looked for
    """
    bad = _failing(result.start) if failing is None else failing
    good = {
        new: module
        for module in ModuleTree(result.start.paths).file
        if module not in bad and (new := result.new(module))
    }
    failures = _imports(result.tree).failures(sorted(good))
    if failures:
        module = min(failures)
        more = f" So would {len(failures) - 1:,} more." if len(failures) > 1 else ""
        name = dotted(ModuleTree(result.tree.paths).name(module))
        raise Stopped(f"The import of {name} would fail: {failures[module]}.{more}", "/".join(good[module]))


def _failing(tree: FileTree) -> frozenset[Module]:
    imports = _imports(tree)
    return frozenset(imports.failures(sorted(imports.modules.file)))


def _imports(tree: FileTree) -> Imports:
    return Imports(ModuleTree(tree.paths), tree.read)


def _files_of(module: Module) -> tuple[str, ...]:
    name = "/".join(module)
    return (f"{name}/__init__.py", f"{name}.py", f"{name}.pyw")


def misled_edges(result: Result) -> list[tuple[str, str]]:
    """(importer, imported) by path after the plan, of imports that do not take the module that they seem to take."""
    modules = ModuleTree(result.start.paths)
    spaces = result.start.spaces(modules)
    found = []
    for path in sorted(modules.paths):
        new_path = result.places[path]
        for package, inner in misleading(spaces, path):
            files = (modules.file.get(package), modules.file.get(inner))
            ends = (result.places[file] for file in files if file is not None)
            found += [(new_path, end) for end in ends if new_path is not None and end is not None]
    return found


def renamed_definitions(base: Graph, result: Result) -> list[tuple[RenameNode, Moved]]:
    """The functions and classes that got other names, and what that did."""
    return [(one, carried.moved) for carried in result.carried for one in of_definitions(base, carried.task.primitives)]
