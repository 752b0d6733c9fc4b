"""TD-10: calls of one run without those of another, and functions with overlapping call trees, beside brute force."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from cbvtool.cli import main
from cbvtool.cli.of_traces.trace_reading import node_ids
from cbvtool.cli.of_traces.trace_subtract import query_of
from cbvtool.trace.compare.duplicates import functions_below, overlapping
from cbvtool.trace.compare.runs.paths import call_paths
from cbvtool.trace.compare.subtraction import Level, remaining_calls
from cbvtool.trace.making.builder import TraceBuilder
from cbvtool.trace.making.folding import folded
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.store.folder import write_folder
from tests.trace.compare.trees import Timed, random_tree, traced
from tests.trace.handmade import builder


def random_trace(seed: int, calls: int = 60, functions: int = 12) -> Trace:
    """A thread of random calls."""
    tree = random_tree(calls, functions, seed)

    def timed(row: int) -> Timed:
        below, child = list[Timed](), row + 1
        while child < tree.end_row[row]:
            below.append(timed(child))
            child = int(tree.end_row[child])
        return f"f{tree.function[row]}", 2 * row, 2 * int(tree.end_row[row]), below

    return traced([timed(0)])


def stacks(trace: Trace) -> list[tuple[str, ...]]:
    """The names on the stack of each call."""
    found: list[tuple[str, ...]] = []
    above: list[str] = []
    for depth, function in zip(trace.calls.depth.tolist(), trace.calls.function.tolist(), strict=True):
        above[depth:] = [trace.functions.name[function]]
        found.append(tuple(above))
    return found


@pytest.mark.parametrize("level", ["function", "pair", "path"])
@pytest.mark.parametrize("seed", range(20))
def test_what_remains_is_what_the_definition_says(level: Level, seed: int) -> None:
    """TD-10: each call of A with each call of B, by function, by caller and function, by the whole path."""
    one, others = random_trace(seed), [random_trace(seed + 100 + n, 20) for n in range(1 + seed % 2)]
    length = {"function": 1, "pair": 2, "path": 1_000}[level]
    there = {stack[-length:] for other in others for stack in stacks(other)}
    if level == "pair":  # a root has no caller, and is no pair of any other call
        there = {(*("",) * (2 - len(stack[-2:])), *stack[-2:]) for other in others for stack in stacks(other)}
    wanted: Counter[tuple[str, ...]] = Counter()
    for stack in stacks(one):
        key = (*("",) * (2 - len(stack[-2:])), *stack[-2:]) if level == "pair" else stack[-length:]
        if key not in there:
            wanted[tuple(filter(None, key))] += 1
    found = remaining_calls(call_paths([folded(one)], [folded(other) for other in others]), level)
    assert {tuple(row[0] for row in each.path): each.calls for each in found} == wanted
    assert [each.calls for each in found] == sorted((each.calls for each in found), reverse=True)


@pytest.mark.parametrize("seed", range(20))
def test_overlapping_call_trees_are_those_of_the_definition(seed: int) -> None:
    """TD-10: |A and B| / |A or B| of all that is called below, none of the two below the other."""
    trace = random_trace(seed, 40, 14)
    run = folded(trace)
    below: dict[str, set[str]] = defaultdict(set)
    for stack in stacks(trace):
        for depth, name in enumerate(stack):
            below[name] |= set(stack[depth + 1 :]) - {name}
    wanted = {}
    for one, other in combinations(sorted(below), 2):
        both, either = below[one] & below[other], below[one] | below[other]
        if len(both) >= 2 and len(both) >= 0.3 * len(either) and one not in below[other] and other not in below[one]:
            wanted[frozenset((one, other))] = (len(both) / len(either), len(both))
    names = run.functions.name
    found = overlapping(run, 0.3, 2)
    assert {frozenset((names[p.one], names[p.other])): (p.similarity, p.shared) for p in found} == wanted
    assert [p.similarity for p in found] == sorted((p.similarity for p in found), reverse=True)
    sets = {
        names[row]: {names[bit] for bit in range(len(names)) if bits >> bit & 1}
        for row, bits in functions_below(run).items()
    }
    assert sets == below


def test_random_trees_have_overlaps_and_remainders() -> None:
    """The tests above compare more than nothing."""
    assert sum(len(overlapping(folded(random_trace(seed, 40, 14)), 0.3, 2)) for seed in range(20)) > 10
    paths = call_paths([folded(random_trace(0))], [folded(random_trace(100, 20))])
    assert all(remaining_calls(paths, level) for level in ("function", "pair", "path"))


SHOP = """\
def export(rows):
    return ",".join(cell(row) for row in rows)
def cell(row):
    return str(row)
def show(rows):
    head(rows), body(rows), foot(rows), also(rows)
def draw(rows):
    head(rows), body(rows), foot(rows)
