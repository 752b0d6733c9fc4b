"""Judges the include edges of cbvtool by the inclusion directives that libclang's preprocessor carried out.

    python tests/judges/c_includes.py [FOLDER ...]

FOLDER is a checkout with a compile_commands.json in it, in `build/` or where --database says, or a CMakeLists.txt, from
which cmake makes one (which runs what the project's build files say). Without any: the headers of the installed NumPy
and of this Python, which need neither.

libclang gets the true include paths. cbvtool gets, in three runs: nothing; the include paths that the database names,
as `include_paths` of a cbvtool.toml; the database itself. Compared are the edges between files that both know, from
the files that libclang read. A directive that no preprocessor run came by, below an `#if` that was never true, cannot
be judged: its edge is put aside and counted (column "unseen").

Prints one Markdown row for each folder and run, then the edges that differ. Exit status 1 when a figure is below what
the aim was: without paths P 0.94 at R 0.93, with guesses R 0.98; with paths, or a database, P and R 0.98.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import clang.cindex as clang
import numpy

from cbvtool.analysis import analyze
from cbvtool.graph import EXTERNAL, Confidence, Graph

HEADER = """\
| folder | run | files read | edges of libclang | precision | recall | recall with guesses | guesses | unseen |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""
REQUIRED = {"nothing declared": (0.94, 0.93, 0.98), "include paths": (0.98, 0.98, 0.98), "database": (0.98, 0.98, 0.98)}
SOURCES = (".c", ".cc", ".cpp", ".cxx", ".c++")
HEADERS = (".h", ".hh", ".hpp", ".hxx")
# Keep going after a missing file; skip function bodies; a record of all directives, also those that a guard skips.
PARSE = 0x200 | 0x40 | 0x01
COMPILER_HEADERS = sorted(Path("/usr/lib").glob("llvm-*/lib/clang/*/include"))[:1]

Edge = tuple[str, str]
Site = tuple[str, int]


class Unit(NamedTuple):
    """A file to preprocess, with its flags, in a folder."""

    file: str
    folder: str
    flags: tuple[str, ...]


class Truth(NamedTuple):
    """What libclang saw: edges and sites of directives between files below the root, and files that it read."""

    edges: set[Edge]
    sites: set[Site]
    files: set[str]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="*", type=Path)
    parser.add_argument("--database", type=Path, help="compile_commands.json of the only FOLDER")
    parser.add_argument("-D", dest="defines", action="append", default=[], help="option for cmake, NAME=VALUE")
    parser.add_argument("--most", type=int, default=400, help="translation units to preprocess, evenly chosen")
    parser.add_argument("--show", type=int, default=15, help="edges to print of each kind")
    options = parser.parse_args(arguments)
    print(HEADER)
    failed, differences = False, []
    with tempfile.TemporaryDirectory() as scratch:
        for folder in options.folder or list(installed_headers(Path(scratch))):
            for row, wrong, is_bad in judge(folder.resolve(), options, Path(scratch)):
                print(row, flush=True)
                differences += wrong
                failed = failed or is_bad
    print("\n".join(differences))
    return int(failed)


def installed_headers(scratch: Path) -> Iterator[Path]:
    """Copies of NumPy's headers and of this Python's, each with a database of one unit for every header."""
    for name, source in (("numpy", Path(numpy.get_include())), ("python", Path(sysconfig.get_path("include")))):
        root = scratch / "installed" / name
        shutil.copytree(source, root / "include")
        headers = sorted(path for path in root.rglob("*.h") if path.name.startswith(("Py", "py", "nd", "np")))
        flags = [f"-I{root}/include", f"-I{sysconfig.get_path('include')}", "-x", "c"]
        entries = [
            {"directory": str(root), "file": str(path), "arguments": ["cc", *flags, str(path)]} for path in headers
        ]
        (root / "compile_commands.json").write_text(json.dumps(entries))
        yield root


