"""Compare Chrome traces with speedscope's importer: python tests/judges/traces_speedscope.py SPEEDSCOPE [FILE ...]

SPEEDSCOPE is a checkout of github.com/jlfwong/speedscope; without files those of its sample folder are read. esbuild
(through npm, --esbuild names one) bundles its importer, which runs under Node. For each function of each file: number
of calls, total and self time. speedscope counts a recursive call in the total once, as this does. Those that differ
by more than 1 % are printed. Self times of samples are compared, their number of calls is not: it says nothing.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np

from cbvtool.trace.model.trace import Trace
from cbvtool.trace.readers.registry import read_traces

HERE = Path(__file__).parent


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("speedscope", type=Path)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--esbuild", default="npx --yes esbuild")
    options = parser.parse_args(arguments)
    files = options.files or sorted((options.speedscope / "sample/profiles/trace-event").glob("*.json"))
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "importer.mjs"
        source = options.speedscope / "src/import/trace-event.ts"
        bundle = [*options.esbuild.split(), str(source), "--bundle", "--format=esm", "--platform=node"]
        subprocess.run([*bundle, f"--outfile={module}", "--log-level=error"], check=True)
        command = ["node", str(HERE / "traces_speedscope.mjs"), str(module), *map(str, files)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    functions = same = 0
    for file, line in zip(files, lines, strict=True):
        theirs = {name: values for name, *values in json.loads(line)}
        ours, sampled = frames(file)
        for name in sorted(ours.keys() | theirs.keys()):
            one, other = ours.get(name, [0, 0, 0]), theirs.get(name, [0, 0, 0])
            times = all(
                abs(a - b) <= 0.01 * max(abs(a), abs(b)) + 1e-4 for a, b in zip(one[1:], other[1:], strict=True)
            )
            equal = times and (sampled or one[0] == other[0])
            functions, same = functions + 1, same + equal
            if not equal:
                print(f"{file.name}: {name}: calls, total, self {one} here, {other} there")
    print(f"{len(files)} files, {functions} functions, {same} equal ({same / functions:.1%})")


def frames(file: Path) -> tuple[dict[str, list[float]], bool]:
    """Calls, total and self time in microseconds by the name as recorded; and whether they come from samples."""
    found: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0])
    traces = [part for part in read_traces(file) if isinstance(part, Trace)]
    sampled = any(trace.sampled for trace in traces)
    for trace in traces:
        calls = trace.calls
        took = (calls.end - calls.start) / 1000
        own = took.copy()
        kinds = np.array([kind == "thread" for kind in trace.threads.kind])
        chosen = (trace.threads.sampled if sampled else kinds)[trace.thread_of(np.arange(len(calls)))]
        around: list[int] = []
        for row in range(len(calls)):
            while around and calls.end_row[around[-1]] <= row:
                around.pop()
            if around:
                own[around[-1]] -= took[row]
            if chosen[row] and all(calls.function[above] != calls.function[row] for above in around):
                found[recorded(trace, row)][1] += float(took[row])
            around.append(row)
        for row in np.flatnonzero(chosen).tolist():
            sums = found[recorded(trace, row)]
            sums[0] += 1
            sums[2] += float(own[row])
    return dict(found), sampled


def recorded(trace: Trace, row: int) -> str:
    """The name of a call's function as it stands in the file: viztracer's hold file and line."""
    function = int(trace.calls.function[row])
    name, file = trace.functions.name[function], trace.functions.file[function]
    return (
        f"{name} ({file}:{trace.functions.line[function]})" if file and "viztracer" in trace.header.recorder else name
    )


if __name__ == "__main__":
    main()
