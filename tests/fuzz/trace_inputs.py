"""Inputs for the readers of traces. A folder is a zip archive here, which `readers.trace` unpacks."""

from __future__ import annotations

import functools
import io
import json
import marshal
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fuzz.chrome_inputs import chrome_trace
from tests.fuzz.inputs import NUMBERS, Chance, damaged, encoded, json_text, mutated, word, xml
from tests.trace.hpctoolkit_database import database_files
from tests.trace.seeded import made_profile, made_trace

NAMES = ("main", "Shop.order", "<lambda>", "std::vector<int>::push_back(int const&)", "f", "g", "h")


def name(chance: Chance) -> str:
    """Mostly the name of a function, sometimes an odd text."""
    return chance.choice(NAMES) if chance.random() < 0.9 else word(chance)


def _time(chance: Chance, now: float) -> Any:
    """A time near `now`, rarely an odd one."""
    return chance.choice((*NUMBERS, -5, 2**63, 2**64, 10**30)) if chance.random() < 0.02 else now


def folder_of(files: dict[str, bytes]) -> bytes:
    """The files of a folder as an archive that is always the same."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path), content)
    return packed.getvalue()


def _spoiled(chance: Chance, files: dict[str, bytes]) -> bytes:
    """A folder of which a file or two are damaged, missing, exchanged or new."""
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        one, other = chance.choice(list(files)), chance.choice(list(files))
        change = chance.randrange(6)
        if change < 3:
            files[one] = damaged(chance, files[one])
        elif change == 3:
            files[one] = files[other]
        elif change == 4 and len(files) > 1:
            del files[one]
        else:
            files[one] = b""
    return folder_of(files)


# -- JSON ----------------------------------------------------------------------------------------------------------


def chrome(chance: Chance) -> bytes:
    """Chrome Trace Event JSON: object, array, unterminated."""
    if chance.random() < 0.5:
        return chrome_trace(chance)
    events, now = [], 0
    for _ in range(chance.randrange(40)):
        now += chance.choice((0, 1, 1, 5, 100))
        kind = chance.choice("BBBEEEXXXXiICbenstfMPNDOa")
        event: dict[str, Any] = {"ph": kind, "name": name(chance), "ts": _time(chance, now), "pid": 1, "tid": 1}
        event["tid"] = chance.choice((1, 1, 2, "worker", 3))
        if kind == "X":
            event["dur"] = _time(chance, chance.choice((0, 1, 3.25, 50)))
        if kind in "bensftNDO":
            event |= {"id": chance.choice((1, "0x2")), "cat": "c"}
        if kind == "M":
            event |= {"name": chance.choice(("thread_name", "process_name")), "args": {"name": word(chance)}}
        if kind == "C" or chance.random() < 0.1:
            event["args"] = {"value": chance.choice(NUMBERS)}
        if kind == "P":
            event |= {"stackFrame": 1} if chance.random() < 0.5 else {}
        events.append(event)
    if chance.random() < 0.3:
        chance.shuffle(events)
    data: Any = events
    if chance.random() < 0.5:
        data = {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"a": "b"}}
        if chance.random() < 0.3:
            data["stackFrames"] = {"1": {"name": "f"}, "2": {"name": "g", "parent": "1"}}
            data["samples"] = [{"cpu": 0, "tid": 1, "ts": "5", "name": "s", "sf": 2, "weight": "1"}]
    text = json_text(chance, mutated(chance, data))
    if chance.random() < 0.1:
        text = text.rstrip()[:-1]
    return damaged(chance, text)


def speedscope(chance: Chance) -> bytes:
    """Evented and sampled profiles."""
    frames = [{"name": name(chance), "file": "a.py", "line": 3} for _ in range(5)]
    profiles: list[dict[str, Any]] = []
    for _ in range(chance.randrange(3)):
        now, events, stack = 0, list[Any](), list[int]()
        for _ in range(chance.randrange(20)):
            now += chance.randrange(3)
            if stack and chance.random() < 0.5:
                events.append({"type": "C", "frame": stack.pop(), "at": _time(chance, now)})
            else:
                stack.append(chance.randrange(5))
                events.append({"type": "O", "frame": stack[-1], "at": _time(chance, now)})
        unit = chance.choice(("nanoseconds", "microseconds", "seconds", "bytes", "none"))
        base = {"name": word(chance), "unit": unit, "startValue": 0, "endValue": now}
        samples = [[chance.randrange(5) for _ in range(chance.randrange(4))] for _ in range(6)]
        sampled = {"type": "sampled", "samples": samples, "weights": [_time(chance, 1) for _ in range(6)]}
        profiles.append(base | chance.choice(({"type": "evented", "events": events}, sampled)))
    data = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": frames},
        "profiles": profiles,
    }
    return damaged(chance, json_text(chance, mutated(chance, data)))


def v8(chance: Chance) -> bytes:
    """CPU profiles of V8."""
    nodes = []
    for at in range(1, chance.randrange(2, 9)):
        frame: dict[str, object] = {
            "functionName": name(chance),
            "scriptId": "1",
            "url": chance.choice(("file:///a%20b.js", "node:fs", "")),
        }
        frame |= {"lineNumber": chance.choice((0, 7, -1)), "columnNumber": 0}
        children = [chance.choice((at + 1, at + 1, at + 2, at, 1, 99)) for _ in range(chance.randrange(3))]
        nodes.append({"id": at, "callFrame": frame, "hitCount": 1, "children": children})
    count = chance.randrange(12)
    data = {
        "nodes": nodes,
        "startTime": _time(chance, 1_000),
        "endTime": _time(chance, 2_000),
        "samples": [chance.randrange(1, 9) for _ in range(count)],
        "timeDeltas": [_time(chance, chance.randrange(99)) for _ in range(count)],
    }
    return damaged(chance, json_text(chance, mutated(chance, data)))


def caliper(chance: Chance) -> bytes:
    """Caliper's records or its JSON."""
    if chance.random() < 0.5:
        data = {
            "data": [[chance.randrange(3), _time(chance, 0.5), 2] for _ in range(chance.randrange(6))],
            "columns": ["path", "time", "mpi.rank"],
            "column_metadata": [{"is_value": False}, {"is_value": True}, {"is_value": True}],
            "nodes": [
                {"label": "main", "column": "path"},
                {"label": name(chance), "column": "path", "parent": 0},
                {"label": word(chance), "column": "path", "parent": chance.choice((0, 1, 2))},
            ],
        }
        return damaged(chance, json_text(chance, mutated(chance, data)))
    lines = ["__rec=node,id=12,attr=10,data=1,parent=3", "__rec=node,id=13,attr=8,data=function,parent=12"]
    lines += ["__rec=node,id=20,attr=10,data=64,parent=1", "__rec=node,id=21,attr=8,data=time.duration,parent=20"]
    lines.append("__rec=globals,ref=13")
    for at in range(chance.randrange(8)):
        lines.append(f"__rec=node,id={30 + at},attr=13,data={name(chance)},parent={chance.choice((30, 29 + at, 99))}")
        lines.append(f"__rec=ctx,ref={30 + at},attr=21,data={_time(chance, 7)}")
    if chance.random() < 0.3:
        chance.shuffle(lines)
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


