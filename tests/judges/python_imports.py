"""Judges the file-level import edges of cbvtool by those of grimp, which shares no code with it.

    python tests/judges/python_imports.py [--root FOLDER] [--inside DOTTED] [PACKAGE ...]

PACKAGE is a package's folder, the name of an installed package, or NAME==VERSION, which pip fetches into a
scratch folder. Without any: flask and the installed networkx. With --inside, its folder lies in the namespace packages
(PEP 420) of that name. With --root, FOLDER (a checkout) is analysed
instead of the package's folder alone, and the packages' folders must lie in it.

Compared are the edges between modules that both see, guesses left out. Two known differences are then put aside
(column "explained recall"): grimp reports a module that imports itself, and where a module is compiled or only a stub,
which grimp does not see, it reports its package. Prints one Markdown table row per package, then every edge that is
still in one of the two only. Exit status 1 when precision or explained recall is below 0.995, or, for the packages
that are judged without being named, recall is.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from cbvtool.analysis import analyze
from cbvtool.graph import Confidence, Graph

REQUIRED = 0.995
DEFAULT = ("flask==3.1.3", "networkx")
HEADER = """\
| package | modules in both | edges here | edges of grimp | in both | precision | recall | explained recall \
| guesses beside |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""

# Runs in a process of its own, so that grimp finds the package in the folder given and nowhere else.
GRIMP = """
import json, sys
folder, package = sys.argv[1:]
sys.path.insert(0, folder)
import grimp
graph = grimp.build_graph(
    package, include_external_packages=False, exclude_type_checking_imports=False, cache_dir=None
)
edges = [(m, n) for m in sorted(graph.modules) for n in sorted(graph.find_modules_directly_imported_by(m))]
json.dump([sorted(graph.modules), edges], sys.stdout)
"""

Edge = tuple[str, str]


class Verdict(NamedTuple):
    """Edges between modules that both see, as pairs of paths relative to the package's parent folder.

    unseen  our edges to modules that grimp does not see, ended at the package that these are in
    """

    package: str
    modules: set[str]
    ours: set[Edge]
    guesses: set[Edge]
    unseen: set[Edge]
    theirs: set[Edge]

    @property
    def precision(self) -> float:
        return len(self.ours & self.theirs) / len(self.ours) if self.ours else 1.0

    @property
    def recall(self) -> float:
        return len(self.ours & self.theirs) / len(self.theirs) if self.theirs else 1.0

    @property
    def missing(self) -> set[Edge]:
        """Edges that grimp alone has, for no known reason."""
        return {(source, target) for source, target in self.theirs - self.ours - self.unseen if source != target}

    @property
    def explained_recall(self) -> float:
        return 1 - len(self.missing) / len(self.theirs) if self.theirs else 1.0

    def row(self) -> str:
        return (
            f"| {self.package} | {len(self.modules):,} | {len(self.ours):,} | {len(self.theirs):,} "
            f"| {len(self.ours & self.theirs):,} | {self.precision:.4f} | {self.recall:.4f} "
            f"| {self.explained_recall:.4f} | {len(self.guesses):,} |"
        )


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", nargs="*")
    parser.add_argument("--root", type=Path, help="analyse this folder")
    parser.add_argument("--inside", default="", help="full name of the namespace package around the packages")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        folders = [(name, package_folder(name, Path(scratch))) for name in options.package or DEFAULT]
        verdicts = [judge(name, folder, options.root or folder, options.inside) for name, folder in folders]
    print(HEADER)
    for verdict in verdicts:
        print(verdict.row())
    for verdict in verdicts:
        for source, target in sorted(verdict.ours - verdict.theirs):
            print(f"only here   {source} -> {target}")
        for source, target in sorted(verdict.missing):
            print(f"only grimp  {source} -> {target}")
    figures = [figure for verdict in verdicts for figure in (verdict.precision, verdict.explained_recall)]
    if not options.package:
        figures += [verdict.recall for verdict in verdicts]
    return int(min(figures) < REQUIRED)


def package_folder(name: str, scratch: Path) -> Path:
    """The folder of a package given as PACKAGE (see above)."""
    if Path(name).is_dir():
        return Path(name).resolve()
    if "==" in name:
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(scratch), name]
        subprocess.run(command, check=True)
        return scratch / name.partition("==")[0]
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{name!r} is neither a folder nor an installed package")
    return Path(spec.submodule_search_locations[0])


def judge(name: str, folder: Path, root: Path, namespace: str) -> Verdict:
    """Compare the edges inside the package at `folder`, with `root` analysed."""
    top = folder.parents[namespace.count(".") + 1 if namespace else 0]
    modules, their_edges = edges_of_grimp(f"{namespace}.{folder.name}".lstrip("."), top)
    graph = analyze(root)
    before = f"{folder.relative_to(root.resolve()).as_posix()}/".removeprefix("./")
    inside = f"{folder.relative_to(top).as_posix()}/"
    files = {node: inside + node.removeprefix(before) for node in graph.files if node.startswith(before)}
    seen = modules & set(files.values())
    ours, guesses, unseen = our_edges(graph, files, seen)
    theirs = {(source, target) for source, target in their_edges if source in seen and target in seen}
    return Verdict(Path(name).name, seen, ours, guesses - ours, unseen, theirs)


def our_edges(graph: Graph, files: dict[str, str], seen: set[str]) -> tuple[set[Edge], set[Edge], set[Edge]]:
    """Edges between files in `seen`: the sure ones, the guesses; and those to other files, see `Verdict.unseen`."""
    sure: set[Edge] = set()
    guesses: set[Edge] = set()
    unseen: set[Edge] = set()
    columns = (graph.edges.source.tolist(), graph.edges.target.tolist(), graph.edges.confidence.tolist())
    for source, target, confidence in zip(*columns, strict=True):
        edge = files.get(graph.ids[source], ""), files.get(graph.ids[target], "")
        if edge[0] in seen and edge[1] in seen:
            (guesses if confidence == Confidence.GUESS else sure).add(edge)
        elif edge[0] in seen and edge[1] and confidence != Confidence.GUESS:
            unseen.add((edge[0], f"{edge[1].rpartition('/')[0]}/__init__.py"))
    return sure, guesses, unseen


def edges_of_grimp(package: str, top: Path) -> tuple[set[str], list[Edge]]:
    """Modules and edges as grimp has them, as paths relative to the folder `top` that the package's name begins in."""
    command = [sys.executable, "-c", GRIMP, str(top), package]
    modules, edges = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    path = {module: module_path(module, top) for module in modules}
    return set(path.values()), [(path[source], path[target]) for source, target in edges]


def module_path(module: str, folder: Path) -> str:
    """The file of a module; where that is a symbolic link, the file that it leads to, if that is in the folder."""
    path = module.replace(".", "/")
    path = f"{path}/__init__.py" if (folder / path / "__init__.py").is_file() else f"{path}.py"
    real = (folder / path).resolve()
    return real.relative_to(folder).as_posix() if real.is_relative_to(folder) else path


if __name__ == "__main__":
    sys.exit(main())
