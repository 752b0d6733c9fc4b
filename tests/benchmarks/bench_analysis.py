"""How long analysing Python takes, beside parsing alone: python tests/benchmarks/bench_analysis.py [FOLDER ...]

Prints one Markdown table row per folder (default: the installed networkx):

facts / parse   processor time of all facts (decoding included) over that of tree-sitter's parse alone, of the same
                texts in one process, one after the other; median of the runs
jobs 1, jobs 2  seconds by the clock of `analyze` in a fresh process, imports included; median of the runs
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import tree_sitter_python
from tree_sitter import Language, Parser

from cbvtool.analysis.languages import language_of
from cbvtool.analysis.python import read_facts
from cbvtool.analysis.walk import walk

RUNS = 7
FRESH = "import sys; from cbvtool.analysis import analyze; analyze(sys.argv[1], jobs=int(sys.argv[2]))"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args(arguments)
    print("| folder | files | MB | parse | facts | facts / parse | jobs 1 | jobs 2 |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for folder in options.folder or [installed("networkx")]:
        print(row(folder, options.runs))


def installed(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def row(folder: Path, runs: int) -> str:
    texts = [(folder / file.path).read_bytes() for file in walk(folder).files if language_of(file.path)]
    parser = Parser(Language(tree_sitter_python.language()))
    times = [(processor_time(parser.parse, texts), processor_time(read_facts, texts)) for _ in range(runs)]
    parse, facts = (statistics.median(column) for column in zip(*times, strict=True))
    ratio = statistics.median(facts / parse for parse, facts in times)
    one, two = (statistics.median(fresh(folder, jobs) for _ in range(runs)) for jobs in (1, 2))
    size = sum(map(len, texts)) / 1e6
    return (
        f"| {folder.name} | {len(texts):,} | {size:.1f} | {parse:.2f} s | {facts:.2f} s | {ratio:.2f} "
        f"| {one:.2f} s | {two:.2f} s |"
    )


def processor_time(work: Callable[[bytes], object], texts: list[bytes]) -> float:
    start = time.process_time()
    for text in texts:
        work(text)
    return time.process_time() - start


def fresh(folder: Path, jobs: int) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", FRESH, str(folder), str(jobs)], check=True)
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
