"""What analysing costs, beside parsing alone and beside others: make bench-analysis REPO=path, or

    python tests/benchmarks/bench_analysis.py [FOLDER ...] [--runs N] [--no-others]

Prints Markdown tables for each folder (default: the installed networkx). Quote the ratios: all sides of one are
measured in the same run, one after the other, and the median of the runs counts.

languages    processor time of all facts (decoding included) over that of tree-sitter's parse alone, of the same texts
             in one process; imports: that of the first stage; those of at most `--bytes` of each language. query: that
             of the parse with the reader's query, which is below anything that this program does with what it finds.
             Garbage collection is off for all of them, as it is while files are read in earnest (`analysis.pool`)
whole        seconds by the clock of `analyze` in a fresh process, imports included: with one process, with two, with
             an empty cache, unchanged with a full one, and until the first picture; peak memory of all its processes
after edits  seconds of the processor, of all processes of a fresh `analyze` with a full cache, of a copy in which one
             file was edited: the one of median size in the suffix with the most bytes
others       seconds by the clock per million lines of the files that each of them reads, as it runs without being told
             how many processors to use; missing ones are named
"""

from __future__ import annotations

import argparse
import gc
import importlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Language, Parser, Tree

from cbvtool.analysis import sweep
from cbvtool.analysis.languages import LANGUAGES, language_of, reader
from cbvtool.analysis.read import SOURCE_LIMIT
from cbvtool.analysis.walk import FoundFile, walk
from cbvtool.regular_file import Unreadable

RUNS = 5
BYTES = 10_000_000
FRESH = """
import sys, time
from pathlib import Path
from cbvtool.analysis import analyze, folder
start = time.perf_counter()
jobs, cache, first = int(sys.argv[2]), sys.argv[3], sys.argv[4]
if first:
    folder.FIRST_BYTES = 0
seen = []
graph = analyze(
    sys.argv[1], jobs=jobs, cache=Path(cache) if cache else False,
    on_first=(lambda graph: seen.append(time.perf_counter() - start)) if first else None,
)
print(*seen, graph.report.files, sum(share.lines for share in graph.report.languages), len(graph), len(graph.edges))
"""
PROCESSOR = """
import resource, sys
from pathlib import Path
from cbvtool.analysis import analyze
analyze(sys.argv[1], cache=Path(sys.argv[2]))
used = [resource.getrusage(of) for of in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
print(sum(one.ru_utime + one.ru_stime for one in used))
"""
# By suffix what changes nothing, and one more definition.
_BRACES = ("// edited\n", "function edited() {}\n")
_C = ("/* edited */\n", "static int edited(void) { return 0; }\n")
EDITS = {
    ".py": ("# edited\n", "def edited(value):\n    return value\n"),
    ".java": ("// edited\n", "class Edited {}\n"),
    ".go": ("// edited\n", "func edited() {}\n"),
    ".js": _BRACES,
    ".ts": _BRACES,
} | dict.fromkeys((".c", ".h", ".cc", ".cpp", ".hpp"), _C)
# The grammar of each reader; a function of its package where that has several.
GRAMMARS = {
    ".c.reader": {"": "tree_sitter_cpp", ".c": "tree_sitter_c"},
    ".csharp": {"": "tree_sitter_c_sharp"},
    ".javascript.typescript": {
        "": "tree_sitter_typescript:language_typescript",
        ".tsx": "tree_sitter_typescript:language_tsx",
    },
    ".php": {"": "tree_sitter_php:language_php"},
}


class Text(NamedTuple):
    name: str
    data: bytes


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--bytes", type=int, default=BYTES, help="of each language, for the first table")
    parser.add_argument("--no-others", dest="others", action="store_false")
    options = parser.parse_args(arguments)
    for folder in options.folder or [installed("networkx")]:
        folder = folder.resolve()
        print(f"\n## {folder.name}\n")
        languages(folder, options.runs, options.bytes)
        lines = whole(folder, options.runs)
        after_edits(folder, options.runs)
        if options.others:
            others(folder, lines)


