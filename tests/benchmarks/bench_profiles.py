"""Fifty profiles read and united, beside Thicket: python tests/benchmarks/bench_profiles.py FOLDER [--thicket PYTHON]

FOLDER holds Caliper profiles (*.cali), such as thicket/tests/data/mpi_scaling_cali of Thicket's repository; copies of
them make COUNT profiles. PYTHON is an interpreter with `llnl-thicket`. Processor time of reading and uniting, without
imports, after one profile was read; the best of three.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from cbvtool.trace.ensemble.ensemble import united
from cbvtool.trace.ensemble.runs import runs_of
from cbvtool.trace.readers.registry import read_traces

_THEIRS = """
import sys, time, warnings
warnings.simplefilter("ignore")
import thicket
files = sys.argv[1:]
thicket.Thicket.from_caliperreader(files[:1], disable_tqdm=True)
least = float("inf")
for _ in range(3):
    began = time.process_time()
    made = thicket.Thicket.from_caliperreader(files, disable_tqdm=True)
    least = min(least, time.process_time() - began)
print(least, len(made.profile), len(made.graph))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--thicket", help="an interpreter with llnl-thicket")
    parser.add_argument("--count", type=int, default=50)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = copies(options.folder, Path(folder), options.count)
        took, runs, nodes = ours(files)
        print(f"cbvtool: {runs} profiles, {nodes} call paths: {1000 * took:.0f} ms")
        if options.thicket:
            theirs, profiles, paths = thickets(options.thicket, files)
            print(
                f"Thicket: {profiles} profiles, {paths} call paths: {1000 * theirs:.0f} ms; {theirs / took:.1f} x ours"
            )


def copies(folder: Path, to: Path, count: int) -> list[Path]:
    """So many profiles, each a file of its own: Thicket tells them by path."""
    given = sorted(folder.glob("*.cali"))
    found = [to / f"{given[number % len(given)].stem}-{number}.cali" for number in range(count)]
    for number, target in enumerate(found):
        shutil.copyfile(given[number % len(given)], target)
    return found


def ours(files: list[Path]) -> tuple[float, int, int]:
    """(processor seconds, runs, call paths)"""
    least = float("inf")
    united(runs_of((path.stem, part) for path in files[:1] for part in read_traces(path)))
    for _ in range(3):
        began = time.process_time()
        ensemble = united(runs_of((path.stem, part) for path in files for part in read_traces(path)))
        least = min(least, time.process_time() - began)
    return least, len(ensemble), len(ensemble.parent)


def thickets(python: str, files: list[Path]) -> tuple[float, int, int]:
    """The same of Thicket, in a process of its own."""
    done = subprocess.run([python, "-c", _THEIRS, *map(str, files)], capture_output=True, text=True, check=True)
    took, profiles, paths = done.stdout.split()[-3:]
    return float(took), int(profiles), int(paths)


if __name__ == "__main__":
    main()
