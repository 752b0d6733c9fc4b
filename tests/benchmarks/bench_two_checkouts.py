"""What two checkouts of cbvtool cost, side by side: bench_two_checkouts.py BEFORE AFTER [FOLDER].

Rounds alternate (before, after, after, before, ...), so that a change in the load of the machine reaches both alike.
Prints a table of medians: seconds of processor time of all processes of a run (first frame, analysis), milliseconds of
processor time (view: that checkout's own `bench_view.py`), and the ratio after / before with its range over the rounds.

first frame   `cbvtool open FOLDER` until its first frame is painted, caches of cbvtool empty
analysis      `analyze` of FOLDER in a fresh process, one process, no cache, imports included
view          rows of `bench_view.py` for one size, 5 rounds each

FOLDER defaults to the installed networkx.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.bench_first_frame import networkx_folder

SIZE = "1000x1500"
ANALYSE = "import sys; from cbvtool.analysis import analyze; analyze(sys.argv[1], jobs=1, cache=False)"
Figures = dict[str, float]


def run(checkout: Path, arguments: Sequence[str]) -> tuple[float, str]:
    """Seconds of processor time of Python with `arguments` and all its children, and what it printed."""
    with tempfile.TemporaryDirectory() as fresh:
        environment = os.environ | {f"XDG_{name}_HOME": fresh for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        environment |= {"CBVTOOL_TIME_FIRST_FRAME": "1", "XDG_RUNTIME_DIR": fresh, "QT_QPA_PLATFORM": "offscreen"}
        environment["PYTHONPATH"] = os.pathsep.join((str(checkout / "src"), str(checkout)))
        process = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=checkout,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{checkout}: {' '.join(arguments)} failed")
    return used.ru_utime + used.ru_stime, said


def first_frame(checkout: Path, folder: Path) -> Figures:
    """Processor time until the first frame."""
    used, said = run(checkout, ["-m", "cbvtool", "open", str(folder)])
    if not said.startswith("first frame"):
        raise SystemExit(f"{checkout}: no frame")
    return {f"first frame of {folder.name}, s": used}


def analysis(checkout: Path, folder: Path) -> Figures:
    """Processor time of an analysis."""
    return {f"analysis of {folder.name}, s": run(checkout, ["-c", ANALYSE, str(folder)])[0]}


def view(checkout: Path, _folder: Path) -> Figures:
    """The rows of the benchmark of the view: milliseconds of processor time."""
    _, said = run(checkout, [str(checkout / "tests/benchmarks/bench_view.py"), "--rounds", "5", "--sizes", SIZE])
    rows = (line.strip("| ").split(" | ") for line in said.splitlines() if " / " in line and line.startswith("| "))
    return {f"{name}, ms": float(cost.partition(" / ")[0].replace(",", "")) for name, cost in list(rows)[1:]}


BENCHMARKS: dict[str, Callable[[Path, Path], Figures]] = {
    "first-frame": first_frame,
    "analysis": analysis,
    "view": view,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("folder", type=Path, nargs="?", default=networkx_folder())
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--only", choices=BENCHMARKS)
    options = parser.parse_args()
    checkouts = [options.before.resolve(), options.after.resolve()]
    print(f"{options.rounds} rounds, {os.cpu_count()} cores\n")
    print("| processor time | before | after | after / before | range |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name in [options.only] if options.only else BENCHMARKS:
        found: list[dict[str, list[float]]] = [defaultdict(list), defaultdict(list)]
        for checkout in checkouts:
            BENCHMARKS[name](checkout, options.folder)  # compiles Python's files and Numba's kernels
        for number in range(options.rounds):
            for side in (0, 1) if number % 2 == 0 else (1, 0):
                for row, value in BENCHMARKS[name](checkouts[side], options.folder).items():
                    found[side][row].append(value)
        for row, before in found[0].items():
            after = found[1][row]
            middle = [statistics.median(values) for values in (before, after)]
            ratios = sorted(one / other for one, other in zip(after, before, strict=True))
            print(
                f"| {row} | {middle[0]:.2f} | {middle[1]:.2f} | {middle[1] / middle[0]:.3f} "
                f"| {ratios[0]:.2f} to {ratios[-1]:.2f} |",
                flush=True,
            )
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
