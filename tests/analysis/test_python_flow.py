"""Python's value flow: one fixed point whatever the order, bounded sets, and time in proportion to the input."""

from __future__ import annotations

import multiprocessing
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.analysis import analyze, dividing, folder
from cbvtool.analysis.languages.python import propagation as python_propagation
from cbvtool.analysis.languages.python.names import _Files
from cbvtool.analysis.languages.python.propagation import (
    AS_GIVEN,
    DIRECT,
    GIVEN,
    MOST,
    NOT_DIRECT,
    REGISTERED,
    RETURN,
    SAME,
    STORE,
    UNKNOWN,
    Propagation,
)
from cbvtool.analysis.languages.python.reader import facts_of
from cbvtool.analysis.resolution import Folder
from cbvtool.graph import Graph

CORPUS = Path(__file__).parents[1] / "corpus" / "python_calls"
SOURCE = Path(__file__).parents[2] / "src" / "cbvtool" / "analysis"

EDGES = st.lists(
    st.tuples(st.integers(1, 7), st.integers(1, 7), st.sampled_from([SAME, NOT_DIRECT, AS_GIVEN, RETURN, STORE])),
    max_size=14,
)
VALUES = st.lists(
    st.tuples(st.integers(1, 7), st.integers(1, 20), st.sampled_from([DIRECT, REGISTERED, GIVEN])), max_size=30
)
RULES = st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=4)


@given(EDGES, VALUES, RULES, st.randoms(use_true_random=False))
def test_the_fixed_point_does_not_depend_on_the_order(
    edges: list[tuple[int, int, int]],
    values: list[tuple[int, int, int]],
    rules: list[tuple[int, int]],
    order: random.Random,
) -> None:
    """Edges, values and rules in any order; a rule adds an edge from a node that the value names, as loads do."""
    work = [
        *(("edge", *row) for row in edges),
        *(("value", *row) for row in values),
        *(("rule", *row) for row in rules),
    ]
    found = []
    for _ in range(3):
        flow = Propagation()
        for _ in range(8):
            flow.node()
        for what, *row in work:
            if what == "edge":
                flow.edge(*row)
            elif what == "value":
                flow.add(*row)
            else:
                source, target = row

                def load(value: int, plane: int, flow: Propagation = flow, target: int = target) -> None:
                    if value == UNKNOWN:
                        flow.add(target, UNKNOWN, plane)
                    else:
                        flow.edge(1 + value % 7, target, (SAME, NOT_DIRECT, AS_GIVEN)[plane])

                flow.rule(source, target, load)
            if order.random() < 0.2:
                flow.run()
        flow.run()
        found.append(flow.values)
        order.shuffle(work)
    assert found[0] == found[1] == found[2]
    assert all(len(known) <= MOST + 1 for known in found[0])


def test_more_values_than_mean_anything_are_unknown() -> None:
    """Of the plane that they came by and above; what is known directly stays, and it is passed on as unknown."""
    flow = Propagation()
    first, second = flow.node(), flow.node()
    flow.edge(first, second)
    flow.add(first, 1)
    for value in range(2, MOST + 20):
        flow.add(first, value, GIVEN)
        flow.run()
    assert flow.values[first] == flow.values[second] == {1: DIRECT, UNKNOWN: GIVEN}
    for value in range(MOST + 20, 2 * MOST + 40):
        flow.add(first, value)
    flow.run()
    assert flow.values[second] == {UNKNOWN: DIRECT}


def relations_of(texts: dict[str, bytes], order: random.Random | None = None) -> list[tuple[object, ...]]:
    """Of a folder with these files, asked for in one order or another."""
    facts = {row: facts_of(text) for row, text in enumerate(texts.values())}
    files = _Files(Folder(("top",), list(texts), lambda path: None), facts)
    rows = list(facts)
    if order is not None:
        order.shuffle(rows)
    return sorted(relation for row in rows for relation in files.relate([row]).relations)


