"""Trümper 2014, §5.1.3: functions of a trace find their nodes, by line, name or from elsewhere; the rest is counted."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.graph import Graph, GraphBuilder
from cbvtool.trace.mapping.files import FOREIGN, NOT_A_FILE, SEVERAL_FILES, match_files
from cbvtool.trace.mapping.map_functions import (
    BODY,
    BY_FILE,
    BY_LINE,
    BY_LINE_ALONE,
    BY_NAME,
    INSIDE,
    SEVERAL_IN_FILE,
    SEVERAL_NAMES,
    UNNAMED,
    map_functions,
)
from cbvtool.trace.mapping.named_nodes import NamedNodes
from cbvtool.trace.mapping.names import slowly_taken_apart, taken_apart
from cbvtool.trace.model.trace import Functions

Definition = tuple[str, str, int, int]  # qualified name, kind, lines


def graph(**files: list[Definition]) -> Graph:
    """Files by path (`__` for `/`, the suffix after the last `_`) with what is defined in them."""
    made = GraphBuilder("project")
    for word, definitions in files.items():
        stem, _, suffix = word.rpartition("_")
        path = f"{stem.replace('__', '/').replace('/init/', '/__init__')}.{suffix}"
        above = ""
        for folder in path.split("/")[:-1]:
            if f"{above}/{folder}".lstrip("/") not in made:
                made.add_node(f"{above}/{folder}".lstrip("/"), above, folder, "folder")
            above = f"{above}/{folder}".lstrip("/")
        made.add_node(path, above, path.rpartition("/")[2], "file", file=path, line=1, end_line=100)
        for name, kind, line, end in definitions:
            outer, _, last = name.rpartition(".")
            parent = f"{path}::{outer}" if outer else path
            arguments = {"parameters": float(last.count("_"))} if kind == "function" else None
            last = last.rstrip("_")
            node = f"{path}::{outer}.{last}" if outer else f"{path}::{last}"
            made.add_node(node, parent, last, kind, file=path, line=line, end_line=end, values=arguments)
    return made.freeze()


SHOP = graph(
    src__shop__cart_py=[
        ("Cart", "class", 3, 30),
        ("Cart.add", "function", 5, 12),  # with decorators in 5 and 6
        ("Cart.total", "function", 14, 15),
        ("Cart.total", "function", 17, 20),
        ("run", "function", 32, 60),
        ("run.step", "function", 40, 45),
    ],
    src__shop__json__init_py=[],
)


def recording(rows: Sequence[tuple[str, str, int]], module: str = "") -> Functions:
    return Functions(
        tuple(name for name, _, _ in rows),
        (module,) * len(rows),
        tuple(file for _, file, _ in rows),
        np.array([line for _, _, line in rows], np.int32),
    )


def mapped(
    graph: Graph, *rows: tuple[str, str, int], root: str | None = None, module: str = ""
) -> list[tuple[str, str]]:
    """(id of the node or nothing, reason) of functions given by name, file and line."""
    nodes = map_functions(recording(rows, module), graph, root)
    ids = [graph.ids[key] if key >= 0 else "" for key in nodes.node.tolist()]
    return [(node, nodes.reason(row)) for row, node in enumerate(ids)]


def here(name: str, line: int, *others: tuple[str, int]) -> str:
    """The node, without the file, of a function in `cart.py` below the root. `others` are in the same recording."""
    rows = [(each, "/home/me/shop/src/shop/cart.py", at) for each, at in ((name, line), *others)]
    return mapped(SHOP, *rows, root="/home/me/shop")[0][0].replace("src/shop/cart.py", "")


@pytest.mark.parametrize(
    ("name", "line", "node"),
    [
        ("Cart.add", 5, "::Cart.add"),
        ("add", 5, "::Cart.add"),  # older recorders say no more
        ("Cart.total", 14, "::Cart.total"),
        ("Cart.total", 17, "::Cart.total#2"),
        ("total", 17, "::Cart.total#2"),
        ("run", 32, "::run"),
        ("run.<locals>.step", 40, "::run.step"),
        ("run.<locals>.<lambda>", 50, "::run"),
        ("run.<locals>.step.<locals>.<listcomp>", 44, "::run.step"),
        ("run.<locals>.<lambda>", 40, "::run"),  # an argument's default of step
        ("Cart.<genexpr>", 8, "::Cart"),
        ("Cart", 3, "::Cart"),
        ("<module>", 1, ""),
        ("<module>", 0, ""),
        ("Cart.add", 8, "::Cart.add"),  # sampled: the line that ran
        ("Cart.total", 99, "::Cart"),  # another version: which of the two?
        ("run", 99, "::run"),
        ("nowhere", 44, "::run.step"),
        ("nowhere", 99, ""),
    ],
)
def test_by_file_and_line(name: str, line: int, node: str) -> None:
    assert here(name, line, ("f.<locals>.g", 1)) == node


def test_a_lambda_without_qualified_name_counts_for_what_is_around_its_line() -> None:
    assert here("<lambda>", 42) == "::run.step"
    assert here("<lambda>", 42, ("run.<locals>.step", 40)) == ""  # now it says that it stands in the module


def test_reasons_say_how_a_node_was_found_or_why_not() -> None:
    place = "/elsewhere/shop/src/shop/cart.py"
    rows = [
        ("Cart.add", place, 5),
        ("run", place, 99),
        ("<module>", place, 1),
        ("run.<locals>.<lambda>", place, 50),
        ("other", place, 44),
        ("len", "", 0),
        ("f", "<string>", 1),
        ("g", "/usr/lib/python3.12/json/__init__.py", 10),
        ("h", "/elsewhere/tool.py", 1),
    ]
    reasons = [BY_LINE, BY_FILE, BODY, INSIDE, BY_LINE_ALONE, UNNAMED, NOT_A_FILE, FOREIGN, FOREIGN]
    assert [reason for _, reason in mapped(SHOP, *rows)] == reasons
    functions = recording(rows)
    nodes = map_functions(functions, SHOP)
    assert dict(nodes.found()) == dict.fromkeys((BY_LINE, BY_FILE, BODY, INSIDE, BY_LINE_ALONE), 1)
    assert dict(nodes.unmapped()) == {FOREIGN: 2, UNNAMED: 1, NOT_A_FILE: 1}


def files(*recorded: str, paths: list[str], root: str | None = None) -> list[str | None]:
    return [found.path for found in match_files(recorded, dict.fromkeys(paths), root)]


def test_files_recorded_elsewhere_are_those_with_the_longest_common_end() -> None:
    paths = ["src/shop/cart.py", "src/shop/db/cart.py", "src/shop/__init__.py", "tests/cart.py"]
    assert files("C:\\build\\shop\\src\\shop\\cart.py", "/x/src/shop/db/cart.py", paths=paths) == [paths[0], paths[1]]
    assert files("/x/site-packages/shop/cart.py", "/x/site-packages/shop/__init__.py", paths=paths) == [
        paths[0],
        paths[2],
    ]
    assert files("../../src/shop/db/cart.py", "webpack:///./tests/cart.py?1a2b", paths=paths) == [paths[1], paths[3]]


def test_a_file_that_only_looks_alike_is_another_one() -> None:
    paths = ["src/shop/json/__init__.py", "src/shop/json/tag.py", "src/shop/utils.py", "src/shop/typing.py"]
    assert files("/usr/lib/python3.12/json/__init__.py", paths=paths) == [None]
    assert files("/opt/json/__init__.py", "/opt/json/decoder.py", "/opt/json/scanner.py", paths=paths)[0] is None
    assert files("/x/site-packages/werkzeug/utils.py", paths=paths) == [None]
    assert files("/opt/tools/utils.py", "/opt/tools/a.py", "/opt/tools/b.py", paths=paths)[0] is None
    assert files(
        "/home/me/shop/.venv/lib/python3.12/site-packages/six/utils.py", paths=paths, root="/home/me/shop"
    ) == [None]


def test_of_several_files_that_fit_the_one_that_the_others_point_to() -> None:
    paths = ["a/x/__init__.py", "b/x/__init__.py", "b/x/only.py"]
    assert files("/m/x/__init__.py", paths=paths) == [None]
    assert match_files(["/m/x/__init__.py"], paths, None)[0].reason == SEVERAL_FILES
    assert files("/m/x/__init__.py", "/m/x/only.py", paths=paths) == ["b/x/__init__.py", "b/x/only.py"]


JAVA = graph(
    src__main__java__com__shop__Cart_java=[
        ("Cart", "class", 3, 60),
        ("Cart.Cart", "function", 5, 6),
        ("Cart.add_", "function", 8, 9),
        ("Cart.add__", "function", 11, 12),
        ("Cart.put_", "function", 14, 15),
        ("Cart.put_", "function", 17, 18),
        ("Cart.Line", "class", 20, 30),
        ("Cart.Line.price", "function", 22, 24),
    ],
    src__test__java__com__other__Cart_java=[("Cart", "class", 3, 9), ("Cart.add_", "function", 4, 5)],
)


@pytest.mark.parametrize(
    ("name", "node", "reason"),
    [
        ("com.shop.Cart.add(int)", "Cart.add", BY_NAME),
        ("public void com.shop.Cart.add(int, java.util.Map<A, B>)", "Cart.add#2", BY_NAME),
        ("com.shop.Cart.put(int)", "Cart", SEVERAL_IN_FILE),
        ("com.shop.Cart$Line.price()", "Cart.Line.price", BY_NAME),
        ("com.shop.Cart.<init>()", "Cart.Cart", BY_NAME),
        ("com.shop.Cart.<clinit>()", "Cart", INSIDE),
        ("com.shop.Cart$1.run()", "Cart", INSIDE),
        ("com.shop.Cart.lambda$add$0(int)", "Cart", SEVERAL_IN_FILE),
        ("com.third.Cart.add(int)", "", UNNAMED),
        ("java.util.List.size()", "", UNNAMED),
    ],
)
def test_java_by_qualified_name(name: str, node: str, reason: str) -> None:
    found, why = mapped(JAVA, (name, "", 0))[0]
    assert (found.partition("::")[2], why) == (node, reason)
    assert not found or "com/shop" in found


CPP = graph(
    src__engine_cpp=[
        ("Engine::run_", "function", 3, 9),
        ("Engine::run__", "function", 11, 12),
        ("helper", "function", 20, 25),
        ("Engine::operator[]_", "function", 30, 31),
        ("Pool", "class", 40, 60),
        ("Pool.get", "function", 42, 43),
        ("main__", "function", 70, 80),
    ],
    src__other_cpp=[("init", "function", 1, 3)],
    lib__third_cpp=[("init", "function", 1, 3)],
)


@pytest.mark.parametrize(
    ("name", "node", "reason"),
    [
        ("app::Engine::run(int)", "Engine::run", BY_NAME),
        ("app::Engine::run(int, std::map<int, a::b> const&) const", "Engine::run#2", BY_NAME),
        ("int app::Pool<std::vector<int> >::get<long>()", "Pool.get", BY_NAME),
        ("app::Engine::operator[](unsigned long) [clone .cold]", "Engine::operator[]", BY_NAME),
        ("(anonymous namespace)::helper()", "helper", BY_NAME),
        ("helper()::{lambda(int)#1}::operator()(int) const", "helper", INSIDE),
        ("helper.constprop.0", "helper", BY_NAME),
        ("main", "main", BY_NAME),
        ("std::helper()", "", UNNAMED),
        ("init", "", SEVERAL_NAMES),
        ("std::vector<int>::push_back(int&&)", "", UNNAMED),
    ],
)
def test_cpp_by_demangled_name(name: str, node: str, reason: str) -> None:
    found, why = mapped(CPP, (name, "", 0), module="libengine.so.1")[0]
    assert (found.partition("::")[2], why) == (node, reason)


def test_a_line_tells_overloads_apart_where_parameters_do_not() -> None:
    assert mapped(JAVA, ("com.shop.Cart.put(int)", "Cart.java", 17))[0][0] == ""  # two files are called so
    found = mapped(JAVA, ("com.shop.Cart.put(int)", "com/shop/Cart.java", 17))[0]
    assert found == ("src/main/java/com/shop/Cart.java::Cart.put#2", BY_LINE)


def test_python_by_module_and_qualified_name() -> None:
    assert mapped(SHOP, ("Cart.add", "", 0), module="shop.cart") == [("src/shop/cart.py::Cart.add", BY_NAME)]
    assert mapped(SHOP, ("<module>", "", 0), module="shop.cart") == [("src/shop/cart.py", BODY)]
    assert mapped(SHOP, ("shop.cart.run", "", 0)) == [("src/shop/cart.py::run", BY_NAME)]
    assert mapped(SHOP, ("Cart.add", "", 0), module="other.cart") == [("", UNNAMED)]
    assert mapped(SHOP, ("run", "", 0), module="builtins") == [("", UNNAMED)]


def test_a_name_alone_is_enough_where_the_recording_knows_no_files() -> None:
    assert mapped(SHOP, ("run", "", 0))[0][0] == "src/shop/cart.py::run"
    assert mapped(SHOP, ("run", "", 0), ("x", "/x/y.py", 1))[0][0] == ""


@pytest.mark.parametrize(
    ("name", "parts", "parameters", "inside"),
    [
        ("std::ostream& ns::operator<< <int>(std::ostream&, V<int>)", ("ns", "operator<<"), 2, False),
        ("Foo::operator bool() const", ("Foo", "operator bool"), 0, False),
        ("Foo::operator()(int)", ("Foo", "operator()"), 1, False),
        ("V<int>::operator->()", ("V", "operator->"), 0, False),
        ("operator new(unsigned long)", ("operator new",), 1, False),
        ("Foo::bar(void (*)(int), int)", ("Foo", "bar"), 2, False),
        ("f(int)::local::g(void)", ("f", "local", "g"), 0, False),
        ("a::b::{{closure}}", ("a", "b"), -1, True),
        ("github.com/x/pkg.(*T).M", ("github", "com", "x", "pkg", "T", "M"), -1, False),
        ("A\\B::m", ("A", "B", "m"), -1, False),
        ("(anonymous)", (), -1, True),
        ("[unknown]", (), -1, False),
        ("", (), -1, False),
    ],
)
def test_names_are_taken_apart(name: str, parts: tuple[str, ...], parameters: int, inside: bool) -> None:
    found = taken_apart(name)
    assert (found.parts, found.parameters, found.inside) == (parts, parameters, inside)


_WORDS = ("f", "C", "g_1", "operator", "lambda", "locals", "part", "<locals>", "<lambda>", "<listcomp>", "<init>")


@given(st.lists(st.sampled_from(_WORDS), min_size=1, max_size=6), st.sampled_from((".", "::", "")))
def test_the_short_way_through_a_name_says_the_same(words: list[str], separator: str) -> None:
    name = separator.join(words)
    assert taken_apart(name) == slowly_taken_apart(name)


@given(st.text("ab<>(){}[]:.$*&/\\# operator1\n~'", max_size=30))
def test_any_name_is_taken_apart(name: str) -> None:
    assert all(taken_apart(name).parts)


LINES = st.lists(st.tuples(st.integers(1, 30), st.integers(0, 12)), max_size=12)


@given(LINES, st.lists(st.integers(0, 45), min_size=1, max_size=5))
def test_the_innermost_node_of_a_line(spans: list[tuple[int, int]], wanted: list[int]) -> None:
    """Ranges that hold one another: whatever overlaps otherwise is left out."""
    kept: list[tuple[int, int]] = []
    for line, more in spans:
        end = line + more
        if all(end < a or line > b or (a <= line and end <= b) or (line <= a and b <= end) for a, b in kept):
            kept.append((line, end))
    made = GraphBuilder("project")
    made.add_node("m.py", "", "m.py", "file", file="m.py")
    for number, (line, end) in enumerate(kept):
        made.add_node(f"m.py::f{number}", "m.py", f"f{number}", "function", file="m.py", line=line, end_line=end)
    graph = made.freeze()
    found = NamedNodes(graph).innermost(np.zeros(len(wanted), np.int32), np.array(wanted, np.int32))
    for line, key in zip(wanted, found.tolist(), strict=True):
        holding = [end - begin for begin, end in kept if begin <= line <= end]
        if not holding:
            assert key == -1
        else:
            assert graph.line[key] <= line <= graph.end_line[key]
            assert graph.end_line[key] - graph.line[key] == min(holding)
