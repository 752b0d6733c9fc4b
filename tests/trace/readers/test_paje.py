"""Traces in the Paje format and of pj_dump: what they say, and what is repaired and counted (OC-1)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cbvtool.errors import InputError
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.paje.containers import DAMAGED, HALF, NEVER_POPPED, TWICE, UNKNOWN_CONTAINER, UNKNOWN_TYPE
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.resources.cells import Amount, cells_of

HEADER = """%EventDef PajeDefineContainerType 0
%  Alias string
%  Type string
%  Name string
%EndEventDef
%EventDef PajeDefineStateType 1
%  Alias string
%  ContainerType string
%  Name string
%EndEventDef
%EventDef PajeDefineEntityValue 2
%  Alias string
%  EntityType string
%  Name string
%  Color color
%EndEventDef
%EventDef PajeCreateContainer 3
%  Time date
%  Alias string
%  Type string
%  Container string
%  Name string
%EndEventDef
%EventDef PajeDestroyContainer 4
%  Time date
%  Name string
%  Type string
%EndEventDef
%EventDef PajeSetState 5
%  Time date
%  Type string
%  Container string
%  Value string
%EndEventDef
%EventDef PajePushState 6
%  Time date
%  Container string
%  Type string
%  Value string
%EndEventDef
%EventDef PajePopState 7
%  Time date
%  Type string
%  Container string
%EndEventDef
%EventDef PajeSetVariable 8
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
%EventDef PajeAddVariable 9
%  Time date
%  Type string
%  Container string
%  Value double
%EndEventDef
%EventDef PajeStartLink 10
%  Time date
%  Type string
%  Container string
%  Value string
%  SourceContainer string
%  Key string
%EndEventDef
%EventDef PajeEndLink 11
%  Time date
%  Type string
%  Container string
%  Value string
%  DestContainer string
%  Key string
%EndEventDef
"""
START = '0 M 0 Machine\n0 P M Process\n1 S P State\n2 b S "busy waiting" "1 0 0"\n3 0 m M 0 node\n'
RANKS = "3 0 r0 P m rank0\n3 0 r1 P m rank1\n"


def read(folder: Path, text: str, name: str = "run.trace") -> Trace:
    """The trace of a text."""
    path = folder / name
    path.write_text(text)
    (trace,) = read_traces(path)
    assert isinstance(trace, Trace)
    return trace


def states(trace: Trace) -> list[tuple[str, str, float, float, int]]:
    """(container, value, start, end, states around it), seconds, in order."""
    calls = trace.calls
    thread = trace.thread_of(np.arange(len(calls)))
    return [
        (
            trace.threads.name[thread[row]],
            trace.functions.name[calls.function[row]],
            float(calls.start[row]) / 1e9,
            float(calls.end[row]) / 1e9,
            int(calls.depth[row]),
        )
        for row in range(len(calls))
    ]


def test_states_are_calls_and_containers_resources(tmp_path: Path) -> None:
    """OC-1: pushed, popped and set, by alias or name; older names of fields."""
    trace = read(
        tmp_path,
        HEADER
        + START
        + RANKS
        + '6 1 r0 S b\n6 2 rank0 S "deep down"\n7 3 S r0\n5 4 S r0 idle\n7 5 S r0\n5 0.5 S r1 b\n4 6 r1 P\n4 7 m M\n',
    )
    assert states(trace) == [
        ("rank0", "busy waiting", 1, 4, 0),
        ("rank0", "deep down", 2, 3, 1),
        ("rank0", "idle", 4, 5, 0),
        ("rank1", "busy waiting", 0.5, 6, 0),
    ]
    assert trace.resources.name == ("node", "rank0", "rank1")
    assert trace.resources.kind == ("Machine", "Process", "Process")
    assert trace.resources.parent.tolist() == [-1, 0, 0]
    assert set(trace.functions.module) == {"State"}
    assert trace.repairs == {NEVER_POPPED: 1}
    cells = cells_of(trace, Amount("time", "function"), 14)
    assert (cells.tree.name, cells.window) == (("node", "rank0", "rank1"), (0, 7 * 10**9))


def test_variables_and_links_are_kept(tmp_path: Path) -> None:
    """OC-1: counters hold until the next value; a link joins containers, and the states in which it begins and ends."""
    trace = read(
        tmp_path,
        HEADER + START + RANKS + "6 0 r0 S b\n6 0 r1 S b\n8 1 load r0 2.5\n9 2 load r0 1\n8 2 load r0 7\n"
        "10 1 L 0 data r0 k1\n11 3 L 0 data r1 k1\n10 2 L 0 data r0 k2\n7 4 S r0\n7 4 S r1\n",
    )
    counters = trace.table("counters")
    assert list(zip((counters["time"] / 1e9).tolist(), counters["value"].tolist(), strict=True)) == [(1, 2.5), (2, 7.0)]
    links = trace.table("links")
    assert (links["source"].tolist(), links["target"].tolist()) == ([0], [1])
    assert trace.omissions == {HALF: 1}
    assert trace.repairs == {UNKNOWN_TYPE: 2}


@pytest.mark.parametrize(
    ("lines", "repairs", "omissions"),
    [
        ("6 1 r0 S b\n", {NEVER_POPPED: 1}, {}),
        ("7 1 S r0\n", {"ends without a begin": 1}, {}),
        ("4 1 r0 P\n4 2 r0 P\n", {TWICE: 1}, {}),
        ("6 1 nobody S b\n7 2 S nobody\n", {UNKNOWN_CONTAINER: 1}, {}),
        ("6 1 r0 Unheard b\n7 2 Unheard r0\n", {UNKNOWN_TYPE: 1}, {}),
        ("6 2 r0 S b\n7 3 S r0\n6 1 r0 S b\n7 1.5 S r0\n", {"events that were not in the order of time": 1}, {}),
        ("6 when r0 S b\n6 1\n99 1 2 3\n6 1e300 r0 S b\n", {}, {DAMAGED: 4}),
        ('"" 0 r0 S b\n6 1 r0 S b\n', {NEVER_POPPED: 1}, {DAMAGED: 1}),
        ('6 1 r0 S "b', {NEVER_POPPED: 1}, {}),
    ],
)
def test_what_is_wrong_is_mended_and_counted(
    tmp_path: Path, lines: str, repairs: dict[str, int], omissions: dict[str, int]
) -> None:
    """Bad input: never popped, destroyed twice, undefined aliases, shuffled, truncated."""
    trace = read(tmp_path, HEADER + START + RANKS + lines)
    assert (trace.repairs, trace.omissions) == (repairs, omissions)


def test_states_of_several_types_are_resources_of_their_own(tmp_path: Path) -> None:
    """OC-1: side by side below their container."""
    text = "6 1 r0 S b\n6 1 r0 T c\n7 2 S r0\n7 3 T r0\n"
    trace = read(tmp_path, HEADER + START + "1 T P Task\n" + RANKS + text)
    assert trace.resources.name == ("node", "rank0", "rank1", "State", "Task")
    assert trace.resources.parent.tolist() == [-1, 0, 0, 1, 1]


def test_names_of_one_are_not_aliases_of_another(tmp_path: Path) -> None:
    """An alias wins: SimGrid gives containers numbers for aliases, and their names may be numbers."""
    trace = read(tmp_path, HEADER + START + "3 0 7 P m 8\n3 0 8 P m 7\n6 1 8 S b\n7 2 S 8\n")
    assert states(trace) == [("7", "busy waiting", 1, 2, 0)]


def test_a_parent_ends_its_containers(tmp_path: Path) -> None:
    """And the states that are open in them."""
    trace = read(tmp_path, HEADER + START + RANKS + "6 1 r0 S b\n4 3 m M\n6 9 r1 S b\n")
    assert states(trace)[0] == ("rank0", "busy waiting", 1, 3, 0)


def test_what_pj_dump_writes_is_the_same_trace(tmp_path: Path) -> None:
    """Its links stand before the containers that they join; the root has no row; levels nest states that touch."""
    text = """Container, 0, 0, 0, 4, 4, 0
