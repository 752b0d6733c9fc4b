"""Compares complexity and SLOC of functions with those of lizard, and puts every difference into a class.

    python tests/judges/measures.py LANGUAGE FOLDER ...

Functions are the same when file, name and last line are. Lizard is watched while it reads: which words it takes for
decisions, and on which lines it finds code. What it finds between the first and the last line of a function here, put
right by the rules of some of the classes below, must give the figure here to the last decision or line; a difference
is of all the classes that this takes, and of none if nothing gives the figure.

| class | what |
|---|---|
| inside | what is defined inside: lizard takes functions out but for their first lines, and leaves local classes \
in; methods of anonymous classes are no functions of their own here |
| before | lines before the one with the name belong to the function here (annotations, decorators, results) |
| owner | nothing needs to be put right: lizard sees the same, but counts some of it for another function, as it \
begins one at a name in parentheses behind `=` and ends one with the line, or drops it (initialisers of C++) |
| default | lizard takes the `=` of a default value for a decision (JavaScript, TypeScript) |
| member | lizard takes a member called `catch`, `for` or `if` for a decision (JavaScript, TypeScript) |
| question | lizard takes a `?` for a decision that is none, of a type argument (Java) or of what may be left out \
(TypeScript); and the one of `a? b : c` for none |
| regex | lizard takes a regular expression behind `return`, `=>` or on a new line for code |
| template | lizard does not look into `${...}`: comments are code there, and all is a comment if one stands at the \
beginning |
| reference | lizard takes the `&&` of a reference for a decision (with a blank on one side alone, or with a type \
before and a closing bracket behind), or the one of a decision for a reference, if a `=` follows (C, C++) |
| directive | lizard takes `#if`, `#ifdef` and `#elif` for decisions, and directives for no lines of code (C, C++) |
| branch | lizard counts all branches of an `#if`; here the first alone is read in files in which all together are no \
C (C, C++) |
| blank | lizard counts blank lines of texts |

Exit status 1 when more than one function in 200 differs without an explanation.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from lizard_core.extensions import get_extensions
from lizard_core.file_analyzer import FileAnalyzer
from lizard_languages.typescript import TypeScriptReader

from cbvtool.analysis import analyze
from cbvtool.graph import Graph

SUFFIXES = {
    "java": (".java",),
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".h"),
    "javascript": (".js", ".mjs", ".cjs", ".jsx"),
    "typescript": (".ts", ".mts", ".cts", ".tsx"),
}
SCRIPTS = (*SUFFIXES["javascript"], *SUFFIXES["typescript"])
C_FAMILY = (*SUFFIXES["c"], *SUFFIXES["cpp"])
ALLOWED = 1 / 200  # of the functions compared
HEADER = """\
| folder | functions | in both | complexity same | differs | other | SLOC same | differs | other |
| --- | ---: | ---: | ---: | --- | ---: | ---: | --- | ---: |"""


class Seen(NamedTuple):
    """A decision that lizard sees (count 1, or more default values at once), or overlooks (-1)."""

    line: int
    kind: str  # "" = it is one; else a class of differences
    count: int = 1


class File(NamedTuple):
    """A file as lizard sees it.

    functions  its own rows
    decisions  in the order of the file
    code       numbers of the lines that hold code
    dropped    of lines of code that lizard drops: those of a `${...}` with a comment at its beginning
    remarks    of lines that hold nothing but a comment inside `${...}`, which lizard takes for code
    lines      the text
    """

    functions: list[Any]
    decisions: list[Seen]
    code: set[int]
    dropped: set[int]
    remarks: set[int]
    lines: list[str]


class Pair(NamedTuple):
    """A function as we see it (a key of the graph), and as lizard does.

    inner  what lizard lists inside of it, and whether we list that, too
    file   where both are
    """

    key: int
    theirs: Any
    inner: list[tuple[Any, bool]]
    file: File


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=sorted(SUFFIXES))
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--list", action="store_true", help="list every function that is not explained")
    options = parser.parse_args(arguments)
    bad = False
    others: list[str] = []
    print(HEADER)
    for folder in options.folder:
        graph = analyze(folder)
        found = pairs(graph, folder, SUFFIXES[options.language])
        cells = []
        unexplained = 0
        for what, why in (("complexity", why_complexity), ("SLOC", why_sloc)):
            reasons: Counter[str] = Counter()
            for pair in found:
                reason = why(graph, pair)
                reasons[reason] += 1
                if reason == "other":
                    others.append(describe(graph, pair, what))
            same, other = reasons.pop("same", 0), reasons.pop("other", 0)
            unexplained += other
            differs = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common())
            cells.append(f"{same:,} | {differs} | {other:,}")
        listed = sum(graph.kind(key) == "function" for key in range(len(graph)))
        print(f"| {folder.name} | {listed:,} | {len(found):,} | {' | '.join(cells)} |")
        bad |= unexplained > ALLOWED * len(found)
    for line in others[: None if options.list else 40]:
        print(line)
    return int(bad)


def pairs(graph: Graph, folder: Path, suffixes: tuple[str, ...]) -> list[Pair]:
    """Every function that both list."""
    ours = {
        (graph.ids[key].partition("::")[0], graph.names[key].rpartition("::")[2], int(graph.end_line[key])): key
        for key in range(len(graph))
        if graph.kind(key) == "function"
    }
    found = []
    for path in sorted({place[0] for place in ours if place[0].endswith(suffixes)}):
        file = Watched().read(folder / path)
        functions = file.functions
        keys = [ours.get((path, function.name.rpartition("::")[2], function.end_line)) for function in functions]
        for key, function in zip(keys, functions, strict=True):
            inner = [
                (other, other_key is not None)
                for other_key, other in zip(keys, functions, strict=True)
                if other is not function
                and function.start_line <= other.start_line
                and other.end_line <= function.end_line
            ]
            if key is not None:
                found.append(Pair(key, function, inner, file))
    return found


# -- lizard, watched -------------------------------------------------------------------------------------------


class Watched:
    """Lizard's analysis of one file, with notes of what it takes for a decision and for a line of code."""

    def __init__(self) -> None:
        self._stage = "directive"  # who counts a decision now: that of directives, of words, or of functions
        self._tokens: list[tuple[str, int]] = []  # with their last lines
        self._counted: list[tuple[int, int, str, int]] = []  # line, index of the token, stage, number

    def read(self, path: Path) -> File:
        steps = get_extensions([])  # the last one counts words
        information = FileAnalyzer([*steps[:-1], self._before, steps[-1], self._behind])(str(path))
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        code = {number for token, last in self._tokens for number in range(last - token.count("\n"), last + 1)}
        script = path.name.endswith(SCRIPTS)
        sort = self._of_script if script else self._of_c if path.name.endswith(C_FAMILY) else self._of_java
        decisions = [sort(*row, lines) for row in self._counted]
        if script:
            decisions += _overlooked(self._tokens, TypeScriptReader.generate_tokens)
        dropped, remarks = set[int](), set[int]()
        for (token, first), (behind, last) in pairwise(self._tokens):
            if script and token == "${":
                held = {number for number, line in without_texts(lines[first - 1 : last], first) if line.strip()}
                if behind == "}":
                    dropped |= held
                else:
                    remarks |= set(range(first, last + 1)) - held
        return File(information.function_list, decisions, code, dropped, remarks, lines)

    def _before(self, tokens: Iterator[str], reader: Any) -> Iterator[str]:
        context = reader.context
        count = context.add_condition

        def counted(number: int = 1) -> None:
            self._counted.append((context.current_line, len(self._tokens) - 1, self._stage, number))
            count(number)

        context.add_condition = counted
        for token in tokens:
            self._tokens.append((token, context.current_line))
            self._stage = "word"
            yield token
            self._stage = "directive"

    def _behind(self, tokens: Iterator[str], reader: Any) -> Iterator[str]:
        for token in tokens:
            self._stage = "function"
            yield token

    def _around(self, at: int) -> tuple[str, str, str]:
        """The token at that index, the one before and the one behind."""
        before, token, behind = (self._tokens[i][0] if 0 <= i < len(self._tokens) else "" for i in (at - 1, at, at + 1))
        return token, before, behind

    def _of_java(self, line: int, at: int, stage: str, number: int, lines: list[str]) -> Seen:
        token, before, behind = self._around(at)
        wildcard = token == "?" and (before == "<" or (before == "," and behind in ("extends", "super", ",", ">")))
        return Seen(line, "question" if wildcard else "", number)

    def _of_script(self, line: int, at: int, stage: str, number: int, lines: list[str]) -> Seen:
        token, before, behind = self._around(at)
        if stage == "function":
            return Seen(line, "default", number)
        if token.isalpha() and before in (".", "?."):
            return Seen(line, "member", number)
        if _in_regex(token, line, lines):
            return Seen(line, "regex", number)
        if token == "?" and behind in (":", ",", ")", "=", ";", "]"):
            return Seen(line, "question", number)
        return Seen(line, "", number)

    def _of_c(self, line: int, at: int, stage: str, number: int, lines: list[str]) -> Seen:
        if stage == "directive":
            return Seen(line, "directive", number)
        if stage == "function":  # corrections where `&&` seems to be a reference's
            return Seen(line, "reference", number)
        nth = sum(token == "&&" and last == line for token, last in self._tokens[max(at - 200, 0) : at])
        reference = self._around(at)[0] == "&&" and _is_reference(lines[line - 1], nth)
        return Seen(line, "reference" if reference else "", number)


