"""CBV-7, DND-8: what a query finds. Judges: Python's own reading of the same comparisons, and a naive walk over
NetworkX's graph, node by node.
"""

from __future__ import annotations

import fnmatch
import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.asking import expression as e
from cbvtool.asking.names import DistinctNames, Mask
from cbvtool.asking.search import hidden_by, kept, search
from cbvtool.budget import Budget
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.graph.networkx import to_networkx
from cbvtool.matching import Lines, Pattern, compiled
from cbvtool.metrics import METRICS
from cbvtool.metrics.metric import Subject
from tests.graph.strategies import graphs


def of(*places: str) -> Graph:
    """A graph of these paths: `folder/file.py::Class`."""
    builder = GraphBuilder("subject")
    for place in places:
        parts = [part for part in re.split(r"(/|::)", place) if part]
        for end in range(1, len(parts) + 1, 2):
            node, above = "".join(parts[:end]), "".join(parts[: max(end - 2, 0)])
            if node not in builder:
                last = parts[end - 1]
                kind = "class" if end > 1 and parts[end - 2] == "::" else "file" if "." in last else "folder"
                builder.add_node(node, above, last, kind)
    return builder.freeze()


def found(graph: Graph, text: str, **columns: dict[str, float]) -> list[str]:
    """Ids of what the query finds, best first."""
    values = {name: np.array([column.get(node, np.nan) for node in graph.ids]) for name, column in columns.items()}
    query = e.parse(text, METRICS)
    assert query is not None
    return [graph.ids[key] for key in search(graph, query, values).keys.tolist()]


CODE = of(
    "core/session.py::Session",
    "core/session.py::SessionError",
    "core/my_session.py",
    "core/obsession.py",
    "ui/structure_model.py::StructureModel",
    "ui/receive.py",
    "ui/core_window.py",
    "score/HTTPServer.py",
)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        # the name itself, without its ending, at the begin, at the begin of a word, somewhere
        (
            "session",
            [
                "core/session.py::Session",
                "core/session.py",
                "core/session.py::SessionError",
                "core/my_session.py",
                "core/obsession.py",
            ],
        ),
        ("SESSION.PY", ["core/session.py", "core/my_session.py", "core/obsession.py"]),
        ("strmod", ["ui/structure_model.py::StructureModel", "ui/structure_model.py"]),  # begins of words
        ("SM", ["ui/structure_model.py::StructureModel", "ui/structure_model.py"]),
        ("hs", ["score/HTTPServer.py"]),
        ("recieve", ["ui/receive.py"]),  # two letters the wrong way round
        ("recive", ["ui/receive.py"]),
        (
            "sesion",
            ["core/session.py::Session", "core/session.py", "core/session.py::SessionError", "core/my_session.py"],
        ),
        ("rcv", ["ui/receive.py"]),  # letters left out
        ("core window", ["ui/core_window.py"]),
        (
            "core session",
            [
                "core/session.py::Session",
                "core/session.py",
                "core/session.py::SessionError",
                "core/my_session.py",
                "core/obsession.py",
            ],
        ),
        ("core/ses", ["core/session.py"]),
        ("session.py::Session", ["core/session.py::Session", "core/session.py::SessionError"]),
        ("core/session.py", ["core/session.py"]),  # an id
        ("zzz", []),
    ],
)
def test_words_are_fuzzy_and_the_best_comes_first(text: str, first: list[str]) -> None:
    """CBV-7, DND-8: search as you type."""
    assert found(CODE, text) == first