Link, 0, L, 1.0, 3.0, 2.0, data, rank0, rank1, k1
Container, 0, Machine, 0, 4, 4, node
Container, node, Process, 0, 4, 4, rank0
State, rank0, State, 0.000000, 4.000000, 4.000000, 0.000000, busy, very
State, rank0, State, 4.000000, 4.000000, 0.000000, 1.000000, inner
Variable, rank0, load, 1.0, 2.0, 1.0, 2.5
Container, node, Process, 0, 4, 4, rank1
State, rank1, State, 1.0, 3.0, 2.0, 0.0, idle
Event, rank1, mark, 2.0, here
"""
    trace = read(tmp_path, text, "dump.csv")
    assert trace.header.format == "pj_dump"
    assert states(trace) == [("rank0", "busy, very", 0, 4, 0), ("rank0", "inner", 4, 4, 1), ("rank1", "idle", 1, 3, 0)]
    assert trace.resources.name == ("node", "rank0", "rank1")
    assert [len(trace.table(name)) for name in ("counters", "instants", "links")] == [1, 1, 1]
    assert (trace.repairs, trace.omissions) == ({}, {})


def test_fields_that_a_program_added_to_its_states_are_no_part_of_their_values(tmp_path: Path) -> None:
    """OC-1: starvz has 19 columns; and StarPU, which its types tell, writes milliseconds."""
    text = """Nature, ResourceId, Type, Start, End, Duration, Depth, Value, Size, Params
