"""Commits, lines and authors of each file in five ranges, against plain git: make judge-history REPO=clones

An independent script: one `git log --numstat` without anything of cbvtool, read line by line. Compared are the files
that were added once and never left their path or arrived at it by a rename. Exits with 1 when a row differs.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import subprocess
import sys
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from cbvtool.cli.arguments import moment
from cbvtool.history.choosing import Choice
from cbvtool.history.files import file_rows
from cbvtool.metrics.history.last_change import day
from cbvtool.mining import Changes, read_changes, read_churn


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, nargs="*", default=[Path(__file__).resolve().parents[2]])
    wrong = sum(judge(clone) for clone in parser.parse_args(arguments).clone)
    return 1 if wrong else 0


def judge(clone: Path) -> int:
    """Prints a row for each range; the number of files that differ in any."""
    commits, steady = plain(clone)
    changes = read_changes(clone)
    changes = replace(changes, churn=read_churn(clone, changes))
    days = sorted(when for when, _, _ in commits)
    cuts = [days[0], *(days[len(days) * part // 5] for part in range(1, 5)), days[-1]]
    wrong = 0
    ranges = [*itertools.pairwise(cuts)]
    for since, until in ranges:
        expected = table(commits, steady, since, until)
        found = ours(changes, since, until)
        touched = {path for path in found if path in steady} | set(expected)
        differing = [path for path in sorted(touched) if found.get(path) != expected.get(path)]
        wrong += len(differing)
        print(f"{clone.name} {since} to {until}: {len(touched) - len(differing):,} of {len(touched):,} files equal")
        for path in differing[:5]:
            print(f"    {path}: ours {found.get(path)}, git {expected.get(path)}")
    return wrong


Row = tuple[int, int, int, int, str, str]
Commit = tuple[datetime.date, str, list[tuple[str, int, int]]]


def table(commits: list[Commit], steady: set[str], since: datetime.date, until: datetime.date) -> dict[str, Row]:
    """path -> (commits, added, deleted, authors, first day, last day) of the commits from `since` to `until`."""
    seen: dict[str, list[tuple[datetime.date, str, int, int]]] = defaultdict(list)
    for when, author, files in commits:
        if since <= when <= until:
            for path, added, deleted in files:
                if path in steady:
                    seen[path].append((when, author, added, deleted))
    return {
        path: (
            len(rows),
            sum(row[2] for row in rows),
            sum(row[3] for row in rows),
            len({row[1] for row in rows}),
            min(row[0] for row in rows).isoformat(),
            max(row[0] for row in rows).isoformat(),
        )
        for path, rows in seen.items()
    }


def plain(clone: Path) -> tuple[list[Commit], set[str]]:
    """The commits (day UTC of the committer, author, files) and the files of HEAD that were never renamed."""
    entries = git(clone, "ls-tree", "-r", "-z", "HEAD").split("\0")
    there = {entry.split("\t", 1)[1] for entry in entries if entry and not entry.startswith("160000")}  # no submodules
    log = git(clone, "log", "--no-merges", "-M", "-z", "--numstat", "--format=%x01%ct%x02%aE")
    commits: list[Commit] = []
    for block in log.split("\1")[1:]:
        head, *pieces = block.split("\0")
        time, author = head.split("\2")
        when = datetime.datetime.fromtimestamp(int(time), datetime.UTC).date()
        files: list[tuple[str, int, int]] = []
        rest = iter(pieces)
        for piece in rest:
            if piece.count("\t") < 2:
                continue
            added, deleted, path = piece.lstrip("\n").split("\t", 2)
            if not path:
                _, path = next(rest), next(rest)
            files.append((path, int(added) if added.isdigit() else 0, int(deleted) if deleted.isdigit() else 0))
        commits.append((when, author.strip(), files))
    moves: dict[str, list[str]] = defaultdict(list)
    pieces = git(clone, "log", "--no-merges", "--raw", "-M", "-z", "--format=").split("\0")
    changed = iter(pieces)
    for piece in changed:
        if not piece.lstrip("\n").startswith(":"):
            continue
        letter = piece.rsplit(" ", 1)[1][0]
        path = next(changed)
        moves[path].append(letter)
        if letter in "RC":
            moves[next(changed)].append(letter)
    return commits, {path for path in there if moves[path].count("A") == 1 and not set(moves[path]) & set("DRC")}


def ours(changes: Changes, since: datetime.date, until: datetime.date) -> dict[str, Row]:
    """The rows of `cbvtool history` for days that count whole."""
    choice = Choice(moment(str(since), None), moment(str(until), None, last=True))
    rows = file_rows(changes, choice)
    columns = (rows.path, rows.commits, rows.added, rows.deleted, rows.authors, rows.first, rows.last)
    return {
        changes.paths[path]: (commits, added, deleted, authors, day(first), day(last))
        for path, commits, added, deleted, authors, first, last in zip(*(c.tolist() for c in columns), strict=True)
    }


def git(clone: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(clone), *arguments], check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