# -- text ----------------------------------------------------------------------------------------------------------


def collapsed(chance: Chance) -> bytes:
    """Stacks with counts."""
    lines = []
    for _ in range(chance.randrange(20)):
        deep = chance.choice((1, 2, 3, 5, 200 if chance.random() < 0.05 else 2))
        lines.append(f"{';'.join(name(chance) for _ in range(deep))} {_time(chance, chance.randrange(9))}")
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


def perf(chance: Chance) -> bytes:
    """The text of `perf script`."""
    lines, now = [], 1_000_000
    for _ in range(chance.randrange(12)):
        now += chance.randrange(5_000)
        stamp = f"{_time(chance, now // 1_000_000)}.{now % 1_000_000:06d}"
        who = f"app {chance.choice((1, '1/1', '1/2'))} {chance.choice(('', '[001] '))}"
        lines.append(f"{who}{stamp}: {chance.choice(('', '250000 '))}{chance.choice(('cycles', 'cpu-clock:u'))}:")
        lines += [
            f"\t{chance.randrange(2**40):x} {name(chance)}+0x1f (/usr/bin/app)" for _ in range(chance.randrange(4))
        ]
        lines.append("")
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


def callgrind(chance: Chance) -> bytes:
    """Callgrind: functions, costs, calls, compressed names and positions."""
    lines = ["version: 1", "creator: callgrind-3.19", "positions: line", "events: Ir Dr", ""]
    for at in range(chance.randrange(8)):
        lines.append(chance.choice(("fl=(1) a.c", "fl=(1)", f"fl={word(chance)}", "ob=/bin/app")))
        lines.append(chance.choice((f"fn=({at}) {name(chance)}", f"fn={name(chance)}", f"fn=({at})")))
        lines += [
            f"{chance.choice((5, '+2', '-1', '*', '0x1f'))} {_time(chance, 10)} {chance.randrange(9)}"
            for _ in range(chance.randrange(3))
        ]
        if chance.random() < 0.6:
            lines += [f"cfn=({chance.randrange(9)}) {name(chance)}", f"calls={_time(chance, 2)} 3", "4 100 7"]
    lines.append(chance.choice(("totals: 100 7", "summary: 1", "", "fn=")))
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