@pytest.mark.parametrize(
    ("text", "nodes"),
    [
        ("/^Ses/", ["core/session.py::Session", "core/session.py::SessionError"]),
        ("/^ses.*py$/", ["core/session.py"]),  # without a capital letter case does not count
        ("path:/^score.*r/", ["score/HTTPServer.py"]),
        ("kind:file path:core/", ["core/my_session.py", "core/obsession.py", "core/session.py"]),
        ("kind:fi,fo not path:core not path:ui", ["score", "score/HTTPServer.py"]),
        ("path:c*/*.py::", ["core/session.py::Session", "core/session.py::SessionError"]),
        ("path:**/Session", ["core/session.py", "core/session.py::Session", "core/session.py::SessionError"]),
        ('"TURE_m"', ["ui/structure_model.py"]),
        ("kind:class session", ["core/session.py::Session", "core/session.py::SessionError"]),
        ("kind:nothing", []),
    ],
)
def test_patterns_kinds_and_paths(text: str, nodes: list[str]) -> None:
    """CBV-7: by regular expression, kind and path; a path begins at a segment (`core/` is not in `score/`)."""
    assert sorted(found(CODE, text)) == nodes


def test_the_first_metric_decides_the_order() -> None:
    """CBV-7: the most of it first; the least where little was asked for; never what was not measured."""
    graph = of("a.py", "b.py", "c.py", "d.py")
    sloc, nl3 = {"a.py": 5.0, "b.py": 30.0, "c.py": 20.0}, {"a.py": 0.1, "b.py": 0.2, "c.py": 0.3, "d.py": 0.4}
    assert found(graph, "sloc > 1 and nl3 > 0", sloc=sloc, nl3=nl3) == ["b.py", "c.py", "a.py"]
    assert found(graph, "sloc < 99", sloc=sloc) == ["a.py", "c.py", "b.py"]
    assert found(graph, "10 > sloc / 10", sloc=sloc) == ["a.py", "c.py", "b.py"]
    assert found(graph, "kind:file not sloc > 25", sloc=sloc) == ["a.py", "c.py", "d.py"]
    assert found(graph, "sloc != 5", sloc=sloc) == ["b.py", "c.py"]
    assert found(graph, "1 / (sloc - 5) < 9", sloc=sloc) == ["c.py", "b.py"]  # nothing is divided by 0


# -- judges ------------------------------------------------------------------------------------------------------

_NAMES = ("sloc", "nl3", "commits")
_FEW = st.sampled_from([0.0, 1.0, 2.0, 3.0, 10.0, 0.5])


@st.composite
def measured(draw: st.DrawFn, missing: bool) -> tuple[Graph, dict[str, np.ndarray]]:
    graph = draw(graphs())
    value = _FEW | st.just(float("nan")) if missing else _FEW
    return graph, {name: np.array([draw(value) for _ in range(len(graph))]) for name in _NAMES}


_sums = st.recursive(
    st.sampled_from([*_NAMES, "0", "1", "2", "3", "10", "0.5"]),
    lambda inner: (
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(" ".join)
        | inner.map(lambda text: f"({text})")
        | inner.map(lambda text: f"-{text}")
    ),
    max_leaves=4,
)
_compared = st.lists(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]), min_size=1, max_size=2).flatmap(
    lambda signs: st.tuples(*[_sums] * (len(signs) + 1)).map(
        lambda sides: sides[0] + "".join(f" {sign} {side}" for sign, side in zip(signs, sides[1:], strict=True))
    )
)
_python = st.recursive(
    _compared,
    lambda inner: (
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(" ".join)
        | inner.map(lambda text: f"({text})")
        | inner.map(lambda text: f"not {text}")
    ),
    max_leaves=5,
)


@given(measured(missing=False), _python)
def test_comparisons_against_python(subject: tuple[Graph, dict[str, np.ndarray]], text: str) -> None:
    """CBV-7: precedence, chains and arithmetic are those of Python, which reads the same text for every node."""
    graph, values = subject
    keys = [
        key
        for key in range(len(graph))
        if graph.parent[key] >= 0 and eval(text, {}, {name: float(column[key]) for name, column in values.items()})
    ]
    query = e.parse(text, METRICS)
    assert query is not None
    assert sorted(search(graph, query, values).keys.tolist()) == keys


