"""Questions about a plan: its tasks, what each touches, and how far it is carried out."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from cbvtool.assessment.comparing import weigh
from cbvtool.assessment.judged import Asked
from cbvtool.assessment.modules import choice_of, heading
from cbvtool.assessment.rows import as_data
from cbvtool.assistants.pages import LONGEST_ID, Answer, Limit, Offset, page, some
from cbvtool.assistants.snapshot import CodeSnapshot
from cbvtool.errors import InputError
from cbvtool.graph import Graph
from cbvtool.links import real_path
from cbvtool.mining import has_commit
from cbvtool.mining.versions import open_versions
from cbvtool.plan.document import Document, Plan, read_document
from cbvtool.plan.export import site_as_data
from cbvtool.plan.place import place
from cbvtool.plan.primitives import AddEdge, CutEdge
from cbvtool.plan.task import Task
from cbvtool.plan.tasks import TaskList, task_list
from cbvtool.rules import Rules
from cbvtool.tracking.file_moves import FileMoves
from cbvtool.tracking.marks import STATES, MarkState, TaskMark, marks
from cbvtool.versions.analysed import analysed

_MOST_SITES, _MOST_NAMES = 200, 20
_MOST_BASES = 4  # commits whose graphs are kept
_MARKS = Literal["", MarkState]


class AskTasks(Struct, forbid_unknown_fields=True):
    """Which tasks of which plan."""

    document: Annotated[
        str, Meta(max_length=LONGEST_ID, description="path of a .cbv in the folder; empty = the one that was opened")
    ] = ""
    plan: Annotated[str, Meta(max_length=300, description="name of a plan; empty = the one that is shown")] = ""
    task: Annotated[str, Meta(max_length=300, description="key of one task, told with its sites; empty = all")] = ""
    mark: Annotated[_MARKS, Meta(description="only tasks with this mark")] = ""
    limit: Limit = 20
    offset: Offset = 0


class _Row(NamedTuple):
    """A task with its mark, and the ways of what it moves."""

    task: Task
    mark: TaskMark
    ways: list[tuple[str, str]]


class PlanTasks:
    """The tasks of plans, each worked out once for a code base; `cache` as for `open_project`."""

    def __init__(self, cache: Path | bool = True) -> None:
        self._cache = cache
        self._bases: dict[tuple[Path, str], Graph] = {}
        self._known: tuple[object, list[_Row]] = (None, [])
        self._worth: tuple[object, Answer] = (None, {})

    def tasks(self, now: CodeSnapshot, asked: AskTasks) -> Answer:
        """The tasks of a plan in an order in which they can be done, with their marks; sites are those of today."""
        document = _document(now, asked.document)
        plan = document.plan_named(asked.plan) if asked.plan else document.plan
        marked = self._marked(now, document, plan)
        counts = {state: sum(row.mark.state == state for row in marked) for state in STATES}
        head: Answer = {
            "plan": plan.name,
            "made_on": document.commit_of(plan),
            "marks": counts,
            "assessment": self._assessment(now, document, plan),
        }
        if asked.task:
            found = [row for row in marked if row.task.key == asked.task]
            if not found:
                raise InputError(f"The plan has no task {asked.task!r}: ask for all of them.")
            return {**head, "task": _whole(found[0])}
        rows = [row for row in marked if asked.mark in ("", row.mark.state)]
        return {**head, **page(rows, asked.offset, asked.limit, _short, "tasks")}

    def _marked(self, now: CodeSnapshot, document: Document, plan: Plan) -> list[_Row]:
        key = (now, document.digest, plan)
        if self._known[0] != key:
            base = self._base(now, document.commit_of(plan))
            history, today = plan.history(base), plan.history(now.graph)
            planned = task_list(history, annotations=plan.annotations).tasks
            still = {task.key: task for task in self._today(now, plan).tasks} if today.done else {}
            states = marks(planned, base, history.graph, now.graph, self._moves(now, document.commit_of(plan)))
            found = [
                _Row(still.get(task.key, task), mark, _ways_of(task, base, history.graph))
                for task, mark in zip(planned, states, strict=True)
            ]
            self._known = (key, found)
        return self._known[1]

    def _today(self, now: CodeSnapshot, plan: Plan) -> TaskList:
        """What is still to be done, with the sites of today."""
        project = now.project
        rules: Rules | None = now.code.rules if project.kind == "folder" else None
        return task_list(
            plan.history(now.graph),
            project.changes,
            project.code,
            rules=rules,
            weights=project.weights,
            annotations=plan.annotations,
        )

    def _assessment(self, now: CodeSnapshot, document: Document, plan: Plan) -> Answer:
        """What the plan is worth on the code as it is."""
        key = (now, document.digest, plan)
        if self._worth[0] != key:
            self._worth = key, self._assessed(now, document, plan)
        return self._worth[1]

    def _assessed(self, now: CodeSnapshot, document: Document, plan: Plan) -> Answer:
        history, modules, base = plan.history(now.graph), choice_of(document.view), now.graph
        asked = Asked(base, history.graph, now.project.changes, now.code.rules, modules, base.root)
        judgement = weigh(plan.name, history, asked, lambda steps: self._today(now, plan)).judgement
        words = heading(base, modules, base.root)
        return {"modules": words, "before": as_data(judgement.before), "after": as_data(judgement.after)}

    def _moves(self, now: CodeSnapshot, commit: str) -> FileMoves:
        """Where git says that files went since the plan's commit; what is not committed is followed by content."""
        project, moves = now.project, FileMoves()
        if project.kind == "folder" and commit and has_commit(project.path, commit):
            with open_versions(project.path) as versions:
                for step in versions.first_parents(versions.commit_of(commit), versions.commit_of("HEAD")):
                    moves = moves.then(step)
        return moves

    def _base(self, now: CodeSnapshot, commit: str) -> Graph:
        """The code base that the plan was made on; as it is now where that commit is not known."""
        project = now.project
        if project.kind != "folder" or not commit or not has_commit(project.path, commit):
            return self._bases.setdefault((project.path, ""), now.graph)
        if (project.path, commit) not in self._bases:
            with open_versions(project.path) as versions:
                self._bases[project.path, commit] = analysed(versions, commit, cache=self._cache).graph
            if len(self._bases) > _MOST_BASES:
                del self._bases[next(iter(self._bases))]
        return self._bases[project.path, commit]


