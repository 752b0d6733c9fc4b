"""What `cbvtool analyze` costs beside lizard, which only counts: alternating runs on the same folders.

    python tests/benchmarks/bench_against_lizard.py FOLDER ... [--runs 3] [--lizard PROGRAM] [--slope]

Prints a Markdown table: medians of the seconds by the clock and of processor time (all processes) of lizard with two
threads, and beside them as ratios those of `analyze --no-cache --no-history`, of the same until the graph without calls
stands (which takes the first picture of imports with it), and of the same with history. By the clock the ratios mean
something on an idle machine alone; processor time also on a busy one.

--slope   cost against files: the slope of a straight line through (log files, log processor time) of all folders, and
          lizard is left out
"""

from __future__ import annotations

import argparse
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from cbvtool.analysis.languages import language_of
from cbvtool.analysis.walk import walk

ANALYZE = (sys.executable, "-m", "cbvtool", "analyze", "--no-cache", "--jobs", "2")
STOOD = re.compile(r"without calls stood after ([\d.,]+) s")


class Cost(NamedTuple):
    """seconds by the clock, seconds of the processor of all processes, and until the graph without calls stood."""

    clock: float
    processor: float
    stood: float = math.nan


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--lizard", default="lizard")
    parser.add_argument("--slope", action="store_true")
    options = parser.parse_args(arguments)
    folders = [folder.resolve() for folder in options.folder]
    if options.slope:
        slope(folders, options.runs)
        return
    if shutil.which(options.lizard) is None:
        raise SystemExit("lizard is not installed: pip install lizard")
    beside(folders, options.runs, [options.lizard, "-t", "2"])


def beside(folders: Sequence[Path], runs: int, lizard: list[str]) -> None:
    print("| folder | files | lizard, s (processor) | analyze | until the graph without calls | with history |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for folder in folders:
        taken: dict[str, list[Cost]] = {"lizard": [], "plain": [], "early": [], "history": []}
        for _ in range(runs):
            taken["lizard"].append(cost([*lizard, str(folder)]))
            taken["plain"].append(cost([*ANALYZE, "--no-history", str(folder)]))
            taken["early"].append(cost([*ANALYZE, "--no-history", "--verbose", str(folder)]))
            taken["history"].append(cost([*ANALYZE, str(folder)]))
        clock, processor = (statistics.median(one[i] for one in taken["lizard"]) for i in range(2))
        stood = statistics.median(one.stood for one in taken["early"])
        ratios = {
            name: [statistics.median(one[i] for one in costs) / of for i, of in enumerate((clock, processor))]
            for name, costs in taken.items()
        }
        plain, history = ("{:.2f} ({:.2f})".format(*ratios[name]) for name in ("plain", "history"))
        early = "no Python to speak of" if math.isnan(stood) else f"{stood / clock:.2f}"
        cells = [folder.name, f"{len(sources(folder)):,}", f"{clock:.1f} ({processor:.1f})", plain, early, history]
        print(f"| {' | '.join(cells)} |", flush=True)


def slope(folders: Sequence[Path], runs: int) -> None:
    print("| folder | files | lines | processor, s | microseconds a line |\n| --- | ---: | ---: | ---: | ---: |")
    points = []
    for folder in folders:
        files = sources(folder)
        lines = sum((folder / path).read_bytes().count(b"\n") for path in files)
        seconds = statistics.median(cost([*ANALYZE, "--no-history", str(folder)]).processor for _ in range(runs))
        points.append((math.log(len(files)), math.log(lines), math.log(seconds)))
        print(
            f"| {folder.name} | {len(files):,} | {lines:,} | {seconds:.1f} | {seconds / lines * 1e6:.0f} |", flush=True
        )
    for i, what in enumerate(("files", "lines")):
        print(f"\nslope of log cost over log {what}: {fit([(point[i], point[2]) for point in points]):.2f}")


def fit(points: Sequence[tuple[float, float]]) -> float:
    """The slope of the straight line with the least squares."""
    x, y = (statistics.fmean(point[i] for point in points) for i in range(2))
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x) ** 2 for a, _ in points)


def sources(folder: Path) -> list[str]:
    return [file.path for file in walk(folder).files if language_of(file.path) is not None]


def cost(command: Sequence[str]) -> Cost:
    """Run `command`. Raises CalledProcessError if it fails; lizard ends with 1 when it has something to warn of."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    _, status, used = os.wait4(process.pid, 0)  # with its children that it has waited for
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said)
    found = STOOD.search(said)
    return Cost(
        time.perf_counter() - start,
        used.ru_utime + used.ru_stime,
        float(found[1].replace(",", "")) if found else math.nan,
    )


if __name__ == "__main__":
    main()
