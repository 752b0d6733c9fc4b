"""Text files of other profilers line by line: any of the usual encodings, with budget, progress and Cancel."""

from __future__ import annotations

import codecs
from collections.abc import Iterator

from cbvtool.budget import Budget
from cbvtool.progress import Progress, silent
from cbvtool.trace.readers.source import TraceSource, UnreadableTrace

LONGEST_LINE = 1 << 24  # characters
_MARKS = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF8, "utf-8"))


def encoding_of(head: bytes) -> tuple[str, int]:
    """The encoding that the first bytes tell, UTF-8 if they tell none, and the length of its mark."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name, len(mark)
    return "utf-8", 0


def head_lines(source: TraceSource) -> list[str]:
    """The lines of the first bytes, without the last one if it may be cut off."""
    encoding, skipped = encoding_of(source.head)
    text = source.head[skipped:].decode(encoding, "replace")
    lines = text.splitlines()
    return lines[:-1] if len(lines) > 1 and not text.endswith("\n") else lines


def text_lines(source: TraceSource, budget: Budget, progress: Progress = silent) -> Iterator[str]:
    """All lines, without their ends. What is not of the encoding becomes a question mark in a diamond.

    Raises UnreadableTrace for a line of more than `LONGEST_LINE` characters, OverBudget, Cancelled.
    """
    encoding, skipped = encoding_of(source.head)
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    total = 0 if source.packed else source.path.stat().st_size
    done, rest = 0, ""
    for block in source.blocks(1 << 20):
        budget.spend(size=0)
        progress("Reading", done, total)
        text = rest + decoder.decode(block[skipped:] if not done else block)
        done += len(block)
        lines = text.split("\n")
        rest = lines.pop()
        if len(rest) > LONGEST_LINE:
            raise UnreadableTrace(f"a line is longer than {LONGEST_LINE:,} characters")
        for line in lines:
            yield line.removesuffix("\r")
    rest += decoder.decode(b"", True)
    if rest:
        yield rest.removesuffix("\r")
    progress("Reading", done, total)
