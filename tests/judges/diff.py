"""Versions compared (`cbvtool diff`), against two separate analyses of folders that git checked out, and `git diff -M`.

    python -m tests.judges.diff [--clones FOLDER] [--repo CLONE A B]

Files and relations that were added and removed must be the set differences of what `cbvtool.analyze` finds in the two
folders, once moved files are taken to be the same; moved and changed files must be those of `git diff -M`. Without
`--repo`, two releases of each of five public repositories in five languages are compared; their clones lie in FOLDER,
by name.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Set
from pathlib import Path

import cbvtool

RELEASES = {  # name -> (language, release before, release after)
    "pallets/flask": ("Python", "2.0.0", "3.0.0"),
    "jqlang/jq": ("C", "jq-1.6", "jq-1.7"),
    "google/gson": ("Java", "gson-parent-2.8.9", "gson-parent-2.10"),
    "axios/axios": ("JavaScript", "v0.27.2", "v1.6.0"),
    "rollup/rollup": ("TypeScript", "v2.79.0", "v3.29.0"),
}
Relation = tuple[str, str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repo", nargs=3, metavar=("CLONE", "A", "B"))
    parser.add_argument("--clones", type=Path, default=Path("clones"), metavar="FOLDER")
    chosen = parser.parse_args()
    if chosen.repo:
        cases = [("", Path(chosen.repo[0]), *chosen.repo[1:])]
    else:
        cases = [(code, clone(chosen.clones, name), a, b) for name, (code, a, b) in RELEASES.items()]
    faults = 0
    for code, repo, before, after in cases:
        wrong = judge(repo, before, after)
        faults += len(wrong)
        print(f"{repo} {code} {before}..{after}: {'; '.join(wrong[:5]) or 'equal'}", flush=True)
    return 1 if faults else 0


def clone(folder: Path, name: str) -> Path:
    """Where the clone of a repository lies: `name`, `owner+name/repo`, or a bare one."""
    owner, _, short = name.partition("/")
    places = (folder / short, folder / f"{owner}+{short}" / "repo", folder / f"{short}.git")
    return next((place for place in places if place.is_dir()), places[0])


def judge(repo: Path, before: str, after: str) -> list[str]:
    """What is wrong, one sentence each."""
    with tempfile.TemporaryDirectory() as scratch:
        said = json.loads(
            run(
                sys.executable,
                "-m",
                "cbvtool",
                "diff",
                before,
                after,
                str(repo),
                "--format",
                "json",
                "--cache",
                scratch,
            )
        )
        files, relations = zip(
            *(separately(repo, name, Path(scratch, side)) for side, name in (("before", before), ("after", after))),
            strict=True,
        )
    everywhere, edited = by_git(repo, before, after)
    moved = {old: new for old, new in everywhere.items() if old in files[0] and new in files[1]}
    if len(moved) < len(everywhere):
        print(f"  {len(everywhere) - len(moved)} moved files are in no picture (left out, as node_modules is)")
    nodes, edges = said["nodes"], said["relations"]
    wrong = []
    ours = {(one["from"], one["to"]) for one in (*nodes["moved"], *nodes["renamed"]) if one["from"] in files[0]}
    if ours != set(moved.items()):
        wrong.append(f"moved files differ: {sorted(ours ^ set(moved.items()))[:3]}")
    changed = {(one["from"], one["id"]) for one in nodes["changed"] if one["id"] in files[1]}
    theirs = {(old, new) for old, new in edited if old in files[0] and new in files[1]}
    wrong += unequal("files changed", changed, theirs)
    everything = files[0] | files[1]
    wrong += unequal("files added", set(nodes["added"]) & everything, files[1] - files[0] - set(moved.values()))
    wrong += unequal("files removed", set(nodes["removed"]) & everything, files[0] - files[1] - set(moved))

    def follow(node: str) -> str:
        file, colons, name = node.partition("::")
        return f"{moved.get(file, file)}{colons}{name}"

    was = {(follow(source), follow(target), kind): (source, target, kind) for source, target, kind in relations[0]}
    wrong += unequal("relations added", triples(edges["added"]), relations[1] - was.keys())
    gone = {was[one] for one in was.keys() - relations[1]}
    wrong += unequal("relations removed", triples(edges["removed"]), gone)
    kept = {(old, new) for new, old in was.items() if new in relations[1] and new != old}
    pairs = {(triple(one["from"]), triple(one["to"])) for one in edges["moved"]}
    wrong += unequal("relations moved", pairs, kept)
    print(
        f"  {len(nodes['added'])} nodes added, {len(nodes['removed'])} removed, {len(moved)} files moved, "
        f"{len(changed)} changed, "
        f"{len(edges['added'])} relations added, {len(edges['removed'])} removed, {len(edges['moved'])} moved"
    )
    return wrong


def separately(repo: Path, version: str, folder: Path) -> tuple[set[str], set[Relation]]:
    """(ids of files, relations) of a version that git has checked out into a folder with the name of the clone."""
    target = folder / "subject"
    run("git", "clone", "-q", "--shared", "--no-checkout", str(repo), str(target))
    run("git", "-C", str(target), "checkout", "-q", f"{version}^{{commit}}")
    graph = cbvtool.analyze(target, history=False)
    files = {id_ for key, id_ in enumerate(graph.ids) if graph.kind(key) == "file"}
    edges = graph.edges
    ends = zip(edges.source.tolist(), edges.target.tolist(), edges.kind.tolist(), strict=True)
    return files, {(graph.ids[source], graph.ids[target], edges.kind_names[kind]) for source, target, kind in ends}


def by_git(repo: Path, before: str, after: str) -> tuple[dict[str, str], set[tuple[str, str]]]:
    """As `git diff -M` says: (old path -> new path of moved files, both paths of files with other contents)."""
    said = run("git", "-C", str(repo), "diff", "-M", "--raw", "--no-abbrev", "-z", before, after)
    moved, edited = dict[str, str](), set[tuple[str, str]]()
    parts = iter(said.split("\0")[:-1])
    for entry in parts:
        _, _, was, now, status = entry.split()
        old = next(parts)
        new = next(parts) if status[0] in "RC" else old
        if status[0] == "R":
            moved[old] = new
        if status[0] in "MRT" and was != now:
            edited.add((old, new))
    return moved, edited


def unequal(what: str, ours: Set[object], theirs: Set[object]) -> list[str]:
    """A sentence where two sets differ."""
    if ours == theirs:
        return []
    return [
        f"{what}: {len(ours - theirs)} too many {sorted(map(str, ours - theirs))[:2]}, "
        f"{len(theirs - ours)} missing {sorted(map(str, theirs - ours))[:2]}"
    ]


def triples(relations: list[dict[str, str]]) -> set[object]:
    return {triple(one) for one in relations}


def triple(relation: dict[str, str]) -> Relation:
    return relation["source"], relation["target"], relation["kind"]


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