def _ways_of(task: Task, base: Graph, target: Graph) -> list[tuple[str, str]]:
    """(where it is, where it comes) of each thing that a task moves, renames, makes (from nowhere) or removes."""
    found = []
    for primitive in task.primitives:
        if not isinstance(primitive, AddEdge | CutEdge):
            before, after = base.key_of.get(primitive.node), target.key_of.get(primitive.node)
            way = ("" if before is None else place(base, before), "" if after is None else place(target, after))
            found.append(way)
    return list(dict.fromkeys(found))


def _document(now: CodeSnapshot, name: str) -> Document:
    """The document at `name`, a path in the folder. Raises InputError, also for what lies outside."""
    if not name:
        if now.document is None:
            raise InputError("No plan was opened: name a document (.cbv) in the folder.")
        return now.document
    root = now.project.path
    inside = PurePosixPath(name.replace("\\", "/"))
    file = Path(real_path(root / inside)) if (root / inside).exists() else root / inside
    if inside.suffix.lower() != ".cbv" or ".." in inside.parts or not file.is_relative_to(real_path(root)):
        raise InputError(f"{name!r} is no document (.cbv) in {now.graph.name}.")
    document = read_document(file)
    if document.subject.resolve() != Path(real_path(root)):
        raise InputError(f"{name!r} is about {document.subject}, not about this folder.")
    return document


def _short(row: _Row) -> Answer:
    task, mark = row.task, row.mark
    return {
        "key": task.key,
        "number": task.number,
        "title": task.title,
        "kind": task.kind,
        "mark": mark.state,
        "done": f"{mark.done} of {mark.sites}",
        "reason": mark.reason,
        "before": task.before,
        "after": task.after,
        "sites_to_change": len(task.must),
        "sites_to_check": task.to_check,
        "minutes": task.minutes,
    }


def _whole(row: _Row) -> Answer:
    task, mark = row.task, row.mark
    must = [site_as_data(site) for site in task.must]
    check = [site_as_data(site) for site in task.check]
    return {
        **_short(row),
        **some([{"from": before, "to": after} for before, after in row.ways], _MOST_SITES, "ways"),
        **(some(must, _MOST_SITES, "must") if mark.state != "done" else {}),
        **(some(check, _MOST_SITES, "check") if mark.state != "done" else {}),
        **some(task.dependants, _MOST_SITES, "dependants"),
        **some(task.mended, _MOST_NAMES, "mends"),
        **some(task.broken, _MOST_NAMES, "breaks"),
        "steps": [step.title for step in task.steps][:_MOST_SITES],
        "notes": list(task.notes),
    }
