"""Compares what readers of traces and profiles say of recordings with what the recorders' own tools say of them.

    python -m tests.judges.traces [--keep FOLDER]

Programs of `tests/trace/programs` are compiled, recorded, and judged function by function: uftrace by `uftrace report`
(calls, total and self time), Callgrind by `callgrind_annotate` (own and
inclusive cost), and perf by `perf report --children` (shares). A tool that is missing is named, and
its part left out.

Exit status 1 when more than one function in 1,000 differs in a count, or in a time or cost by more than 1 %, without
one of the explanations in `docs/accuracy.md`.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from cbvtool.trace.model.profile import Profile
from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces

PROGRAMS = Path(__file__).parent.parent / "trace" / "programs"
WITHIN = 0.01
ALLOWED = 0.001  # of the functions
_UNITS = {"us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9}
_NUMBER = r"([\d.]+) +(us|ms|s|m|h)"
_REPORTED = re.compile(rf" *(?:{_NUMBER})? +(?:{_NUMBER})? +(\d+) +(.*)$")
LOCKS = (
    "-A",
    "pthread_mutex_(lock|unlock)@arg1/x",
    "-A",
    "pthread_cond_(wait|signal|broadcast)@arg1/x,arg2/x",
    "-A",
    "^(read|write)@arg1/d,arg2/x,arg3/u",
    "-R",
    "^(read|write)@retval/d",
)


@dataclass
class Judged:
    """Functions compared in one recording, and what differs: texts, with explanations where there is one."""

    name: str
    functions: int = 0
    values: int = 0
    differ: list[str] = field(default_factory=list)
    explained: Counter[str] = field(default_factory=Counter)

    def compare(self, function: str, ours: Sequence[float], theirs: Sequence[float], slack: Sequence[float]) -> None:
        """The values of one function; `slack` is what rounding of printed numbers may add."""
        self.functions += 1
        self.values += len(ours)
        if any(abs(a - b) > WITHIN * max(abs(a), abs(b)) + s for a, b, s in zip(ours, theirs, slack, strict=True)):
            self.differ.append(f"{function}: {list(ours)}, they say {list(theirs)}")

    def __str__(self) -> str:
        explained = ", ".join(f"{count} {why}" for why, count in self.explained.items())
        return f"{self.name}: {self.functions} functions, {len(self.differ)} differ" + (
            f" ({explained} explained)" if explained else ""
        )


def run(*command: str, cwd: Path, allowed: Sequence[int] = (0,)) -> str:
    """What a tool prints."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False, timeout=120)
    if done.returncode not in allowed:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()[-500:]}")
    return done.stdout


def by_name(trace: Trace) -> dict[str, tuple[int, float, float, float]]:
    """Calls, total time of outermost calls, self time, total time of all calls of each function name; ns.

    Counted anew call by call. Time off the processor is not of the call that it falls into, as in `uftrace report`.
    """
    calls = trace.calls
    count: Counter[str] = Counter()
    total: defaultdict[str, float] = defaultdict(float)
    every: defaultdict[str, float] = defaultdict(float)
    own: defaultdict[str, float] = defaultdict(float)
    names = [trace.functions.name[function] for function in calls.function.tolist()]
    duration = (calls.end - calls.start).tolist()
    ends = calls.end_row.tolist()
    stack: list[tuple[int, str]] = []
    for row, name in enumerate(names):
        while stack and ends[stack[-1][0]] <= row:
            stack.pop()
        count[name] += 1
        own[name] += duration[row]
        every[name] += duration[row]
        if stack:
            own[stack[-1][1]] -= duration[row]
        if all(above != name for _, above in stack):
            total[name] += duration[row]
        stack.append((row, name))
    states = trace.table("states")
    for resource, start, end in zip(*(states[name].tolist() for name in ("resource", "start", "end")), strict=True):
        low, high = trace.threads.ptr[int(trace.resources.thread[resource]) :][:2].tolist()
        around = np.flatnonzero((calls.start[low:high] <= start) & (calls.end[low:high] >= end))
        if len(around):
            own[names[low + int(around[-1])]] -= end - start
    return {name: (count[name], total[name], own[name], every[name]) for name in count}