def naive(judge: nx.MultiDiGraph, node: str, query: object) -> bool:
    """Whether one node matches, told from its attributes and those of the nodes above it."""

    def chain(start: str) -> list[str]:
        above = judge.nodes[start]["parent"]
        return [start] if above is None else [start, *chain(above)]

    def amount(part: object) -> float:
        match part:
            case e.Number(value):
                return value
            case e.Measure(name):
                return judge.nodes[node]["measured"][name]
            case e.Negative(inner):
                return -amount(inner)
            case e.Arithmetic(sign, left, right):
                a, b = amount(left), amount(right)
                if sign == "/":
                    return a / b if b != 0 else float("nan")
                return a + b if sign == "+" else a - b if sign == "-" else a * b
        raise AssertionError(part)

    own = judge.nodes[node]
    match query:
        case e.Not(part):
            return not naive(judge, node, part)
        case e.All(parts):
            return all(naive(judge, node, part) for part in parts)
        case e.Any(parts):
            return any(naive(judge, node, part) for part in parts)
        case e.Comparison(signs, sides):
            values = [amount(side) for side in sides]
            if any(value != value for value in values):
                return len(values) > 2 and _partly(signs, values)
            return _partly(signs, values)
        case e.Kind(text):
            return any(own["kind"].startswith(word) for word in text.split(","))
        case e.Name(text):
            return text.lower() in own["name"].lower()
        case e.PatternTerm(text, path):
            return re.search(text, node if path else own["name"], re.I) is not None
        case e.Path(text):
            return any(
                above != "" and fnmatch.fnmatchcase(judge.nodes[above]["name"].lower(), f"{text.lower()}*")
                for above in chain(node)
            )
    raise AssertionError(query)


def _partly(signs: tuple[str, ...], values: list[float]) -> bool:
    compare = {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "==": lambda a, b: a == b,
        "!=": lambda a, b: a != b and a == a and b == b,
    }
    return all(compare[sign](a, b) for sign, a, b in zip(signs, values, values[1:], strict=False))


_amounts = st.recursive(
    st.sampled_from([e.Number(v) for v in (0.0, 1.0, 2.0, 10.0)] + [e.Measure(name) for name in _NAMES]),
    lambda inner: st.builds(e.Arithmetic, st.sampled_from("+-*/"), inner, inner) | st.builds(e.Negative, inner),
    max_leaves=4,
)
_sign = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])
_parts = st.text("ab:*?ä", min_size=1, max_size=3).filter(lambda text: "::" not in text and text != "**")
_terms = (
    st.builds(e.Comparison, st.tuples(_sign), st.tuples(_amounts, _amounts))
    | st.builds(e.Comparison, st.tuples(_sign, _sign), st.tuples(_amounts, _amounts, _amounts))
    | st.sampled_from(["fi", "folder", "x", "organisational,file"]).map(e.Kind)
    | _parts.map(e.Name)
    | _parts.map(e.Path)
    | st.builds(e.PatternTerm, st.sampled_from(["^a", "b$", "[^a]", "^$", ".", "ä|b"]), st.booleans())
)
_queries = st.recursive(
    _terms,
    lambda inner: (
        inner.map(e.Not)
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: e.All(tuple(parts)))
        | st.lists(inner, min_size=2, max_size=3).map(lambda parts: e.Any(tuple(parts)))
    ),
    max_leaves=5,
)


def _judge(graph: Graph, values: dict[str, np.ndarray]) -> nx.MultiDiGraph:
    judge = to_networkx(graph)
    for node in judge.nodes:
        key = graph.key_of[node]
        judge.nodes[node]["measured"] = {name: float(column[key]) for name, column in values.items()}
    return judge


@given(measured(missing=True), _queries)
def test_queries_against_a_naive_walk(subject: tuple[Graph, dict[str, np.ndarray]], query) -> None:
    """CBV-7: every node is judged from its own attributes; what was not measured matches no comparison."""
    graph, values = subject
    judge = _judge(graph, values)
    nodes = {node for node in judge.nodes if node and naive(judge, node, query)}
    assert {graph.ids[key] for key in search(graph, query, values).keys.tolist()} == nodes


