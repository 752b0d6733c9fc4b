"""Properties of sites: random plans on random Python packages, judged by resolving every import anew (NEW-9)."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from cbvtool.graph import Graph
from cbvtool.plan import Group, History, Move, Operation, Rename, check
from cbvtool.plan.compress import compress
from cbvtool.plan.place import place
from cbvtool.plan.sites.find import find_sites
from tests.plan.coded import Coded
from tests.plan.test_sites_python import SHOP

PACKAGES = ("p", "p/s", "p/s/t", "q", "q/u")


class Written:
    """An import statement: where it stands, which module it means, and how it says so."""

    def __init__(self, file: str, line: int, module: str, is_relative: bool, is_whole: bool) -> None:
        self.file, self.line, self.module = file, line, module
        self.is_relative, self.is_whole = is_relative, is_whole

    @property
    def text(self) -> str:
        """The statement; `is_whole`: the module is what is imported, else something is imported from it."""
        names = self.module.split("/")
        if not self.is_relative:
            if not self.is_whole:
                return f"from {'.'.join(names)} import x"
            return f"from {'.'.join(names[:-1])} import {names[-1]}" if len(names) > 1 else f"import {names[0]}"
        here, there = self.file.split("/")[:-1], names[: -1 if self.is_whole else None]
        shared = 0
        while shared < min(len(here), len(there)) and here[shared] == there[shared]:
            shared += 1
        dots = "." * (len(here) - shared + 1)
        return f"from {dots}{'.'.join(there[shared:])} import {names[-1] if self.is_whole else 'x'}"


@st.composite
def packages(draw: st.DrawFn) -> tuple[dict[str, str], list[Written]]:
    """Files of packages with a few modules, and the imports in them."""
    modules = draw(
        st.lists(
            st.tuples(st.sampled_from(PACKAGES), st.sampled_from("abc")).map("/".join),
            min_size=2,
            max_size=5,
            unique=True,
        )
    )
    written = []
    files = {f"{package}/__init__.py": "" for package in PACKAGES}
    for module in modules:
        statements: list[Written] = []
        for other in draw(st.lists(st.sampled_from([m for m in modules if m != module]), max_size=3, unique=True)):
            is_relative = draw(st.booleans()) and other.partition("/")[0] == module.partition("/")[0]
            statement = Written(f"{module}.py", len(statements) + 1, other, is_relative, draw(st.booleans()))
            statements.append(statement)
        written += statements
        files[f"{module}.py"] = "".join(f"{statement.text}\n" for statement in statements) + "x = 1\n"
    return files, written


def random_operation(data: st.DataObject, graph: Graph) -> Operation:
    """A move or another name for a module or a package."""
    nodes = [graph.ids[key] for key in range(1, len(graph)) if graph.kind(key) in ("file", "folder", "package")]
    nodes = [node for node in nodes if not node.endswith("__init__.py")]
    node = data.draw(st.sampled_from(nodes))
    if data.draw(st.booleans()):
        suffix = ".py" if node.endswith(".py") else ""
        return Rename(node, data.draw(st.sampled_from(("new", "other"))) + suffix)
    return Move((node,), data.draw(st.sampled_from([node for node in nodes if not node.endswith(".py")])))


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that examples fill, each in a folder of its own."""
    with tempfile.TemporaryDirectory() as path:
        yield Path(path)


@settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(data=st.data())
def test_an_import_is_a_site_if_it_would_not_mean_the_same(folder: Path, data: st.DataObject) -> None:
    """Every statement is resolved again with both files where the plan puts them; only what fails must change."""
    shutil.rmtree(folder / "it", ignore_errors=True)
    files, written = data.draw(packages())
    project = Coded(folder / "it", files)
    operations: list[Operation] = []
    history = History(project.graph)
    for _ in range(data.draw(st.integers(1, 3))):
        operation = random_operation(data, history.graph)
        if check(operation, history.graph) is None:
            operations.append(operation)
            history = history.do(Group("", (operation,)))
    target = history.graph
    new = {path: place(target, key) for path, key in project.graph.key_of.items() if path.endswith(".py")}
    if len(set(new.values())) < len(new):
        return  # two in one place: a clash, which is told elsewhere
    expected = set()
    for statement in written:
        here, there = new[statement.file], new[f"{statement.module}.py"].removesuffix(".py")
        again = Written(here, 0, there, statement.is_relative, statement.is_whole)
        is_same = again.text == statement.text
        event("holds" if is_same else "breaks")
        if not is_same and not (statement.is_relative and _leads(statement.text, here, there)):
            expected.add((statement.file, statement.line))
    sites = project.sites(*operations)
    must = {(site.file, site.line) for site in sites if site.certainty == "must" and site.kind == "import"}
    assert must == expected


def _leads(text: str, here: str, there: str) -> bool:
    """Whether a relative import, though not written in the shortest way, leads from a file to a module."""
    module, _, name = text.removeprefix("from ").partition(" import ")
    dots = len(module) - len(module.lstrip("."))
    folder = here.split("/")[:-1]
    base = folder[: len(folder) - dots + 1] + [part for part in module[dots:].split(".") if part]
    return len(folder) >= dots - 1 and there.split("/") in ([*base, name], base)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Coded:
    """A package that passes a class on."""
    return Coded(tmp_path_factory.mktemp("shop"), SHOP)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_sites_are_in_order_and_each_once(shop: Coded, data: st.DataObject) -> None:
    """Of any plan for classes and functions: no duplicate, no line that is not there, the same twice, none undone."""
    graph = shop.graph
    parts = [graph.ids[key] for key in range(len(graph)) if "::" in graph.ids[key]]
    files = [graph.ids[key] for key in range(len(graph)) if graph.kind(key) == "file"]
    history = History(graph)
    for _ in range(data.draw(st.integers(1, 4))):
        node = data.draw(st.sampled_from(parts))
        operation: Operation
        if data.draw(st.booleans()):
            operation = Rename(node, data.draw(st.sampled_from(("first", "Second", graph.names[graph.key_of[node]]))))
        else:
            operation = Move((node,), data.draw(st.sampled_from(files)))
        if check(operation, history.graph) is None:
            history = history.do(Group("", (operation,)))
    primitives = compress(history)
    sites = find_sites(graph, history.graph, primitives, shop.code)
    assert sites == find_sites(graph, history.graph, primitives, shop.code)
    places = [(site.cause, site.file, site.line, site.after, site.line is None) for site in sites]
    assert len(set(places)) == len(places)
    assert [site.file for site in sites] == sorted(site.file for site in sites)
    for site in sites:
        lines = shop.code.lines(site.file)
        assert 0 <= site.cause < len(primitives)
        assert (site.line is None) == (site.kind == "add-import")
        assert (site.after is not None) == (site.kind == "add-import")
        assert bool(site.reason) == (site.certainty == "check")
        assert 0 <= (site.line or site.after or 0) <= len(lines)
        if site.line is not None and site.certainty == "must":
            assert any(name.rpartition(".")[2] in lines[site.line - 1] for name in site.names), site
    undone = history
    while undone.done:
        undone = undone.undo()
    assert find_sites(graph, undone.graph, compress(undone), shop.code) == ()
