"""Commits of a git repository that move or rename files, or rename a function or class, as `git -M` tells them.

Git is called directly: for repositories that you trust. Nothing here shares code with cbvtool.
"""

from __future__ import annotations

import difflib
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

SUFFIXES = {
    "python": (".py",),
    "java": (".java",),
    "javascript": (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"),
    "c": (".c", ".h"),
}
MOST_PAIRS = 10  # renamed definitions in a commit; more is a change of style, not a refactoring
ALIKE = 0.6  # of two bodies, the old name replaced
ALIKE_LINE = 0.75  # of two definition lines, the old name replaced

# A line that defines something: its name in the first group that matched.
DEFINITIONS = {
    "python": re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)"),
    "java": re.compile(
        r"^\s*(?:@\w+\s+)*(?:(?:public|protected|private|static|final|abstract|synchronized|native|default)\s+)*"
        r"(?:(?:class|interface|enum|record)\s+(\w+)|(?!return|new|else|throw)(?:<[^()]*>\s*)?[\w.]+(?:<[^()]*>)?(?:\[\])*"
        r"\s+(\w+)\s*\([^;]*$|(?!return|new|else|throw)(?:[\w.<>\[\]]+)\s+(\w+)\s*\([^()]*\)\s*;)"
    ),
    "javascript": re.compile(
        r"^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?"
        r"(?:(?:async\s+)?function\*?\s+(\w+)\s*[(<]|(?:class|interface)\s+(\w+)"
        r"|(?:const|let|var)\s+(\w+)\s*(?::[^=]+)?=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]+)?=>|\w+\s*=>)"
        r"|(?:[\w.]+\.)(\w+)\s*=\s*(?:async\s*)?function\b"
        r"|(?!if|for|while|switch|catch|function|return)(?:(?:static|async|get|set|public|private|protected)\s+)*"
        r"(\w+)\s*\([^()]*\)\s*(?::[^{=]+)?\{\s*$)"
    ),
    "c": re.compile(
        r"^(?!return\b|else\b|if\b|while\b|for\b|switch\b|typedef\b)(?:[A-Za-z_][\w\s*]*?[\s*])?(\w+)\s*\([^;]*$"
    ),
}


class Hunk(NamedTuple):
    """Lines from `old_start` on gave way to lines from `new_start` on (both counted from 1; without context)."""

    old_start: int
    removed: tuple[str, ...]
    new_start: int
    added: tuple[str, ...]


class Change(NamedTuple):
    """What a commit did to one file; `old` or `new` is empty where it was added or deleted."""

    old: str
    new: str
    hunks: tuple[Hunk, ...]


class Definition(NamedTuple):
    """A function or class called `old` that the commit calls `new`; `line` in `file` as of the parent."""

    file: str
    line: int
    old: str
    new: str


class Commit(NamedTuple):
    """A commit that qualifies by what it moves or renames; the real lines are still to be counted.

    moved    old path -> new path, of files in the language
    defined  renamed definitions; only where no file moved
    """

    sha: str
    parent: str
    moved: dict[str, str]
    defined: tuple[Definition, ...]
    changes: tuple[Change, ...]


