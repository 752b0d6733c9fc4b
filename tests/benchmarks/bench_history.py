"""What reading a history costs beside git itself: python tests/benchmarks/bench_history.py [CLONE ...]

For each clone (which must be one that you trust: git is also called directly), alternately and several times:
`git log --raw -M -l0 -z` thrown away, and `read_changes`. Prints the best of each by the clock, and the ratios by
the clock and by processor time of all processes (which says more on a busy machine); quote the ratios.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from cbvtool.mining import read_changes


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, nargs="*", default=[Path(__file__).resolve().parents[2]])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    print("| repository | commits | touches | git log, s | ratio by the clock | by processor time | with progress |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for clone in options.clone:
        changes = read_changes(clone)  # also warms the file cache
        works: list[Callable[[], object]] = [
            partial(git_log, clone),
            partial(read_changes, clone),
            partial(read_changes, clone, progress=lambda what, done, total: None),
        ]
        rounds = [[cost(work) for work in works] for _ in range(options.rounds)]
        (git, git_cpu), (ours, ours_cpu), (told, told_cpu) = (
            (min(row[i][0] for row in rounds), min(row[i][1] for row in rounds)) for i in range(3)
        )
        print(
            f"| {clone.name} | {len(changes.sha):,} | {len(changes.touch_path):,} | {git:.2f} | {ours / git:.2f} "
            f"| {ours_cpu / git_cpu:.2f} | {told / git:.2f}, {told_cpu / git_cpu:.2f} |",
            flush=True,
        )
    return 0


def git_log(clone: Path) -> None:
    command = ["git", "-C", str(clone), "log", "--raw", "-M", "-l0", "-z"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def cost(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the clock, and of processor time with that of all ended children."""
    start, before = time.perf_counter(), sum(os.times()[:4])
    work()
    return time.perf_counter() - start, sum(os.times()[:4]) - before


if __name__ == "__main__":
    sys.exit(main())
