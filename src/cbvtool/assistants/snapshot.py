"""A code base at one moment, with what was found out about it so far; and one that is always the present."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from cbvtool import mining
from cbvtool.analysis.live import LiveAnalysis
from cbvtool.asking.steps import Steps, steps
from cbvtool.assessment.modules import ModuleChoice, choice_of
from cbvtool.assessment.version import AssessedVersion, assessed_version
from cbvtool.code_base import CodeBase
from cbvtool.config import FILE_NAME
from cbvtool.errors import InputError
from cbvtool.findings.finding import Finding
from cbvtool.graph import Graph
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Subject
from cbvtool.metrics.structure.users import is_sure
from cbvtool.metrics.values import Values
from cbvtool.mining.dirty import changed_files
from cbvtool.plan.document import Document, read_document
from cbvtool.plan.history import History
from cbvtool.progress import Progress, silent
from cbvtool.project import Project, open_again, open_project
from cbvtool.rules.promise import BrokenPromise
from cbvtool.watching.stamps import TreeStamps, places_in


@dataclass(frozen=True, eq=False)
class CodeSnapshot:
    """A code base at one moment, as it is and not as planned; what takes long is found out once.

    document  that was named in place of the folder
    changed   paths of the files that differ from the commit, new and deleted ones included; None = not known
    """

    project: Project
    document: Document | None = None
    changed: tuple[str, ...] | None = None

    @property
    def graph(self) -> Graph:
        """The code base as it is."""
        return self.project.graph

    @cached_property
    def code(self) -> CodeBase:
        """What the library offers."""
        return CodeBase(self.project, History(self.graph), self.document)

    @cached_property
    def sure_steps(self) -> Steps:
        """Chains of relations without guesses."""
        return steps(self.graph, is_sure(self.graph))

    @cached_property
    def all_steps(self) -> Steps:
        """The same with guesses."""
        return steps(self.graph)

    @cached_property
    def values(self) -> Values:
        """All metrics."""
        return Values(Subject(self.graph, self.project.changes), METRICS)

    @cached_property
    def findings(self) -> list[Finding]:
        """What is worth a look, tests left out."""
        return self.code.findings()

    @property
    def modules(self) -> ModuleChoice:
        """What counts as a module."""
        return ModuleChoice() if self.document is None else choice_of(self.document.view)

    @cached_property
    def assessed(self) -> AssessedVersion:
        """What it is worth."""
        graph, code = self.graph, self.code
        return assessed_version(graph, graph, code.changes, code.rules, self.modules)

    @cached_property
    def violations(self) -> list[BrokenPromise]:
        """What breaks the folder's rules."""
        return self.code.check()


class LiveCodeBase:
    """The code base at `path` (folder, graph file or document) as it is whenever somebody asks.

    how       arguments for `open_project`
    progress  of the first analysis: nobody looks at that of later ones

    Raises InputError at once for what cannot be opened.
    """

    def __init__(self, path: Path, how: Mapping[str, Any], progress: Progress = silent) -> None:
        self._path, self._how = Path(path), how
        self._lock = threading.Lock()
        self._live = LiveAnalysis()
        self._last = self._opened(None, progress)

    def now(self) -> CodeSnapshot:
        """The code base as it is: analysed again if anything changed. Any thread may ask; one at a time is answered."""
        with self._lock:
            if not self._is_current(*self._last):
                self._last = self._opened(self._last[0].project, silent)
            return self._last[0]

    def _is_current(self, last: CodeSnapshot, stamps: TreeStamps) -> bool:
        project = last.project
        commit = mining.head_commit(project.path) if project.kind == "folder" else project.commit
        return commit == project.commit and stamps.hold()

    def _opened(self, before: Project | None, progress: Progress) -> tuple[CodeSnapshot, TreeStamps]:
        snapshot, stamps = self._read(before, progress)
        _ = snapshot.sure_steps  # what paths and impact need, before somebody waits for their answer
        return snapshot, stamps

    def _read(self, before: Project | None, progress: Progress) -> tuple[CodeSnapshot, TreeStamps]:
        document, subject = None, self._path
        if subject.suffix.lower() == ".cbv" and subject.is_file():
            document = read_document(subject)
            subject = document.subject
        if not subject.exists():
            raise InputError(f"{subject} is not there any more.")
        began = time.time()
        how = {**self._how, "progress": progress, "live": self._live}
        project = open_project(subject, **how) if before is None else open_again(before, **how)
        if project.kind != "folder":
            return CodeSnapshot(project, document), TreeStamps([str(subject)], began)
        files = project.graph.files
        seen = TreeStamps(places_in(project.path, (*files, FILE_NAME, ".gitignore")), began)
        return CodeSnapshot(project, document, changed_files(project.path, files)), seen