class Repository:
    """A repository with history, bare or not."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.parent.name if path.name == "repo" else path.name.removesuffix(".git")
        self.text = lru_cache(4_000)(self._text)

    def git(self, *arguments: str, stdin: str | None = None, environment: dict[str, str] | None = None) -> str:
        """What git prints, for these arguments."""
        done = subprocess.run(
            ["git", "-C", str(self.path), *arguments],
            check=True,
            capture_output=True,
            input=None if stdin is None else stdin.encode(),
            env={**os.environ, "GIT_CONFIG_NOSYSTEM": "1", **(environment or {})},
        )
        return done.stdout.decode("utf-8", "surrogateescape")

    def files(self, sha: str) -> tuple[str, ...]:
        """Paths of all files of a commit."""
        return tuple(name for name in self.git("ls-tree", "-r", "-z", "--name-only", sha).split("\0") if name)

    def _text(self, sha: str, path: str) -> str:
        """Text of a file as of a commit; empty where there is none."""
        try:
            return self.git("show", f"{sha}:{path}")
        except subprocess.CalledProcessError:
            return ""

    def check_out(self, sha: str, folder: Path) -> None:
        """Let `folder` hold the files of a commit and no others; what is there already is not written again."""
        folder.mkdir(parents=True, exist_ok=True)
        self.git(
            f"--work-tree={folder.resolve()}",
            "-c",
            "core.bare=false",
            "-c",
            "advice.detachedHead=false",
            "read-tree",
            "--reset",
            "-u",
            sha,
            environment={"GIT_INDEX_FILE": str(folder.resolve()) + ".index"},
        )

    def commits(self, code: str, renames_of_files: bool) -> Iterator[Commit]:
        """Those that move or rename files, or else those that rename definitions, by order of commit id."""
        patterns = [f"*{suffix}" for suffix in SUFFIXES[code]]
        filters = ["--diff-filter=R"] if renames_of_files else []
        log = self.git("log", "--no-merges", "-M", "--format=%H %P", *filters, "HEAD", "--", *patterns)
        for line in sorted(log.splitlines()):
            sha, _, parent = line.partition(" ")
            if parent and " " not in parent:
                commit = self.commit(code, sha, renames_of_files)
                if commit is not None:
                    yield commit

    def commit(self, code: str, sha: str, renames_of_files: bool) -> Commit | None:
        """One commit, if there is such a one, and if it is of that kind."""
        try:
            sha, parent = self.git("rev-parse", "--quiet", f"{sha}^{{commit}}", f"{sha}^1").split()
        except (subprocess.CalledProcessError, ValueError):
            return None
        changes = tuple(read_changes(self._differences(parent, sha)))
        moved = {c.old: c.new for c in changes if c.old and c.new and c.old != c.new and _is(code, c.old, c.new)}
        if renames_of_files:
            return Commit(sha, parent, moved, (), changes) if moved else None
        defined = () if moved else tuple(self._defined(code, sha, parent, changes))
        few = 0 < len({(definition.old, definition.new) for definition in defined}) <= MOST_PAIRS
        return Commit(sha, parent, {}, defined, changes) if few else None

    def _differences(self, parent: str, sha: str) -> str:
        options = ("-r", "-p", "-U0", "-M", "-l0", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/")
        return self.git("-c", "core.quotePath=false", "diff-tree", *options, "--dst-prefix=b/", parent, sha)

    def _defined(self, code: str, sha: str, parent: str, changes: Sequence[Change]) -> Iterator[Definition]:
        """Definitions whose name alone gave way to another: same place and signature, similar body, used elsewhere."""
        gone, come = (
            [
                (change, hunk, at, name)
                for change in changes
                if change.old == change.new and _is(code, change.old)
                for hunk in change.hunks
                for at, text in enumerate(lines(hunk))
                if (name := defined_name(code, text))
            ]
            for lines in (lambda hunk: hunk.removed, lambda hunk: hunk.added)
        )
        names_gone, names_come = {entry[3] for entry in gone}, {entry[3] for entry in come}
        for change, hunk, at, old in gone:
            if old in names_come or len(old) < 3:
                continue
            for other, hunk_too, there, new in come:
                if other is change and hunk_too is hunk and new not in names_gone and len(new) >= 3:
                    before, after = hunk.old_start + at, hunk.new_start + there
                    if self._same_but_for_the_name(change, sha, parent, (before, after), (old, new)):
                        if any(_replaced(other, old, new) for other in changes if other is not change):
                            yield Definition(change.old, before, old, new)
                        break

    def _same_but_for_the_name(
        self, change: Change, sha: str, parent: str, lines: tuple[int, int], names: tuple[str, str]
    ) -> bool:
        before = self.text(parent, change.old).split("\n")[lines[0] - 1 : lines[0] + 9]
        after = self.text(sha, change.new).split("\n")[lines[1] - 1 : lines[1] + 9]
        before = [renamed(line, *names) for line in before]
        if not before or not after or alike(before[0], after[0]) < ALIKE_LINE:
            return False
        return alike("\n".join(before[1:]), "\n".join(after[1:])) >= ALIKE


def defined_name(code: str, line: str) -> str:
    """The name that a line defines; empty if it defines none."""
    match = DEFINITIONS[code].match(line)
    return next((name for name in match.groups() if name), "") if match else ""


def renamed(text: str, old: str, new: str) -> str:
    """The text with one whole word replaced."""
    return re.sub(rf"(?<![\w$]){re.escape(old)}(?![\w$])", new.replace("\\", r"\\"), text)


def alike(one: str, other: str) -> float:
    """How similar two texts are, 0 to 1."""
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio()


def _replaced(change: Change, old: str, new: str) -> bool:
    """Whether somewhere in the file one word gave way to the other, and nothing else changed."""
    return any(
        renamed(line, old, new) != line and renamed(line, old, new) in hunk.added
        for hunk in change.hunks
        for line in hunk.removed
    )


def _is(code: str, *paths: str) -> bool:
    return all(path.endswith(SUFFIXES[code]) for path in paths)


def read_changes(differences: str) -> Iterator[Change]:
    """The changes in what `git diff -p -U0 -M` prints. Files that are binary have no hunks."""
    old = new = ""
    hunks: list[Hunk] = []
    rows = differences.split("\n")
    at, begun = 0, False
    while at < len(rows):
        row = rows[at]
        at += 1
        if row.startswith("diff --git "):
            if begun:
                yield Change(old, new, tuple(hunks))
            begun, old, new, hunks = True, "", "", []
            match = re.fullmatch(r"diff --git a/(.*) b/\1", row)
            if match:
                old = new = match[1]
        elif row.startswith("new file"):
            old = ""
        elif row.startswith("deleted file"):
            new = ""
        elif row.startswith("rename from "):
            old = row.removeprefix("rename from ")
        elif row.startswith("rename to "):
            new = row.removeprefix("rename to ")
        elif match := re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", row):
            removed, added = (int(match[group] or 1) for group in (2, 4))
            sides: dict[str, list[str]] = {"-": [], "+": []}
            while len(sides["-"]) < removed or len(sides["+"]) < added:
                if rows[at][:1] in sides:
                    sides[rows[at][0]].append(rows[at][1:])
                at += 1
            hunks.append(Hunk(int(match[1]), tuple(sides["-"]), int(match[3]), tuple(sides["+"])))
    if begun:
        yield Change(old, new, tuple(hunks))
