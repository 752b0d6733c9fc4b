"""Our reader of Paje against pj_dump: make judge-paje REPO=clone of schnorr/pajeng

Of each trace in REPO/traces that pj_dump reads to its end: containers, states, variables, links and events, with their
times, values and places, as multisets; from the trace itself, and from what pj_dump wrote. Times are compared to the
nanosecond, those of containers to the six digits that pj_dump writes of them. Exits with 1 when one differs.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.paje.containers import STARPU
from cbvtool.trace.readers.registry import read_traces

Rows = Counter[tuple[str, ...]]
EXPLAINED = {"simgrid-fg126.trace": "its six links all lie at 0 s, where it ends; pj_dump writes three of them"}


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each trace; 1 when one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repo", type=Path)
    judged = [judge(path) for path in sorted((parser.parse_args(arguments).repo / "traces").glob("*.trace"))]
    return 0 if judged and all(judged) else 1


def judge(path: Path) -> bool:
    """Whether both readings equal what pj_dump says; True where it says nothing."""
    done = subprocess.run(["pj_dump", "-l", "9", str(path)], capture_output=True, text=True, check=False)
    if done.returncode or "problematic" in done.stdout or "Exception" in done.stderr + done.stdout:
        print(f"{path.name}: pj_dump does not read it; {told(path)}")
        return True
    if path.name in EXPLAINED:
        print(f"{path.name}: {EXPLAINED[path.name]}; {told(path)}")
        return True
    theirs = rows_of_dump(done.stdout)
    with tempfile.TemporaryDirectory() as folder:
        dump = Path(folder) / "dump.csv"
        dump.write_text(done.stdout)
        same = True
        for what, file in (("the trace", path), ("the dump", dump)):
            ours = rows_of_trace(file)
            missing, more = theirs - ours, ours - theirs
            if missing or more:
                same = False
                print(f"{path.name}: {what} differs: {list(missing)[:3]} and not {list(more)[:3]}")
    counts = Counter(row[0] for row in theirs.elements())
    print(f"{path.name}: {'equal' if same else 'DIFFERS'}: {dict(counts)}")
    return same


def told(path: Path) -> str:
    """What we make of it."""
    (trace,) = read_traces(path)
    assert isinstance(trace, Trace)
    return f"we read {len(trace.calls):,} states of {len(trace.resources):,} containers, repairs {dict(trace.repairs)}"


def rows_of_dump(text: str) -> Rows:
    """Its lines without durations; of variables the start alone, since a value holds until the next one."""
    found: Rows = Counter()
    for line in text.splitlines():
        words = line.split(", ")
        if words[0] == "Container" and words[1:3] != [words[-1]] * 2:
            found["Container", words[2], six_digits(words[3]), six_digits(words[4]), words[6]] += 1
        elif words[0] == "State":
            found["State", words[1], words[2], exact(words[3]), exact(words[4]), words[6][:1], words[7]] += 1
        elif words[0] == "Variable":
            found["Variable", words[1], words[2], exact(words[3]), f"{round(float(words[6]), 6) + 0.0:.6g}"] += 1
        elif words[0] == "Link":
            found["Link", words[2], exact(words[3]), exact(words[4]), *words[6:9]] += 1
        elif words[0] == "Event":
            found["Event", words[1], exact(words[3]), words[4]] += 1
    return found


def six_digits(text: str) -> str:
    """As many as pj_dump writes of the times of containers."""
    return f"{float(text):.6g}"


def exact(text: str) -> str:
    """A time to the ninth place after the point: all that pj_dump writes with -l 9."""
    return f"{float(text) + 0.0:.9f}"


def rows_of_trace(path: Path) -> Rows:
    """The same of what we read."""
    (trace,) = read_traces(path)
    assert isinstance(trace, Trace)
    found: Rows = Counter()
    unit = 1e6 if trace.header.recorder == STARPU else 1e9  # pj_dump writes the numbers as they are
    lives, resources = trace.table("lives"), trace.resources
    own = len(lives)
    for row in range(own):
        first, last = (six_digits(str(lives[column][row] / unit)) for column in ("first", "last"))
        if resources.name[row] != "root" or resources.kind[row]:
            found["Container", resources.kind[row], first, last, resources.name[row]] += 1
    container = {int(thread): row for row, thread in enumerate(resources.thread) if thread >= 0}
    names = [resources.name[row if row < own else int(resources.parent[row])] for row in range(len(resources))]
    calls, threads = trace.calls, trace.thread_of(np.arange(len(trace.calls)))
    for call, thread in enumerate(threads.tolist()):
        function = calls.function[call]
        start, end = (exact(str(column[call] / unit)) for column in (calls.start, calls.end))
        place = names[container[thread]], trace.functions.module[function]
        found["State", *place, start, end, str(calls.depth[call]), trace.functions.name[function]] += 1
    strings, counters, marks = trace.strings, trace.table("counters"), trace.table("instants")
    for row in range(len(counters)):
        value = f"{round(float(counters['value'][row]), 6) + 0.0:.6g}"
        place = names[counters["resource"][row]], strings[int(counters["name"][row])]
        found["Variable", *place, exact(str(counters["time"][row] / unit)), value] += 1
    links = trace.table("resource_links") if "resource_links" in trace.tables else None
    for row in range(0 if links is None else len(links)):
        assert links is not None
        times = (exact(str(links[column][row] / unit)) for column in ("source_time", "target_time"))
        ends = (names[links[column][row]] for column in ("source_resource", "target_resource"))
        found["Link", strings[int(links["kind"][row])], *times, strings[int(links["name"][row])], *ends] += 1
    for row in range(len(marks)):
        where, value = (strings[int(marks[column][row])] for column in ("text", "name"))
        found["Event", where, exact(str(marks["time"][row] / unit)), value] += 1
    return found


if __name__ == "__main__":
    raise SystemExit(main())
