"""Unused code and entry points (CBV-10)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import REMOVED, Configuration, Graph, GraphBuilder
from cbvtool.metrics import Subject, evaluate
from cbvtool.metrics.structure.configurations import by_configuration
from cbvtool.metrics.structure.entry_points import ENTRY_POINTS, entry_points
from cbvtool.metrics.structure.unused import unused
from tests.metrics.test_against_brute_force import below
from tests.metrics.test_users import file_of, graphs, relations, with_parts


def project(
    *definitions: str, edges: tuple[tuple[str, str], ...] = (), guesses: tuple[tuple[str, str], ...] = ()
) -> Graph:
    """Files with ten lines each, folders as needed, definitions `file::Class.method` with five, relations."""
    builder = GraphBuilder("p")

    def add(node: str) -> None:
        if node in builder:
            return
        if "::" in node:
            file, _, inner = node.partition("::")
            above, _, name = inner.rpartition(".")
            parent = f"{file}::{above}" if above else file
            kind = "class" if name[:1].isupper() and "::" not in name else "function"
            add(parent)
            builder.add_node(node, parent, name, kind, file=file, values={"sloc": 5})
            return
        parent, _, name = node.rpartition("/")
        add(parent)
        is_file = "." in name
        values = {"sloc": 10} if is_file and not name.endswith(".md") else {}
        builder.add_node(
            node, parent, name, "file" if is_file else "folder", file=node if is_file else None, values=values
        )

    for node in definitions:
        add(node)
    for user, used in edges:
        builder.add_edge(builder.key(user), builder.key(used), "call")
    for user, used in guesses:
        builder.add_edge(builder.key(user), builder.key(used), "call", confidence=2)
    return builder.freeze()


def names(graph: Graph, patterns: tuple[str, ...] = ENTRY_POINTS) -> list[set[str]]:
    return [{graph.ids[key] for key in one.keys} for one in unused(graph, patterns) or []]


def entries(graph: Graph, *patterns: str) -> set[str]:
    mask = entry_points(graph, patterns)
    return {graph.ids[key] for key in np.flatnonzero(mask).tolist()}


SHOP = ("main.py", "a.py::f", "a.py::g", "a.py::h", "b.py::x", "b.py::y")


def test_what_nobody_uses() -> None:
    """A used file does not keep its functions; a used function keeps its file."""
    graph = project(*SHOP, edges=(("main.py", "a.py::f"), ("a.py::f", "a.py::g")))
    assert names(graph) == [{"b.py"}, {"a.py::h"}]


def test_a_used_function_keeps_what_its_file_uses() -> None:
    """Whatever runs in a file needs what the file imports; what another function of it needs is another matter."""
    graph = project(
        "main.py",
        "a.py::f",
        "a.py::g",
        "b.py",
        "c.py",
        edges=(("main.py", "a.py::f"), ("a.py", "b.py"), ("a.py::g", "c.py")),
    )
    assert names(graph) == [{"a.py::g", "c.py"}]


def test_mutually_connected_sets_go_together() -> None:
    """CBV-10: x and y use each other and nobody else uses them; h uses both, so it can go first."""
    graph = project(
        *SHOP,
        edges=(
            ("main.py", "a.py"),
            ("a.py::f", "a.py::g"),
            ("a.py::g", "a.py::f"),
            ("a.py::h", "a.py::f"),
            ("main.py", "b.py::x"),
        ),
    )
    found = unused(graph) or []
    assert names(graph) == [{"a.py::f", "a.py::g", "a.py::h"}, {"b.py::y"}]
    assert [graph.ids[key] for key in found[0].heads] == ["a.py::h"]
    assert found[0].sloc == 15
    without = unused(graph.with_(edges=graph.edges.take(np.array([0, 1, 2, 4])))) or []
    both = next(one for one in without if len(one.keys) == 2)
    assert both.heads == both.keys, "a cycle has no first one"


def test_a_folder_goes_as_a_whole() -> None:
    """The topmost node is named; a text that lies beside the code keeps its folder."""
    graph = project(
        "main.py", "old/x/a.py", "old/b.py::f", "kept/c.py", "kept/README.md", edges=(("old/b.py", "old/x/a.py"),)
    )
    assert names(graph) == [{"old"}, {"kept/c.py"}]


def test_a_used_class_keeps_its_methods_and_what_they_use() -> None:
    """Whoever holds an object may call anything of it: an override, a callback of a framework."""
    graph = project(
        "main.py",
        "a.py::Shop.open",
        "a.py::Shop.close",
        "a.py::lock",
        "a.py::Old.open",
        edges=(("main.py", "a.py::Shop"), ("a.py::Shop.close", "a.py::lock")),
    )
    assert names(graph) == [{"a.py::Old"}]


def test_what_the_language_calls_is_used_with_what_it_stands_in() -> None:
    """A class that nobody uses is unused with its `__init__`; `__getattr__` of a used module is used."""
    graph = project(
        "main.py",
        "a.py::Shop.__init__",
        "a.py::lock",
        "b.py::Old.__init__",
        "b.py::Old.operator<",
        "c.py",
        "d.py::__getattr__",
        "e.py",
        edges=(
            ("main.py", "a.py::Shop"),
            ("a.py::Shop.__init__", "a.py::lock"),
            ("b.py::Old.__init__", "c.py"),
            ("main.py", "d.py"),
            ("d.py::__getattr__", "e.py"),
        ),
    )
    assert names(graph) == [{"b.py", "c.py"}]


def test_a_used_class_keeps_the_methods_that_are_written_elsewhere() -> None:
    """C++: declared in a header, defined in a file of their own; and a used method keeps its class."""
    graph = project(
        "main.cc",
        "shop.h::Shop",
        "shop.cc::Shop::open",
        "till.h::Till",
        "till.cc::Till::drop",
        "old.h::Old",
        "old.cc::Old::open",
        edges=(("main.cc", "shop.h::Shop"), ("main.cc", "till.cc::Till::drop")),
    )
    assert {frozenset(one) for one in names(graph)} == {frozenset({"old.h"}), frozenset({"old.cc"})}


def test_a_guess_keeps_what_it_may_mean() -> None:
    """Guesses change no figure, but nothing is offered for removal that somebody may use."""
    graph = project(*SHOP, edges=(("main.py", "a.py::f"),), guesses=(("main.py", "a.py::g"), ("a.py::f", "b.py::y")))
    assert names(graph) == [{"a.py::h"}, {"b.py::x"}]


def test_nothing_is_known_of_definitions_that_no_relation_ends_at() -> None:
    """A language of which imports alone are resolved: its files are judged, its functions are not."""
    graph = project(
        "main.py", "a.py::f", "a.py::g", "x.kt::f", "y.kt::f", edges=(("main.py", "a.py::f"), ("main.py", "x.kt"))
    )
    assert names(graph) == [{"y.kt"}, {"a.py::g"}]


def test_python_runs_the_package_around_a_module() -> None:
    """`import p.q.m` runs p/__init__.py and p/q/__init__.py, and so what these import."""
    graph = project(
        "main.py",
        "p/__init__.py",
        "p/q/__init__.py",
        "p/q/m.py",
        "p/r/__init__.py",
        "log.py",
        edges=(("main.py", "p/q/m.py"), ("p/__init__.py", "log.py")),
    )
    assert names(graph) == [{"p/r"}]


def test_several_configurations_of_entry_points() -> None:
    """CBV-10: without the tests, what only they use is unused."""
    graph = project(
        "main.py", "a.py", "b.py", "tests/test_b.py", edges=(("main.py", "a.py"), ("tests/test_b.py", "b.py"))
    )
    assert names(graph) == []
    assert names(graph, ("main.py",)) == [{"tests", "b.py"}]
    assert names(graph, ("nowhere.py",)) == [], "nothing is known"
    assert np.isnan(evaluate("unused", Subject(project("a.py", "b.py")))).all()
    configured = graph.with_(report=replace(graph.report, entry_points=("!tests/**",)))
    column = evaluate("unused", Subject(configured))
    assert {node: column[graph.key_of[node]] for node in ("", "tests", "a.py")} == {"": 0.5, "tests": 1, "a.py": 0}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("main.py", {"main.py", "lib/main.py", "lib/main.py::run"}),
        ("/main.py", {"main.py"}),
        (
            "lib/",
            {
                "lib/main.py",
                "lib/main.py::run",
                "lib/util.py",
                "lib/util.py::run",
                "lib/util.py::Tool",
                "lib/util.py::Tool.run",
            },
        ),
        ("::run", {"lib/main.py::run", "lib/util.py::run", "lib/util.py::Tool.run"}),
        ("util.*::[A-Z]*", {"lib/util.py::Tool", "lib/util.py::Tool.run"}),
        ("/util.py::run", set()),
        ("*.java", set()),
        ("!main.py", set()),
        ("!::run", set()),
    ],
)
def test_patterns_name_files_and_definitions(pattern: str, found: set[str]) -> None:
    """As in a .gitignore; after `::` names of definitions. What is named is used with all that is in it."""
    graph = project("main.py", "lib/main.py::run", "lib/util.py::run", "lib/util.py::Tool.run")
    assert entries(graph, pattern) == found


def test_the_last_pattern_decides() -> None:
    """What the user adds takes out what the defaults say, or all of it; files marked as tests are entry points."""
    graph = project("main.py", "tests/a.py::run", "tests/b.py", "lib.py::main", "checks.py::run")
    marked = graph.with_(values={**graph.values, "test": np.where(np.array(graph.ids) == "checks.py", 1, np.nan)})
    all_of_it = {
        "main.py",
        "tests/a.py",
        "tests/a.py::run",
        "tests/b.py",
        "lib.py::main",
        "checks.py",
        "checks.py::run",
    }
    assert entries(marked, *ENTRY_POINTS) == all_of_it
    assert entries(marked, *ENTRY_POINTS, "!tests/**", "tests/b.py") == all_of_it - {"tests/a.py", "tests/a.py::run"}
    assert entries(marked, *ENTRY_POINTS, "!**", "!::*", "lib.py") == {"lib.py", "lib.py::main"}
    assert entries(marked, *ENTRY_POINTS, "!checks.py") == all_of_it - {"checks.py", "checks.py::run"}


def test_files_that_were_not_read_are_not_judged() -> None:
    """They stay, and so does what they are known to use; without counted lines all files are judged."""
    graph = project("main.py", "page.md", "a.py::f", "b.py", edges=(("page.md", "a.py::f"),))
    assert names(graph) == [{"b.py"}]
    counted = graph.with_(values={})
    assert names(counted) == [{"a.py", "page.md"}, {"b.py"}]


def test_units_without_files_go_by_their_ids() -> None:
    """Any compound graph is welcome: an organisation has no files."""
    builder = GraphBuilder("firm")
    for unit, above in (("sales", ""), ("sales/north", "sales"), ("sales/south", "sales"), ("archive", "")):
        builder.add_node(unit, above, unit, "unit")
    builder.add_edge(builder.key("sales/north"), builder.key("sales/south"), "reports")
    graph = builder.freeze()
    assert entries(graph, "north") == {"sales/north"}
    assert names(graph, ("north",)) == [{"archive"}]


def test_the_share_of_unused_lines() -> None:
    """A mean weighted by lines; packages outside and texts have none."""
    graph = project(*SHOP, "notes.md", edges=(("main.py", "a.py::f"), ("a.py::f", "a.py::g")))
    column = evaluate("unused", Subject(graph))
    expected = {"": 25 / 55, "a.py": 5 / 25, "a.py::h": 1, "a.py::f": 0, "b.py": 1, "b.py::x": 1, "main.py": 0}
    assert {node: column[graph.key_of[node]] for node in expected} == pytest.approx(expected)
    assert math.isnan(column[graph.key_of["notes.md"]])


@given(graphs(), st.data())
def test_nothing_that_is_left_uses_what_is_unused(graph: Graph, data: st.DataObject) -> None:
    """CBV-10, "what a removal breaks": removing any set breaks nothing outside of it, and no entry point is in one."""
    names_ = [f"n{key}.{'py' if key % 2 else 'kt'}" for key in range(len(graph))]
    graph = graph.with_(names=tuple(names_), ids=("", *names_[1:]))
    patterns = data.draw(st.lists(st.sampled_from([*names_[1:], "n?.py", "::n3*"]), min_size=1, max_size=3))
    entry = set(np.flatnonzero(entry_points(graph, patterns)).tolist())
    gone: set[int] = set()
    for one in unused(graph, patterns) or []:
        inside = {key for top in one.keys for key in below(graph, top)}
        assert not inside & (gone | entry)
        gone |= inside
        assert set(one.heads) <= set(one.keys)
        assert one.heads, "something can always go first"
        users = {
            user
            for user, used in relations(graph, False, guesses=True)
            if user not in inside and inside & with_parts(graph, used)
        }
        # A container above that is not judged itself (a folder) is the only user that may be left.
        assert all(graph.kind(file_of(graph, user)) != "file" for user in users)
        for head in one.heads:
            others = inside - below(graph, head)
            cycle = {key for key in one.keys if key in one.heads}
            mine = below(graph, head)
            direct = {user for user, used in relations(graph, False, guesses=True) if used in mine and user in others}
            assert not direct - {key for top in cycle for key in below(graph, top)}
    assert all(graph.parent[key] != REMOVED for key in gone)


def test_stubs_of_an_overloaded_function_are_in_use_with_it() -> None:
    builder = GraphBuilder("p")
    for file, name in (("main.py", ""), ("a.py", "f"), ("a.java", "g")):
        builder.add_node(file, "", file, "file", file=file, values={"sloc": 10})
        for number in ("", "#2", "#3") if name else ():
            builder.add_node(f"{file}::{name}{number}", file, name, "function", file=file, values={"sloc": 5})
        if name:
            builder.add_edge(builder.key("main.py"), builder.key(f"{file}::{name}#3"), "call")
    assert names(builder.freeze()) == [{"a.java::g"}, {"a.java::g#2"}]


def test_configurations_side_by_side() -> None:
    """CBV-10: what only one way of putting the code to use needs, what several do, and what none does."""
    graph = project(
        "server.py::run",
        "tool.py::go",
        "lib/only.py::serve",
        "lib/both.py::share",
        "lib/none.py::idle",
        "test_lib.py::check",
        edges=(
            ("server.py::run", "lib/only.py::serve"),
            ("server.py::run", "lib/both.py::share"),
            ("tool.py::go", "lib/both.py::share"),
            ("test_lib.py::check", "lib/none.py::idle"),
        ),
    )
    server, tool = Configuration("server", ("server.py",)), Configuration("tool", ("tool.py",))
    found = {
        one.names: ({graph.ids[key] for key in one.keys}, one.sloc) for one in by_configuration(graph, (server, tool))
    }
    assert found == {
        (): ({"lib/none.py", "test_lib.py"}, 30),
        ("server",): ({"server.py", "lib/only.py"}, 30),
        ("tool",): ({"tool.py"}, 15),
        ("server", "tool"): ({"lib/both.py"}, 15),
    }


@given(graphs())
def test_a_configuration_uses_what_is_not_unused_by_it(graph: Graph) -> None:
    entries = Configuration("all", ENTRY_POINTS)
    without_tests = graph.with_(values={name: column for name, column in graph.values.items() if name != "test"})
    unused_by_it = {below for one in unused(without_tests) or [] for key in one.keys for below in graph.subtree(key)}
    found = [one for one in by_configuration(without_tests, (entries,)) if not one.names]
    if unused(without_tests) is not None:
        assert {below for one in found for key in one.keys for below in graph.subtree(key)} == unused_by_it
