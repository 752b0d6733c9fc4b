"""Only dependencies are dependencies; what no chain of imports leads to is called back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cbvtool.analysis import analyze, chains, resolution
from cbvtool.analysis.chains import along_imports, reached
from cbvtool.analysis.facts import ALWAYS, DEFERRED, EXACT, GUESS, RESOLVED, TYPE_CHECKING
from cbvtool.analysis.resolution import CALL, IMPORT, INHERIT, KINDS, REFERENCE, TYPE_USE
from cbvtool.graph import CALLS_BACK, Confidence, Graph
from cbvtool.metrics.structure.users import file_of
from tests.analysis.test_corpus import CORPUS

FILES = 7
PAIRS = st.lists(st.tuples(st.integers(0, FILES - 1), st.integers(0, FILES - 1)), max_size=16)
Row = tuple[int, int, str, int]  # user, used, kind, confidence


def test_resolvers_and_the_graph_mean_the_same_kind() -> None:
    """Workers do without NumPy and so without `cbvtool.graph`: the name stands in both."""
    assert resolution.CALLS_BACK == CALLS_BACK


@given(PAIRS)
@example([(0, 1), (1, 2), (2, 0), (2, 3), (4, 4)])
def test_chains_are_those_that_a_search_finds(imports: list[tuple[int, int]]) -> None:
    """All pairs of small graphs, against a search from each file; in one block of targets and in several."""
    judge = nx.DiGraph(imports)
    judge.add_nodes_from(range(FILES))
    wanted = {(a, b): nx.has_path(judge, a, b) for a, b in product(range(FILES), repeat=2)}
    ends = np.array(list(wanted), np.int64).T
    importer, imported = np.array(imports, np.int64).reshape(-1, 2).T
    for block in (chains._BLOCK, 2):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(chains, "_BLOCK", block)
            found = reached(FILES, importer, imported, *ends)
        assert dict(zip(wanted, found.tolist(), strict=True)) == wanted


def test_a_long_chain_takes_no_recursion() -> None:
    """A hundred thousand files in one row."""
    files = np.arange(100_000)
    assert reached(len(files), files[:-1], files[1:], np.array([0, 5]), np.array([99_999, 4])).tolist() == [True, False]


def kinds_after(rows: Sequence[Row], everywhere: Sequence[int] = ()) -> list[str]:
    """Kinds of the relations, the first a use by its kind and confidence."""
    result = after([(*row, ALWAYS) for row in rows], everywhere)
    assert not result[:, 6].any()
    return [KINDS[kind] for kind in result[:, 4].tolist()]


def after(rows: Sequence[tuple[int, int, str, int, int]], everywhere: Sequence[int] = ()) -> npt.NDArray[np.int32]:
    """The table of relations after the rule, which changes kinds and times alone, and not what it is given."""
    table = np.array([(a, 0, b, 0, KINDS.index(kind), 1, when, sure) for a, b, kind, sure, when in rows], np.int32)
    before = table.copy()
    result = along_imports(table, everywhere)
    assert np.array_equal(table, before)
    assert np.array_equal(np.delete(result, (4, 6), 1), np.delete(table, (4, 6), 1))
    return result


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        ([(0, 1, IMPORT, EXACT), (0, 1, CALL, RESOLVED)], [IMPORT, CALL]),
        ([(0, 1, IMPORT, EXACT), (1, 0, CALL, RESOLVED)], [IMPORT, CALLS_BACK]),
        ([(0, 1, IMPORT, EXACT), (1, 2, IMPORT, GUESS), (0, 2, REFERENCE, RESOLVED)], [IMPORT, IMPORT, REFERENCE]),
        ([(1, 0, INHERIT, RESOLVED), (1, 0, TYPE_USE, GUESS)], [CALLS_BACK, CALLS_BACK]),
        # What is named itself is as good as imported, and leads on.
        ([(0, 1, CALL, EXACT), (1, 2, IMPORT, EXACT), (0, 2, CALL, RESOLVED)], [CALL, IMPORT, CALL]),
        ([(0, 1, REFERENCE, EXACT), (0, 1, CALL, GUESS)], [REFERENCE, CALL]),
        ([(0, 0, CALL, RESOLVED)], [CALL]),
        # What a resolver itself has told to be called back is no chain for others.
        ([(0, 1, CALLS_BACK, EXACT), (0, 1, CALL, RESOLVED)], [CALLS_BACK, CALLS_BACK]),
    ],
)
def test_what_is_called_back(rows: list[Row], kinds: list[str]) -> None:
    """Against the direction of the imports, over others, by name, in one file."""
    assert kinds_after(rows) == kinds


def test_what_all_files_see_needs_no_import() -> None:
    """A script of TypeScript, and what it imports itself."""
    rows = [(0, 1, CALL, RESOLVED), (1, 2, IMPORT, EXACT), (0, 2, CALL, RESOLVED), (2, 0, CALL, RESOLVED)]
    assert kinds_after(rows, [1]) == [CALL, IMPORT, CALL, CALLS_BACK]


@pytest.mark.parametrize(
    ("imports", "when"),
    [
        ([(0, 1, ALWAYS)], ALWAYS),
        ([(0, 1, DEFERRED)], DEFERRED),
        ([(0, 1, TYPE_CHECKING)], TYPE_CHECKING),
        ([(0, 2, DEFERRED), (2, 1, ALWAYS)], DEFERRED),
        ([(0, 1, TYPE_CHECKING), (0, 2, DEFERRED), (2, 1, ALWAYS)], DEFERRED),
        ([(0, 1, TYPE_CHECKING), (0, 2, ALWAYS), (2, 1, ALWAYS)], ALWAYS),
    ],
)
@pytest.mark.parametrize("confidence", [EXACT, RESOLVED, GUESS])
def test_a_relation_takes_effect_when_its_chain_does(
    imports: list[tuple[int, int, int]], when: int, confidence: int
) -> None:
    """The earliest of all chains; a mark of the relation itself that is later stays."""
    rows = [(a, b, IMPORT, EXACT, at) for a, b, at in imports]
    found = after([*rows, (0, 1, TYPE_USE, confidence, ALWAYS), (0, 1, CALL, confidence, TYPE_CHECKING)])
    assert found[:, 6].tolist() == [*(at for _, _, at in imports), when, TYPE_CHECKING]
    assert [KINDS[kind] for kind in found[-2:, 4]] == [TYPE_USE, CALL]


@given(PAIRS, PAIRS, PAIRS)
def test_cycles_are_those_of_imports(
    imports: list[tuple[int, int]], typing: list[tuple[int, int]], calls: list[tuple[int, int]]
) -> None:
    """Whatever calls what: files depend on each other at run time exactly where they import each other."""
    rows = [(a, b, IMPORT, EXACT, ALWAYS) for a, b in imports] + [
        (a, b, IMPORT, EXACT, TYPE_CHECKING) for a, b in typing
    ]
    rows += [(a, b, CALL, RESOLVED, ALWAYS) for a, b in calls]
    judge = nx.DiGraph(imports)
    judge.add_nodes_from(range(FILES))
    wanted = set(map(frozenset, nx.strongly_connected_components(judge)))
    if rows:
        found = after(rows)
        counts = (found[:, 6] != TYPE_CHECKING) & (found[:, 4] != KINDS.index(CALLS_BACK))
        judge.add_edges_from(found[counts][:, [0, 2]].tolist())
    assert set(map(frozenset, nx.strongly_connected_components(judge))) == wanted


@pytest.mark.parametrize("case", ["python_calls", "javascript"])
def test_a_framework_does_not_depend_on_what_is_registered(case: str) -> None:
    """Of the relations from the framework to the shop, all call back; the other way none does."""
    graph = analyze(CORPUS / case / "called_back" / "input", jobs=1)
    edges, file = graph.edges, file_of(graph)
    ends: dict[tuple[str, str], set[str]] = {}
    for row in range(len(edges)):
        pair = graph.names[file[edges.source[row]]][:4], graph.names[file[edges.target[row]]][:4]
        ends.setdefault(pair, set()).add(edges.kind_names[edges.kind[row]])
    assert ends["fram", "shop"] == {CALLS_BACK}
    assert ends["shop", "fram"] >= {"import", "call"}
    assert not any(CALLS_BACK in kinds for pair, kinds in ends.items() if pair != ("fram", "shop"))


def test_relations_after_an_edit_are_those_from_nothing(tmp_path: Path) -> None:
    """The rule looks at all files anew, also where relations come from the cache: an import decides about others."""
    root, kept = tmp_path / "p", tmp_path / "cache"
    root.mkdir()
    (root / "framework.py").write_text("def run(task):\n    return task.job()\n")
    (root / "shop.py").write_text(
        "from framework import run\n\n\nclass Task:\n    def job(self):\n        return 1\n\n\nrun(Task())\n"
    )
    assert "calls back" in called(analyze(root, jobs=1, cache=kept))
    (root / "framework.py").write_text("import shop\n\n\ndef run(task):\n    return task.job()\n")
    assert called(analyze(root, jobs=1, cache=kept)) == {"call"}


def called(graph: Graph) -> set[str]:
    """Kinds of what `run` does to `job`."""
    edges, ends = graph.edges, (graph.key_of["framework.py::run"], graph.key_of["shop.py::Task.job"])
    rows = [row for row in range(len(edges)) if (edges.source[row], edges.target[row]) == ends]
    assert all(edges.confidence[row] == Confidence.RESOLVED for row in rows)
    return {edges.kind_names[edges.kind[row]] for row in rows}
