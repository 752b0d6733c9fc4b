"""Judges the COPY relations of cbvtool by those of GnuCOBOL's preprocessor, which shares no code with it.

    python tests/judges/cobol_copy.py [--fold CASE] [FOLDER ...]

Compared are pairs of a program's file and a copybook that ends up in its text, at any depth. `cobc -E` says in its line
markers which files it entered; for each program it runs in the program's own folder, in fixed and in free format, of
which the one counts that lets more of the program's headers be seen, or else has fewer complaints. Without a FOLDER:
the inputs of our corpus and the sample projects. cobc comes with the system package `gnucobol`.

Nothing in a repository says where its copybooks lie, so both get the same list (cobc by -I, cbvtool as
`include_paths`): every folder with a file of a copied name. What cbvtool then finds by cobc's own rules is marked
exact, and counts for precision; what it finds by looser ones (other capitals, a library that is no folder) is resolved,
and counts for recall alone. The last two figures are all of cbvtool's pairs, guesses left out, without the list, while
cobc has it with the nearest folders first. `--fold lower` (or upper) has cobc change names to the case of the files.

Prints one Markdown table row per folder, then every pair that one of the two alone has. Put aside are: what stands
between `>>IF` and `>>END-IF` (cobc compiles one branch, cbvtool shows all), what another program makes a copybook from
(maps; EXEC SQL INCLUDE), and programs in which cobc gives up, or takes a program for the copybook of its name. Exit
status 1 when precision or recall, with the list, is below 1.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from cbvtool.analysis.facts import EXACT, RESOLVED, FileFacts
from cbvtool.analysis.languages import language_of
from cbvtool.analysis.languages.cobol import names as cobol_names
from cbvtool.analysis.languages.cobol.reader import read_facts
from cbvtool.analysis.resolution import COPY, Folder
from cbvtool.analysis.walk import walk
from cbvtool.regular_file import Unreadable

HOME = Path(__file__).parents[2]
COPYBOOKS = (".cpy", ".copy", ".cpb", ".cpyle")
ENDINGS = (".cpy", ".cbl", ".cob")  # that cobc tries
HEADER = """\
| folder | programs | cobc gives up | exact pairs | resolved beside | pairs of cobc | precision | recall \
| precision, no list | recall, no list |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""

_MARKER = re.compile(r'^#line \d+ "(.*)"', re.MULTILINE)
_HEADERS = re.compile(r"(?i)\b(?:(?:IDENTIFICATION|ID|ENVIRONMENT|DATA|PROCEDURE)\s+DIVISION|PROGRAM-ID)\b")
_MISSING = re.compile(r": No such file or directory$")

Pair = tuple[str, str]


class Verdict(NamedTuple):
    """Pairs of a program and a copybook, as paths relative to the folder.

    exact, ours  found by exact relations, by exact and resolved ones
    loose        ours and cobc's without a list
    """

    folder: str
    programs: int
    given_up: int
    exact: set[Pair]
    ours: set[Pair]
    theirs: set[Pair]
    loose: tuple[set[Pair], set[Pair]]

    def row(self) -> str:
        near, nearest = self.loose
        figures = (
            share(self.exact & self.theirs, self.exact),
            share(self.ours & self.theirs, self.theirs),
            share(near & nearest, near),
            share(near & nearest, nearest),
        )
        return (
            f"| {self.folder} | {self.programs:,} | {self.given_up:,} | {len(self.exact):,} "
            f"| {len(self.ours - self.exact):,} | {len(self.theirs):,} | "
            + " | ".join(f"{figure:.4f}" for figure in figures)
            + " |"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="*", type=Path)
    parser.add_argument("--fold", choices=("upper", "lower"))
    arguments = parser.parse_args()
    folders = arguments.folder
    if not shutil.which("cobc"):
        print("There is no cobc here: install the system package gnucobol.", file=sys.stderr)
        return 2
    if not folders:
        folders = [*sorted((HOME / "tests" / "corpus" / "cobol").glob("*/input")), HOME / "sample_projects" / "ledger"]
    print(HEADER)
    verdicts = []
    for folder in folders:
        name = folder.parent.name if folder.name == "input" else folder.name
        verdicts.append(judge(name, folder.resolve(), arguments.fold))
        print(verdicts[-1].row(), flush=True)
    wrong = False
    for verdict in verdicts:
        for who, pairs in (("here", verdict.exact - verdict.theirs), ("cobc", verdict.theirs - verdict.ours)):
            wrong |= bool(pairs)
            for program, copybook in sorted(pairs):
                print(f"{verdict.folder}, {who} only: {program} -> {copybook}")
    return int(wrong)


