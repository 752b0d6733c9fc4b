"""Judges change coupling by a count of its own: python tests/judges/coupling.py CLONE ...

Reads `git log --raw` by itself and shares no code with cbvtool. For all files of HEAD that were added once and never
left or renamed, in five ranges of time:

count   commits of each file, commits of each pair, and commits in the range must be equal, pair by pair.
ranks   the same pairs by the documented formula of code-maat's `coupling` (A. Tornhill): shared commits divided by the
        mean of the commits of both files, in whole per cent, at least 5 commits shared, 5 on average and 30 %; the
        order is by that degree, then by the mean. The rank correlation (Kendall's tau-b) with our order by degree is
        printed, and how many pairs have another degree. code-maat itself is a Clojure program; it is not run here.

code-maat is fed a log without renames, as its manual says; so a commit that renamed 20 files touched 40 there, and is
left out. With --maat PROGRAM (the command of the package code-maat-python, installed elsewhere), that reimplementation
reads the whole log, and its degrees and order are compared, too.

Prints one Markdown table row per clone and range. Needs clones that you trust: it calls git directly.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from scipy.stats import kendalltau

from cbvtool.history.change_sets import CouplingChoice, change_sets
from cbvtool.history.coupling import file_couplings
from cbvtool.mining import read_changes

MOST = 30
YEAR = 365 * 24 * 60 * 60
HEADER = """\
| repository | range | commits | files | pairs | differing | pairs of code-maat | of another degree | tau |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


@dataclass(frozen=True)
class Commit:
    """One commit without a merge: its date, and what it did to which paths."""

    time: int
    entries: tuple[tuple[str, ...], ...]  # (status, path) or (status, old, new)

    @property
    def paths(self) -> set[str]:
        """Where the changed files lie after it."""
        return {entry[-1] for entry in self.entries}