State, 0_CPU0, Worker State, 0.5, 0.5, 0.0, 0.0, Initializing
State, 0_CPU0, Worker State, 0.5, 2.5, 2.0, 0.0, dgemm, 22118400, M960x960
"""
    trace = read(tmp_path, text, "worker_state.csv")
    assert sorted(trace.functions.name) == ["Initializing", "dgemm"]
    assert trace.header.recorder == "StarPU"
    assert trace.span[1] == 2_500_000


def test_a_trace_of_starpu_is_in_milliseconds(tmp_path: Path) -> None:
    """OC-1: others are in seconds, as pj_dump takes all of them."""
    for kind, end in (("State", 3_000_000_000), ("Memory Node State", 3_000_000)):
        start = START.replace("1 S P State", f'1 S P "{kind}"')
        trace = read(tmp_path, HEADER + start + RANKS + "6 1 r0 S b\n7 3 r0 S\n", f"{kind}.trace")
        assert trace.span[1] == end
        assert (trace.header.recorder == "StarPU") == (kind != "State")


def test_a_header_alone_is_refused_in_a_sentence(tmp_path: Path) -> None:
    """Nothing that can be read; definitions that are none."""
    for text in (HEADER, "%EventDef PajePushState 1\n%EndEventDef\n1 2 3\n"):
        path = tmp_path / "empty.trace"
        path.write_text(text)
        with pytest.raises(InputError, match="defines events of Paje"):
            read_traces(path)


@given(st.permutations(["6 1 r0 S b", "7 2 S r0", "5 3 S r0 b", "6 4 r0 S c", "7 5 S r0", "4 6 r0 P"]))
def test_shuffled_lines_are_the_same_states(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    """Bad input: the order of time counts, however lines stand."""
    folder = tmp_path_factory.mktemp("shuffled")
    found = states(read(folder, HEADER + START + RANKS + "\n".join(lines) + "\n"))
    assert found == [("rank0", "busy waiting", 1, 2, 0), ("rank0", "busy waiting", 3, 6, 0), ("rank0", "c", 4, 5, 1)]
