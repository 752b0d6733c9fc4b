"""NEW-1: which modules are found, by lists written by hand; and judgement by these lists, worked out with networkx."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path

import networkx as nx
import pytest

from cbvtool.analysis import analyze
from cbvtool.assessment.figures import Figures
from cbvtool.assessment.found import found_modules
from cbvtool.assessment.judged import Asked, Judged, judged
from cbvtool.assessment.modules import ModuleChoice, heading, modules_in
from cbvtool.assessment.places import marks, places
from cbvtool.graph import NO_DEPENDENCY, REMOVED, Confidence, Graph, When
from cbvtool.plan import Create, Move, Operation, Remove, check_all, run
from cbvtool.rules import Rules
from tests.layouts import LAYOUTS, PACKAGES

MAVEN = {"orders": "shop-core", "stock": "shop-core", "prices": "shop-sales", "people": "shop-sales"}
# What is a module, by hand: id of the folder or file -> it is one for the files directly in it, or for all below it.
DIRECT, BELOW = "direct", "below"
LISTS: Mapping[str, dict[str, str]] = {
    "flat Python": {"shop": DIRECT, **{f"shop/{name}": DIRECT for name in PACKAGES}},
    "src Python": {"src/shop": DIRECT, **{f"src/shop/{name}": DIRECT for name in PACKAGES}},
    "deep Python": {
        "work/code/lib/python/shop": DIRECT,
        "work/code/lib/python/shop/core": DIRECT,
        **{f"work/code/lib/python/shop/core/{name}": DIRECT for name in PACKAGES},
    },
    "Maven": {f"{MAVEN.get(name, 'shop-office')}/src/main/java/com/shop/{name}": DIRECT for name in PACKAGES},
    "npm workspace": {f"packages/{name}": BELOW for name in PACKAGES},
    "Go": {"cmd/shop": DIRECT, **{f"internal/{name}/{part}": DIRECT for name in PACKAGES for part in ("api", "data")}},
}
WORDS = {
    "flat Python": "packages of shop",
    "src Python": "packages of src/shop",
    "deep Python": "packages of work/code/lib/python/shop/core",
    "npm workspace": "workspace members in packages",
}


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Graph]:
    """The six layouts, analysed."""
    found = {}
    for name, write in LAYOUTS.items():
        folder = tmp_path_factory.mktemp("layout") / "shop"
        folder.mkdir()
        write(folder)
        found[name] = analyze(folder, jobs=1)
    return found


def is_test(graph: Graph, key: int) -> bool:
    tests = graph.values.get("test")
    return tests is not None and any(tests[above] > 0 for above in (key, *graph.ancestors(key)))


def by_hand(base: Graph, graph: Graph, listed: Mapping[str, str], key: int) -> str | None:
    """The module of a node by the list: the nearest of its folders that is one, what the plan makes included."""
    way = [key, *graph.ancestors(key)]
    file = next((above for above in way if graph.kind(above) == "file"), None)
    if is_test(graph, key if file is None else file) or any(graph.kind(above) == "external" for above in way):
        return None
    folder = key if file is None else int(graph.parent[file])  # an import in Go names a folder
    if BELOW in listed.values():
        return next((graph.ids[above] for above in way if graph.ids[above] in listed), None)
    return graph.ids[folder]


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_modules_are_those_of_the_list(graphs: Mapping[str, Graph], name: str) -> None:
    """On a flat package, `src/pkg`, one deep folder, Maven, an npm workspace and Go `cmd`/`internal`."""
    graph, listed = graphs[name], LISTS[name]
    choice = modules_in(graph, ModuleChoice(), graph.root)
    column = places(graph, marks(graph, graph, Rules(), choice)).module
    endings = (".py", ".java", ".ts", ".go")
    code = [k for k in range(len(graph)) if graph.kind(k) == "file" and graph.ids[k].endswith(endings)]
    assert {graph.ids[column[key]] for key in code if column[key] >= 0} == set(listed)
    for key in code:
        expected = by_hand(graph, graph, listed, key)
        assert (graph.ids[column[key]] if column[key] >= 0 else None) == expected, graph.ids[key]
    if name in WORDS:
        assert heading(graph, ModuleChoice(), graph.root) == WORDS[name]


def figures(base: Graph, graph: Graph, listed: Mapping[str, str]) -> tuple[int, int, int, float]:
    """(tangle, modules in cycles, crossings, Q) by the list, one relation at a time."""
    module = {key: by_hand(base, graph, listed, key) for key in range(len(graph)) if graph.parent[key] != REMOVED}
    file = {
        key: next((above for above in (key, *graph.ancestors(key)) if graph.kind(above) == "file"), key)
        for key in module
    }
    edges = graph.edges
    inner: nx.DiGraph[int] = nx.DiGraph()
    arcs, across = set(), 0
    for source, target, kind, weight, sure, when in zip(
        *(column.tolist() for column in (edges.source, edges.target, edges.kind, edges.weight)),
        edges.confidence.tolist(),
        edges.when.tolist(),
        strict=True,
    ):
        if edges.kind_names[kind] in NO_DEPENDENCY or sure == Confidence.GUESS:
            continue
        user, used = module.get(source), module.get(target)
        if user is None or used is None or file[source] == file[target]:
            continue
        more = inner.get_edge_data(file[source], file[target], {"weight": 0.0})["weight"]
        inner.add_edge(file[source], file[target], weight=more + weight)
        if user != used:
            across += 1
            if when != When.TYPE_CHECKING:
                arcs.add((user, used))
    sizes = [len(part) for part in nx.strongly_connected_components(nx.DiGraph(list(arcs))) if len(part) > 1]
    sets: dict[str | None, set[int]] = {}
    for one in inner:
        sets.setdefault(module[one], set()).add(one)
    q = nx.community.modularity(inner, sets.values(), weight="weight") if inner.number_of_edges() else 0.0
    return max(sizes, default=0), sum(sizes), across, float(q)


def told(found: Figures) -> tuple[int, int, int, float]:
    return found.largest, found.tangled, found.across, found.modularity


def a_step(graph: Graph, chance: random.Random) -> tuple[Operation, ...]:
    """A move, a group of files, or a removal."""
    files = [k for k in graph.tree.order.tolist() if graph.kind(k) == "file" and not is_test(graph, k)]
    folders = [k for k in graph.tree.order.tolist() if graph.kind(k) in ("folder", "package") and not is_test(graph, k)]
    what = chance.choice(("file", "folder", "group", "remove"))
    if what == "remove":
        return (Remove((graph.ids[chance.choice(files)],)),)
    if what == "group":
        inside = chance.choice(folders)
        moved = tuple(graph.ids[k] for k in chance.sample(files, 2))
        kind = graph.kind(inside)
        return Create("plan:g", graph.ids[inside], f"made{chance.randrange(10**6)}", kind), Move(moved, "plan:g")
    moved = graph.ids[chance.choice(files if what == "file" else folders)]
    return (Move((moved,), graph.ids[chance.choice(folders)]),)


@pytest.mark.parametrize("name", LAYOUTS)
def test_judgement_is_that_of_networkx_by_the_list(graphs: Mapping[str, Graph], name: str) -> None:
    """12 random steps on each of the six layouts: what a drag tells, and what the graph after the step tells."""
    base, listed = graphs[name], LISTS[name]
    chance = random.Random(f"32 {name}")
    now: Judged = judged(Asked(base, base, None, Rules(), ModuleChoice(), base.root))
    assert told(now.planned.figures) == pytest.approx(figures(base, base, listed))
    if name != "Go":  # whose packages cannot be in a cycle
        assert now.planned.figures.largest > 1
    assert now.planned.figures.across > 0
    steps = 0
    while steps < 12:
        step = a_step(base, chance)
        if check_all(step, base) is not None:
            continue
        steps += 1
        after = run(base, step).graph
        judgement = now.step(*step)
        assert judgement is not None
        assert told(judgement.after) == pytest.approx(figures(base, after, listed)), step
        again = judged(Asked(base, after, None, Rules(), ModuleChoice(), base.root), now).planned.figures
        assert told(again) == pytest.approx(told(judgement.after))


# -- other layouts


def made(folder: Path, *paths: str, **contents: str) -> Graph:
    for path in (*paths, *contents):
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(contents.get(path, ""))
    return analyze(folder, jobs=1)


def found(graph: Graph, root: str = "") -> tuple[str, str]:
    result = found_modules(graph, graph.key_of[root])
    return result.by, graph.ids[result.fork]


def test_c_code_is_walked_down_to_its_first_fork(tmp_path: Path) -> None:
    """As nginx: all of it lies in `src`; what is beside and unrelated is there to build it."""
    graph = made(
        tmp_path,
        **{
            "src/core/a.c": '#include "b.h"\nint a(void) { return b(); }\n' * 20,
            "src/core/b.h": "int b(void);\n",
            "src/http/c.c": '#include "../core/b.h"\nint c(void) { return b(); }\n' * 20,
            "auto/probe.c": "int main(void) { return 0; }\n",
        },
    )
    assert found(graph) == ("children", "src")


def test_what_uses_the_rest_is_not_walked_past(tmp_path: Path) -> None:
    """A small program beside a large library that it uses is a module."""
    graph = made(
        tmp_path,
        **{
            "lib/one/a.c": '#include "a.h"\nint a(void) { return 1; }\n' * 40,
            "lib/one/a.h": "int a(void);\n",
            "lib/two/b.c": '#include "../one/a.h"\nint b(void) { return a(); }\n' * 40,
            "main.c": '#include "lib/one/a.h"\nint main(void) { return a(); }\n',
        },
    )
    assert found(graph) == ("children", "")


def test_docs_and_examples_are_beside_the_product(tmp_path: Path) -> None:
    """As flask: `docs/conf.py` and whole programs in `examples`; unless there is little else."""
    code = {
        "src/app/__init__.py": "",
        "src/app/a.py": "from app import b\n" * 30,
        "src/app/b.py": "x = 1\n" * 30,
        "src/app/json/__init__.py": "from app import a\n" * 9,
        "docs/conf.py": "project = 'app'\n",
        "examples/shop/shop/__init__.py": "import app\n" * 9,
    }
    graph = made(tmp_path / "one", **code)
    assert found(graph) == ("packages", "src/app")
    little = {"examples/a/x.c": "int x;\n" * 50, "examples/b/y.c": "int y;\n" * 50, "main.c": "int z;\n"}
    assert found(made(tmp_path / "two", **little)) == ("children", "")


def test_generated_vendored_and_test_files_are_aside(tmp_path: Path) -> None:
    """What the settings call so."""
    graph = made(
        tmp_path,
        **{
            "src/a/x.c": "int x;\n" * 9,
            "src/b/y.c": "int y;\n" * 9,
            "third_party/z/z.c": "int z;\n" * 900,
            "tests/test_x.c": "int t;\n" * 900,
        },
    )
    assert found(graph) == ("children", "src")


def test_a_restricted_root_is_where_the_search_begins(graphs: Mapping[str, Graph]) -> None:
    """NEW-1: the restricted root keeps its meaning."""
    assert found(graphs["npm workspace"], "packages/orders") == ("children", "packages/orders/src")
    assert found(graphs["src Python"], "src/shop/orders") == ("packages", "src/shop/orders")


def test_a_graph_of_other_tools_has_modules_too() -> None:
    """Without languages, sizes or files."""
    from cbvtool.graph import GraphBuilder

    builder = GraphBuilder("g")
    for name in "ab":
        builder.add_node(name, "", name, "module")
        builder.add_node(f"{name}/x", name, "x", "part")
    builder.add_edge(builder.key("a/x"), builder.key("b/x"), "use")
    assert found(builder.freeze()) == ("children", "")