@given(measured(missing=True), _queries)
def test_a_filter_keeps_matches_with_what_is_around_them(subject: tuple[Graph, dict[str, np.ndarray]], query) -> None:
    """CBV-7: nothing that matches is hidden, nor is anything above it; whatever is kept has a reason."""
    graph, values = subject
    mask, hidden = kept(graph, query, values), hidden_by(graph, query, values)
    for key in search(graph, query, values).keys.tolist():
        assert all(mask[[key, *graph.ancestors(key)]])
    there = np.flatnonzero(graph.parent >= 0).tolist()
    gone = {key for key in there if any(above in hidden for above in (key, *graph.ancestors(key)))}
    assert gone == {key for key in there if not mask[key]}
    assert all(graph.parent[key] == graph.root or mask[graph.parent[key]] for key in hidden)


def test_what_a_match_consists_of_stays_unless_its_own_measure_speaks_against_it() -> None:
    """CBV-7: a filter by name shows what it found with its content; by size, it hides what is small."""
    graph = of("core/a.py::Long", "core/a.py::Short", "core/notes.txt", "ui/b.py::Other")
    sloc = np.array(
        [
            {"Long": 60.0, "Short": 5.0, "a.py": 65.0, "core": 65.0, "notes.txt": np.nan}.get(name, 10.0)
            for name in graph.names
        ]
    )
    churn = np.array([{"a.py": 7.0, "b.py": 1.0}.get(name, np.nan) for name in graph.names])

    def left(text: str) -> set[str]:
        query = e.parse(text, METRICS)
        assert query is not None
        mask = kept(graph, query, {"sloc": sloc, "commits": churn})
        return {graph.names[key] for key in np.flatnonzero(mask).tolist() if graph.parent[key] >= 0}

    assert left("a.py") == {"core", "a.py", "Long", "Short"}
    assert left("path:core/") == {"core", "a.py", "Long", "Short", "notes.txt"}
    assert left("kind:file commits > 5") == {"core", "a.py", "Long", "Short"}  # classes have no commits of their own
    assert left("kind:file sloc >= 50") == {"core", "a.py", "Long", "Short"}  # files are measured, not classes
    assert left("kind:folder sloc >= 50") == {"core", "a.py", "Long", "Short", "notes.txt"}
    assert left("kind:class sloc >= 50") == {"core", "a.py", "Long"}
    assert left("kind:file sloc >= 50 not name:short") == {"core", "a.py", "Long"}
    assert left("sloc >= 50") == {"core", "a.py", "Long"}
    assert left("not sloc < 50") == {"core", "a.py", "Long", "notes.txt"}  # nobody knows that it is small
    assert left("path:core/ not name:short") == {"core", "a.py", "Long", "notes.txt"}
    assert left("kind:class other") == {"ui", "b.py", "Other"}


@given(
    st.lists(st.text("aAbB_1äİ\udc80/.", max_size=6), min_size=1, max_size=12),
    st.text("abä1_İ", min_size=1, max_size=3),
)
def test_every_name_that_contains_the_word_is_found(names: list[str], word: str) -> None:
    """CBV-7: whatever the case of letters; letters whose small form is longer keep theirs."""
    level = DistinctNames.of(tuple(names)).fit(word)[DistinctNames.of(tuple(names)).name_of]
    small = word.replace("İ", "\0").lower()
    for name, fits in zip(names, level.tolist(), strict=True):
        if small in name.replace("İ", "\0").lower():
            assert fits, name


# -- classes -----------------------------------------------------------------------------------------------------

