"""The text of one file as the search for sites reads it: with and without its comments and strings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Literal

Form = Literal["lines", "bare", "code"]

_LONGEST = 2_000_000  # characters of a file that is read here; longer ones were not written by hand

_HASH = r"#[^\n]*"
_SLASHES = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_DOUBLE = r'"[^"\\\n]*+(?>(?:\\.[^"\\\n]*+)*)"?'
_SINGLE = r"'[^'\\\n]*+(?>(?:\\.[^'\\\n]*+)*)'?"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,9}?)'"
_TRIPLE = r'"""[^"\\]*+(?>(?:(?:\\.|"(?!""))[^"\\]*+)*)(?:"""|\Z)'
_TRIPLE_SINGLE = r"'''[^'\\]*+(?>(?:(?:\\.|'(?!''))[^'\\]*+)*)(?:'''|\Z)"
_BACKTICK = r"`[^`\\]*+(?>(?:\\.[^`\\]*+)*)`?"
_RAW = r"`[^`]*+`?"
_RAW_CPP = r'R"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)"|\Z)'

# Comments and strings; whatever stands first in the text counts. Every choice begins with a letter, not with a group,
# so that the search runs over the rest quickly.
_PATTERNS = {
    "python": "|".join((_HASH, _TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE)),
    "c": "|".join((_SLASHES, _RAW_CPP, _DOUBLE, _CHARACTER)),
    "go": "|".join((_SLASHES, _RAW, _DOUBLE, _CHARACTER)),
    "jvm": "|".join((_SLASHES, _TRIPLE, _DOUBLE, _CHARACTER)),
    "javascript": "|".join((_SLASHES, _BACKTICK, _DOUBLE, _SINGLE)),
    "hash": "|".join((_HASH, _DOUBLE, _SINGLE)),
    "plain": r"(?!)",
}
_COMPILED: dict[str, re.Pattern[str]] = {}

_STYLES = {
    "python": ("py", "pyi", "pyw", "pyx", "pxd"),
    "c": (
        *("c", "h", "inc", "cc", "cpp", "cxx", "c++", "C", "hh", "hpp", "hxx", "h++", "H", "inl", "ipp", "tpp", "txx"),
        *("ixx", "cppm", "cu", "cuh", "m", "mm"),
    ),
    "go": ("go",),
    "jvm": ("java", "kt", "kts", "scala", "sc", "groovy", "cs", "swift", "rs", "php", "phtml"),
    "javascript": ("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "vue", "svelte"),
    "hash": ("rb", "rake", "gemspec", "sh"),
}
_STYLE_OF = {suffix: style for style, suffixes in _STYLES.items() for suffix in suffixes}
_F_STRING = re.compile(r"(?<![\w])[rRbBtT]?[fF][rR]?$")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[^\n]")


def suffix_of(file: str) -> str:
    """What stands behind the last dot of a file's name; empty = nothing."""
    return file.rpartition("/")[2].rpartition(".")[2] if "." in file.rpartition("/")[2] else ""


class CodeText:
    """One file. Lines count from 1; all three forms have the same lines, and each line the same length.

    lines  as they are; none where the file is too long to have been written by hand
    bare   with blanks in place of comments
    code   with blanks in place of comments and strings; what stands in braces of an f-string stays
    """

    def __init__(self, file: str, lines: Sequence[str]) -> None:
        self.file = file
        self.lines: Sequence[str] = lines if sum(map(len, lines)) <= _LONGEST else ()

    def __len__(self) -> int:
        return len(self.lines)

    @cached_property
    def whole(self) -> str:
        """All of it."""
        return "\n".join(self.lines)

    @cached_property
    def _hidden(self) -> list[tuple[int, int, bool]]:
        """Begin and end of each comment and string, and whether it is a comment."""
        style = _STYLE_OF.get(suffix_of(self.file), "plain")
        pattern = _COMPILED.get(style)
        if pattern is None:
            pattern = _COMPILED[style] = re.compile(_PATTERNS[style], re.DOTALL)
        text = self.whole
        return [(*found.span(), text[found.start()] in "#/") for found in pattern.finditer(text)]

    @cached_property
    def whole_bare(self) -> str:
        """All of it without comments."""
        return self._without(lambda start, end, is_comment: _blank(self.whole[start:end]) if is_comment else None)

    @cached_property
    def whole_code(self) -> str:
        """All of it without comments and strings."""
        text, is_python = self.whole, suffix_of(self.file) in _STYLES["python"]

        def blanked(start: int, end: int, is_comment: bool) -> str:
            if is_python and not is_comment and _F_STRING.search(text[max(0, start - 3) : start]):
                return _inserted(text[start:end])
            return _blank(text[start:end])

        return self._without(blanked)

    def _without(self, instead: Callable[[int, int, bool], str | None]) -> str:
        parts: list[str] = []
        at, text = 0, self.whole
        for start, end, is_comment in self._hidden:
            new = instead(start, end, is_comment)
            if new is not None:
                parts += (text[at:start], new)
                at = end
        return "".join((*parts, text[at:]))

    @cached_property
    def bare(self) -> Sequence[str]:
        """The lines without comments."""
        return self.whole_bare.split("\n")

    @cached_property
    def code(self) -> Sequence[str]:
        """The lines without comments and strings."""
        return self.whole_code.split("\n")

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *accumulate(map((1).__add__, map(len, self.lines)))]

    def line_at(self, offset: int) -> int:
        """The line, from 1, that the character `offset` of `whole` lies in."""
        return max(1, bisect_right(self._starts, offset))

    def lines_with(self, pattern: re.Pattern[str], form: Form = "code", holding: str = "") -> Iterator[int]:
        """The lines where `pattern` is found in a form of the text, each once, ascending.

        holding  what each of its matches begins with: then the search is for that, which is quick
        """
        if holding not in self.whole:
            return
        text, last = self._whole(form), 0
        for at in (
            _beginnings(text, pattern, holding) if holding else (found.start() for found in pattern.finditer(text))
        ):
            line = self.line_at(at)
            if line != last:
                yield line
                last = line

    def _whole(self, form: Form) -> str:
        return self.whole if form == "lines" else self.whole_bare if form == "bare" else self.whole_code

    def has(self, line: int, pattern: re.Pattern[str], form: Form = "code") -> bool:
        """Whether `pattern` is found on the line; not if there is no such line."""
        lines = self.lines if form == "lines" else self.bare if form == "bare" else self.code
        return 0 < line <= len(lines) and pattern.search(lines[line - 1]) is not None


def _beginnings(text: str, pattern: re.Pattern[str], holding: str) -> Iterator[int]:
    at = text.find(holding)
    while at >= 0:
        if pattern.match(text, at):
            yield at
        at = text.find(holding, at + 1)


def _blank(text: str) -> str:
    return " " * len(text) if "\n" not in text else "\n".join([" " * len(line) for line in text.split("\n")])


def _inserted(text: str) -> str:
    """An f-string of which only what is inserted is left."""
    return _BRACES.sub(lambda found: f" {found[1]} " if found[1] is not None else " " * len(found[0]), text)
