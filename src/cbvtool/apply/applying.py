"""A plan carried out on a repository: checked, made into commits in a scratch clone, proved, handed over."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from cbvtool.apply.carry import Carried, OmittedTask, Result, carry_out, misled_edges, renamed_definitions
from cbvtool.apply.forwarding import Forwarder, forwarders, with_forwarders
from cbvtool.apply.languages import is_implied, is_spliced
from cbvtool.apply.links import relinked
from cbvtool.apply.mentions import MOST, TEXTS, ByHand, mentions
from cbvtool.apply.new_names import name_mentions, with_names
from cbvtool.apply.proof import GraphProof, compared
from cbvtool.apply.python.modules import Module, ModuleTree
from cbvtool.apply.python.moving import FileTree
from cbvtool.apply.stopped import Stopped
from cbvtool.apply.trial import Tests, importable, run_tests
from cbvtool.errors import InputError
from cbvtool.formats.atomic import replacing
from cbvtool.graph import Graph
from cbvtool.mining import is_dirty
from cbvtool.mining.processes import Processes
from cbvtool.mining.scratch import NewFile, Scratch, open_scratch, submodules
from cbvtool.mining.versions import LINK, StoredFile
from cbvtool.plan.document import Document, Plan
from cbvtool.plan.history import History
from cbvtool.plan.lower import replay
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import task_list
from cbvtool.progress import Progress, silent
from cbvtool.versions import analysed

_LARGEST_TEXT = 1_000_000  # bytes of a text file that is searched for old names
_SHORT = 7
_LONGEST = 200  # characters of a line that is shown


@dataclass(frozen=True)
class Wish:
    """How a plan is to be carried out.

    branch      name of the branch to be made; empty = none
    patch       file for the patch; None = none
    tests       command of the shell that runs the tests; empty = nothing of the subject is run
    seconds     that the tests may take
    keep_going  leave out what cannot be carried out
    forward     leave modules under the old names that lead to the new ones
    jobs        processes that parse, None = as many as there are cores
    cache       where to keep what the analysis found; True = the user's folder, False = nowhere
    """

    branch: str = ""
    patch: Path | None = None
    tests: str = ""
    seconds: float = 1_800.0
    keep_going: bool = False
    forward: bool = False
    jobs: int | None = None
    cache: Path | bool = True


@dataclass(frozen=True)
class DoneTask:
    """A task that is carried out.

    commit     id of its commit; empty where there was nothing to commit
    moved      old path -> new path, None = removed
    rewritten  paths of the files whose content changed
    made       paths of new files
    """

    task: Task
    commit: str
    moved: Mapping[str, str | None]
    rewritten: tuple[str, ...]
    made: tuple[str, ...]


@dataclass(frozen=True)
class Applied:
    """What came of carrying out a plan.

    subject, plan  what the document calls them
    base           id of the commit that it was carried out on
    commit         id of the last new commit; empty if there is none
    stopped        why nothing was carried out; empty if it was
    done           tasks that are carried out
    left_out       tasks that are not
    forwards       modules left under their old names
    by_hand        lines to be looked at
    proof          the import graph beside the planned one; None = nothing was carried out
    imported       how many modules could be imported before and after, None = nobody asked
    lost           modules that can be imported no more
    tests          None = nobody asked for them
    """

    subject: str
    plan: str
    base: str
    commit: str = ""
    stopped: str = ""
    done: tuple[DoneTask, ...] = ()
    left_out: tuple[OmittedTask, ...] = ()
    forwards: tuple[Forwarder, ...] = ()
    by_hand: tuple[ByHand, ...] = ()
    proof: GraphProof | None = None
    imported: tuple[int, int] | None = None
    lost: tuple[str, ...] = ()
    tests: Tests | None = None

    @property
    def is_good(self) -> bool:
        """Whether all of it is carried out, and everything that was asked proves it."""
        proved = self.proof is not None and self.proof.holds and not self.lost
        return not self.stopped and not self.left_out and proved and (self.tests is None or self.tests.status == 0)


def apply_plan(
    document: Document, plan: Plan, wish: Wish, progress: Progress = silent, processes: Processes | None = None
) -> Applied:
    """Carry out a plan of a document.

    Raises InputError for what cannot be worked with; nothing is written then.
    """
    _check_subject(document)
    with open_scratch(document.subject, processes) as scratch:
        files = _check_state(document, document.commit_of(plan), scratch, wish)
        base = analysed(scratch, scratch.head, jobs=wish.jobs, progress=progress, cache=wish.cache).graph
        history = plan.history(base)
        if history.refusals:
            raise InputError(f"The plan does not fit commit {scratch.head[:_SHORT]}: {history.refusals[0].reason}")
        tasks = task_list(history, annotations=plan.annotations).tasks
        if not tasks:
            raise InputError(f"The plan {plan.name!r} has no tasks: there is nothing to carry out.")
        found = Applied(document.name, plan.name, scratch.head)
        tree = _tree(scratch, files)
        try:
            result = carry_out(base, tree, tasks, keep_going=wish.keep_going, progress=progress)
            _check_links_around(scratch, result)
            forwards = forwarders(result) if wish.forward else ()
            result = with_forwarders(result, forwards)
        except Stopped as stopped:
            return replace(found, stopped=stopped.reason)
        found = replace(found, left_out=result.left_out, forwards=forwards)
        if not result.carried:
            return replace(found, stopped="None of the tasks can be carried out.")
        found = _committed(found, scratch, result)
        found = _proved(found, scratch, base, history, result, wish, progress)
        found = replace(found, by_hand=_by_hand(base, result, _texts(scratch, files)))
        if found.lost or (found.proof is not None and not found.proof.holds):
            return replace(found, stopped=_unproved(found))
        if broken := _broken(found.tests) or _changed(document, scratch):
            return replace(found, stopped=f"{broken}; nothing was written.")
        _hand_over(found, scratch, wish)
    return found


def _check_subject(document: Document) -> None:
    if not document.subject.is_dir():
        raise InputError(f"{document.subject} is not a folder with source code, so no plan can be carried out there.")


def _check_state(document: Document, made_on: str, scratch: Scratch, wish: Wish) -> dict[str, StoredFile]:
    """The files of the commit. Raises InputError if the plan is not about them as they are."""
    head = scratch.head
    if made_on and made_on != head:
        raise InputError(
            f"The plan was made on commit {made_on[:_SHORT]}, and {head[:_SHORT]} is checked out: "
            "see with `cbvtool plan rebase` whether it still fits."
        )
    if is_dirty(document.subject):
        raise InputError(
            f"Files in {document.subject} differ from commit {head[:_SHORT]}: commit or stash your changes first."
        )
    files = scratch.files(head)
    if found := submodules(files):
        raise InputError(f"{found[0]} is a submodule: plans are carried out in repositories without submodules.")
    if wish.branch:
        scratch.check_branch(wish.branch)
    return files


def _check_links_around(scratch: Scratch, result: Result) -> None:
    """Raise Stopped for a link of the repository, outside of the folder of the plan, that would lead elsewhere."""
    links, inside = scratch.links_around(scratch.head), scratch.inside
    places = {inside + path: None if new is None else inside + new for path, new in result.places.items()}
    for path, text in relinked(links, [*links, *places], places).items():
        if text != links[path]:
            reason = f"{path}, outside of the folder of the plan, is a link to {links[path]}, which would be elsewhere."
            raise Stopped(reason, path)


def _tree(scratch: Scratch, files: Mapping[str, StoredFile]) -> FileTree:
    links = {path: entry for path, entry in files.items() if entry.mode == LINK}
    read = {path: entry for path, entry in files.items() if is_spliced(path) and path not in links}
    said = {path: os.fsdecode(content) for path, content in scratch.read(links).items()}
    return FileTree(frozenset(files), scratch.read(read), said)


def _texts(scratch: Scratch, files: Mapping[str, StoredFile]) -> dict[str, bytes]:
    found = scratch.read({path: entry for path, entry in files.items() if path.endswith(TEXTS) and entry.mode != LINK})
    return {path: content for path, content in found.items() if len(content) <= _LARGEST_TEXT}


def _by_hand(base: Graph, result: Result, texts: Mapping[str, bytes]) -> tuple[ByHand, ...]:
    found = mentions(result, texts)
    there = {new: texts[path] for path, new in result.places.items() if path in texts and new is not None}
    named = name_mentions(base, result.start, result.tree, there, renamed_definitions(base, result))
    known = {(line.file, line.line) for line in found}
    for path, line, old in islice(named, MOST):
        if (path, line) in known:
            continue
        known.add((path, line))
        content = result.tree.contents.get(path, there.get(path, b"")).splitlines()
        text = content[line - 1].decode("utf-8", "replace").strip()[:_LONGEST] if line <= len(content) else ""
        found.append(ByHand(path, line, text, f"names {old}, which is called otherwise now"))
    return tuple(found[:MOST])


def _committed(found: Applied, scratch: Scratch, result: Result) -> Applied:
    """One commit for each task."""
    parent, done = scratch.head, list[DoneTask]()
    for carried in result.carried:
        changes = _changes(carried)
        if changes:
            about = f"Task {carried.task.number} of the plan {found.plan!r}, carried out by cbvtool."
            parent = scratch.commit(parent, f"{carried.task.title}\n\n{about}\n", changes)
        relocation = carried.moved.relocation
        kept = set(relocation.kept.values())
        made = [path for path in carried.moved.tree.paths if path not in kept]
        new = [path for path in relocation.kept if path not in carried.before.paths]
        done.append(
            DoneTask(
                carried.task,
                parent if changes else "",
                relocation.moved,
                carried.moved.rewritten,
                tuple(sorted([*made, *new])),
            )
        )
    if found.forwards:
        about = f"For code elsewhere that imports what the plan {found.plan!r} moved."
        left = {one.path: NewFile(content=one.content) for one in found.forwards}
        parent = scratch.commit(parent, f"Leave modules under their old names\n\n{about}\n", left)
    return replace(found, commit=parent, done=tuple(done))


def _changes(carried: Carried) -> dict[str, NewFile | None]:
    """What a commit changes."""
    moved = carried.moved
    relocation, contents = moved.relocation, moved.tree.contents
    rewritten = set(moved.rewritten)
    changes: dict[str, NewFile | None] = {}
    new_paths = set(relocation.kept.values())
    changes |= {old: None for old, new in relocation.moved.items() if old not in new_paths}
    for old, new in relocation.kept.items():
        if old not in carried.before.paths:
            changes[new] = NewFile(content=contents.get(new, b""))
        elif new in rewritten or new != old:
            changes[new] = NewFile(old, _content(moved.tree, new) if new in rewritten else None)
    changes |= {path: NewFile(content=contents.get(path, b"")) for path in moved.tree.paths - new_paths}
    return changes


def _content(tree: FileTree, path: str) -> bytes:
    return os.fsencode(tree.links[path]) if path in tree.links else tree.contents[path]


def _proved(
    found: Applied, scratch: Scratch, base: Graph, history: History, result: Result, wish: Wish, progress: Progress
) -> Applied:
    """With the proof of the graph, and of what was consented to."""
    planned = history.graph
    if result.left_out:
        planned = replay(base, result.primitives)
    if wish.tests:
        before = _importable(scratch, scratch.head, result.start, lambda module: True, progress)
    after = analysed(scratch, found.commit, jobs=wish.jobs, progress=progress, cache=wish.cache).graph
    leading = {one.path: one.target for one in found.forwards}
    proof = compared(planned, after, misled_edges(result), leading, is_implied)
    found = replace(
        found, proof=with_names(proof, planned, after, [one for one, _ in renamed_definitions(base, result)])
    )
    if not wish.tests:
        return found
    wanted = {new for module in before if (new := result.new(module)) is not None}
    wanted |= before & {one.module for one in found.forwards}
    there = _importable(scratch, found.commit, result.tree, wanted.__contains__, progress)
    lost = tuple(sorted(".".join(module) for module in wanted - there))
    progress("Running the tests", 0, 0)
    folder, _ = scratch.lay_out(found.commit, largest=1 << 40, progress=progress)
    tests = run_tests(folder, wish.tests, ModuleTree(result.tree.paths), wish.seconds)
    if tests.status:
        progress("Running the tests without the plan", 0, 0)
        folder, _ = scratch.lay_out(scratch.head, largest=1 << 40, progress=progress)
        without = run_tests(folder, wish.tests, ModuleTree(result.start.paths), wish.seconds)
        tests = replace(tests, before=without.status, told=without.said)
    return replace(found, imported=(len(wanted), len(there)), lost=lost, tests=tests)


def _importable(
    scratch: Scratch, commit: str, tree: FileTree, wanted: Callable[[Module], bool], progress: Progress
) -> set[Module]:
    """Modules in packages that can be imported, each in a fresh interpreter."""
    folder, _ = scratch.lay_out(commit, largest=1 << 40, progress=progress)
    known = ModuleTree(tree.paths)
    inside = [
        module for module in known.file if (wanted(module) and len(known.name(module)) > 1) or module in known.packages
    ]
    return importable(folder, [m for m in inside if wanted(m) and m[-1] != "__main__"], known, progress)


def _unproved(found: Applied) -> str:
    if found.lost:
        return f"{found.lost[0]} could be imported before, and cannot be in the result; nothing was written."
    assert found.proof is not None
    source, target = (found.proof.missing or found.proof.extra)[0]
    what = "does not import" if found.proof.missing else "imports"
    return f"The result is not as planned: {source} {what} {target}; nothing was written."


def _broken(tests: Tests | None) -> str:
    """What the tests have against the plan; empty = nothing."""
    if tests is None or tests.status == 0:
        return ""
    if tests.status is None:
        return f"The tests, {tests.command!r}, did not end in time"
    return "The tests pass without the plan, and fail with it" if tests.before == 0 else ""


def _changed(document: Document, scratch: Scratch) -> str:
    """What happened to the subject while the plan was carried out; empty = nothing."""
    if not scratch.is_checked_out(scratch.head):
        return f"Commit {scratch.head[:_SHORT]} is not checked out any more"
    if is_dirty(document.subject):
        return f"Files in {document.subject} were changed meanwhile"
    return ""


def _hand_over(found: Applied, scratch: Scratch, wish: Wish) -> None:
    if wish.patch is not None:
        content = scratch.patch(found.base, found.commit)
        with replacing(wish.patch) as file:
            file.write(content)
    if wish.branch:
        scratch.publish(found.commit, wish.branch)
