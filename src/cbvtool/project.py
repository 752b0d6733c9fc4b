"""Open a folder with source code and history, or a saved graph."""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

from cbvtool import analysis, mining
from cbvtool.analysis.cache import keeper_in
from cbvtool.analysis.live import LiveAnalysis
from cbvtool.errors import Cancelled, InputError
from cbvtool.formats import format_of, read_graph
from cbvtool.graph import Graph
from cbvtool.history.counting import changes_of_project
from cbvtool.history.hidden_names import without_names
from cbvtool.history.roster import PeopleSettings, Roster, read_people, roster
from cbvtool.history.time_range import Mark, marks
from cbvtool.metrics import file_history
from cbvtool.mining.changes import Changes
from cbvtool.mining.keeper import Keeper
from cbvtool.plan.document import Document, TraceFile, read_document
from cbvtool.plan.effort import USUAL, Weights, read_weights
from cbvtool.plan.moved import located
from cbvtool.plan.sites.code import NO_CODE, Code
from cbvtool.plan.sites.files import folder_code
from cbvtool.progress import Progress, silent

NOBODY = PeopleSettings()
_POLL = 0.1  # seconds between two looks at how far the history is
_DYING = 1.0  # seconds in which the reading of a history may end; after that nobody waits for it any more


@dataclass(frozen=True, eq=False)
class Project:
    """What is open.

    path      absolute path of the folder, or of the graph file
    name      what the root is called
    graph     as analysed; what the history says about each file is recorded in its values, so that it travels
              with the graph
    changes   the history; None when it was not asked for, or the graph file has none
    commit    id of the commit that the history ends at; empty without one
    kind      `folder` or `graph`
    since     when the analysis of the folder began, seconds since the epoch; 0 = not known
    partial   imports alone, without history: the rest is being read
    releases  the tags whose commits are part of the history, the first one first
    people    what the project says about people; where it hides names, `changes` has none
    roster    who the authors of `changes` are
    keeper    keeps what was read of the history, for the next time; None = nobody does
    """

    path: Path
    name: str
    graph: Graph
    changes: Changes | None
    commit: str
    kind: Literal["folder", "graph"]
    since: float = 0.0
    partial: bool = False
    releases: tuple[Mark, ...] = ()
    people: PeopleSettings = NOBODY
    roster: Roster = field(default_factory=Roster)
    keeper: Keeper | None = None

    def __post_init__(self) -> None:
        _ = self.graph.tree  # takes seconds for a million nodes: on the thread that analyses, not the window's

    @cached_property
    def code(self) -> Code:
        """The text of the files that did not change since the analysis. A saved graph gives no text."""
        return folder_code(self.path, self.graph, self.since) if self.kind == "folder" else NO_CODE

    @cached_property
    def weights(self) -> Weights:
        """The weights of the effort that the project states; the usual ones if it states none, or wrong ones."""
        try:
            return read_weights(self.path) if self.kind == "folder" else USUAL
        except InputError:
            return USUAL

    @property
    def history(self) -> dict[str, Any] | None:
        """The history as plain columns for `formats`; None without any commit."""
        return self.changes.to_dict() if self.changes is not None and self.changes.sha else None


