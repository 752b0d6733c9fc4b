"""Judges the file-level import edges of JavaScript and TypeScript by those of dependency-cruiser.

    python tests/judges/javascript_imports.py [--show N] [FOLDER ...]

FOLDER is a checkout. Without any: three packages that ship their sources, which npm fetches. dependency-cruiser comes
from npm too, into out/judge-js, in the version below.

A copy of the checkout gets the links in `node_modules` that `npm install` would make to the
packages of its own workspaces, as its `package.json`, `pnpm-workspace.yaml` or `lerna.json` name them; nothing else is
installed. Every file is judged with its nearest `tsconfig.json`. Compared are the edges between files of the checkout,
those to JSON and styles included, guesses left out. Put aside, and counted: files that dependency-cruiser cannot parse,
and edges resolved here by a rule of thumb that it has not. Prints one Markdown table row per checkout, then the edges
that are in one of the two only. Exit status 1 when precision or recall is below 0.98.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from cbvtool.analysis import analyze
from cbvtool.analysis.languages.javascript.modules import parse_json
from cbvtool.graph import EXTERNAL, Confidence, Graph

REQUIRED = 0.98
TOOLS = Path(__file__).parents[2] / "out" / "judge-js"
PACKAGES = ("dependency-cruiser@16.10.4", "typescript@5.9.3")
DEFAULT = ("rxjs@7.8.2", "three@0.180.0", "webpack@5.102.1")  # TypeScript; ES modules; CommonJS
SUFFIXES = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx")
HEADER = """\
| checkout | files | edges here | edges of dependency-cruiser | in both | precision | recall | put aside |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |"""

Edge = tuple[str, str]


class Verdict(NamedTuple):
    """Edges between the same files; `aside`: why -> how many of either side were put aside."""

    name: str
    files: int
    ours: set[Edge]
    theirs: set[Edge]
    aside: Counter[str]

    def precision(self) -> float:
        return len(self.ours & self.theirs) / max(len(self.ours), 1)

    def recall(self) -> float:
        return len(self.ours & self.theirs) / max(len(self.theirs), 1)

    def row(self) -> str:
        aside = "; ".join(f"{reason}: {count:,}" for reason, count in sorted(self.aside.items()))
        return (
            f"| {self.name} | {self.files:,} | {len(self.ours):,} | {len(self.theirs):,} | "
            f"{len(self.ours & self.theirs):,} | {self.precision():.4f} | {self.recall():.4f} | {aside or '-'} |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    parser.add_argument("--show", type=int, default=20, help="edges of one side only that are printed")
    options = parser.parse_args()
    if not install():
        return 2
    print(HEADER, flush=True)
    verdicts = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in options.folders or DEFAULT:
            source = Path(name).resolve() if options.folders else fetched(name, Path(scratch))
            copy = Path(scratch) / f"{source.name}-copy"
            copied(source, copy)
            verdicts.append(judge(name if not options.folders else source.name, copy))
            print(verdicts[-1].row(), flush=True)
            shutil.rmtree(copy)
    for verdict in verdicts:
        for title, edges in (
            ("only here", verdict.ours - verdict.theirs),
            ("only there", verdict.theirs - verdict.ours),
        ):
            for user, used in sorted(edges)[: options.show]:
                print(f"{verdict.name}, {title}: {user} -> {used}")
    return int(any(min(verdict.precision(), verdict.recall()) < REQUIRED for verdict in verdicts))


def install(packages: Sequence[str] = PACKAGES, tools: Path = TOOLS) -> bool:
    """Whether packages of npm (name@version) are in a folder, fetched now if they were not."""
    wanted = dict(package.rsplit("@", 1) for package in packages)
    found = {}
    for name in wanted:
        manifest = tools / "node_modules" / name / "package.json"
        found[name] = json.loads(manifest.read_text())["version"] if manifest.is_file() else ""
    if found == wanted:
        return True
    tools.mkdir(parents=True, exist_ok=True)
    (tools / "package.json").write_text('{"private": true}\n')
    try:
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], cwd=tools, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{packages[0]} cannot be installed (are Node and npm there?): {error}", file=sys.stderr)
        return False
    return True


def fetched(package: str, scratch: Path) -> Path:
    """The files of a published package, in a folder of their own."""
    folder = scratch / re.sub(r"\W", "-", package)
    folder.mkdir()
    subprocess.run(["npm", "pack", "--silent", package], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    archive = next(folder.glob("*.tgz"))
    subprocess.run(["tar", "xzf", archive.name], cwd=folder, check=True)
    return folder / "package"


def copied(source: Path, target: Path) -> None:
    """Copy what is not installed or under version control's own folder, and link the packages of its workspaces."""
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("node_modules", ".git"))
    packages = {path.parent: parse_json(path.read_bytes()) for path in sorted(target.rglob("package.json"))}
    for folder, package in packages.items():
        for field in ("dependencies", "devDependencies"):
            listed = package.get(field) if isinstance(package, dict) else None
            for name, version in (listed or {}).items():
                if isinstance(version, str) and version.startswith(("file:", "link:", "portal:")):
                    linked(folder, name, folder / version.partition(":")[2])
    for root in {
        path.parent for name in ("package.json", "pnpm-workspace.yaml", "lerna.json") for path in target.rglob(name)
    }:
        for pattern in workspaces(root):
            for folder in [root] if pattern in (".", "./") else root.glob(pattern.rstrip("/")):
                name = (packages.get(folder) or {}).get("name")
                if isinstance(name, str):
                    linked(root, name, folder)


