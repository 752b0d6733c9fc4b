"""The part of a session that holds the open traces and what they add to the picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cbvtool.geometry.state.view_state import OF_TRACES, VARIABLES, RelationFilter
from cbvtool.graph import REMOVED, Graph
from cbvtool.metrics.run_time import NAMES, run_time_metrics
from cbvtool.plan.document import TraceFile
from cbvtool.progress import Progress
from cbvtool.rules import run_time_violations, skipped_layers
from cbvtool.session.change import Change
from cbvtool.session.overlay import Overlay, awaited
from cbvtool.session.state import State
from cbvtool.session.traces.activity import activity
from cbvtool.session.traces.files import Imported
from cbvtool.session.traces.rows import MOST_ROWS, CallRows
from cbvtool.trace.coverage.line_coverage import Coverage
from cbvtool.trace.coverage.node_coverage import NodeCoverage, functions_entered, lines_covered
from cbvtool.trace.mapping.map_functions import map_functions
from cbvtool.trace.mapping.node_map import NO_NODE, NodeMap
from cbvtool.trace.model.focus import Focus
from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.overlay.call_classes import CallClasses
from cbvtool.trace.overlay.of_profile import run_time_of_profile
from cbvtool.trace.overlay.run_time import RunTime
from cbvtool.trace.overlay.windows import classes_of, run_time


@dataclass(frozen=True, eq=False)
class Laid:
    """What does not depend on the window: the node of each function, and which calls count alike (with the graph)."""

    map: NodeMap
    classes: CallClasses


@dataclass(frozen=True, eq=False)
class OpenTrace:
    """One trace that is open.

    file  where it comes from; several traces may come from one
    laid  over the graph; None = that is being found out
    """

    file: TraceFile
    trace: Trace
    laid: Laid | None = None


@dataclass(frozen=True, eq=False)
class OpenProfile:
    """One profile that is open: sums over a whole run, without windows of time and threads to choose.

    map  the node of each function; None = that is being found out
    """

    file: TraceFile
    profile: Profile
    map: NodeMap | None = None


@dataclass(frozen=True, eq=False)
class OpenReport:
    """A report of coverage that is open."""

    file: TraceFile
    coverage: Coverage


@dataclass(frozen=True, eq=False)
class FocusFound:
    """What another thread finds out for a focus.

    base      the graph without the plan, whose keys these are
    trace     the one that is looked at; None = it is a profile, or there are reports of coverage alone
    report    whose lines are covered; None = functions that the trace calls are
    seen      bool[n]: nodes that the recording would have called had they run
    activity  int64[PARTS] over the whole trace, of the threads of the focus
    profile   the one that is looked at in place of a trace
    map       of its functions
    """

    base: Graph
    trace: Trace | None
    report: OpenReport | None
    focus: Focus
    laid: Laid | None
    run_time: RunTime | None
    covered: NodeCoverage
    seen: npt.NDArray[np.bool_]
    activity: npt.NDArray[np.int64]
    profile: Profile | None = None
    map: NodeMap | None = None


class Traces:
    """Holds what is open. A change of it is told as `Change.TRACE`; what takes long is found out elsewhere.

    files    all files that the document names, also those that are not open (yet)
    opened   the traces that are open
    profiles those that are open; they are numbered after the traces
    reports  of coverage that are open; the last one counts
    missing  files of the document that are still to be read
    focus    the part of them that the picture shows
    found    what is known of a focus, which may be the one before; None = nothing yet
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self.opened: tuple[OpenTrace, ...] = ()
        self.profiles: tuple[OpenProfile, ...] = ()
        self.reports: tuple[OpenReport, ...] = ()
        self.missing: tuple[TraceFile, ...] = ()
        self.focus = Focus()
        self.found: FocusFound | None = None
        self._against: tuple[object, object, tuple[tuple[int, int], ...]] | None = None

    # -- which are open --------------------------------------------------------------------------------------

    def begin(self, files: Sequence[TraceFile]) -> None:
        """Another document names these files; none is open."""
        self.opened, self.profiles, self.reports, self.missing = (), (), (), tuple(files)
        self.found, self.focus = None, Focus()
        self._state.overlay = awaited() if files else None

    @property
    def files(self) -> tuple[TraceFile, ...]:
        """All files that the document names."""
        parts: tuple[OpenTrace | OpenProfile | OpenReport, ...] = (*self.opened, *self.profiles, *self.reports)
        return tuple(dict.fromkeys((*(each.file for each in parts), *self.missing)))

    @property
    def current(self) -> OpenTrace | None:
        """The trace that is looked at; None = none, or a profile."""
        return self.opened[self.focus.trace] if self.focus.trace < len(self.opened) else None

    @property
    def profile(self) -> OpenProfile | None:
        """The profile that is looked at; None = none, or a trace."""
        place = self.focus.trace - len(self.opened)
        return self.profiles[place] if 0 <= place < len(self.profiles) else None

    @property
    def has_calls(self) -> bool:
        """Whether something is open that says who called whom, or how long what took."""
        return bool(self.opened or self.profiles)

    def add(self, imported: Imported, instead: TraceFile | None = None) -> None:
        """Open what was read from a file, and look at it.

        instead   the file of the document that it was read for: another path, or the same one
        """
        self._take_in(imported, instead)
        self._state.tell(Change.TRACE, Change.VIEW, Change.FILE)

    def add_all(self, imported: Sequence[Imported]) -> None:
        """Open what was read from several files, and look at the last; told once."""
        for each in imported:
            self._take_in(each, None)
        if imported:
            self._state.tell(Change.TRACE, Change.VIEW, Change.FILE)

    def _take_in(self, imported: Imported, instead: TraceFile | None) -> None:
        gone = (imported.file.path, instead.path if instead is not None else imported.file.path)
        self.missing = tuple(file for file in self.missing if file.path not in gone)
        kept = tuple(each for each in self.opened if each.file.path not in gone)
        fresh = tuple(OpenTrace(imported.file, trace) for trace in imported.traces)
        sums = tuple(OpenProfile(imported.file, profile) for profile in imported.profiles)
        others = tuple(each for each in self.profiles if each.file.path not in gone)
        before = len(self.opened), len(self.profiles)
        self.reports = tuple(each for each in self.reports if each.file.path not in gone)
        if imported.coverage is not None:
            self.reports = (*self.reports, OpenReport(imported.file, imported.coverage))
        if fresh:
            self.focus = Focus(len(kept))
        elif sums:
            self.focus = Focus(len(kept) + len(others))
        elif (len(kept), len(others)) != before:
            self.focus = Focus()
        self.opened, self.profiles, self.found = kept + fresh, others + sums, None
        self._state.overlay = awaited()

    def leave_out(self, file: TraceFile) -> None:
        """The document does not name this file any more."""
        self.missing = tuple(other for other in self.missing if other != file)
        self.opened = tuple(each for each in self.opened if each.file != file)
        self.profiles = tuple(each for each in self.profiles if each.file != file)
        self.reports = tuple(each for each in self.reports if each.file != file)
        self.focus, self.found = Focus(), None
        self._forget() if not self.files else None
        self._state.tell(Change.TRACE, Change.VIEW, Change.FILE)

    def close(self) -> None:
        """Close the file of what is looked at."""
        if (current := self.current or self.profile or self.report) is not None:
            self.leave_out(current.file)

    @property
    def report(self) -> OpenReport | None:
        """The report of coverage that counts."""
        return self.reports[-1] if self.reports else None

    @property
    def is_open(self) -> bool:
        """Whether a trace, a profile or a report is open."""
        return bool(self.opened or self.profiles or self.reports)

    @property
    def rules_apply(self) -> bool:
        """Whether run-time calls must keep the rules of the project (TR-3)."""
        return self._state.rules_at_run_time

    def apply_rules(self, on: bool) -> None:
        """Let run-time calls keep the rules, or not."""
        self._state.rules_at_run_time = on
        self._state.tell(Change.TRACE, Change.VIEW)

    @property
    def weigh_plans(self) -> bool:
        """Whether the judgement of plans weighs dependencies by the calls that went along them (NEW-7)."""
        return self._state.weigh_by_calls

    def weigh(self, on: bool) -> None:
        """Weigh dependencies by calls, or as they are in the code."""
        self._state.weigh_by_calls = on
        self._state.tell(Change.TRACE, Change.VIEW)

    def against_rules(self) -> tuple[CallRows, list[str]]:
        """(run-time calls that break a rule or pass over a layer, in words what of each)."""
        state = self._state
        observed = state.observed(state.planned) if state.history is not None else None
        if observed is None or state.rules is None or not self.rules_apply:
            nobody = np.empty(0, np.int32)
            return CallRows(nobody, nobody, np.empty(0, np.int64), np.empty(0, np.int64)), []
        found = [run_time_violations(observed.graph, state.rules), skipped_layers(observed.graph, state.rules)]
        rows = np.concatenate([rows for rows, _ in found])
        words = [sentence for _, sentences in found for sentence in sentences]
        edges, kept = observed.graph.edges, rows[:MOST_ROWS]
        calls = CallRows(
            edges.source[kept],
            edges.target[kept],
            observed.count[kept].astype(np.int64),
            observed.time[kept].astype(np.int64),
            len(rows) - len(kept),
        )
        return calls, words

    @property
    def pairs_against_rules(self) -> tuple[tuple[int, int], ...]:
        """(caller, callee) of each of them, keys; asked for by every view after everything that happens."""
        state = self._state
        if not self.rules_apply or state.rules is None or state.history is None:
            return ()
        observed = state.observed(state.planned)
        if self._against is None or self._against[0] is not observed or self._against[1] is not state.rules:
            calls, _ = self.against_rules()
            pairs = tuple(zip(calls.caller.tolist(), calls.callee.tolist(), strict=True))
            self._against = (observed, state.rules, pairs)
        return self._against[2]

    def follow(self, overlay: Overlay | None) -> None:
        """Show what another session shows of its traces."""
        if overlay is None:
            self._forget()
        self._state.overlay = overlay
        self._state.tell(Change.TRACE, Change.VIEW)

    def _forget(self) -> None:
        """No trace is open: nothing of the picture may go by one."""
        state, usual = self._state, self._state.usual_mapping
        mapping = state.view.mapping
        instead: dict[str, Any] = {
            name: getattr(usual, name)
            for variable in VARIABLES
            if getattr(mapping, variable) in NAMES
            for name in (variable, f"{variable}_by", *([] if variable == "angle" else [f"{variable}_scale"]))
        }
        if mapping.thickness in OF_TRACES:
            instead["thickness"] = usual.thickness
        chosen = replace(state.view.filter, evidence=RelationFilter().evidence)
        state.view = replace(state.view, mapping=replace(mapping, **instead), filter=chosen)
        state.overlay = None

    # -- what is looked at -------------------------------------------------------------------------------------

    def look_at(self, focus: Focus) -> None:
        """Show another part; the picture follows once it is found out."""
        if focus == self.focus or not 0 <= focus.trace < max(len(self.opened) + len(self.profiles), 1):
            return
        self.focus = focus
        self._state.tell(Change.TRACE)

    @property
    def is_wanted(self) -> bool:
        """Whether something is to be found out, by `prepare`."""
        current = self.current
        if not self.is_open or self._state.history is None:
            return False
        found = self.found
        if found is None or found.base is not self._state.history.base:
            return True
        trace = None if current is None else current.trace
        profile = None if self.profile is None else self.profile.profile
        if found.profile is not profile:
            return True
        return found.trace is not trace or found.report is not self.report or not found.focus.shows_same(self.focus)

    def prepare(self) -> Callable[[Progress], FocusFound]:
        """What finds out what the present focus shows, on any thread."""
        history, project = self._state.history, self._state.project
        current, report, focus, before = self.current, self.report, self.focus, self.found
        assert history is not None
        root = project.path if project is not None and project.kind == "folder" else None
        if (profile := self.profile) is not None:
            return lambda progress: find_profile(history.base, root, profile, report, focus, before, progress)
        return lambda progress: find(history.base, root, current, report, focus, before, progress)

    def take(self, found: FocusFound) -> None:
        """Show what was found out, unless another subject or other traces are open by now."""
        history = self._state.history
        if history is None or found.base is not history.base or found.report is not self.report:
            return
        if found.trace is not None and all(each.trace is not found.trace for each in self.opened):
            return
        if found.profile is not None and all(each.profile is not found.profile for each in self.profiles):
            return
        self.opened = tuple(
            replace(each, laid=found.laid) if each.trace is found.trace else each for each in self.opened
        )
        self.profiles = tuple(
            replace(each, map=found.map) if each.profile is found.profile else each for each in self.profiles
        )
        self.found = found
        metrics = run_time_metrics(found.run_time, found.covered, seen=found.seen)
        self._state.overlay = Overlay(found.run_time, metrics)
        self._state.tell(Change.TRACE, Change.VIEW)

    def settle(self) -> None:
        """Find out at once what is to be found out: where nobody waits at a window."""
        if self.is_wanted:
            self.take(self.prepare()(lambda *_told: None))

    def rekey(self) -> None:
        """More is known about the subject, whose nodes have other keys: all is found out anew."""
        self.found = None
        if self.files:
            self._state.overlay = awaited()


