"""Views of plugins in a session: opened on what is open, kept by the document, gone and back with their traces."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cbvtool.api import PluginView
from cbvtool.errors import InputError
from cbvtool.plan.document import TraceFile, read_document, write_document
from cbvtool.project import open_project
from cbvtool.session import Session
from cbvtool.session.plugin_views.plugin_views import PluginViews
from cbvtool.session.traces.files import Imported
from cbvtool.trace.model.focus import Focus
from plugins.synctrace.view import SyncTraceView
from plugins.viewfusion.view import ViewFusionView
from tests.plugin_views.views import DiffView, FaultyView, RunsView, SyncView, small_profile, small_trace

VIEWS: dict[str, PluginView[Any]] = {
    view.name: view for view in (SyncView(), DiffView(), RunsView(), FaultyView("start"))
}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code" / "src"
    folder.mkdir(parents=True)
    (folder / "app.py").write_text("def main():\n    pass\n\n\ndef work():\n    pass\n")
    return tmp_path / "code"


def session_of(code: Path, said: list[tuple[str, str]] | None = None) -> Session:
    session = Session()
    session.open(open_project(code, history=False))
    session.plugin_views.offer(VIEWS, lambda view, reason: None if said is None else said.append((view, reason)))
    return session


def recording(path: Path, name: str, digest: str, profiles: int = 0) -> Imported:
    file = TraceFile(path / name, "test", digest)
    if profiles:
        return Imported(file, (), tuple(map(small_profile, range(profiles))))
    return Imported(file, (small_trace(name),))


def saved(views: PluginViews) -> Any:
    return json.loads(json.dumps(views.as_data()))


def test_a_view_opens_on_what_is_looked_at(code: Path) -> None:
    """One trace: the one of the focus; two: that one and another, in the order of their numbers; profiles: all."""
    session = session_of(code)
    views, traces = session.plugin_views, session.traces
    with pytest.raises(InputError, match="Synchronous threads cannot be opened: it takes 1 trace, not 0 traces"):
        views.open_view("twin")
    traces.add(recording(code, "a", "aa"))
    assert views.why_not("pairs") == "Two traces cannot be opened: it takes 2 traces, not 1 trace"
    traces.add(recording(code, "b", "bb"))
    traces.add(recording(code, "p", "pp", profiles=3))
    traces.look_at(Focus(1))
    sync = views.open_view("twin")
    assert sync.name == "view:twin:1"
    assert sync.places == (("bb", 0),)
    assert sync.instance.inputs.numbers == (1,)
    assert views.open_view("twin").name == "view:twin:2"
    assert views.open_view("pairs").places == (("aa", 0), ("bb", 0))
    assert views.open_view("runs").instance.inputs.numbers == (2, 3, 4)
    views.close("view:twin:1")
    assert views.open_view("twin").name == "view:twin:1"


def test_views_follow_the_focus_the_map_and_the_selection(code: Path) -> None:
    session = session_of(code)
    views, traces = session.plugin_views, session.traces
    traces.add(recording(code, "a", "aa"))
    opened = views.open_view("twin")
    assert opened.instance.inputs.maps == (None,)
    assert views.refresh()[0] == frozenset()
    traces.settle()
    assert views.refresh()[0] == {"view:twin:1"}
    known = opened.instance.inputs.maps[0]
    assert known is not None
    assert known.mapped.any()
    traces.look_at(Focus(0, (1, 2)))
    assert views.refresh()[0] == {"view:twin:1"}
    assert opened.instance.focus.window == (1, 2)
    session.select([1])
    assert views.refresh()[0] == {"view:twin:1"}
    assert opened.instance.context.selected == (1,)
    assert views.refresh()[0] == frozenset()


def test_a_document_keeps_open_views(code: Path, tmp_path: Path) -> None:
    """State, values and number come back; the traces may have other numbers by then."""
    session = session_of(code)
    session.traces.add(recording(code, "a", "aa"))
    opened = session.plugin_views.open_view("twin")
    opened.instance.set_value("bent", False)
    opened.instance.follow(False)
    opened.instance.state = type(opened.instance.state)(radius=99.0)
    write_document(session.document(), tmp_path / "plan.cbv")
    other = Session()
    other.plugin_views.offer(VIEWS, lambda view, reason: None)
    other.open(open_project(code, history=False), read_document(tmp_path / "plan.cbv"), tmp_path / "plan.cbv")
    assert other.plugin_views.refresh()[1] == ()
    other.traces.add(recording(code, "b", "bb"))
    other.traces.add(recording(code, "a", "aa"))
    _, (again,), _ = other.plugin_views.refresh()
    assert again.name == opened.name
    assert again.instance.state.radius == 99.0
    assert again.instance.values["bent"] is False
    assert not again.instance.follows
    assert again.instance.inputs.numbers == (1,)


def test_a_document_brings_synctrace_and_viewfusion_into_another_session(code: Path, tmp_path: Path) -> None:
    """ST-6, VF-2: what a new session reads from the file is what the first one showed; that one is gone by then."""
    views: dict[str, PluginView[Any]] = {view.name: view for view in (SyncTraceView(), ViewFusionView())}
    session, other = session_of(code), Session()
    for each in (session, other):
        each.plugin_views.offer(views, lambda view, reason: None)
    session.traces.add(recording(code, "a", "aa"))
    sync, fusion = (session.plugin_views.open_view(name).instance for name in ("sync", "fusion"))
    for instance in (sync, fusion):
        instance.settle()
    sync.state = replace(sync.state, main=1, ring=(0,), share=0.4)
    sync.set_value("color", "object")
    fusion.state = replace(fusion.state, code=True, height=2)
    fusion.set_value("self", True)
    write_document(session.document(), tmp_path / "plan.cbv")
    fresh, shown = tuple(each.view.start(each.context) for each in (sync, fusion)), (sync.state, fusion.state)
    assert all(one != another for one, another in zip(fresh, shown, strict=True))
    del session, sync, fusion
    other.open(open_project(code, history=False), read_document(tmp_path / "plan.cbv"), tmp_path / "plan.cbv")
    other.traces.add(recording(code, "a", "aa"))
    _, again, _ = other.plugin_views.refresh()
    assert [each.instance.view.name for each in again] == ["sync", "fusion"]
    assert tuple(each.instance.state for each in again) == shown
    assert (again[0].instance.values["color"], again[1].instance.values["self"]) == ("object", True)


def test_a_view_whose_trace_is_closed_goes_and_comes_back(code: Path) -> None:
    session = session_of(code)
    session.traces.add(recording(code, "a", "aa"))
    opened = session.plugin_views.open_view("twin")
    kept = saved(session.plugin_views)
    session.traces.close()
    assert session.plugin_views.refresh()[2] == (opened,)
    assert saved(session.plugin_views) == kept
    session.traces.add(recording(code, "a", "aa"))
    _, (again,), _ = session.plugin_views.refresh()
    assert again.name == opened.name
    assert saved(session.plugin_views) == kept


@pytest.mark.parametrize(
    "entry",
    [
        {"view": "of a plugin that is gone", "state": {"a": [1, 2]}, "inputs": [["aa", 0]]},
        {"view": "twin", "inputs": [["another", 0]]},
        {"view": "twin", "inputs": "aa"},
        {"view": "twin", "inputs": [["aa", 0], ["aa", 1]]},
        {"view": "twin", "inputs": [[["aa"], 0]]},
        {"view": ["twin"]},
        7,
    ],
)
def test_what_cannot_be_opened_is_kept_as_it_was(code: Path, entry: Any) -> None:
    """An unknown view, a trace that is gone, nonsense: the document loses none of it."""
    session = session_of(code)
    session.plugin_views.begin([entry])
    session.traces.add(recording(code, "a", "aa"))
    assert session.plugin_views.refresh()[1] == ()
    assert session.plugin_views.as_data() == [entry]


@pytest.mark.parametrize(
    "more",
    [
        {"state": 3, "values": "x", "number": -5, "follows": 0},
        {"state": {"radius": "far"}, "values": {"bent": 3, "theta": 10**400}, "number": 10**9},
        {"state": {"window": [0.0] * 100_000}},
        {"state": {"radius": 10**400}, "number": "1"},
    ],
)
def test_a_state_of_nonsense_opens_the_view_afresh(code: Path, more: dict[str, Any]) -> None:
    session = session_of(code)
    session.plugin_views.begin([{"view": "twin", "inputs": [["aa", 0]], **more}])
    session.traces.add(recording(code, "a", "aa"))
    _, (opened,), _ = session.plugin_views.refresh()
    assert opened.name == "view:twin:1"
    assert opened.instance.state == SyncView.State()
    assert opened.instance.values == {"bent": True, "theta": 0}


def test_faults_are_reported_by_the_name_of_the_view(code: Path) -> None:
    said: list[tuple[str, str]] = []
    session = session_of(code, said)
    session.traces.add(recording(code, "a", "aa"))
    session.plugin_views.open_view("faulty")
    assert said == [("faulty", "raised KeyError: 'no start'")]
