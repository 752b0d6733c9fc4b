"""Judges the package imports of cbvtool by `go list`, which shares no code with it.

    python tests/judges/go_packages.py [FOLDER ...]

Each FOLDER holds one or more Go modules. For every package that `go list` can load, the folders that its files
import are compared: those of its plain, its test and its external test files apart. Files that the build leaves out
(another system, a build tag) are left out of both. Nothing is fetched: imports are read from the sources alone.

Without arguments the cases of tests/corpus/go are judged. Exit status 1 below precision or recall 1.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from cbvtool.analysis import analyze
from cbvtool.graph import Graph

Edge = tuple[str, str]  # a file and the folder that it imports


def main(arguments: list[str]) -> int:
    if shutil.which("go") is None:
        print("go is not installed (Debian: apt-get install golang-go).")
        return 2
    print("| folder | packages | imports here | imports of go list | in both | precision | recall |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    good = True
    for folder in map(Path, arguments or _corpus()):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch).resolve() / folder.name
            _copy_sources(folder, copy)
            packages = [package for module in _modules(copy) for package in _listed(module)]
            graph = analyze(copy)
            theirs = _their_imports(packages, copy)
            files = {
                str(Path(package["Dir"], name).relative_to(copy)) for package in packages for name in _files(package)
            }
            ours = {edge for edge in _our_imports(graph) if edge[0] in files}
        both = _grouped(ours, packages, copy) & theirs
        mine = _grouped(ours, packages, copy)
        precision, recall = _share(both, mine), _share(both, theirs)
        name = folder.parent.name if folder.name == "input" else folder.name
        counts = " | ".join(f"{len(rows):,}" for rows in (packages, mine, theirs, both))
        print(f"| {name} | {counts} | {precision:.4f} | {recall:.4f} |")
        for title, rest in (("only here", mine - both), ("only go list", theirs - both)):
            for row in sorted(rest)[:10]:
                print(f"    {title}: {row}", file=sys.stderr)
        good &= mine == theirs
    return 0 if good else 1


def _share(part: set[Any], whole: set[Any]) -> float:
    return len(part) / len(whole) if whole else 1.0


def _corpus() -> list[str]:
    cases = sorted((Path(__file__).parents[1] / "corpus" / "go").glob("*/input"))
    return [str(case) for case in cases if (case / "go.mod").exists() and case.parent.name != "syntax_error"]


def _copy_sources(folder: Path, copy: Path) -> None:
    """Sources, go.mod, cut down to what the installed go knows, and what says that `vendor` was downloaded."""
    version = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    found = re.match(r"go(\d+\.\d+)", version)
    assert found, version
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if not path.is_file() or path.is_symlink() or inner.parts[0] == ".git":
            continue
        if path.name == "go.mod" or path.suffix == ".go" or inner.parts[-2:] == ("vendor", "modules.txt"):
            (copy / inner).parent.mkdir(parents=True, exist_ok=True)
            if path.name == "go.mod":
                text = re.sub(r"(?ms)^(tool|godebug|ignore)\s*\(.*?^\)", "", path.read_text())
                text = re.sub(r"(?m)^(toolchain|godebug|tool|ignore)\b.*$", "", text)
                text = re.sub(r"(?m)=> \.\.$", "=> ../", text)
                (copy / inner).write_text(re.sub(r"(?m)^go \d\S*", f"go {found[1]}", text))
            else:
                shutil.copyfile(path, copy / inner)


def _modules(folder: Path) -> list[Path]:
    return [path.parent for path in sorted(folder.rglob("go.mod"))]


def _listed(module: Path) -> list[dict[str, Any]]:
    """The packages of one module, and those that `./...` leaves out (testdata) but that they use."""
    found = _go_list(module, ["./..."])
    known = {package["ImportPath"] for package in found}
    used = {path for package in found for group in _GROUPS for path in package.get(group) or ()}
    unlisted = sorted(path for path in used - known if "." in path.partition("/")[0])
    return found + [package for package in _go_list(module, unlisted) if package["ImportPath"] not in known]


def _go_list(module: Path, patterns: list[str]) -> list[dict[str, Any]]:
    """-e: imports that cannot be found are no hindrance."""
    if not patterns:
        return []
    environment = os.environ | {
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOWORK": "off",
        "GONOSUMDB": "*",
        "GO111MODULE": "on",
    }
    done = subprocess.run(
        ["go", "list", "-e", "-json", *patterns],
        cwd=module,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    decoder, text, found = json.JSONDecoder(), done.stdout.strip(), []
    while text:
        package, end = decoder.raw_decode(text)
        found.append(package)
        text = text[end:].lstrip()
    inside = str(module)
    return [package for package in found if package.get("Dir", "").startswith(inside)]


_GROUPS = {"Imports": ("GoFiles", "CgoFiles"), "TestImports": ("TestGoFiles",), "XTestImports": ("XTestGoFiles",)}


def _files(package: dict[str, Any]) -> list[str]:
    return [name for kinds in _GROUPS.values() for kind in kinds for name in package.get(kind) or ()]


def _their_imports(packages: list[dict[str, Any]], root: Path) -> set[tuple[str, str, str]]:
    """(folder, group of files, folder that it imports), for imports that lead to a package in `root`."""
    folder_of: dict[str, str] = {}
    for package in packages:
        folder_of[package["ImportPath"]] = Path(package["Dir"]).relative_to(root).as_posix()
    found = set()
    for package in packages:
        mapped = package.get("ImportMap") or {}
        for group in _GROUPS:
            for path in package.get(group) or ():
                target = folder_of.get(mapped.get(path, path))
                if target is not None:
                    found.add((folder_of[package["ImportPath"]], group, target))
    return found


def _our_imports(graph: Graph) -> list[Edge]:
    edges = graph.edges
    return [
        (graph.ids[edges.source[row]], graph.ids[edges.target[row]] or ".")
        for row in range(len(edges))
        if edges.kind_names[edges.kind[row]] == "import" and graph.kind(int(edges.target[row])) != "external"
    ]


def _grouped(edges: set[Edge], packages: list[dict[str, Any]], root: Path) -> set[tuple[str, str, str]]:
    group_of = {
        str(Path(package["Dir"], name).relative_to(root)): (Path(package["Dir"]).relative_to(root).as_posix(), group)
        for package in packages
        for group, kinds in _GROUPS.items()
        for kind in kinds
        for name in package.get(kind) or ()
    }
    return {(*group_of[file], target) for file, target in edges}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