def open_project(
    path: Path | str,
    *,
    history: bool = True,
    jobs: int | None = None,
    progress: Progress = silent,
    cache: Path | bool = True,
    config: Path | None = None,
    executor: Executor | None = None,
    on_first: Callable[[Project], None] | None = None,
    live: LiveAnalysis | None = None,
) -> Project:
    """Analyse the folder `path`, or read the graph file `path` (see `formats.registry`).

    history    also read the git history, at the same time
    jobs       number of processes that parse; None = as many as there are cores
    progress   is called on the calling thread only; what it raises (`Cancelled`) stops everything
    cache      folder in which to keep what the analysis found, for the next time; True = the user's, False = none
    config     read the settings of the analysis from this file, not from the folder's `cbvtool.toml`
    executor   reads the sources in place of processes of our own
    on_first   if the analysis takes long, gets a first project within seconds: imports alone, without history
    live       what the last analysis of the folder left in memory, and this one leaves for the next

    Raises InputError for a path that cannot be opened as either.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
        path = Path(os.path.abspath(path))
    except FileNotFoundError:
        raise InputError(f"{path} does not exist.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be opened: {getattr(error, 'strerror', None) or error}.") from None
    if stat.S_ISDIR(mode):
        analyze = partial(
            analysis.analyze,
            path,
            jobs=jobs,
            progress=progress,
            cache=cache,
            config=config,
            executor=executor,
            live=live,
        )
        return _open_folder(path, history, progress, analyze, on_first, keeper_in(cache))
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is neither a folder nor a file.")
    return _open_graph(path, progress)


def open_again(project: Project, **how: Any) -> Project:
    """`project` as it is now; see `open_project` for `how`. The history is read anew only if there is another commit.

    Raises InputError for what cannot be opened any more.
    """
    if project.kind != "folder" or project.changes is None or not _is_history_of(project):
        return open_project(project.path, history=project.changes is not None, **how)
    return _with_history(open_project(project.path, history=False, **how), project)


def _is_history_of(project: Project) -> bool:
    """Whether the history of `project` is the one that its folder has now."""
    try:
        return mining.head_commit(project.path) == project.commit and read_people(project.path) == project.people
    except InputError:
        return False


def _with_history(fresh: Project, before: Project) -> Project:
    """`fresh` with the history of `before`, which is that of the same commit."""
    graph, changes = fresh.graph, before.changes
    if changes is not None and changes.sha:
        graph = graph.with_(values={**graph.values, **file_history(graph, changes)})
    return replace(
        fresh,
        graph=graph,
        commit=before.commit,
        keeper=before.keeper,
        changes=changes,
        releases=before.releases,
        people=before.people,
        roster=before.roster,
    )


def open_document(
    file: Path | str,
    *,
    history: bool = True,
    jobs: int | None = None,
    progress: Progress = silent,
    cache: Path | bool = True,
    config: Path | None = None,
    executor: Executor | None = None,
    note: Callable[[str], None] | None = None,
) -> tuple[Document, Project]:
    """Read the document (`.cbv`) `file` and open what it is about; see `open_project` for the other parameters.

    note   told a sentence when the subject is not where the document says, and was found elsewhere

    Raises InputError for a document that cannot be read, and for a subject that is not found.
    """
    lost = read_document(Path(file))
    document, sentence = located(lost, Path(file))
    if document is None:
        raise InputError(
            f"{file} is about {lost.subject}, which is not there: was it moved or renamed? "
            f"`cbvtool open {file}` asks where it is."
        )
    if sentence and note is not None:
        note(sentence)
    how = {"history": history, "jobs": jobs, "cache": cache, "config": config, "executor": executor}
    return document, open_subject(document.subject, document.traces, progress=progress, **how)


def open_subject(subject: Path, traces: Iterable[TraceFile], *, progress: Progress = silent, **how: Any) -> Project:
    """Open what plans are about: a recording if it is one of their traces, else see `open_project` for `how`."""
    if any(file.path == subject for file in traces):
        return open_recording(subject, progress)
    return open_project(subject, progress=progress, **how)


def open_recording(path: Path, progress: Progress = silent) -> Project:
    """A recording without the code that ran, as a project: its graph is made of its functions.

    Raises InputError for what is no recording, or holds no calls.
    """
    from cbvtool.trace.mapping.own_graph import graph_of
    from cbvtool.trace.readers.registry import read_traces

    parts = read_traces(path, progress)
    if not parts:
        raise InputError(f"{path.name} holds no calls: open the folder of its code with it.")
    progress("Making a graph of its functions", 0, 0)
    graph, _ = graph_of(parts[0])
    return Project(path.absolute(), graph.names[graph.root], graph, None, "", "graph")


def analyze(path: Path | str, history: bool = True, jobs: int | None = None, progress: Progress = silent) -> Graph:
    """The graph of the folder (or saved graph) `path`: `import cbvtool; g = cbvtool.analyze("path")`.

    Raises InputError for a path that cannot be opened. See `open_project` for the parameters.
    """
    return open_project(path, history=history, jobs=jobs, progress=progress).graph


def _open_folder(
    path: Path,
    history: bool,
    progress: Progress,
    analyze: Callable[..., Graph],
    on_first: Callable[[Project], None] | None,
    keeper: Keeper,
) -> Project:
    _refuse_bare(path)
    since = time.time()

    def first(graph: Graph) -> None:
        assert on_first is not None
        on_first(Project(path, graph.name, graph, None, mining.head_commit(path), "folder", since, partial=True))

    reading = _Reading(path, keeper) if history else None
    try:
        graph = analyze(on_first=first if on_first else None)
        changes = changes_of_project(path, reading.result(progress)) if reading else None
    finally:
        if reading:
            reading.stop()
    if changes is not None and changes.sha:
        try:
            graph = graph.with_(values={**graph.values, **file_history(graph, changes)})
        except Exception as error:
            changes = _no_history(path, error)
    commit = changes.head if changes is not None and changes.head else mining.head_commit(path)
    releases = () if changes is None or reading is None else marks(changes, reading.tags)
    people, known, changes = _people(path, changes)
    return Project(
        path,
        graph.name,
        graph,
        changes,
        commit,
        "folder",
        since,
        releases=releases,
        people=people,
        roster=known,
        keeper=keeper,
    )


def _people(path: Path, changes: Changes | None) -> tuple[PeopleSettings, Roster, Changes | None]:
    """(what the project says about people, who the authors are, the history, without names if they are to be hidden).

    Settings that cannot be understood hide the names: whoever wrote them may have wanted that.
    """
    try:
        people = read_people(path)
        known = Roster(quiet_days=people.quiet_days) if changes is None else roster(changes, people)
    except InputError as error:
        people, known = PeopleSettings(hide_names=True, notes=(str(error),)), Roster()
    if people.hide_names and changes is not None and changes.sha:
        changes = without_names(changes)
    if people.notes and changes is not None:
        changes = replace(changes, notes=(*changes.notes, *people.notes))
    return people, known, changes


def _no_history(path: Path, error: Exception) -> Changes:
    """In place of a history that failed: the picture does without."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return Changes.none(f"The history of {path} could not be read ({said}).")


