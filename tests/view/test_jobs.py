"""Cancel in the status bar stops every background job, and all of them are run by `Jobs`."""

from __future__ import annotations

import ast
import re
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytestqt.qtbot import QtBot
from qtpy.QtCore import QObject, Qt, QThread
from qtpy.QtWidgets import QMessageBox

import cbvtool.view
from cbvtool.asking.source import SourcePlace
from cbvtool.errors import Cancelled
from cbvtool.geometry.scene.scene import Pipeline
from cbvtool.geometry.state.view_state import ViewState
from cbvtool.plan import Group, Move
from cbvtool.plan.document import Plan
from cbvtool.progress import Progress, checkpoint, stoppable
from cbvtool.project import Project
from cbvtool.rules import Rules
from cbvtool.rules.rule_kinds import ForbiddenRule, RuleTerms
from cbvtool.session import picture
from cbvtool.session.change import Change
from cbvtool.session.picture import Depicted
from cbvtool.session.traces.recording import ProgramRun
from cbvtool.session.traces.traces import OpenTrace
from cbvtool.trace.model.focus import Focus
from cbvtool.trace.record.options import RecordOptions
from cbvtool.view.commands.export_dialog import Wanted
from cbvtool.view.panels.alternatives.comparing_plans import ComparingPlans
from cbvtool.view.panels.alternatives.copying_steps import CopyingSteps
from cbvtool.view.panels.applying.plan_applying import PlanApplying
from cbvtool.view.panels.history.evolution_panel import EvolutionPanel
from cbvtool.view.panels.plan_judge import PlanJudge
from cbvtool.view.panels.timeline.timeline_panel import TimelinePanel
from cbvtool.view.panels.tracking.plan_tracker import PlanTracker
from cbvtool.view.toolkit import jobs as jobs_module
from cbvtool.view.window.main_window import MainWindow
from cbvtool.view.window.second_view import SECOND_VIEW
from tests.plugin_views.views import FaultyView, SyncView
from tests.trace.handmade import imported
from tests.trace.shop_run import shop_run

Endless = Callable[[Progress | None], object]
Begin = Callable[[MainWindow, pytest.MonkeyPatch, Endless], None]


