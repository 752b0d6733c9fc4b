"""The library: an open code base, and what can be asked of it without a window.

    import cbvtool

    code = cbvtool.open("~/src/flask")
    code.metrics("complexity")["complexity"]
    code.findings(limit=5)
    code.plan(Move(("src/flask/json",), "src")).tasks()

Names of rooms (`cbvtool.metrics`, `cbvtool.plan`) stay modules, so all but `open` are methods.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cbvtool.asking.impact import Dependants, impact
from cbvtool.asking.nodes import node_named
from cbvtool.asking.steps import steps
from cbvtool.assessment.comparing import Alternative, weigh
from cbvtool.assessment.judged import Asked
from cbvtool.assessment.modules import ModuleChoice
from cbvtool.errors import InputError
from cbvtool.findings.finding import Examined, Finding
from cbvtool.findings.ranked import findings
from cbvtool.graph import Graph
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Column, Subject
from cbvtool.metrics.structure.users import is_sure
from cbvtool.metrics.values import Values
from cbvtool.plan.describe import label
from cbvtool.plan.document import Document, Plan
from cbvtool.plan.history import Group, History
from cbvtool.plan.operations import Operation
from cbvtool.plan.tasks import TaskList, task_list
from cbvtool.project import Project, open_document, open_project
from cbvtool.rules import Rules, read_rules, violations
from cbvtool.rules.own_promises import broken_promises

if TYPE_CHECKING:
    from cbvtool.mining.changes import Changes
    from cbvtool.rules.promise import BrokenPromise


@dataclass(frozen=True, eq=False, repr=False)
class CodeBase:
    """A code base that is open, with what is planned for it.

    project   as analysed
    history   what is planned; `CodeBase.graph` is the code base after it
    document  the document that it was opened from; None for a folder or graph file
    """

    project: Project
    history: History
    document: Document | None = field(default=None)

    def __repr__(self) -> str:
        count = len(self.history.done)
        planned = f", {count:,} step{'' if count == 1 else 's'} planned" if count else ""
        return f"CodeBase({self.graph!r}{planned})"

    @property
    def graph(self) -> Graph:
        """The nodes and relations, as planned."""
        return self.history.graph

    @property
    def changes(self) -> Changes | None:
        """The history in git; None without one."""
        return self.project.changes

    @cached_property
    def rules(self) -> Rules:
        """What the folder's `cbvtool.toml` promises; nothing for a graph file. Raises InputError if it is wrong."""
        return read_rules(self.project.path) if self.project.kind == "folder" else Rules()

    def metrics(self, *names: str, since: int | None = None, until: int | None = None) -> Mapping[str, Column]:
        """Name -> float64[n], one value for each node of `graph` (`graph.ids`); NaN = not measured.

        names         of metrics; none = all, each computed once it is asked for
        since, until  seconds since the epoch, of what is counted in the history

        Raises InputError for a name that is no metric.
        """
        if unknown := [name for name in names if name not in METRICS]:
            raise InputError(f"There is no metric {unknown[0]!r}; there are {', '.join(sorted(METRICS))}.")
        values = Values(Subject(self.graph, self.changes, since, until), METRICS)
        return {name: values[name] for name in names} if names else values

    def findings(self, *, tests: bool = False, limit: int | None = None) -> list[Finding]:
        """What is worth a look, the most important first. `tests`: also in tests."""
        return findings(Examined(self.graph, self.changes, self.rules, tests, base=self.history.base))[:limit]

    def assess(self, modules: ModuleChoice | None = None) -> Alternative:
        """What is planned beside the code as it is: figures, tasks, effort; see `assessment.rows` for the names.

        modules   what counts as a module; None = those of the product, as they are found
        """
        base = self.history.base
        asked = Asked(base, self.graph, self.changes, self.rules, modules or ModuleChoice(), base.root)
        return weigh("", self.history, asked, lambda _history: self.tasks())

    def check(self) -> list[BrokenPromise]:
        """The violations of the folder's own rules."""
        return list(broken_promises(self.graph, violations(self.graph, self.rules)))

    def plan(self, *operations: Operation) -> CodeBase:
        """The code base with these operations (`cbvtool.plan.operations`) planned as one step more.

        Raises InputError if one does not fit.
        """
        if not operations:
            return self
        group = Group(label(operations[0], self.graph), operations)
        history = self.history.do(group)
        if len(history.refusals) > len(self.history.refusals):
            raise InputError(history.refusals[-1].reason)
        return CodeBase(self.project, history, self.document)

    def tasks(self) -> TaskList:
        """What is planned as tasks for a team."""
        rules = self.rules if self.project.kind == "folder" else None
        return task_list(
            self.history, self.changes, self.project.code, rules=rules, weights=self.project.weights, circles=True
        )

    def impact(self, *nodes: str, depth: int = 0, guesses: bool = False) -> Dependants:
        """What depends on `nodes` (ids, or the end of one), up to `depth` relations away, 0 = all.

        Raises InputError for a name that fits no node, or several.
        """
        keys = tuple(node_named(self.graph, name) for name in nodes)
        ways = steps(self.graph, None if guesses else is_sure(self.graph))
        return impact(self.graph, ways, keys, depth=depth)

    def render(self, path: Path | str, *, size: tuple[int, int] = (1600, 1000)) -> None:
        """Draw the view into a file: .png, .svg or .pdf (from above), or .html. Raises InputError.

        size  pixels
        """
        from cbvtool.export.files import SORTS, write_drawing
        from cbvtool.export.size import readable
        from cbvtool.session import Session

        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SORTS:
            raise InputError(f"{path} ends in none of {', '.join(SORTS)}: the ending chooses the sort of picture.")
        session = Session()
        document = self.document or Document(self.project.path, self.project.name, self.project.commit)
        session.open(self.project, replace(document, plans=(Plan.of(self.history),), active=0))
        drawn, scale = readable(size)
        about: dict[str, Any] = {"title": self.project.name, "commit": self.project.commit[:7], "size": drawn}
        if suffix == ".png":
            from cbvtool.drawing.offscreen import PictureOptions, picture, save

            save(picture(session.scene(), PictureOptions(scale=scale, exactly=size, **about)), path)
            return
        from cbvtool.drawing.pillow_painter import font_files, text_width

        write_drawing(session.scene(), path, measure=text_width, fonts=font_files(), pixels=size, **about)


def open(path: Path | str, *, history: bool = True, jobs: int | None = None) -> CodeBase:
    """Open a folder, a graph file of any format, or a document (.cbv) with its active plan.

    history  also read the git history
    jobs     number of processes that parse; None = as many as there are cores

    Raises InputError for what cannot be opened.
    """
    path = Path(path).expanduser()
    if path.suffix.lower() == ".cbv":
        document, project = open_document(path, history=history, jobs=jobs, note=warnings.warn)
        return CodeBase(project, document.plan.history(project.graph), document)
    project = open_project(path, history=history, jobs=jobs)
    return CodeBase(project, History(project.graph))
