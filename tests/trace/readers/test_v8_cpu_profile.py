"""V8's CPU profiles: stacks, times, files and lines; and what is damaged is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cbvtool.errors import InputError
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.readers.sampled import v8_cpu_profile


def _node(number: int, name: str, children: tuple[int, ...] = (), url: str = "", line: int = -1) -> dict[str, Any]:
    return {"id": number, "callFrame": {"functionName": name, "url": url, "lineNumber": line}, "children": children}


NODES = [
    _node(1, "(root)", (2, 5)),
    _node(2, "main", (3, 4), "file:///home/a%20b/app.js", 0),
    _node(3, "leaf", (), "file:///home/a%20b/app.js", 6),
    _node(4, "", (), "node:fs", 3),
    _node(5, "(idle)"),
]


def _read(path: Path, **changed: Any) -> Trace:
    data = {"nodes": NODES, "startTime": 1000, "endTime": 1060, "samples": [2, 3, 3, 5, 4], "timeDeltas": [10] * 5}
    file = path / "a.cpuprofile"
    file.write_text(json.dumps(data | changed))
    (found,) = read_traces(file)
    assert isinstance(found, Trace)
    return found


def test_samples_become_calls(tmp_path: Path) -> None:
    """Samples in a row are one call, each stands for the time before it; an idle thread has none."""
    trace = _read(tmp_path)
    names = [trace.functions.name[row] for row in trace.calls.function.tolist()]
    spans = list(zip(names, trace.calls.start.tolist(), trace.calls.end.tolist(), strict=True))
    assert trace.threads.sampled.all()
    assert spans == [
        ("main", 1_000_000, 1_030_000),
        ("leaf", 1_010_000, 1_030_000),
        ("main", 1_040_000, 1_050_000),
        ("(anonymous)", 1_040_000, 1_050_000),
    ]
    places = {
        name: (trace.functions.file[row], trace.functions.line[row]) for row, name in enumerate(trace.functions.name)
    }
    assert places["leaf"] == ("/home/a b/app.js", 7)
    assert places["(anonymous)"] == ("", 4)


def test_damage_is_counted(tmp_path: Path) -> None:
    trace = _read(tmp_path, samples=[2, 99, 3, 3], timeDeltas=[10, 10, 2**60])
    assert trace.omissions == {v8_cpu_profile.NO_NODE: 1, v8_cpu_profile.BAD_TIME: 2}


def test_a_circle_of_nodes_ends(tmp_path: Path) -> None:
    trace = _read(tmp_path, nodes=[_node(1, "a", (2,)), _node(2, "b", (1,)), _node(3, "c", (3, 1))], samples=[1, 2, 3])
    assert trace.omissions[v8_cpu_profile.NO_NODE] == 3


def test_what_is_no_profile_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.cpuprofile"
    file.write_text('{"nodes":[{"id":"x","callFrame":{}}]}')
    with pytest.raises(InputError, match="not as V8 writes"):
        read_traces(file)