def gprof(chance: Chance) -> bytes:
    """The text of gprof."""
    lines = ["Flat profile:", "", "Each sample counts as 0.01 seconds."]
    lines.append("  %   cumulative   self              self     total           ")
    lines.append(" time   seconds   seconds    calls  ms/call  ms/call  name    ")
    flat = " 50.00      0.02     0.02  {}   0.10     0.20  {}"
    lines += [flat.format(_time(chance, 7), name(chance)) for _ in range(chance.randrange(5))]
    lines += ["", "\t\t     Call graph", "", "index % time    self  children    called     name"]
    for at in range(chance.randrange(5)):
        if chance.random() < 0.5:
            lines.append(
                f"                0.01    0.00       {chance.choice(('3/7', '3', '3+2'))}        {name(chance)} [2]"
            )
        lines.append(f"[{at}]    50.0    0.02    0.00       7         {name(chance)} [{at}]")
        if chance.random() < 0.5:
            lines.append(f"                0.01    0.00       3/7           {name(chance)} [{chance.randrange(9)}]")
        lines.append("-----------------------------------------------")
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


def kieker_text(chance: Chance) -> str:
    """Records of Kieker."""
    lines, now = ["$0;1;1.13;host;1;false;0;NANOSECONDS;1"], 100
    for at in range(chance.randrange(20)):
        now += chance.randrange(4)
        what = f"public void a.B.{name(chance)}(int)"
        when = _time(chance, now)
        lines.append(
            chance.choice(
                (
                    f"$1;{when};{what};S;{at % 3};{now};{_time(chance, now + 5)};host;{at};{at % 4}",
                    f"$2;{when};{at % 3};{at % 2};S;host;-1;-1",
                    f"$3;{when};{now};{at % 3};{at};{what};a.B",
                    f"$4;{when};{now};{at % 3};{at};{what};a.B",
                )
            )
        )
    return "\n".join(lines) + "\n"


