"""CBV-7: only the nodes that match an expression are shown; the filter is a place of the view, and is saved."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cbvtool.geometry.camera import Camera
from cbvtool.geometry.overlay.match_counts import counts, match_counts
from cbvtool.geometry.picture import Text
from cbvtool.graph import GraphBuilder
from cbvtool.metrics import METRICS
from cbvtool.metrics.values import LARGE
from cbvtool.plan.document import read_document
from cbvtool.project import Project
from cbvtool.session import Session


def shop() -> Project:
    builder = GraphBuilder("shop")
    for folder in ("core", "ui"):
        builder.add_node(folder, "", folder, "folder")
    for path, sloc in (("core/bill.py", 60.0), ("core/item.py", 5.0), ("ui/page.py", 8.0)):
        builder.add_node(path, path.partition("/")[0], path.rpartition("/")[2], "file", values={"sloc": sloc})
    builder.add_node("core/bill.py::Bill", "core/bill.py", "Bill", "class", values={"sloc": 55.0})
    return Project(Path("shop").absolute(), "shop", builder.freeze(), None, "", "folder")


@pytest.fixture
def session() -> Session:
    opened = Session()
    opened.open(shop())
    opened.set_view(expanded=frozenset(range(len(opened.graph))))
    return opened


def shown(session: Session) -> set[str]:
    """Ids of all segments but the root."""
    tree = session.scene().tree
    return {session.graph.ids[key] for key in tree.key.tolist() if key != session.graph.root}


def test_only_matches_and_what_is_around_them_are_shown(session: Session) -> None:
    session.set_view(only="not sloc < 50")
    assert shown(session) == {"core", "core/bill.py", "core/bill.py::Bill"}
    session.set_view(only="page")
    assert shown(session) == {"ui", "ui/page.py"}
    session.set_view(only="nothing like this")
    assert shown(session) == set()
    session.set_view(only="")
    assert len(shown(session)) == 6


def test_what_cannot_be_understood_hides_nothing(session: Session) -> None:
    """A metric of a plugin that is gone, say."""
    session.set_view(only="pay > 3")
    assert len(shown(session)) == 6


def test_a_filter_is_gone_back_from(session: Session) -> None:
    """DND-8: view back and forward."""
    session.set_view(only="page")
    session.set_view(only="bill")
    session.go_back()
    assert session.view.only == "page"
    session.go_back()
    assert session.view.only == ""
    session.go_forward()
    assert shown(session) == {"ui", "ui/page.py"}


def test_a_filter_is_saved_unless_it_is_damaged(session: Session, tmp_path: Path) -> None:
    session.set_view(only="sloc > 7 and kind:file")
    session.save(tmp_path / "plan.cbv")
    document = read_document(tmp_path / "plan.cbv")
    again = Session()
    again.open(shop(), document)
    assert again.view.only == "sloc > 7 and kind:file"
    assert shown(again) <= shown(session)
    for damaged in ("sloc >", 3, None, "pay > 1"):
        again.open(shop(), replace(document, view={**document.view, "only": damaged}))
        assert again.view.only == ""


def test_nothing_is_laid_out_again_that_a_filter_does_not_touch(session: Session) -> None:
    """A change of colour does not evaluate the filter, and a filter that nobody uses costs nothing."""
    assert session.pictures.current.pipeline.runs["filtered"] == 0
    session.set_view(only="sloc > 7")
    session.scene()
    runs = dict(session.pictures.current.pipeline.runs)
    session.set_view(theme="dark", hovered=2)
    session.scene()
    assert all(
        session.pictures.current.pipeline.runs[stage] == runs[stage]
        for stage in ("filter", "filtered", "tree", "layout")
    )


def test_a_slow_metric_is_awaited_and_the_filter_can_be_given_up() -> None:
    """While it is measured the picture stays; who does not wait for it has no filter."""
    builder = GraphBuilder("large")
    for number in range(LARGE + 1):
        builder.add_node(f"{number}.py", "", f"{number}.py", "file", values={"sloc": 1.0})
    session = Session()
    session.patient = False
    session.open(Project(Path("large").absolute(), "large", builder.freeze(), None, "", "graph"))
    session.set_view(only="fan_in > 0")
    scene = session.scene()
    assert "fan_in" in scene.pending
    assert scene.filtered == frozenset()
    scene.values.measure("fan_in", lambda *_: None)
    assert len(session.scene().filtered) == LARGE + 1
    assert "fan_in" not in session.scene().pending
    session.set_view(only="transitive_uses > 0")
    assert len(session.scene().filtered) == LARGE + 1  # what was hidden before
    session.stay_with_drawn()
    assert session.view.only == ""


def test_show_only_hides_the_rest_and_all_comes_back(session: Session) -> None:
    """CBV-7: hide and show subtrees."""
    session.show_only([session.graph.key_of["core/bill.py"]])
    assert shown(session) == {"core", "core/bill.py", "core/bill.py::Bill"}
    session.go_back()
    assert len(shown(session)) == 6


def test_a_segment_that_matches_lie_in_says_how_many(session: Session) -> None:
    """CBV-7: collapsed ancestors of matches light up with their number."""
    key_of = session.graph.key_of
    session.set_view(expanded=frozenset())
    scene = session.scene()
    keys = frozenset(key_of[node] for node in ("core", "core/bill.py", "core/item.py", "ui"))
    assert counts(scene, keys)[scene.tree.represent[key_of["core"]]] == 3
    assert counts(scene, keys)[scene.tree.represent[key_of["ui"]]] == 0  # it is the match
    picture = match_counts(scene, keys, Camera.fit(800, 600), 800, 600)
    assert [item.text for item in picture.items if isinstance(item, Text)] == ["3"]
    assert match_counts(scene, frozenset(), Camera.fit(800, 600), 800, 600).items == ()


def test_every_metric_can_be_filtered_by(session: Session) -> None:
    """CBV-7: hide nodes below a metric threshold."""
    for name, metric in METRICS.items():
        if metric.names is not None:
            continue
        session.set_view(only=f"not {name} < 10")
        column = session.scene().values[name]
        small = {session.graph.ids[key] for key in np.flatnonzero(column < 10).tolist()}
        leaves = {node for node in session.graph.ids if not len(session.graph.children(session.graph.key_of[node]))}
        assert shown(session).isdisjoint(small & leaves)