TEXTS = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/')


def _is_reference(line: str, nth: int) -> bool:
    """Whether the `&&` of that number on a line of C++ is of a reference."""
    found = list(re.finditer("&&", TEXTS.sub(lambda text: "x" * len(text[0]), line)))
    if nth >= len(found):
        return False
    before, behind = line[: found[nth].start()], line[found[nth].end() :]
    blank_before, blank_behind = not before or before[-1].isspace(), not behind or behind[0].isspace()
    if blank_before != blank_behind:
        return True
    return not blank_before and (behind[0] in ",)>.;={[" or before.rstrip().endswith(("auto", ">")))


REGEX = re.compile(
    r"(?:^|\breturn\b|\bcase\b|\btypeof\b|=>|&&|\|\||[(,=:\[!?{};])\s*"
    r"(/(?![/*])(?:\\[^\n]|\[(?:\\[^\n]|[^\\\]\n])*\]|[^/\\\[\n])+/[a-z]*)"
)


def _in_regex(token: str, line: int, lines: list[str]) -> bool:
    """Whether all that looks like `token` on the line stands in regular expressions."""
    text = lines[line - 1]
    return token in text and token not in REGEX.sub("", text)


def _overlooked(tokens: list[tuple[str, int]], read: Callable[[str], Iterator[str]]) -> Iterator[Seen]:
    """Decisions of a script that lizard does not see."""
    for i, (token, last) in enumerate(tokens):
        behind = tokens[i + 1][0] if i + 1 < len(tokens) else ""
        if re.fullmatch(r"\w+\?", token) and behind not in (":", ",", ")", "=", ";", "]", "(", ">"):
            yield Seen(last, "question", -1)
        if token == "${" and behind:
            for line in _decisions_in(behind, tokens[i + 1][1], read):
                yield Seen(line, "template", -1)
        elif token.startswith("`") and "${" in token:  # in JSX a template is one token
            for line in _decisions_in(token, last, TypeScriptReader.generate_tokens):
                yield Seen(line, "template", -1)