def kieker(chance: Chance) -> bytes:
    """A folder of Kieker's."""
    types: tuple[str, ...] = ("controlflow.OperationExecutionRecord", "flow.trace.TraceMetadata")
    types += ("flow.trace.operation.BeforeOperationEvent", "flow.trace.operation.AfterOperationEvent")
    rows = ["$0=kieker.common.record.misc.KiekerMetadataRecord"]
    rows += [f"${at}=kieker.common.record.{each}" for at, each in enumerate(types, 1)]
    files = {"kieker.map": "\n".join(rows).encode(), "kieker-1.dat": encoded(chance, kieker_text(chance))}
    return _spoiled(chance, files)


def rsf(chance: Chance) -> bytes:
    """Calls with times in RSF."""
    lines, now = ["level root a", "level a b", "contain b f", "type f function"], 0
    for _ in range(chance.randrange(20)):
        now += chance.randrange(4)
        call = f"{chance.choice(('call', 'invokes'))} {name(chance)} {name(chance)} {_time(chance, now)}"
        lines.append(call + chance.choice(("", f" {now + 3}", f" {now + 3} t{now % 2}")))
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


def paje(chance: Chance) -> bytes:
    """A Paje trace: a header, containers, states, variables and links in an odd order."""
    fields = {
        "DefineContainerType": "Alias Type Name",
        "DefineStateType": "Alias Type Name",
        "CreateContainer": "Time Alias Type Container Name",
        "DestroyContainer": "Time Name Type",
        "PushState": "Time Type Container Value",
        "PopState": "Time Type Container",
        "SetState": "Time Container Type Value",
        "AddVariable": "Time Type Container Value",
        "StartLink": "Time Type Container Value StartContainer Key",
        "EndLink": "Time Type Container Value EndContainer Key",
        "NewEvent": "Time Type Container Value",
    }
    lines, now = [], 0.0
    for number, (event, own) in enumerate(fields.items()):
        names = [f"%  {each} {chance.choice(('string', 'date', 'double'))}" for each in own.split()]
        lines += [f"%EventDef Paje{event} {number}", *names, "%EndEventDef"]
    lines += ["0 P 0 Process", "1 S P State", "2 0 a P 0 rank0", "2 0 b P a rank1"]
    for _ in range(chance.randrange(25)):
        now += chance.random()
        at, container = _time(chance, now), chance.choice(("a", "b", "rank0", "c"))
        lines.append(
            chance.choice(
                (
                    f"4 {at} S {container} {name(chance)!r}",
                    f"5 {at} S {container}",
                    f"6 {at} {container} S {name(chance)}",
                    f"7 {at} V {container} {_time(chance, 3)}",
                    f"8 {at} L 0 x {container} k{len(lines) % 3}",
                    f"9 {at} L 0 x {container} k{len(lines) % 3}",
                    f'10 {at} E {container} "{name(chance)}"',
                    f"3 {at} {container} P",
                    f"2 {at} c P {container} c",
                )
            )
        )
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


def pj_dump(chance: Chance) -> bytes:
    """What pj_dump writes."""
    lines = ["Container, 0, 0, 0, 9, 9, 0", "Container, 0, P, 0, 9, 9, rank0"]
    for at in range(chance.randrange(20)):
        time, long = _time(chance, at / 2), chance.random()
        lines.append(
            chance.choice(
                (
                    f"State, rank0, S, {time}, {at / 2 + long}, {long}, {at % 3}.0, {name(chance)}",
                    f"Variable, rank0, load, {time}, {at}, {long}, {_time(chance, 3)}",
                    f"Link, 0, L, {time}, {at}, 0.0, x, rank0, rank{at % 3}, k",
                    f"Event, rank{at % 2}, E, {time}, x",
                )
            )
        )
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


# -- coverage reports -------------------------------------------------------------------------------------------------


