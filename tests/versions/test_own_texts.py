"""The own text of a definition is its lines without those of definitions inside it (NEW-6)."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from cbvtool.analysis import analyze
from cbvtool.graph import Graph, GraphBuilder
from cbvtool.versions.contents import definitions_of, own_texts

TEXT = """class A:
    x = 1

    def f(self):
        return 1

    def g(self):
        return 2


def h(): return 3
"""


def texts(graph: Graph, content: str) -> dict[str, str]:
    found = own_texts(graph, definitions_of(graph, ["a.py"])["a.py"], content.encode())
    return {graph.ids[key].partition("::")[2]: digest for key, digest in found.items()}


def test_an_edit_changes_the_innermost_definition_alone(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(TEXT)
    graph = analyze(tmp_path, cache=False)
    before = texts(graph, TEXT)
    assert before.keys() == {"A", "A.f", "A.g", "h"}
    for old, new, what in (("x = 1", "x = 2", "A"), ("return 1", "return 9", "A.f"), ("return 3", "return 9", "h")):
        after = texts(graph, TEXT.replace(old, new))
        assert {name for name in before if before[name] != after[name]} == {what}
    for ends in ("\r\n", "\r"):
        assert texts(graph, TEXT.replace("\n", ends)) == before


@given(st.lists(st.tuples(st.integers(-2, 12), st.integers(0, 14)), min_size=1, max_size=8), st.integers(0, 10))
def test_any_lines_have_a_text(ranges: list[tuple[int, int]], size: int) -> None:
    """Lines that are not in the content, overlap or are the same as those of others: every definition has a digest."""
    builder = GraphBuilder("root")
    builder.add_node("a.py", "", "a.py", "file", file="a.py", line=1, end_line=size)
    for number, (line, end) in enumerate(ranges):
        builder.add_node(f"a.py::f{number}", "a.py", f"f{number}", "function", file="a.py", line=line, end_line=end)
    graph = builder.freeze()
    keys = [graph.key_of[f"a.py::f{number}"] for number in range(len(ranges))]
    content = b"".join(b"line %d\n" % row for row in range(size))
    found = own_texts(graph, keys, content)
    assert found.keys() == set(keys)
    assert own_texts(graph, keys, content + b"more").keys() == found.keys()
