"""Carries task lists out, line by line, and asks compilers and imports whether anything broke.

    python -m tests.judges.plan_applied --code LANGUAGE [--count N] [--kind moves|renames] REPOSITORY ...

The commits are those of `plan_commits`; what it says of REPOSITORY and LANGUAGE holds here. In a copy of the parent
commit the plan is carried out: files are moved, and each site that must change is changed **on its line alone**, by a
rule without understanding: a name gives way to the new one as a word; a full name of Java, or a path of an include or
import, to that of the new place; lines to add and to drop are added and dropped. Asked before and after:

    python      which test files pytest (of PYTHON) collects without an error
    java        what errors javac reports, for all sources (those of tests are left out)
    c           which files `gcc -fsyntax-only` accepts, with all folders that hold headers as include paths
    javascript  which files `node --check` accepts, and which relative paths lead nowhere

A commit that nothing can be asked for (nothing is accepted before) is passed over. Prints a row for each commit, and
what is accepted no more. Exit status 1 if there is any.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from cbvtool.graph import Graph
from cbvtool.plan import History, group
from cbvtool.plan.compress import compress
from cbvtool.plan.primitives import MoveTo, Primitive, RenameNode
from cbvtool.plan.sites.files import folder_code
from cbvtool.plan.sites.find import find_sites
from cbvtool.plan.sites.site import Site
from tests.judges.commits import SUFFIXES, Commit, Repository
from tests.judges.kept_graphs import analysed
from tests.judges.plan_commits import chosen, operations
from tests.judges.real_lines import SCRIPTS, blanked, module_name, renamed, script_of

_SPECIFIER = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])(\.{1,2}(?:/[^'"\n]*)?)\1""")
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", nargs="+", type=Path)
    parser.add_argument("--code", choices=sorted(SUFFIXES), required=True)
    parser.add_argument("--count", type=int, default=5)
    parser.add_argument("--kind", choices=("moves", "renames"), default="renames")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "judge-plan")
    parser.add_argument("--python", default=sys.executable, help="with pytest and what the packages need")
    options = parser.parse_args(arguments)
    repositories = [Repository(path) for path in options.repository]
    broken = False
    done = 0
    print(
        "| repository | commit | lines changed | accepted before | accepted after |\n| --- | --- | ---: | ---: | ---: |"
    )
    for repository, commit, _ in chosen(repositories, options.code, options.kind, 1_000, options.cache, ""):
        folder = options.cache / "applied" / repository.name
        shutil.rmtree(folder, ignore_errors=True)
        Path(f"{folder}.index").unlink(missing_ok=True)
        repository.check_out(commit.parent, folder)
        before = accepted(options.code, folder, options.python)
        if not before:
            continue
        graph = analysed(repository, commit.parent, options.cache / "work" / repository.name, options.cache)
        plan, _ = operations(graph, commit, options.code)
        history = History(graph).do(group(graph, *plan))
        primitives = compress(history)
        sites = find_sites(graph, history.graph, primitives, folder_code(folder, graph))
        count = carry_out(options.code, folder, commit, graph, primitives, sites)
        after = accepted(options.code, folder, options.python)
        lost = sorted({commit.moved.get(name, name) for name in before} - after)
        print(f"| {repository.name} | {commit.sha[:10]} | {count} | {len(before)} | {len(after)} |", flush=True)
        print(
            *(f"broken: {repository.name} {commit.sha[:10]} {name}" for name in lost), sep="\n" if lost else "", end=""
        )
        broken |= bool(lost)
        done += 1
        if done == options.count:
            break
    return int(broken)


# -- carrying a list out ---------------------------------------------------------------------------------------------


def carry_out(
    code: str, folder: Path, commit: Commit, graph: Graph, primitives: Sequence[Primitive], sites: Sequence[Site]
) -> int:
    """Change what must change, then move the files; returns the number of lines changed, added or dropped."""
    texts: dict[str, list[str]] = {}
    edits: dict[str, list[tuple[int, int, Site]]] = defaultdict(list)
    for site in sites:
        if site.certainty == "must":
            edits[site.file].append((site.line or site.after or 0, site.line is None, site))
    count = 0
    for file, todo in edits.items():
        lines = texts.setdefault(file, read(folder / file).split("\n"))
        for at, is_new, site in sorted(todo, key=lambda edit: edit[:2], reverse=True):
            count += 1
            if is_new and site.kind == "package":
                lines[0:0] = [f"package {site.names[0]};"]
            elif is_new:
                lines[at:at] = [f"import {name};" for name in site.names]
            elif site.kind == "drop-import":
                lines[at - 1] = ""
            else:
                lines[at - 1] = changed(code, lines[at - 1], site, commit, graph, primitives)
    for file, lines in texts.items():
        (folder / file).write_text("\n".join(lines), encoding="utf-8", errors="surrogateescape")
    for old, new in commit.moved.items():
        (folder / new).parent.mkdir(parents=True, exist_ok=True)
        (folder / old).rename(folder / new)
    return count