def opening(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.window.opening.open_project", lambda *_a, progress, **_k: endless(progress))
    window.opening.open(Path("/"))


def exporting(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.drawing.offscreen.picture", lambda *_a, progress, **_k: endless(progress))
    window.exporting.write(Path("never.png"), Wanted(".png", (80, 80)))


def exporting_a_drawing(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.export.files.flat", lambda *_a, **_k: endless(lambda *_told: checkpoint()))
    window.exporting.write(Path("never.svg"), Wanted(".svg", (80, 80)))


def writing_a_report(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.commands.exporting.gather", lambda *_a, progress, **_k: endless(progress))
    window.exporting.write_report(Path("never.html"))


def measuring(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    values = window.session.scene().values
    monkeypatch.setattr(type(values), "measure", lambda _values, _name, progress: endless(progress))
    window.main_view.measuring.want(values, ("fan_in",))


def measuring_for_the_details(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    values = window.session.scene().values
    monkeypatch.setattr(type(values), "measure", lambda _values, _name, progress: endless(progress))
    window.main_view.measuring.want(values, (), ("fan_in",))


def comparing_versions(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    name = "cbvtool.view.panels.versions.comparing_versions.version_compared"
    monkeypatch.setattr(name, lambda *_a, progress, **_k: endless(progress))
    window.versions.compare("main")


def grouping(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(window.session, "grouped", lambda *_a: endless(None))
    window.hierarchies.show("packages")


def judging_the_plan(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.plan_judge.plan_figures", lambda *_a: endless(None))
    window.judging.ask()


def scene_making(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(picture, "HUGE", 0)
    monkeypatch.setattr(Depicted, "made_by", lambda *_a: endless(lambda *_told: checkpoint()))
    window.session.set_view(expanded=frozenset())


def planning(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(picture, "HUGE", 0)
    monkeypatch.setattr(Depicted, "made_by", lambda *_a: endless(lambda *_told: checkpoint()))
    key_of = window.session.graph.key_of
    window.session.move([key_of["shop/domain"]], key_of["shop/ui"])


def opening_a_second_view(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.session.follower.SecondSession.beginning", lambda *_a: endless(None))
    window.beside.open(SECOND_VIEW)


def looking_for_a_path(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.paths_panel.shortest_paths", lambda *_a, progress: endless(progress))
    key_of = window.session.graph.key_of
    window.desk.panels["paths"].ask(key_of["shop/ui"], key_of["shop/domain"])


def looking_for_who_is_affected(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.impact_panel.impact", lambda *_a, progress, **_k: endless(progress))
    window.desk.panels["impact"].ask((window.session.graph.key_of["shop/domain"],))


def counting_for_the_matrix(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.matrix_panel.SLOW", 0)
    monkeypatch.setattr("cbvtool.view.panels.matrix_panel.matrix", lambda *_a, **_k: endless(None))
    window.desk.raise_panel("matrix")


def reading_a_source(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.source_panel.read_source", lambda *_a: endless(None))
    window.desk.raise_panel("source")
    window.desk.panels["source"].show_lines(SourcePlace(0, 1, 1))


def reading_what_was_changed(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    name = "cbvtool.view.panels.versions.source_difference.read_patch"
    monkeypatch.setattr(name, lambda *_a: endless(lambda *_told: checkpoint()))
    window.desk.raise_panel("source")
    window.desk.panels["source"].show_difference("shop/core.py", 1, "a", "b")


def looking_for_unused_code(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(
        "cbvtool.view.panels.unused_panel.unused", lambda _graph, _patterns, progress: endless(progress)
    )
    window.desk.raise_panel("unused")


def looking_for_findings(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.findings_panel.find", lambda *asked, **_more: endless(asked[0].progress))
    window.desk.raise_panel("findings")


def previewing_a_rule(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.rules.rule_dialog.judge", lambda *_a: endless(lambda *_told: checkpoint()))
    graph = window.session.graph
    window.session.select([graph.key_of["shop/ui"], graph.key_of["shop/domain"]])
    window.desk.do("rule_forbid")


def judging_the_rules(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(window.session, "judging_rules", lambda: lambda: endless(lambda *_told: checkpoint()))
    chains = ForbiddenRule(("shop/ui",), ("shop/domain",), RuleTerms(chains=True))
    monkeypatch.setattr(window.session.state, "_rules", Rules(stated=(chains,)))
    window.session.state.tell(Change.PLAN)


def looking_for_proposals(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.proposals_panel.proposed", lambda *_asked: endless(_asked[-1]))
    window.desk.raise_panel("proposals")
    window.desk.panels["proposals"].ask_moves()


def counting_changed_lines(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(
        "cbvtool.view.panels.timeline.line_counting.read_churn",
        lambda _root, _changes, progress, **_how: endless(progress),
    )
    window.session.map("height", "churn")


def searching(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.commands.searching.search", lambda *_a: endless(None))
    window.search.setText("order")
    window.search.ask()


def looking_for_unsaved_plans(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.commands.unsaved.find_offered", lambda *_a: endless(None))
    window.unsaved.offer()


def judging(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    window.jobs.drop(window.desk.part(PlanJudge))
    monkeypatch.setattr(window.session.judging, "_judged", None)
    monkeypatch.setattr("cbvtool.session.planning.judging.judged", lambda *_a: endless(lambda *_told: checkpoint()))
    window.session.begin_drag([window.session.graph.key_of["shop/domain"]])


def reading_a_trace(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.traces.tracing.imported", lambda _path, progress: endless(progress))
    window.tracing.open_file(Path("run.json"))


def reading_many_traces(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.session.traces.files.imported", lambda _path, progress: endless(progress))
    window.tracing.open_files([Path("one.json"), Path("two.json")])


def adding_up_calls(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.session.traces.traces.map_functions", lambda *_a: endless(None))
    traces, run = window.session.traces, imported(shop_run(window.session.graph))
    traces.opened = (OpenTrace(run.file, run.traces[0]),)
    traces.look_at(Focus(0, (0, 5)))


def making_what_a_view_needs(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    class Slow(FaultyView):
        def work(self, *, progress: Progress) -> int:
            endless(progress)
            return 1

    traces, run = window.session.traces, imported(shop_run(window.session.graph))
    traces.opened = (OpenTrace(run.file, run.traces[0]),)
    window.session.plugin_views.offer({"faulty": Slow()}, lambda _view, _reason: None)
    prepared(monkeypatch, "faulty")
    window.plugin_docks.open("faulty")


def reading_a_file_for_a_view(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    traces, run = window.session.traces, imported(shop_run(window.session.graph))
    traces.opened = (OpenTrace(run.file, run.traces[0]),)
    window.session.plugin_views.offer({"sync": SyncView()}, lambda _view, _reason: None)
    prepared(monkeypatch, "sync")
    window.plugin_docks.open("sync")
    (dock,) = window.plugin_docks.docks.values()
    monkeypatch.setattr("cbvtool.view.panels.plugin_views.plugin_panel.text_of_file", lambda _path: endless(None))
    dock.panel.parameters.file_wanted.emit("theta", Path("values.csv"))


def prepared(monkeypatch: pytest.MonkeyPatch, view: str) -> None:
    """As if the view had been drawn before: nothing else is under way."""
    monkeypatch.setattr("cbvtool.view.panels.plugin_views.plugin_panel._PREPARED", {view})


def preparing_a_view(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.plugin_views.plugin_panel._PREPARED", set())
    monkeypatch.setattr("cbvtool.view.panels.plugin_views.plugin_panel.warm_up", lambda: endless(None))
    traces, run = window.session.traces, imported(shop_run(window.session.graph))
    traces.opened = (OpenTrace(run.file, run.traces[0]),)
    window.session.plugin_views.offer({"sync": SyncView()}, lambda _view, _reason: None)
    window.plugin_docks.open("sync")


def preparing_the_timeline(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.timeline.timeline_panel.warm_up", lambda: endless(None))
    window.desk.show(TimelinePanel)


def recording_a_program(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(
        "cbvtool.view.panels.traces.recording.record_program", lambda _run, _stop, progress: endless(progress)
    )
    window.recording.begin(ProgramRun(("python", "app.py"), Path(), RecordOptions(Path("nowhere"))))


def looking_for_what_changes_together(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    module = "cbvtool.view.panels.history.coupling_panel"
    monkeypatch.setattr(f"{module}.ranking", lambda *_a, progress, **_k: endless(progress))
    window.desk.raise_panel("coupling")


def looking_for_who_knows_what(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.history.people_panel._table", lambda *a: endless(a[-1]))
    window.desk.raise_panel("people")


def reading_earlier_versions(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(
        "cbvtool.view.panels.history.evolution_panel.read_evolution", lambda *_, progress, **__: endless(progress)
    )
    panel = window.desk.show(EvolutionPanel)
    panel.look_back()


def following_the_plan(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(
        "cbvtool.view.panels.tracking.plan_tracker.read_progress", lambda *_a, progress, **_k: endless(progress)
    )
    plan = Plan("plan", (Group("step", (Move(("shop/domain",), "shop/ui"),)),), commit="1" * 40)
    window.desk.part(PlanTracker)._start((), Path("/"), plan, "HEAD", window.session.graph)


def comparing_plans(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.session.alternatives.side_by_side.compare_plans", lambda *_a: endless(None))
    window.desk.part(ComparingPlans).ask()


def _make_second_plan(window: MainWindow) -> None:
    choice, key_of = window.session.plan_choice, window.session.graph.key_of
    if "other" not in choice.plans.names:
        window.session.move([key_of["shop/domain"]], key_of["shop/ui"])
        choice.new("other")


def copying_steps(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.session.alternatives.choosing.copy_steps", lambda *_a: endless(None))
    _make_second_plan(window)
    copying = window.desk.part(CopyingSteps)
    copying.ask("Plan 1", "other")
    assert copying.dialog is not None
    copying.dialog.asked.emit()


def analysing_what_was_saved(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.window.work_tree.open_again", lambda *_a, progress, **_k: endless(progress))
    window.work_tree.freshen({})


def analysing_again(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.window.opening.open_subject", lambda *_a, progress, **_k: endless(progress))
    window.opening.again()


def listing_versions(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    name = "cbvtool.view.panels.versions.comparing_versions.open_versions"
    monkeypatch.setattr(name, lambda _path: endless(lambda *_told: checkpoint()))
    window.versions.ask()


def comparing_with_a_plan(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    module = "cbvtool.view.panels.versions.comparing_versions"
    monkeypatch.setattr(f"{module}.ask_plan", lambda *_a: Path("other.cbvplan"))
    monkeypatch.setattr(f"{module}.read_document", lambda _file: endless(None))
    window.versions.compare_plan()


def showing_two_plans(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.panels.versions.comparing_versions.plans_compared", lambda *_a: endless(None))
    _make_second_plan(window)
    window.versions.compare_plans("Plan 1", "other")


def reading_versions_of_a_file(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    module = "cbvtool.view.panels.history.evolution_panel"
    monkeypatch.setattr(f"{module}.commits_by_function", lambda *_a, progress, **_k: endless(progress))
    panel, graph = window.desk.show(EvolutionPanel), window.session.graph
    window.session.select([next(key for key in range(len(graph)) if graph.kind(key) == "file")])
    panel._list_functions()


def checking_tasks_against_the_rules(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(
        "cbvtool.view.panels.plan_judge.list_of_tasks", lambda *_a, **_k: endless(lambda *_told: checkpoint())
    )
    window.judging._check_rules(SimpleNamespace(history=window.session.history, tasks=1))


def carrying_out_a_plan(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.apply.applying.apply_plan", lambda *asked: endless(asked[3]))
    applying = window.desk.part(PlanApplying)
    applying.ask()
    applying.carry_out("new", None)


# (Those that make a plan of their own come first: nothing else is being planned then.)
# What may be under way, and where it begins: the file, and what is shown where the file begins several kinds.
KINDS: dict[Begin, str] = {
    showing_two_plans: "comparing_versions.py: f'Comparing {one_line(second)} with {one_line(called)}'",
    copying_steps: "copying_steps.py",
    opening: "opening.py: what",
    exporting: "exporting.py: f'Writing {file.name}'",
    exporting_a_drawing: "exporting.py: f'Writing {file.name}'",
    writing_a_report: "exporting.py: f'Writing the report {file.name}'",
    measuring: "measuring.py",
    measuring_for_the_details: "measuring.py",
    comparing_versions: "comparing_versions.py: f'Reading {one_line(name)}'",
    grouping: "hierarchies.py",
    judging_the_plan: "plan_judge.py: 'Judging the plan'",
    scene_making: "scene_making.py",
    planning: "scene_making.py",
    opening_a_second_view: "beside.py",
    looking_for_a_path: "paths_panel.py",
    looking_for_who_is_affected: "impact_panel.py",
    counting_for_the_matrix: "matrix_panel.py",
    reading_a_source: "source_panel.py",
    reading_what_was_changed: "source_difference.py",
    looking_for_unused_code: "unused_panel.py",
    looking_for_findings: "findings_panel.py",
    previewing_a_rule: "rule_dialog.py",
    judging_the_rules: "rules_panel.py",
    looking_for_proposals: "proposals_panel.py",
    looking_for_what_changes_together: "coupling_panel.py",
    looking_for_who_knows_what: "people_panel.py",
    reading_earlier_versions: "evolution_panel.py: 'Reading earlier versions'",
    searching: "searching.py",
    looking_for_unsaved_plans: "unsaved.py",
    judging: "judging.py",
    reading_a_trace: "tracing.py: f'Reading {one_line(path.name) or path}'",
    reading_many_traces: "tracing.py: f'Reading {len(paths):,} recordings'",
    adding_up_calls: "tracing.py: 'Adding up the calls of the trace'",
    making_what_a_view_needs: "plugin_panel.py: f'{self.instance.view.label}: {what}'",
    reading_a_file_for_a_view: "plugin_panel.py: f'Reading {one_line(path.name)}'",
    preparing_a_view: "plugin_panel.py: what",
    preparing_the_timeline: "timeline_panel.py",
    counting_changed_lines: "line_counting.py",
    recording_a_program: "recording.py",
    following_the_plan: "plan_tracker.py",
    comparing_plans: "comparing_plans.py",
    carrying_out_a_plan: "plan_applying.py",
    analysing_what_was_saved: "work_tree.py",
    analysing_again: "opening.py: self._announce(what)",
    listing_versions: "comparing_versions.py: 'Listing versions'",
    comparing_with_a_plan: "comparing_versions.py: f'Reading {one_line(file.name)}'",
    reading_versions_of_a_file: "evolution_panel.py: 'Reading versions of the file'",
    checking_tasks_against_the_rules: "plan_judge.py: 'Checking tasks against the rules'",
}


def loading_a_library(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    machinery = SimpleNamespace(import_module=lambda _name: endless(None))
    monkeypatch.setattr("cbvtool.view.window.opening.importlib", machinery)
    window.opening._load("anything", lambda _: None)


def watching_a_folder(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(
        "cbvtool.view.window.work_tree.changes", lambda _path, _told, check: endless(lambda *_told: check())
    )
    window.work_tree.switch()


def preparing_the_search(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.commands.searching._prepare", lambda progress, **_k: endless(progress))
    window.search.entered.emit()


def keeping_a_copy(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr(window.unsaved.own, "write", lambda *_a: endless(None))
    monkeypatch.setattr(type(window.session), "unsaved", True)
    window.unsaved.keep()


def judging_the_move(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.window.judging.fork_of", lambda *_: None)
    monkeypatch.setattr("cbvtool.view.window.judging.Forks.at", lambda _self, ready, _fork: ready)
    ready = SimpleNamespace(planned=SimpleNamespace(figures=None), step=lambda *_operations: endless(None))
    window.main_view.judging._judge(ready, (Move(("shop/domain",), "shop/ui"),))


def judging_targets(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.window.judging.gains", lambda *asked: endless(lambda *_told: asked[-1]()))
    monkeypatch.setattr("cbvtool.view.window.judging.fork_around", lambda *_: None)
    monkeypatch.setattr("cbvtool.view.window.judging.inside", lambda _prepared, _keys, targets: targets)
    monkeypatch.setattr("cbvtool.view.window.judging.Forks.at", lambda _self, ready, _fork: ready)
    ready = SimpleNamespace(planned=SimpleNamespace(graph=window.session.graph), before=None)
    window.main_view.judging._look_for_targets(ready, (window.session.graph.key_of["shop/domain"],))


def counting_places(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.view.window.judging.work_of", lambda *_: endless(None))
    monkeypatch.setattr("cbvtool.view.window.judging.list_of_tasks", lambda *_: None)
    judging = window.main_view.judging
    judging._wanted = SimpleNamespace(), ()
    judging._count()


def trying_the_sandbox(window: MainWindow, monkeypatch: pytest.MonkeyPatch, endless: Endless) -> None:
    monkeypatch.setattr("cbvtool.apply.sandbox.sandbox", lambda: endless(None))
    window.desk.part(PlanApplying).ask()


# What nobody sees and Cancel does not reach.
QUIET: dict[Begin, str] = {
    loading_a_library: "opening.py: 'Loading libraries'",
    watching_a_folder: "work_tree.py: f'Watching {project.name}'",
    preparing_the_search: "searching.py: 'Preparing the search'",
    trying_the_sandbox: "plan_applying.py: 'Trying the sandbox'",
    keeping_a_copy: "unsaved.py: 'Keeping a copy of the plan'",
    judging_the_move: "judging.py: 'Judging the move'",
    judging_targets: "judging.py: 'Judging possible targets'",
    counting_places: "judging.py: 'Counting places to change'",
}


def shown_jobs(window: MainWindow) -> list[str]:
    """The jobs under way, but for those that begin by themselves."""
    return [told for told in window.jobs.running if told not in ("Preparing the search", "Loading libraries")]


@pytest.mark.parametrize("begin", KINDS, ids=lambda begin: begin.__name__)
def test_cancel_stops_it(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch, begin: Begin) -> None:
    """The status bar is empty again, all stays as it was; work that cannot stop on its way is not waited for."""
    qtbot.waitUntil(lambda: window.canvas.stage.is_still and not window.jobs.running)
    monkeypatch.setattr(jobs_module, "SHOWN_AFTER", 0)
    begun, let_go = threading.Event(), threading.Event()
    waited_for: list[bool] = []

    def endless(progress: Progress | None) -> object:
        begun.set()
        while progress is not None and not let_go.is_set():
            progress("working", 1, 2)
            time.sleep(0.005)
        waited_for.append(not let_go.wait(60))
        raise Cancelled

    before = window.session.project, window.session.planned, window.session.view.hierarchy
    status = window.status
    try:
        begin(window, monkeypatch, endless)
        qtbot.waitUntil(lambda: begun.is_set() and status.cancel.isVisible() and len(shown_jobs(window)) == 1)
        [what] = shown_jobs(window)
        QtBot.mouseClick(status.cancel, Qt.MouseButton.LeftButton)
        assert not status.cancel.isVisible()
        monkeypatch.undo()  # what is begun anew ends
        monkeypatch.setattr(picture, "HUGE", 0)
        monkeypatch.setattr(window.documents, "ask_unsaved", lambda: int(QMessageBox.StandardButton.Discard))
        qtbot.waitUntil(lambda: not status.work.isVisible())
    finally:
        let_go.set()
    assert True not in waited_for, "the window stood still until the work ended by itself"
    assert status.last.text() == f"Cancelled: {what[0].lower()}{what[1:]}"
    assert (window.session.project, window.session.planned, window.session.view.hierarchy) == before
    assert not window.beside.is_open


def begun_in(files: dict[str, str]) -> tuple[list[str], list[str]]:
    """Where jobs begin in sources (name of a file -> its text), as in `KINDS`, and where quiet ones do."""
    shown, quiet = [], []
    for name, text in files.items():
        told = []
        for call in ast.walk(ast.parse(text)):
            if isinstance(call, ast.Call) and re.search(r"jobs\.run(_in_stages)?$", ast.unparse(call.func)):
                what = f"{name}: {ast.unparse(call.args[1])}"
                (quiet if any(one.arg == "quiet" for one in call.keywords) else told).append(what)
        shown += told if len(told) > 1 else [name] * len(told)
    return shown, quiet


def test_all_work_is_run_by_jobs() -> None:
    """No part of the window has threads of its own, and everything that begins work has its kind above.

    A call more in a file that has one already is noticed, too.
    """
    root = Path(cbvtool.view.__file__).parent
    files = {file.name: file.read_text(encoding="utf-8") for file in root.rglob("*.py") if file.stem != "__init__"}
    for name, text in files.items():
        if name not in ("jobs.py", "worker.py"):
            assert not re.search(r"\bWorker\(|QThread|status\.show_(progress|idle)", text), name
    shown, quiet = begun_in(files)
    assert sorted(shown) == sorted(set(KINDS.values()))
    assert sorted(quiet) == sorted(set(QUIET.values()))
    for how, found in (("", 0), (", quiet=True", 1)):
        call = f"\n\ndef more(desk):\n    desk.jobs.run(desk, 'More', None, None, None{how})\n"
        planted = begun_in(files | {"paths_panel.py": files["paths_panel.py"] + call})
        assert "paths_panel.py: 'More'" in planted[found]


def test_a_short_job_is_not_shown(window: MainWindow, qtbot) -> None:
    """What takes less than a second needs no Cancel."""
    qtbot.waitUntil(lambda: not window.jobs.running)
    found: list[int] = []
    window.jobs.run(QObject(window), "Counting", lambda _: 42, found.append, pytest.fail)
    assert not window.status.work.isVisible()
    qtbot.waitUntil(lambda: found == [42])
    assert not window.jobs.running


def in_turns(kinds: Iterable[Begin]) -> list[list[Begin]]:
    """All kinds, in as few lists as can be: those of one file may replace each other."""
    turns: list[list[Begin]] = []
    used: list[set[str]] = []
    for begin in kinds:
        file = (KINDS | QUIET)[begin].partition(":")[0]
        files = {file, "judging.py"} if file == "scene_making.py" else {file}  # a drag has its picture made at once
        number = next((number for number, taken in enumerate(used) if not taken & files), len(turns))
        if number == len(turns):
            turns.append([])
            used.append(set())
        turns[number].append(begin)
        used[number] |= files
    return turns


@pytest.mark.parametrize("turn", in_turns([*KINDS, *QUIET]), ids=lambda turn: f"{len(turn)} kinds")
def test_no_thread_outlives_the_window(
    window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch, turn: list[Begin]
) -> None:
    """A window that is closed while jobs of each kind run stops those that can stop, and waits for the others."""
    qtbot.waitUntil(lambda: window.canvas.stage.is_still and not window.jobs.running)
    begun: list[Begin] = []
    gone: list[Begin] = []
    closing = threading.Event()

    def endless(begin: Begin, progress: Progress | None) -> object:
        begun.append(begin)
        QThread.currentThread().finished.connect(partial(gone.append, begin), Qt.ConnectionType.DirectConnection)
        while progress is not None:
            progress("working", 1, 2)
            time.sleep(0.005)
        closing.wait(60)
        time.sleep(0.1)
        raise Cancelled

    def runs(begin: Begin) -> bool:
        return begun.count(begin) > gone.count(begin)

    try:
        for begin in (*turn, *turn):  # some have others dropped: these are begun once more
            if not runs(begin):
                begin(window, monkeypatch, partial(endless, begin))
                qtbot.waitUntil(lambda begin=begin: runs(begin))
        assert all(runs(begin) for begin in turn)
    finally:
        closing.set()
    window.close()
    assert sorted(one.__name__ for one in gone) == sorted(one.__name__ for one in begun)


def test_the_second_view_stays_in_its_hierarchy(window: MainWindow, qtbot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancel reaches what works for the second view, too."""
    window.beside.open(SECOND_VIEW)
    view = window.beside.opened[SECOND_VIEW]
    qtbot.waitUntil(lambda: view.session.is_open and not window.status.cancel.isVisible())
    let_go = threading.Event()
    monkeypatch.setattr(view.session, "grouped", lambda *_a: let_go.wait(60))
    regrouping = view.regrouping
    regrouping.show("packages")
    qtbot.waitUntil(window.status.cancel.isVisible)
    QtBot.mouseClick(window.status.cancel, Qt.MouseButton.LeftButton)
    assert not window.status.work.isVisible()
    assert not regrouping.busy
    let_go.set()
    assert view.session.view.hierarchy == ""


def test_one_job_that_ends_leaves_the_other_to_be_seen(window: MainWindow, qtbot) -> None:
    """What is still under way is told of again."""
    qtbot.waitUntil(lambda: not window.jobs.running)
    go_on = {name: threading.Event() for name in ("first", "second")}

    def work(name: str) -> Callable[[Progress], object]:
        def wait(progress: Progress) -> None:
            while not go_on[name].wait(0.005):
                progress(name, 1, 4)

        return wait

    first, second = QObject(window), QObject(window)
    window.jobs.run(first, "first", work("first"), lambda _: None, pytest.fail, at_once=True)
    window.jobs.run(second, "second", work("second"), lambda _: None, pytest.fail, at_once=True)
    go_on["second"].set()
    qtbot.waitUntil(lambda: window.status.work.text() == "First 25 %" and not window.jobs.is_busy(second))
    assert window.status.cancel.isVisible()
    go_on["first"].set()
    qtbot.waitUntil(lambda: not window.status.work.isVisible())


def test_work_that_must_end_is_said_to_be_stopping(window: MainWindow, qtbot) -> None:
    """Cancel is answered at once; nothing else of its purpose begins before its thread has ended."""
    qtbot.waitUntil(lambda: not window.jobs.running)
    go_on, told = threading.Event(), []
    owner = QObject(window)
    window.jobs.run(
        owner,
        "Writing",
        lambda _: go_on.wait(60),
        pytest.fail,
        pytest.fail,
        at_once=True,
        ends=True,
        cancelled=lambda: told.append("cancelled"),
    )
    window.status.cancel.click()
    assert window.status.work.text() == "Stopping ..."
    assert window.jobs.is_busy(owner)
    assert not told
    go_on.set()
    qtbot.waitUntil(lambda: told == ["cancelled"])
    assert not window.status.work.isVisible()


def test_what_is_quiet_is_not_cancelled(window: MainWindow, qtbot) -> None:
    """The copy of an unsaved plan is not lost because something else is cancelled."""
    qtbot.waitUntil(lambda: not window.jobs.running)
    go_on, told = threading.Event(), []
    quiet = QObject(window)
    window.jobs.run(quiet, "Keeping", lambda _: go_on.wait(60), told.append, pytest.fail, quiet=True)
    window.jobs.run(QObject(window), "Other", lambda _: go_on.wait(60), pytest.fail, pytest.fail, at_once=True)
    window.status.cancel.click()
    assert window.jobs.is_busy(quiet)
    go_on.set()
    qtbot.waitUntil(lambda: told == [True])


def test_nothing_begins_once_it_is_stopped(window: MainWindow, qtbot) -> None:
    """Timers and queued events outlive a window, and a view that was closed."""
    owner = QObject(window)
    window.jobs.stop(owner)
    window.jobs.run(owner, "Late", lambda _: 1, pytest.fail, pytest.fail)
    assert not window.jobs.is_busy(owner)


def test_a_picture_is_stopped_between_two_stages(shop: Project) -> None:
    """What was computed stays; the next picture is the whole one."""
    seen = 0

    def check() -> None:
        nonlocal seen
        seen += 1
        if seen == 9:
            raise Cancelled

    pipeline, state = Pipeline(), ViewState()
    with stoppable(check), pytest.raises(Cancelled):
        pipeline.scene(shop.graph, shop.changes, state)
    checkpoint()  # outside of a job it does nothing
    scene = pipeline.scene(shop.graph, shop.changes, state)
    assert (scene.mesh.points == Pipeline().scene(shop.graph, shop.changes, state).mesh.points).all()
    assert max(pipeline.runs.values()) == 1