def judge_uftrace(folder: Path, name: str, options: Sequence[str]) -> Judged:
    """One program, recorded by uftrace."""
    data = f"{name}.data"
    run(
        "uftrace", "record", "--no-pager", "-d", data, *options, f"./{name}", cwd=folder, allowed=range(-256, 256)
    )  # that of the program
    trace = read_traces(folder / data)[0]
    assert isinstance(trace, Trace)
    ours = by_name(trace)
    judged = Judged(f"uftrace {name}")
    openness = {trace.functions.name[trace.calls.function[row]] for row in trace.open_rows.tolist()}
    begun_elsewhere = trace.repairs.get("ends without a begin", 0)
    reported = {}
    for line in run("uftrace", "report", "--no-pager", "-d", data, cwd=folder).splitlines()[2:]:
        found = _REPORTED.match(line)
        if found and not found[6].startswith("linux:"):
            total = float(found[1] or 0) * _UNITS.get(found[2], 0)
            own = float(found[3] or 0) * _UNITS.get(found[4], 0)
            slack = [0, 0.0006 * _UNITS.get(found[2], 0), 0.0006 * _UNITS.get(found[4], 0)]
            reported[re.sub(r"\$_\d+", "{lambda}", found[6])] = ((int(found[5]), total, own), slack)
    for function in sorted(ours.keys() | reported.keys()):
        theirs, slack = reported.get(function, ((0, 0, 0), [0, 0, 0]))
        *mine, every = ours.get(function, (0, 0.0, 0.0, 0.0))
        if function in openness:
            judged.explained["of calls that never ended"] += 1
        elif begun_elsewhere and function == "fork" and theirs[0] == mine[0] + begun_elsewhere:
            judged.explained["of calls that began in the parent process"] += 1
        elif (
            mine[0] == theirs[0]
            and abs(mine[2] - theirs[2]) <= slack[2] + WITHIN * theirs[2]
            and (mine[1] * (1 + WITHIN) < theirs[1] <= every * (1 + WITHIN) + slack[1])
        ):
            judged.explained["of overloads and instances of one name that call each other"] += 1
        else:
            judged.compare(function, mine, theirs, slack)
    return judged


_ANNOTATED = re.compile(r" *([\d,]+) \([ \d.]+%\)  (.*)$")


def annotated(folder: Path, file: str, *options: str) -> Iterator[tuple[int, str, str]]:
    """Cost, function and object of each line of callgrind_annotate."""
    lines = run("callgrind_annotate", "--threshold=100", "--auto=no", *options, file, cwd=folder).splitlines()
    for line in lines[lines.index(next(line for line in lines if line.endswith("file:function"))) :]:
        if found := _ANNOTATED.match(line):
            name, _, module = found[2].partition(" [")
            yield int(found[1].replace(",", "")), _without_file(name), module.rstrip("]")


def _without_file(text: str) -> str:
    """The function of `file:function`: a file has no colon here, a function may have some."""
    return text.partition(":")[2]


def judge_callgrind(folder: Path, name: str) -> Judged:
    """One program under Callgrind: own cost by function name; inclusive cost of outermost calls."""
    file = f"{name}.callgrind"
    run("valgrind", "--tool=callgrind", f"--callgrind-out-file={file}", f"./{name}", cwd=folder, allowed=(0, 1))
    profile = read_traces(folder / file)[0]
    assert isinstance(profile, Profile)
    judged = Judged(f"callgrind {name}")
    own: Counter[str] = Counter()
    inclusive: dict[str, int] = {}
    for cost, function, _ in annotated(folder, file):
        own[re.sub(r"'\d+$", "", function)] += cost
    for cost, function, _ in annotated(folder, file, "--inclusive=yes"):
        if not re.search(r"'\d+$", function):  # the same cost is printed for each file that was inlined into it
            inclusive[function] = max(inclusive.get(function, 0), cost)
    ours = {kind: profile_sums(profile, "Ir", inclusive=kind) for kind in (False, True)}
    rows = Counter(profile.functions.name)
    for function in sorted(own.keys() | {name for name, cost in ours[False].items() if cost}):
        if rows[function] > 1:  # in two objects or files: printed apart, and inclusive costs do not add up
            judged.compare(function, [ours[False].get(function, 0)], [own[function]], [0])
        else:
            mine = [ours[False].get(function, 0), ours[True].get(function, 0)]
            theirs = [own[function], inclusive.get(function, 0)]
            if mine[0] == theirs[0] > theirs[1]:
                judged.explained["whose inclusive cost there is below its own (a thread begins in it)"] += 1
            else:
                judged.compare(function, mine, theirs, [0, 0])
    return judged


