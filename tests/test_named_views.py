"""CBV-11: named views are kept in the document by node ids; places one was at before come back, with the selection."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.state import named_views
from cbvtool.geometry.state.named_views import LONGEST_NAME, NamedView, Viewpoint, as_data, of_data
from cbvtool.geometry.state.view_state import Mapping, RelationFilter, ViewState
from cbvtool.plan.document import read_document, write_document
from cbvtool.project import Project
from cbvtool.session import Session
from cbvtool.session.change import Change
from tests.layout.cases import random_graph

GRAPH = random_graph(60, 80, seed=2)
MAPPING = Mapping("sloc", "complexity", "sloc")
keys = st.frozensets(st.integers(1, len(GRAPH) - 1), max_size=8)
names = st.text(min_size=1, max_size=LONGEST_NAME + 20)
viewpoints = st.builds(
    Viewpoint,
    st.builds(
        Camera, st.floats(0, 359), st.floats(0, 75), st.tuples(st.floats(-2, 2), st.floats(-2, 2)), st.floats(0.05, 20)
    ),
    st.booleans(),
)
states = st.builds(
    lambda expanded, hidden, root, beta, guesses, only, cycles: {
        "expanded": expanded | {root},
        "hidden": hidden - {root},
        "root": root,
        "beta": beta,
        "guesses": guesses,
        "only": only,
        "filter": RelationFilter(cycles=cycles),
    },
    keys,
    keys,
    st.sampled_from(range(len(GRAPH))),
    st.floats(0, 1),
    st.booleans(),
    st.sampled_from(["", "sloc > 3", "kind:file"]),
    st.booleans(),
)


def _opened() -> Session:
    session = Session()
    session.open(Project(Path("/none/graph.json"), "graph", GRAPH, None, "", "graph"))
    session.set_view(mapping=MAPPING)
    return session


def _shown(view: ViewState) -> ViewState:
    """What a named view stands for: the rest is not its business."""
    return replace(view, selected=(), hovered=-1, theme="")


@given(st.lists(st.tuples(names, states, viewpoints), min_size=1, max_size=4))
def test_saving_and_loading_loses_nothing(tmp_path_factory, rows: list[tuple[str, dict, Viewpoint]]) -> None:
    session = _opened()
    wanted: dict[str, tuple[ViewState, Viewpoint]] = {}
    for name, state, viewpoint in rows:
        session.set_view(**state)
        before = session.named
        session.keep_view(name, viewpoint)
        if label := named_views.clean_name(name):
            wanted[label] = (session.view, viewpoint)
        else:
            assert session.named == before
    file = tmp_path_factory.mktemp("views") / "plan.cbv"
    write_document(session.document(), file)
    other = _opened()
    assert other.project is not None
    other.open(other.project, read_document(file), file)
    assert [view.name for view in other.named] == list(wanted)
    assert other.named == session.named
    assert not other.unsaved
    for view in other.named:
        other.show_named(view)
        shown, viewpoint = wanted[view.name]
        assert _shown(other.view) == _shown(shown)
        assert view.viewpoint == viewpoint


junk = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["name", "view", "camera", "fitted", "center", "tilt", "fov", "root"]), inner)
    ),
    max_leaves=12,
)


@given(junk)
def test_a_damaged_document_is_read_as_far_as_it_makes_sense(data: object) -> None:
    """Nothing in it stops the reading, and what is left can be shown and written again."""
    for damaged in (data, [data], [{"name": "a", "view": data, "camera": data}, {"name": "b", "view": {"root": data}}]):
        found = of_data(damaged)
        session = _opened()
        for view in found:
            session.show_named(view)
        assert of_data(json.loads(json.dumps(as_data(found)))) == found


def test_nodes_that_are_gone_are_left_out() -> None:
    session = _opened()
    leaf = GRAPH.ids[len(GRAPH) - 1]
    view = {"root": "gone", "expanded": ["gone", leaf], "hidden": ["gone"]}
    session.show_named(NamedView("old", view))
    assert session.view.root == GRAPH.root
    assert session.view.expanded == {GRAPH.key_of[leaf]}
    assert session.view.hidden == frozenset()


def test_named_views_are_part_of_what_is_saved_and_not_of_undo(tmp_path: Path) -> None:
    session = _opened()
    told: list[Change] = []
    session.subscribe(told.append)
    assert not session.unsaved
    session.keep_view("one", Viewpoint())
    assert session.unsaved
    assert told == [Change.FILE]
    session.save(tmp_path / "plan.cbv")
    assert not session.unsaved
    inner = next(key for key in range(1, len(GRAPH)) if len(GRAPH.children(key)))
    assert session.create(inner, "fresh") is None
    session.undo()
    assert [view.name for view in session.named] == ["one"]
    session.name_views([replace(session.named[0], name="two")])
    assert session.unsaved
    session.name_views([replace(session.named[0], name="one")])
    assert not session.unsaved


def test_a_name_is_overwritten_in_its_place_and_made_distinct() -> None:
    session = _opened()
    for name in ("a", "b", "c"):
        session.keep_view(name, Viewpoint())
    session.set_view(beta=0.25)
    session.keep_view(" b ", Viewpoint(fitted=False))
    assert [view.name for view in session.named] == ["a", "b", "c"]
    assert session.named[1].view["beta"] == 0.25
    assert not session.named[1].viewpoint.fitted
    session.name_views([replace(view, name="same") for view in session.named])
    assert [view.name for view in session.named] == ["same", "same 2", "same 3"]


def test_going_back_brings_the_selection_back_and_says_where_it_leads() -> None:
    """CBV-6: also several places at once; colours stay as they are."""
    session = _opened()
    inner = [key for key in GRAPH.children(GRAPH.root).tolist() if len(GRAPH.children(key))][:2]
    session.set_view(expanded=frozenset({GRAPH.root}))
    session.select([inner[0]])
    session.restrict(inner[0])
    session.select([inner[1]])
    session.restrict(inner[1])
    session.set_view(beta=0.1, hidden=frozenset({int(GRAPH.children(inner[1])[0])}))
    assert session.places()[:3] == [
        f"{GRAPH.names[int(GRAPH.children(inner[1])[0])]} shown",
        GRAPH.path(inner[0]),
        "everything",
    ]
    session.go_back(2)
    assert (session.view.root, session.view.selected, session.view.beta) == (inner[0], (inner[1],), 0.1)
    session.go_back()
    assert (session.view.root, session.view.selected) == (GRAPH.root, (inner[0],))
    assert session.places(forward=True)[:2] == [GRAPH.path(inner[0]), GRAPH.path(inner[1])]
    session.go_forward(3)
    assert session.view.root == inner[1]
    assert session.view.hidden
    assert not session.can_go_forward
    session.go_back(99)
    assert session.view.root == inner[1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"only": "sloc > 3"}, "without the filter"),
        ({"hidden": frozenset({1})}, f"{GRAPH.names[1]} shown"),
        ({"expanded": frozenset()}, "opened"),
    ],
)
def test_places_are_told_by_what_differs(change: dict, words: str) -> None:
    session = _opened()
    session.set_view(expanded=frozenset({GRAPH.root, *GRAPH.children(GRAPH.root).tolist()}))
    session.set_view(**change)
    assert words in session.places()[0]
