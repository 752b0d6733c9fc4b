"""Blocks of Python in which nothing is left once some lines are gone: what heads them must go, too."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from cbvtool.plan.sites.text import CodeText


def emptied_blocks(text: CodeText, gone: Collection[int]) -> Iterator[tuple[int, str]]:
    """The line, from 1, and the text of each head, as `if TYPE_CHECKING:`, whose block holds lines of `gone` alone.

    Comments, and heads that are emptied themselves, count as nothing.
    """
    left = set(gone)
    for line in sorted(left, reverse=True):
        head = _head_of(text, line)
        while head and all(inner in left for inner in _block_of(text, head)):
            if head not in left:
                left.add(head)
                yield head, text.bare[head - 1].strip()
            head = _head_of(text, head)


def _indent(text: CodeText, line: int) -> int | None:
    """Number of blanks that a line begins with; None where no code stands in it."""
    code = text.code[line - 1]
    return len(code) - len(code.lstrip()) if code.strip() else None


def _head_of(text: CodeText, line: int) -> int:
    """The line that heads the block in which `line` stands, 0 = none: it stands at the top, or behind its head."""
    own = _indent(text, line)
    for above in range(line - 1, 0, -1) if own else ():
        indent = _indent(text, above)
        if indent is not None and own is not None and indent < own:
            return above if text.code[above - 1].rstrip().endswith(":") else 0
    return 0


def _block_of(text: CodeText, head: int) -> Iterator[int]:
    """The lines with code in the block behind `head`."""
    own = _indent(text, head) or 0
    for line in range(head + 1, len(text) + 1):
        indent = _indent(text, line)
        if indent is not None and indent <= own:
            return
        if indent is not None:
            yield line
