"""Made-up files in the Chrome Trace Event format, right in part."""

from __future__ import annotations

import gzip
import json
from random import Random
from typing import Any

from tests.fuzz.inputs import damaged

_TIMES: tuple[Any, ...] = (0, 1, 1.5, -3, "7", "x", 1e30, -1e30, 5e-7, None, [], "1700000000123456.789", 2**63, True)
_IDS: tuple[Any, ...] = (0, 1, 2, -1, "1", "main", "0x7f", None, 2**70, 1.5, {})
_NAMES = (
    "f",
    "f (a.py:3)",
    "a.py(3).f",
    "",
    None,
    5,
    "Profile",
    "ProfileChunk",
    "thread_name",
    "process_name",
    "\ud800",
    "é\\",
)
_KINDS = "BEXBEXBEXbenSTFpstfCiIRMPONDVvc()?"
_ARGUMENTS: tuple[Any, ...] = (
    {},
    {"name": "x"},
    {"func_args": {"n": "1"}, "return_value": "2"},
    {"func_args": [1]},
    {"retval": None, "a": 1e999, "b": "2", "c": True},
    {"name": "f", "url": "a.js", "line": 3, "allocatedName": "f"},
    {"name": "f", "url": None, "line": "x", "allocatedName": "f", "funcLine": []},
    {
        "data": {
            "startTime": "5",
            "cpuProfile": {"nodes": [{"id": 1, "parent": 1}], "samples": [1, 9]},
            "timeDeltas": [1, -2],
        }
    },
    {
        "data": {
            "cpuProfile": {"nodes": [{"id": [], "callFrame": 5, "children": [1]}, 7], "samples": [None, {}]},
            "timeDeltas": [[]],
        }
    },
    [1],
    "text",
)


def chrome_trace(chance: Random) -> bytes:
    """Events of all kinds in the Chrome Trace Event format, whole or damaged."""
    events: list[Any] = []
    for _ in range(chance.choice((1, 5, 60))):
        event: dict[str, Any] = {
            "ph": chance.choice(_KINDS),
            "ts": chance.randrange(50),
            "pid": 1,
            "tid": 1,
            "name": "f",
        }
        for key, values in (
            ("ts", _TIMES),
            ("dur", _TIMES),
            ("tts", _TIMES),
            ("tdur", _TIMES),
            ("pid", _IDS),
            ("tid", _IDS),
        ):
            if chance.random() < 0.15:
                event[key] = chance.choice(values)
        for key, values in (
            ("name", _NAMES),
            ("args", _ARGUMENTS),
            ("id", _IDS),
            ("cat", _NAMES),
            ("bp", ("e",)),
            ("s", tuple("gpt")),
        ):
            if chance.random() < 0.4:
                event[key] = chance.choice(values)
        if chance.random() < 0.05:
            event.pop(chance.choice(list(event)))
        events.append(chance.choice((event, event, event, event, event, event, 5, None, [events[-1:]])))
    content: Any = events
    if chance.random() < 0.4:
        content = {
            "traceEvents": events,
            "file_info": {"functions": {"f (a.py:3)": chance.choice((["a.py", 3], [], 5))}},
        }
        if chance.random() < 0.5:
            content["stackFrames"] = {
                "1": {"name": "f(http://a:1:2)"},
                "2": {"parent": chance.choice((1, 2, "x", []))},
                "3": 4,
            }
            stamps = [
                {"ts": chance.choice(_TIMES), "sf": chance.choice(_IDS), "tid": chance.choice(_IDS)} for _ in range(5)
            ]
            content["samples"] = chance.choice((stamps, {}, 5, None))
    data = json.dumps(content).encode()
    if chance.random() < 0.2:
        data += data
    data = damaged(chance, data) if chance.random() < 0.6 else data
    return gzip.compress(data) if chance.random() < 0.1 else data