def find(
    base: Graph,
    root: Path | None,
    current: OpenTrace | None,
    report: OpenReport | None,
    focus: Focus,
    before: FocusFound | None,
    progress: Progress,
) -> FocusFound:
    """Map the functions of a trace that is not mapped yet, add up the calls of a focus, and see what is covered.

    root  where the code of the graph lies
    """
    covered = _lines(base, root, report, before, progress)
    if current is None:
        nobody = np.zeros(len(base), np.bool_)
        assert covered is not None
        return FocusFound(base, None, report, focus, None, None, covered, nobody, np.zeros(0, np.int64))
    trace, laid = current.trace, current.laid
    if laid is None or laid.classes.graph is not base:
        progress("Looking for the functions of the trace in the code", 0, 0)
        known = map_functions(trace.functions, base, root)
        progress("Sorting calls", 0, 0)
        laid = Laid(known, classes_of(trace, known, base))
    same = before is not None and before.trace is trace and before.focus.threads == focus.threads
    active = before.activity if before is not None and same else activity(trace, focus.threads, progress)
    progress("Adding up calls", 0, 0)
    made = run_time(trace, laid.classes, focus.within(trace.span), focus.threads)
    seen = seen_by(base, laid.map)
    covered = covered or _entered(base, made, seen)
    return FocusFound(base, trace, report, focus, laid, made, covered, seen, active)


