"""ViewFusion without a display (VF-1 to VF-6): what it draws against plain counting, and what it answers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.api import (
    NO_CALL,
    NO_NODE,
    EventKind,
    Focus,
    Graph,
    Hit,
    Labels,
    NodeMap,
    Plot,
    Range,
    SelectNodes,
    SetFocus,
    Trace,
    TraceBuilder,
    ViewEvent,
    Viewport,
    ViewTable,
    duration,
    locate,
    place,
)
from cbvtool.budget import Budget
from cbvtool.cli import DONE, main
from cbvtool.geometry.colors import DARK, LIGHT
from cbvtool.graph import GraphBuilder
from cbvtool.plots.filling import LayerCache, fill
from cbvtool.plots.picking import pick
from cbvtool.session.plugin_views.instance import ViewInstance
from cbvtool.session.plugin_views.surroundings import ViewInputs, ViewSurroundings
from cbvtool.trace.store.folder import write_folder
from plugins.viewfusion.cells import HIGH, ROOM, WIDE, cell_layout, cell_tree, packages_of
from plugins.viewfusion.focus import focused
from plugins.viewfusion.metrics import METRICS, group_times, shares_of
from plugins.viewfusion.palette import WHITE, blue, grey, mixed
from plugins.viewfusion.scene import RULER, Scene, legend_height, scene_in
from plugins.viewfusion.state import ViewFusionState
from plugins.viewfusion.view import ViewFusionView
from tests.plugin_views.opened import drawn_plot, layer, opened
from tests.trace.timelines import random_trace

VIEW = Viewport(900.0, 620.0)
LEGEND = legend_height(VIEW)
WHOLE = (0.0, RULER, 900.0, 620.0 - LEGEND)


@dataclass(frozen=True, eq=False)
class World:
    """A project and a run of it. node: of each function; some have none, as those of libraries."""

    graph: Graph
    trace: Trace
    map: NodeMap


def world(seed: int, calls: int = 300, files: int = 9, threads: int = 1) -> World:
    """Folders in one another, files, classes, functions; a folder with code of its own; what is not the project.

    threads  each with that many calls; those but the last call some of the functions alone
    """
    rng = np.random.default_rng(seed)
    made = GraphBuilder("project")
    folders = [""]
    for number in range(4):
        above = folders[int(rng.integers(0, len(folders)))]
        made.add_node(f"d{number}", above, f"d{number}", "folder")
        folders.append(f"d{number}")
    callable_: list[str] = []
    for number in range(files):
        file = f"f{number}.py"
        made.add_node(file, folders[int(rng.integers(0, len(folders)))], file, "file", file=file)
        made.measure(made.key(file), "sloc", float(rng.integers(0, 30)))
        callable_.append(file)
        for inner in range(int(rng.integers(0, 7))):
            above = file
            if rng.random() < 0.4:
                above = f"{file}::C{inner}"
                made.add_node(above, file, f"C{inner}", "class", file=file, line=1)
            name = f"{above}::g{inner}"
            made.add_node(name, above, f"g{inner}", "function", file=file, line=inner + 2)
            made.measure(made.key(name), "sloc", float(rng.integers(1, 50)))
            callable_.append(name)
    made.add_node("lone", "d1", "lone", "function", line=1)
    made.add_node("library", "", "library", "external")
    made.add_node("library::f", "library", "f", "external")
    graph = made.freeze()
    run = TraceBuilder("test", Budget("The trace"))
    chosen = [*rng.choice(callable_, min(14, len(callable_)), replace=False).tolist(), "lone", "library::f", ""]
    functions = [run.function(name or "elsewhere", "", name, 1) for name in chosen]
    for number in range(1, threads + 1):
        thread = run.thread(1, number)
        run.name_thread(thread, "main" if number == 1 else f"t{number}", "program")
        most = len(functions) if number == threads else 5
        time, stack, begun = 0, 0, 0
        while begun < calls or stack:
            time += int(rng.integers(0, 900) ** 1.5)
            if begun < calls and (not stack or rng.random() < 0.52):
                run.begin(thread, functions[int(rng.integers(0, most))], time)
                begun, stack = begun + 1, stack + 1
            else:
                run.end(thread, time)
                stack -= 1
    trace = run.trace(run.build(), {})
    keys = graph.key_of
    node = np.array([keys[file] if file else NO_NODE for file in trace.functions.file], np.int32)
    return World(graph, trace, NodeMap(node, np.zeros(len(node), np.int8), ("by hand",)))


def started(of: World, around: ViewSurroundings | None = None, data: Any = None, **values: object) -> ViewInstance:
    said: list[str] = []
    inputs = ViewInputs((of.trace,), (of.map,), (0,), of.graph)
    instance = ViewInstance(
        ViewFusionView(), inputs, around or ViewSurroundings(), said.append, values={"own": False, **values}, data=data
    )
    instance.settle()
    assert not said
    return instance


def plot(instance: ViewInstance, part: str = "fusion", viewport: Viewport = VIEW) -> Plot:
    return drawn_plot(instance, part, viewport)


def scene_of(instance: ViewInstance) -> Scene:
    found = scene_in(instance.context, instance.state, VIEW)
    assert found is not None
    return found


def say(instance: ViewInstance, kind: EventKind, pane: str = "calls", **fields: Any) -> tuple[object, ...]:
    return instance.on(ViewEvent(kind, fields.pop("part", "fusion"), pane, **fields))[1]


def point(instance: ViewInstance, px: float, py: float) -> Hit:
    """The pointer moves to a place, in pixels; what it hits there."""
    drawn = plot(instance)
    x, y = place(drawn.panes[0], px, py)
    hit = pick(fill(drawn, VIEW), px, py)
    inside = RULER <= py < VIEW.height - LEGEND
    say(instance, EventKind.HOVER, "calls" if inside else "", x=float(x), y=float(y), px=px, py=py, hit=hit)
    return hit


def at_call(instance: ViewInstance, row: int) -> tuple[float, float]:
    """The middle of the bar of a call."""
    drawn = plot(instance)
    bars = layer(drawn, "bars")
    at = int(np.flatnonzero(bars.item == row)[0])
    px, py = locate(drawn.panes[0], (bars.x0[at] + bars.x1[at]) / 2, (bars.y0[at] + bars.y1[at]) / 2)
    return float(px), float(py)


def texts(drawn: Plot) -> list[str]:
    return [text for each in drawn.layers if isinstance(each, Labels) for text in each.text]


# -- the treemap --------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.sampled_from(["lines", "files"]))
def test_cells_tile_the_picture_by_lines_and_lie_by_their_calls(seed: int, area: str) -> None:
    """VF-1, VF-4: every call has a cell, nothing is covered twice, areas add up, the busiest lie at the bottom."""
    of = world(seed, 60)
    graph, node = of.graph, of.map.node
    count = np.bincount(of.trace.calls.function, minlength=len(node)).astype(np.int64)
    tree = cell_tree(graph, node, count, area)
    layout = cell_layout(tree, WHOLE)
    box = layout.box
    size = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    whole = (WHOLE[2] - WHOLE[0]) * (WHOLE[3] - WHOLE[1])
    assert size[layout.leaf].sum() == pytest.approx(whole, rel=1e-9)
    children = [np.flatnonzero(tree.parent == row) for row in range(len(tree))]
    assert not any(set(layout.leaf.tolist()) & set(children[row].tolist()) for row in layout.leaf.tolist())
    for row, below in enumerate(children):
        if len(below):
            assert size[below].sum() == pytest.approx(size[row], rel=1e-9)
            by_calls = below[np.argsort(-tree.calls[below], kind="stable")]
            assert (np.diff(box[by_calls, 3]) <= 1e-9).all()
            assert tree.calls[row] == pytest.approx(tree.calls[below].sum())
    for function, key in enumerate(node.tolist()):
        cell = int(tree.of_functions(node)[function])
        inside = key != NO_NODE and not graph.is_below(key, graph.key_of["library"])
        assert (cell >= 0) == inside
        if inside:
            assert int(tree.key[cell]) == key
            assert not len(children[cell]) or not count[function]
            file = key
            while graph.kind(file) in ("class", "function"):
                file = int(graph.parent[file])
            assert int(tree.key[tree.file[cell]]) == file
            assert layout.within[cell] in layout.leaf or not count[function]
    if area == "files":
        files = np.unique(tree.file[tree.file >= 0])
        assert size[files] == pytest.approx(np.full(len(files), whole / len(files)), rel=1e-9)


def test_a_place_of_the_treemap_is_as_dark_as_the_formula_says() -> None:
    """VF-1, TV-8: at 1,000 points, over all cells that cover each; an only child is one with its parent."""
    instance = started(world(3))
    scene, drawn = scene_of(instance), plot(instance)
    tree, layout = scene.prepared.tree, scene.layout
    filled = fill(drawn, VIEW)
    number = next(at for at, each in enumerate(drawn.layers) if each.name == "cushions")
    tile, shade = filled.tiles[number], layer(drawn, "cushions").shade
    assert tile is not None
    assert (shade.power, shade.fx, shade.fy) == (0.2, 1.0, 0.8)
    edges = np.floor(layout.box + 0.5)
    rng = np.random.default_rng(1)
    for _ in range(1000):
        column, row = int(rng.integers(tile.left, tile.right)), int(rng.integers(tile.top, tile.bottom))
        psi, steps = 1.0, 0
        cell = layout.at(column + 0.5, row + 0.5)
        while cell >= 0:
            above = int(tree.parent[cell])
            alone = above >= 0 and int((tree.parent == above).sum()) == 1
            if not alone:
                x0, y0, x1, y1 = edges[cell]
                d = int(tree.nested[cell]) + 1
                across, down = (column + 0.5 - x0) / (x1 - x0), (row + 0.5 - y0) / (y1 - y0)
                psi *= ((1 - (1 - across) ** d) * (1 - abs(1 - 1.6 * down) ** d)) ** 0.2
                steps += 1
            cell = above
        assert steps >= 2
        light = shade.ambient + (1 - shade.ambient) * psi
        assert abs(int(tile.image[row - tile.top, column - tile.left, 3]) - 255 * (1 - light)) <= 2.0


def test_the_treemap_keeps_its_place_when_the_focus_changes() -> None:
    """VF-4: neither the window nor the pointer, nor what is selected elsewhere, moves a cell."""
    of = world(5)
    instance = started(of)
    before = plot(instance)
    first, last = of.trace.span
    half = replace(instance.focus, window=(first, (first + last) // 2))
    instance.look_at(half)
    point(instance, 300.0, 200.0)
    instance.look_around(ViewSurroundings(focus=half, selected=(of.graph.key_of["d1"],)))
    after = plot(instance)
    for name in ("x0", "x1", "y0", "y1", "item"):
        assert np.array_equal(getattr(layer(before, "cells"), name), getattr(layer(after, "cells"), name))
    assert not np.array_equal(layer(before, "cells").color, layer(after, "cells").color)
    for heavy in ("cushions", "borders", "names", "plates"):
        assert layer(before, heavy) is layer(after, heavy)


def test_packages_are_those_of_the_first_level_at_which_several_are_called() -> None:
    """VF-6: files above that level are packages of their own; what lies in a file never is one."""
    of = world(8)
    count = np.bincount(of.trace.calls.function, minlength=len(of.map)).astype(np.int64)
    tree = cell_tree(of.graph, of.map.node, count, "lines")
    found = packages_of(tree, 0)
    called = [level for level in range(1, 9) if (tree.calls[packages_of(tree, level).cells] > 0).sum() >= 4]
    assert np.array_equal(np.sort(found.cells), np.sort(packages_of(tree, called[0]).cells))
    assert (np.diff(tree.calls[found.cells]) <= 0).all()
    for cell in np.flatnonzero(tree.file >= 0).tolist():
        package = int(found.cells[found.of_cell[cell]])
        assert tree.below(package)[cell]
        assert package == tree.file[cell] or tree.file[package] != tree.file[cell]


# -- colour linking -----------------------------------------------------------------------------------------------


def calls_in(of: World, scene: Scene, rows: set[int]) -> dict[int, int]:
    """Shown cell -> how many of these calls it holds."""
    found: dict[int, int] = {}
    for row in rows:
        cell = int(scene.prepared.cell[of.trace.calls.function[row]])
        if cell >= 0:
            shown = int(scene.layout.within[cell])
            found[shown] = found.get(shown, 0) + 1
    return found


def cell_classes(instance: ViewInstance, theme: Any = LIGHT) -> dict[int, str]:
    """Cell -> "white", "blue", "grey" or "colour", as it is drawn."""
    cells = layer(plot(instance), "cells")
    pale = mixed(np.array([grey(theme)], np.uint8), theme.ground, 0.35)[0].tolist()
    words = {WHITE: "white", blue(theme): "blue", tuple(pale): "grey"}
    return {
        int(item): words.get(tuple(color), "colour")
        for item, color in zip(cells.item, cells.color.tolist(), strict=True)
    }


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("seed", range(4))
def test_brushed_calls_color_their_cells_and_no_others(seed: int, theme: Any) -> None:
    """VF-3: the image of the focus has values, the rest of what is called is grey, what is not called blue."""
    of = world(seed)
    instance = started(of, ViewSurroundings(theme=theme), color="calls")
    scene = scene_of(instance)
    everything = calls_in(of, scene, set(range(len(of.trace.calls))))
    assert set(cell_classes(instance, theme).values()) == {"colour", "blue"}
    wide = scene.bars.row[scene.bars.count == 1]
    rng = np.random.default_rng(seed)
    for row in rng.choice(wide, min(6, len(wide)), replace=False).tolist():
        hit = point(instance, *at_call(instance, row))
        assert hit.item == row
        inside = calls_in(of, scene, set(range(row, int(of.trace.calls.end_row[row]))))
        for cell, word in cell_classes(instance, theme).items():
            assert word == ("colour" if cell in inside else "grey" if cell in everything else "blue")
        bars = layer(plot(instance), "focus")
        assert all(row <= item < of.trace.calls.end_row[row] for item in bars.item.tolist())
        function = of.trace.calls.function[bars.item]
        unmapped = scene.prepared.cell[function] < 0
        assert ((bars.color == np.array(WHITE)).all(axis=1) == unmapped).all()


@pytest.mark.parametrize("seed", range(4))
def test_brushed_code_colors_its_calls_and_no_others(seed: int) -> None:
    """VF-2, VF-3: the subtree under the pointer; white what is not called in it, blue what is not called elsewhere."""
    of = world(seed)
    instance = started(of, color="time")
    scene = scene_of(instance)
    tree, everything = scene.prepared.tree, calls_in(of, scene, set(range(len(of.trace.calls))))
    say(instance, EventKind.TAP, key="Ctrl")
    assert instance.state.code
    rng = np.random.default_rng(seed)
    for height in (0, 1, 2, 0):
        instance.state = replace(instance.state, height=height)
        px, py = float(rng.uniform(5, 895)), float(rng.uniform(RULER + 2, VIEW.height - LEGEND - 2))
        hit = point(instance, px, py)
        assert hit.layer == "cells"
        root = tree.above(hit.item, height)
        inside = tree.below(root)
        for cell, word in cell_classes(instance).items():
            if inside[cell]:
                assert word == ("colour" if cell in everything else "white")
            else:
                assert word == ("grey" if cell in everything else "blue")
        cells = scene.prepared.cell[of.trace.calls.function]
        own = np.where(cells >= 0, inside[cells], False)
        expected = []
        for row, last, depth in zip(scene.bars.row, scene.bars.last, scene.bars.depth, strict=True):
            same = np.arange(row, last + 1)[of.trace.calls.depth[row : last + 1] == depth]
            expected.append(next((int(each) for each in same if own[each]), NO_CALL))
        assert focused(instance.context, instance.state, scene).rows.tolist() == expected
        focus = layer(plot(instance), "focus")
        assert len(focus.item) == sum(row != NO_CALL for row in expected)
        assert not (focus.color == np.array(WHITE)).all(axis=1).any()


def test_colors_around_the_focus_are_two_metrics_and_stay_under_the_pointer() -> None:
    """VF-3: data outside focus: the focus is grey in both, each of the two has its own values around it."""
    of = world(2)
    instance = started(of, link="outside", color="calls", cells="time")
    scene = scene_of(instance)
    before = layer(plot(instance), "cells").color
    say(instance, EventKind.TAP, key="Ctrl")
    point(instance, 450.0, 560.0)
    after = layer(plot(instance), "cells").color
    focus = focused(instance.context, instance.state, scene)
    leaves = scene.layout.leaf
    inside, called = focus.cells[leaves], scene.calls[leaves] > 0
    assert inside.any()
    assert len(np.unique(after[inside & called], axis=0)) <= 1
    assert (after[inside & ~called] == np.array(WHITE)).all()
    assert (after[~inside & ~called] == np.array(blue(LIGHT))).all()
    paler = mixed(before[~inside & called], LIGHT.ground, 0.35 * 0.6)
    assert np.array_equal(after[~inside & called], paler)
    told = " ".join(texts(plot(instance)))
    assert "Calls of the file (calls)" in told
    assert "Time of the file (code)" in told
    assert layer(plot(instance), "bars").color[:, 3].max() < 255


@pytest.mark.parametrize("metric", [name for name, _ in METRICS if name != "package"])
@pytest.mark.parametrize("by_cell", [False, True])
def test_values_of_files_are_those_counted_plainly(metric: str, by_cell: bool) -> None:
    """VF-5: over the focus, normalised to its range; own time as an option."""
    of = world(11)
    instance = started(of)
    scene = scene_of(instance)
    calls, prepared = of.trace.calls, scene.prepared
    row = int(np.argmax(calls.end_row - np.arange(len(calls)) * (calls.depth > 0)))
    rows = range(row, int(calls.end_row[row]))
    instance.state = replace(instance.state, selected=row)
    focus = focused(instance.context, instance.state, scene)
    for own in (False, True) if metric == "time" else (False,):
        found = shares_of(scene, focus.figures, focus.part, metric, own, by_cell)
        plain: dict[int, list[float]] = {}
        cells = prepared.cell[calls.function[: rows[-1] + 1]]
        groups = np.where(cells >= 0, scene.layout.within[cells] if by_cell else prepared.tree.file[cells], -1).tolist()
        for each in rows:
            group = groups[each]
            if group < 0:
                continue
            if (
                metric == "time"
                and not own
                and any(groups[above] == group and each < calls.end_row[above] for above in range(row, each))
            ):
                plain.setdefault(group, []).append(0.0)  # it runs within another call of the same one
                continue
            long = float(calls.end[each] - calls.start[each])
            if own:
                child = each + 1
                while child < calls.end_row[each]:
                    long -= float(calls.end[child] - calls.start[child])
                    child = int(calls.end_row[child])
            depth = float(calls.depth[each])
            value = {
                "start": float(calls.start[each] - of.trace.span[0]),
                "depth": depth - float(calls.depth[row]),
                "deepest": depth,
                "calls": 1.0,
                "time": long,
            }[metric]
            plain.setdefault(group, []).append(value)
        of_all: Any = {"start": min, "depth": np.mean, "deepest": max, "calls": sum, "time": sum}[metric]
        values = {group: float(of_all(numbers)) for group, numbers in plain.items()}
        if metric in {"calls", "time", "deepest"}:
            assert (found.low, found.high) == (min(values.values()), max(values.values()))
        span = (found.high - found.low) or 1.0
        for cell in scene.layout.leaf.tolist():
            group = cell if by_cell else int(prepared.tree.file[cell])
            here = calls_in(of, scene, set(rows)).get(cell, 0)
            expected = (values[group] - found.low) / span if here else np.nan
            assert found.cell[cell] == pytest.approx(expected, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_code_of_other_threads_is_told_from_what_did_not_run(seed: int) -> None:
    """VF-3, VF-5: striped what another thread ran; blue what none did; values over one thread or all, which is told."""
    of = world(seed, threads=3)
    instance = started(of, color="calls")
    instance.state = replace(instance.state, thread=0)
    scene, ptr = scene_of(instance), of.trace.threads.ptr
    own = calls_in(of, scene, set(range(int(ptr[0]), int(ptr[1]))))
    every = calls_in(of, scene, set(range(len(of.trace.calls))))
    drawn = plot(instance)
    leaf = scene.layout.leaf
    striped = layer(drawn, "elsewhere")
    assert striped.pattern == "diagonal"
    boxes = dict(zip(leaf.tolist(), scene.layout.box[leaf].tolist(), strict=True))
    where = [box for cell, box in boxes.items() if cell in every and cell not in own]
    assert where == np.column_stack((striped.x0, striped.y0, striped.x1, striped.y1)).tolist()
    assert where
    assert {cell for cell, word in cell_classes(instance).items() if word == "colour"} == set(own)
    shares = shares_of(scene, scene.figures, scene.part, "calls", False, True)
    assert shares.high == max(own.values())
    assert {"did not run", "ran in another thread"} <= set(texts(drawn))
    assert any(text.startswith("Calls of the file, this thread") for text in texts(drawn))
    cell = next(cell for cell in every if cell not in own)
    calls = every[cell]
    told = f"not called by this thread; {calls:,} call{'' if calls == 1 else 's'} in other threads"
    assert instance.tell("fusion", Hit("cells", cell))[-1] == told
    say(instance, EventKind.TAP, key="Ctrl")
    x, y = (scene.layout.box[cell, :2] + scene.layout.box[cell, 2:]) / 2
    point(instance, float(x), float(y))
    white = (layer(plot(instance), "elsewhere").color == np.array(WHITE)).all(axis=1)
    assert white.tolist() == [each == cell for each in leaf.tolist() if each in every and each not in own]
    assert "in focus, ran in another thread" in texts(plot(instance))

    instance = started(of, color="calls", threads="all")
    instance.state = replace(instance.state, thread=0)
    scene = scene_of(instance)
    every = calls_in(of, scene, set(range(len(of.trace.calls))))  # the busiest files lie elsewhere now
    assert {cell for cell, word in cell_classes(instance).items() if word == "colour"} == set(every)
    assert not len(layer(plot(instance), "elsewhere").x0)
    shares = shares_of(scene, scene.figures, scene.part, "calls", False, True)
    assert shares.high == max(every.values())
    told = " ".join(texts(plot(instance)))
    assert "Calls of the file, all threads" in told
    assert "another thread" not in told
    point(instance, *at_call(instance, int(scene.bars.row[scene.bars.depth == 0][0])))
    assert "Calls of the file, in focus" in " ".join(texts(plot(instance)))  # the pointer's focus is of this thread


@pytest.mark.parametrize("by_cell", [False, True])
def test_times_that_are_known_are_those_found_anew(by_cell: bool) -> None:
    """VF-5: for subtrees of whole files the times of the window hold; within a file they are found anew."""
    scene = scene_of(started(world(11)))
    prepared, tree = scene.prepared, scene.prepared.tree
    whole = (scene, scene.figures, scene.part, "time", False, by_cell)
    times = group_times(prepared, scene.layout, scene.part, by_cell)
    for root in np.flatnonzero(tree.depth <= 6).tolist():
        only = np.zeros(len(tree), np.bool_)
        only[scene.layout.leaf] = tree.below(root)[scene.layout.leaf]
        known, anew = shares_of(*whole, only, times), shares_of(*whole, only)
        assert (known.low, known.high) == (anew.low, anew.high)
        assert np.array_equal(known.cell, anew.cell, equal_nan=True)


def test_a_file_runs_no_longer_than_the_window() -> None:
    """VF-5: calls of a file within one another count once, in the table and in tooltips."""
    of = world(11)
    instance = started(of)
    table = instance.draw("files", VIEW)
    assert isinstance(table, ViewTable)
    columns = {column.name: np.asarray(column.values) for column in table.columns if column.kind != "text"}
    whole = of.trace.span[1] - of.trace.span[0]
    assert (columns["Time"] <= whole).all()
    assert (columns["A call"] * columns["Calls"]).max() > whole  # the sum of all its calls is longer
    cell = int(table.item[0])
    assert f"{duration(int(columns['Time'][0]))} in its calls" in instance.tell("fusion", Hit("cells", cell))[-2]


def test_the_legend_tells_absolute_values_and_both_special_colors() -> None:
    """VF-3: with the range of what is in focus, why code has no value, and which of the two the pointer brushes."""
    of = world(6)
    instance = started(of, color="calls")
    told = texts(plot(instance))
    assert "did not run" in told
    assert "a call of code that is not open" in told  # white in focus, blue outside
    assert "in focus, did not run" not in told
    assert "Pointer: calls   (Ctrl: code)" in told
    scene = scene_of(instance)
    shares = shares_of(scene, scene.figures, scene.part, "calls", False, False)
    assert f"{shares.high:,.0f} calls" in told
    point(instance, *at_call(instance, int(scene.bars.row[scene.bars.depth == 2][0])))
    assert "ran outside the focus" in texts(plot(instance))
    assert texts(plot(instance)) != told
    say(instance, EventKind.TAP, key="Ctrl")
    assert {"did not run", "in focus, did not run"} <= set(texts(plot(instance)))  # the pointer brushes code
    say(instance, EventKind.TAP, key="Ctrl")
    narrow = plot(instance, viewport=Viewport(260.0, 400.0))
    assert max(layer(narrow, "legend texts").y) < 400
    low = plot(instance, viewport=Viewport(260.0, 200.0))
    assert len(set(layer(low, "legend texts").y.tolist())) == 1


# -- interaction --------------------------------------------------------------------------------------------------


def test_ctrl_gives_the_pointer_to_the_other_one_and_the_wheel_picks_a_height() -> None:
    """VF-2: a label says which; the subtree is at most the whole project, at least the cell."""
    instance = started(world(4))
    assert plot(instance).input == ("input ground", "focus", "bars")
    point(instance, 450.0, 560.0)
    say(instance, EventKind.TAP, key="Shift")
    assert not instance.state.code
    say(instance, EventKind.TAP, key="Ctrl")
    assert plot(instance).input == ("input ground", "cells")
    assert layer(plot(instance), "cells").wheel
    hit = point(instance, 450.0, 560.0)
    tree = scene_of(instance).prepared.tree
    for _ in range(12):
        say(instance, EventKind.WHEEL, hit=hit, steps=1.0)
    assert instance.state.height == int(tree.depth[hit.item])
    assert any("levels up (wheel)" in text for text in texts(plot(instance)))
    assert focused(instance.context, instance.state, scene_of(instance)).root == 0
    say(instance, EventKind.WHEEL, hit=hit, steps=-1.0)
    assert instance.state.height == int(tree.depth[hit.item]) - 1
    for _ in range(12):
        say(instance, EventKind.KEY, key="Down", hit=hit)
    assert instance.state.height == 0
    say(instance, EventKind.TAP, key="Ctrl")
    assert plot(instance).input == ("input ground", "focus", "bars")


def test_hovering_fills_no_heavy_layer_again() -> None:
    """VF-2, VF-3: cushions, bars, names and the ruler stay; over the same call not even colours are made anew."""
    instance = started(world(9, 900, threads=2), color="calls")
    instance.state = replace(instance.state, thread=0)
    assert len(layer(plot(instance), "elsewhere").x0)
    cache: LayerCache[Any] = LayerCache()
    bars = scene_of(instance).bars
    wide = np.argsort(bars.x0 - bars.x1)
    row, other = (int(bars.row[wide[bars.depth[wide] == depth][0]]) for depth in (1, 3))
    point(instance, *at_call(instance, other))
    fill(plot(instance), VIEW, cache)
    before, made = {each.name: each for each in plot(instance).layers}, cache.made
    px, py = at_call(instance, row)
    point(instance, px, py)
    drawn = plot(instance)
    fill(drawn, VIEW, cache)
    after = {each.name: each for each in drawn.layers}
    names = ("names", "plates", "names of packages")
    for heavy in ("cushions", "borders", *names, "bars", "elsewhere", "ruler ticks", "ruler times"):
        assert after[heavy] is before[heavy], heavy
    assert cache.made - made == sum(each is not before.get(name) for name, each in after.items()) <= 11
    assert after["cells"] is not before["cells"]
    point(instance, px + 0.25, py)
    again = {each.name: each for each in plot(instance).layers}
    assert again["focus"] is not after["focus"]
    assert again["cells"] is after["cells"]


def test_a_click_selects_in_the_picture_of_the_code_and_what_is_selected_there_is_framed() -> None:
    """VF-6: calls and cells, both ways."""
    of = world(1)
    instance = started(of)
    scene = scene_of(instance)
    mapped = scene.prepared.cell[of.trace.calls.function[scene.bars.row]] >= 0
    row = int(scene.bars.row[mapped & (scene.bars.count == 1)][0])
    px, py = at_call(instance, row)
    hit = point(instance, px, py)
    x, _ = place(plot(instance).panes[0], px, py)
    focus, nodes = say(instance, EventKind.CLICK, x=float(x), hit=hit)
    function = int(of.trace.calls.function[row])
    assert isinstance(focus, SetFocus)
    assert focus.focus.calls == (row,)
    assert nodes == SelectNodes((int(of.map.node[function]),))
    assert instance.state.selected == row
    assert layer(plot(instance), "selected call") is not None
    assert say(instance, EventKind.KEY, key="Escape")
    assert instance.state.selected == NO_CALL
    say(instance, EventKind.TAP, key="Ctrl")
    hit = point(instance, 450.0, 560.0)
    (asked,) = say(instance, EventKind.CLICK, hit=hit)
    key = int(scene.prepared.tree.key[hit.item])
    assert asked == SelectNodes((key,))
    assert say(instance, EventKind.DOUBLE, hit=hit) == (SelectNodes((key,), reveal=True),)
    say(instance, EventKind.LEAVE)
    folder = of.graph.key_of["f0.py"]
    instance.look_around(ViewSurroundings(selected=(folder,)))
    drawn = plot(instance)
    assert layer(drawn, "selected cells") is not None
    inside = scene.prepared.tree.below(np.flatnonzero(scene.prepared.tree.key == folder)[:1])
    marked = focused(instance.context, instance.state, scene)
    assert marked.by == "code"
    assert (marked.cells[scene.layout.leaf] == inside[scene.layout.leaf]).all()
    instance.look_around(ViewSurroundings(selected=(of.graph.root,)))
    assert layer(plot(instance), "selected cells") is None


def test_calls_are_panned_aside_and_the_others_are_told_what_is_left() -> None:
    """VF-6: the code under the plot is uncovered; F shows all of the run again; an overview leads anywhere."""
    of = world(7)
    instance = started(of)
    long = float(of.trace.span[1] - of.trace.span[0])
    pane = plot(instance).panes[0]
    assert pane.home == (0.0, long)
    assert pane.limit == (-long, 2 * long)
    (asked,) = say(instance, EventKind.RANGE, range=Range((long * 0.75, long * 1.75), (0.0, 1.0)))
    assert isinstance(asked, SetFocus)
    assert asked.focus.window is not None
    assert asked.focus.window[1] == of.trace.span[1]
    drawn = plot(instance)
    assert drawn.panes[0].x == (long * 0.75, long * 1.75)
    bars = layer(drawn, "bars")
    assert bars.x1.max() <= long
    assert layer(drawn, "cells").x1.max() == VIEW.width
    assert say(instance, EventKind.RANGE, range=Range((0.0, long), (0.0, 1.0), True)) == ()
    (asked,) = say(instance, EventKind.RANGE, range=Range(pane.home, (0.0, 1.0)))
    assert asked == SetFocus(Focus())
    start = ViewEvent(EventKind.PRESS, "overview", "whole", x=long * 0.2)
    say(instance, EventKind.DROP, "whole", part="overview", x=long * 0.4, start=start)
    assert plot(instance).panes[0].x == pytest.approx((long * 0.2, long * 0.4), abs=1.0)
    assert layer(plot(instance, "overview"), "veil") is not None
    say(instance, EventKind.CLICK, "whole", part="overview", x=long * 0.5)
    assert plot(instance).panes[0].x == pytest.approx((long * 0.4, long * 0.6), abs=1.0)


def test_tables_lead_to_files_and_threads() -> None:
    of = world(12)
    instance = started(of)
    files = instance.draw("files", VIEW)
    assert isinstance(files, ViewTable)
    assert np.sum(files.columns[1].values) == sum(
        calls_in(of, scene_of(instance), set(range(len(of.trace.calls)))).values()
    )
    item = int(files.item[0])
    key = int(scene_of(instance).prepared.tree.key[item])
    assert say(instance, EventKind.ROW, part="files", hit=Hit("", item)) == (SelectNodes((key,)),)
    threads = instance.draw("threads", VIEW)
    assert isinstance(threads, ViewTable)
    assert threads.selected == {0}
    say(instance, EventKind.ROW, part="threads", hit=Hit("", 0))
    assert instance.state.thread == 0


def test_tooltips_tell_the_call_and_its_file() -> None:
    of = world(13)
    instance = started(of)
    scene = scene_of(instance)
    mapped = scene.prepared.cell[of.trace.calls.function[scene.bars.row]]
    row = int(scene.bars.row[(mapped >= 0) & (scene.bars.count == 1)][0])
    lines = instance.tell("fusion", Hit("bars", row))
    assert lines[0] == of.trace.functions.name[of.trace.calls.function[row]]
    assert "call" in lines[-3]
    elsewhere = int(scene.bars.row[(mapped < 0) & (scene.bars.count == 1)][0])
    assert instance.tell("fusion", Hit("bars", elsewhere))[-1] == "not part of the code that is open"
    never = int(np.flatnonzero((scene.calls == 0) & (scene.prepared.tree.calls == 0))[-1])
    assert instance.tell("fusion", Hit("cells", never))[-1] == "did not run"


@pytest.mark.parametrize("short", ["", "width", "height", "area"])
def test_functions_appear_in_a_file_that_is_large_enough(short: str) -> None:
    """VF-1: a file is one cell until it is wide, high and roomy enough for the cells in it."""
    made = GraphBuilder("project")
    made.add_node("a.py", "", "a.py", "file", file="a.py")
    parts = 40 if short == "area" else 4
    for number in range(parts):
        made.add_node(f"a.py::f{number}", "a.py", f"f{number}", "function", file="a.py", line=number)
    tree = cell_tree(made.freeze(), np.empty(0, np.int32), np.empty(0, np.int64), "lines")
    assert len(tree) == parts + 2
    wide, high = WIDE - (short == "width"), max(HIGH, 4 * ROOM / WIDE) if short != "height" else HIGH - 1
    shown = cell_layout(tree, (0.0, 0.0, wide if short != "height" else 10 * WIDE, high))
    functions = np.arange(len(tree))[-parts:]
    assert shown.shown[functions].tolist() == [not short] * parts
    assert sorted(shown.leaf.tolist()) == (functions.tolist() if not short else [1])
    assert set(shown.within[functions].tolist()) == (set(functions.tolist()) if not short else {1})


# -- odd inputs, documents, files ---------------------------------------------------------------------------------


@pytest.mark.parametrize("calls", [0, 1, 400])
@pytest.mark.parametrize("values", [{}, {"link": "outside", "color": "start"}, {"color": "depth", "per": "cell"}])
def test_without_code_its_own_functions_are_the_code(calls: int, values: dict[str, object]) -> None:
    """The graph is made from the recording; every part draws, whatever the trace."""
    said: list[str] = []
    instance = opened(ViewFusionView(), random_trace(1, calls, 2, gap=30.0), said=said, values=values)
    instance.settle()
    for part in ("fusion", "overview", "files", "threads"):
        assert isinstance(instance.draw(part, VIEW), Plot | ViewTable)
    point_at = ViewEvent(EventKind.HOVER, "fusion", "calls", x=5.0, y=300.0, px=40.0, py=300.0)
    instance.on(point_at)
    instance.draw("fusion", VIEW)
    instance.on(ViewEvent(EventKind.TAP, "fusion", key="Ctrl"))
    drawn = instance.draw("fusion", VIEW)
    assert isinstance(drawn, Plot)
    assert not said
    if calls == 400:
        assert not set(cell_classes(instance).values()) & {"blue"}


def test_a_large_trace_is_prepared_by_a_need() -> None:
    said: list[str] = []
    instance = opened(ViewFusionView(), random_trace(1, 20_001), said=said)
    assert texts(plot(instance)) == ["Laying calls over the code …"]
    assert [need.name for need in instance.wanted()] == ["prepared"]
    assert not said


def test_only_my_code_leaves_out_calls_of_other_code() -> None:
    """The selected call keeps its row of the recording."""
    of = world(1)
    instance = started(of, own=True)
    scene = scene_of(instance)
    mapped = of.map.node[of.trace.calls.function] != NO_NODE
    assert len(scene.prepared.trace.calls) == int(mapped.sum())
    here = int(scene.bars.row[scene.bars.count == 1][-1])
    px, py = at_call(instance, here)
    hit = point(instance, px, py)
    x, _ = place(plot(instance).panes[0], px, py)
    say(instance, EventKind.CLICK, x=float(x), hit=hit)
    assert instance.state.selected == scene.prepared.there(here)
    assert layer(plot(instance), "selected call") is not None


def test_a_document_restores_it_and_nonsense_opens_it_afresh() -> None:
    of = world(1)
    instance = started(of, color="time")
    instance.state = ViewFusionState((5.0, 900.0), None, None, True, 2, 3, 0)
    data = asdict(instance.state)
    assert started(of, data=data).state == instance.state
    for wrong in ({"thread": 9}, {"selected": 10**6}, {"height": -1}, {"window": (5.0, 1.0)}, {"window": "x"}):
        assert started(of, data={**data, **wrong}).state == ViewFusionState()


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_the_command_draws_the_same_bytes_twice(tmp_path: Path, suffix: str) -> None:
    write_folder(tmp_path / "run", random_trace(3, 200, gap=60.0))
    files = [tmp_path / f"{number}.{suffix}" for number in range(2)]
    for file in files:
        assert main(["trace", "render", "fusion", str(tmp_path / "run"), "-o", str(file), "--size", "500x400"]) == DONE
    assert files[0].read_bytes() == files[1].read_bytes()
