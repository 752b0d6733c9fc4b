"""NEW-14, CBV-12: coverage from reports and from calls, by function, file and subtree; and where to test."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.budget import Budget, OverBudget
from cbvtool.errors import Cancelled, InputError
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.trace.coverage import lcov
from cbvtool.trace.coverage.line_coverage import Coverage, file_coverage
from cbvtool.trace.coverage.node_coverage import NodeCoverage, functions_entered, lines_covered
from cbvtool.trace.coverage.read_coverage import READERS, read_coverage
from cbvtool.trace.coverage.where_to_test import where_to_test
from cbvtool.trace.readers.source import UnreadableTrace

SOURCE = '''import functools

def cached(f):
    @functools.wraps(f)
    def inner(*a):
        return f(*a)
    return inner

class Shop:
    open = True

    @cached
    @cached
    def order(self, what,
              count=2):
        """Order it."""
        if what:
            return 1
        return 2
'''
# What coverage.py 7.17 says of the source above and `Shop().order(1)`: lines and, by function, covered of all. (It counts
# line 4, the decorator of the first statement of `cached`, for the module; we count it for `cached`, which runs it.)
HIT, MISSED = [1, 3, 4, 5, 6, 7, 9, 10, 12, 13, 14, 17, 18], [19]
BY_FUNCTION = {"": (7, 7), "cached": (3, 3), "cached.inner": (1, 1), "Shop.order": (2, 3)}
STARTS = {"cached": 3, "cached.inner": 5, "Shop.order": 14}


def graph() -> Graph:
    made = GraphBuilder("shop")
    made.add_node("src", "", "src", "folder")
    made.add_node("src/shop.py", "src", "shop.py", "file", file="src/shop.py", line=1, end_line=19)
    made.add_node("src/other.py", "src", "other.py", "file", file="src/other.py", line=1, end_line=9)
    for name, kind, line, end in (
        ("cached", "function", 3, 7),
        ("cached.inner", "function", 4, 6),
        ("Shop", "class", 9, 19),
        ("Shop.order", "function", 12, 19),
    ):
        above, _, last = name.rpartition(".")
        parent = f"src/shop.py::{above}" if above else "src/shop.py"
        made.add_node(f"src/shop.py::{name}", parent, last, kind, file="src/shop.py", line=line, end_line=end)
    return made.freeze()


GRAPH = graph()


def by_function(found: NodeCoverage) -> dict[str, tuple[int, int]]:
    """(covered, measured) of each function without what lies in it; classes count for what is around them."""
    sums = dict.fromkeys(BY_FUNCTION, (0, 0))
    for key, node in enumerate(GRAPH.ids):
        name = node.partition("::")[2] if GRAPH.kind(key) == "function" else ""
        covered, measured = sums[name]
        sums[name] = covered + int(found.covered[key]), measured + int(found.measured[key])
    return sums


def json_report(**changes) -> bytes:
    functions = {name: {"start_line": line} for name, line in STARTS.items()} | {"": {"start_line": 1}}
    file = {"executed_lines": HIT, "missing_lines": MISSED, "excluded_lines": [], "functions": functions} | changes
    return json.dumps({"meta": {"format": 3}, "files": {"src/shop.py": file}, "totals": {}}).encode()


def xml_report() -> bytes:
    lines = "".join(f'<line number="{line}" hits="{int(line in HIT)}"/>' for line in sorted(HIT + MISSED))
    methods = '<methods><method name="m"><lines><line number="19" hits="0"/></lines></method></methods>'
    classes = f'<classes><class filename="shop.py">{methods}<lines>{lines}</lines></class></classes>'
    sources = "<sources><source>/ci/build/src</source></sources>"
    packages = f"<packages><package>{classes}</package></packages>"
    return f'<?xml version="1.0" ?>\n<coverage version="7">{sources}{packages}</coverage>'.encode()


def lcov_report() -> bytes:
    rows = [f"DA:{line},{3 * (line in HIT)}" for line in sorted(HIT + MISSED)]
    rows += [f"FN:{line},19,{name}" for name, line in STARTS.items()]
    return "\n".join(["TN:", "SF:/ci/build/src/shop.py", *rows, "end_of_record", ""]).encode()


REPORTS = {"json": json_report, "xml": xml_report, "lcov": lcov_report}


def read(tmp_path: Path, data: bytes) -> Coverage:
    path = tmp_path / "report"
    path.write_bytes(data)
    return read_coverage(path)


@pytest.mark.parametrize("format", REPORTS)
def test_each_format_gives_the_coverage_of_functions_that_coverage_py_gives(tmp_path: Path, format: str) -> None:
    found = read(tmp_path, REPORTS[format]())
    covered = lines_covered(found, GRAPH, None, {"src/shop.py": SOURCE}.get)
    assert by_function(covered) == BY_FUNCTION
    assert covered.unmatched == ()
    share = covered.share(GRAPH)
    assert share[GRAPH.key_of["src/shop.py"]] == pytest.approx(len(HIT) / (len(HIT) + len(MISSED)))
    assert np.isnan(share[GRAPH.key_of["src/other.py"]])
    assert share[GRAPH.key_of["src/shop.py::Shop.order"]] == pytest.approx(2 / 3)


def test_packed_reports_are_read(tmp_path: Path) -> None:
    assert read(tmp_path, gzip.compress(lcov_report())).files[0].line.tolist() == sorted(HIT + MISSED)


def test_without_starts_and_source_a_head_is_one_line(tmp_path: Path) -> None:
    covered = lines_covered(read(tmp_path, xml_report()), GRAPH)
    assert by_function(covered)["Shop.order"] == (4, 5)  # the second decorator and `def` count for the function


def test_in_other_languages_the_head_belongs_to_the_function() -> None:
    made = GraphBuilder("c")
    made.add_node("a.c", "", "a.c", "file", file="a.c")
    made.add_node("a.c::f", "a.c", "f", "function", file="a.c", line=1, end_line=3)
    graph = made.freeze()
    found = lines_covered(Coverage("lcov", (file_coverage("a.c", {1: 1, 2: 0}, [1]),)), graph)
    assert found.measured.tolist() == [0, 0, 2]


def test_a_file_that_is_not_in_the_graph_is_said(tmp_path: Path) -> None:
    found = Coverage("lcov", (file_coverage("/x/nowhere.py", {1: 1}),))
    assert [path for path, _ in lines_covered(found, GRAPH).unmatched] == ["/x/nowhere.py"]


def test_a_file_that_is_there_twice_is_one() -> None:
    data = b"SF:a.c\nDA:1,0\nDA:2,1\nend_of_record\nSF:a.c\nDA:1,2\nDA:3,0\nend_of_record\n"
    (file,) = lcov.read(data, Budget("x")).files
    assert (file.line.tolist(), file.hit.tolist()) == ([1, 2, 3], [True, True, False])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "neither"),
        (b"SQLite format 3\x00...", "coverage json"),
        (b'{"files": 3}', "not a JSON report"),
        (b'{"meta": {}, "files": {"a": {"executed_lines": [1', "not a JSON report"),
        (b"<coverage><sources>", "not XML"),
        (b'<!DOCTYPE coverage [<!ENTITY a "b">]><coverage>&a;</coverage>', "entities"),
        (b"hello", "neither"),
    ],
)
def test_what_is_no_report_is_one_sentence(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read(tmp_path, data)


def test_a_missing_file_and_a_folder_are_one_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(InputError, match="cannot be read"):
            read_coverage(path)


@pytest.mark.parametrize("format", REPORTS)
def test_reading_has_a_budget_and_can_be_cancelled(tmp_path: Path, format: str) -> None:
    path = tmp_path / "report"
    path.write_bytes(REPORTS[format]())
    with pytest.raises(OverBudget):
        read_coverage(path, budget=Budget("Reading", count=3))

    def stop(*_: object) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_coverage(path, progress=stop)


@pytest.mark.parametrize("format", REPORTS)
@given(st.data())
def test_any_damage_is_read_or_refused(format: str, data) -> None:
    report = bytearray(REPORTS[format]())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(report) - 1))
        report[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    for sniff, reader in READERS:
        if sniff(bytes(report)):
            try:
                found = reader(bytes(report), Budget("x"))
            except UnreadableTrace:
                continue
            lines_covered(found, GRAPH)


def test_functions_that_were_entered() -> None:
    calls = np.zeros(len(GRAPH), np.int64)
    calls[GRAPH.key_of["src/shop.py::cached"]] = 3
    found = functions_entered(GRAPH, calls)
    assert found.share(GRAPH)[GRAPH.key_of["src/shop.py"]] == pytest.approx(1 / 3)
    assert found.unit == "functions"


def test_where_to_test_ranks_by_complexity_changes_and_what_is_not_covered() -> None:
    made = GraphBuilder("p")
    for name, test in (("a.py", 0), ("b.py", 0), ("c.py", 0), ("test_a.py", 1), ("d.py", 0)):
        made.add_node(name, "", name, "file", file=name, values={"test": test} if test else None)
    graph = made.freeze()
    complexity = np.array([0, 10, 5, 30, 50, np.nan])
    changes = np.array([0, 2, 8, 1, 9, 4.0])
    covered = np.array([np.nan, 0.5, np.nan, 1.0, 0, 0])
    found = where_to_test(graph, complexity, changes, covered)
    assert [(graph.ids[each.key], each.score, each.covered) for each in found] == [("b.py", 40, 0), ("a.py", 10, 0.5)]
