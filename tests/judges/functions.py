"""Judge of functions ranked by commits: what `git log -L` says of the same lines.

    python tests/judges/functions.py CLONE FILE [COUNT]

For the first COUNT functions of `cbvtool hotspots CLONE --file FILE`: commits that both name, and only one of them.
`git log -L` follows lines backwards; it shares no code with cbvtool. Run it on clones that you trust: git is called in
them.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

from cbvtool import mining
from cbvtool.analysis import analyze
from cbvtool.evolution.functions import commits_by_function


def by_git(clone: Path, file: str, first: int, last: int) -> set[str]:
    """Commits that changed a line of the range, merges left out."""
    call = ["git", "-C", str(clone), "log", "--no-merges", "-s", "--format=%H", f"-L{first},{last}:{file}"]
    return set(subprocess.run(call, check=True, capture_output=True, text=True).stdout.split())


def main() -> None:
    """Print a row for each function, and the sums."""
    clone, file = Path(sys.argv[1]), sys.argv[2]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    graph, changes = analyze(clone, cache=True), mining.read_changes(clone)
    rows, commits = commits_by_function(clone, graph, changes, graph.key_of[file])
    both = ours_only = git_only = 0
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(("function", "both", "cbvtool alone", "git log -L alone"))
    for row in rows[:most]:
        name = graph.ids[row.key].partition("::")[2]
        ours = {changes.sha[commit] for commit in commits.get(name, ())}
        theirs = by_git(clone, file, int(graph.line[row.key]), int(graph.end_line[row.key]))
        out.writerow((name, len(ours & theirs), len(ours - theirs), len(theirs - ours)))
        both, ours_only, git_only = (
            both + len(ours & theirs),
            ours_only + len(ours - theirs),
            git_only + len(theirs - ours),
        )
    out.writerow(("sum", both, ours_only, git_only))


if __name__ == "__main__":
    main()
