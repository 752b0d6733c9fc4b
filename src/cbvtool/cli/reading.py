"""How commands open their inputs: folders, graph files and documents."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cbvtool.cli.output import DONE, FINDINGS, progress, say

if TYPE_CHECKING:
    from concurrent.futures import Executor
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

    from cbvtool.assessment.modules import ModuleChoice
    from cbvtool.graph import Graph
    from cbvtool.mining import Changes
    from cbvtool.plan.document import Document
    from cbvtool.plan.history import History
    from cbvtool.project import Project
    from cbvtool.session import Session
    from cbvtool.trace.readers.reader import Part


@contextmanager
def means(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Arguments for `open_project` from the options of `arguments.add_reading`: how to read folders."""
    with _cluster(chosen.dask) as executor:
        yield {"jobs": chosen.jobs, "cache": chosen.cache, "config": chosen.config, "executor": executor}


@contextmanager
def _cluster(address: str | None) -> Iterator[Executor | None]:
    """The executor of the Dask cluster at `address`; None without an address."""
    if address is None:
        yield None
        return
    from cbvtool.analysis.cluster import dask_executor

    with dask_executor(address) as executor:
        yield executor


def open_plans(file: Path, **how: Any) -> tuple[Document, Project]:
    """As `cbvtool.project.open_document`; the user is told where the subject is, if it was moved."""
    from cbvtool.project import open_document

    return open_document(file, note=say, **how)


def open_into(session: Session, chosen: argparse.Namespace) -> None:
    """Open the folder, graph file or document that the user named."""
    from cbvtool.project import open_project

    with progress() as shown, means(chosen) as how:
        if chosen.path.suffix.lower() == ".cbv":
            document, project = open_plans(chosen.path, progress=shown, **how)
            session.open(project, document, chosen.path)
        else:
            session.open(open_project(chosen.path, progress=shown, **how))
    if getattr(chosen, "modules", None) is not None:
        session.set_view(modules=chosen.modules)


def module_choice(chosen: argparse.Namespace, document: Document | None = None) -> ModuleChoice:
    """What counts as a module: as the user says, else as the document does, else as it is found."""
    from cbvtool.assessment.modules import ModuleChoice, choice_of

    if chosen.modules is not None:
        found: ModuleChoice = chosen.modules
        return found
    return ModuleChoice() if document is None else choice_of(document.view)


def read_file(path: Path) -> list[Part]:
    """The traces and profiles in a file or folder, also with the readers of plugins. Raises InputError."""
    from cbvtool.extensions import discover
    from cbvtool.trace.readers.registry import read_traces, use_readers

    use_readers(discover()[0].readers.values())
    with progress() as shown:
        return read_traces(path, shown)


def counted_lines(changes: Changes | None, path: Path) -> Changes | None:
    """The history of the folder `path` with counted lines, which takes long."""
    from dataclasses import replace

    from cbvtool import mining
    from cbvtool.analysis.cache import keeper_in

    if changes is None or changes.churn is not None or not path.is_dir():
        return changes
    with progress() as shown:
        return replace(changes, churn=mining.read_churn(path, changes, progress=shown, keeper=keeper_in(True)))


def planned(chosen: argparse.Namespace) -> Graph:
    """The graph of a folder or graph file, or the target graph of a document; without the history."""
    return planned_at(chosen)[0]


def planned_history(chosen: argparse.Namespace) -> tuple[History, Project, Document | None]:
    """The plan of a document, or an empty one for a folder or graph file; without the history in git."""
    from cbvtool.plan.history import History
    from cbvtool.project import open_project

    with progress() as shown, means(chosen) as how:
        if chosen.path.suffix.lower() != ".cbv":
            project = open_project(chosen.path, history=False, progress=shown, **how)
            return History(project.graph), project, None
        document, project = open_plans(chosen.path, history=False, progress=shown, **how)
    return document.plan.history(project.graph), project, document


def planned_at(chosen: argparse.Namespace) -> tuple[Graph, str]:
    """As `planned`, with the id of the commit for paths and lines; empty without one."""
    history, project, _ = planned_history(chosen)
    return history.graph, project.commit


def relations(graph: Graph, *, guesses: bool) -> npt.NDArray[np.bool_] | None:
    """Which relations count; None = all."""
    from cbvtool.metrics.structure.users import is_sure

    return None if guesses else is_sure(graph)


def when(chosen: argparse.Namespace) -> dict[str, bool]:
    """Arguments for `asking.steps.steps` from the options of `arguments.add_when`."""
    return {"deferred": not chosen.without_deferred, "type_checking": not chosen.without_type_checking}


def say_refusals(history: History) -> int:
    """Report the steps of a plan that do not fit the code any more, and are left out of the result."""
    for refusal in history.refusals:
        say(f"A step of the plan no longer fits this version of the code and is left out: {refusal.reason}")
    return FINDINGS if history.refusals else DONE
