"""Tables of text."""

from __future__ import annotations

from collections.abc import Sequence


def render(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns as wide as their widest cell; numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(head, *rows)]
    lines = []
    for row in (head, *rows):
        cells = []
        for cell, width in zip(row, widths):
            if cell.replace(".", "").isdigit():
                cells.append(cell.rjust(width))
            else:
                cells.append(cell.ljust(width))
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
