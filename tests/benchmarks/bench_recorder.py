"""What recording costs a call, beside viztracer and an empty profile function, by processor time of the program.

    python tests/benchmarks/bench_recorder.py PYTHON...

Each PYTHON has viztracer installed. Ratios within one run count; a busy machine makes all of them slower.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cbvtool.trace.record.launch import environment, option_lines, prepare
from cbvtool.trace.record.options import RecordOptions

LOOP = """
import json, resource, sys, time
def empty(x):
    return x
def run(n):
    begin = time.process_time_ns()
    for i in range(n):
        empty(i)
    return (time.process_time_ns() - begin) / n
"""
PLAIN = "best = min(run(200_000) for _ in range(7))\n"
AFTER = "print(json.dumps([best, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))\n"
VIZTRACER = (
    "from viztracer import VizTracer\n"
    "tracer = VizTracer(ignore_c_function=True, verbose=0, tracer_entries=1_000_000)\n"
    "tracer.start()\n" + PLAIN + "tracer.stop()\n"
)
PROFILE = "sys.setprofile(lambda frame, event, arg: None)\n" + PLAIN + "sys.setprofile(None)\n"
ROUNDS = 5


def measure(python: str, text: str, options: RecordOptions | None = None) -> tuple[float, int]:
    """ns of a round of the loop, and the greatest memory of the program in KiB; the best of `ROUNDS` runs."""
    best, memory = float("inf"), 0
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            surroundings = dict(os.environ)
            if options is not None:
                folder = Path(name)
                prepare(folder, option_lines(options, ()), {})
                surroundings = environment(folder, surroundings)
            said = subprocess.run([python, "-c", text], env=surroundings, check=True, capture_output=True, text=True)
        ns, size = json.loads(said.stdout)
        best, memory = min(best, ns), max(memory, size)
    return best, memory


def main(pythons: list[str]) -> None:
    """Print a table for each Python."""
    folder = Path("unused")
    cases: dict[str, tuple[str, RecordOptions | None]] = {
        "plain": (LOOP + PLAIN + AFTER, None),
        "viztracer without C functions": (LOOP + VIZTRACER + AFTER, None),
        "empty setprofile": (LOOP + PROFILE + AFTER, None),
        "recorded": (LOOP + PLAIN + AFTER, RecordOptions(folder)),
        "recorded with CPU time": (LOOP + PLAIN + AFTER, RecordOptions(folder, cpu_time=True)),
        "recorded with C functions": (LOOP + PLAIN + AFTER, RecordOptions(folder, c_functions=True)),
        "cut by a limit": (LOOP + PLAIN + AFTER, RecordOptions(folder, limit=1000)),
    }
    for python in pythons:
        print(subprocess.run([python, "--version"], check=True, capture_output=True, text=True).stdout.strip())
        plain = viztracer = 0.0
        for name, (text, options) in cases.items():
            ns, memory = measure(python, text, options)
            plain = plain or ns
            viztracer = ns - plain if name.startswith("viztracer") else viztracer
            ratio = f"{(ns - plain) / viztracer:6.2f} of viztracer's" if viztracer else ""
            times = f"{ns:8.0f} ns a round {ns - plain:8.0f} above {ns / plain:6.2f}x"
            print(f"  {name:30} {times} {ratio} {memory // 1024} MiB", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