def coverage_json(chance: Chance) -> bytes:
    """The report of `coverage json`."""
    files = {}
    for at in range(chance.randrange(4)):
        lines = [_time(chance, line) for line in range(1, chance.randrange(2, 9))]
        files[chance.choice((f"src/a{at}.py", word(chance)))] = {
            "executed_lines": lines[::2],
            "missing_lines": lines[1::2],
            "excluded_lines": [],
            "summary": {"covered_lines": 1},
        }
    data = {"meta": {"format": 3, "version": "7.6.1"}, "files": files, "totals": {}}
    return damaged(chance, json_text(chance, mutated(chance, data)))


def cobertura(chance: Chance) -> bytes:
    """Cobertura's XML."""
    if chance.random() < 0.3:
        return xml(chance, "coverage", ("packages", "package", "classes", "class", "lines", "line"), ("number", "hits"))
    classes = []
    for at in range(chance.randrange(4)):
        lines = "".join(
            f'<line number="{_time(chance, line)}" hits="{_time(chance, line % 2)}"/>'
            for line in range(1, chance.randrange(2, 9))
        )
        classes.append(f'<class name="a" filename="src/a{at}.py"><methods/><lines>{lines}</lines></class>')
    text = (
        '<?xml version="1.0" ?><coverage version="7"><sources><source>/x</source></sources><packages>'
        f'<package name="p"><classes>{"".join(classes)}</classes></package></packages></coverage>'
    )
    return damaged(chance, encoded(chance, text))


def lcov(chance: Chance) -> bytes:
    """Records of lcov."""
    lines = []
    for at in range(chance.randrange(4)):
        lines += ["TN:", f"SF:{chance.choice((f'src/a{at}.py', word(chance)))}", f"FN:1,{name(chance)}"]
        lines += [f"DA:{_time(chance, line)},{_time(chance, line % 2)}" for line in range(1, chance.randrange(2, 9))]
        lines += chance.choice((["LF:3", "end_of_record"], ["end_of_record"], []))
    return damaged(chance, encoded(chance, "\n".join(lines) + "\n"))


# -- binary and folders --------------------------------------------------------------------------------------------


def pstats(chance: Chance) -> bytes:
    """Statistics of cProfile."""
    keys = [("a.py", chance.randrange(99), name(chance)) for _ in range(4)]
    stats: dict[Any, Any] = {}
    for key in keys[: chance.randrange(5)]:
        callers = {chance.choice(keys): chance.choice(((1, 1, 0.5, 0.5), 3, (1,), None)) for _ in range(2)}
        stats[key] = (_time(chance, 1), 2, 0.5, _time(chance, 1.5), callers)
    if chance.random() < 0.05:
        deep: Any = ()
        for _ in range(1_000):
            deep = (deep,)
        stats[deep] = 1
    return damaged(chance, marshal.dumps(stats, chance.choice((0, 2, 4))))


def hpctoolkit(chance: Chance) -> bytes:
    """A folder with an `experiment.xml`."""
    elements = (
        "SecCallPathProfile",
        "MetricTable",
        "Metric",
        "ProcedureTable",
        "Procedure",
        "PF",
        "Pr",
        "C",
        "L",
        "S",
        "M",
    )
    text = xml(chance, "HPCToolkitExperiment", elements, ("i", "n", "t", "v", "l", "f", "lm", "s"))
    good = (
        b'<?xml version="1.0"?><HPCToolkitExperiment version="2.2"><Header n="x"/><SecCallPathProfile i="0" n="x">'
        b'<SecHeader><MetricTable><Metric i="0" n="TIME (usec) (I)" v="derived-incr" t="inclusive"/></MetricTable>'
        b'<LoadModuleTable><LoadModule i="2" n="app"/></LoadModuleTable><FileTable><File i="3" n="a.c"/></FileTable>'
        b'<ProcedureTable><Procedure i="4" n="main"/></ProcedureTable></SecHeader><SecCallPathProfileData>'
        b'<PF i="5" s="4" l="1" lm="2" f="3" n="4"><M n="0" v="1.5"/>'
        b'<C i="6" l="2"><S i="7" l="3"><M n="0" v="2"/></S></C>'
        b"</PF></SecCallPathProfileData></SecCallPathProfile></HPCToolkitExperiment>"
    )
    content = text if chance.random() < 0.3 else damaged(chance, good)
    return _spoiled(chance, {"experiment.xml": content})