def changed(code: str, line: str, site: Site, commit: Commit, graph: Graph, primitives: Sequence[Primitive]) -> str:
    """The line with what the site says, in place of what it said."""
    primitive = primitives[site.cause]
    if isinstance(primitive, RenameNode) and graph.kind(graph.key_of[primitive.node]) not in (
        "file",
        "folder",
        "package",
    ):
        old = graph.names[graph.key_of[primitive.node]].rpartition(".")[2]
        return renamed(line, old, primitive.name)
    if not isinstance(primitive, MoveTo | RenameNode):
        return line
    if code == "java" and site.kind == "package":
        return re.sub(r"package\s+[\w.]+", f"package {site.names[0]}", line)
    for old, new in commit.moved.items():
        if code == "java":
            names = [path.removesuffix(".java").rpartition("/java/")[2].replace("/", ".") for path in (old, new)]
            line = renamed(line, names[0], names[1])
            stems = [name.rpartition(".")[2] for name in names]
            if stems[0] != stems[1]:
                line = renamed(line, stems[0], stems[1])
        elif code == "python":
            names = [module_name(path, frozenset(graph.ids)) for path in (old, new)]
            line = renamed(line, names[0], names[1])
        elif code in ("c", "javascript"):
            line = _with_path(code, line, site, commit, frozenset(graph.files) | frozenset(graph.ids))
            break
    return line


def _with_path(code: str, line: str, site: Site, commit: Commit, files: frozenset[str]) -> str:
    written = next((name for name in site.names if name in line), "")
    here = posixpath.dirname(commit.moved.get(site.file, site.file))
    if not written:
        return line
    if code == "c":
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(site.file), written))
        old = next((path for path in commit.moved if f"/{path}".endswith(f"/{written}") or path == beside), beside)
        return line.replace(written, posixpath.relpath(commit.moved.get(old, old), here or "."))
    old = script_of(written, site.file, files)
    new = posixpath.relpath(commit.moved.get(old, old), here or ".")
    if not written.endswith(posixpath.splitext(old)[1]):
        new = posixpath.splitext(new)[0].removesuffix("/index" if not written.endswith("index") else "//")
    return line.replace(written, new if new.startswith(".") else f"./{new}")


# -- what is accepted ------------------------------------------------------------------------------------------------


def accepted(code: str, folder: Path, python: str) -> set[str]:
    """What the tools of a language accept of the files in a folder."""
    if code == "python":
        return _collected(folder, python)
    if code == "java":
        return _compiled(folder)
    files = [path for suffix in SUFFIXES[code] for path in sorted(folder.rglob(f"*{suffix}"))]
    if code == "c":
        includes = [f"-I{path}" for path in sorted({path.parent for path in files if path.suffix == ".h"})][:60]
        good = {
            path for path in files if path.suffix == ".c" and _run(["gcc", "-fsyntax-only", "-w", *includes, str(path)])
        }
    else:
        scripts = [path for path in files if path.suffix in (".js", ".mjs", ".cjs")]
        good = {path for path in scripts if _run(["node", "--check", str(path)])}
        good = {path for path in good if not _leading_nowhere(folder, path)}
    return {path.relative_to(folder).as_posix() for path in good}


def _leading_nowhere(folder: Path, path: Path) -> bool:
    name = path.relative_to(folder).as_posix()
    here = posixpath.dirname(name)
    text = "\n".join(blanked("javascript", name, read(path), strings=False))
    for match in _SPECIFIER.finditer(text):
        top = folder / posixpath.normpath(posixpath.join(here, match[2]))
        ends = ["", *SCRIPTS, *(f"/index{end}" for end in SCRIPTS)]
        if not any(Path(f"{top}{end}").exists() for end in ends):
            return True
    return False


def _collected(folder: Path, python: str) -> set[str]:
    """Test files that pytest imports."""
    command = [
        python,
        "-m",
        "pytest",
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
        "--continue-on-collection-errors",
    ]
    environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": f"{folder / 'src'}:{folder}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*command, "-o", "addopts=", "-W", "ignore"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    return {
        line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line and not line.startswith("ERROR")
    }


def _compiled(folder: Path) -> set[str]:
    """Java sources that javac has nothing against; those of tests are left out."""
    sources = [
        path for path in sorted(folder.rglob("*.java")) if "/test/" not in path.as_posix() and path.stem.islower() < 1
    ]
    if not sources:
        return set()
    with tempfile.TemporaryDirectory() as out:
        listed = Path(out) / "sources"
        listed.write_text("\n".join(f'"{path}"' for path in sources))
        command = [
            "javac",
            "-proc:none",
            "-nowarn",
            "-Xmaxerrs",
            "10000",
            "-encoding",
            "UTF-8",
            "-d",
            out,
            f"@{listed}",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    bad = {
        line.partition(".java:")[0] + ".java"
        for line in done.stderr.splitlines()
        if ".java:" in line and "error:" in line
    }
    return {path.relative_to(folder).as_posix() for path in sources if str(path) not in bad}


def _run(command: Sequence[str]) -> bool:
    return subprocess.run(command, capture_output=True, timeout=60).returncode == 0


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