def _decisions_in(text: str, last: int, read: Callable[[str], Iterator[str]]) -> Iterator[int]:
    """Lines of the decisions in an expression of a template that ends on line `last`."""
    line = last - text.count("\n")
    tokens = list(read(text))
    starts = [0, *accumulate(token.count("\n") for token in tokens)]
    words = [(token, line + start) for token, start in zip(tokens, starts, strict=False) if not token.isspace()]
    for i, (token, at) in enumerate(words):
        before = words[i - 1][0] if i else ""
        if token in ("if", "for", "while", "case", "catch", "&&", "||", "??", "?") and before not in (".", "?."):
            yield at
        elif before == "${":
            yield from _decisions_in(token, at + token.count("\n"), read)


# -- why they differ -------------------------------------------------------------------------------------------


def within(graph: Graph, key: int) -> list[int]:
    """Keys of a definition and all that is defined inside it, between its lines."""
    inside = f"{graph.ids[key]}."
    return [
        other
        for other in range(key, min(key + 2_000, len(graph)))
        if other == key or (graph.ids[other].startswith(inside) and graph.end_line[other] <= graph.end_line[key])
    ]


def why_complexity(graph: Graph, pair: Pair) -> str:
    theirs = pair.theirs.cyclomatic_complexity
    if graph.values["complexity"][pair.key] == theirs:
        return "same"
    keys = within(graph, pair.key)
    total = sum(graph.values["complexity"][key] for key in keys)
    inside = sum(inner.cyclomatic_complexity - (not is_ours) for inner, is_ours in pair.inner)
    if total == theirs + inside:
        return "inside"
    ours = total - sum(graph.kind(key) == "function" for key in keys)
    first, last = int(graph.line[pair.key]), int(graph.end_line[pair.key])
    seen = [row for row in pair.file.decisions if first <= row.line <= last]
    later = later_branches(pair.file.lines) if is_c(graph, pair) else set()
    for rows, branch in ((seen, []), ([row for row in seen if row.line not in later], ["branch"])):
        counts: Counter[str] = Counter()
        for row in rows:
            counts[row.kind] += row.count
        if counts.pop("", 0) == ours + counts.get("template", 0) + min(counts.get("question", 0), 0):
            return " + ".join([*sorted(kind for kind, count in counts.items() if count), *branch]) or "owner"
    return "other"


