"""Judges the tracking of plans on real refactorings: commits of public repositories that moved or renamed modules.

    python -m tests.judges.tracked_commits [--each N] [--others N] [--seed N] CLONE ...

Of each clone N commits (2) that move or rename Python files are drawn (git says which, `tests/judges/commits.py`), and
the same is planned on the parent of each. Every task has to be *open* there, and *done* at the commit. Then N commits
(2) before it that touch the same files and move none: planned on their parents, no task may be done, at them either.
Prints each that is otherwise. Exit status 1 if one is.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cbvtool.plan import History, group
from cbvtool.plan.document import Plan
from cbvtool.tracking import PlanProgress, read_progress
from tests.judges.commits import Commit, Repository, read_changes
from tests.judges.kept_graphs import analysed
from tests.judges.plan_commits import operations

MOST_FILES = 40  # that a commit moves; more is a new layout of the repository


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--each", type=int, default=2, help="refactorings of each clone")
    parser.add_argument("--others", type=int, default=2, help="other commits for each of them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "judge-plan")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    total = Counter[str]()
    for clone in options.clones:
        for judge in judged(Repository(clone.resolve()), options):
            total.update(judge)
    print(dict(total))
    return int(total["wrong"] > 0)


def judged(repository: Repository, options: argparse.Namespace) -> Iterator[Counter[str]]:
    listed = repository.git("log", "--no-merges", "-M", "--diff-filter=R", "--format=%H", "HEAD", "--", "*.py").split()
    random.Random(options.seed).shuffle(listed)
    found = 0
    for sha in listed:
        if found == options.each:
            return
        commit = repository.commit("python", sha, True)
        if commit is None or len(commit.moved) > MOST_FILES:
            continue
        plan = planned(repository, commit, commit.parent, options.cache)
        if plan is None:
            continue
        found += 1
        yield refactoring(repository, commit, plan, options.cache)
        for other in list(touching(repository, commit))[: options.others]:
            yield untouched(repository, commit, other, options.cache)


def planned(repository: Repository, commit: Commit, parent: str, cache: Path) -> Plan | None:
    """The plan that does on another commit what the commit did; None = what it moves is not all there."""
    graph = analysed(repository, parent, cache / f"{repository.name}-tracked", cache)
    plan, lacking = operations(graph, commit, "python")
    if lacking or not plan:
        return None
    history = History(graph, (group(graph, *plan),))
    return None if history.refusals else Plan("real", history.done, commit=parent)


def progress(repository: Repository, plan: Plan, at: str, cache: Path) -> PlanProgress:
    return read_progress(repository.path, plan, plan.commit, at=at, cache=cache / "analysis")


def refactoring(repository: Repository, commit: Commit, plan: Plan, cache: Path) -> Counter[str]:
    """The marks at the parent and at the commit."""
    counts = Counter(refactorings=1)
    for at, wanted in ((commit.parent, "open"), (commit.sha, "done")):
        found = progress(repository, plan, at, cache)
        for task, mark in zip(found.tasks, found.now.marks, strict=True):
            counts[f"{wanted} where it has to be"] += mark.state == wanted
            if mark.state != wanted:
                counts["wrong"] += 1
                said = f"{mark.words} at {at[:9]}, not {wanted}; {mark.reason}"
                print(f"{repository.name} {commit.sha[:9]}: {task.title}: {said}")
    print(f"{repository.name} {commit.sha[:9]}: {len(commit.moved)} files, {len(found.tasks)} tasks", flush=True)
    return counts


def touching(repository: Repository, commit: Commit) -> Iterator[str]:
    """Commits before this one that change files which it moves, and move none."""
    paths = list(commit.moved)[:20]
    for sha in repository.git("log", "--no-merges", "-n", "40", "--format=%H", commit.parent, "--", *paths).split():
        try:
            text = repository.git("diff-tree", "-r", "-p", "-U0", "-M", "--no-ext-diff", f"{sha}^1", sha)
        except subprocess.CalledProcessError:  # the first commit of all has no parent
            continue
        changes = list(read_changes(text))
        if all(change.old == change.new for change in changes):
            yield sha


def untouched(repository: Repository, commit: Commit, other: str, cache: Path) -> Counter[str]:
    """The marks at a commit that does nothing of the plan."""
    parent = repository.git("rev-parse", f"{other}^1").strip()
    plan = planned(repository, commit, parent, cache)
    if plan is None:
        return Counter()
    found = progress(repository, plan, other, cache)
    counts = Counter({"other commits": 1})
    for task, mark in zip(found.tasks, found.now.marks, strict=True):
        counts["not done where nothing was"] += mark.state != "done"
        if mark.state != "open":
            counts["wrong"] += 1
            print(f"{repository.name} {other[:9]}: {task.title}: {mark.words}, and the commit did nothing of it")
    return counts


if __name__ == "__main__":
    sys.exit(main())