def _open_graph(path: Path, progress: Progress) -> Project:
    if path.name.lower().endswith(".cbv"):
        raise InputError(f"{path} is a document with a plan: name the folder or the graph file that it is about.")
    if format_of(path) is None:
        raise InputError(f"{path} is a file and no saved graph: open the folder that it lies in.")
    graph, history = read_graph(path, progress)
    changes = None if history is None else Changes.from_dict(history)
    return Project(path, graph.name, graph, changes, changes.head if changes else "", "graph")


def _refuse_bare(path: Path) -> None:
    """The inside of a repository has no sources to look at, only git's own files."""
    if mining.is_bare_repository(path):
        raise InputError(f"{path} is a bare git repository, without files: clone it and open the clone.")


class _Reading:
    """Reads the history on a thread of its own: it mostly waits for git while the sources are parsed.

    Whatever goes wrong there costs the history, never the picture. Nobody waits long for the thread to end: git may
    hang where no signal reaches it.
    """

    def __init__(self, path: Path, keeper: Keeper) -> None:
        self._path, self._keeper = path, keeper
        self._stopping = threading.Event()
        self._processes = mining.Processes()
        self._state = ("reading history", 0, 0)
        self._changes: Changes | None = None
        self.tags: dict[str, str] = {}  # name -> commit
        self._over = threading.Event()
        try:
            threading.Thread(target=self._run, name="history", daemon=True).start()
        except RuntimeError as error:  # the system has no thread for us
            self._changes = _no_history(path, error)
            self._over.set()

    def _run(self) -> None:
        try:
            self._changes = mining.read_changes(
                self._path, progress=self._note, processes=self._processes, keeper=self._keeper
            )
            if self._changes.sha:
                self.tags = mining.read_tags(self._path, self._processes)
        except Cancelled:
            pass
        except Exception as error:
            self._changes = _no_history(self._path, error)
        finally:
            self._over.set()

    def _note(self, what: str, done: int, total: int) -> None:
        self._state = (what, done, total)
        if self._stopping.is_set():
            raise Cancelled

    def result(self, progress: Progress) -> Changes:
        """Wait for the history, telling `progress` how far it is."""
        while not self._over.is_set():
            progress(*self._state)
            self._over.wait(_POLL)
        return self._changes or Changes.none(f"The history of {self._path} could not be read.")

    def stop(self) -> None:
        """End git, and the thread, if it still runs, at its next report."""
        self._stopping.set()
        self._processes.stop()
        self._over.wait(_DYING)