def judge(folder: Path, options: argparse.Namespace, scratch: Path) -> Iterator[tuple[str, list[str], bool]]:
    """One row for each run, with the edges that differ and whether it is below what is required."""
    database = options.database or find_database(folder, scratch, options.defines)
    units = units_of(database)
    step = max(1, len(units) // options.most)
    truth = truth_of(folder, units[::step])
    for run, graph in graphs(folder, units, scratch):
        known = set(graph.files)
        theirs = {edge for edge in truth.edges if edge[0] in known and edge[1] in known}
        sure, guesses, unseen = our_edges(graph, truth)
        precision = len(sure & theirs) / len(sure) if sure else 1.0
        recall = len(sure & theirs) / len(theirs) if theirs else 1.0
        recall_guessed = len((sure | guesses) & theirs) / len(theirs) if theirs else 1.0
        row = (
            f"| {folder.name} | {run} | {len(truth.files & known):,} | {len(theirs):,} | {precision:.4f} "
            f"| {recall:.4f} | {recall_guessed:.4f} | {len(guesses):,} | {unseen:,} |"
        )
        wrong = [f"{folder.name}, {run}: only here      {a} -> {b}" for a, b in sorted(sure - theirs)]
        missing = [f"{folder.name}, {run}: only libclang  {a} -> {b}" for a, b in sorted(theirs - sure - guesses)]
        wanted = REQUIRED[run]
        is_bad = precision < wanted[0] or recall < wanted[1] or recall_guessed < wanted[2]
        yield row, wrong[: options.show] + missing[: options.show], is_bad


def find_database(folder: Path, scratch: Path, defines: Iterable[str]) -> Path:
    """The folder's compilation database, made by cmake if there is none."""
    for place in (folder, folder / "build"):
        if (place / "compile_commands.json").is_file():
            return place / "compile_commands.json"
    build = scratch / "cmake" / folder.name
    command = ["cmake", "-S", str(folder), "-B", str(build), "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", "-Wno-dev"]
    command += [f"-D{define}" for define in defines]
    subprocess.run(command, check=False, capture_output=True)
    database = build / "compile_commands.json"
    if not database.is_file():
        raise SystemExit(f"{folder}: no compile_commands.json, and cmake makes none")
    return database


def units_of(database: Path) -> list[Unit]:
    units = []
    for entry in json.loads(database.read_text()):
        arguments = entry.get("arguments") or shlex.split(entry["command"])
        file = Path(entry["directory"], entry["file"]).resolve()
        flags, skip = [], False
        for argument in arguments[1:]:
            if skip or argument in ("-o", "-MF", "-MT", "-MQ"):
                skip = not skip
            elif argument in ("-c", "-MD", "-MMD", "-MP", "--") or argument.startswith("-W"):
                continue
            elif argument.startswith("-") or Path(entry["directory"], argument).resolve() != file:
                flags.append(argument)
        units.append(Unit(str(file), entry["directory"], tuple(flags)))
    return units


def truth_of(root: Path, units: Iterable[Unit]) -> Truth:
    """What libclang includes, over all `units`, below `root`."""
    edges: set[Edge] = set()
    sites: set[Site] = set()
    files: set[str] = set()
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(inclusions, [(str(root), unit) for unit in units], chunksize=4):
            edges |= found.edges
            sites |= found.sites
            files |= found.files
    return Truth(edges, sites, files)


def inclusions(work: tuple[str, Unit]) -> Truth:
    root, unit = Path(work[0]), work[1]
    system = [flag for path in COMPILER_HEADERS for flag in ("-isystem", str(path))]
    flags = [*unit.flags, "-w", f"-working-directory={unit.folder}", *system]
    truth = Truth(set(), set(), set())
    try:
        parsed = clang.Index.create().parse(unit.file, args=flags, options=PARSE)
    except clang.TranslationUnitLoadError:
        return truth

    def below(name: str) -> str | None:
        path = Path(unit.folder, name).resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) else None

    if (own := below(unit.file)) is not None:
        truth.files.add(own)
    for cursor in parsed.cursor.get_children():
        if cursor.kind != clang.CursorKind.INCLUSION_DIRECTIVE or cursor.location.file is None:
            continue
        source = below(cursor.location.file.name)
        if source is None:
            continue
        truth.sites.add((source, cursor.location.line))
        truth.files.add(source)
        try:
            target = below(cursor.get_included_file().name)
        except AssertionError:  # the file is missing
            continue
        if target is not None:
            truth.files.add(target)
            if target != source:  # a header that includes itself, which its guard stops, is no relation here
                truth.edges.add((source, target))
    return truth


def graphs(folder: Path, units: list[Unit], scratch: Path) -> Iterator[tuple[str, Graph]]:
    """Our graphs of a copy of the folder, each with what the run declares."""
    copy = scratch / "copies" / folder.name
    shutil.copytree(
        folder,
        copy,
        symlinks=True,
        ignore=lambda at, names: {n for n in names if n in (".git", "compile_commands.json", "cbvtool.toml", "build")},
    )
    settings = scratch / "settings.toml"
    settings.write_text("[analysis]\nvendored = []\ngenerated = []\n")
    yield "nothing declared", analyze(copy, config=settings)
    paths = json.dumps(sorted(included_folders(folder, units)))
    settings.write_text(f"[analysis]\nvendored = []\ngenerated = []\ninclude_paths = {paths}\n")
    yield "include paths", analyze(copy, config=settings)
    settings.write_text("[analysis]\nvendored = []\ngenerated = []\n")
    entries = [
        {"directory": unit.folder, "file": unit.file, "arguments": ["cc", *unit.flags, unit.file]} for unit in units
    ]
    (copy / "compile_commands.json").write_text(json.dumps(entries))
    yield "database", analyze(copy, config=settings)


def included_folders(root: Path, units: list[Unit]) -> set[str]:
    """The folders below `root` that the units' flags name."""
    found = set()
    for unit in units:
        flags = iter(unit.flags)
        for flag in flags:
            for option in ("-I", "-iquote", "-isystem"):
                if flag.startswith(option):
                    path = Path(unit.folder, flag[len(option) :] or next(flags, "")).resolve()
                    if path.is_relative_to(root):
                        found.add(path.relative_to(root).as_posix())
                    break
    return found


def our_edges(graph: Graph, truth: Truth) -> tuple[set[Edge], set[Edge], int]:
    """Our edges from files that libclang read: sure ones, guesses, and the number of those put aside as unseen."""
    sure: set[Edge] = set()
    guesses: set[Edge] = set()
    unseen = 0
    for row in range(len(graph.edges)):
        if graph.edges.kind_names[graph.edges.kind[row]] != "include":
            continue
        edge = graph.ids[graph.edges.source[row]], graph.ids[graph.edges.target[row]]
        if edge[0] not in truth.files or edge[1].startswith(EXTERNAL):
            continue
        if not any((edge[0], line) in truth.sites for _, line in graph.edges.sites(row)):
            unseen += 1
            continue
        (guesses if graph.edges.confidence[row] == Confidence.GUESS else sure).add(edge)
    return sure, guesses, unseen


if __name__ == "__main__":
    sys.exit(main())
