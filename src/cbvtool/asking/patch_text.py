"""A patch as text: the kinds of its lines, and the position of a line of the newer file in it."""

from __future__ import annotations

import re

_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def without_head(patch: str) -> str:
    """Only the hunks, without git's lines about names and modes before the first one."""
    lines = patch.splitlines()
    first = next((place for place, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    return "\n".join(lines[first:])


def place_of_line(patch: str, line: int) -> int:
    """0-based line of the text that shows `line` of the newer file, or else the head of the nearest hunk."""
    best, nearest, at = 0, -1, 0
    for place, text in enumerate(patch.splitlines()):
        found = _HUNK.match(text)
        if found is not None:
            at = int(found[1])
            last = at + max(int(found[2] or 1) - 1, 0)
            away = max(at - line, line - last, 0)
            if nearest < 0 or away < nearest:
                best, nearest = place, away
        elif at and not text.startswith("-"):
            if at == line and nearest == 0:
                return place
            at += 1
    return best
