"""A patch as text to read: which of its lines are what, and where a line of the newer file stands in it."""

from __future__ import annotations

import re

_HUNK = re.compile(r"@@ -\d{1,9}(?:,\d{1,9})? \+(\d{1,9})(?:,(\d{1,9}))? @@")


def without_head(patch: str) -> str:
    """The hunks alone: what git says of names and modes before the first one is left out."""
    lines = patch.splitlines()
    first = next((place for place, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    return "\n".join(lines[first:])


def place_of_line(patch: str, line: int) -> int:
    """0-based line of the text in which `line` of the newer file stands, or else the head of the nearest hunk."""
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