def judge(name: str, root: Path, fold: str | None) -> Verdict:
    paths = [file.path for file in walk(root).files]
    facts = {row: found for row, path in enumerate(paths) if (found := facts_of(root, path)) is not None}
    programs = [row for row in facts if not paths[row].lower().endswith(COPYBOOKS)]
    names = {statement.module.rpartition("/")[2].lower() for found in facts.values() for statement in found.imports}
    folders = sorted({path.rpartition("/")[0] for path in paths if is_named(path, names)})
    aside = {row: conditional_lines(root / paths[row]) for row in facts}
    exactly, declared = (copied(paths, facts, folders, aside, least) for least in (EXACT, RESOLVED))
    undeclared = copied(paths, facts, (), aside, RESOLVED)
    in_any_branch = copied(paths, facts, folders, {row: set() for row in facts}, RESOLVED)
    exact, ours, theirs, near, nearest = (set[Pair]() for _ in range(5))
    given_up = 0
    mistaken = {path for path in map(paths.__getitem__, programs) if is_program(facts, paths, path)}
    for program in programs:
        path = paths[program]
        entered = entered_by_cobc(root, path, folders, fold)
        entered_near = entered_by_cobc(root, path, sorted(folders, key=lambda folder: steps(path, folder)), fold)
        if entered is None or entered_near is None or (entered | entered_near) & mistaken:
            given_up += 1
            continue
        in_a_branch = {paths[row] for row in reached(in_any_branch, program) - reached(declared, program)}
        theirs |= {(path, copybook) for copybook in entered - in_a_branch}
        nearest |= {(path, copybook) for copybook in entered_near - in_a_branch}
        exact |= {(path, paths[row]) for row in reached(exactly, program)}
        ours |= {(path, paths[row]) for row in reached(declared, program)}
        near |= {(path, paths[row]) for row in reached(undeclared, program)}
    return Verdict(name, len(programs), given_up, exact, ours, theirs, (near, nearest))


def facts_of(root: Path, path: str) -> FileFacts | None:
    language = language_of(path)
    if language is None or language.name != "COBOL":
        return None
    try:
        return read_facts((root / path).read_bytes(), path)
    except Unreadable:
        return None


def is_program(facts: dict[int, FileFacts], paths: list[str], path: str) -> bool:
    """Whether the file holds a whole program, and there is a copybook of its name: whoever copies it means that."""
    stem = path.rpartition("/")[2].partition(".")[0].lower()
    named = [row for row in facts if paths[row].rpartition("/")[2].partition(".")[0].lower() == stem]
    whole = {paths[row] for row in named if any(unit.kind == "program" for unit in facts[row].definitions)}
    return path in whole and len(whole) < len(named)


def is_named(path: str, names: set[str]) -> bool:
    """Whether the file at `path` has one of the `names`, given in small letters, with or without an ending."""
    name = path.rpartition("/")[2].lower()
    return name in names or (name.endswith(ENDINGS) and name.rpartition(".")[0] in names)


def conditional_lines(path: Path) -> set[int]:
    """Lines between >>IF and >>END-IF, or $IF and $END."""
    found, depth = set(), 0
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        word = re.match(rb"(?i)[\s\d]*(?:>>\s*|\$)(END-IF|END|IF)\b", line)
        if word:
            depth = max(depth + (1 if word[1].upper() == b"IF" else -1), 0)
        if depth:
            found.add(number)
    return found


def copied(
    paths: list[str], facts: dict[int, FileFacts], include_paths: Iterable[str], aside: dict[int, set[int]], least: int
) -> dict[int, set[int]]:
    """Copybooks of each file by our word, at least as sure as `least`."""
    folder = Folder(("",), paths, lambda path: None, include_paths=tuple(include_paths))
    sql = {(row, found.line) for row, facts_ in facts.items() for found in facts_.imports if found.form == "sql"}
    targets = defaultdict(set)
    for use in cobol_names.resolve(folder, facts).relations:
        place = use.source.file, use.line
        if (
            use.kind == COPY
            and use.confidence <= least
            and place not in sql
            and use.line not in aside[use.source.file]
            and not paths[use.target.file].lower().endswith(".bms")
        ):
            targets[use.source.file].add(use.target.file)
    return targets


def reached(targets: dict[int, set[int]], start: int) -> set[int]:
    found: set[int] = set()
    todo = [start]
    while todo:
        for row in targets.get(todo.pop(), ()):
            if row not in found and row != start:
                found.add(row)
                todo.append(row)
    return found


def entered_by_cobc(root: Path, path: str, folders: Sequence[str], fold: str | None) -> set[str] | None:
    """Copybooks that cobc put into a program; None = it gave up before the end."""
    options = [f"-ffold-copy={fold}"] if fold else []
    results = [run_cobc(root, path, folders, [form, *options]) for form in ("-fixed", "-free")]
    output, errors = max(results, key=lambda result: (len(_HEADERS.findall(result[0])), -result[1]))
    if errors:
        return None
    entered = set()
    for file in _MARKER.findall(output):
        found = os.path.relpath(os.path.normpath(root / os.path.dirname(path) / file), root)
        if not found.startswith("..") and found != path:
            entered.add(found)
    return entered


def run_cobc(root: Path, path: str, folders: Sequence[str], options: Sequence[str]) -> tuple[str, int]:
    """What `cobc -E` prints, and the number of its complaints but for missing copybooks."""
    include = [part for folder in folders for part in ("-I", str(root / folder))]
    where, name = os.path.split(root / path)
    done = subprocess.run(["cobc", "-E", *options, *include, name], cwd=where, capture_output=True, timeout=60)
    complaints = [line for line in done.stderr.decode(errors="replace").splitlines() if ": error: " in line]
    return done.stdout.decode(errors="replace"), sum(not _MISSING.search(line) for line in complaints)


def steps(path: str, folder: str) -> tuple[int, str]:
    """How far `folder` is from the folder that the file `path` lies in."""
    here, there = path.split("/")[:-1], [part for part in folder.split("/") if part]
    shared = 0
    while here[shared : shared + 1] == there[shared : shared + 1] != []:
        shared += 1
    return len(here) + len(there) - 2 * shared, folder


def share(some: set[Pair], of: set[Pair]) -> float:
    return len(some) / len(of) if of else 1.0


if __name__ == "__main__":
    sys.exit(main())
