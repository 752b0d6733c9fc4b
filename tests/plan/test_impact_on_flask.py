"""Import sites against a judge that knows nothing of graphs: Python's own parser, read on real code (NEW-9)."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path

import pytest

from cbvtool.analysis import analyze
from cbvtool.graph import Graph
from cbvtool.plan import Group, History, Move
from cbvtool.plan.tasks import tasks

Site = tuple[str, int]


@pytest.fixture(scope="module")
def flask() -> Path:
    """The installed flask package."""
    spec = importlib.util.find_spec("flask")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


@pytest.fixture(scope="module")
def graph(flask: Path) -> Graph:
    """What analysis makes of it."""
    return analyze(flask, jobs=1)


def imports(root: Path) -> list[tuple[Site, str, bool]]:
    """(where, dotted name of the module that is named, whether relatively) of every import statement."""
    found = []
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root).as_posix()
        package = (root.name, *path.split("/")[:-1])
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.Import):
                found += [((path, alias.lineno), alias.name, False) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = package[: len(package) - node.level + 1] if node.level else ()
                module = ".".join([*base, *([node.module] if node.module else [])])
                found.append(((path, node.lineno), module, node.level > 0))
                found += [((path, alias.lineno), f"{module}.{alias.name}", node.level > 0) for alias in node.names]
    return found


def dotted(root: Path, path: str) -> str:
    return ".".join([root.name, *path.removesuffix(".py").split("/")]).removesuffix(".__init__")


def test_every_import_of_what_moves_is_listed_and_no_other(flask: Path, graph: Graph) -> None:
    """How many import sites in how many files change, for every module of a real package."""
    statements = imports(flask)
    judged = 0
    for key in range(1, len(graph)):
        node = graph.ids[key]
        if graph.kind(key) not in ("file", "folder", "package") or node == "json" or node.endswith("__init__.py"):
            continue
        target = "json" if graph.ids[graph.parent[key]] != "json" else "sansio"
        (task,) = tasks(History(graph, (Group("", (Move((node,), target),)),)))
        moved = {graph.ids[k] for k in graph.subtree(key).tolist() if graph.kind(k) == "file"}
        names = {dotted(flask, path) for path in moved}
        naming = {(site, relative) for site, name, relative in statements if name in names}
        checks, must = ({(s.file, s.line) for s in sites} for sites in (task.check, task.must))
        assert {site for site, _ in naming if site[0] not in moved} == must, node
        assert {site for site, relative in naming if site[0] in moved and not relative} <= checks, node
        judged += len(task.must)
    assert judged > 100
