"""A file as text, of Python with syntax tree and positions; what is between the changed places stays byte for byte."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from cbvtool.apply.stopped import Stopped

SUFFIXES = (".py", ".pyi", ".pyw")
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Edit:
    """Put `text` in place of the characters from `start` up to `end`."""

    start: int
    end: int
    text: str


def spliced(content: bytes, edits: Sequence[Edit]) -> bytes:
    """The content with these edits, whose places are bytes and do not overlap."""
    pieces, done = [], 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        assert edit.start >= done, "edits overlap"
        pieces += [content[done : edit.start], edit.text.encode()]
        done = edit.end
    return b"".join([*pieces, content[done:]])


@dataclass(frozen=True, eq=False)
class PythonFile:
    """A file that Python can read.

    text      decoded, with the line ends as they are
    encoding  name of the codec; a byte order mark is part of it
    tree      its syntax tree
    """

    text: str
    encoding: str
    tree: ast.Module

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @cached_property
    def line_end(self) -> str:
        """How its first line ends."""
        found = _LINE_END.search(self.text)
        return found[0] if found else "\n"

    def at(self, line: int, column: int) -> int:
        """Index in the text of a position of the syntax tree: a line from 1, a column in bytes of UTF-8."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        piece = self.text[start:end]
        if piece.isascii():
            return start + column
        return start + len(piece.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def span(self, node: ast.stmt | ast.expr | ast.alias) -> tuple[int, int]:
        """Indices in the text of the first character of a node, and of that behind its last one."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def line(self, index: int) -> tuple[int, int]:
        """Indices of the first character of the line around `index`, and of that behind its last one."""
        before = max(self.text.rfind("\n", 0, index), self.text.rfind("\r", 0, index)) + 1
        found = _LINE_END.search(self.text, index)
        return before, found.start() if found else len(self.text)

    def changed(self, edits: Sequence[Edit], path: str) -> bytes:
        """The content of the file, which is at `path`, with these edits, which do not overlap.

        Raises Stopped for letters that its encoding lacks.
        """
        pieces, done = [], 0
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            assert edit.start >= done, "edits overlap"
            pieces += [self.text[done : edit.start], edit.text]
            done = edit.end
        try:
            return "".join([*pieces, self.text[done:]]).encode(self.encoding)
        except UnicodeEncodeError as error:
            reason = f"{path} is written in {self.encoding}, which lacks a letter of a new name in it."
            raise Stopped(reason, path) from error


def is_python(path: str) -> bool:
    """Whether a file holds Python, or stubs."""
    return path.endswith(SUFFIXES)


@lru_cache(maxsize=20_000)
def parsed(content: bytes) -> PythonFile | None:
    """The file with this content; None = Python cannot read it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
        if content.startswith(codecs.BOM_UTF8):
            encoding = "utf-8-sig"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, LookupError, RecursionError, MemoryError):
        return None
    return PythonFile(text, encoding, tree)


def must_compile(content: bytes, path: str) -> None:
    """Raise Stopped for what Python cannot compile."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = parsed(content)  # kept for the next task, which reads the file again
            compile(content if found is None else found.tree, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Stopped(f"{path} could not be compiled after the change: {error}.", path) from error


def same_length(content: bytes) -> bytes:
    """UTF-8 of the same length, in which names and punctuation are those of the file."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        content = bytes(byte if byte < 128 else 120 for byte in content)
    return b"   " + content[3:] if content.startswith(b"\xef\xbb\xbf") else content
