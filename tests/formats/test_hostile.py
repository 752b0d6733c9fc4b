"""Files made to hurt are one sentence, or a graph; never a traceback, a hang, or all the memory."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.formats import read_graph, write_graph
from cbvtool.formats.registry import SUFFIXES
from tests.formats.reading import SAMPLES, read, relations
from tests.formats.test_rsf_gxl import GXL

MEGABYTE = 2**20
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY a "aaaaaaaaaa">'
    + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    + "]><graphml><graph><node id='&i;'/></graph></graphml>"
)
OUTSIDE = (
    '<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/passwd">]><graphml><graph><node id="a"/>&x;</graph></graphml>'
)
PARAMETER = '<!DOCTYPE gxl [<!ENTITY % x SYSTEM "http://localhost/x">%x;]><gxl><graph><node id="a"/></graph></gxl>'


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.graphml", LAUGHS, "it defines XML entities, which are not expanded"),
        ("a.graphml", OUTSIDE, "it defines XML entities"),
        ("a.gxl", PARAMETER, "it defines XML entities"),
        ("a.graphml", "<graphml><graph>" + "<node id='a'><graph>" * 50_000, "it is not XML"),
        (
            "a.graphml",
            "<graphml><graph>"
            + "".join(f"<node id='{i}'><graph>" for i in range(2_000))
            + "</graph></node>" * 2_000
            + "</graph></graphml>",
            "its hierarchy is 2,000 levels deep, and 1,000 is the most",
        ),
        ("a.dot", "digraph {" + " {" * 100_000, "it is cut off"),
        ("a.dot", "digraph { a -> " + "<" * 100_000, "begins an HTML text that never ends"),
        ("a.dot", 'digraph { "' + "\\" * 100_001, "is not DOT"),
        ("a.dot", "digraph { /*" + "*" * 100_000, "is not DOT"),
        (
            "a.dot",
            "digraph {"
            + "{"
            + " ".join(f"a{i}" for i in range(10_000))
            + "} -> {" * 1
            + " ".join(f"b{i}" for i in range(10_000))
            + "} }",
            "nodes, relations and values, which is too much for its size",
        ),
        ("a.rsf", "level a b\nlevel b c\nlevel c a\n", "its hierarchy goes in a circle: 'a' in 'c' in 'b' in 'a'"),
        ("a.csv.gz", gzip.compress(b"a,b\n" * 2**18, mtime=0) * 257, "it unpacks to more than 64 times its size"),
        ("a.rsf.gz", gzip.compress(b"call a b\n", mtime=0)[:-9], "the compressed file is cut off"),
        ("a.rsf.gz", b"\x1f\x8b" + bytes(30), "the compressed file is damaged"),
    ],
)
def test_refused_with_one_sentence(tmp_path: Path, name: str, content: str | bytes, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, content)
    sentence = str(caught.value)
    assert reason in sentence
    assert sentence.startswith(f"{tmp_path / name} cannot be read as ")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 500


def test_a_document_type_alone_is_harmless(tmp_path: Path) -> None:
    """Most GXL files name the one at gupro.de, which nobody fetches."""
    assert len(read(tmp_path, "a.gxl", GXL)) == 5


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("metrics.csv", "id," + ",".join(f"m{i}" for i in range(2_000)) + "\n" + "a," + "1," * 2_000 + "\n"),
        ("one.csv", "source,target\n" + "/".join("a" * 60_000) + ",b/c\nd/e,f/g\n"),
        ("kinds.rsf", "".join(f"verb{i} a{i} b\n" for i in range(10_000))),
        ("kinds.dot", "digraph {" + "".join(f"n{i} [kind=k{i}];" for i in range(10_000)) + "}"),
        ("braces.dot", "digraph { a " + "{ b " * 12_500 + "}" * 12_500 + "}"),
        ("defaults.dot", "digraph {" + "".join(f"{{ node [x{i}=1] a " for i in range(5_000)) + "}" * 5_001),
        (
            "sparse.graphml",
            "<graphml><graph>"
            + "".join(f"<node id='{i}'><data key='m{i}'>1</data></node>" for i in range(5_000))
            + "</graph></graphml>",
        ),
    ],
)
def test_small_files_stay_small(tmp_path: Path, name: str, content: str) -> None:
    """Metrics, kinds, levels and groups without end: at most 400 times the file, and 64 MB.

    A column for each of 5,000 names and nodes would take 200 MB; tracemalloc makes reading slow.
    """
    file = tmp_path / name
    file.write_text(content)
    tracemalloc.start()
    graph = read_graph(file)[0]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < max(64 * MEGABYTE, 400 * len(content)), f"{peak / MEGABYTE:.0f} MB"
    assert len(graph.kind_names) <= 1_001
    assert len(graph.edges.kind_names) <= 1_001
    assert len(graph.values) <= 200


def test_rare_kinds_and_metrics_are_noted(tmp_path: Path) -> None:
    graph = read(tmp_path, "a.rsf", "".join(f"verb{i} a b{i}\n" for i in range(1_500)) + "verb0 a c\n")
    assert graph.report.notes == ("There are more than 1,000 kinds of relations: the rare ones are left out.",)
    assert ("a", "c", "verb0") in relations(graph)
    columns = ",".join(f"m{i}" for i in range(300))
    graph = read(tmp_path, "a.csv", f"id,{columns}\na,{'1,' * 300}\nb,{'1,' * 3}\n")
    assert "There are 300 metrics: the 200 most measured ones are kept." in graph.report.notes
    assert {"m0", "m1", "m2"} < set(graph.values)


def test_an_own_graph_of_metrics_without_end(tmp_path: Path) -> None:
    nodes = ",".join(f'{{"id":"{i}","parent":"","name":"","kind":"x","metrics":{{"{i}":1}}}}' for i in range(30_000))
    root = '{"id":"","parent":null,"name":"","kind":"x"}'
    text = f'{{"format":"cbvtool-graph","version":1,"root":"a","nodes":[{root},{nodes}],"edges":[]}}'
    with pytest.raises(InputError, match="it has 30,000 metrics of 30,001 nodes, which is too much to hold"):
        read(tmp_path, "a.json", text)


@given(suffix=st.sampled_from([*SUFFIXES, ""]), content=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_bytes_are_a_graph_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, content: bytes
) -> None:
    _read_or_refuse(tmp_path_factory.mktemp("any") / f"file{suffix}", content)


_SEEDS = [path.read_bytes() for path in sorted(SAMPLES.rglob("*")) if path.suffix in (".dot", ".graphml", ".scip")]
_SEEDS += [GXL.encode(), b"type a B\nlevel a b\ncall a b\n", b"id,parent,loc\na,,1\nb,a,2\n"]


@given(data=st.data(), seed=st.sampled_from(_SEEDS), suffix=st.sampled_from(SUFFIXES[1:]))
def test_damaged_files_are_a_graph_or_one_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, seed: bytes, suffix: str
) -> None:
    """Real files with a piece taken out, or put in again elsewhere."""
    begin, end, at = (data.draw(st.integers(0, len(seed))) for _ in range(3))
    piece = seed[min(begin, end) : max(begin, end)]
    content = data.draw(st.sampled_from([seed[:at] + piece + seed[at:], seed.replace(piece, b"", 1), piece]))
    _read_or_refuse(tmp_path_factory.mktemp("cut") / f"file{suffix}", content)


def _read_or_refuse(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    try:
        graph = read_graph(file)[0]
    except InputError as error:
        sentence = str(error)
    else:
        assert len(graph.tree.order) == len(graph)
        write_graph(graph, file.with_suffix(".graphml.gz"))
        return
    assert str(file) in sentence
    assert sentence.endswith(".")