def linked(root: Path, name: str, package: Path) -> None:
    """What `npm install` does in `root` for a package that lies in the checkout."""
    link = root / "node_modules" / name
    if package.is_dir() and not os.path.lexists(link):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(package.resolve(), target_is_directory=True)


def workspaces(root: Path) -> Iterator[str]:
    for name in ("package.json", "lerna.json"):
        content = parse_json((root / name).read_bytes()) if (root / name).is_file() else None
        for field in ("workspaces", "packages"):
            listed = content.get(field) if isinstance(content, dict) else None
            listed = listed.get("packages") if isinstance(listed, dict) else listed
            yield from (pattern for pattern in listed or [] if isinstance(pattern, str) and not pattern.startswith("!"))
    yaml = root / "pnpm-workspace.yaml"
    if yaml.is_file():
        section = re.search(r"^packages:\s*\n((?:\s*(?:-|#).*\n|\s*\n)*)", yaml.read_text() + "\n", re.MULTILINE)
        for pattern in re.findall(r"-\s*['\"]?([^'\"\s#]+)", section[1] if section else ""):
            if not pattern.startswith("!"):
                yield pattern


def judge(name: str, folder: Path) -> Verdict:
    """Our edges and theirs, without those that one of the two cannot have."""
    graph = analyze(folder)
    listed = set(graph.files)
    read = listed - {skip.path for skip in graph.report.skipped}
    judged = sorted(path for path in read if path.endswith(SUFFIXES))
    every, failed = their_edges(folder, judged)
    theirs = {(source, target) for source, target in every if target in listed and source != target}
    ours = {edge: sure for edge, sure in our_edges(graph).items() if edge[0] not in failed}
    aside = Counter({"files that dependency-cruiser cannot parse": len(failed)}) if failed else Counter[str]()
    unseen = {edge for edge, sure in ours.items() if sure == Confidence.RESOLVED and edge not in theirs}
    if unseen:
        aside["resolved here by a rule of thumb (source of a built package, ...)"] = len(unseen)
    return Verdict(name, len(judged), set(ours) - unseen, theirs, aside)


def our_edges(graph: Graph) -> dict[Edge, int]:
    """Imports between files, and how sure each is."""
    edges = graph.edges
    kind = edges.kind_names.index("import") if "import" in edges.kind_names else -1
    found = {}
    for row in range(len(edges)):
        source, target = int(edges.source[row]), int(edges.target[row])
        if edges.kind[row] != kind or edges.confidence[row] == Confidence.GUESS or graph.kind(target) == EXTERNAL:
            continue
        if graph.ids[source].endswith(SUFFIXES):
            found[graph.ids[source], graph.ids[target]] = int(edges.confidence[row])
    return found


def their_edges(folder: Path, files: list[str]) -> tuple[set[Edge], set[str]]:
    """Edges from `files`, and those of them that dependency-cruiser cannot parse."""
    groups: dict[str, list[str]] = {}
    for path in files:
        groups.setdefault(nearest_config(folder, path), []).append(path)
    asked = {
        "folder": str(folder),
        "groups": [{"config": config, "files": listed} for config, listed in groups.items()],
    }
    script = TOOLS / "dependency_cruiser.mjs"
    shutil.copy(Path(__file__).with_name("dependency_cruiser.mjs"), script)
    done = subprocess.run(
        ["node", "--max-old-space-size=8000", script.name],
        input=json.dumps(asked),
        cwd=TOOLS,
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    answer = json.loads(done.stdout)
    return {(source, target) for source, target in answer["edges"]}, set(answer["failed"])


def nearest_config(folder: Path, path: str) -> str:
    """The `tsconfig.json` or `jsconfig.json` that holds for a file; empty = none."""
    at = (folder / path).parent
    while True:
        for name in ("tsconfig.json", "jsconfig.json"):
            if (at / name).is_file():
                return str((at / name).relative_to(folder))
        if at == folder:
            return ""
        at = at.parent


if __name__ == "__main__":
    sys.exit(main())
