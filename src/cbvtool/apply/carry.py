"""The tasks of a plan, carried out one by one on the contents of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from cbvtool.apply.languages import is_spliced, relocated
from cbvtool.apply.places import check_languages, check_task, file_places, made_files, made_packages, state
from cbvtool.apply.python.importing import Imports
from cbvtool.apply.python.modules import Module, ModuleTree, dotted, module_of
from cbvtool.apply.python.moving import FileTree, Moved, must_mean_what_it_did
from cbvtool.apply.python.spaces import misleading
from cbvtool.apply.renames.carrying import of_definitions, rename
from cbvtool.apply.stopped import Stopped
from cbvtool.graph import Graph
from cbvtool.plan.primitives import RenameNode
from cbvtool.plan.task import Task
from cbvtool.progress import Progress, silent


@dataclass(frozen=True, eq=False)
class Carried:
    """A task that is carried out: the tree before, and what it did to it."""

    task: Task
    before: FileTree
    moved: Moved


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
    carried   tasks that are carried out, in their order
    left_out  tasks that are not
    named     the tree before, where functions and classes have their new names; None = they have no others
    """

    start: FileTree
    tree: FileTree
    places: Mapping[str, str | None]
    carried: tuple[Carried, ...] = ()
    left_out: tuple[OmittedTask, ...] = field(default=())
    named: FileTree | None = None

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
    result = Result(tree, tree, {path: path for path in tree.paths})
    failing = _failing(tree) if keep_going else frozenset[Module]()
    for index, task in enumerate(tasks):
        progress("Carrying out the tasks", index, len(tasks))
        try:
            after = _one(base, result, task, last=index == len(tasks) - 1)
            if keep_going:
                _must_hold(after, failing)
        except Stopped as stopped:
            if not keep_going:
                raise Stopped(f"Task {task.number}, {task.title}: {stopped.reason}", stopped.file) from stopped
            after = replace(result, left_out=(*result.left_out, OmittedTask(task, stopped.reason)))
        result = after
    return result


def _must_have_places(base: Graph, tree: FileTree, tasks: Sequence[Task]) -> None:
    """Raise Stopped where two files would have one place in the end; on the way there they get names of their own."""
    graph = state(base, [primitive for task in tasks for primitive in task.primitives], last=True)
    old_of: dict[str, str] = {}
    for path, new in sorted(file_places(base, graph, tree.paths).items(), key=lambda item: item[0] != item[1]):
        if new is not None and (other := old_of.setdefault(new, path)) != path:
            raise Stopped(f"{path} cannot become {new}: that name is taken by {other}.", path)


def _one(base: Graph, result: Result, task: Task, *, last: bool) -> Result:
    check_task(base, task.primitives)
    primitives = [one for carried in result.carried for one in carried.task.primitives]
    if definitions := of_definitions(base, task.primitives):
        return _renamed(base, result, task, of_definitions(base, primitives), definitions)
    graph = state(base, [*primitives, *task.primitives], last=last)
    places = file_places(base, graph, result.start.paths)
    made = [path for path in made_files(graph, base) if path not in result.tree.paths]
    tree = _with_files(result.tree, made)
    steps = {now: places[path] for path, now in result.places.items() if now is not None}
    check_languages(base, places)
    moved = relocated(tree, steps, made_packages(graph, base))
    return replace(result, tree=moved.tree, places=places, carried=(*result.carried, Carried(task, result.tree, moved)))


def _renamed(
    base: Graph, result: Result, task: Task, before: Sequence[RenameNode], wanted: Sequence[RenameNode]
) -> Result:
    """The task gives functions or classes other names, and does nothing else."""
    if len(wanted) != len(task.primitives):
        raise Stopped("It renames what it changes otherwise, too, which is done by hand.")
    for number, one in enumerate(wanted):
        named = result.named or result.start
        named, moved = rename(base, named, result.tree, result.places, [*before, *wanted[:number]], one)
        carried = (*result.carried, Carried(task, result.tree, moved))
        result = replace(
            result, named=named, tree=named if result.tree is result.start else moved.tree, carried=carried
        )
    return result


def _with_files(tree: FileTree, made: Sequence[str]) -> FileTree:
    if not made:
        return tree
    contents = dict(tree.contents) | {path: b"" for path in made if is_spliced(path)}
    return FileTree(tree.paths | set(made), contents)


def _must_hold(result: Result, failing: frozenset[Module] | None = None) -> None:
    """Raise Stopped for an import that would fail, and for a name that would lead elsewhere."""
    _must_import(result, failing)
    must_mean_what_it_did(result.named or result.start, result.tree, result.places)


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
