"""What reading a history costs beside git itself: python tests/benchmarks/bench_history.py [CLONE ...]

For each clone (which must be one that you trust: git is also called directly), alternately and several times:
`git log --raw -M -l0 -z` thrown away, and `read_changes`. Prints the best of each by the clock, and the ratios by
the clock and by processor time of all processes (which says more on a busy machine); quote the ratios. Then stage two
beside `git log --numstat`, GitPython's `.stats` and PyDriller, and the second open.

--growth FILE.svg   instead, the processor time for the first 1,000, 2,000, 4,000, ... commits of each clone, drawn on
                    logarithmic axes
--versions 50       instead, so many versions of each clone analysed, cold and again
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from cbvtool.analysis.cache import HistoryKeeper
from cbvtool.evolution.reading import read_evolution
from cbvtool.mining import read_changes, read_churn

PEERS = 200  # commits that other programs are asked about


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, nargs="*", default=[Path(__file__).resolve().parents[2]])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--growth", type=Path)
    parser.add_argument("--versions", type=int)
    options = parser.parse_args(arguments)
    if options.growth:
        drawn = {clone.name: growth(clone) for clone in options.clone}
        options.growth.write_text(log_log(drawn), encoding="utf-8")
        return 0
    if options.versions:
        for clone in options.clone:
            versions(clone, options.versions)
        return 0
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
    for clone in options.clone:
        stages(clone)
    return 0


def stages(clone: Path) -> None:
    """Print what stage two and the second open cost, by processor time."""
    with tempfile.TemporaryDirectory() as folder:
        keeper, before = HistoryKeeper(Path(folder)), read_changes(clone)
        _, first = cost(partial(read_changes, clone, keeper=keeper))
        _, again = cost(partial(read_changes, clone, keeper=keeper))
        _, lines = cost(partial(read_churn, clone, before, keeper=keeper))
        _, lines_again = cost(partial(read_churn, clone, before, keeper=keeper))
    _, numstat = cost(partial(git_numstat, clone))
    print(f"{clone.name}: open {first:.2f} s of the processor, again {again:.2f} s ({again / first:.3f})")
    print(f"  with lines {first + lines:.2f} s, again {again + lines_again:.2f} s", end=" ")
    print(f"({(again + lines_again) / (first + lines):.3f})")
    print(f"  lines {lines:.2f} s, git log --numstat {numstat:.2f} s ({lines / numstat:.2f})")
    for name, work in peers(clone).items():
        _, seconds = cost(work)
        share = len(before.sha) / min(PEERS, len(before.sha))
        print(f"  {name}: {seconds * share:.0f} s for all commits, by {PEERS} of them ({seconds * share / lines:.1f}x)")


def growth(clone: Path) -> list[tuple[int, float]]:
    """(number of commits, seconds of the processor) of longer and longer beginnings of the history."""
    shas, found, count = read_changes(clone).sha, list[tuple[int, float]](), 1000
    with tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / clone.name
        subprocess.run(["git", "clone", "-q", "--shared", "--no-checkout", clone, part], check=True)
        while count < 2 * len(shas):
            sha = shas[min(count, len(shas)) - 1]
            subprocess.run(["git", "-C", part, "update-ref", "--no-deref", "HEAD", sha], check=True)
            commits = len(read_changes(part).sha)
            ours, git = (min(cost(partial(work, part))[1] for _ in range(2)) for work in (read_changes, git_log))
            found.append((commits, ours))
            print(f"{clone.name}: {commits:,} commits {ours:.2f} s of the processor, git log {git:.2f} s", flush=True)
            count *= 2
    commits_log, seconds_log = np.log(np.array(found)).T
    slope = float(np.polyfit(commits_log, seconds_log, 1)[0])
    print(f"{clone.name}: grows with commits to the power of {slope:.2f}")
    return found


def log_log(drawn: dict[str, list[tuple[int, float]]]) -> str:
    """An SVG of lines on logarithmic axes, 1,000 to 100,000 commits and 0.1 to 100 s."""
    wide, tall, left = 240, 240, 60  # px for a power of ten across, and down by 0.333

    def place(commits: float, seconds: float) -> str:
        return f"{left + wide * np.log10(commits / 1000):.1f},{20 + tall - tall / 3 * np.log10(seconds / 0.1):.1f}"

    parts = []
    for power in range(3):
        x, _, y = place(10 ** (3 + power), 0.1).partition(",")
        parts.append(f'<path d="M{x},20V{y}" stroke="#ccc"/><text x="{x}" y="280">{10 ** (3 + power):,}</text>')
    for power in range(4):
        x, _, y = place(1000, 10.0 ** (power - 1)).partition(",")
        parts.append(f'<path d="M{x},{y}h480" stroke="#ccc"/><text x="8" y="{y}">{10.0 ** (power - 1):g} s</text>')
    for (name, row), color in zip(drawn.items(), ("#0072b2", "#d55e00", "#009e73", "#cc79a7") * 9, strict=False):
        points = " ".join(place(*pair) for pair in row)
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        x, _, y = place(*row[-1]).partition(",")
        parts.append(f'<text x="{x}" y="{y}" dx="6" fill="{color}">{name}</text>')
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="300" font-family="sans-serif" font-size="12">'
    ground = '<rect width="640" height="300" fill="#fff"/><text x="250" y="296">commits</text>'
    return "\n".join([head, ground, *parts, "</svg>", ""])


def versions(clone: Path, most: int) -> None:
    """Print what so many versions cost by the clock and by processor time: cold, and again with the cache."""
    with tempfile.TemporaryDirectory() as folder:
        for when in ("cold", "again"):
            clock, processor = cost(partial(read_evolution, clone, None, most=most, seconds=0.0, cache=Path(folder)))
            print(
                f"{clone.name}: {most} versions {when}: {clock:.1f} s, {processor:.1f} s of the processor", flush=True
            )


def peers(clone: Path) -> dict[str, Callable[[], object]]:
    """Lines of the newest commits by other programs, where they are installed (`pip install pydriller`)."""
    from git import Repo

    found: dict[str, Callable[[], object]] = {
        "GitPython": lambda: [c.stats.total for c in Repo(clone).iter_commits(max_count=PEERS)]
    }
    if importlib.util.find_spec("pydriller"):
        Repository = importlib.import_module("pydriller").Repository
        newest = Repo(clone).git.rev_list("HEAD", max_count=PEERS).split()
        found["PyDriller"] = lambda: [
            [(file.added_lines, file.deleted_lines) for file in commit.modified_files]
            for commit in Repository(str(clone), only_commits=newest).traverse_commits()
        ]
    return found


def git_numstat(clone: Path) -> None:
    command = ["git", "-C", str(clone), "log", "--numstat", "-M", "-z"]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


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