def installed(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


# -- facts beside parsing alone ----------------------------------------------------------------------------------


def languages(folder: Path, runs: int, most: int) -> None:
    texts: dict[str, list[Text]] = defaultdict(list)
    sizes: dict[str, int] = defaultdict(int)
    for file in walk(folder).files:
        language = language_of(file.path)
        if language is not None and file.size <= SOURCE_LIMIT and sizes[language.reader] < most:
            texts[language.reader].append(Text(Path(file.path).name, (folder / file.path).read_bytes()))
            sizes[language.reader] += file.size
    print("| language | files | MB | parse | facts | facts / parse | query / parse | imports / parse |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    gc.disable()
    for name in sorted(texts, key=lambda name: -sizes[name]):
        print(language_row(name, texts[name], runs))
    gc.enable()


def language_row(name: str, texts: list[Text], runs: int) -> str:
    called = " / ".join(dict.fromkeys(language.name for language in LANGUAGES if language.reader == name))
    parsers = {suffix: parser_of(name, suffix) for suffix in {Path(text.name).suffix for text in texts}}
    module = reader(name)
    asked = {text: parses_of(module.read_facts, text) for text in texts}
    works: list[Callable[[Text], object]] = [
        lambda text: module.read_facts(text.data, text.name),
        lambda text: [sweep.captured(syntax, sweep.parsed(syntax, source).root_node) for syntax, source in asked[text]],
    ]
    if hasattr(module, "read_imports"):
        works.append(lambda text: module.read_imports(text.data, text.name))
    if all(parsers.values()):
        works.append(lambda text: parsers[Path(text.name).suffix].parse(text.data))
    for work in works:
        processor_time(work, texts[:5])  # what is made once
    times = [[processor_time(work, texts) for work in works] for _ in range(runs)]
    medians = [f"{statistics.median(column):.2f} s" for column in zip(*times, strict=True)]
    size = sum(len(text.data) for text in texts) / 1e6
    if not all(parsers.values()):  # an own scanner: there is nothing to compare it with
        return f"| {called} | {len(texts):,} | {size:.1f} | | {medians[0]} | | | |"
    ratios = [f"{statistics.median(row[i] / row[-1] for row in times):.2f}" for i in range(len(works) - 1)]
    return " | ".join(
        [f"| {called} | {len(texts):,} | {size:.1f} | {medians[-1]} | {medians[0]}", *ratios, ""]
    ).rstrip()


def parses_of(read_facts: Callable[[bytes, str], object], text: Text) -> list[tuple[sweep.Syntax, bytes]]:
    """What a reader has parsed to read `text`, some more than once: the syntax and the text of each.

    Nothing for what is unreadable.
    """
    found = []
    parsed = sweep.parsed

    def noted(syntax: sweep.Syntax, source: bytes) -> Tree:
        found.append((syntax, source))
        return parsed(syntax, source)

    sweep.parsed = noted
    try:
        read_facts(text.data, text.name)
    except Unreadable:
        return []
    finally:
        sweep.parsed = parsed
    return found


def parser_of(name: str, suffix: str) -> Parser | None:
    """A parser with the grammar of the reader `name`; None if it has none."""
    named = GRAMMARS.get(name, {"": f"tree_sitter_{name.split('.')[1]}"})
    package, _, function = named.get(suffix, named[""]).partition(":")
    try:
        return Parser(Language(getattr(importlib.import_module(package), function or "language")()))
    except ImportError:
        return None


def processor_time(work: Callable[[Text], object], texts: Iterable[Text]) -> float:
    start = time.process_time()
    for text in texts:
        try:
            work(text)
        except Unreadable:
            continue
    return time.process_time() - start


# -- the whole analysis ------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """seconds by the clock, bytes of memory at the most (all processes), what it printed."""

    seconds: float
    memory: int
    said: str


def whole(folder: Path, runs: int) -> int:
    """Print the table; the result is the number of lines that were read."""
    with tempfile.TemporaryDirectory() as kept:
        analyze = [sys.executable, "-c", FRESH, str(folder)]
        one, two, cold, warm, first = ([] for _ in range(5))
        for _ in range(runs):
            one.append(measured([*analyze, "1", "", ""]))
            two.append(measured([*analyze, "2", "", ""]))
            shutil.rmtree(kept)
            Path(kept).mkdir()
            cold.append(measured([*analyze, "2", kept, ""]))
            warm.append(measured([*analyze, "2", kept, ""]))
            first.append(measured([*analyze, "2", "", "first"]))
    files, lines, nodes, edges = map(int, two[0].said.split())
    until = statistics.median(float(run.said.split()[0]) for run in first)
    base = seconds(cold)
    print(f"\n{files:,} files with {lines:,} lines: {nodes:,} nodes, {edges:,} relations\n")
    print("| | seconds | ratio | peak memory |\n| --- | ---: | ---: | ---: |")
    for what, runs_of, ratio in (
        ("one process", one, ""),
        ("two processes", two, f"{seconds(one) / seconds(two):.2f} times as fast as one"),
        ("two, empty cache", cold, f"{base / seconds(two):.2f} of none"),
        ("unchanged", warm, f"{seconds(warm) / base:.3f} of cold"),
    ):
        print(f"| {what} | {seconds(runs_of):.2f} | {ratio} | {max(run.memory for run in runs_of) / 1e6:,.0f} MB |")
    print(f"| first picture | {until:.2f} | {until / base:.2f} of cold | |")
    return lines


def after_edits(folder: Path, runs: int) -> None:
    """Print what analysing again takes."""
    by_suffix: dict[str, list[FoundFile]] = defaultdict(list)
    for file in walk(folder).files:
        by_suffix[Path(file.path).suffix].append(file)
    known = [by_suffix[suffix] for suffix in EDITS if suffix in by_suffix]
    if not known:
        return
    largest = max(known, key=lambda files: sum(file.size for file in files))
    chosen = sorted(largest, key=lambda file: file.size)[len(largest) // 2].path
    taken: dict[str, list[float]] = defaultdict(list)
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as made:
            copy, kept = Path(shutil.copytree(folder, Path(made, "copy", folder.name))), Path(made, "kept")
            for what, edit in (("cold", None), *edits_of(copy / chosen)):
                if edit is not None:
                    edit()
                said = measured([sys.executable, "-c", PROCESSOR, str(copy), str(kept)]).said
                taken[what].append(float(said))
    print(f"\n| after one edit of {chosen} | seconds of the processor | ratio |\n| --- | ---: | ---: |")
    cold = statistics.median(taken["cold"])
    for what, times in taken.items():
        print(f"| {what} | {statistics.median(times):.2f} | {statistics.median(times) / cold:.3f} of cold |")


def edits_of(file: Path) -> list[tuple[str, Callable[[], object]]]:
    """What is done, in this order."""
    comment, definition = EDITS[file.suffix]
    other = file.with_name(f"more{file.suffix}")
    return [
        ("a comment", lambda: append(file, comment)),
        ("a definition more", lambda: append(file, definition)),
        ("a file more", lambda: shutil.copy(file, other)),
        ("that file less", other.unlink),
    ]


def append(file: Path, text: str) -> None:
    with file.open("a") as opened:
        opened.write(text)


def seconds(runs: Sequence[Run]) -> float:
    return statistics.median(run.seconds for run in runs)


def measured(command: Sequence[str], cwd: Path | None = None) -> Run:
    """Run `command`. Raises CalledProcessError if it fails."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=cwd) as process:
        peak = [0]
        watcher = threading.Thread(target=watch, args=(process, peak))
        watcher.start()
        said = process.communicate()[0]
        taken = time.perf_counter() - start  # the watcher may be asleep
        watcher.join()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(taken, peak[0], said)


def watch(process: subprocess.Popen[str], peak: list[int]) -> None:
    """Keep the most memory that the process and its children have at once (Linux; proportional set size)."""
    while process.poll() is None:
        peak[0] = max(peak[0], sum(memory(pid) for pid in family(process.pid)))
        time.sleep(0.1)


def family(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [member for child in task.read_text().split() for member in family(int(child))]
        except OSError:
            continue
    return found


def memory(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


# -- others ------------------------------------------------------------------------------------------------------

DOXYFILE = (
    "INPUT={0}\nRECURSIVE=YES\nGENERATE_HTML=NO\nGENERATE_LATEX=NO\nGENERATE_XML=YES\nOUTPUT_DIRECTORY={1}\nQUIET=YES\n"
)


def others(folder: Path, lines: int) -> None:
    """Print what other programs take, beside us on the same files."""
    count: dict[str, int] = defaultdict(int)
    for file in walk(folder).files:
        if file.size <= SOURCE_LIMIT:
            count[Path(file.path).suffix] += (folder / file.path).read_bytes().count(b"\n")
    print("\n| program | lines it reads | seconds | seconds per million lines |\n| --- | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as made:
        doxyfile = Path(made, "Doxyfile")
        doxyfile.write_text(DOXYFILE.format(folder, made))
        for name, jobs in (("cbvtool, one process", "1"), ("cbvtool, two processes, as it comes here", "2")):
            row(name, [sys.executable, "-c", FRESH, str(folder), jobs, "", ""], lines, Path(made))
        c = (".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".hh", ".hxx", ".C", ".H")
        scripts = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx")
        cruise = ["depcruise", "--no-config", "--output-type", "json", str(folder)]
        for name, command, suffixes in (
            (
                "lizard",
                ["lizard", str(folder)],
                (*c, *scripts, ".java", ".py", ".go", ".cs", ".rb", ".php", ".swift", ".rs"),
            ),
            ("doxygen", ["doxygen", str(doxyfile)], (*c, ".java", ".py", ".cs", ".php")),
            ("pydeps", ["pydeps", "--no-output", "--show-deps", "--max-bacon=0", str(folder)], (".py",)),
            ("dependency-cruiser", cruise, scripts),
        ):
            read = sum(count[suffix] for suffix in suffixes)
            if read:
                row(name, command, read, Path(made))


def row(name: str, command: Sequence[str], lines: int, cwd: Path) -> None:
    program = shutil.which(command[0]) or shutil.which(command[0], path=str(Path(sys.executable).parent))
    if program is None:
        print(f"| {name} | | not installed | |")
        return
    try:
        taken = measured([program, *command[1:]], cwd).seconds
    except subprocess.CalledProcessError as error:
        if name != "lizard":  # which ends with 1 when it has something to warn of
            print(f"| {name} | {lines:,} | failed with {error.returncode} | |")
            return
        start = time.perf_counter()
        subprocess.run([program, *command[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        taken = time.perf_counter() - start
    print(f"| {name} | {lines:,} | {taken:.2f} | {taken / lines * 1e6:.1f} |")


if __name__ == "__main__":
    main()
