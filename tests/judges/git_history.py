"""Judges the history that cbvtool reads by what git itself says: python tests/judges/git_history.py CLONE ...

For every file of HEAD the set of commits that touched it is compared with three others, none of which shares
code with cbvtool:

plain   `git log --full-history --no-merges -- PATH`: all commits that touched this very path. Files whose path
        was added once and never left must have exactly these.
follow  `git log --follow --no-merges -- PATH`, which takes copies for renames and knows one name at a time, also
        where branches ran in parallel: no oracle, a second opinion.
graph   renames propagated from HEAD to every parent along each edge of the commit graph (`git diff-tree`), so that
        each branch knows its own names: exact where git's rename detection is, too costly on large histories.

Prints one Markdown table row per clone. Needs clones that you trust: it calls git directly.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from cbvtool.mining import read_changes

HEADER = """\
| repository | commits | files | touches | only own name | plain equal | follow equal | graph equal | \
graph: touches missed | graph: touches too many |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clone", type=Path, nargs="+")
    parser.add_argument("--no-follow", action="store_true", help="skip the slow comparison with git log --follow")
    parser.add_argument("--list", type=int, default=0, metavar="N", help="also list N files that differ from graph")
    options = parser.parse_args(arguments)
    print(HEADER)
    reports = [judge(clone, options.no_follow) for clone in options.clone]
    for why, differing in reports:
        print(*why, *differing[: options.list], sep="\n")
    return 0


def judge(clone: Path, no_follow: bool) -> tuple[list[str], list[str]]:
    """Prints the row; returns how `follow` differs, and the files that differ from `graph`."""
    changes = read_changes(clone)
    ours: dict[str, set[str]] = {path: set() for path in changes.paths}
    for commit, path in zip(changes.touch_commit.tolist(), changes.touch_path.tolist(), strict=True):
        ours[changes.paths[path]].add(changes.sha[commit])
    files = set(git(clone, "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")) - {""}
    modes = git(clone, "ls-tree", "-r", "-z", "HEAD").split("\0")
    files -= {entry.split("\t", 1)[1] for entry in modes if entry.startswith("160000")}
    assert files == set(ours), "the files of HEAD differ"

    plain, steady = by_path(clone, files)
    graph = by_graph(clone, files)
    missed = {path: graph[path] - ours[path] for path in files}
    surplus = {path: ours[path] - graph[path] for path in files}
    follow = {} if no_follow else {path: followed(clone, path) for path in files}
    touches = sum(map(len, ours.values()))
    row = [
        clone.name,
        f"{len(changes.sha):,}",
        f"{len(files):,}",
        f"{touches:,}",
        f"{sum(len(plain[p]) for p in files):,}",
        ratio(sum(plain[p] == ours[p] for p in steady), len(steady)),
        "-" if no_follow else ratio(sum(follow[p] == ours[p] for p in files), len(files)),
        ratio(sum(graph[p] == ours[p] for p in files), len(files)),
        ratio(sum(map(len, missed.values())), touches),
        ratio(sum(map(len, surplus.values())), touches),
    ]
    print("| " + " | ".join(row) + " |", flush=True)
    kinds = Counter(difference(ours[p], follow[p], graph[p]) for p in follow if follow[p] != ours[p])
    why = [f"{clone.name}: follow: {kind}: {number} files" for kind, number in kinds.most_common()]
    worst = sorted(files, key=lambda p: -len(missed[p] ^ surplus[p]))
    return why, [
        f"{clone.name}: {p}: {len(ours[p])} ours, {len(missed[p])} missed {sorted(missed[p])[:2]}, "
        f"{len(surplus[p])} too many {sorted(surplus[p])[:2]}"
        for p in worst
        if missed[p] or surplus[p]
    ]


def by_path(clone: Path, files: set[str]) -> tuple[dict[str, set[str]], list[str]]:
    """Commits under today's very path; and the paths that were added once and never left or arrived at."""
    touched: dict[str, set[str]] = defaultdict(set)
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    log = git(clone, "log", "--full-history", "--no-merges", "--raw", "-M", "-l0", "-z", "--format=%x01%H")
    for block in log.split("\1")[1:]:
        sha, *pieces = block.split("\0")
        for status, old, new in changes_in(iter(pieces)):
            touched[new].add(sha)
            seen[new][status] += 1
            seen[old][status] += old != new
    once = [p for p in files if seen[p]["A"] == 1 and not seen[p]["D"] and not seen[p]["R"]]
    return touched, once


def by_graph(clone: Path, files: set[str]) -> dict[str, set[str]]:
    """Commits of each file, names carried from every commit to each of its parents."""
    commits = [line.split() for line in git(clone, "rev-list", "--topo-order", "--parents", "HEAD").splitlines()]
    pairs = [(sha, parent) for sha, *parents in commits for parent in parents or [""]]
    stdin = "".join(f"{sha} {parent}".strip() + "\n" for sha, parent in pairs)
    output = git(clone, "diff-tree", "--stdin", "--root", "--always", "-r", "-M", "-l0", "-z", "--raw", stdin=stdin)
    differences = per_pair(output.split("\0"), pairs)

    touched: dict[str, set[str]] = {path: set() for path in files}
    pending: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
    pending[commits[0][0]] = {path: frozenset((path,)) for path in files}
    for sha, *parents in commits:
        names = pending.pop(sha)
        for parent in parents or [""]:
            earlier = dict(names)
            found = next(differences)
            for status, _, new in found:
                if len(parents) < 2:
                    for file in names.get(new, ()):
                        touched[file].add(sha)
                if status in "AR":
                    earlier.pop(new, None)
            for status, old, new in found:
                if status == "R" and new in names:
                    earlier[old] = earlier.get(old, frozenset()) | names[new]
            known = pending[parent]
            for path, belongs in earlier.items():
                known[path] = known[path] | belongs if path in known else belongs
    return touched


def per_pair(pieces: list[str], pairs: list[tuple[str, str]]) -> Iterator[list[tuple[str, str, str]]]:
    """The changes between each commit and one parent, in the order they were asked for."""
    at = 0
    for sha, _ in pairs:
        assert pieces[at].strip() == sha, (pieces[at], sha)
        start = at = at + 1
        while at < len(pieces) and pieces[at].lstrip("\n").startswith(":"):
            at += 3 if pieces[at].rsplit(" ", 1)[1][0] in "RC" else 2
        yield list(changes_in(iter(pieces[start:at])))


def changes_in(pieces: Iterator[str]) -> Iterator[tuple[str, str, str]]:
    """(status letter, old path, new path) of raw entries."""
    for piece in pieces:
        if piece.lstrip("\n").startswith(":"):
            status = piece.rsplit(" ", 1)[1][0]
            old = next(pieces)
            yield status, old, next(pieces) if status in "RC" else old


def difference(ours: set[str], follow: set[str], graph: set[str]) -> str:
    """In what way `git log --follow` differs for one file, and whom the commit graph supports."""
    way = "has more commits" if follow > ours else "has fewer commits" if follow < ours else "has other commits"
    return way + (", graph agrees with us" if graph == ours else ", graph agrees with it" if graph == follow else "")


def followed(clone: Path, path: str) -> set[str]:
    return set(git(clone, "log", "--follow", "--no-merges", "--format=%H", "--", path).split())


def git(clone: Path, *arguments: str, stdin: str = "") -> str:
    done = subprocess.run(["git", "-C", str(clone), *arguments], check=True, capture_output=True, input=stdin.encode())
    return done.stdout.decode("utf-8", "surrogateescape")


def ratio(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.2%})" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
