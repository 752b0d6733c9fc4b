"""Compares complexity and SLOC of functions with those of lizard, and puts every difference into a class.

    python tests/judges/measures.py LANGUAGE FOLDER ...

Functions are the same when file, name and last line are. A difference is explained by the first class below that
accounts for it to the last line or decision:

| class | what |
|---|---|
| before | lines before the one with the name belong to the function here (annotations, decorators), not with lizard |
| inside | what is defined inside: lizard takes functions out but for their first lines, and leaves local classes \
in; methods of anonymous classes are no functions of their own here |
| wildcard | lizard takes a `?` for a decision that is none: of a type argument (Java), behind \
what may be left out, and for the `=` of a default value (JavaScript, TypeScript) |
| directives | lizard takes `#if`, `#ifdef` and `#elif` for decisions, and directives for no lines of code (C, C++) |
| reference | lizard takes the `&&` of a reference for a decision (C++) |
| angles | lizard takes `a < b && c > d` for the arguments of a template (C, C++) |
| initialiser | lizard leaves out the decisions in the initialisers of a constructor (C++) |

Exit status 1 when more than one function in 200 differs without an explanation.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import lizard

from cbvtool.analysis import analyze
from cbvtool.graph import Graph

SUFFIXES = {
    "java": (".java",), "c": (".c", ".h"), "cpp": (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".h"),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"), "typescript": (".ts", ".mts", ".cts", ".tsx"),
}  # fmt: skip
C_FAMILY = (".c", ".h", ".cc", ".cpp", ".cxx", ".hpp", ".hh")
ALLOWED = 1 / 200  # of the functions compared
HEADER = """\
| folder | functions | in both | complexity same | inside | wildcard | directives | reference | angles | initialiser \
| other | SLOC same | before | inside | directives | other |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