def main(arguments: list[str] | None = None) -> int:
    """Print a row for each clone and range; 1 if any pair differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, nargs="+")
    parser.add_argument("--maat", metavar="PROGRAM", help="also compare with what this program says")
    options = parser.parse_args(arguments)
    print(HEADER)
    wrong = [judge(clone, options.maat) for clone in options.clone]
    return int(any(wrong))


def judge(clone: Path, maat: str | None = None) -> bool:
    """Print the rows of a clone; whether a pair differs."""
    commits, bare = log(clone, "-M", "-l500"), log(clone, "--no-renames")
    steady = steady_files(clone, commits)
    changes = read_changes(clone)
    row_of = {path: row for row, path in enumerate(changes.paths)}
    end = max(commit.time for commit in commits)
    begin = min(commit.time for commit in commits)
    third = (end - begin) // 3
    ranges = {
        "all": (begin, end),
        "last year": (end - YEAR, end),
        "first third": (begin, begin + third),
        "second third": (begin + third, begin + 2 * third),
        "one day": (end - end % 86_400 - 86_400, end - end % 86_400 - 1),
    }
    wrong = False
    for name, (since, until) in ranges.items():
        counted = [c for c in commits if since <= c.time <= until and 0 < len(c.entries) <= MOST]
        files, pairs = tally([commit.paths & steady for commit in counted])
        sets = change_sets(changes, CouplingChoice(since, until, MOST))
        found = file_couplings(sets, len(changes.paths))
        ours = {
            (changes.paths[a], changes.paths[b]): both
            for a, b, both in zip(found.first.tolist(), found.second.tolist(), found.both.tolist(), strict=True)
            if changes.paths[a] in steady and changes.paths[b] in steady
        }
        ours = {(min(pair), max(pair)): both for pair, both in ours.items()}
        differing = sum(ours.get(pair, 0) != pairs.get(pair, 0) for pair in ours.keys() | pairs.keys())
        differing += sum(int(found.times[row_of[path]]) != files.get(path, 0) for path in steady)
        differing += sets.count != len(counted)
        wrong |= differing > 0
        small = [c.paths & steady for c in bare if since <= c.time <= until and 0 < len(c.entries) <= MOST]
        theirs = code_maat(*tally(small))
        if maat and name == "all":
            said = {pair: value for pair, value in run_maat(maat, clone).items() if set(pair) <= steady}
            same = sum(theirs.get(pair, (0, 0))[0] == degree for pair, degree in said.items())
            print(f"{maat}: {len(said):,} pairs, {same:,} with the degree of the formula", file=sys.stderr)
            theirs = {pair: (degree, 0) for pair, degree in said.items()}
        degree = {
            pair: 2 * both / (int(found.times[row_of[pair[0]]]) + int(found.times[row_of[pair[1]]]))
            for pair, both in ours.items()
        }
        common = [pair for pair in theirs if pair in degree]
        other = sum(int(100 * degree[pair]) != theirs[pair][0] for pair in common) + len(theirs) - len(common)
        tau = kendalltau([degree[p] for p in common], [theirs[p][0] for p in common]).statistic if common else 1.0
        print(
            f"| {clone.name} | {name} | {sets.count:,} | {len(steady):,} | {len(pairs):,} | {differing:,} | "
            f"{len(theirs):,} | {other:,} | {tau:.4f} |",
            flush=True,
        )
    return wrong


def tally(touched: list[set[str]]) -> tuple[Counter[str], Counter[tuple[str, str]]]:
    """(commits of each file, commits of each pair of files)."""
    files, pairs = Counter[str](), Counter[tuple[str, str]]()
    for paths in touched:
        files.update(paths)
        pairs.update(combinations(sorted(paths), 2))
    return files, pairs


def code_maat(files: Counter[str], pairs: Counter[tuple[str, str]]) -> dict[tuple[str, str], tuple[int, int]]:
    """Pair -> (degree in per cent, mean of the commits, rounded up), in its order, with its usual limits."""
    found = {}
    for (a, b), shared in pairs.items():
        mean = (files[a] + files[b]) / 2
        degree = 100 * shared / mean
        if mean >= 5 and shared >= 5 and degree >= 30:
            found[a, b] = (int(degree), -int(-mean // 1))
    return dict(sorted(found.items(), key=lambda item: item[1], reverse=True))


def run_maat(maat: str, clone: Path) -> dict[tuple[str, str], int]:
    """Pair -> degree in per cent, as the program says, in its order."""
    with tempfile.TemporaryDirectory() as folder:
        text, table = Path(folder, "git.log"), Path(folder, "coupling.csv")
        arguments = (
            "log",
            "--no-merges",
            "--numstat",
            "--no-renames",
            "--date=short",
            "--pretty=format:--%h--%ad--%aN",
        )
        text.write_text(git(clone, *arguments), encoding="utf-8")
        subprocess.run([maat, "coupling", str(text), "-o", str(table)], check=True, capture_output=True)
        with table.open(encoding="utf-8", newline="") as rows:
            return {
                (min(row["entity"], row["coupled"]), max(row["entity"], row["coupled"])): int(row["degree"])
                for row in csv.DictReader(rows)
            }


def steady_files(clone: Path, commits: list[Commit]) -> set[str]:
    """Files of HEAD whose path was added once, and never left or was the end of a rename."""
    added, moved = Counter[str](), set[str]()
    for commit in commits:
        for status, *paths in commit.entries:
            if status[0] in "AC":
                added[paths[-1]] += 1
            if status[0] in "DR":
                moved.update(paths)
    files = git(clone, "ls-tree", "-r", "-z", "HEAD").split("\0")
    there = {entry.split("\t", 1)[1] for entry in files if entry and not entry.startswith("160000")}
    return {path for path in there if added[path] == 1 and path not in moved}


def log(clone: Path, *renames: str) -> list[Commit]:
    """All commits but merges."""
    text = git(clone, "log", "--no-merges", "--raw", "-z", *renames, "--no-abbrev", "--format=%x01%ct")
    commits = []
    for part in text.split("\1")[1:]:
        time, _, rest = part.partition("\0")
        words = [word for word in rest.lstrip("\n").split("\0") if word]
        entries, at = [], 0
        while at < len(words):
            status = words[at].rsplit(" ", 1)[1]
            count = 2 if status[0] in "RC" else 1
            entries.append((status, *words[at + 1 : at + 1 + count]))
            at += 1 + count
        commits.append(Commit(int(time), tuple(entries)))
    return commits


def git(clone: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


if __name__ == "__main__":
    sys.exit(main())