@pytest.mark.parametrize("seed", range(2))
def test_answers_do_not_depend_on_the_order(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the questions, nor on that of the work: nodes with new values are taken in any order."""
    texts = {str(path.relative_to(CORPUS)): path.read_bytes() for path in sorted(CORPUS.rglob("*.py"))}
    texts |= {str(path.relative_to(SOURCE)): path.read_bytes() for path in sorted(SOURCE.glob("*.py"))}
    plain = relations_of(texts)
    assert len(plain) > 500
    order = random.Random(seed)

    class Shuffled(dict[int, dict[int, int]]):
        def popitem(self) -> tuple[int, dict[int, int]]:
            key = order.choice(list(self)) if len(self) < 50 else next(iter(self))
            return key, self.pop(key)

    plainly = Propagation.__init__

    def init(self: Propagation) -> None:
        plainly(self)
        self._new = Shuffled()

    monkeypatch.setattr(python_propagation.Propagation, "__init__", init)
    assert relations_of(texts, order) == plain


def test_one_two_and_four_processes_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """And in groups of any size."""

    plain = edges_of(analyze(CORPUS, jobs=1))
    for jobs, group in ((2, 300), (4, 2000)):
        monkeypatch.setattr(dividing, "GROUP", group)
        monkeypatch.setattr(dividing, "INLINE_USES", 0)
        assert edges_of(analyze(CORPUS, jobs=jobs)) == plain


# Each function hands on what it is given: there are as many rounds as functions.
_STEPS = [f"def f{i}(x):\n    f{i + 1}(f{i})\n    x(f{i})\n\n\n" for i in range(40)]
CHAIN = {
    "first.py": "from second import *\n" + "".join(_STEPS[::2]) + "def f40(x):\n    x(f1)\n",
    "second.py": "from first import *\n" + "".join(_STEPS[1::2]),
    "third.py": "from first import f0\n\n\ndef g(x):\n    x(g)\n\n\nf0(g)\n",
}


@pytest.mark.parametrize("count", [2, 3])
def test_arguments_are_shared_in_rounds(count: int) -> None:
    """Each process asks for the callees of its own files alone; together they find what one finds."""
    folder = Folder(("top",), list(CHAIN), lambda path: None)
    facts = {row: facts_of(text.encode()) for row, text in enumerate(CHAIN.values())}
    whole = _Files(folder, facts)
    parts = [list(facts)[row::count] for row in range(count)]
    workers = [_Files(folder, facts) for _ in parts]
    known: list[bytes] = []
    rounds = 0
    while new := [data for worker, part in zip(workers, parts, strict=True) if (data := worker.share(part, known))]:
        known = [*known, *new]
        rounds += 1
    assert rounds > 1
    for some, is_whole in ((known, True), (known[:count], False), ([b"\xc1"], True)):  # the last one is damaged
        last = _Files(folder, facts)
        last.prepare(some, is_whole)
        assert given_in(last) == given_in(whole) != set()
    for worker, part in zip(workers, parts, strict=True):
        worker.prepare(known)
        asked = {file for calls in worker._world._calls.values() for file in calls}
        assert asked <= set(part)
        assert worker.relate(part).relations.columns == whole.relate(part).relations.columns


def test_a_long_chain_of_functions_takes_few_rounds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After some rounds each process goes on alone."""
    for name, text in CHAIN.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(dividing, "GROUP", 10)
    monkeypatch.setattr(dividing, "_ROUNDS", 1)
    alone = analyze(tmp_path, jobs=1)
    assert len(alone.edges) > 80
    assert edges_of(analyze(tmp_path, jobs=2)) == edges_of(alone)


def given_in(files: _Files) -> set[tuple[object, ...]]:
    """What the functions in these files are given."""
    found = files._world.flow.given.items()
    return {(*slot, *one) for slot, some in found for one in some}


def edges_of(graph: Graph) -> list[tuple[str, str, str, int]]:
    found, ids = graph.edges, graph.ids
    kinds = [found.kind_names[kind] for kind in found.kind]
    ends = ((ids[a], ids[b]) for a, b in zip(found.source, found.target, strict=True))
    return [(*pair, kind, int(sure)) for pair, kind, sure in zip(ends, kinds, found.confidence, strict=True)]


def test_the_graph_stands_before_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Imports, definitions, measures and inheritance, of names alone; the whole graph has all of it, too."""
    monkeypatch.setattr(folder, "FIRST_BYTES", 0)
    monkeypatch.setattr(folder, "FLOW_USES", 0)
    seen: list[Graph] = []
    whole = analyze(CORPUS / "inheritance" / "input", jobs=1, on_first=seen.append)
    imports, structure = seen
    assert set(imports.edges.kind_names) == {"import"}
    assert structure.ids == whole.ids
    assert set(structure.edges.kind_names) == {"import", "inherit"}
    assert kinds_of(whole, "inherit") == kinds_of(structure, "inherit") > set()
    assert "call" in whole.edges.kind_names


def kinds_of(graph: Graph, kind: str) -> set[tuple[str, str]]:
    edges = graph.edges
    rows = [row for row in range(len(edges)) if edges.kind_names[edges.kind[row]] == kind]
    return {(graph.ids[edges.source[row]], graph.ids[edges.target[row]]) for row in rows}


# -- hostile input ---------------------------------------------------------------------------------------------

# By name: what somebody might write of about `n` parts. Each took time with the square of `n`, or may do so again.
HOSTILE: dict[str, Callable[[int], str]] = {
    "one chain of assignments": lambda n: "from x import b\n" + "a=" * n + "b\n",
    "the same star again": lambda n: "from .x import *\n" * n + "f()\n",
    "many stars": lambda n: each(n, "from .m{0} import *\nx{0}()\n"),
    "functions that call each other": lambda n: each(n, "def f{0}(x):\n    return f{2}(x)\n"),
    "functions that are given each other": lambda n: (
        each(n, "def f{0}(x):\n    x(f{1})\n    return x\n") + f"def f{n}(x): pass\nf0(f1)\n"
    ),
    "one function given all others": lambda n: "def h(x):\n    x()\n" + each(n, "def g{0}(): h(g{0})\n"),
    "one variable assigned in branches": lambda n: (
        "from x import f\ndef g(c):\n" + "    if c:\n        v = f\n    v()\n" * n
    ),
    "one variable made of itself": lambda n: "from x import f\nv = f\n" + each(n, "v = v.a{0}()\n"),
    "a chain of names": lambda n: "from x import f\na0 = f\n" + each(n, "a{1} = a{0}\n") + f"a{n}()\n",
    "a chain of classes": lambda n: (
        "class C0:\n    def m(self): pass\n" + each(n, "class C{1}(C{0}): pass\n") + f"C{n}().m()\n"
    ),
    "a table": lambda n: "from x import f\nd = {}\n" + each(n, "d['k{0}'] = f\n") + "d['k1']()\n" * n,
    "brackets": lambda n: "from x import f\ny = " + "f(" * n + ")" * n + "\ny()\n",
    "members": lambda n: "import f\nf" + ".a" * n + "()\n",
    "calls of calls": lambda n: "def f(): pass\nf" + "()" * n + "\n",
}


def each(n: int, text: str) -> str:
    """`text` n times, with its number, the next one, and some other one."""
    return "".join(text.format(i, i + 1, i * 7 % n) for i in range(n))


LARGE = {"the same star again": 5_900, "functions that call each other": 20_000, "one chain of assignments": 50_000}


def resolve(text: str) -> None:
    relations_of({"a.py": text.encode(), "x.py": b"def f(): pass\ndef b(): pass\n"})


def steps(text: str) -> int:
    """Calls of Python functions that reading and resolving `text` take."""
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        resolve(text)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_takes_time_in_proportion(name: str) -> None:
    """Counted in calls of functions: four times the input takes about four times as many."""
    steps(HOSTILE[name](50))
    few, many = steps(HOSTILE[name](400)), steps(HOSTILE[name](1600))
    assert many < 6 * few + 3000


@pytest.mark.parametrize("name", LARGE)
def test_hostile_input_ends(name: str) -> None:
    """At the size at which it was reported: with a square in it, each of these would take minutes."""
    process = multiprocessing.get_context("spawn").Process(target=resolve, args=(HOSTILE[name](LARGE[name]),))
    process.start()
    process.join(150)
    try:
        assert process.exitcode == 0
    finally:
        process.kill()
        process.join()
