"""Iterates over the rows of a CSV text without copying it, and refuses rows of absurd length."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from cbvtool.formats.content import Damaged

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\r|\n)|[^\r\n]++")
_LONGEST = 4_000_000  # characters


def csv_rows(text: str, delimiter: str, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """(line in which it ends, from 1; cells) of each row.

    Raises Damaged (whose text begins with the line if `strict`) for invalid CSV, and for a row of absurd length before
    it is split.
    """
    taken = 0

    def damaged(reason: str) -> Damaged:
        return Damaged(f"line {reader.line_num:,}: {reason}" if strict else reason)

    def lines() -> Iterator[str]:
        nonlocal taken
        for found in _LINE.finditer(text):
            taken += found.end() - found.start()
            if taken > _LONGEST:
                raise damaged(f"a row is longer than {_LONGEST / 1e6:.0f} MB")
            yield found[0]

    reader = csv.reader(lines(), delimiter=delimiter, strict=strict)
    try:
        for row in reader:
            taken = 0
            yield reader.line_num, row
    except csv.Error as error:
        raise damaged(f"it is not CSV ({error})") from None