MIXED = of("core/run.py::main", "core/fast.c", "core/notes.txt", "ui/page.js", "ui/page.py")
OF_MIXED = {name: metric.of(Subject(MIXED)) for name, metric in METRICS.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('language == "python" kind:file', {"core/run.py", "ui/page.py"}),
        ("language in (C, 'JavaScript')", {"core/fast.c", "ui/page.js"}),
        ("language not in (C, python) kind == file", {"ui/page.js"}),  # notes are in no language
        ("not language == python kind == file", {"core/fast.c", "core/notes.txt", "ui/page.js"}),
        ("kind = CLASS", {"core/run.py::main"}),
        ("kind != class path:core/", {"core/run.py", "core/fast.c", "core/notes.txt"}),
        ("sloc > 5 and language = Python", {"ui/page.py"}),
    ],
)
def test_classes_are_compared(text: str, expected: set[str]) -> None:
    """CBV-7: by their names, whatever their case; what has no class matches no comparison."""
    suffixes = {".py": "Python", ".c": "C", ".js": "JavaScript"}
    names = tuple(sorted(suffixes.values()))
    metrics = {**OF_MIXED, "language": replace(OF_MIXED["language"], classes=lambda: names)}
    query = e.parse(text, metrics)
    assert query is not None
    endings = [re.search(r"\.\w+", node.partition("::")[0]) for node in MIXED.ids]
    rows = [names.index(suffixes[end[0]]) if end and end[0] in suffixes else np.nan for end in endings]
    values = {
        "language": np.array(rows, np.float64),
        "kind": MIXED.kinds.astype(np.float64),
        "sloc": np.array([9.0 if node == "ui/page.py" else 1.0 for node in MIXED.ids]),
    }
    result = search(MIXED, query, values)
    assert {MIXED.ids[key] for key in result.keys.tolist()} == expected


def test_a_class_does_not_decide_the_order() -> None:
    """None is more than another: the first amount does, else the names."""
    query = e.parse("kind != folder and sloc >= 0", OF_MIXED)
    assert query is not None
    values = {"kind": MIXED.kinds.astype(np.float64), "sloc": np.arange(len(MIXED), dtype=np.float64)}
    result = search(MIXED, query, values)
    assert result.metric == "sloc"
    assert result.keys.tolist() == sorted(result.keys.tolist(), reverse=True)
    alone = e.parse("kind == file", OF_MIXED)
    assert alone is not None
    assert search(MIXED, alone, values).metric == "kind"


def test_a_filter_of_a_class_keeps_what_is_in_it_and_around() -> None:
    """CBV-7: the functions of a file stay with it."""
    query = e.parse("kind == file", OF_MIXED)
    assert query is not None
    mask = kept(MIXED, query, {"kind": MIXED.kinds.astype(np.float64)})
    assert {MIXED.ids[key] for key in np.flatnonzero(mask).tolist()} >= {"core", "core/run.py", "core/run.py::main"}


def test_all_patterns_of_a_query_share_one_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """A query of 1,000 letters holds a hundred patterns; each with seconds of its own would take minutes."""
    budgets = set[int]()
    given = DistinctNames.matching

    def noted(names: DistinctNames, pattern: Pattern, budget: Budget | None = None) -> Mask:
        assert budget is not None
        budgets.add(id(budget))
        return given(names, pattern, budget)

    monkeypatch.setattr(DistinctNames, "matching", noted)
    graph = GraphBuilder("a").freeze()
    query = e.parse("/a.b/ or not (/c.*d/ and /e+/)", {})
    assert query is not None
    search(graph, query, {})
    assert len(budgets) == 1


def test_the_rows_of_several_patterns_are_remembered() -> None:
    """A filter with two patterns is asked again after each step of a plan, and searches for neither."""
    lines, spent = Lines(["ab", "cd"]), list[int]()
    patterns = [compiled(text) for text in ("a", "c", "b|c")]
    first = [pattern.rows(lines, lambda count, size: spent.append(size)) for pattern in patterns]
    assert spent
    spent.clear()
    assert [pattern.rows(lines, lambda count, size: spent.append(size)) for pattern in patterns] == first
    assert spent == []
    for number in range(100):
        compiled(f"x{number}").rows(lines)
    assert len(lines.found) < 10