def why_sloc(graph: Graph, pair: Pair) -> str:
    theirs = pair.theirs.nloc
    if graph.values["sloc"][pair.key] == theirs:
        return "same"
    lines, code = pair.file.lines, pair.file.code
    first, last = int(graph.line[pair.key]), int(graph.end_line[pair.key])
    before = sum(number in code for number in range(first, pair.theirs.start_line))
    if graph.values["sloc"][pair.key] == theirs + before:
        return "before"
    ours = sum(graph.values["sloc"][key] for key in within(graph, pair.key))
    if ours == theirs + before + sum(inner.nloc - 1 for inner, _ in pair.inner):
        return "inside"
    seen = {number for number in code if first <= number <= last}
    blank = {number for number in seen if not lines[number - 1].strip()}
    whole = (seen | {number for number in pair.file.dropped if first <= number <= last}) - pair.file.remarks
    rules = [("owner", seen), ("blank", seen - blank), ("template", whole), ("blank + template", whole - blank)]
    if is_c(graph, pair):
        rules.append(("directive", seen | {number for number in directive_lines(lines) if first <= number <= last}))
    return next((name for name, found in rules if ours == len(found)), "other")


def is_c(graph: Graph, pair: Pair) -> bool:
    return graph.ids[pair.key].partition("::")[0].endswith(C_FAMILY)


def directive_lines(lines: list[str]) -> Iterator[int]:
    """Numbers of the lines of directives, those that go on from the line before included."""
    goes_on = False
    for number, line in without_texts(lines, 1):
        if goes_on or re.match(r"\s*#", line):
            yield number
            goes_on = line.endswith("\\")


def without_texts(lines: list[str], first: int) -> Iterator[tuple[int, str]]:
    """The lines, numbered from `first` on, with blanks for comments and `x` for texts."""
    text = LONG_TEXTS.sub(
        lambda found: re.sub(r"[^\n]", "x" if found[0][0] in "\"'" else " ", found[0]), "\n".join(lines)
    )
    yield from enumerate(text.split("\n"), first)


LONG_TEXTS = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)


def later_branches(lines: list[str]) -> set[int]:
    """Numbers of the lines of conditional directives, and of all their branches but the first."""
    found: set[int] = set()
    around: list[bool] = []  # for each `#if` that is open: whether its first branch is over
    for number, line in enumerate(lines, 1):
        word = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b", line)
        if word is None:
            if any(around):
                found.add(number)
            continue
        found.add(number)
        if word[1].startswith("if"):
            around.append(False)
        elif around and word[1] == "endif":
            around.pop()
        elif around:
            around[-1] = True
    return found


def describe(graph: Graph, pair: Pair, what: str) -> str:
    ours, theirs = ("complexity", "cyclomatic_complexity") if what == "complexity" else ("sloc", "nloc")
    return f"{what} {graph.ids[pair.key]}: {graph.values[ours][pair.key]:g} here, {getattr(pair.theirs, theirs)} there"


if __name__ == "__main__":
    sys.exit(main())
