"""Hot spots beside plain git and lizard: make judge-hotspots REPO=checkouts

An independent ranking: commits by one `git log` without merges, in the 183 days before the last commit, times the sum
of lizard's cyclomatic complexities of the functions of a file; both for files that were added once and never left
their path or arrived at it by a rename. Beside it stand the hot spots of `cbvtool findings --tests`, less renamed
files. Told is how many of the first ten are in both, and the two figures of each file on both sides. Exits with 1
when fewer than nine of the first ten are in both.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import lizard  # type: ignore[import-untyped]  # it has no types

from cbvtool.findings.finding import Examined
from cbvtool.findings.hot_spots import hot_spots
from cbvtool.project import open_project

FIRST, LEAST = 10, 9
DAYS = 183
SECONDS_PER_DAY = 24 * 60 * 60


@dataclass(frozen=True)
class Spot:
    """What decides the rank of a file."""

    complexity: int
    commits: int

    @property
    def points(self) -> int:
        """The product."""
        return self.complexity * self.commits


def main(arguments: list[str] | None = None) -> int:
    """Print a table for each checkout; 1 when one has too few in common."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path, nargs="+")
    judged = [judge(path.resolve()) for path in parser.parse_args(arguments).checkout]
    return 0 if all(judged) else 1


def judge(path: Path) -> bool:
    """Whether at least nine of the first ten are in both rankings."""
    commits, steady = plain(path)
    theirs = {
        name: spot for name, count in commits.items() if name in steady and (spot := of_lizard(path, name, count))
    }
    ours = {name: spot for name, spot in of_cbvtool(path).items() if name in steady}
    top, other = first(ours), first(theirs)
    both = [name for name in top if name in other]
    same = sum(ours[name] == theirs.get(name) for name in top)
    print(f"{path.name}: {len(both)} of the first {len(top)} in both, {same} of them with the same two figures")
    for name in dict.fromkeys([*top, *other]):
        mine, its = ours.get(name), theirs.get(name)
        rank = "/".join(str(rows.index(name) + 1) if name in rows else "-" for rows in (top, other))
        print(f"  {rank:>6} {name}: here {told(mine)}, git and lizard {told(its)}")
    return len(both) >= min(LEAST, len(top))


def told(spot: Spot | None) -> str:
    """The figures of one file."""
    return "not ranked" if spot is None else f"{spot.complexity:,} x {spot.commits:,} = {spot.points:,}"


def first(spots: dict[str, Spot]) -> list[str]:
    """The names of the first ten."""
    return sorted(spots, key=lambda name: (-spots[name].points, name))[:FIRST]


def of_cbvtool(path: Path) -> dict[str, Spot]:
    """Path -> what the finding of a hot spot says, of all files."""
    project = open_project(path)
    found = hot_spots(Examined(project.graph, project.changes, tests=True), len(project.graph))
    return {
        project.graph.ids[one.nodes[0]]: Spot(int(one.figures["complexity"]), int(one.figures["commits"]))
        for one in found
    }


def of_lizard(path: Path, name: str, commits: int) -> Spot | None:
    """What lizard makes of a file; None where it reads no such language, or finds no function."""
    file = path / name
    if file.is_symlink() or not file.is_file():
        return None
    try:
        analysed = lizard.analyze_file(str(file))
    except (RecursionError, UnicodeError, IndexError):
        return None
    complexity = sum(function.cyclomatic_complexity for function in analysed.function_list)
    return Spot(complexity, commits) if complexity else None


def plain(path: Path) -> tuple[Counter[str], set[str]]:
    """(path -> commits in the last 183 days, paths that were never renamed)."""
    last = int(git(path, "log", "--no-merges", "--format=%ct", "--date-order").split("\n")[0])
    log = git(path, "log", "--no-merges", "--raw", "-M", "-z", "--format=%x01%ct")
    times = [int(block.split("\0")[0]) for block in log.split("\1")[1:]]
    last = max(last, *times)
    commits: Counter[str] = Counter()
    letters: dict[str, str] = {}
    for block in log.split("\1")[1:]:
        time, *pieces = block.split("\0")
        seen = set()
        rest = iter(pieces)
        for piece in rest:
            if not piece.lstrip("\n").startswith(":"):
                continue
            letter = piece.rsplit(" ", 1)[1][0]
            for _ in range(2 if letter in "RC" else 1):
                name = next(rest)
                letters[name] = letters.get(name, "") + letter
                seen.add(name)
        if int(time) >= last - DAYS * SECONDS_PER_DAY:
            commits.update(seen)
    there = git(path, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")
    return commits, {
        name for name in there if letters.get(name, "").count("A") == 1 and not set(letters[name]) & set("DRC")
    }


def git(path: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", str(path), *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