def find_profile(
    base: Graph,
    root: Path | None,
    current: OpenProfile,
    report: OpenReport | None,
    focus: Focus,
    before: FocusFound | None,
    progress: Progress,
) -> FocusFound:
    """The same of a profile."""
    covered = _lines(base, root, report, before, progress)
    profile, known = current.profile, current.map
    if known is None or before is None or before.base is not base:
        progress("Looking for the functions of the profile in the code", 0, 0)
        known = map_functions(profile.functions, base, root)
    progress("Adding up calls", 0, 0)
    made = run_time_of_profile(profile, known, base)
    seen = seen_by(base, known)
    covered = covered or _entered(base, made, seen)
    nothing = np.zeros(0, np.int64)
    return FocusFound(base, None, report, focus, None, made, covered, seen, nothing, profile, known)


def _lines(
    base: Graph, root: Path | None, report: OpenReport | None, before: FocusFound | None, progress: Progress
) -> NodeCoverage | None:
    """What a report says is covered; None without a report."""
    if report is None:
        return None
    progress("Looking for the covered lines in the code", 0, 0)
    if before is not None and before.report is report and before.base is base:
        return before.covered
    return lines_covered(report.coverage, base, root)


def _entered(base: Graph, made: RunTime, seen: npt.NDArray[np.bool_]) -> NodeCoverage:
    """The functions that were called, of those that a recording would know of."""
    entered = functions_entered(base, made.calls)
    return NodeCoverage(entered.covered * seen, entered.measured * seen, entered.unit)


def seen_by(graph: Graph, known: NodeMap) -> npt.NDArray[np.bool_]:
    """bool[n]: the nodes that a recording would have called had they run: in files of the languages it is about."""
    mapped = known.node[known.node != NO_NODE]
    suffix = [name.rpartition(".")[2] for name in graph.files]
    recorded = {suffix[file] for file in np.unique(graph.file[mapped]).tolist() if file >= 0}
    of_file = np.array([ending in recorded for ending in suffix] or [False], np.bool_)
    found: npt.NDArray[np.bool_] = (graph.file >= 0) & of_file[graph.file] & (graph.parent != REMOVED)
    return found