def head(rows): pass
def body(rows): pass
def foot(rows): pass
def also(rows): pass
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A source with two recordings made by hand: `with`, which exports, and `without`."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "shop.py").write_text(SHOP)
    for name in ("with", "without"):
        exports = name == "with"
        calls = [
            ("show", ["head", "body", "foot", "also", *(["show.<locals>.<lambda>"] if exports else [])]),
            ("draw", ["head", "body", "foot"]),
            *([("export", ["cell", "cell"])] if exports else []),
        ]
        made = builder()
        thread, time = made.thread(1, 1), 0
        for caller, below in calls:
            made.begin(thread, function_of(made, caller), time)
            for number, each in enumerate(below):
                made.span(thread, function_of(made, each), time + number, time + number + 1)
            made.end(thread, time + 10)
            time += 10
        write_folder(tmp_path / name, made.trace(made.build()))
    return tmp_path


def function_of(made: TraceBuilder, name: str) -> int:
    """The row of a function of the shop."""
    line = SHOP.splitlines().index(next(line for line in SHOP.splitlines() if f"def {name.split('.')[0]}(" in line)) + 1
    return made.function(name, "shop", "/was/code/shop.py", line)


def test_a_lambda_or_a_module_has_no_node_of_its_own(shop: Path) -> None:
    """TD-10: what is a candidate for a duplicate."""
    rows = [
        (name, "", "/was/code/shop.py", line)
        for name, line in (("show", 5), ("show.<locals>.<lambda>", 6), ("<module>", 1))
    ]
    found, own = node_ids(rows, shop / "code"), node_ids(rows, shop / "code", own=True)
    assert found is not None
    assert own is not None
    assert list(found.values()) == ["shop.py::show", "shop.py::show", "shop.py"]
    assert list(own.values()) == ["shop.py::show", "", ""]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    capsys.readouterr()
    assert main(["trace", *arguments]) == 0
    return capsys.readouterr().out


def test_calls_of_one_feature_are_a_selection(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-10: node ids and a query for them. A lambda selects nothing: both call the function around it."""
    both = [str(shop / "with"), str(shop / "without")]
    told: dict[str, Any] = json.loads(
        said(capsys, "subtract", *both, "--graph", str(shop / "code"), "--format", "json")
    )
    assert [(one["name"], one["node"], one["calls"]) for one in told["calls"]] == [
        ("cell", "shop.py::cell", 2),
        ("export", "shop.py::export", 1),
        ("show.<locals>.<lambda>", "shop.py::show", 1),
    ]
    assert told["nodes"] == ["shop.py::cell", "shop.py::export"]
    assert main(["query", str(shop / "code"), told["query"], "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = next(value for value in found.values() if isinstance(value, list) and value and isinstance(value[0], dict))
    assert {row["id"] for row in rows} == set(told["nodes"])
    text = said(capsys, "subtract", *both, "--by", "pair")
    assert text.startswith("3 pairs of ")
    assert "  2 calls  export > cell (/was/code/shop.py:3)\n" in text
    rows = list(csv.DictReader(io.StringIO(said(capsys, "subtract", *both, "--by", "path", "--format", "csv"))))
    assert rows[0] | {"own_ns": ""} == {
        "name": "cell",
        "file": "/was/code/shop.py",
        "line": "3",
        "caller": "export",
        "node": "",
        "calls": "2",
        "own_ns": "",
    }
    assert said(capsys, "subtract", *reversed(both)).startswith("0 functions of ")


def test_semantic_duplicates_are_a_table(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """TD-10: `draw` and `show` call nearly the same."""
    path = str(shop / "without")
    told = json.loads(said(capsys, "duplicates", path, "--graph", str(shop / "code"), "--format", "json"))
    (pair,) = told["pairs"]
    assert {pair["a"], pair["b"]} == {"show", "draw"}
    assert (pair["similarity"], pair["shared"], pair["only_a"] + pair["only_b"]) == (0.75, 3, 1)
    assert "75%, 3 functions below both: show (/was/code/shop.py:5) (+1), draw" in said(capsys, "duplicates", path)
    assert said(capsys, "duplicates", path, "--least", "80%").startswith("0 pairs")
    assert said(capsys, "duplicates", path, "--ignore", "dr*").startswith("0 pairs")
    assert said(capsys, "duplicates", path, "--fewest", "4").startswith("0 pairs")
    header, row = csv.reader(io.StringIO(said(capsys, "duplicates", path, "--format", "csv")))
    assert dict(zip(header, row, strict=True))["similarity"] == "0.75"
    assert main(["trace", "duplicates", path, "--least", "150%"]) == 2


def test_a_query_names_odd_ids_exactly_or_is_none() -> None:
    """TD-10: what a pattern gives a meaning to is taken as it is; a selection that is too long has no query."""
    assert query_of(["a/b.py::f", "c+.py"]) == r"path:/^(?-i:a\/b\.py::f|c\+\.py)$/"
    assert query_of([f"a{n}.py" for n in range(200)]) is None


def test_results_are_not_taken_for_something_else(shop: Path) -> None:
    """TD-10: -o replaces an older result, and nothing else."""
    out = shop / "out"
    for command in (["subtract", str(shop / "with"), str(shop / "without")], ["duplicates", str(shop / "with")]):
        for form in ("text", "csv", "json"):
            out.unlink(missing_ok=True)
            for _ in range(2):
                assert main(["trace", *command, "--format", form, "-o", str(out)]) == 0
    out.write_text("my notes")
    assert main(["trace", "duplicates", str(shop / "with"), "-o", str(out)]) == 2
    assert out.read_text() == "my notes"
