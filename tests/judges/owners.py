"""Judges the values of groups by what git itself counts: python tests/judges/owners.py CLONE ...

Files are grouped by owner (`cbvtool render --hierarchy owners`). The commits of a group are those that touched any of
its files, each counted once, and its authors those of these commits; `git shortlog -se -- FILES` counts the same.
Files that had another name once are left out: shortlog knows today's names alone.

Prints one Markdown table row per clone. Needs clones that you trust: it calls git directly.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from git_history import by_path, git

from cbvtool.graph import REMOVED
from cbvtool.hierarchies import hierarchy
from cbvtool.metrics import evaluate
from cbvtool.metrics.metric import Subject
from cbvtool.project import open_project

HEADER = """\
| repository | files | owners | commits of all groups | git's | groups equal in commits | in authors |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def main(clones: list[str]) -> int:
    print(HEADER)
    agree = [judge(Path(clone)) for clone in clones]
    return 0 if all(agree) else 1


def judge(clone: Path) -> bool:
    """Prints the row; whether all groups agree."""
    project = open_project(clone)
    changes, graph = project.changes, project.graph
    assert changes is not None
    files = {path: key for key, path in enumerate(graph.ids) if graph.kind(key) == "file" and path in changes.paths}
    steady = set(by_path(clone, set(files))[1])
    parent = np.array(graph.parent)
    for path, key in files.items():
        if path not in steady:
            parent[graph.subtree(key)] = REMOVED
    shown = hierarchy(graph.with_(parent=parent), changes, "owners").graph
    commits, authors = (evaluate(name, Subject(shown, changes)) for name in ("commits", "authors"))
    groups = [key for key in shown.children(shown.root).tolist() if shown.ids[key].startswith("owner:")]
    rows = []
    for key in groups:
        members = [path for path in steady if shown.parent[files[path]] == key]
        if not members:  # what has no history
            continue
        said = git(clone, "shortlog", "-se", "--no-merges", "--full-history", "HEAD", "--", *members).splitlines()
        people = {line.rpartition("<")[2].lower() for line in said}  # one may have several names
        rows.append((int(commits[key]), sum(int(line.split()[0]) for line in said), int(authors[key]), len(people)))
    equal = [sum(row[at] == row[at + 1] for row in rows) for at in (0, 2)]
    print(
        f"| {clone.name} | {len(steady):,} | {len(rows):,} | {sum(row[0] for row in rows):,} | "
        f"{sum(row[1] for row in rows):,} | {equal[0]:,} | {equal[1]:,} |"
    )
    return equal == [len(rows)] * 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