def hpctoolkit_db(chance: Chance) -> bytes:
    """`meta.db` and `profile.db`: numbers and places in them are exchanged, and point where others do."""
    files = database_files()
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        one = chance.choice(list(files))
        data = bytearray(files[one])
        size = chance.choice((8, 8, 4, 2, 1))
        at = chance.randrange(16, len(data) - size) // size * size
        other = chance.randrange(0, len(data) - size) // 8 * 8
        places = (0, 1, at, other, len(data), len(data) - 1, 2**63, 2**64 - 1, chance.randrange(len(data)))
        number = chance.choice((*places, int.from_bytes(data[other : other + size], "little")))
        data[at : at + size] = (number % 2 ** (8 * size)).to_bytes(size, "little")
        files[one] = bytes(data)
    return _spoiled(chance, files) if chance.random() < 0.3 else folder_of(files)


def uftrace(chance: Chance) -> bytes:
    """A raw uftrace folder: header, task list, map, symbols, records of threads."""
    info = struct.pack("<8sIHBBQQH", b"Ftrace!\0", 4, 40, 1, 2, chance.choice((0, 1 << 5)), 0x3FF, 1024) + bytes(6)
    info += b"exename:/bin/app\ncmdline:app\ntaskinfo:lines=2\ntaskinfo:nr_tid=2\ntaskinfo:tids=1,2\n"
    task = b'SESS timestamp=1.000000000 pid=1 sid=abcdef0123456789 exename="/bin/app"\n'
    task += b"TASK timestamp=1.000000001 tid=1 pid=1\nTASK timestamp=1.000000002 tid=2 pid=1\n"
    maps = b"400000-500000 r-xp 00000000 08:01 1 /bin/app\n7f0000000000-7f0000001000 r-xp 0 0:0 0 [stack]\n"
    symbols = "".join(f"{0x1000 * at:016x} T {name(chance)}\n" for at in range(1, 6))
    files = {"info": info, "task.txt": task, "sid-abcdef0123456789.map": maps, "app.sym": encoded(chance, symbols)}
    for thread in (1, 2):
        now, records, deep = 10**9, b"", 0
        for _ in range(chance.randrange(30)):
            now += chance.randrange(1_000)
            kind = chance.choice((0, 0, 1, 1, 2, 3))
            deep = max(deep - (kind == 1), 0)
            address = 0x400000 + 0x1000 * chance.randrange(1, 6)
            magic = 5 if chance.random() < 0.99 else 3
            word_ = kind | (0 if chance.random() < 0.95 else 4) | magic << 3 | deep << 6 | address << 16
            records += struct.pack("<QQ", _within(_time(chance, now)), word_)
            deep += kind == 0
        files[f"{thread}.dat"] = records
    return _spoiled(chance, files)


