"""The text of one file as the search for sites reads it: with and without its comments and strings."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property

_LONGEST = 2_000_000  # characters of a file that is read here; longer ones were not written by hand

_HASH = r"#[^\n]*"
_SLASHES = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_DOUBLE = r'"(?:[^"\\\n]|\\.)*+"?'
_SINGLE = r"'(?:[^'\\\n]|\\.)*+'?"
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,9}?)'"
_TRIPLE = r'"""(?:[^"\\]|\\.|"(?!""))*+(?:"""|\Z)'
_TRIPLE_SINGLE = r"'''(?:[^'\\]|\\.|'(?!''))*+(?:'''|\Z)"
_BACKTICK = r"`(?:[^`\\]|\\.)*+`?"
_RAW = r"`[^`]*+`?"
_RAW_CPP = r'R"(?P<mark>[^()\\\s]{0,16})\(.*?(?:\)(?P=mark)"|\Z)'

# Group 1 is a comment, group 2 a string; whatever stands first in the text counts.
_PATTERNS = {
    "python": rf"({_HASH})|({_TRIPLE}|{_TRIPLE_SINGLE}|{_DOUBLE}|{_SINGLE})",
    "c": rf"({_SLASHES})|({_RAW_CPP}|{_DOUBLE}|{_CHARACTER})",
    "go": rf"({_SLASHES})|({_RAW}|{_DOUBLE}|{_CHARACTER})",
    "jvm": rf"({_SLASHES})|({_TRIPLE}|{_DOUBLE}|{_CHARACTER})",
    "javascript": rf"({_SLASHES})|({_BACKTICK}|{_DOUBLE}|{_SINGLE})",
    "hash": rf"({_HASH})|({_DOUBLE}|{_SINGLE})",
    "plain": r"(?!)()()",
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
_VISIBLE = re.compile(r"[^\n]")
_F_STRING = re.compile(r"(?<![\w])[rRbBtT]?[fF][rR]?$")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[^\n]")


def suffix_of(file: str) -> str:
    """What stands behind the last dot of a file's name; empty = nothing."""
    return file.rpartition("/")[2].rpartition(".")[2] if "." in file.rpartition("/")[2] else ""


class Text:
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
    def _blanked(self) -> tuple[str, str]:
        style = _STYLE_OF.get(suffix_of(self.file), "plain")
        pattern = _COMPILED.get(style)
        if pattern is None:
            pattern = _COMPILED[style] = re.compile(_PATTERNS[style], re.DOTALL)
        bare: list[str] = []
        code: list[str] = []
        at = 0
        text = self.whole
        for found in pattern.finditer(text):
            between = text[at : found.start()]
            at = found.end()
            is_inserted = style == "python" and _F_STRING.search(between[-4:]) is not None
            blank = _blank(found[0])
            bare += (between, blank if found[1] is not None else found[0])
            code += (between, _inserted(found[0]) if is_inserted and found[1] is None else blank)
        rest = text[at:]
        return "".join((*bare, rest)), "".join((*code, rest))

    @property
    def whole_bare(self) -> str:
        """All of it without comments."""
        return self._blanked[0]

    @property
    def whole_code(self) -> str:
        """All of it without comments and strings."""
        return self._blanked[1]

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
        starts, at = [0], 0
        for line in self.lines:
            at += len(line) + 1
            starts.append(at)
        return starts

    def line_at(self, offset: int) -> int:
        """The line, from 1, that the character `offset` of `whole` lies in."""
        return max(1, bisect_right(self._starts, offset))

    def lines_with(self, pattern: re.Pattern[str], form: str = "code") -> Iterator[int]:
        """The lines where `pattern` is found in a form of the text: `lines`, `bare` or `code`; each once, ascending."""
        text = {"lines": self.whole, "bare": self.whole_bare, "code": self.whole_code}[form]
        last = 0
        for found in pattern.finditer(text):
            line = self.line_at(found.start())
            if line != last:
                yield line
                last = line

    def has(self, line: int, pattern: re.Pattern[str], form: str = "code") -> bool:
        """Whether `pattern` is found on the line; not if there is no such line."""
        lines = {"lines": self.lines, "bare": self.bare, "code": self.code}[form]
        return 0 < line <= len(lines) and pattern.search(lines[line - 1]) is not None


def _blank(text: str) -> str:
    return " " * len(text) if "\n" not in text else _VISIBLE.sub(" ", text)


def _inserted(text: str) -> str:
    """An f-string of which only what is inserted is left."""
    return _BRACES.sub(lambda found: f" {found[1]} " if found[1] is not None else " " * len(found[0]), text)
