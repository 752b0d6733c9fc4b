"""Programs that are recorded, in Pythons that have no cbvtool, and what their recordings hold."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces
from cbvtool.trace.record.launch import record
from cbvtool.trace.record.options import Recorded, RecordOptions

_PLACE = Path.home() / ".pyenv" / "versions"
VERSIONS = ("own", "3.8", "3.11", "3.12", "3.13", "3.14")


def python(version: str) -> str:
    """The program of a Python of that version, without packages; skips the test where there is none."""
    if version == "own":
        return getattr(sys, "_base_executable", sys.executable)
    found = sorted(_PLACE.glob(f"{version}.*/bin/python"))
    if not found:
        pytest.skip(f"no Python {version} is installed in ~/.pyenv")
    return str(found[-1])


def recorded(folder: Path, text: str, version: str, *arguments: str, **options: object) -> tuple[Trace, Recorded]:
    """The trace of a program with that text, and what `record` says of it."""
    folder.mkdir(exist_ok=True)
    program = folder / "program.py"
    program.write_text(text, encoding="utf-8")
    out = folder / "out"
    done = record(RecordOptions(out, **options), [python(version), str(program), *arguments])  # type: ignore[arg-type]
    trace = read_traces(out)[0]
    assert isinstance(trace, Trace)
    return trace, done


def counts(trace: Trace, file: str = "program.py") -> Counter[tuple[str, int]]:
    """Calls of each function of a file, by simple name and line."""
    names = [
        (name.rpartition(".")[2], line) if path.endswith(file) else None
        for name, path, line in zip(
            trace.functions.name, trace.functions.file, trace.functions.line.tolist(), strict=True
        )
    ]
    found: Counter[tuple[str, int]] = Counter()
    for thread in range(len(trace.threads)):
        if trace.threads.kind[thread] == "thread":  # a track of a task shows its steps once more
            rows = slice(int(trace.threads.ptr[thread]), int(trace.threads.ptr[thread + 1]))
            found.update(name for row in trace.calls.function[rows].tolist() if (name := names[row]) is not None)
    return found


def named(trace: Trace, name: str, file: str = "program.py") -> int:
    """Calls of the function of that simple name."""
    return sum(count for (own, _), count in counts(trace, file).items() if own == name)


def profiled(folder: Path, text: str, version: str) -> Counter[tuple[str, int]]:
    """The same as `counts`, by cProfile."""
    program, result = folder / "program.py", folder / "stats"
    program.write_text(text, encoding="utf-8")
    subprocess.run([python(version), "-m", "cProfile", "-o", str(result), str(program)], check=True)
    read = (
        "import marshal, sys; stats = marshal.load(open(sys.argv[1], 'rb'))\n"
        "print([(key[2], key[1], value[1]) for key, value in stats.items() if key[0].endswith('program.py')])"
    )
    text = subprocess.run([python(version), "-c", read, str(result)], check=True, capture_output=True, text=True).stdout
    return Counter({(name, line): count for name, line, count in eval(text)})


def stop_with(process: subprocess.Popen[str], number: signal.Signals) -> int:
    """Send a signal to a program once it has printed a line; its exit status."""
    assert process.stdout is not None
    process.stdout.readline()
    os.kill(process.pid, number)
    process.communicate(timeout=60)
    return process.returncode