def recording(chance: Chance) -> bytes:
    """A folder of the recorder: the lines of a process, and chunks of its threads."""
    stem = "7-1000"
    lines = [f"process\t1\t7\t1\t{10**18}\t1000\t/usr/bin/python\t3.11.7\t0\t\t0", "start\t1000"]
    lines += [f"function\t{32 + at}\t{word(chance)}\tm\ta.py\t{_time(chance, at)}" for at in range(4)]
    lines += ["object\t0\tlock\t5\ta.py:3", "object\t1\ttask\t6\tt", "text\t0\tx", "cut\tf\tm\ta.py\t1", "cost\t90"]
    files = {"recording.json": b'{"program": "a.py", "limit": 9, "last": %d}' % chance.choice((0, 0, 1))}
    for thread in (1, 2)[: chance.randrange(1, 3)]:
        lines.append(f"thread\t{thread}\t{70 + thread}\tMain\t{_time(chance, 1000)}")
        data, now = b"", 1000
        for _ in range(chance.randrange(1, 4)):
            tags, values = [], []
            for _ in range(chance.randrange(30)):
                now += chance.randrange(50)
                if chance.random() < 0.4:
                    values.append(-now)
                    continue
                tags.append(chance.choice((32, 33, 34, 35, 32, 33, *range(21), 99, 2**32 - 1)))
                values.append(now if tags[-1] >= 32 else chance.choice((0, 1, 2, now, 2**62)))
                if chance.random() < 0.02:
                    values[-1] = chance.choice((2**63 - 1, -(2**63), 0))
            data += b"CBVR" + struct.pack(f"<II{len(tags)}I{len(values)}q", len(tags), len(values), *tags, *values)
        files[f"{stem}-{thread}.events"] = data
    lines.append("end\t9000\texit\t0\t0")
    if chance.random() < 0.2:
        chance.shuffle(lines)
    files[f"{stem}.process"] = encoded(chance, "\n".join(lines) + "\n")
    return _spoiled(chance, files) if chance.random() < 0.7 else folder_of(files)


def _within(number: Any) -> int:
    return int(number) % 2**64 if isinstance(number, int) else 0


@functools.cache
def _stored(seed: int, parquet: bool) -> dict[str, bytes]:
    """The files of a trace or profile in one of our folders."""
    from cbvtool.trace.store.folder import write_folder
    from cbvtool.trace.store.parquet import write_parquet

    part = made_profile(seed) if seed % 3 == 0 else made_trace(seed)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "a")
        if parquet:
            write_parquet(part, path)
        else:
            write_folder(path, part)
        return {each.name: each.read_bytes() for each in sorted(path.iterdir())}


def stored(chance: Chance) -> bytes:
    """Our own folder."""
    files = dict(_stored(chance.randrange(30), False))
    if chance.random() < 0.3:
        files["header.json"] = json_text(chance, mutated(chance, json.loads(files["header.json"])))
    if chance.random() < 0.5:  # a number within a column: sizes stay right
        column = chance.choice([each for each in files if each.endswith(".npy")])
        data = bytearray(files[column])
        if len(data) > 128:
            at = chance.randrange(128, len(data))
            data[at] = chance.choice((0, 1, 127, 255, chance.randrange(256)))
        files[column] = bytes(data)
    return _spoiled(chance, files) if chance.random() < 0.5 else folder_of(files)


def parquet(chance: Chance) -> bytes:
    """A folder of Parquet files."""
    return _spoiled(chance, dict(_stored(chance.randrange(30), True)))


TRACE_INPUTS: dict[str, tuple[Callable[[Chance], bytes], str]] = {
    "chrome": (chrome, ".json"),
    "speedscope": (speedscope, ".json"),
    "v8": (v8, ".json"),
    "recording": (recording, ".zip"),
    "caliper": (caliper, ".cali"),
    "collapsed": (collapsed, ".txt"),
    "perf": (perf, ".txt"),
    "callgrind": (callgrind, ".out"),
    "gprof": (gprof, ".txt"),
    "kieker": (kieker, ".zip"),
    "rigi": (rsf, ".rsf"),
    "paje": (paje, ".trace"),
    "pj_dump": (pj_dump, ".csv"),
    "pstats": (pstats, ".prof"),
    "hpctoolkit": (hpctoolkit, ".zip"),
    "hpctoolkit-db": (hpctoolkit_db, ".zip"),
    "uftrace": (uftrace, ".zip"),
    "stored": (stored, ".zip"),
    "parquet": (parquet, ".zip"),
}

COVERAGE_INPUTS: dict[str, tuple[Callable[[Chance], bytes], str]] = {
    "coverage-json": (coverage_json, ".json"),
    "cobertura": (cobertura, ".xml"),
    "lcov": (lcov, ".info"),
}