def profile_sums(profile: Profile, name: str, *, inclusive: bool) -> dict[str, float]:
    """Sums of a metric by function name."""
    sums: defaultdict[str, float] = defaultdict(float)
    for metric in profile.metrics:
        if metric.name == name and metric.inclusive == inclusive:
            values = metric.mean if metric.by_place is None else np.nansum(metric.by_place, axis=0)
            for function, value in zip(profile.function.tolist(), values.tolist(), strict=True):
                if value == value:
                    sums[profile.functions.name[function]] += value
    return dict(sums)


_CHILDREN = re.compile(r" +([\d.]+)% +([\d.]+)% +\S+ +\S+ +\[.\] (.*?) *$")


def judge_perf(folder: Path, name: str) -> Judged:
    """One program, sampled by perf: shares of samples in which a function is on the stack, or on its top."""
    data = f"{name}.perf"
    run("perf", "record", "-F", "1000", "-g", "-o", data, f"./{name}", cwd=folder)
    text = folder / f"{name}.txt"
    text.write_text(run("perf", "script", "-i", data, cwd=folder))
    traces = read_traces(text)
    judged = Judged(f"perf {name}")
    assert isinstance(traces[0], Trace)
    shares = by_name(traces[0])
    whole = sum(own for _, _, own, _ in shares.values())
    report = run("perf", "report", "-i", data, "--children", "--stdio", "-g", "none", cwd=folder)
    for line in report.splitlines():
        found = _CHILDREN.match(line)
        if found and float(found[1]) >= 1:
            _, total, own, _ = shares.get(found[3], (0, 0.0, 0.0, 0.0))
            mine = [100 * total / whole, 100 * own / whole]
            # A share of all samples: a sample more or less at the edge of a gap is no error of a function.
            judged.compare(found[3], mine, [float(found[1]), float(found[2])], [1, 1])
    return judged


def compiled(folder: Path) -> None:
    """Compile the programs; two builds where the way of recording needs it."""
    for source in sorted(PROGRAMS.iterdir()):
        compiler = "g++" if source.suffix == ".cpp" else "gcc"
        common = [compiler, "-g", "-O0", str(source), "-pthread"]
        run(*common, "-pg", "-Wl,-z,now", "-o", f"{source.stem}_pg", cwd=folder)
        run(*common, "-finstrument-functions", "-o", f"{source.stem}_if", cwd=folder)
        run(*common, "-fno-omit-frame-pointer", "-o", source.stem, cwd=folder)


def judged(folder: Path, missing: list[str]) -> Iterator[Judged]:
    """All comparisons for which there are tools."""
    compiled(folder)
    there: Mapping[str, bool] = {tool: shutil.which(tool) is not None for tool in ("uftrace", "valgrind", "perf")}
    missing += [tool for tool, found in there.items() if not found]
    if there["uftrace"]:
        for name in ("calc", "forks", "hang", "locks", "shapes"):
            options = LOCKS if name == "locks" else ()
            yield judge_uftrace(folder, f"{name}_pg", options)
            yield judge_uftrace(folder, f"{name}_if", ("-a",))
    if there["valgrind"]:
        for name in ("calc", "locks", "shapes"):
            yield judge_callgrind(folder, name)
    if there["perf"]:
        try:
            yield judge_perf(folder, "burn")
        except RuntimeError as error:
            missing.append(f"perf ({error})")


def main(argv: Sequence[str] | None = None) -> int:
    """Record, compare and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", type=Path, help="folder for programs and recordings, which stay")
    given = parser.parse_args(argv)
    missing: list[str] = []
    functions = differ = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        for one in judged(folder.resolve(), missing):
            print(one)
            for text in one.differ:
                print(f"    {text}")
            functions += one.functions
            differ += len(one.differ)
    for tool in missing:
        print(f"{tool} is missing: its recordings were not judged")
    print(f"{functions} functions, {differ} differ")
    return int(differ > ALLOWED * functions)


if __name__ == "__main__":
    sys.exit(main())