class Pair(NamedTuple):
    """A function as we see it (a key of the graph), and as lizard does.

    inner  what lizard lists inside of it, and whether we list that, too
    lines  of the file
    """

    key: int
    theirs: Any
    inner: list[tuple[Any, bool]]
    lines: list[str]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=sorted(SUFFIXES))
    parser.add_argument("folder", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    bad = False
    others: list[str] = []
    print(HEADER)
    for folder in options.folder:
        graph = analyze(folder)
        found = pairs(graph, folder, SUFFIXES[options.language])
        complexity: Counter[str] = Counter()
        sloc: Counter[str] = Counter()
        for pair in found:
            for what, counter, why in (("complexity", complexity, why_complexity), ("SLOC", sloc, why_sloc)):
                reason = why(graph, pair)
                counter[reason] += 1
                if reason == "other":
                    others.append(describe(graph, pair, what))
        listed = sum(graph.kind(key) == "function" for key in range(len(graph)))
        print(
            f"| {folder.name} | {listed:,} | {len(found):,} | {complexity['same']:,} | {complexity['inside']:,} "
            f"| {complexity['wildcard']:,} | {complexity['directives']:,} | {complexity['reference']:,} "
            f"| {complexity['angles']:,} | {complexity['initialiser']:,} | {complexity['other']:,} "
            f"| {sloc['same']:,} | {sloc['before']:,} | {sloc['inside']:,} "
            f"| {sloc['directives']:,} | {sloc['other']:,} |"
        )
        bad |= complexity["other"] + sloc["other"] > ALLOWED * len(found)
    for line in others[:40]:
        print(line)
    return int(bad)


def pairs(graph: Graph, folder: Path, suffixes: tuple[str, ...]) -> list[Pair]:
    """Every function that both list."""
    ours = {
        (graph.ids[key].partition("::")[0], graph.names[key].rpartition("::")[2], int(graph.end_line[key])): key
        for key in range(len(graph)) if graph.kind(key) == "function"
    }  # fmt: skip
    found = []
    for path in sorted({place[0] for place in ours if place[0].endswith(suffixes)}):
        lines = (folder / path).read_text(encoding="utf-8", errors="replace").splitlines()
        functions = lizard.analyze_file(str(folder / path)).function_list
        keys = [ours.get((path, function.name.rpartition("::")[2], function.end_line)) for function in functions]
        for key, function in zip(keys, functions, strict=True):
            inner = [
                (other, other_key is not None)
                for other_key, other in zip(keys, functions, strict=True)
                if other is not function and function.start_line <= other.start_line
                and other.end_line <= function.end_line
            ]  # fmt: skip
            if key is not None:
                found.append(Pair(key, function, inner, lines))
    return found


def total(graph: Graph, key: int, name: str) -> float:
    """A value of a definition with all that is defined inside it."""
    inside = f"{graph.ids[key]}."
    return sum(
        graph.values[name][other]
        for other in range(key, min(key + 200, len(graph))) if other == key or graph.ids[other].startswith(inside)
    )  # fmt: skip


def why_complexity(graph: Graph, pair: Pair) -> str:
    theirs = pair.theirs.cyclomatic_complexity
    if graph.values["complexity"][pair.key] == theirs:
        return "same"
    inside = sum(inner.cyclomatic_complexity - (not is_ours) for inner, is_ours in pair.inner)
    if total(graph, pair.key, "complexity") == theirs + inside:
        return "inside"
    text = "\n".join(pair.lines[int(graph.line[pair.key]) - 1 : pair.theirs.end_line])
    wildcards = len(re.findall(r"[<,]\s*\?", text))
    if graph.ids[pair.key].partition("::")[0].endswith((*SUFFIXES["javascript"], *SUFFIXES["typescript"])):
        wildcards += len(re.findall(r"\?[:,)=]|\w\s*=(?![=>])(?=[^;\n]*[,)])", text))
    more = theirs + inside - total(graph, pair.key, "complexity")
    if 0 < more <= wildcards:
        return "wildcard"
    return why_more(text, int(more)) if graph.ids[pair.key].partition("::")[0].endswith(C_FAMILY) else "other"


def why_more(text: str, more: int) -> str:
    """Why lizard finds `more` decisions in a C or C++ function."""
    directives = len(re.findall(r"^[ \t]*#[ \t]*(?:if|elif)", text, re.MULTILINE))
    references = len(re.findall(r"[\w>)]\s*&&\s*(?:\w+\s*)?[,)=:{;]|[\w>]&& |&&\.\.\.", text))
    if 0 < more <= directives:
        return "directives"
    if 0 < more <= directives + references:
        return "reference"
    angles = re.findall(r"<([^;{}]*?(?:&&|\|\|)[^;{}]*?)>", text)
    if 0 < -more <= sum(len(re.findall(r"&&|\|\||\?", found)) for found in angles):
        return "angles"
    head = text.partition("{")[0]
    return "initialiser" if 0 < -more <= len(re.findall(r"\?|&&|\|\|", head[head.find(":") :])) else "other"


def why_sloc(graph: Graph, pair: Pair) -> str:
    theirs = pair.theirs.nloc
    if graph.values["sloc"][pair.key] == theirs:
        return "same"
    before = sum(map(is_code, pair.lines[int(graph.line[pair.key]) - 1 : pair.theirs.start_line - 1]))
    if graph.values["sloc"][pair.key] == theirs + before:
        return "before"
    inside = sum(inner.nloc - 1 for inner, _ in pair.inner)
    if total(graph, pair.key, "sloc") == theirs + before + inside:
        return "inside"
    lines = pair.lines[pair.theirs.start_line - 1 : pair.theirs.end_line]
    directives = sum(re.match(r"\s*#", line) is not None for line in lines)
    return "directives" if total(graph, pair.key, "sloc") == theirs + before + inside + directives else "other"


def is_code(line: str) -> bool:
    """Whether the line holds code, for lines outside of texts and longer comments."""
    return not re.match(r"\s*(//.*|#.*|/?\*.*)?$", line)


def describe(graph: Graph, pair: Pair, what: str) -> str:
    ours, theirs = ("complexity", "cyclomatic_complexity") if what == "complexity" else ("sloc", "nloc")
    return f"{what} {graph.ids[pair.key]}: {graph.values[ours][pair.key]:g} here, {getattr(pair.theirs, theirs)} there"


if __name__ == "__main__":
    sys.exit(main())
