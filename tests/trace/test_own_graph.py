"""A graph from a trace alone: processes, folders or packages, files, classes, functions; with every view's keys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget
from cbvtool.graph import Graph
from cbvtool.session.plugin_views.surroundings import own_inputs
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.mapping.map_functions import map_functions
from cbvtool.trace.mapping.own_graph import graph_of
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.overlay.calls_seen import run_time_rows
from cbvtool.trace.overlay.relations import with_run_time
from cbvtool.trace.overlay.windows import classes_of, run_time
from cbvtool.trace.readers.registry import read_traces

Named = tuple[str, str, str, int]  # name, module, file, line


def trace(*processes: list[Named]) -> Trace:
    """In each process, each function calls the next one."""
    made = TraceBuilder("test", Budget("The trace"))
    made.describe(program="/usr/bin/shop")
    for number, functions in enumerate(processes, 1):
        thread = made.thread(number, 1)
        made.name_thread(thread, "main", f"worker{number}")
        for time, function in enumerate(functions):
            made.begin(thread, made.function(*function), time)
        for _ in functions:
            made.end(thread, 100)
    return made.trace(made.build())


def paths(graph: Graph) -> dict[str, str]:
    return {graph.path(key): graph.kind(key) for key in graph.tree.order.tolist()[1:]}


def test_files_classes_and_functions_below_the_common_folder() -> None:
    files = "/home/me/shop/src/cart.py", "/home/me/shop/src/db/rows.py"
    names = [
        ("<module>", "", files[0], 1),
        ("Cart.add", "", files[0], 5),
        ("Cart.add.<locals>.step", "", files[0], 7),
        ("Cart.add.<locals>.<lambda>", "", files[0], 8),
        ("load", "", files[1], 3),
    ]
    graph, nodes = graph_of(trace(names))
    assert graph.name == "shop"
    assert paths(graph) == {
        "cart.py": "file",
        "cart.py > Cart": "class",
        "cart.py > Cart > add": "function",
        "cart.py > Cart > add > step": "function",
        "cart.py > Cart > add > <lambda>": "function",
        "db": "folder",
        "db > rows.py": "file",
        "db > rows.py > load": "function",
    }
    assert [graph.names[key] for key in nodes.node.tolist()] == ["cart.py", "add", "step", "<lambda>", "load"]
    assert nodes.mapped.all()


def test_modules_stand_in_for_files_that_nobody_recorded() -> None:
    names = [
        ("sqrt", "math", "", 0),
        ("C.m(int)", "a.b", "", 0),
        ("ns::V<int>::get(int)", "/usr/lib/libv.so.1", "", 0),
        ("f", "", "", 0),
    ]
    graph, _ = graph_of(trace(names))
    assert paths(graph) == {
        "(unknown)": "package",
        "(unknown) > f": "function",
        "a": "package",
        "a > b": "package",
        "a > b > C": "class",
        "a > b > C > m": "function",
        "libv.so.1": "package",
        "libv.so.1 > ns": "class",
        "libv.so.1 > ns > V": "class",
        "libv.so.1 > ns > V > get": "function",
        "math": "package",
        "math > sqrt": "function",
    }


def test_several_processes_share_a_file_once() -> None:
    shared, own = ("f", "", "/x/both.py", 1), ("g", "", "/x/first.py", 1)
    graph, nodes = graph_of(trace([shared, own], [shared]))
    assert paths(graph) == {
        "worker1 (1)": "process",
        "worker1 (1) > first.py": "file",
        "worker1 (1) > first.py > g": "function",
        "worker1 (1) + worker2 (2)": "process",
        "worker1 (1) + worker2 (2) > both.py": "file",
        "worker1 (1) + worker2 (2) > both.py > f": "function",
    }
    assert len(set(nodes.node.tolist())) == 2


def test_the_overlay_works_on_it() -> None:
    subject = trace([("f", "", "/x/a.py", 1), ("g", "", "/x/b.py", 1), ("h", "", "", 0)])
    graph, nodes = graph_of(subject)
    found = run_time(subject, classes_of(subject, nodes, graph))
    assert run_time_rows(with_run_time(graph, found).graph).sum() == 2
    assert found.subtree_time[graph.root] == 100


PARTS = st.sampled_from(["a", "b.py", "<module>", "<locals>", "<lambda>", "C", "", "::", "(x)", "#2", "/", ".."])
FUNCTIONS = st.tuples(
    st.lists(PARTS, max_size=4).map(".".join),
    st.lists(PARTS, max_size=2).map(".".join),
    st.lists(PARTS, max_size=3).map("/".join),
    st.integers(-1, 3),
)


@given(st.lists(st.lists(FUNCTIONS, max_size=5), max_size=3))
def test_any_function_has_a_node_in_a_sound_graph(processes: list[list[Named]]) -> None:
    subject = trace(*processes)
    graph, nodes = graph_of(subject)
    assert len(nodes) == len(subject.functions)
    assert nodes.mapped.all()
    assert len(set(graph.ids)) == len(graph)
    bodies = [key for key in nodes.node.tolist() if graph.kind(key) not in ("function",)]
    assert all(graph.kind(key) in ("file", "folder", "package") for key in bodies)
    assert (np.diff(np.sort([key for key in nodes.node.tolist() if key not in bodies])) > 0).all()


@given(st.lists(FUNCTIONS, max_size=8))
def test_the_map_to_it_is_total_on_nothing_but_harmless(functions: list[Named]) -> None:
    """Whatever is recorded, the map to another graph ends with a node of that graph, or a reason."""
    graph, _ = graph_of(trace([("C.a", "", "/p/b.py", 1), ("a", "a", "", 0)]))
    nodes = map_functions(trace(functions).functions, graph)
    assert ((nodes.node >= -1) & (nodes.node < len(graph))).all()
    assert sum(nodes.found().values()) + sum(nodes.unmapped().values()) == len(nodes)


def test_a_declared_hierarchy_takes_the_place_of_folders(tmp_path: Path) -> None:
    """EX-5: the containers of a file in the Rigi Standard Format, whole, with its kinds; one that bites its tail."""
    file = tmp_path / "a.rsf"
    file.write_text(
        "type draw Package\nlevel app draw\nlevel draw draw.Figure\nlevel draw draw.shapes\nlevel draw.shapes Line\n"
        "level one two\nlevel two one\ncall draw.Figure Line 1 9\ncall Line Elsewhere 2 3\ncall Line one 4 5\n"
    )
    (made,) = read_traces(file)
    assert isinstance(made, Trace)
    graph, nodes = graph_of(made)
    known = paths(graph)
    assert known["app > draw"] == "package"
    assert known["app > draw > Figure"] == "class"
    assert known["app > draw > shapes > Line"] == "class"
    assert known["Elsewhere"] == "class"
    assert known["two > one"] == "container"
    assert [graph.path(int(key)).rpartition(" > ")[2] for key in nodes.node] == [
        name.removeprefix("draw.") for name in made.functions.name
    ]
    two = own_inputs((made, made))
    assert len(two.graph) == len(graph)
