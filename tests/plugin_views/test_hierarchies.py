"""Two hierarchies in the picture of TraceDiff (TD-8): against plain counting, in a session, on the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cbvtool.api import (
    REMOVED,
    CallChange,
    EventKind,
    Graph,
    Hit,
    OpenSource,
    SelectNodes,
    ViewEvent,
    Viewport,
    ViewTable,
)
from cbvtool.cli import DONE, main
from cbvtool.errors import InputError
from cbvtool.graph import GraphBuilder
from cbvtool.plan import Create, History, Move, Remove, Rename, group, new_id
from cbvtool.project import open_project
from cbvtool.session import Session
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings
from cbvtool.versions import compared
from plugins.tracediff.hierarchies.changed import changed_keys
from plugins.tracediff.hierarchies.designs import Designs, designs_in, designs_of
from plugins.tracediff.hierarchies.nodes import UNIFORM
from plugins.tracediff.hierarchies.picture import NO_PAIR, REGROUPED, drawn_in, planes_of
from plugins.tracediff.hierarchies.view import HierarchiesView
from plugins.tracediff.state import LOWER, UPPER
from tests.plugin_views.opened import drawn_plot, layer, opened

VIEW = Viewport(900.0, 640.0)


def tree(*paths: str, lines: int = 10) -> Graph:
    """A graph of files by their paths, with folders around them."""
    builder, known = GraphBuilder("shop"), {""}
    for path in paths:
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            id_, above = "/".join(parts[:depth]), "/".join(parts[: depth - 1])
            if id_ not in known:
                known.add(id_)
                is_file = depth == len(parts)
                values = {"sloc": lines * len(known)} if is_file else {}
                builder.add_node(id_, above, parts[depth - 1], "file" if is_file else "folder", values=values)
    return builder.freeze()


BASE = tree("a/x.py", "a/y.py", "b/deep/z.py", "b/w.py", "c/v.py")


def planned(graph: Graph = BASE) -> Graph:
    """deep goes to a, y.py is called otherwise, v.py is gone, a folder is new."""
    history = History(graph)
    for operation in (Move(("b/deep",), "a"), Rename("a/y.py", "yy.py"), Remove(("c/v.py",))):
        history = history.do(group(history.graph, operation, name=""))
    fresh = Create(new_id(history), "c", "fresh", "folder")
    history = history.do(group(history.graph, fresh, name=""))
    assert not history.refusals
    return history.graph


def started(before: Graph | None, after: Graph, said: list[str] | None = None, **values: object) -> ViewInstance:
    faults: list[str] = [] if said is None else said
    inputs = ViewInputs((), (), (), after, (), before, "the code as it is")
    instance = ViewInstance(HierarchiesView(), inputs, ViewSurroundings(), faults.append, values=values)
    instance.settle()
    return instance


def designs(instance: ViewInstance) -> Designs:
    found = designs_in(instance.context)
    assert found is not None
    return found


def headline(instance: ViewInstance) -> str:
    return str(layer(drawn_plot(instance, "main", VIEW), "headline").text[0])


def say(instance: ViewInstance, kind: EventKind, pane: str = "", part: str = "main", **fields: Any) -> tuple[Any, ...]:
    return instance.on(ViewEvent(kind, part, pane, size=(VIEW.width, VIEW.height), **fields))[1]


def below(graph: Graph, key: int) -> set[int]:
    return {other for other in graph.tree.order.tolist() if graph.tree.is_below(other, key)}


def test_td_8_what_became_of_each_node() -> None:
    """TD-8: moved, renamed, only in A, only in B; what lies in a moved folder is carried along."""
    after = planned()
    found = designs_of(BASE, after, UNIFORM)
    by_kind = {
        kind: sorted(
            (BASE if side == UPPER else after).names[key]
            for key in found.nodes[side].key[found.kinds[side] == kind].tolist()
        )
        for kind, side in (
            (CallChange.MOVED, LOWER),
            (CallChange.RENAMED, LOWER),
            (CallChange.INSERTED, LOWER),
            (CallChange.REMOVED, UPPER),
        )
    }
    assert by_kind == {
        CallChange.MOVED: ["deep"],
        CallChange.RENAMED: ["yy.py"],
        CallChange.INSERTED: ["fresh"],
        CallChange.REMOVED: ["v.py"],
    }
    carried = [after.names[key] for key in found.nodes[LOWER].key[found.carried[LOWER]].tolist()]
    assert carried == ["z.py"]


@pytest.mark.parametrize("seed", range(6))
def test_td_8_widths_and_similarities_are_those_of_plain_counting(seed: int) -> None:
    """TD-8, TD-1: as wide as leaves or lines; similarity is the share of nodes inside either that are inside both."""
    random = np.random.default_rng(seed)
    paths = [f"{random.integers(3)}/{random.integers(3)}/f{number}.py" for number in range(25)]
    before, after = tree(*paths[:20]), tree(*paths[5:], lines=7)
    both = compared(before, after, "old")
    for width in (UNIFORM, "sloc"):
        found = designs_of(both.before, both.after, width)
        unit = found.whole[1] / max(float(nodes.value[0]) for nodes in found.nodes)
        for side, graph in enumerate((both.before, both.after)):
            nodes = found.nodes[side]
            for row, key in enumerate(nodes.key.tolist()):
                inside = below(graph, key)
                leaves = [each for each in inside if not len(graph.tree.children(each))]
                value = len(leaves) if width == UNIFORM else np.nansum([graph.values["sloc"][each] for each in inside])
                assert nodes.value[row] == value
                long = nodes.tree.end[row] - nodes.tree.start[row]
                assert abs(long - value * unit) <= 1
                children = [nodes.row[each] for each in graph.tree.children(key).tolist()]
                ends = [nodes.tree.start[row], *(nodes.tree.end[child] for child in children)]
                assert [nodes.tree.start[child] for child in children] == ends[: len(children)]
        for (a, b), alike in zip(found.known.rows.tolist(), found.known.similarity.tolist(), strict=True):
            key = int(found.nodes[UPPER].key[a])
            assert key == found.nodes[LOWER].key[b]
            sets = below(both.before, key), below(both.after, key)
            assert alike == pytest.approx(len(sets[0] & sets[1]) / len(sets[0] | sets[1]))
        assert len(found.known) == sum((both.before.parent != REMOVED) & (both.after.parent != REMOVED))


def test_td_8_tubes_join_the_same_nodes_and_changes_come_first() -> None:
    """TD-8: a tube reaches from the middle of a node to that of the same one; on demand those that changed alone."""
    instance = started(BASE, planned())
    found = designs(instance)
    planes = planes_of(instance.context, instance.state, found, VIEW)
    drawn = drawn_in(instance.context, found, planes)
    assert len(drawn) == drawn.total == (found.known.group >= 0).sum()
    for end, (sample, plane) in enumerate(zip((0, -1), planes, strict=True)):
        places = drawn.tubes.middle[:, sample]
        np.testing.assert_allclose(places[:, 0], plane.side.x[drawn.bar[:, end]])
        keys = found.nodes[end].key[plane.bars.row[drawn.bar[:, end]]]
        assert keys.tolist() == found.nodes[UPPER].key[found.known.rows[drawn.match, UPPER]].tolist()
    instance.set_value("show", "changed")
    few = drawn_in(instance.context, found, planes)
    names = sorted(BASE.names[found.nodes[UPPER].key[row]] for row in found.known.rows[few.match, UPPER].tolist())
    assert names == ["deep", "y.py"]
    assert set(few.match.tolist()) == {0, 1}, "they come first"
    said = layer(drawn_plot(started(BASE, BASE, show="changed"), "main", VIEW), "said")
    assert said.text == ("No node in view was moved or renamed.",)


def test_td_8_words_and_table_tell_what_differs() -> None:
    """TD-8: a headline, a row for each change with both places, a tooltip."""
    instance = started(BASE, planned())
    assert headline(instance).startswith("1 only in A, 1 only in B, 1 moved, 1 renamed")
    table = instance.draw("changes", VIEW)
    assert isinstance(table, ViewTable)
    rows = list(zip(*(column.values for column in table.columns[:3]), strict=True))
    assert ("moved", "b > deep", "a > deep") in rows
    assert ("only in A", "c > v.py", "") in rows
    found = designs(instance)
    row = int(found.nodes[LOWER].row[BASE.key_of["b/deep/z.py"]])
    told = instance.tell("main", Hit("bars lower", row))
    assert told[:2] == ("A: b > deep > z.py", "B: a > deep > z.py")
    assert "Moved with the container around it" in told
    assert headline(started(BASE, BASE)).startswith("Both hierarchies are the same")


def test_td_8_a_click_brings_the_same_node_below_and_selects_it() -> None:
    """TD-8, TD-3: both begin at one place; N goes from change to change; S opens the source; Shift+A shows all."""
    instance = started(BASE, planned())
    found = designs(instance)
    key = BASE.key_of["b/deep"]
    rows = [int(nodes.row[key]) for nodes in found.nodes]
    requests = say(instance, EventKind.CLICK, "lower", hit=Hit("bars lower", rows[LOWER]))
    assert requests[0] == SelectNodes((key,))
    starts = [found.trees[side].start[rows[side]] - instance.state.windows[side][0] for side in (UPPER, LOWER)]
    assert starts[UPPER] == starts[LOWER]
    assert say(instance, EventKind.KEY, key="s") == (OpenSource(key),)
    visited = []
    for _ in range(4):
        say(instance, EventKind.KEY, key="n")
        side, row = instance.state.chosen
        visited.append(int(found.nodes[side].key[row]))
    assert sorted(visited) == sorted(changed_keys(found).tolist())
    say(instance, EventKind.KEY, key="A")
    assert instance.state.windows == (None, None)


def test_td_8_without_a_second_hierarchy_a_sentence_stands_there() -> None:
    """TD-8: one graph alone, another grouping, values that nobody measured."""
    one = opened(HierarchiesView(), BASE)
    assert layer(drawn_plot(one, "main", VIEW), "said").text == (NO_PAIR,)
    grouped = started(None, BASE.with_(files=("a/x.py",)))
    assert layer(drawn_plot(grouped, "main", VIEW), "said").text == (REGROUPED,)
    assert "nothing is measured" in headline(started(BASE, planned(), width="complexity"))


def test_td_8_the_window_compares_the_plan_and_versions(tmp_path: Path) -> None:
    """TD-8: opens without a recording, follows the plan and a compared version, and comes back with the document."""
    for path in ("src/app.py", "src/more.py", "lib/help.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("def f():\n    return 1\n")
    session = Session()
    views = session.plugin_views
    views.offer({"hierarchies": HierarchiesView()}, lambda *_: None)
    with pytest.raises(InputError, match="nothing is open"):
        views.open_view("hierarchies")
    session.open(open_project(tmp_path, history=False))
    instance = views.open_view("hierarchies").instance
    assert headline(instance).startswith("Both hierarchies are the same")
    assert session.do(Move(("lib/help.py",), "src")) is None
    assert "view:hierarchies:1" in views.refresh()[0]
    assert headline(instance).startswith("1 moved")
    base = session.project
    assert base is not None
    session.versions.show(compared(tree("src/app.py"), base.graph, "v1"))
    views.refresh()
    assert "only in B" in headline(instance)
    assert str(layer(drawn_plot(instance, "main", VIEW), "name upper").text[0]).startswith("A   v1 ")
    kept = views.as_data()
    views.begin(kept)
    assert [each.name for each in views.refresh()[1]] == ["view:hierarchies:1"]


def test_td_8_two_graphs_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-8: `cbvtool trace render hierarchies A B`, as a picture and the table of changes."""
    for name, files in (("old", ("app.py", "gone.py")), ("new", ("app.py", "come.py"))):
        folder = tmp_path / name
        folder.mkdir()
        for file in files:
            (folder / file).write_text("def f():\n    return 1\n")
    said = ["trace", "render", "hierarchies", str(tmp_path / "old"), str(tmp_path / "new"), "--no-cache"]
    assert main([*said, "-o", str(tmp_path / "both.png"), "--size", "500x400"]) == DONE
    assert (tmp_path / "both.png").stat().st_size > 2000
    assert main([*said, "--part", "changes", "-o", str(tmp_path / "changes.csv")]) == DONE
    rows = (tmp_path / "changes.csv").read_text().splitlines()
    assert sorted(row.split(",")[0] + row.split(",")[1] + row.split(",")[2] for row in rows[1:]) == [
        "only in Agone.py",
        "only in Bcome.py",
    ]
    assert not capsys.readouterr().out
