"""Does it scale? Five public runs of LULESH on 27 to 343 ranks, asked as the guide does: make judge-lulesh REPO=clones

    python -m tests.judges.lulesh FOLDER MAP

FOLDER is `thicket/tests/data/mpi_scaling_cali` of Thicket's repository, MAP is `docs/examples/callflow.config.json` of
CallFlow's. Everything is asked of the command line, as a user would, and judged by what the profiles say themselves
(`elapsed_time`, which the program printed) and by sums of its own. Then it is asked of the real window, with real mouse
and keys (`tests/gui/scaling_story.py`, which generated runs tell in `make test-long`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from cbvtool.trace.readers.registry import read_traces

RANKS = (27, 64, 125, 216, 343)
SECOND = 1e9


def main() -> int:
    """Print what was found; 1 when the story does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("map", type=Path)
    options = parser.parse_args()
    files = [options.folder / f"{ranks}_cores.cali" for ranks in RANKS]
    table = ["--table", str(options.map)]
    held = [main_is_elapsed_time(files), order_is_broken(files, table), waiting_explains(files, table)]
    held.append(window_tells_it(options.folder, options.map))
    return 0 if all(held) else 1


def asked(*words: str | Path) -> dict[str, Any]:
    """What `cbvtool runs` says as JSON."""
    command = [sys.executable, "-m", "cbvtool", "runs", *map(str, words), "--format", "json"]
    content: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return content


def main_is_elapsed_time(files: list[Path]) -> bool:
    """`main` with what it calls beside the time that the program printed: to 0.2 %."""
    most = 0.0
    for run in asked("info", *files)["runs"]:
        [found] = [root["inclusive"] for root in run["roots"] if root["name"] == "main"]
        printed = float(run["parameters"]["elapsed_time"])
        apart = abs(found / SECOND / printed - 1)
        most = max(most, apart)
        print(f"{run['name']}: main {found / SECOND:.3f} s, elapsed_time {printed:.3f} s, {apart:.3%} apart")
    return most <= 0.002


def order_is_broken(files: list[Path], table: list[str]) -> bool:
    """Of the whole run, 216 ranks alone break the order."""
    told = asked("trend", *files, *table, "--along", "mpi.world.size")
    found = [each for each in told["found"] if each["part"] == "(whole run)"]
    for each in found:
        print(
            f"{each['kind']} at {each['at']} ranks: {each['value'] / SECOND:.1f} s, not {each['before'] / SECOND:.1f} s"
        )
    return [(each["kind"], each["at"]) for each in found] == [("break", "216")]


def waiting_explains(files: list[Path], table: list[str]) -> bool:
    """216 minus 125: MPI by itself is the whole change; what computes stays; the call paths that change most wait."""
    told = asked("diff", files[2], files[3], *table)
    own = {each["module"]: each["b_minus_a"] for each in told["own"]}
    whole, waits = sum(own.values()), own.pop("MPI")
    print(f"216 minus 125: {whole / SECOND:+.2f} s, of it MPI by itself {waits / SECOND:+.2f} s")
    for name, change in sorted(own.items(), key=lambda each: -abs(each[1]))[:3]:
        print(f"    {name} by itself {change / SECOND:+.2f} s")
    paths = sorted(told["paths"], key=lambda each: -abs(each["b_minus_a"]))[:3]
    for each in paths:
        print(f"    {each['path']} {each['b_minus_a'] / SECOND:+.2f} s")
    apart = abs(whole - changed_by_hand(files[2], files[3]))
    print(f"the change by a sum of its own: {apart:.0f} ns apart")
    return (
        waits / whole > 0.9
        and abs(max(own.values(), key=abs)) < 0.1 * abs(waits)
        and all(each["path"].rpartition(" > ")[2].startswith("MPI_") for each in paths)
        and apart < 1000
    )


def window_tells_it(folder: Path, table: Path) -> bool:
    """The same steps by hand: open, table of modules, `main`, order, difference, split by call site."""
    test = Path(__file__).parents[1] / "gui" / "public_lulesh.py"
    where = os.environ | {"CBVTOOL_LULESH": f"{folder}{os.pathsep}{table}"}
    found = subprocess.run([sys.executable, "-m", "pytest", "-q", str(test)], env=where, capture_output=True, text=True)
    print(f"the window: {'tells it' if not found.returncode else found.stdout}")
    return not found.returncode


def changed_by_hand(one: Path, other: Path) -> float:
    """ns: the second run's roots minus those of the first, as their profiles hold them."""
    totals = []
    for path in (one, other):
        (profile,) = read_traces(path)
        metric = profile.metric("time.duration", inclusive=True)
        totals.append(sum(metric.mean[row] for row in range(len(profile.parent)) if profile.parent[row] < 0))
    return float(totals[1] - totals[0])


if __name__ == "__main__":
    raise SystemExit(main())
